package column

import (
	"slices"
	"strings"
	"time"

	"github.com/stagewatch/stagewatch/engine"
)

// Most is how many columns can be chosen.
const Most = 20

// metadata are the prefixes of columns that show a label or an annotation of a run.
var metadata = [...]string{engine.LabelPrefix, engine.AnnotationPrefix}

// Names are the names of the columns that can be chosen, beside labels and annotations.
func Names() (out []string) {
	for i := range all {
		out = append(out, all[i].Name)
	}
	return out
}

// IsMetadata reports whether a name is that of a label or an annotation: label:app.
func IsMetadata(name string) bool {
	return slices.ContainsFunc(metadata[:], func(p string) bool { return len(name) > len(p) && strings.HasPrefix(name, p) })
}

// Shortens reports whether the beginning of a cell still says something.
func (c *Column) Shortens() bool {
	return IsMetadata(c.Name) || slices.Contains([]string{"placement", "cause", "strategy", "kind", "why"}, c.Name)
}

// Metadata returns the names of the labels and annotations among chosen columns, for
// Settings.Metadata.
func Metadata(names []string) (out []string) {
	for _, name := range names {
		if IsMetadata(name) {
			out = append(out, name)
		}
	}
	return out
}

// Chosen returns the columns of names in their order; none for no names. The column of the
// hub is always one of them: runs of several hubs may have one name. read are the labels and
// annotations that the session reads, Settings.Metadata; the cells of others are empty.
func Chosen(names, read []string) (out []Column) {
	if len(names) > 0 && !slices.Contains(names, "hub") {
		names = append([]string{"hub"}, names...)
	}
	for _, name := range names {
		if c, ok := Named(name); ok {
			out = append(out, *c)
		} else if IsMetadata(name) {
			out = append(out, metadataColumn(name, slices.Index(read, name)))
		}
	}
	return out
}

// metadataColumn is the column of number i of Settings.Metadata, negative for none. Its head is the last part of
// the key.
func metadataColumn(name string, i int) Column {
	_, head, _ := strings.Cut(name, ":")
	if at := strings.LastIndexByte(head, '/'); at >= 0 && at < len(head)-1 {
		head = head[at+1:]
	}
	return Column{
		Name: name, Head: engine.Clean(strings.ToUpper(head)).String(),
		Text: func(v *engine.RunView, _ time.Time) engine.Text {
			if i < 0 || i >= len(v.Metadata) {
				return engine.Text{}
			}
			return v.Metadata[i]
		},
		Layout: Layout{Max: 30},
	}
}
