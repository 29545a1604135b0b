package ui

import (
	"strconv"
	"strings"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/ui/cell"
	"github.com/stagewatch/stagewatch/ui/label"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// reasons are those of the cluster under the cursor of an opened run when it
// has its own, else the run's.
func (m *Model) reasons(v *engine.RunView) *engine.Diagnosis {
	if m.screen == screenRun {
		if c := m.run.current(); c != nil && !c.Why.IsZero() && !c.Diagnosis.What.IsZero() && c.Member != v.Why.Member {
			return &c.Diagnosis
		}
	}
	return &v.Why
}

// what is the sentence of the reasons, with the source and age of what a member
// returned.
func (m *Model) what(d *engine.Diagnosis) engine.Text {
	if r := &d.Read; !r.Says.IsZero() {
		return engine.Textf("%s (context %s, %s ago)", d.What, r.Context, engine.Clean(cell.Short(m.scene.Since(r.At))))
	}
	return d.What
}

// whyView writes WHY, RECOVERY and NEXT into exactly n lines, always in this order
// and in the same place. WHY gets the room that is left.
func (m *Model) whyView(out []string, v *engine.RunView, n int) []string {
	th, w := m.scene.Theme, m.look.w
	end := len(out) + n
	if v == nil {
		return cell.Pad(out, end)
	}
	d := m.reasons(v)
	loud := v.Ails()
	parts := []reason{
		{"WHY", label.StateStyle(v), m.what(d)},
		{"RECOVERY", theme.Wait, d.Heal},
		{"NEXT", theme.Done, d.Next},
	}
	lines, used := shortenReasons(th, parts, w-reasonColumn-1, n)
	// The keys for the next step stand behind it, or below when it is long.
	leads := m.leadSpans(d)
	if next := lines[len(lines)-1]; m.leadsBelow(next, leads) {
		if used >= n {
			// The first ones, as far as they fit.
			for len(leads) > 0 && m.leadsBelow(next, leads) {
				leads = leads[:len(leads)-2]
			}
		} else {
			lines[len(lines)-1] = append(next, "")
		}
	}
	for i, p := range parts {
		label, body := theme.Sub, theme.Text
		if loud {
			label = p.k
		}
		if i == 0 && loud {
			body = theme.Name
		}
		for j, s := range lines[i] {
			if len(out) == end {
				return out
			}
			r := reasonRow(th, w, label|theme.Bold, p.label, j).Put(body, s)
			if i == len(parts)-1 && j == len(lines[i])-1 {
				putLeads(r, s != "", leads)
			}
			out = append(out, r.String())
		}
	}
	// Room that is left belongs to the hub's own words.
	if hub := hubWords(d); !hub.IsZero() && len(out) < end {
		for j, s := range quoteHub(th, hub, w-reasonColumn-1, end-len(out)) {
			out = append(out, reasonRow(th, w, theme.Faint, "HUB", j).Put(theme.Sub, s).String())
		}
	}
	return cell.Pad(out, end)
}

// reasonColumn is where the texts of WHY, RECOVERY and NEXT begin.
const reasonColumn = 10

// reason is one of WHY, RECOVERY and NEXT.
type reason struct {
	label string
	k     theme.Style
	x     engine.Text
}

// shortenReasons breaks WHY, RECOVERY and NEXT into lines of w cells, at most n together as
// long as each keeps one.
func shortenReasons(t *theme.Theme, parts []reason, w, n int) (lines [][]string, used int) {
	const recovery = 1
	lines = make([][]string, len(parts))
	for i, p := range parts {
		lines[i] = cell.Wrap(t, p.x, w, n)
		used += len(lines[i])
	}
	// RECOVERY gives way first, then the longest sentence, line by line; none goes
	// while another has two lines.
	for used > n {
		give := 0
		for i := range lines {
			if len(lines[i]) >= len(lines[give]) {
				give = i
			}
		}
		if len(lines[recovery]) > 1 {
			give = recovery
		}
		if len(lines[give]) <= 1 {
			break
		}
		lines[give] = cell.Wrap(t, parts[give].x, w, len(lines[give])-1)
		used--
	}
	return lines, used
}

// reasonRow begins a line of a reason; the first one has its label.
func reasonRow(th *theme.Theme, w int, k theme.Style, label string, line int) *cell.Row {
	r := cell.NewRow(th, w, theme.Plain).To(1)
	if line == 0 {
		r.Put(k, label)
	}
	return r.To(reasonColumn)
}

// putLeads writes the keys for the next step, behind its words if there are any.
func putLeads(r *cell.Row, behind bool, leads cell.Spans) {
	if behind && len(leads) > 0 {
		r.Gap(2)
	}
	r.Spans(leads)
}

// hubWords are the hub's own words, unless WHY has them already.
func hubWords(d *engine.Diagnosis) engine.Text {
	if strings.Contains(d.What.String(), d.Quote.String()) {
		return engine.Text{}
	}
	return d.Quote
}

// quoteHub wraps what the hub says. Where it is too long, what it begins with goes
// first: upstream puts one "failed to ...: " before another, and the reason last.
func quoteHub(t *theme.Theme, x engine.Text, n, limit int) []string {
	lines := cell.Wrap(t, x, n, limit+1)
	if len(lines) <= limit {
		return lines
	}
	for rest := cell.Text(t, x); ; {
		_, after, more := strings.Cut(rest, ": ")
		if !more {
			if rest == cell.Text(t, x) {
				return cell.Wrap(t, x, n, limit)
			}
			return cell.WrapString(t, t.Glyph.Ellipsis+" "+rest, n, limit)
		}
		rest = after
		if lines := cell.WrapString(t, t.Glyph.Ellipsis+" "+rest, n, limit+1); len(lines) <= limit {
			return lines
		}
	}
}

// whyNeed is how many lines the reasons of a run take when none is cut.
func (m *Model) whyNeed(v *engine.RunView) int {
	n, d := 0, m.reasons(v)
	for _, x := range []engine.Text{m.what(d), d.Heal, d.Next, hubWords(d)} {
		n += len(cell.Wrap(m.scene.Theme, x, m.look.w-reasonColumn-1, m.look.h))
	}
	if m.leadsBelow(cell.Wrap(m.scene.Theme, d.Next, m.look.w-reasonColumn-1, m.look.h), m.leadSpans(d)) {
		n++
	}
	return n
}

// leadsBelow reports whether the keys for the next step take a line of their
// own below it.
func (m *Model) leadsBelow(next []string, leads cell.Spans) bool {
	n := len(next)
	// Two cells keep them off the sentence.
	return len(leads) > 0 && (n == 0 || cell.Width(next[n-1])+2+leads.Width() > m.look.w-reasonColumn-1)
}

// divider is the line above WHY: what it is about, and how many runs of the
// list are not on screen.
func (m *Model) divider(v *engine.RunView) string {
	th, w, below := m.scene.Theme, m.look.w, ""
	if l := &m.runs.list; len(l.Keys) > l.H {
		below = " " + strconv.Itoa(min(len(l.Keys), l.Top+l.H)) + "/" + strconv.Itoa(len(l.Keys)) + " "
	}
	r := cell.NewRow(th, w, theme.Plain).Fill(theme.Faint, th.Glyph.Rule, 2)
	if v != nil {
		r.To(3).Put(theme.Name|theme.Bold, cell.CutTitle(th, cell.Text(th, label.Title(v)), max(10, w/2))).Put(theme.Sub, "  ")
		body := cell.NewRow(th, w-r.At()-2-cell.Width(below), theme.Plain)
		m.about(body, v)
		r.Join(body)
		r.Gap(1)
	}
	r.Fill(theme.Faint, th.Glyph.Rule, w-cell.Width(below))
	if below != "" {
		r.Put(theme.Sub, below)
	}
	return r.String()
}
