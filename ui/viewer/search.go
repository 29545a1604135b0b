package viewer

import (
	"slices"
	"strings"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/keymap"
	"github.com/stagewatch/stagewatch/ui/cell"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// search is what is looked for in the lines. Viewport of Bubbles can highlight, but it
// finds the place of a match in text without styles, and these lines have some.
type search struct {
	words string // in lower case, blanks and all
	hits  []int  // lines that have it
	at    int    // the hit that the cursor is on
	// hidden is how many lines that have it are in folded blocks.
	hidden int
	// opened is set when managedFields were unfolded because nothing else has the words.
	opened bool
}

// Filter returns what is looked for; / types it as it types the filter of a list.
func (v *Viewer) Filter() string { return v.search.words }

// FilterErr is empty: any words can be looked for.
func (v *Viewer) FilterErr() engine.Text { return engine.Text{} }

// FilterHelp says how to go from match to match.
func (v *Viewer) FilterHelp() engine.Text {
	return engine.Lit("{filter-keep} keep, then {next-match} {previous-match} next and previous; {filter-cancel} cancel")
}

// Found returns the place of the line that a search is at, from 1, and how many lines
// have what is looked for.
func (v *Viewer) Found() (at, of int) {
	return min(v.search.at+1, len(v.search.hits)), len(v.search.hits)
}

// SetFilter looks for words, upper and lower case alike, and goes to the first line
// that has them, from the top of the screen on.
func (v *Viewer) SetFilter(words string) {
	from, _, _ := v.Window()
	v.search.words = strings.ToLower(words)
	if v.search.opened || words != "" && v.folding == foldStatus { // the status is searched, too
		v.search.opened, v.folding = false, foldManagers
	}
	v.relist()
	if words != "" && len(v.search.hits) == 0 && v.folding != foldNothing {
		v.folding = foldNothing
		if v.relist(); len(v.search.hits) == 0 {
			v.folding = foldManagers
			v.relist()
		} else {
			v.search.opened = true
		}
	}
	for i, line := range v.search.hits {
		if v.row(line) >= from {
			v.search.at = i
			break
		}
	}
	v.reveal()
}

// find lists the lines that have what is looked for; they are written again.
func (v *Viewer) find() {
	v.search.hits, v.search.hidden, v.search.at, v.written = nil, 0, 0, false
	if v.search.words == "" {
		return
	}
	for i := range v.lines {
		if l := &v.lines[i]; l.has(v.search.words) || slices.ContainsFunc(l.Beside, func(l Line) bool { return l.has(v.search.words) }) {
			v.search.hits = append(v.search.hits, i)
		}
	}
	v.eachFolded(func(l *Line) {
		if l.has(v.search.words) {
			v.search.hidden++
		}
	})
}

// has reports whether words in lower case are in the line.
func (l *Line) has(words string) bool {
	return strings.Contains(strings.ToLower(l.Key+" "+l.Text.String()+" "+l.Key2+" "+l.Text2.String()), words)
}

// onSearch goes to another line that has what is looked for, and reports whether there
// is one.
func (v *Viewer) onSearch(a keymap.Action) bool {
	n := len(v.search.hits)
	switch {
	case n == 0:
		return false
	case a == keymap.NextMatch:
		v.search.at = (v.search.at + 1) % n
	default:
		v.search.at = (v.search.at + n - 1) % n
	}
	v.reveal()
	return true
}

// reveal puts the line that the search is at on the screen.
func (v *Viewer) reveal() {
	if len(v.search.hits) == 0 {
		return
	}
	row, h := v.row(v.search.hits[v.search.at]), v.port.Height()
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

// hit returns the line that the search is at, -1 for none.
func (v *Viewer) hit() int {
	if len(v.search.hits) == 0 {
		return -1
	}
	return v.search.hits[v.search.at]
}

// marked writes a text with what is looked for standing out.
func marked(r *cell.Row, k theme.Style, s, words string) {
	low := strings.ToLower(s)
	for words != "" && len(low) == len(s) { // lower case of a few letters has another length
		i := strings.Index(low, words)
		if i < 0 {
			break
		}
		end := i + len(words)
		r.Put(k, s[:i]).Put(theme.Wait|theme.Bold, s[i:end])
		s, low = s[end:], low[end:]
	}
	r.Put(k, s)
}
