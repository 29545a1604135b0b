package ui

import (
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/ui/cell"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// dialogLine is a line of a dialog.
type dialogLine struct {
	row *cell.Row
	// spots are what stands in it, from its own first column.
	spots []spot
}

// dialogBody collects the lines of a dialog. Those before foot scroll when they do
// not fit; the others stay on the screen.
type dialogBody struct {
	m     *Model
	w     int
	tight bool // without blank lines: the dialog is too high
	fold  bool // what a person can do without is one line: it is too high still
	lines []dialogLine
	text  int // lines that have to be read before the act can be confirmed
	foot  int // first line that does not scroll
	focus int // line of the field that has the focus, -1 when it does not scroll
}

const (
	dialogLabel = 10 // Width of the labels
	dialogWhole = 20 // lines that a text takes at most; the longest hub message fits
)

// add writes a labelled Text in at most limit lines.
func (b *dialogBody) add(k theme.Style, head string, x engine.Text, limit int) {
	th := b.m.scene.Theme
	for i, s := range cell.Wrap(th, x, b.w-dialogLabel, limit) {
		r := cell.NewRow(th, b.w, theme.Plain)
		if i == 0 {
			r.Put(theme.Sub, head)
		}
		b.row(r.To(dialogLabel).Put(k, s))
	}
}

func (b *dialogBody) row(r *cell.Row) { b.lines = append(b.lines, dialogLine{row: r.To(b.w)}) }

// spot notes what stands in the line that was added last.
func (b *dialogBody) spot(s spot) {
	l := &b.lines[len(b.lines)-1]
	l.spots = append(l.spots, s)
}

// field notes that the line that was added last is a field.
func (b *dialogBody) field(f control) {
	b.spot(spot{to: b.w, kind: spotField, field: f})
	if b.m.dialog.focus == f {
		b.focus = len(b.lines) - 1
	}
}

// blank separates parts where there is room.
func (b *dialogBody) blank() {
	if !b.tight {
		b.row(cell.NewRow(b.m.scene.Theme, b.w, theme.Plain))
	}
}

// dialogRoom is how many lines a dialog has between the edges of its frame.
func (m *Model) dialogRoom() int { return max(1, m.look.h-headRows-footRows-2) }

// layDialog makes the lines of the dialog: whole if they fit, else without blank lines, else folded.
func (m *Model) layDialog() *dialogBody {
	var b *dialogBody
	for level := range 3 {
		b = &dialogBody{m: m, w: m.dialogWidth() - 4, tight: level > 0, fold: level > 1, focus: -1}
		switch d := &m.dialog; {
		case d.step != stepAsk:
			m.dialogTold(b)
		case d.pick != nil:
			m.pickView(b, m.dialogRoom())
			b.foot = min(len(b.lines), m.dialogRoom())
			b.lines = b.lines[:b.foot]
		default:
			m.dialogAsk(b)
		}
		if len(b.lines) <= m.dialogRoom() {
			break
		}
	}
	if b.focus >= b.foot {
		b.focus = -1
	}
	return b
}

// window is how many lines of the part that scrolls are on the screen.
func (b *dialogBody) window() int {
	return max(0, min(b.foot, b.m.dialogRoom()-(len(b.lines)-b.foot)))
}

// scrollDialog moves the part of the dialog that scrolls.
func (m *Model) scrollDialog(by int) { m.dialog.top += by }

// dialogPage is how far a key scrolls a dialog.
func (m *Model) dialogPage() int { return max(1, m.layDialog().window()-1) }

// arrangeDialog keeps the scroll within the text, shows the field that got the
// focus, and remembers how far the text was on the screen without a gap.
func (m *Model) arrangeDialog() {
	d := &m.dialog
	if m.mode != modeDialog || m.scene.Snap == nil || m.look.w < leastWidth || m.look.h < leastHeight {
		return
	}
	if d.step != d.laid {
		d.top, d.laid = 0, d.step
	}
	b := m.layDialog()
	h := b.window()
	if d.focus != d.shown {
		if d.shown = d.focus; b.focus >= 0 {
			d.top = max(b.focus-h+1, min(d.top, b.focus))
		}
	}
	d.top = max(0, min(d.top, b.foot-h))
	if d.top <= d.seen {
		d.seen = max(d.seen, d.top+h)
	}
	d.unread = max(0, b.text-d.seen)
}
