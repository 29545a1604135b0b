package client

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// aRun is the JSON of a run of 1,000 clusters, as an API server sends it.
func aRun() []byte {
	var b bytes.Buffer
	b.WriteString(`{"apiVersion":"placement.kubernetes-fleet.io/v1beta1","kind":"ClusterStagedUpdateRun","metadata":{"name":"web-r1"},"status":{"stagesStatus":[{"stageName":"prod","clusters":[`)
	for n := range 1000 {
		if n > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"clusterName":"member-%05d","conditions":[{"lastTransitionTime":"2026-11-27T05:41:08Z","message":"Cluster update started","observedGeneration":1,"reason":"ClusterUpdatingStarted","status":"True","type":"Started"},{"lastTransitionTime":"2026-11-27T05:41:23Z","message":"Cluster update completed successfully","observedGeneration":1,"reason":"ClusterUpdatingSucceeded","status":"True","type":"Succeeded"}]}`, n)
	}
	b.WriteString(`]}]}}`)
	return b.Bytes()
}

// BenchmarkValue is the cost of cutting one run of 1,000 clusters out of a body.
func BenchmarkValue(b *testing.B) {
	raw := aRun()
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	s := NewJSONStream(bytes.NewReader(nil))
	for b.Loop() {
		s.r = bytes.NewReader(raw)
		s.pos, s.end = 0, 0
		v, err := s.Value()
		if err != nil || len(v) != len(raw) {
			b.Fatal(err)
		}
		Recycle(v)
	}
}

// Values that Uncut takes are the same as those that are cut, whatever it refuses, how large they
// are and in which pieces they come.
func TestUncutValuesAreThoseThatAreCut(t *testing.T) {
	var all []string
	for i, n := range []int{leastLarge, leastLarge + 7, 3 * leastLarge, leastLarge, 100, leastLarge, 200 << 10, 10, leastLarge, leastLarge + 1} {
		raw, err := json.Marshal(map[string]any{"n": i, "text": strings.Repeat("x{\"]", n/5)})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, string(raw))
	}
	body := "{\"kind\":\"List\",\"items\":[\n" + strings.Join(all, " ,\n ") + "\n],\"metadata\":{}}"
	for name, reader := range map[string]func(io.Reader) io.Reader{
		"whole": func(r io.Reader) io.Reader { return r }, "half": iotest.HalfReader, "one": iotest.OneByteReader, "with EOF": iotest.DataErrReader,
	} {
		for _, refused := range []int{0, 2, 3} {
			var got []string
			took, offered := 0, 0
			c := NewJSONStream(reader(strings.NewReader(body)))
			c.Uncut = func(read []byte) int {
				offered++
				d := json.NewDecoder(bytes.NewReader(read))
				var v json.RawMessage
				if d.Decode(&v) != nil || refused > 0 && offered%refused == 0 {
					return 0
				}
				took++
				got = append(got, string(v))
				return int(d.InputOffset())
			}
			err := c.Fields("items", func(v []byte) error { got = append(got, string(v)); return nil }, nil)
			if err != nil || !slices.Equal(got, all) {
				t.Errorf("%s, each %d refused: %d values, %v", name, refused, len(got), err)
			}
			if took == 0 || took == len(all) {
				t.Errorf("%s: Uncut took %d values of %d", name, took, len(all))
			}
		}
	}
	// What the body lacks is an error, as it is of a value that is cut.
	for _, lacks := range []int{3, 20, leastLarge} {
		c := NewJSONStream(strings.NewReader(body[:len(body)-lacks]))
		c.Uncut = func([]byte) int { return 0 }
		if err := c.Fields("items", nil, nil); err == nil {
			t.Errorf("a body without its last %d bytes is read", lacks)
		}
	}
}

// After a large value, small ones cost what they have: with a search of all that was read for
// each, this needs longer than the deadline of a test binary.
func TestSmallValuesAfterALargeOne(t *testing.T) {
	const small = 1_500_000
	body := `{"items":[{"a":"` + strings.Repeat("x", 9<<20) + `"}` + strings.Repeat(`,{"a":"b"}`, small) + `]}`
	n := 0
	err := NewJSONStream(strings.NewReader(body)).Fields("items", func(v []byte) error { n++; Recycle(v); return nil }, nil)
	if err != nil || n != small+1 {
		t.Errorf("%d values, %v", n, err)
	}
}

// What a value may have does not depend on the sizes of those before.
func TestALargeValueAfterOthersIsRefused(t *testing.T) {
	var sizes []string
	for _, n := range []int{4 << 20, 5 << 20, 6600 << 10, valueLimit + 1} {
		sizes = append(sizes, `{"a":"`+strings.Repeat("x", n)+`"}`)
	}
	c := NewJSONStream(strings.NewReader(`{"items":[` + strings.Join(sizes, ",") + `]}`))
	c.Uncut = func([]byte) int { return 0 }
	n := 0
	err := c.Fields("items", func([]byte) error { n++; return nil }, nil)
	if n != 3 || !errors.Is(err, ErrNotJSON) || len(c.buf) > valueLimit {
		t.Errorf("%d values, a buffer of %d bytes, %v", n, len(c.buf), err)
	}
}
