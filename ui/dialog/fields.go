package dialog

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/stagewatch/stagewatch/keymap"

	"github.com/stagewatch/stagewatch/engine"
)

// fields lists what can have the focus, in order.
func (d *Dialog) fields() []Control {
	switch {
	case !d.intent.Typed():
		return []Control{Cancel, Note}
	case d.act == engine.ActClone:
		return []Control{Cancel, Name, Placement, Strategy, Snapshot, State, Note, Word}
	}
	return []Control{Cancel, Note, Word}
}

// move gives the focus to another field.
func (d *Dialog) move(by int) {
	all := d.fields()
	i := max(0, slices.Index(all, d.focus))
	d.focus = all[(i+by+len(all))%len(all)]
}

// onText gives a key to the field that has the focus. Typing on Cancel
// types the word.
func (d *Dialog) onText(k tea.KeyPressMsg, a keymap.Action) tea.Cmd {
	switch d.focus {
	case Note:
		d.note.Update(k)
	case Name, Placement, Strategy, Snapshot, State:
		return d.choose(k, a)
	case Cancel, Word:
		if !d.intent.Typed() {
			return nil
		}
		if d.word.Update(k) {
			d.focus = Word
			return d.checkChoice()
		}
	}
	return nil
}

// paste puts pasted text into the note. It never goes into the word that
// confirms.
func (d *Dialog) paste(s string) {
	if d.step == StepAsk && d.armed && d.focus == Note {
		d.note.Paste(s)
	}
}
