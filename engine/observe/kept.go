package observe

import (
	"reflect"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/world"
)

// forecastFor is how long it is still shown that a run will fail when what that was read from is
// not read any more: it may have been repaired, and the run does not tell.
const forecastFor = 5 * time.Minute

// kept returns what is shown of a run whose view v was made without its bindings or without what is
// near its placement. If these were read before, and showed a problem, that is still shown, with its
// age, until something else about the run changes: a run that is preempted must not look merely
// stuck because its bindings are no longer watched.
func (o *observation) kept(v *engine.RunView) *engine.RunView {
	was := o.old[v.ID]
	if was == nil {
		return v
	}
	from := engine.Kept{Bound: was.Bound, Near: was.Near, Without: v}
	if was.Kept != nil {
		from.At, from.Bound, from.Near = was.Kept.At, was.Kept.Bound, was.Kept.Near
	} else if o.prev != nil {
		from.At = o.prev.At
	}
	s := o.w.Covered[world.CoverBindings(v.Placement)].State
	unbound := from.Bound && !v.Bound
	switch {
	case !unbound && (v.Near || !from.Near), // nothing is lost
		unbound && s != engine.CoverNotAsked && s != engine.CoverLoading, // it cannot be read any more
		!showsMore(was, v),
		was.Why.Fails && !o.now.Before(from.At.Add(forecastFor)):
		return v
	}
	same := was.ResourceVersion == v.ResourceVersion
	switch {
	case was.Kept == nil && same:
	case was.Kept != nil && same && (was.Word == engine.WordPreempted || was.Why.Fails && was.Word == v.Word): // time does not undo that
	case was.Kept != nil && sameFacts(was.Kept.Without, v):
	default:
		return v
	}
	out := *was
	out.Bound, out.Near, out.Kept, out.ResourceVersion, out.Next = v.Bound, v.Near, &from, v.ResourceVersion, v.Next
	if was.Why.Fails {
		out.Next = engine.Earlier(v.Next, from.At.Add(forecastFor))
	}
	return &out
}

// showsMore reports whether a view has a problem that another one of the run does not have.
func showsMore(was, v *engine.RunView) bool {
	return (was.NeedsAttention() || was.InTrouble()) &&
		(was.Word != v.Word || was.Why.Cause != v.Why.Cause || was.Why.Fails != v.Why.Fails)
}

// sameFacts reports whether two views differ in nothing but their version, their diagnosis and what
// they were made from.
func sameFacts(a, b *engine.RunView) bool {
	x, y := *a, *b
	for _, v := range []*engine.RunView{&x, &y} {
		v.ResourceVersion, v.Why, v.Next, v.Bound, v.Near = engine.Raw{}, engine.Diagnosis{}, v.Created, false, false
	}
	return reflect.DeepEqual(x, y)
}
