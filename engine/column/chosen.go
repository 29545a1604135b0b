package column

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/field"
)

// Most is how many columns can be chosen.
const Most = 20

// Names are the names of the columns that can be chosen, beside those of fields.
func Names() (out []string) {
	for i := range all {
		out = append(out, all[i].Name)
	}
	return out
}

// IsField reports whether the column shows a field of the run's object.
func (c *Column) IsField() bool {
	_, ok := field.Parse(c.Name)
	return ok
}

// Shortens reports whether the beginning of a cell still says something.
func (c *Column) Shortens() bool {
	return c.IsField() || slices.Contains([]string{"placement", "cause", "strategy", "kind", "why"}, c.Name)
}

// Word is the name of the column for a person who sorts or filters by it: the head, if it is
// that of a field, in lower case with "-".
func (c *Column) Word() string {
	if c.IsField() {
		return Script(c.Head)
	}
	return c.Name
}

// Fields returns the names of fields among chosen columns, for Settings.Fields.
func Fields(names []string) (out []string) {
	for _, name := range names {
		if _, ok := field.Parse(name); ok {
			out = append(out, name)
		}
	}
	return out
}

// WithLabels returns chosen names with columns of labels behind them. Without names these are the columns of
// a table, the wide one or the plain one.
func WithLabels(names, labels []string, wide bool) []string {
	out := slices.Clone(names)
	for i := range all {
		if c := &all[i]; wide && !slices.Contains(names, c.Name) || len(names) == 0 && !c.Wide && !c.Bindings {
			out = append(out, c.Name)
		}
	}
	for _, label := range labels {
		if name := "label:" + strings.TrimSpace(label); !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// Chosen returns the columns of names in their order; none for no names. The column of the
// hub is always one of them: runs of several hubs may have one name. read are the fields that
// the session reads, Settings.Fields; the cells of others are empty.
func Chosen(names, read []string) (out []Column) {
	if len(names) > 0 && !slices.Contains(names, "hub") {
		names = append([]string{"hub"}, names...)
	}
	for _, name := range names {
		if c, ok := Named(name); ok {
			out = append(out, *c)
		} else if f, ok := field.Parse(name); ok {
			out = append(out, fieldColumn(name, f, slices.Index(read, name)))
		}
	}
	return out
}

// Find returns the column that a person means: one of the list, or a chosen one by its word, its
// name or the key of its label. A column of the list that cannot be sorted by comes last.
func Find(chosen []Column, name string) (*Column, bool) {
	own, ok := Named(name)
	if ok && own.Compare != nil {
		return own, true
	}
	i := slices.IndexFunc(chosen, func(c Column) bool {
		return c.IsField() && (c.Word() == name || strings.EqualFold(c.Name, name) || strings.EqualFold(c.Name, "label:"+name))
	})
	if i < 0 {
		return own, ok
	}
	return &chosen[i], true
}

// fieldColumn is the column of number i of Settings.Fields, negative for none.
func fieldColumn(name string, f field.Field, i int) Column {
	of := func(v *engine.RunView) engine.Text {
		if i < 0 || i >= len(v.Fields) {
			return engine.Text{}
		}
		return v.Fields[i]
	}
	return Column{
		Name: name, Head: engine.Clean(strings.ToUpper(f.Head)).String(), Anywhere: true,
		Text:    func(v *engine.RunView, _ time.Time) engine.Text { return of(v) },
		Compare: func(a, b *engine.RunView) int { return compareValues(of(a).String(), of(b).String()) },
		Layout:  Layout{Max: 30},
	}
}

// compareValues compares numbers by their size, and puts them before texts.
func compareValues(a, b string) int {
	x, notX := strconv.ParseFloat(a, 64)
	y, notY := strconv.ParseFloat(b, 64)
	switch {
	case notX == nil && notY == nil:
		return cmp.Compare(x, y)
	case notX == nil:
		return -1
	case notY == nil:
		return 1
	}
	return strings.Compare(a, b)
}
