package ui

import (
	"strconv"
	"strings"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// failing says what to call manifests that are not fine: on a cluster that is
// on its way they are merely not ready.
func failing(c *engine.ClusterView) (theme.Style, string) {
	if inTrouble(c) {
		return theme.Bad, "failing"
	}
	return theme.Busy, "not ready"
}

// cardDivider is the line above what is known of the cluster.
func (m *Model) cardDivider() string {
	th, w, p := m.look.th, m.look.w, m.run
	r := newRow(th, w, theme.Plain).fill(theme.Faint, th.Glyph.Rule, 2).to(3)
	if len(p.view.Stages) > p.stage {
		s := &p.view.Stages[p.stage]
		name := cellText(th, s.Name)
		if s.Deletion {
			name = "cleanup"
		}
		r.put(theme.Text, name)
		if n := len(p.rows); n > p.list.h {
			r.put(theme.Sub, " "+strconv.Itoa(p.list.idx+1)+" of "+strconv.Itoa(n))
		}
		r.put(theme.Sub, " "+th.Glyph.Crumb+" ")
	}
	if c := p.current(); c != nil {
		r.put(theme.Name|theme.Bold, cellText(th, c.Name))
		if !c.TakenBy.IsZero() {
			r.put(theme.Bad, "  taken by ").text(theme.Bad|theme.Bold, c.TakenBy.Title()).put(theme.Sub, "  f goes there")
		}
		switch {
		case !c.Foreign.IsZero():
			r.put(theme.Sub, "  now ").text(theme.Text, c.Foreign)
			if !p.view.Index.IsZero() {
				r.put(theme.Sub, " (this run: ").text(theme.Sub, p.view.Index).put(theme.Sub, ")")
			}
		case c.Bound && !c.Index.IsZero():
			r.put(theme.Sub, "  binding at snapshot ").text(theme.Text, c.Index)
			if !p.view.Index.IsZero() && c.Index != p.view.Index {
				r.put(theme.Wait, " (this run: ").text(theme.Wait, p.view.Index).put(theme.Wait, ")")
			}
		}
		if n := len(c.Failing) + c.FailingMore; n > 0 && c.Bound {
			k, words := failing(c)
			r.put(k, "  "+plural(n, "manifest")+" "+words)
		}
		if c.Drifted > 0 && c.Bound {
			r.put(theme.Wait, "  "+strconv.Itoa(c.Drifted)+" drifted")
		}
		if c.Differing > 0 && c.Bound {
			r.put(theme.Wait, "  "+strconv.Itoa(c.Differing)+" differing")
		}
	} else {
		r.text(theme.Name|theme.Bold, p.view.ID.Title())
	}
	if d := p.detail; d != nil && d.Bindings.State != engine.CoverComplete {
		r.put(theme.Wait, "  bindings: "+d.Bindings.State.String()).text(theme.Sub, pre(d.Bindings.Why))
	}
	return r.gap(1).fill(theme.Faint, th.Glyph.Rule, w).String()
}

// pre puts a separator before a reason that is there.
func pre(x engine.Text) engine.Text {
	if x.IsZero() {
		return x
	}
	return engine.Textf(", %s", x)
}

var rungNames = [...]engine.Text{
	engine.Lit("RolloutStarted"), engine.Lit("Overridden"), engine.Lit("WorkSynchronized"), engine.Lit("Applied"), engine.Lit("Available"),
}

// cardView writes the ladder of the cluster under the cursor with times and
// reasons, and its failing manifests beside it, into exactly n lines.
func (m *Model) cardView(out []string, n int) []string {
	th, w, c := m.look.th, m.look.w, m.run.current()
	end := len(out) + n
	if c == nil || !c.Bound {
		return padLines(out, end)
	}
	if !c.Foreign.IsZero() {
		for _, l := range wrapText(th, engine.Textf("Now %s. These are not the conditions of this run; c lists them.", c.Foreign), w-2, n) {
			out = append(out, newRow(th, w, theme.Plain).to(1).put(theme.Sub, l).String())
		}
		return padLines(out, end)
	}
	half := w
	if len(c.Failing) > 0 && w >= 110 {
		half = min(w/2, 58)
	}
	for i, g := range rungs(c.Ladder) {
		if len(out) == end {
			break
		}
		name := rungNames[i]
		if c.Ladder.ReportDiff && i == 3 {
			name = engine.Lit("DiffReported")
		} else if c.Ladder.ReportDiff && i == 4 {
			break
		}
		left := newRow(th, half-1, theme.Plain).to(1)
		s, k := rungMark(th, g, c)
		left.put(k, s+" ").col(theme.Sub, cellText(th, name), 17)
		when := ""
		if !g.Since.IsZero() {
			when = clock(g.Since, m.hubNow())
		}
		left.col(theme.Faint, when, 13).text(theme.Text, g.Reason)
		if !g.Why.IsZero() && g.State != engine.RungTrue && left.left() > 16 {
			left.put(theme.Sub, "  ").text(theme.Sub, g.Why)
		}
		r := newRow(th, w, theme.Plain)
		r.join(left.to(half - 1))
		if half < w {
			r.to(half + 1)
			if i == 0 {
				_, words := failing(c)
				r.put(theme.Faint, "MANIFESTS "+strings.ToUpper(words))
			} else if i-1 < len(c.Failing) {
				f := c.Failing[i-1]
				fk, _ := failing(c)
				r.put(fk, th.Glyph.No+" ").text(theme.Name, f.What).put(theme.Sub, "  ").text(theme.Text, f.Reason)
				if !f.Since.IsZero() {
					r.put(theme.Sub, " "+short(m.since(f.Since)))
				}
				r.put(theme.Sub, "  ").text(theme.Sub, f.Why)
			}
		}
		out = append(out, r.String())
	}
	if rest := len(c.Failing) + c.FailingMore - 4; half < w && rest > 0 && len(out) < end {
		out = append(out, newRow(th, w, theme.Plain).to(half+1).put(theme.Sub, "and "+strconv.Itoa(rest)+" more").String())
	}
	return padLines(out, end)
}
