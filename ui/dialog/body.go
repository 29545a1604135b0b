package dialog

import (
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/ui/cell"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// reading is how far the text of a dialog was read.
type reading struct {
	// top is the first line on the screen of the part that scrolls, unread how many lines
	// have to be read yet; above, whether one of them is before top.
	top, unread int
	above       bool
	seen        map[place]bool // lines that were on the screen
	laid        Step           // that top is for
	shown       Control        // that was last scrolled to
}

// restart begins again, for another text. Nothing of it was on the screen yet: Arrange
// counts the lines, and without it nothing can be confirmed.
func (r *reading) restart() { r.top, r.seen, r.unread = 0, nil, 1 }

// read takes in that the window of lines from top is on the screen. A line that came while
// the dialog is open, such as the answer of a check, is unread wherever it stands.
func (r *reading) read(b *body, window int) {
	if r.seen == nil {
		r.seen = map[place]bool{}
	}
	places := placesOf(b.lines)
	for _, p := range places[r.top : r.top+window] {
		r.seen[p] = true
	}
	r.unread, r.above = 0, false
	for i, p := range places[:b.text] {
		if !r.seen[p] {
			r.unread++
			r.above = r.above || i < r.top
		}
	}
}

// place identifies a line by its text, and by how many lines before it have the same text:
// the effect of an act is often the same for several runs.
type place struct {
	text string
	nth  int
}

func placesOf(lines []line) []place {
	nth := map[string]int{}
	places := make([]place, len(lines))
	for i, l := range lines {
		text := l.row.String()
		places[i] = place{text, nth[text]}
		nth[text]++
	}
	return places
}

// line is a line of a dialog.
type line struct {
	row *cell.Row
	// spots are what stands in it, from its own first column.
	spots []spot
}

// body collects the lines of a dialog. Those before foot scroll when they do
// not fit; the others stay on the screen.
type body struct {
	d     *Dialog
	w     int
	tight bool // without blank lines: the dialog is too high
	fold  bool // what a person can do without is one line: it is too high still
	lines []line
	text  int // lines that have to be read before the act can be confirmed
	foot  int // first line that does not scroll
	focus int // line of the field that has the focus, -1 when it does not scroll
}

const (
	labelWidth = 10 // Width of the labels
	whole      = 20 // lines that a text takes at most; the longest hub message fits
)

// add writes a labelled Text in at most limit lines.
func (b *body) add(k theme.Style, head string, x engine.Text, limit int) {
	th := b.d.scene.Theme
	for i, s := range cell.Wrap(th, x, b.w-labelWidth, limit) {
		r := cell.NewRow(th, b.w, theme.Plain)
		if i == 0 {
			r.Put(theme.Sub, head)
		}
		b.row(r.To(labelWidth).Put(k, s))
	}
}

func (b *body) row(r *cell.Row) { b.lines = append(b.lines, line{row: r.To(b.w)}) }

// spot notes what stands in the line that was added last.
func (b *body) spot(s spot) {
	l := &b.lines[len(b.lines)-1]
	l.spots = append(l.spots, s)
}

// field notes that the line that was added last is a field.
func (b *body) field(f Control) {
	b.spot(spot{to: b.w, kind: spotField, control: f})
	if b.d.focus == f {
		b.focus = len(b.lines) - 1
	}
}

// blank separates parts where there is room.
func (b *body) blank() {
	if !b.tight {
		b.row(cell.NewRow(b.d.scene.Theme, b.w, theme.Plain))
	}
}

// room is how many lines a dialog has between the edges of its frame.
func (d *Dialog) room() int { return max(1, d.h-2) }

// lay makes the lines of the dialog: whole if they fit, else without blank lines, else folded.
func (d *Dialog) lay() *body {
	var b *body
	for level := range 3 {
		b = &body{d: d, w: d.boxWidth() - 4, tight: level > 0, fold: level > 1, focus: -1}
		switch {
		case d.step != StepAsk:
			d.outcomeBody(b)
		case d.pick != nil:
			d.pickView(b, d.room())
			b.foot = min(len(b.lines), d.room())
			b.lines = b.lines[:b.foot]
		default:
			d.ask(b)
		}
		if len(b.lines) <= d.room() {
			break
		}
	}
	if b.focus >= b.foot {
		b.focus = -1
	}
	return b
}

// window is how many lines of the part that scrolls are on the screen.
func (b *body) window() int {
	return max(0, min(b.foot, b.d.room()-(len(b.lines)-b.foot)))
}

// scroll moves the part of the dialog that scrolls.
func (d *Dialog) scroll(by int) { d.top += by }

// pageRows is how far a key scrolls a dialog.
func (d *Dialog) pageRows() int { return max(1, d.lay().window()-1) }

// Arrange fits the dialog to the size of the body. It keeps the scroll within the text,
// shows the field that got the focus, and remembers which lines were on the screen.
func (d *Dialog) Arrange(w, h int) {
	d.w, d.h = w, h
	if !d.open || d.scene.Snap == nil {
		return
	}
	if d.step != d.laid {
		d.top, d.laid = 0, d.step
	}
	b := d.lay()
	rows := b.window()
	if d.focus != d.shown {
		if d.shown = d.focus; b.focus >= 0 {
			d.top = max(b.focus-rows+1, min(d.top, b.focus))
		}
	}
	d.top = max(0, min(d.top, b.foot-rows))
	d.read(b, rows)
}
