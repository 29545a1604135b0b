// Package keybar is the last line of the screen: the keys that work here, and on the
// right those that write. Help of Bubbles draws it; it is drawn again only when keys,
// theme or width change.
package keybar

import (
	"slices"
	"strings"

	"charm.land/bubbles/v2/help"
	"charm.land/bubbles/v2/key"

	"github.com/stagewatch/stagewatch/keymap"
	"github.com/stagewatch/stagewatch/ui/cell"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// Bar is the line of keys. The zero Bar is empty.
type Bar struct {
	theme       *theme.Theme
	w           int
	left, right []item
	line        string
}

// item is a key with its help.
type item struct {
	action     keymap.Action
	name, desc string
	possible   bool // of a key that writes
}

const (
	gap    = 2 // between two keys
	margin = 1
	ranks  = 10 // of keymap.Entry.Bar
)

func (i item) width() int { return cell.Width(i.name) + 1 + cell.Width(i.desc) }

// Arrange chooses the keys that fit: all that write, then the others by their rank.
// idle reports whether a key does nothing at the moment, possible whether an act is.
func (b *Bar) Arrange(th *theme.Theme, w int, entries []keymap.Entry, idle, possible func(keymap.Action) bool) {
	var left, right []item
	room := w - 2*margin
	for _, e := range entries {
		if e.Writes && !idle(e.Action) {
			h := e.Key.Help()
			right = append(right, item{e.Action, h.Key, h.Desc, possible(e.Action)})
			room -= right[len(right)-1].width() + gap
		}
	}
	pinned := pinnedOf(th, entries)
	for i := range pinned {
		room -= cell.Width(pinned[i].name) + 1 + gap
	}
	if room < 0 { // too narrow for the help
		for i := range right {
			room += len(right[i].desc)
			right[i].desc = ""
		}
	}
	for rank := 1; rank < ranks; rank++ {
		for _, e := range entries {
			if e.Bar != rank || e.Writes || idle(e.Action) || slices.Contains(pins, e.Action) {
				continue
			}
			h := e.Short()
			if i := (item{e.Action, th.KeyName(h.Key), h.Desc, true}); i.width()+gap <= room {
				room -= i.width() + gap
				left = append(left, i)
			}
		}
	}
	for i := range pinned { // its help, where there is room
		if more := cell.Width(pinned[i].desc); more <= room {
			room -= more
		} else {
			pinned[i].desc = ""
		}
	}
	left = append(left, pinned...)
	if b.theme == th && b.w == w && slices.Equal(b.left, left) && slices.Equal(b.right, right) {
		return
	}
	*b = Bar{theme: th, w: w, left: left, right: right}
	b.line = b.draw()
}

// pins are the keys that a bar always shows where they are bound: the way back, the help and the
// command line. A field and a dialog have only a way back: the other keys are typed into them.
var pins = []keymap.Action{keymap.Back, keymap.FilterDrop, keymap.DialogCancel, keymap.PickBack, keymap.CommandDrop, keymap.Help, keymap.Command}

// pinnedOf returns those of pins that are bound here.
func pinnedOf(th *theme.Theme, entries []keymap.Entry) (out []item) {
	for _, a := range pins {
		if i := slices.IndexFunc(entries, func(e keymap.Entry) bool { return e.Action == a }); i >= 0 {
			h := entries[i].Short()
			out = append(out, item{a, th.KeyName(h.Key), h.Desc, true})
		}
	}
	return out
}

// View returns the line.
func (b *Bar) View() string { return b.line }

// draw renders the line in full.
func (b *Bar) draw() string {
	render := func(name, desc theme.Style, items []item) string {
		h := help.New()
		h.ShortSeparator = strings.Repeat(" ", gap)
		h.Styles.ShortKey, h.Styles.ShortDesc = b.theme.Of(theme.Bar, name), b.theme.Of(theme.Bar, desc)
		h.Styles.ShortSeparator = h.Styles.ShortDesc
		bindings := make([]key.Binding, len(items))
		for i, it := range items {
			// A binding without keys is disabled, and help leaves those out.
			bindings[i] = key.NewBinding(key.WithKeys(it.name), key.WithHelp(it.name, it.desc))
		}
		return h.ShortHelpView(bindings)
	}
	blank := func(n int) string { return strings.Repeat(" ", max(0, n)) }
	var right strings.Builder
	for _, it := range b.right {
		name, desc := theme.Faint, theme.Faint
		if it.possible {
			name, desc = theme.Key|theme.Bold, theme.Text
		}
		right.WriteString(blank(gap) + render(name, desc, []item{it}))
	}
	line := blank(margin) + render(theme.Text, theme.Sub, b.left) + blank(b.rightFrom()-b.leftTo()) + right.String() + blank(margin)
	return b.theme.Paint(theme.Bar, line)
}

// leftTo is the column behind the keys on the left, rightFrom that of the first blank
// before those on the right.
func (b *Bar) leftTo() int {
	n := margin
	for i, it := range b.left {
		if i > 0 {
			n += gap
		}
		n += it.width()
	}
	return n
}

func (b *Bar) rightFrom() int {
	n := b.w - margin
	for _, it := range b.right {
		n -= it.width() + gap
	}
	return n
}

// Hit returns the action of the key at a column, None when there is none.
func (b *Bar) Hit(x int) keymap.Action {
	at := margin
	for _, it := range b.left {
		if x >= at && x < at+it.width()+gap {
			return it.action
		}
		at += it.width() + gap
	}
	at = b.rightFrom()
	for _, it := range b.right {
		if x >= at && x < at+it.width()+gap {
			return it.action
		}
		at += it.width() + gap
	}
	return keymap.None
}
