package label

import (
	"strings"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/ui/cell"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// About writes what a run rolls out: placement, snapshot, strategy.
func About(th *theme.Theme, r *cell.Row, v *engine.RunView, now time.Time) {
	sep := " " + th.Glyph.Dot + " "
	first, full := true, false
	part := func(label string, x engine.Text) {
		// A part that has room for its beginning only says nothing.
		if full = full || !first && r.Left() < cell.Width(sep)+cell.Width(label)+1+min(8, cell.Width(cell.Text(th, x))); full || x.IsZero() {
			return
		}
		if !first {
			r.Put(theme.Sub, sep)
		}
		first = false
		r.Put(theme.Sub, label+" ").Text(theme.Text, x)
	}
	if !v.Placement.IsZero() {
		name := v.Placement.Title()
		if !v.Placement.Namespace().IsZero() {
			name = v.Placement.Name() // the run's name before it has the namespace
		}
		part(strings.ToUpper(v.Placement.Kind().Short()), name)
	}
	if v.Index.IsZero() {
		part("requests snapshot", v.IndexAsked)
	} else {
		part("snapshot", v.Index)
	}
	part("strategy", v.Strategy)
	if !v.Started.IsZero() {
		part("started", engine.Textf("%s UTC", engine.Time(v.Started, now)))
	}
}
