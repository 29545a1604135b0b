// Package list is a windowed list: a selection, and the rows around it that are
// on the screen. Table and list of Bubbles select by row number, which loses the
// object when rows are sorted again, and with 10,000 rows take 3 to 8 ms to set and
// draw; this takes the rows as they are.
package list

import (
	"slices"

	"github.com/stagewatch/stagewatch/keymap"
)

// List is a windowed list. The selection is a key, never a row number: rows
// may be sorted again, come and go under the cursor, and it stays on the same
// thing. Only when that thing is gone does it fall to the row at its place.
type List[K comparable] struct {
	Keys []K
	Sel  K
	Idx  int // of Sel in Keys
	Top  int // first row of the window
	H    int // rows of the window
	// Held is set once a person moved: from then on the selection follows its
	// key. Before that it stays on the first row, where attention is.
	Held bool
}

// Set replaces the rows.
func (l *List[K]) Set(keys []K) {
	l.Keys = keys
	if i := slices.Index(keys, l.Sel); i >= 0 && l.Held {
		l.Idx = i
	} else if !l.Held {
		l.Idx = 0
	}
	l.settle()
}

// settle brings index, selection and window into agreement.
func (l *List[K]) settle() {
	l.Idx = max(0, l.Idx)
	if len(l.Keys) == 0 {
		return // rows that are loading come back where they were
	}
	l.Idx = max(0, min(l.Idx, len(l.Keys)-1))
	l.Sel = l.Keys[l.Idx]
	if l.H <= 0 {
		return
	}
	l.Top = max(l.Idx-l.H+1, min(l.Top, l.Idx))
	l.Top = max(0, min(l.Top, len(l.Keys)-l.H))
}

// Resize sets the height of the window.
func (l *List[K]) Resize(h int) {
	if l.H != h {
		l.H = max(0, h)
		l.settle()
	}
}

// To moves the selection to row i, as far as there are rows.
func (l *List[K]) To(i int) {
	l.Held = true
	l.Idx = i
	l.settle()
}

// By moves the selection by d rows.
func (l *List[K]) By(d int) { l.To(l.Idx + d) }

// Move moves the selection as a movement key does, and reports whether a is one.
func (l *List[K]) Move(a keymap.Action) bool {
	d, ok := a.Distance(l.H, len(l.Keys))
	if ok {
		l.By(d)
	}
	return ok
}

// Rest puts the selection on row i until a person moves it.
func (l *List[K]) Rest(i int) {
	if !l.Held {
		l.Idx = i
		l.settle()
	}
}

// Pick selects a key; it reports whether it is there.
func (l *List[K]) Pick(k K) bool {
	i := slices.Index(l.Keys, k)
	if i >= 0 {
		l.To(i)
	}
	return i >= 0
}

// Window returns the range of rows on screen.
func (l *List[K]) Window() (from, to int) {
	return min(l.Top, len(l.Keys)), min(len(l.Keys), l.Top+l.H)
}

// Seek moves to the next row (d 1) or the one before (d -1) for which ok
// holds, around the ends; it reports whether there was one.
func (l *List[K]) Seek(d int, ok func(K) bool) bool {
	n := len(l.Keys)
	for step := 1; step <= n; step++ {
		i := ((l.Idx+d*step)%n + n) % n
		if ok(l.Keys[i]) {
			l.To(i)
			return true
		}
	}
	return false
}
