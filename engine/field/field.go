// Package field reads the names of columns that show a value of a run's object: a label, an
// annotation, or what a JSONPath selects.
package field

import "strings"

// Source is where the value of a Field comes from.
type Source uint8

// The sources.
const (
	Label Source = iota
	Annotation
	Path
)

// prefixes are what the name of a field begins with, by its source.
var prefixes = [...]string{Label: "label:", Annotation: "annotation:", Path: "jsonpath:"}

// Field is a value of an object.
type Field struct {
	Source Source
	// Key is the key of a label or an annotation, or the JSONPath.
	Key string
	// Head is the head of the column, as it is written in the name of a path, else the last
	// part of the key.
	Head string
}

// Parse reads the name of a column: label:KEY, annotation:KEY or jsonpath:HEAD:PATH. ok is
// false for another name, and for one without a key or a head.
func Parse(name string) (f Field, ok bool) {
	for source, prefix := range prefixes {
		rest, found := strings.CutPrefix(name, prefix)
		if !found {
			continue
		}
		f = Field{Source: Source(source), Key: rest, Head: rest}
		if f.Source == Path {
			f.Head, f.Key, _ = strings.Cut(rest, ":")
		} else if at := strings.LastIndexByte(rest, '/'); at >= 0 && at < len(rest)-1 {
			f.Head = rest[at+1:]
		}
		return f, f.Key != "" && strings.TrimSpace(f.Head) != ""
	}
	return Field{}, false
}

// Forms are the forms of the names.
func Forms() []string { return []string{"label:KEY", "annotation:KEY", "jsonpath:HEAD:PATH"} }
