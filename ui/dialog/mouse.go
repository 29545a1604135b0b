package dialog

import (
	tea "charm.land/bubbletea/v2"

	"github.com/stagewatch/stagewatch/engine"
)

// wheelLines is how far one notch of the wheel scrolls.
const wheelLines = 3

// spotKind is what stands at a place of a line.
type spotKind uint8

const (
	spotNone    spotKind = iota
	spotCancel           // closes the dialog
	spotField            // takes the focus: control
	spotConfirm          // would confirm
	spotInput            // where the cursor of a field is
)

// spot is a stretch of a line and what stands there.
type spot struct {
	from, to int // from column, to before column
	kind     spotKind
	control  Control
}

// onClick moves the focus, or cancels. A click counts as a key: a dialog that waits for
// quiet waits for longer. It never confirms: a hand that slips must not approve, so
// what confirms is typed.
func (d *Dialog) onClick(x, y int) tea.Cmd {
	s := d.hit(x, y)
	if !d.armed {
		return d.waitForQuiet()
	}
	d.hint = engine.Text{}
	switch {
	case s.kind == spotCancel:
		d.Close()
	case d.step != StepAsk || d.pick != nil:
	case s.kind == spotField:
		d.focus = s.control
		return d.checkChoice()
	case s.kind == spotConfirm && d.intent.Typed():
		d.hint = engine.Textf("The mouse cannot confirm: type %s, then press {dialog-press}.", d.intent.Confirm)
	case s.kind == spotConfirm:
		d.hint = engine.Lit("The mouse cannot confirm: press {dialog-confirm}.")
	}
	return nil
}
