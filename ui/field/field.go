// Package field is one line of text that a person types: the filter, the command
// line, the fields of dialogs. Textinput of Bubbles edits it: cursor, words, paste.
// The cell writer draws it, since what is typed or pasted may have characters on
// whose width terminals disagree. The cursor is the terminal's own, so that input
// methods and screen readers find it.
package field

import (
	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/ui/cell"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// limit is the most characters that a field takes.
const limit = 300

// Field is a line that is typed. The zero Field is empty.
type Field struct {
	in   textinput.Model
	made bool
}

// input returns the editor, which the zero Field does not have yet.
func (f *Field) input() *textinput.Model {
	if !f.made {
		f.made, f.in = true, textinput.New()
		f.in.CharLimit = limit
		f.in.SetVirtualCursor(false)
		// It would read the clipboard of the machine that stagewatch runs on, which
		// over SSH is another one. The terminal pastes.
		f.in.KeyMap.Paste.SetEnabled(false)
		f.in.Focus()
	}
	return &f.in
}

// Value returns what was typed.
func (f *Field) Value() string { return f.in.Value() }

// Set replaces what was typed; the cursor is behind it.
func (f *Field) Set(s string) {
	f.input().SetValue(s)
	f.in.CursorEnd()
}

// Update types a key, and reports whether that changed the text.
func (f *Field) Update(k tea.KeyPressMsg) (changed bool) {
	was := f.Value()
	if k.Text != "" {
		k.Text = engine.Clean(k.Text).String()
		if len(was)+len(k.Text) > limit {
			return false
		}
	}
	*f.input(), _ = f.in.Update(k)
	return f.Value() != was
}

// Paste inserts the first line of a text at the cursor, or nothing when it is too
// long, and reports whether it did.
func (f *Field) Paste(s string) (changed bool) {
	was, lines := f.Value(), engine.Lines(s)
	if len(lines) == 0 || len(was)+len(lines[0].String()) > limit {
		return false
	}
	*f.input(), _ = f.in.Update(tea.PasteMsg{Content: lines[0].String()})
	return f.Value() != was
}

// AtEnd reports whether the cursor is behind the text.
func (f *Field) AtEnd() bool { return f.in.Position() == len([]rune(f.Value())) }

// Write writes the text into n-1 cells of a row and returns the column of the
// cursor, which may be the cell behind. Where not all fits it writes the part
// around the cursor.
func (f *Field) Write(r *cell.Row, th *theme.Theme, k theme.Style, n int) (cursor int) {
	all := []rune(f.Value())
	at := min(f.in.Position(), len(all))
	before := cell.Text(th, engine.Clean(string(all[:at])))
	after := cell.Text(th, engine.Clean(string(all[at:])))
	room := max(0, n-1)
	before = cell.Tail(th, before, min(room, max(room-cell.Width(after), room*3/4)))
	after = cell.Cut(th, after, room-cell.Width(before))
	r.Put(k, before)
	cursor = r.At()
	r.Put(k, after)
	return cursor
}
