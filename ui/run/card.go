package run

import (
	"slices"
	"strconv"
	"strings"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/ui/cell"
	"github.com/stagewatch/stagewatch/ui/label"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// failing says what to call manifests that are not fine: on a cluster that is
// on its way they are merely not ready.
func failing(c *engine.ClusterView) (theme.Style, string) {
	if c != nil && InTrouble(c) {
		return theme.Bad, "failing"
	}
	return theme.Busy, "not ready"
}

// filterWidth is how many cells of a filter are shown at most.
const filterWidth = 24

// cardDivider is the line above what is known of the cluster.
func (p *Pane) cardDivider() string {
	th, w := p.scene.Theme, p.w
	r := cell.NewRow(th, w, theme.Plain).Fill(theme.Faint, th.Glyph.Rule, 2).To(3)
	if len(p.view.Stages) > p.stage {
		s := &p.view.Stages[p.stage]
		name := cell.Text(th, s.Name)
		if s.Deletion {
			name = "deletion"
		}
		r.Put(theme.Text, name)
		if n := len(p.rows); n > p.list.H {
			r.Put(theme.Sub, " "+strconv.Itoa(p.list.Idx+1)+" of "+strconv.Itoa(n))
		}
		if p.filter.On() {
			r.Put(theme.Sub, " filter ").Put(theme.Key|theme.Bold, cell.CutMiddle(th, cell.Text(th, engine.Clean(p.filter.Text)), min(filterWidth, w/4)))
		}
		if p.problems {
			r.Put(theme.Sub, " only problems")
		}
		r.Put(theme.Sub, " "+th.Glyph.Crumb+" ")
	}
	if c := p.Cluster(); c != nil {
		r.Put(theme.Name|theme.Bold, cell.Text(th, c.Name))
	} else {
		r.Text(theme.Name|theme.Bold, p.view.ID.Title())
	}
	for _, part := range fitting(p.cardParts(), r.Left()) {
		r.Spans(part.spans)
	}
	return r.Gap(1).Fill(theme.Faint, th.Glyph.Rule, w).String()
}

// cardPart is a part of the divider, with the blanks before it.
type cardPart struct {
	spans cell.Spans
	rank  int // of two parts, the one with the higher rank is dropped first
}

// fitting are the parts that n cells have room for. One is shown whole or not at all, unless it is
// the only one.
func fitting(parts []cardPart, n int) []cardPart {
	for len(parts) > 1 {
		sum, last := 0, 0
		for i, part := range parts {
			if sum += part.spans.Width(); part.rank >= parts[last].rank {
				last = i
			}
		}
		if sum <= n {
			break
		}
		parts = slices.Delete(parts, last, last+1)
	}
	return parts
}

// cardParts says in the divider what is known of the cluster.
func (p *Pane) cardParts() (out []cardPart) {
	th := p.scene.Theme
	add := func(rank int, spans ...cell.Span) { out = append(out, cardPart{spans, rank}) }
	text := func(k theme.Style, x engine.Text) cell.Span { return cell.Span{Style: k, Text: cell.Text(th, x)} }
	if c := p.Cluster(); c != nil {
		if !c.PreemptedBy.IsZero() {
			add(0, cell.Span{Style: theme.Bad, Text: "  preempted by "}, text(theme.Bad|theme.Bold, c.PreemptedBy.Title()))
			add(6, cell.Span{Style: theme.Sub, Text: "  " + th.Key("follow") + " opens it"})
		}
		switch index, other := p.view.Index, !p.view.Index.IsZero() && c.Index != p.view.Index; {
		case !c.Foreign.IsZero():
			add(2, cell.Span{Style: theme.Sub, Text: "  now "}, text(theme.Text, c.Foreign))
			if !index.IsZero() {
				add(5, text(theme.Sub, engine.Textf(" (this run: %s)", index)))
			}
		case c.Bound && !c.Index.IsZero() && other:
			add(2, cell.Span{Style: theme.Sub, Text: "  binding at snapshot "}, text(theme.Text, c.Index), text(theme.Wait, engine.Textf(" (this run: %s)", index)))
		case c.Bound && !c.Index.IsZero():
			add(5, cell.Span{Style: theme.Sub, Text: "  binding at snapshot "}, text(theme.Text, c.Index))
		}
		if n := len(c.Failing) + c.FailingMore; n > 0 && c.Bound {
			k, what := failing(c)
			add(1, cell.Span{Style: k, Text: "  " + label.Plural(n, "manifest") + " " + what})
		}
		if c.Drifted > 0 && c.Bound {
			add(3, cell.Span{Style: theme.Wait, Text: "  " + strconv.Itoa(c.Drifted) + " drifted"})
		}
		if c.Differing > 0 && c.Bound {
			add(3, cell.Span{Style: theme.Wait, Text: "  " + strconv.Itoa(c.Differing) + " differing"})
		}
	}
	if d := p.detail; d != nil && d.Bindings.State != engine.CoverComplete {
		add(1, cell.Span{Style: theme.Wait, Text: "  bindings: " + d.Bindings.State.String()})
		if !d.Bindings.Why.IsZero() {
			add(4, text(theme.Sub, pre(d.Bindings.Why)))
		}
	}
	return out
}

// pre puts a separator before a reason that is there.
func pre(x engine.Text) engine.Text {
	if x.IsZero() {
		return x
	}
	return engine.Textf(", %s", x)
}

var conditionNames = [...]engine.Text{
	engine.Lit("RolloutStarted"), engine.Lit("Overridden"), engine.Lit("WorkSynchronized"), engine.Lit("Applied"), engine.Lit("Available"),
}

// cardBeside is the width from which manifests stand beside the conditions.
const cardBeside = 110

// cardLines writes the conditions of the cluster under the cursor with times and
// reasons, and its failing manifests beside it, into exactly n lines.
func (p *Pane) cardLines(n int) []string {
	th, w, c := p.scene.Theme, p.w, p.Cluster()
	var out []string
	if c == nil || !c.Bound {
		return cell.Pad(out, n)
	}
	if !c.Foreign.IsZero() {
		for _, l := range cell.Wrap(th, engine.Textf("Now %s. These are not the conditions of this run; {cluster} lists them.", c.Foreign), w-2, n) {
			out = append(out, cell.NewRow(th, w, theme.Plain).To(1).Put(theme.Sub, l).String())
		}
		return cell.Pad(out, n)
	}
	half := w
	if len(c.Failing) > 0 && w >= cardBeside {
		half = min(w/2, 58)
	}
	for i, g := range conditions(c.BindingConditions) {
		if len(out) == n {
			break
		}
		name := conditionNames[i]
		if c.BindingConditions.ReportDiff && i == 3 {
			name = engine.Lit("DiffReported")
		} else if c.BindingConditions.ReportDiff && i == 4 {
			break
		}
		left := cell.NewRow(th, half-1, theme.Plain).To(1)
		s, k := conditionMark(th, g, c)
		left.Put(k, s+" ").Col(theme.Sub, cell.Text(th, name), 17)
		when := ""
		if !g.Since.IsZero() {
			when = engine.Time(g.Since, p.scene.HubNow()).String()
		}
		left.Col(theme.Faint, when, 13).Text(theme.Text, g.Reason)
		var below []string
		switch says := !g.Why.IsZero() && g.State != engine.BindingConditionTrue; {
		case !says:
		case p.part != Alone && cell.Width(cell.Text(th, g.Why)) > left.Left()-2:
			below = cell.Wrap(th, g.Why, half-6, longText)
		case left.Left() > 16:
			left.Put(theme.Sub, "  ").Text(theme.Sub, g.Why)
		}
		r := cell.NewRow(th, w, theme.Plain)
		r.Join(left.To(half - 1))
		if half < w {
			r.To(half + 1)
			if i == 0 {
				_, what := failing(c)
				r.Put(theme.Faint, "MANIFESTS "+strings.ToUpper(what))
			} else if i-1 < len(c.Failing) {
				f := c.Failing[i-1]
				fk, _ := failing(c)
				r.Put(fk, th.Glyph.No+" ").Text(theme.Name, f.What).Put(theme.Sub, "  ").Text(theme.Text, f.Reason)
				if !f.Since.IsZero() {
					r.Put(theme.Sub, " "+engine.Age(p.scene.Since(f.Since)).String())
				}
				r.Put(theme.Sub, "  ").Text(theme.Sub, f.Why)
			}
		}
		out = append(out, r.String())
		for _, l := range below[:min(len(below), n-len(out))] {
			out = append(out, cell.NewRow(th, w, theme.Plain).To(4).Put(theme.Sub, l).String())
		}
	}
	if rest := len(c.Failing) + c.FailingMore - 4; half < w && rest > 0 && len(out) < n {
		out = append(out, cell.NewRow(th, w, theme.Plain).To(half+1).Put(theme.Sub, "and "+strconv.Itoa(rest)+" more").String())
	}
	return cell.Pad(out, n)
}
