// Package reasons draws why a run is in its state: WHY, RECOVERY and NEXT, with the keys
// for the next step and the controller's own message.
package reasons

import (
	"strings"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/ui/cell"
	"github.com/stagewatch/stagewatch/ui/label"
	"github.com/stagewatch/stagewatch/ui/scene"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// Reasons are a diagnosis of a run, which may be that of one of its clusters.
type Reasons struct {
	Scene *scene.Scene
	Run   *engine.RunView // nil draws nothing
	Of    *engine.Diagnosis
	// Keys are those for the next step, two spans each.
	Keys cell.Spans
}

// Aged reports whether an age is part of WHY.
func (r *Reasons) Aged() bool { return r.isKept() || !r.Of.Read.Says.IsZero() }

// isKept reports whether the diagnosis is that of a view which is kept.
func (r *Reasons) isKept() bool {
	return r.Run != nil && r.Run.Kept != nil && r.Of == &r.Run.Why
}

// least is the sentence of WHY without what goes first when there is no room: the source and age of
// what a member returned. That the whole is not up to date does not go.
func (r *Reasons) least() engine.Text {
	if r.isKept() {
		return r.what()
	}
	return r.Of.What
}

// what is the sentence of WHY, with the age of what is not up to date, and the source and age of
// what a member returned.
func (r *Reasons) what() engine.Text {
	if r.isKept() {
		return engine.Textf("%s (last read %s ago).", r.Of.What.Clause(), engine.Age(r.Scene.Since(r.Run.Kept.At)))
	}
	if read := &r.Of.Read; !read.Says.IsZero() {
		return engine.Textf("%s (context %s, %s ago).", r.Of.What.Clause(), read.Context, engine.Age(r.Scene.Since(read.At)))
	}
	return r.Of.What
}

// Lines writes WHY, RECOVERY and NEXT into exactly n lines of w cells, always in this
// order and in the same place. WHY gets the room that is left.
func (r *Reasons) Lines(w, n int) []string {
	if r.Run == nil {
		return cell.Pad(nil, n)
	}
	th, loud := r.Scene.Theme, r.Run.InTrouble()
	parts := []part{
		{"WHY", label.StateStyle(r.Run), r.what()},
		{"RECOVERY", theme.Wait, r.Of.RecoveryText},
		{"NEXT", theme.Done, r.Of.Next},
	}
	if r.need(r.what(), w, n+1) > n { // the source goes before a part of a sentence
		parts[0].text = r.least()
	}
	lines, used := shorten(th, parts, w-column-1, n)
	nameRest(th, parts, lines, w-column-1)
	// The keys for the next step stand behind it, or below when it is long.
	keys := r.Keys
	if next := lines[len(lines)-1]; keysBelow(next, keys, w) {
		if used >= n {
			// The first ones, as far as they fit.
			for len(keys) > 0 && keysBelow(next, keys, w) {
				keys = keys[:len(keys)-2]
			}
		} else {
			lines[len(lines)-1] = append(next, "")
		}
	}
	var out []string
	for i, p := range parts {
		head, body := theme.Sub, theme.Text
		if loud {
			head = p.style
		}
		if i == 0 && loud {
			body = theme.Name
		}
		for j, s := range lines[i] {
			if len(out) == n {
				return out
			}
			row := beginRow(th, w, head|theme.Bold, p.label, j).Put(body, s)
			if i == len(parts)-1 && j == len(lines[i])-1 {
				if s != "" && len(keys) > 0 {
					row.Gap(2)
				}
				row.Spans(keys)
			}
			out = append(out, row.String())
		}
	}
	// Room that is left belongs to the hub's own words.
	if hub := r.quote(); !hub.IsZero() && len(out) < n {
		for j, s := range quoteHub(th, hub, w-column-1, n-len(out)) {
			out = append(out, beginRow(th, w, theme.Faint, "MESSAGE", j).Put(theme.Sub, s).String())
		}
	}
	return cell.Pad(out, n)
}

// Need is how many lines of w cells they take when none is cut, at most limit each.
func (r *Reasons) Need(w, limit int) int {
	if r.Run == nil {
		return 0
	}
	th := r.Scene.Theme
	n := r.need(r.what(), w, limit) + len(cell.Wrap(th, r.quote(), w-column-1, limit))
	if keysBelow(cell.Wrap(th, r.Of.Next, w-column-1, limit), r.Keys, w) {
		n++
	}
	return n
}

// Cut reports whether a sentence is cut in n lines of w cells.
// The source of what a member returned is no sentence.
func (r *Reasons) Cut(w, n int) bool {
	return r.need(r.least(), w, n+1) > n
}

// need is how many lines of w cells the sentences take, at most limit each.
func (r *Reasons) need(what engine.Text, w, limit int) int {
	n := 0
	for _, x := range []engine.Text{what, r.Of.RecoveryText, r.Of.Next} {
		n += len(cell.Wrap(r.Scene.Theme, x, w-column-1, limit))
	}
	return n
}

// keysBelow reports whether the keys for the next step take a line of their own below
// it.
func keysBelow(next []string, keys cell.Spans, w int) bool {
	n := len(next)
	// Two cells keep them off the sentence.
	return len(keys) > 0 && (n == 0 || cell.Width(next[n-1])+2+keys.Width() > w-column-1)
}

// column is where the texts of WHY, RECOVERY and NEXT begin.
const column = 10

// part is one of WHY, RECOVERY and NEXT.
type part struct {
	label string
	style theme.Style
	text  engine.Text
}

// shorten breaks WHY, RECOVERY and NEXT into lines of w cells, at most n together as
// long as each keeps one.
func shorten(t *theme.Theme, parts []part, w, n int) (lines [][]string, used int) {
	lines = make([][]string, len(parts))
	for i, p := range parts {
		lines[i] = cell.Wrap(t, p.text, w, n)
		used += len(lines[i])
	}
	// The longest of WHY and RECOVERY loses a line first, of equal ones the last; NEXT loses
	// one when both have two at most.
	for used > n {
		give, last := 0, len(lines)-1
		for i := range lines[:last] {
			if len(lines[i]) >= len(lines[give]) {
				give = i
			}
		}
		if len(lines[last]) > len(lines[give]) && len(lines[give]) <= 2 {
			give = last
		}
		if len(lines[give]) <= 1 {
			break
		}
		lines[give] = cell.Wrap(t, parts[give].text, w, len(lines[give])-1)
		used--
	}
	return lines, used
}

// leastNamed is the narrowest line that says which key shows what is left out of it.
const leastNamed = 48

// nameRest ends the last cause or recovery that is cut with the key that shows the rest.
func nameRest(t *theme.Theme, parts []part, lines [][]string, w int) {
	if w < leastNamed {
		return
	}
	for i := len(parts) - 2; i >= 0; i-- {
		n := len(lines[i])
		if n == 0 || len(cell.Wrap(t, parts[i].text, w, n+1)) <= n {
			continue
		}
		rest := t.Glyph.Ellipsis + " " + cell.Text(t, engine.Lit("{diagnose} shows the rest"))
		last := strings.TrimSuffix(lines[i][n-1], t.Glyph.Ellipsis)
		for at := len(last); at >= 0; at = strings.LastIndexByte(last, ' ') {
			if last = last[:at]; cell.Width(last)+cell.Width(rest) <= w {
				break
			}
		}
		lines[i][n-1] = last + rest
		return
	}
}

// beginRow begins a line of a reason; the first one has its label.
func beginRow(th *theme.Theme, w int, k theme.Style, label string, line int) *cell.Row {
	r := cell.NewRow(th, w, theme.Plain).To(1)
	if line == 0 {
		r.Put(k, label)
	}
	return r.To(column)
}

// quote is the controller's own message, unless WHY has it already.
func (r *Reasons) quote() engine.Text {
	if strings.Contains(r.Of.What.String(), r.Of.Quote.String()) {
		return engine.Text{}
	}
	return r.Of.Quote
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
