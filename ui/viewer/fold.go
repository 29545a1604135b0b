package viewer

import (
	"strings"

	"github.com/stagewatch/stagewatch/engine"
)

// foldable is the block of YAML that a key folds. The others are read from top to bottom, and
// fields of managers are not shown at all.
const foldable = "status"

// fold hides the lines of the status, or shows them again.
func (v *Viewer) fold() {
	v.folded = !v.folded
	v.relist()
}

// relist chooses the lines that are shown.
func (v *Viewer) relist() {
	v.lines, v.written = v.all, false
	from, to := block(v.all)
	if v.folded && from < to {
		short := v.all[from]
		short.Text = engine.Textf("%s   … %s", short.Text, engine.Count(to-from-1, "line"))
		v.lines = append(append(append([]Line(nil), v.all[:from]...), short), v.all[to:]...)
	}
	v.find()
}

// CanFold reports whether there is a block to fold.
func (v *Viewer) CanFold() bool {
	from, to := block(v.all)
	return from < to
}

// block returns the lines of the foldable block, none without one.
func block(lines []Line) (from, to int) {
	for i := range lines {
		if lines[i].yaml && lines[i].Text.String() == foldable+":" {
			to = i + 1
			for to < len(lines) && strings.HasPrefix(lines[to].Text.String(), " ") {
				to++
			}
			return i, to
		}
	}
	return 0, 0
}
