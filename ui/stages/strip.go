package stages

import (
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/ui/cell"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// Strip draws stretches of time up to a column, one cell for each slice of the
// section's time.
func Strip(th *theme.Theme, r *cell.Row, sec *page.Section, parts []page.Stretch, column int) {
	n, whole := column-r.At(), sec.To.Sub(sec.From)
	if n <= 0 || whole <= 0 {
		return
	}
	at := func(i int) time.Time { return sec.From.Add(time.Duration(float64(whole) * float64(i) / float64(n))) }
	for i := range n {
		from, to := at(i), at(i+1)
		seen := engine.RoleText
		for _, p := range parts {
			if p.From.Before(to) && p.To.After(from) && stripRank(p.Role) > stripRank(seen) {
				seen = p.Role
			}
		}
		s, k := StripMark(th, seen)
		r.Put(k, s)
	}
}

// stripRank says which of two stretches is seen.
func stripRank(r engine.Role) int {
	switch r {
	case engine.RoleBad:
		return 5
	case engine.RoleBusy:
		return 4
	case engine.RoleGood:
		return 3
	case engine.RoleAsk:
		return 2
	case engine.RoleWait:
		return 1
	}
	return 0
}

// StripMark is glyph and style of a slice of time.
func StripMark(t *theme.Theme, r engine.Role) (string, theme.Style) {
	g := &t.Glyph
	switch r {
	case engine.RoleBad:
		return g.LineBad, theme.Bad
	case engine.RoleBusy:
		return g.LineBusy, theme.Busy
	case engine.RoleGood:
		return g.LineDone, theme.Done
	case engine.RoleAsk:
		return g.GateOpen, theme.Ask
	case engine.RoleWait:
		return g.WaitComing, theme.Wait
	}
	return g.LineNone, theme.Faint
}
