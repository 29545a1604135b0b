package ui

import "slices"

// list is a windowed list. The selection is a key, never a row number: rows
// may be sorted anew, come and go under the cursor, and it stays on the same
// thing. Only when that thing is gone does it fall to the row at its place.
type list[K comparable] struct {
	keys []K
	sel  K
	idx  int // of sel in keys
	top  int // first row of the window
	h    int // rows of the window
	// held is set once a person moved: from then on the selection follows its
	// key. Before that it stays on the first row, where attention is.
	held bool
}

// set replaces the rows.
func (l *list[K]) set(keys []K) {
	l.keys = keys
	if i := slices.Index(keys, l.sel); i >= 0 && l.held {
		l.idx = i
	} else if !l.held {
		l.idx = 0
	}
	l.settle()
}

// settle brings index, selection and window into agreement.
func (l *list[K]) settle() {
	if len(l.keys) == 0 {
		return // rows that are loading come back where they were
	}
	l.idx = max(0, min(l.idx, len(l.keys)-1))
	l.sel = l.keys[l.idx]
	if l.h <= 0 {
		return
	}
	l.top = max(l.idx-l.h+1, min(l.top, l.idx))
	l.top = max(0, min(l.top, len(l.keys)-l.h))
}

// resize sets the height of the window.
func (l *list[K]) resize(h int) {
	if l.h != h {
		l.h = max(0, h)
		l.settle()
	}
}

// to moves the selection to row i, as far as there are rows.
func (l *list[K]) to(i int) {
	l.held = true
	l.idx = i
	l.settle()
}

// by moves the selection by d rows.
func (l *list[K]) by(d int) { l.to(l.idx + d) }

// rest puts the selection on row i until a person moves it.
func (l *list[K]) rest(i int) {
	if !l.held {
		l.idx = i
		l.settle()
	}
}

// pick selects a key; it reports whether it is there.
func (l *list[K]) pick(k K) bool {
	i := slices.Index(l.keys, k)
	if i >= 0 {
		l.to(i)
	}
	return i >= 0
}

// window returns the range of rows on screen.
func (l *list[K]) window() (from, to int) {
	return min(l.top, len(l.keys)), min(len(l.keys), l.top+l.h)
}

// seek moves to the next row (d 1) or the one before (d -1) for which ok
// holds, around the ends; it reports whether there was one.
func (l *list[K]) seek(d int, ok func(K) bool) bool {
	n := len(l.keys)
	for step := 1; step <= n; step++ {
		i := ((l.idx+d*step)%n + n) % n
		if ok(l.keys[i]) {
			l.to(i)
			return true
		}
	}
	return false
}
