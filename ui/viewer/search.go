package viewer

import (
	"slices"
	"strings"

	"github.com/stagewatch/stagewatch/keymap"
	"github.com/stagewatch/stagewatch/ui/search"
)

// lookup is what is looked for in the lines.
type lookup struct {
	search.Search

	// from is where the screen was before, began where it was when / was pressed, shown its top where
	// the search has put it.
	from, began place
	shown       int
	// hidden is how many lines that have it are in folded blocks.
	hidden int
	// opened is set when managedFields were unfolded because nothing else has the words.
	opened bool
}

// SetFilter looks for words and goes to the first line that has them, from where the screen was
// before the search. While nothing is found, and without words, it is there.
func (v *Viewer) SetFilter(words string) {
	if now := v.port.YOffset(); v.Filter() == "" || now != v.shown {
		v.from = v.place()
	}
	v.Look(words)
	if v.opened || words != "" && v.folding == foldStatus { // the status is searched, too
		v.opened, v.folding = false, foldManagers
	}
	v.relist()
	if words != "" && v.Line() < 0 && v.folding != foldNothing {
		v.folding = foldNothing
		if v.relist(); v.Line() < 0 {
			v.folding = foldManagers
			v.relist()
		} else {
			v.opened = true
		}
	}
	v.Begin(func(line int) bool { return line >= v.from.line })
	v.goTo(v.from)
	v.reveal()
}

// StartFilter begins a search from what is on the screen, and returns what brings that back, with
// the search before. A log that was read at its end is followed again.
func (v *Viewer) StartFilter() (cancel func()) {
	was, folding, x, end := v.lookup, v.folding, v.port.XOffset(), v.log && v.port.AtBottom()
	v.began, v.from, v.shown = v.place(), v.place(), v.port.YOffset()
	return func() {
		began := v.began
		v.lookup, v.folding = was, folding
		v.relist()
		v.goTo(began)
		v.port.SetXOffset(x)
		v.follow = v.follow || end
	}
}

// Leave ends the search where it is, and reports whether there was one.
func (v *Viewer) Leave() bool {
	if v.Filter() == "" {
		return false
	}
	v.from = v.place()
	v.shown = v.port.YOffset()
	v.SetFilter("")
	return true
}

// goTo puts a place at the top of the screen.
func (v *Viewer) goTo(p place) { v.port.SetYOffset(v.row(p.line) + p.part) }

// find lists the lines that have what is looked for; they are written again.
func (v *Viewer) find() {
	v.hidden, v.written = 0, false
	if v.Filter() == "" {
		v.List(nil)
		return
	}
	var hits []int
	for i := range v.lines {
		if l := &v.lines[i]; v.Has(l.words()) || slices.ContainsFunc(l.Beside, func(l Line) bool { return v.Has(l.words()) }) {
			hits = append(hits, i)
		}
	}
	v.List(hits)
	v.eachFolded(func(l *Line) {
		if v.Has(l.words()) {
			v.hidden++
		}
	})
}

// words are those of the line.
func (l *Line) words() string {
	return strings.Join([]string{l.Key, l.Text.String(), l.Key2, l.Text2.String()}, " ")
}

// onSearch goes to another line that has what is looked for, and reports whether there
// is one.
func (v *Viewer) onSearch(a keymap.Action) bool {
	if !v.Next(a) {
		return false
	}
	v.reveal()
	return true
}

// reveal puts the line that the search is at on the screen.
func (v *Viewer) reveal() {
	defer func() { v.shown, _, _ = v.Window() }()
	if v.Line() < 0 {
		return
	}
	row, h := v.row(v.Line()), v.port.Height()
	if from := v.port.YOffset(); row < from || row >= from+h {
		v.port.SetYOffset(row - h/3)
	}
	v.port.SetXOffset(0)
}

// row is the place of a line among those that can be scrolled through: a log is
// wrapped.
func (v *Viewer) row(line int) int {
	if !v.log {
		return line
	}
	if v.theme == nil || line >= len(v.lines) {
		return 0
	}
	if v.rowsOf != &v.lines[0] { // the lines were replaced since they were written
		v.write(v.theme, max(1, v.port.Width()))
	}
	return v.rows[line]
}
