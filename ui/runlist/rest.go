package runlist

import (
	"slices"

	"github.com/stagewatch/stagewatch/engine"
)

// resting is where the row stands that the cursor was moved to.
type resting struct {
	view         *engine.RunView
	above, below *engine.RunView // nil where there is none
	held         bool            // it would stand elsewhere, or is not listed any more
}

// rest returns the rows with that of the cursor where it stood, if its view has changed and its run
// has not. Bindings are read for the row under the cursor: if what they show moved it to the top, or a
// filter dropped it, the next key would begin from another place.
func (l *List) rest(rows []*engine.RunView) []*engine.RunView {
	r := &l.resting
	held := r.held
	if r.held = false; !l.list.Held || r.view == nil || r.view.ID != l.list.Sel {
		return rows
	}
	v := l.scene.Snap.Find(r.view.ID)
	if v == nil || v.ResourceVersion != r.view.ResourceVersion || v == r.view && !held {
		return rows
	}
	is := slices.Index(rows, v)
	if is >= 0 {
		rows = slices.Delete(rows, is, is+1)
	}
	at := min(l.list.Idx, len(rows))
	if i := slices.Index(rows, r.below); i >= 0 { // a neighbour whose view has not changed
		at = i
	} else if i := slices.Index(rows, r.above); i >= 0 {
		at = i + 1
	}
	r.held = at != is
	return slices.Insert(rows, at, v)
}

// rests notes where the row under the cursor stands.
func (l *List) rests() {
	r := resting{view: l.Current(), held: l.resting.held && l.Current() != nil}
	if i := l.list.Idx; i > 0 && i <= len(l.rows) {
		r.above = l.rows[i-1]
	}
	if i := l.list.Idx + 1; i < len(l.rows) {
		r.below = l.rows[i]
	}
	l.resting = r
}
