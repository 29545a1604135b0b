package ui

import (
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/keymap"
	"github.com/stagewatch/stagewatch/ui/label"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// markOf stands before the word of a marked row.
const markOf = "*"

// markOn is the mark of a row: one that an act is to take goes before one that
// is only waited for.
func (m *Model) markOn(id engine.ID) string {
	switch {
	case m.runs.marks[id]:
		return markOf
	case m.awaits.runs[id]:
		return awaitMark
	}
	return ""
}

// mark marks the row under the cursor, or takes its mark away, and goes on to
// the next.
func (m *Model) mark() {
	v := m.runs.current()
	if v == nil || v.Word == engine.WordNoRun {
		return
	}
	marks := make(map[engine.ID]bool, len(m.runs.marks)+1)
	for id := range m.runs.marks {
		marks[id] = true
	}
	if marks[v.ID] {
		delete(marks, v.ID)
	} else {
		marks[v.ID] = true
	}
	m.runs.marks = marks
	m.runs.list.By(1)
	if n := len(marks); n > 0 {
		m.scene.Say(theme.Text, engine.Textf("%s marked: A, R, S and X act on them; esc clears the marks.", engine.Clean(label.Plural(n, "run"))))
	}
}

// marked lists the marked runs that still exist, in the order of the list.
func (m *Model) marked() []engine.ID {
	var out []engine.ID
	for _, v := range m.scene.Snap.Runs {
		if m.runs.marks[v.ID] {
			out = append(out, v.ID)
		}
	}
	return out
}

// markKey handles the keys of marks on the list; it reports whether a was one.
func (m *Model) markKey(a keymap.Action) bool {
	switch {
	case m.screen != screenRuns:
	case a == keymap.Mark:
		m.mark()
		return true
	case a == keymap.Back && len(m.runs.marks) > 0:
		m.runs.marks = nil
		return true
	}
	return false
}
