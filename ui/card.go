package ui

import (
	"strconv"
	"strings"

	"github.com/stagewatch/stagewatch/engine"
)

// failing says what to call manifests that are not fine: on a cluster that is
// on its way they are merely not ready.
func failing(c *engine.ClusterView) (ink, string) {
	if inTrouble(c) {
		return inkBad, "failing"
	}
	return inkBusy, "not ready"
}

// cardDivider is the line above what is known of the cluster.
func (m *Model) cardDivider() string {
	th, w, p := m.look.th, m.look.w, m.run
	r := newRow(th, w, groundNone).fill(inkFaint, th.glyph.rule, 2).to(3)
	if len(p.view.Stages) > p.stage {
		s := &p.view.Stages[p.stage]
		name := th.cells(s.Name)
		if s.Deletion {
			name = "cleanup"
		}
		r.put(inkText, name)
		if n := len(p.rows); n > p.list.h {
			r.put(inkSub, " "+strconv.Itoa(p.list.idx+1)+" of "+strconv.Itoa(n))
		}
		r.put(inkSub, " "+th.glyph.crumb+" ")
	}
	if c := p.current(); c != nil {
		r.put(inkName|bold, th.cells(c.Name))
		if !c.TakenBy.IsZero() {
			r.put(inkBad, "  taken by ").text(inkBad|bold, c.TakenBy.Title()).put(inkSub, "  f goes there")
		}
		switch {
		case !c.Foreign.IsZero():
			r.put(inkSub, "  now ").text(inkText, c.Foreign)
			if !p.view.Index.IsZero() {
				r.put(inkSub, " (this run: ").text(inkSub, p.view.Index).put(inkSub, ")")
			}
		case c.Bound && !c.Index.IsZero():
			r.put(inkSub, "  binding at snapshot ").text(inkText, c.Index)
			if !p.view.Index.IsZero() && c.Index != p.view.Index {
				r.put(inkWait, " (this run: ").text(inkWait, p.view.Index).put(inkWait, ")")
			}
		}
		if n := len(c.Failing) + c.FailingMore; n > 0 && c.Bound {
			k, words := failing(c)
			r.put(k, "  "+plural(n, "manifest")+" "+words)
		}
		if c.Drifted > 0 && c.Bound {
			r.put(inkWait, "  "+strconv.Itoa(c.Drifted)+" drifted")
		}
		if c.Differing > 0 && c.Bound {
			r.put(inkWait, "  "+strconv.Itoa(c.Differing)+" differing")
		}
	} else {
		r.text(inkName|bold, p.view.ID.Title())
	}
	if d := p.detail; d != nil && d.Bindings.State != engine.CoverComplete {
		r.put(inkWait, "  bindings: "+d.Bindings.State.String()).text(inkSub, pre(d.Bindings.Why))
	}
	return r.gap(1).fill(inkFaint, th.glyph.rule, w).String()
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
		for _, l := range th.wrap(engine.Textf("Now %s. These are not the conditions of this run; c lists them.", c.Foreign), w-2, n) {
			out = append(out, newRow(th, w, groundNone).to(1).put(inkSub, l).String())
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
		left := newRow(th, half-1, groundNone).to(1)
		s, k := th.rungMark(g, c)
		left.put(k, s+" ").col(inkSub, th.cells(name), 17)
		when := ""
		if !g.Since.IsZero() {
			when = clock(g.Since, m.hubNow())
		}
		left.col(inkFaint, when, 13).text(inkText, g.Reason)
		if !g.Why.IsZero() && g.State != engine.RungTrue && left.left() > 16 {
			left.put(inkSub, "  ").text(inkSub, g.Why)
		}
		r := newRow(th, w, groundNone)
		r.join(left.to(half - 1))
		if half < w {
			r.to(half + 1)
			if i == 0 {
				_, words := failing(c)
				r.put(inkFaint, "MANIFESTS "+strings.ToUpper(words))
			} else if i-1 < len(c.Failing) {
				f := c.Failing[i-1]
				fk, _ := failing(c)
				r.put(fk, th.glyph.no+" ").text(inkName, f.What).put(inkSub, "  ").text(inkText, f.Reason)
				if !f.Since.IsZero() {
					r.put(inkSub, " "+short(m.since(f.Since)))
				}
				r.put(inkSub, "  ").text(inkSub, f.Why)
			}
		}
		out = append(out, r.String())
	}
	if rest := len(c.Failing) + c.FailingMore - 4; half < w && rest > 0 && len(out) < end {
		out = append(out, newRow(th, w, groundNone).to(half+1).put(inkSub, "and "+strconv.Itoa(rest)+" more").String())
	}
	return padLines(out, end)
}
