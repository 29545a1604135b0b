// Package column is the one table of the columns of the list of runs. The list on the
// screen, the printed table, the JSON of a run and the filter are made from it.
package column

import (
	"cmp"
	"slices"
	"time"

	"github.com/stagewatch/stagewatch/engine"
)

// Column is one column of the list of runs.
type Column struct {
	// Name is the name in the configuration and in a filter: state:stuck. Word is that of a field
	// in a filter.
	Name string
	// Head stands above the column; Short, unless empty, where there is little room.
	Head, Short string
	// Text is the cell, empty where it is not known; now is the hub's time. It is nil
	// for a column that the screen draws as a graph.
	Text func(v *engine.RunView, now time.Time) engine.Text
	// Timed is set when Text depends on the time.
	Timed bool
	// JSON is the field of a run's document, Value what it holds; a zero Value is
	// left out. Without JSON the document has the column in another form.
	JSON  string
	Value func(v *engine.RunView) any
	// Match reports whether hit holds for the column of a run; nil: for its Text.
	// Anywhere is set when a word without a name is looked for in the column.
	Match    func(v *engine.RunView, hit func(engine.Text) bool) bool
	Anywhere bool
	// OfRow is set when the row of a run that has succeeded has the column (engine.RunView.RowOnly).
	OfRow bool
	// Compare sorts runs by the column, as cmp.Compare does; nil for a column that
	// cannot be sorted by.
	Compare func(a, b *engine.RunView) int
	// Layout is how the column is shown.
	Layout
}

// Layout is how a column is shown.
type Layout struct {
	// Right aligns the cells to the right.
	Right bool
	// Wide is set for a column that only the wide table prints, and that the screen
	// does not show; Bindings for one that depends on bindings, which the plain table
	// does not read.
	Wide, Bindings bool
	// Drawn is set for a column that only the screen shows, Hubs for one that only a list
	// of several hubs has.
	Drawn, Hubs bool
	// Min and Max bound the width on the screen, in cells. From is the narrowest list
	// that shows the column, BesideCause the narrowest that shows it and the cause. Max 0
	// leaves the width to the screen.
	Min, Max, From, BesideCause int
}

// CauseFrom is the narrowest list that shows the cause where WHY stands below it.
const CauseFrom = 110

// all is in the order of the screen. Wide columns come last.
var all = [...]Column{
	{
		Name: "state", OfRow: true, Head: "STATE", Text: StateAt, Timed: true, Anywhere: true,
		JSON: "state", Value: func(v *engine.RunView) any { return Script(v.Word.String()) },
		Match: func(v *engine.RunView, hit func(engine.Text) bool) bool {
			return hit(engine.Clean(v.Word.String())) || v.Slow && hit(engine.Lit("slow")) || v.Late && hit(engine.Lit("late")) || hit(v.Beside())
		},
		Compare: func(a, b *engine.RunView) int { return cmp.Compare(a.Attention(), b.Attention()) },
	},
	{
		Name: "hub", OfRow: true, Head: "HUB", Text: func(v *engine.RunView, _ time.Time) engine.Text { return v.ID.Hub().Text() },
		Match: func(v *engine.RunView, hit func(engine.Text) bool) bool {
			return hit(v.ID.Hub().Text()) || hit(v.ID.Hub().Context())
		},
		Compare: byText(func(v *engine.RunView) engine.Text { return v.ID.Hub().Text() }),
		Layout:  Layout{Hubs: true, Max: 20},
	},
	{
		Name: "run", OfRow: true, Head: "RUN", Text: func(v *engine.RunView, _ time.Time) engine.Text { return Title(v) }, Anywhere: true,
		Match:   func(v *engine.RunView, hit func(engine.Text) bool) bool { return hit(v.ID.Title()) || hit(v.ID.Name()) },
		Compare: byText(Title),
	},
	{
		Name: "placement", OfRow: true, Head: "PLACEMENT", Text: placement, Anywhere: true,
		JSON: "placement", Value: func(v *engine.RunView) any { return v.Placement.Name() },
		Match: func(v *engine.RunView, hit func(engine.Text) bool) bool {
			return hit(v.Placement.Title()) || hit(v.Placement.Name())
		},
		Compare: byText(func(v *engine.RunView) engine.Text { return v.Placement.Title() }),
	},
	{
		Name: "snapshot", Head: "SNAPSHOT", Short: "SNAP", Text: snapshot,
		JSON: "snapshotIndex", Value: func(v *engine.RunView) any { return snapshot(v, time.Time{}) },
		Compare: func(a, b *engine.RunView) int {
			return cmp.Compare(engine.ParseIndex(snapshot(a, time.Time{}).String()), engine.ParseIndex(snapshot(b, time.Time{}).String()))
		},
		Layout: Layout{Max: 6, From: 66, BesideCause: 150},
	},
	{Name: "stages", Head: "STAGES", Layout: Layout{Drawn: true}},
	{
		Name: "stage", OfRow: true, Head: "STAGE", Text: stage, Anywhere: true,
		JSON: "stage", Value: func(v *engine.RunView) any { return current(v) },
		Match:  func(v *engine.RunView, hit func(engine.Text) bool) bool { return hit(current(v)) },
		Layout: Layout{Max: 16, From: 56, BesideCause: 150},
	},
	{
		Name: "clusters", Head: "CLUSTERS", Short: "CLUS", Text: func(v *engine.RunView, _ time.Time) engine.Text { return Done(v) },
		Compare: func(a, b *engine.RunView) int {
			return cmp.Or(cmp.Compare(a.Done*max(1, b.Total), b.Done*max(1, a.Total)), cmp.Compare(a.Total, b.Total))
		},
		Layout: Layout{Right: true, Max: 9, BesideCause: 100},
	},
	{
		Name: "cause", Head: "CAUSE", Text: func(v *engine.RunView, _ time.Time) engine.Text { return Cause(v) },
		JSON: "causeText", Value: func(v *engine.RunView) any { return v.Why.Short },
		Match: func(v *engine.RunView, hit func(engine.Text) bool) bool {
			return hit(v.Why.Short) || !v.Why.Cause.IsZero() && hit(engine.Clean(v.Why.Cause.String()))
		},
		Compare: byText(Cause),
		Layout:  Layout{Bindings: true, Max: 60, From: CauseFrom},
	},
	{
		Name: "instate", Head: "IN STATE", Short: "TIME", Text: InState, Timed: true,
		JSON: "since", Value: func(v *engine.RunView) any { return v.Since },
		Compare: byAge(func(v *engine.RunView) time.Time { return v.Since }),
		Layout:  Layout{Right: true, Min: 5, Max: 5, BesideCause: 68},
	},
	{
		Name: "kind", OfRow: true, Head: "KIND", Text: func(v *engine.RunView, _ time.Time) engine.Text { return engine.Clean(v.ID.Kind().String()) },
		Layout: Layout{Wide: true},
	},
	{
		Name: "strategy", OfRow: true, Head: "STRATEGY", Text: func(v *engine.RunView, _ time.Time) engine.Text { return v.Strategy }, Anywhere: true,
		JSON: "strategy", Value: func(v *engine.RunView) any { return v.Strategy },
		Compare: byText(func(v *engine.RunView) engine.Text { return v.Strategy }),
		Layout:  Layout{Wide: true},
	},
	{
		Name: "age", OfRow: true, Head: "AGE", Text: Age, Timed: true,
		Compare: byAge(func(v *engine.RunView) time.Time { return v.Created }),
		Layout:  Layout{Wide: true},
	},
	{
		Name: "why", Head: "WHY", Text: func(v *engine.RunView, _ time.Time) engine.Text { return v.Why.What },
		JSON: "why", Value: func(v *engine.RunView) any { return v.Why.What },
		Match:  func(v *engine.RunView, hit func(engine.Text) bool) bool { return hit(v.Why.What) || hit(v.Why.Quote) },
		Layout: Layout{Wide: true},
	},
}

// All returns the columns in the order of the screen.
func All() []Column { return all[:] }

// Named returns the column of a name.
func Named(name string) (*Column, bool) {
	i := slices.IndexFunc(all[:], func(c Column) bool { return c.Name == name })
	if i < 0 {
		return nil, false
	}
	return &all[i], true
}

// HeadFor returns what stands above the column where there is little room or not.
func (c *Column) HeadFor(little bool) string {
	if little && c.Short != "" {
		return c.Short
	}
	return c.Head
}

// Hits reports whether hit holds for the column of a run. A column whose cell depends
// on the time, or is a graph, matches by Match alone.
func (c *Column) Hits(v *engine.RunView, hit func(engine.Text) bool) bool {
	switch {
	case c.Match != nil:
		return c.Match(v, hit)
	case c.Text == nil || c.Timed:
		return false
	}
	return hit(c.Text(v, time.Time{}))
}
