package ui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/stagewatch/stagewatch/engine"
)

// choose changes what a clone shall be: the name is typed, the others turn with
// any key that moves or marks.
func (m *Model) choose(k tea.KeyPressMsg) {
	d := &m.dialog
	c := d.choice
	switch d.focus {
	case fieldName:
		c.Name = engine.Clean(typed(c.Name.String(), k))
	case fieldSnapshot:
		c.Same = turned(c.Same, k)
	case fieldState:
		c.Start = turned(c.Start, k)
	case fieldCancel, fieldNote, fieldWord:
	}
	if c == d.choice {
		return
	}
	d.choice, d.word = c, ""
	d.check = rehearsal{owed: true}
	if c.Name.IsZero() {
		d.refusal = engine.Refusal{Why: engine.Lit("The new run needs a name.")}
		return
	}
	intent, no := m.again()
	if d.refusal = no; !no.Refused() {
		d.intent = intent
	}
}

// turned turns a choice of two.
func turned(was bool, k tea.KeyPressMsg) bool {
	switch k.String() {
	case "space", "left", "right":
		return !was
	}
	return was
}

// dialogChoice draws what can be chosen about a clone.
func (m *Model) dialogChoice(b *dialogBody) {
	d := &m.dialog
	m.dialogField(b, 0, "new name", d.choice.Name.String(), d.focus == fieldName, "")
	m.dialogTurn(b, "snapshot", d.focus == fieldSnapshot, d.choice.Same, "newest", "same as this run")
	m.dialogTurn(b, "state", d.focus == fieldState, d.choice.Start, "Initialize: wait for R", "Run: start by itself")
}

// dialogTurn draws a choice of two.
func (m *Model) dialogTurn(b *dialogBody, label string, focus, second bool, one, two string) {
	th := m.look.th
	r := newRow(th, b.w, groundNone)
	k, ko, kt := inkSub, inkName|bold, inkFaint
	if focus {
		k = inkKey | bold
	}
	mo, mt := "(*) ", "( ) "
	if second {
		ko, kt, mo, mt = kt, ko, mt, mo
	}
	r.put(k, label).to(dialogLabel+1).put(ko, mo+one).put(inkText, "   ").put(kt, mt+two)
	if focus {
		r.put(inkSub, "   space turns")
	}
	b.row(0, r)
}

// follows is the run whose way the dialog shows after sending.
func (d *dialog) follows() engine.ID {
	if d.act == engine.ActClone && !d.outcome.Made.IsZero() {
		return d.outcome.Made
	}
	return d.run
}

// retires reports whether the dialog offers to delete the run that was cloned.
func (d *dialog) retires() bool {
	return d.step == stepDone && d.act == engine.ActClone && d.outcome.Result == engine.ResultApplied
}
