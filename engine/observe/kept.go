package observe

import (
	"reflect"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/world"
)

// forecastFor is how long it is still shown that a run which goes on will fail when what that was read
// from is not read any more: it may have been repaired, and the run does not tell.
const forecastFor = 5 * time.Minute

// kept returns what is shown of a run whose view v was made without its bindings or without what is
// near its placement. If these were read before, and showed a problem, that is still shown, with its
// age, until something else about the run changes: a run that is preempted must not look merely
// stuck because its bindings are no longer watched.
// was is its view in the last Snapshot, nil for none.
func (o *observation) kept(v, was *engine.RunView) *engine.RunView {
	set := o.w.Covered[world.CoverBindings(v.Placement)].State
	v.Read, v.Unreadable = v.Bound, !v.Bound && set != engine.CoverNotAsked && set != engine.CoverLoading
	if was == nil {
		return v
	}
	switch same := sameProgress(was, v); {
	case !was.Read:
	case same && (was.Bound || was.Word == v.Word), // without them it may look stuck
		was.Word == v.Word && !v.NeedsAttention() && !v.InTrouble():
		v.Read = true
	}
	from := engine.Kept{Bound: was.Bound, Near: was.Near, Without: v}
	if k := was.Kept; k != nil {
		from.At, from.Bound, from.Near = k.At, k.Bound, k.Near
	} else if o.prev != nil {
		from.At = engine.Earlier(o.prev.At, o.prev.Link.Heard)
	}
	unbound := from.Bound && !v.Bound
	// What is near the placement of the run that is looked at is being read again.
	again := !unbound && was.Word == v.Word && (v.ID == o.w.Focus.Run || v.ID == o.w.Focus.Cursor) &&
		(was.Kept == nil || was.Kept.Without.Why.Cause == v.Why.Cause)
	expires := was.Why.Fails && was.Word != engine.WordPreempted && was.Word != engine.WordStuck
	switch {
	case !unbound && (v.Near || !from.Near), // nothing is lost
		unbound && set != engine.CoverNotAsked && set != engine.CoverLoading, // it cannot be read any more
		!showsMore(was, v):
		return v
	case expires && !o.now.Before(from.At.Add(forecastFor)), !again && !stillHolds(was, v, unbound):
		v.Read = v.Bound || v.Read && was.Kept == nil // what was kept is lost
		return v
	}
	out := *v // what it says is newer
	if unbound {
		out = *was
		out.Bound, out.Near, out.Outdated, out.ResourceVersion, out.Next = v.Bound, v.Near, v.Outdated, v.ResourceVersion, v.Next
	}
	out.Why, out.Kept = was.Why, &from
	if expires {
		out.Next = engine.Earlier(v.Next, from.At.Add(forecastFor))
	}
	return &out
}

// stillHolds reports whether nothing but what is lost can have changed what is said of a run: v is its
// view without that.
func stillHolds(was, v *engine.RunView, unbound bool) bool {
	k, same := was.Kept, was.ResourceVersion == v.ResourceVersion
	switch {
	case k == nil, k.Without.Bound && !v.Bound, k.Without.Near && !v.Near: // it was lost just now
		return sameProgress(was, v) &&
			(was.Word == v.Word || unbound && (was.Word == engine.WordPreempted || was.Word == engine.WordStuck))
	case unbound: // time does not undo a preemption
		return same && (was.Word == engine.WordPreempted || was.Why.Fails && was.Word == v.Word) || sameFacts(k.Without, v)
	}
	return v.Word == was.Word && v.Why.Cause == k.Without.Why.Cause && (same || sameFacts(k.Without, v))
}

// showsMore reports whether a view has a problem that another one of the run does not have.
func showsMore(was, v *engine.RunView) bool {
	return (was.NeedsAttention() || was.InTrouble()) &&
		(was.Word != v.Word || was.Why.Cause != v.Why.Cause || was.Why.Fails != v.Why.Fails)
}

// sameProgress reports whether the run itself says the same in two views.
func sameProgress(a, b *engine.RunView) bool {
	return a.Generation == b.Generation && a.Observed == b.Observed && a.Terminal == b.Terminal &&
		a.At == b.At && a.Done == b.Done && a.Total == b.Total
}

// sameFacts reports whether two views differ in nothing but their version, their diagnosis and what
// they were made from.
func sameFacts(a, b *engine.RunView) bool {
	x, y := *a, *b
	for _, v := range []*engine.RunView{&x, &y} {
		v.ResourceVersion, v.Why, v.Next, v.Bound, v.Read, v.Unreadable, v.Near = engine.Raw{}, engine.Diagnosis{}, v.Created, false, false, false, false
	}
	return reflect.DeepEqual(x, y)
}
