package viewer

import (
	"strings"

	"github.com/stagewatch/stagewatch/engine"
)

// folding is which blocks of YAML are one line each. A key goes from one to the next.
type folding uint8

const (
	// foldManagers folds what no reader of a run looks for, and is the longest.
	foldManagers folding = iota
	// foldStatus folds the status, too.
	foldStatus
	// foldNothing shows every line.
	foldNothing
	foldings
)

// folds reports whether a line is the head of a block that is folded.
func (f folding) folds(l *Line) bool {
	switch l.Text.String() {
	case "  managedFields:":
		return l.yaml && f != foldNothing
	case "status:":
		return l.yaml && f == foldStatus
	}
	return false
}

// fold goes to the next folding that shows other lines; during a search that has matches in
// folded blocks, to the one that shows them.
func (v *Viewer) fold() {
	if v.hidden > 0 {
		v.folding = foldNothing
		v.relist()
		v.reveal()
		return
	}
	for shown := len(v.lines); v.CanFold(); {
		v.folding = (v.folding + 1) % foldings
		if v.relist(); len(v.lines) != shown {
			return
		}
	}
}

// relist chooses the lines that are shown.
func (v *Viewer) relist() {
	v.lines, v.written = nil, false
	for i := 0; i < len(v.all); i++ {
		l := v.all[i]
		if v.folding.folds(&l) {
			to := blockEnd(v.all, i)
			l.Text = engine.Textf("%s   … %s", l.Text, engine.Count(to-i-1, "line"))
			i = to - 1
		}
		v.lines = append(v.lines, l)
	}
	v.find()
}

// eachFolded calls do with each line of the blocks that are folded, without their heads.
func (v *Viewer) eachFolded(do func(*Line)) {
	for i := 0; i < len(v.all); i++ {
		if !v.folding.folds(&v.all[i]) {
			continue
		}
		for to := blockEnd(v.all, i); i+1 < to; {
			i++
			do(&v.all[i])
		}
	}
}

// CanFold reports whether there is a block to fold.
func (v *Viewer) CanFold() bool {
	for i := range v.all {
		if foldManagers.folds(&v.all[i]) || foldStatus.folds(&v.all[i]) {
			return true
		}
	}
	return false
}

// blockEnd is the line after the block that a line is the head of: what is indented deeper, or
// an item of a list at the same depth.
func blockEnd(lines []Line, head int) int {
	indent := func(s string) int { return len(s) - len(strings.TrimLeft(s, " ")) }
	deep, to := indent(lines[head].Text.String()), head+1
	for ; to < len(lines); to++ {
		s := lines[to].Text.String()
		if n := indent(s); n < deep || n == deep && !strings.HasPrefix(s[n:], "- ") {
			break
		}
	}
	return to
}
