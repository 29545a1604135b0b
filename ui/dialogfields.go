package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/stagewatch/stagewatch/engine"
)

// fields lists what can have the focus, in order.
func (d *dialog) fields() []control {
	switch {
	case !d.intent.Typed():
		return []control{fieldCancel, fieldNote}
	case d.act == engine.ActClone:
		return []control{fieldCancel, fieldName, fieldPlacement, fieldStrategy, fieldSnapshot, fieldState, fieldNote, fieldWord}
	}
	return []control{fieldCancel, fieldNote, fieldWord}
}

// move gives the focus to another field.
func (d *dialog) move(by int) {
	all := d.fields()
	i := max(0, slices.Index(all, d.focus))
	d.focus = all[(i+by+len(all))%len(all)]
}

// onDialogText gives a key to the field that has the focus. Typing on Cancel
// types the word.
func (m *Model) onDialogText(k tea.KeyPressMsg) tea.Cmd {
	d := &m.dialog
	switch d.focus {
	case fieldNote:
		d.note.Update(k)
	case fieldName, fieldPlacement, fieldStrategy, fieldSnapshot, fieldState:
		return m.choose(k)
	case fieldCancel, fieldWord:
		if !d.intent.Typed() {
			return nil
		}
		if d.word.Update(k) {
			d.focus = fieldWord
			return m.rehearseChoice()
		}
	}
	return nil
}

// paste puts pasted text into the note. It never goes into the word that
// confirms.
func (d *dialog) paste(s string) {
	if d.step == stepAsk && d.armed && d.focus == fieldNote {
		d.note.Paste(s)
	}
}
