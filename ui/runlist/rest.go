package runlist

import (
	"slices"

	"github.com/stagewatch/stagewatch/engine"
)

// resting is where the row stands that the cursor was moved to.
type resting struct {
	id, next engine.ID // next is the row below it, zero for the last one
	version  engine.Raw
	held     bool // it would stand elsewhere, or is not listed any more
}

// rest returns the rows with that of the cursor where it stood, unless its run was changed. Bindings
// are read for the row under the cursor: if what they show moved it to the top, or a filter dropped
// it, the next key would begin from another place.
func (l *List) rest(rows []*engine.RunView) []*engine.RunView {
	r := &l.resting
	if r.held = false; !l.list.Held || r.id != l.list.Sel {
		return rows
	}
	v := l.scene.Snap.Find(r.id)
	if v == nil || v.ResourceVersion != r.version {
		return rows
	}
	is := slices.Index(rows, v)
	if is >= 0 && (is+1 < len(rows) && rows[is+1].ID == r.next || is+1 == len(rows) && r.next.IsZero()) {
		return rows
	}
	if is >= 0 {
		rows = slices.Delete(rows, is, is+1)
	}
	at := len(rows)
	if !r.next.IsZero() {
		at = slices.IndexFunc(rows, func(o *engine.RunView) bool { return o.ID == r.next })
	}
	if at < 0 { // its neighbour is gone
		at = min(l.list.Idx, len(rows))
	}
	r.held = true
	return slices.Insert(rows, at, v)
}

// rests notes where the row under the cursor stands.
func (l *List) rests() {
	r := resting{id: l.list.Sel, held: l.resting.held}
	if v := l.Current(); v != nil {
		r.version = v.ResourceVersion
	}
	if i := l.list.Idx + 1; i < len(l.rows) {
		r.next = l.rows[i].ID
	}
	l.resting = r
}
