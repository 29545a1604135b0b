package client

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

func TestCutterValues(t *testing.T) {
	tests := []struct {
		name string
		in   string
		want []string
		err  error
	}{
		{"nothing", "", nil, io.EOF},
		{"white space", " \n\t", nil, io.EOF},
		{"two frames", "{\"a\":1}\n{\"b\":[2]}\n", []string{`{"a":1}`, `{"b":[2]}`}, io.EOF},
		{"no separator", `{}[]"x"`, []string{`{}`, `[]`, `"x"`}, io.EOF},
		{"brackets in strings", `{"a":"}]\"{["} 1`, []string{`{"a":"}]\"{["}`, `1`}, io.EOF},
		{"escaped backslash", `{"a":"\\"}{}`, []string{`{"a":"\\"}`, `{}`}, io.EOF},
		{"scalars", `true null -1.5e3 "é\u00e9"`, []string{`true`, `null`, `-1.5e3`, `"é\u00e9"`}, io.EOF},
		{"torn object", `{"a":1}{"b":`, []string{`{"a":1}`}, io.ErrUnexpectedEOF},
		{"torn string", `"abc`, nil, io.ErrUnexpectedEOF},
		{"stray bracket", `}`, nil, ErrNotJSON},
	}
	readers := map[string]func(io.Reader) io.Reader{
		"whole":        func(r io.Reader) io.Reader { return r },
		"byte by byte": iotest.OneByteReader,
		"halves":       iotest.HalfReader,
	}
	for _, tt := range tests {
		for how, reader := range readers {
			t.Run(tt.name+"/"+how, func(t *testing.T) {
				c := NewJSONStream(reader(strings.NewReader(tt.in)))
				c.buf = c.buf[:3] // so that every value crosses a refill
				var got []string
				var err error
				for {
					var v []byte
					if v, err = c.Value(); err != nil {
						break
					}
					got = append(got, string(v))
				}
				if !slices.Equal(got, tt.want) || !errors.Is(err, tt.err) {
					t.Fatalf("cut %q, %v; want %q, %v", got, err, tt.want, tt.err)
				}
			})
		}
	}
}

// TestCutterFindsTheEndOfStrings cuts random strings of quotes, backslashes and letters.
func TestCutterFindsTheEndOfStrings(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for range 2000 {
		var text []byte
		for range random.IntN(200) {
			text = append(text, strings.Repeat(string(`"\a`[random.IntN(3)]), 1+random.IntN(1+random.IntN(60)))...)
		}
		want, err := json.Marshal([]string{string(text), "end"})
		if err != nil {
			t.Fatal(err)
		}
		c := NewJSONStream(iotest.HalfReader(bytes.NewReader(append(want, `"next"`...))))
		c.buf = c.buf[:1+random.IntN(100)]
		got, err := c.Value()
		next, nextErr := c.Value()
		if string(got) != string(want) || err != nil || string(next) != `"next"` || nextErr != nil {
			t.Fatalf("cut %s, %v, then %s, %v; want %s", got, err, next, nextErr, want)
		}
	}
}

func TestCutterFields(t *testing.T) {
	in := `{"kind":"RunList", "metadata":{"resourceVersion":"7"},"items":[{"n":1}, {"n":2}],"items2":[3],"none":null}`
	var items []string
	fields := map[string]string{}
	err := NewJSONStream(iotest.OneByteReader(strings.NewReader(in))).Fields("items",
		func(v []byte) error { items = append(items, string(v)); return nil },
		func(name string, v []byte) error { fields[name] = string(v); return nil })
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{`{"n":1}`, `{"n":2}`}; !slices.Equal(items, want) {
		t.Errorf("items %q, want %q", items, want)
	}
	for k, want := range map[string]string{"kind": `"RunList"`, "metadata": `{"resourceVersion":"7"}`, "items2": "[3]", "none": "null"} {
		if fields[k] != want {
			t.Errorf("field %s is %q, want %q", k, fields[k], want)
		}
	}
	for _, torn := range []string{`{"items":[{"a":1}`, `{"items":null`, `[`, ``, `{"a" 1}`, `{1:2}`, `{"items":[1 2]}`} {
		if err := NewJSONStream(strings.NewReader(torn)).Fields("items", nil, nil); err == nil {
			t.Errorf("%q was read without an error", torn)
		}
	}
}

// FuzzCutter compares what is cut with what encoding/json reads.
func FuzzCutter(f *testing.F) {
	for _, s := range []string{`{"a":[1,"}"]}`, `[]`, `"\\\""`, ` 1 2 `, `{"a":{"b":[{}]}}{"c":null}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		dec := json.NewDecoder(bytes.NewReader(in))
		c := NewJSONStream(bytes.NewReader(in))
		c.buf = c.buf[:5]
		for {
			var want json.RawMessage
			if dec.Decode(&want) != nil {
				return // the cutter does not judge malformed JSON
			}
			if !bytes.ContainsAny(want[:1], `{["`) {
				return // encoding/json reads two numbers where nothing parts them
			}
			got, err := c.Value()
			if err != nil {
				t.Fatalf("cut %v, encoding/json read %q", err, want)
			}
			if !bytes.Equal(got, want) {
				t.Fatalf("cut %q, encoding/json read %q", got, want)
			}
		}
	})
}

// A value keeps its bytes until it is given back, also when it lies in the room of another.
func TestRecycledValues(t *testing.T) {
	want := func(i int) string {
		return `"` + strings.Repeat(string(rune('a'+i%26)), []int{leastRecycled, leastLarge}[i/2%2]+i%7*100) + `"`
	}
	var in strings.Builder
	for i := range 60 {
		in.WriteString(want(i))
	}
	c := CutJSON([]byte(in.String()))
	var kept [][]byte // of three, one is given back
	for i := range 60 {
		v, err := c.Value()
		if err != nil || string(v) != want(i) {
			t.Fatalf("value %d: %.20q, %v", i, v, err)
		}
		if kept = append(kept, v); i%3 == 2 {
			Recycle(kept[i-1])
		}
	}
	for i, v := range kept {
		if i%3 != 1 && string(v) != want(i) {
			t.Errorf("value %d is %.20q now", i, v)
		}
	}
	if _, err := c.Value(); !errors.Is(err, io.EOF) {
		t.Errorf("at the end: %v", err)
	}
}
