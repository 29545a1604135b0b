// Package jsonpath compiles JSONPath templates as kubectl does, and reads the columns of the
// configuration that are JSONPaths from the JSON of an object, which the hub may have made hostile.
package jsonpath

import (
	"bytes"
	"errors"
	"strings"

	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/client-go/util/jsonpath"

	"github.com/stagewatch/stagewatch/engine/field"
)

// Parse compiles a template: the braces around a single path may be left out, and a missing
// key prints nothing.
func Parse(template string) (*jsonpath.JSONPath, error) {
	if template == "" {
		return nil, errors.New("the template is empty")
	}
	if !strings.ContainsAny(template, "{}") {
		if !strings.HasPrefix(template, "[") {
			template = "." + strings.TrimPrefix(template, ".")
		}
		template = "{" + template + "}"
	}
	p := jsonpath.New("output").AllowMissingKeys(true)
	return p, p.Parse(template)
}

// Longest is how many bytes of a value are kept: the beginning of a list, all of a name.
const Longest = 64

// Reader reads the values of the columns that are JSONPaths. Several goroutines may use it.
type Reader struct{ paths []string }

// NewReader returns the Reader of the names of columns; nil if none is a JSONPath.
func NewReader(names []string) *Reader {
	r := &Reader{}
	for _, name := range names {
		if f, ok := field.Parse(name); ok && f.Source == field.Path {
			r.paths = append(r.paths, f.Key)
		}
	}
	if r.paths == nil {
		return nil
	}
	return r
}

// Read returns the values of an object in the order of the columns, an empty one where there is
// none; nil without columns, and for JSON that cannot be read.
func (r *Reader) Read(raw []byte) []string {
	if r == nil {
		return nil
	}
	var object any
	if json.Unmarshal(raw, &object) != nil {
		return nil
	}
	dropNulls(object)
	out := make([]string, len(r.paths))
	for i, path := range r.paths {
		if p, err := Parse(path); err == nil { // as it was when the configuration was checked
			out[i] = value(p, object)
		}
	}
	return out
}

// dropNulls drops the members that are null: to Kubernetes they are not set.
func dropNulls(v any) {
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			if member == nil {
				delete(v, name)
			}
			dropNulls(member)
		}
	case []any:
		for _, e := range v {
			dropNulls(e)
		}
	}
}

// value returns what a template selects of an object.
func value(p *jsonpath.JSONPath, object any) string {
	var b bounded
	if err := p.Execute(&b, object); err != nil && !b.full {
		return ""
	}
	s := strings.TrimSpace(b.String())
	if b.full {
		s = strings.ToValidUTF8(s, "") + "…" // a character may be cut
	}
	return s
}

// bounded takes the beginning of what is written to it.
type bounded struct {
	bytes.Buffer
	full bool
}

// errFull ends the writing.
var errFull = errors.New("enough is written")

// Write implements io.Writer.
func (b *bounded) Write(p []byte) (int, error) {
	if room := Longest - b.Len(); len(p) > room {
		b.full = true
		n, _ := b.Buffer.Write(p[:room])
		return n, errFull
	}
	return b.Buffer.Write(p)
}
