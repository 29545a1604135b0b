package jsonpath

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

// object is a run as a hub returns it.
const object = `{"metadata":{"name":"web","labels":{"app.kubernetes.io/name":"shop"},"generation":12345678901},
"spec":{"state":"Run","empty":"","nothing":null,"map":{"a":1},"list":["x","y"]},
"status":{"conditions":[{"type":"Succeeded","status":"True"},{"type":null}]}}`

func TestRead(t *testing.T) {
	for path, want := range map[string]string{
		".metadata.name":                                    "web",
		"metadata.name":                                     "web",
		"{.metadata.name}":                                  "web",
		"['metadata'].name":                                 "web",
		".metadata.generation":                              "12345678901",
		`.metadata.labels.app\.kubernetes\.io/name`:         "shop",
		`.status.conditions[?(@.type=="Succeeded")].status`: "True",
		`{range .spec.list[*]}{@};{end}`:                    "x;y;",
		".spec.list[*]":                                     "x y",
		".spec.list":                                        `["x","y"]`,
		".spec.map":                                         `{"a":1}`,
		".spec.none":                                        "",
		".none.of.them":                                     "",
		".spec.empty":                                       "",
		".spec.nothing":                                     "",
		".spec.list[7]":                                     "",
		".spec.state.deeper":                                "",
	} {
		if got := NewReader([]string{"label:a", "jsonpath:X:" + path}).Read([]byte(object)); !slices.Equal(got, []string{want}) {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}

// TestReadBounds cuts a long value between two characters, also where it is cut within a range,
// and reads the next object as if nothing had been before.
func TestReadBounds(t *testing.T) {
	r := NewReader([]string{`jsonpath:X:{range .a[*]}{.b}{end}`})
	long := []byte(`{"a":[{"b":"` + strings.Repeat("x", Longest-1) + `é"},{"b":"more"}]}`)
	for range 2 {
		if got, want := r.Read(long)[0], strings.Repeat("x", Longest-1)+"…"; got != want {
			t.Errorf("%q, want %q", got, want)
		}
		if got := r.Read([]byte(`{"a":[{"b":"short"}]}`))[0]; got != "short" {
			t.Errorf("%q", got)
		}
	}
	if got := r.Read([]byte(`{"a":`)); got != nil {
		t.Errorf("broken JSON: %q", got)
	}
}

// TestNoReader checks that nothing is read for columns that are not JSONPaths.
func TestNoReader(t *testing.T) {
	if r := NewReader([]string{"run", "label:a"}); r != nil || r.Read([]byte(object)) != nil {
		t.Error("a reader without paths")
	}
}

func TestParseErrors(t *testing.T) {
	for _, template := range []string{"", "{.a", ".a[", "{.a[?(@.b}"} {
		if _, err := Parse(template); err == nil {
			t.Errorf("%q is accepted", template)
		}
	}
}

// FuzzRead looks for a hub that can end the program.
func FuzzRead(f *testing.F) {
	f.Add(`.a[?(@.b=="x")].c`, `{"a":[{"b":null,"c":1}]}`)
	f.Add(`..b`, `{"a":[{"b":null,"c":1}]}`)
	f.Add(`{range .a[*]}{.b}{end}`, `{"a":null}`)
	f.Add(`.a[?(@.b>1)].c`, `{"a":[{"b":"2","c":1}, null, 3]}`)
	f.Add(`.a[0:2:1]`, `{"a":[1,2]}`)
	f.Add(`.a[-1:]`, `{"a":[]}`)
	f.Add(`.a['x','y']`, `{"a":{"x":1}}`)
	f.Fuzz(func(t *testing.T, path, doc string) {
		for _, s := range NewReader([]string{"jsonpath:X:" + path}).Read([]byte(doc)) {
			if len(s) > Longest+len("…") {
				t.Errorf("%d bytes", len(s))
			}
		}
	})
}

// TestTemplate executes a template as -o jsonpath does.
func TestTemplate(t *testing.T) {
	p, err := Parse("runs[0].name")
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := p.Execute(&b, map[string]any{"runs": []any{map[string]any{"name": "web"}}}); err != nil || b.String() != "web" {
		t.Errorf("%q, %v", b.String(), err)
	}
}
