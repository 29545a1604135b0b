package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/keymap"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// gate names an approval of a run. A run or request that was made anew under
// its name is another one.
type gate struct{ run, request engine.ID }

// marksOf reports whether rows of a page can be marked: approvals can.
func (s *sheet) marksOf() bool { return s.question.Kind == engine.QuestionInbox }

// gateOf is the approval that a row of the inbox is about.
func gateOf(r *engine.Row) gate { return gate{r.Run, r.Object} }

// markRow marks the approval under the cursor, or takes its mark away, and goes
// on to the next.
func (m *Model) markRow(s *sheet) {
	r := s.row()
	if r == nil || r.Run.IsZero() {
		return
	}
	if r.Object.IsZero() {
		m.say(theme.Wait, engine.Lit("This approval is not requested yet: it cannot be marked."))
		return
	}
	marks := make(map[gate]bool, len(s.marks)+1)
	for g := range s.marks {
		marks[g] = true
	}
	if g := gateOf(r); marks[g] {
		delete(marks, g)
	} else {
		marks[g] = true
	}
	s.marks = marks
	s.step(1, m.sheetRows())
	if n := len(marks); n > 0 {
		m.say(theme.Text, engine.Textf("%s marked: A approves them in one dialog; esc clears the marks.", engine.Count(n, "approval")))
	}
}

// actOnSheet asks for an act on what a page is about: the marked approvals, else
// the run of the row under the cursor.
func (m *Model) actOnSheet(a keymap.Action) tea.Cmd {
	s := m.sheet()
	act := writers[a]
	if len(s.marks) > 0 {
		if act != engine.ActApprove {
			m.say(theme.Wait, engine.Textf("Cannot %s: marks on this page are for A; esc clears them.", engine.Clean(act.String())))
			return nil
		}
		return m.openTargets(act, s.marked())
	}
	id := m.target()
	if id.IsZero() {
		return nil
	}
	if r := s.row(); act == engine.ActApprove && s.marksOf() && r != nil && !r.Run.IsZero() {
		if i, no := m.propose(m.snap, act, id, m.hubNow()); !no.Refused() && i.Target != r.Object {
			m.say(theme.Wait, refusalText(act, another(i)))
			return nil
		}
	}
	if act == engine.ActClone {
		return m.openDialogBy(act, id, s.strategy())
	}
	return m.openDialogOn(act, id)
}

// strategy is the one that the page or its row imagines a run by; empty when it
// imagines none.
func (s *sheet) strategy() engine.Text {
	if r := s.row(); r != nil && !r.Page.Strategy.IsZero() {
		return r.Page.Strategy
	}
	return s.question.Strategy
}

// another refuses to give another approval than the one that was chosen.
func another(i engine.Intent) engine.Refusal {
	return engine.Refusal{Why: engine.Textf("its run waits for another approval now, %s", i.Target.Title()), Hint: engine.Lit("select that one")}
}

// marked lists what is marked, in the order of the page; what is no longer on it
// comes last and is refused by the guard.
func (s *sheet) marked() []target {
	var out []target
	seen := make(map[gate]bool, len(s.marks))
	for i := range s.rows {
		if g := gateOf(s.rows[i].row); s.marks[g] && !seen[g] {
			seen[g] = true
			out = append(out, target{run: g.run, only: g.request})
		}
	}
	var gone []target
	for g := range s.marks {
		if !seen[g] {
			gone = append(gone, target{run: g.run, only: g.request})
		}
	}
	slices.SortFunc(gone, func(a, b target) int { return a.only.Compare(b.only) })
	return append(out, gone...)
}
