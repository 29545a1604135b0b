package observe

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/internal/situation"
	"github.com/stagewatch/stagewatch/engine/world"
)

// TestProblemsOutliveTheirBindings checks that a problem which only bindings show is still shown,
// with its age, when they are no longer read, and until when.
func TestProblemsOutliveTheirBindings(t *testing.T) {
	const (
		stays = iota // as it was when the bindings were read
		goes         // to what is known without them
	)
	for name, tt := range map[string]struct {
		change func(w *world.World, id engine.ID, key world.CoverKey)
		after  time.Duration
		want   int
	}{
		"nothing":     {func(*world.World, engine.ID, world.CoverKey) {}, time.Second, stays},
		"time":        {func(*world.World, engine.ID, world.CoverKey) {}, time.Hour, stays},
		"a heartbeat": {func(w *world.World, id engine.ID, _ world.CoverKey) { touch(w, id, "100") }, time.Second, stays},
		"they are read now": {func(w *world.World, _ engine.ID, key world.CoverKey) {
			w.Covered[key] = engine.Coverage{State: engine.CoverLoading}
		}, time.Second, stays},
		"they are read again": {func(w *world.World, _ engine.ID, key world.CoverKey) {
			w.Covered[key] = engine.Coverage{State: engine.CoverComplete}
			w.Bindings[key.Placement] = map[engine.ID]*world.Binding{}
		}, time.Second, goes},
		"they may not be read any more": {func(w *world.World, _ engine.ID, key world.CoverKey) {
			w.Covered[key] = engine.Coverage{State: engine.CoverForbidden}
		}, time.Second, goes},
		"a cluster is done": {func(w *world.World, id engine.ID, _ world.CoverKey) {
			touch(w, id, "100")
			for i := range w.Runs[id].Status.StagesStatus {
				for j := range w.Runs[id].Status.StagesStatus[i].Clusters {
					c := &w.Runs[id].Status.StagesStatus[i].Clusters[j]
					if len(c.Conditions) == 1 {
						done := c.Conditions[0]
						done.Type, done.Reason = "Succeeded", "ClusterUpdatingSucceeded"
						c.Conditions = append(c.Conditions, done)
						return
					}
				}
			}
		}, time.Second, goes},
		"the run is stopped": {func(w *world.World, id engine.ID, _ world.CoverKey) {
			touch(w, id, "100")
			w.Runs[id].Spec.State, w.Runs[id].Generation = "Stop", w.Runs[id].Generation+1
		}, time.Second, goes},
	} {
		t.Run(name, func(t *testing.T) {
			s := situation.All(t)["preempted-by-binding"]
			w, id := s.World(t, "")
			w.Triage = causes{}
			now := situation.Moment(t, s.Now)
			read, _ := Observe(nil, w, world.Changed{}, now)
			v := read.Find(id)
			if v.Word != engine.WordPreempted || !v.Bound || v.Kept != nil {
				t.Fatalf("with bindings: %s, read %v, kept %v", v.Word, v.Bound, v.Kept)
			}
			key := world.CoverBindings(v.Placement)
			delete(w.Covered, key)
			delete(w.Bindings, key.Placement)
			changed := world.Changed{Runs: map[engine.ID]bool{id: true}}
			gone, _ := Observe(read, w, changed, now.Add(time.Second))
			if v = gone.Find(id); v.Word != engine.WordPreempted || v.Why.What != read.Find(id).Why.What || v.Bound || v.Kept == nil || !v.Kept.At.Equal(now) {
				t.Fatalf("without bindings: %s (%s), read %v, kept %+v", v.Word, v.Why.What, v.Bound, v.Kept)
			}
			if !slices.ContainsFunc(gone.Missing[id], func(g engine.Gap) bool {
				return strings.HasPrefix(g.What.String(), "bindings") && g.Why.String() == "last read at 10:01:09 UTC"
			}) {
				t.Errorf("gaps %v", gone.Missing[id])
			}
			tt.change(w, id, key)
			last, _ := Observe(gone, w, changed, now.Add(time.Second+tt.after))
			if v = last.Find(id); v.Word == engine.WordPreempted != (tt.want == stays) || v.Kept != nil != (tt.want == stays) {
				t.Errorf("%s, kept %v", v.Word, v.Kept)
			}
			if v.Read != (tt.want == stays || v.Bound) {
				t.Errorf("%s: its bindings have been read: %v", v.Word, v.Read)
			}
			if v.ResourceVersion.Value() != w.Runs[id].ResourceVersion {
				t.Errorf("version %s, want %s", v.ResourceVersion.Value(), w.Runs[id].ResourceVersion)
			}
			if again, _ := Observe(last, w, changed, now.Add(time.Second+tt.after)); again.Find(id) != v {
				t.Error("what did not change does not keep its pointer")
			}
			if v.Kept != nil && !v.Kept.At.Equal(now) {
				t.Errorf("kept since %s, want %s", v.Kept.At, now)
			}
		})
	}
}

// TestBindingsThatShowNothing checks that a run whose bindings showed nothing is not taken for one whose
// bindings were not read, as long as it does not go on, and what counts as unreadable.
func TestBindingsThatShowNothing(t *testing.T) {
	checked, lost := 0, 0
	for name, s := range situation.All(t) {
		w, id := s.World(t, "")
		now := situation.Moment(t, s.Now)
		read, _ := Observe(nil, w, world.Changed{}, now)
		v := read.Find(id)
		if v == nil || !v.Bound {
			continue
		}
		key := world.CoverBindings(v.Placement)
		delete(w.Covered, key)
		delete(w.Bindings, key.Placement)
		gone, _ := Observe(read, w, world.Changed{All: true}, now)
		if u := gone.Find(id); u.Kept == nil {
			checked++
			if u.Bound || !u.Read {
				t.Errorf("%s: bindings are read: %v; have been: %v", name, u.Bound, u.Read)
			}
		}
		// Whatever time does: a cause that is not shown any more is read again.
		for _, after := range []time.Duration{time.Minute, 3 * time.Minute, 6 * time.Minute, time.Hour} {
			touch(w, id, after.String())
			later, _ := Observe(gone, w, world.Changed{All: true}, now.Add(after))
			if is, u := gone.Find(id), later.Find(id); is.Kept != nil && u.Kept == nil && u.Read {
				t.Errorf("%s: after %v the cause %q has become %q, and its bindings do not count as not read", name, after, is.Why.What, u.Why.What)
			} else if is.Kept != nil && u.Kept == nil {
				lost++
			}
		}
		for state, want := range map[engine.CoverState]bool{engine.CoverNotAsked: false, engine.CoverLoading: false, engine.CoverForbidden: true, engine.CoverTruncated: true} {
			w.Covered[key] = engine.Coverage{State: state}
			all, _ := Observe(nil, w, world.Changed{}, now)
			if u := all.Find(id); u.Read || u.Unreadable != want {
				t.Errorf("%s: bindings in state %v: read %v, unreadable %v", name, state, u.Read, u.Unreadable)
			}
		}
	}
	if checked < 5 || lost < 1 {
		t.Errorf("%d runs checked, %d causes lost", checked, lost)
	}
}

// TestWhatIsNotKept checks what is not kept when bindings, or what is near a placement, are no longer
// read.
func TestWhatIsNotKept(t *testing.T) {
	near := func(w *world.World, key world.CoverKey, there bool) {
		w.Nearby = nil
		if there {
			w.Nearby = map[engine.ID]*world.Nearby{key.Placement: {}}
		}
	}
	unbound := func(w *world.World, key world.CoverKey) {
		delete(w.Covered, key)
		delete(w.Bindings, key.Placement)
	}
	for name, tt := range map[string]struct {
		situation string
		lose      func(w *world.World, id engine.ID, key world.CoverKey) // of bindings and Nearby
		kept      bool
	}{
		"bindings of a run in order": {"updating", func(w *world.World, _ engine.ID, key world.CoverKey) { near(w, key, false); unbound(w, key) }, false},
		"with a heartbeat":           {"preempted-by-binding", func(w *world.World, id engine.ID, key world.CoverKey) { unbound(w, key); touch(w, id, "100") }, true},
		"with a stop": {"preempted-by-binding", func(w *world.World, id engine.ID, key world.CoverKey) {
			unbound(w, key)
			touch(w, id, "100")
			w.Runs[id].Generation++
		}, false},
		"Nearby, with other bindings": {"preempted-by-binding", func(w *world.World, _ engine.ID, key world.CoverKey) {
			near(w, key, false)
			w.Bindings[key.Placement] = map[engine.ID]*world.Binding{}
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := situation.All(t)[tt.situation]
			w, id := s.World(t, "")
			w.Triage = causes{}
			w.Settings.StuckAfter = time.Hour
			now := situation.Moment(t, s.Now)
			key := world.CoverBindings(engine.PlacementKey(id, w.Runs[id].Spec.PlacementName))
			w.Covered[key] = engine.Coverage{State: engine.CoverComplete}
			if tt.situation != "updating" {
				near(w, key, true)
			}
			read, _ := Observe(nil, w, world.Changed{}, now)
			tt.lose(w, id, key)
			gone, _ := Observe(read, w, world.Changed{Runs: map[engine.ID]bool{id: true}}, now.Add(time.Second))
			w.Triage = causes{}
			fresh, _ := Observe(nil, w, world.Changed{}, now.Add(time.Second))
			switch v := gone.Find(id); {
			case tt.kept && (v.Kept == nil || v.Word != read.Find(id).Word):
				t.Errorf("%s, was %s, is not kept", v.Word, read.Find(id).Word)
			case !tt.kept && (v.Kept != nil || v.Word != fresh.Find(id).Word):
				t.Errorf("%s, kept %v, want %s", v.Word, v.Kept, fresh.Find(id).Word)
			}
		})
	}
}

// TestTheRunThatIsLookedAtIsReadAgain checks that a run under the cursor is said to fail also while what
// that is read from is read again and the run makes progress.
func TestTheRunThatIsLookedAtIsReadAgain(t *testing.T) {
	for _, looked := range []bool{true, false} {
		s := situation.All(t)["updating"]
		w, id := s.World(t, "")
		w.Triage, w.Focus = causes{}, engine.Focus{}
		if looked {
			w.Focus.Cursor = id
		}
		now := situation.Moment(t, s.Now)
		changed := world.Changed{Runs: map[engine.ID]bool{id: true}}
		w.Nearby = map[engine.ID]*world.Nearby{engine.PlacementKey(id, w.Runs[id].Spec.PlacementName): {}}
		snap, _ := Observe(nil, w, changed, now)
		w.Nearby = nil
		touch(w, id, "100")
		w.Runs[id].Generation++
		snap, _ = Observe(snap, w, changed, now.Add(time.Second))
		if v := snap.Find(id); v.Why.Fails != looked || v.Kept != nil != looked || v.Generation != w.Runs[id].Generation {
			t.Errorf("looked at %v: will fail %v, kept %v, generation %d", looked, v.Why.Fails, v.Kept, v.Generation)
		}
	}
}

// TestForbiddenBindingsStayForbidden checks that bindings which were never read are not said to have
// been read when a problem from elsewhere is kept.
func TestForbiddenBindingsStayForbidden(t *testing.T) {
	s := situation.All(t)["updating"]
	w, id := s.World(t, "")
	w.Triage = causes{}
	w.Settings.StuckAfter = time.Hour
	now := situation.Moment(t, s.Now)
	key := world.CoverBindings(engine.PlacementKey(id, w.Runs[id].Spec.PlacementName))
	delete(w.Bindings, key.Placement)
	w.Covered[key] = engine.Coverage{State: engine.CoverForbidden, Why: engine.Lit("no right")}
	w.Nearby = map[engine.ID]*world.Nearby{key.Placement: {}}
	read, _ := Observe(nil, w, world.Changed{}, now)
	w.Nearby = nil
	gone, _ := Observe(read, w, world.Changed{Runs: map[engine.ID]bool{id: true}}, now.Add(time.Second))
	if v := gone.Find(id); v.Kept == nil || !v.Why.Fails {
		t.Fatalf("kept %v, will fail %v", v.Kept, v.Why.Fails)
	}
	if !slices.ContainsFunc(gone.Missing[id], func(g engine.Gap) bool { return g.Forbidden && g.Why.String() == "forbidden: no right" }) {
		t.Errorf("gaps %v", gone.Missing[id])
	}
}

// TestAForecastIsKeptForAWhile checks how long it is said that a run will fail when what is near its
// placement is not read any more, with its bindings and without, and when that was known last.
func TestAForecastIsKeptForAWhile(t *testing.T) {
	for name, unbound := range map[string]bool{"bindings are read": false, "bindings are not read any more": true} {
		t.Run(name, func(t *testing.T) {
			s := situation.All(t)["updating"]
			w, id := s.World(t, "")
			w.Triage = causes{}
			w.Settings.StuckAfter = 8 * time.Minute // the run is slow within five minutes, and not stuck
			now := situation.Moment(t, s.Now)
			key := world.CoverBindings(engine.PlacementKey(id, w.Runs[id].Spec.PlacementName))
			w.Covered[key] = engine.Coverage{State: engine.CoverComplete}
			w.Nearby = map[engine.ID]*world.Nearby{key.Placement: {}}
			changed := world.Changed{Runs: map[engine.ID]bool{id: true}}
			w.Link.Heard = now.Add(-time.Second) // the hub has not answered since
			read, _ := Observe(nil, w, changed, now)
			if v := read.Find(id); !v.Why.Fails || !v.Near || !v.Bound || v.Kept != nil {
				t.Fatalf("will fail %v, read %v and %v, kept %v", v.Why.Fails, v.Near, v.Bound, v.Kept)
			}
			w.Nearby = nil
			if unbound {
				delete(w.Covered, key)
			}
			gone, next := Observe(read, w, changed, now.Add(time.Second))
			v := gone.Find(id)
			if !v.Why.Fails || v.Near || v.Bound == unbound || v.Kept == nil || !v.Kept.At.Equal(w.Link.Heard) {
				t.Fatalf("will fail %v, read %v and %v, kept %v", v.Why.Fails, v.Near, v.Bound, v.Kept)
			}
			until := w.Link.Heard.Add(forecastFor)
			if next.After(until) || v.Next.After(until) {
				t.Errorf("looks again at %s, want %s at the latest", next, until)
			}
			last, _ := Observe(gone, w, changed, until.Add(-time.Millisecond))
			if v = last.Find(id); !v.Why.Fails || !unbound && !v.Slow {
				t.Errorf("will fail %v, slow %v", v.Why.Fails, v.Slow)
			}
			over, _ := Observe(last, w, changed, until)
			if v = over.Find(id); v.Why.Fails || v.Kept != nil || !v.Slow {
				t.Errorf("still said to fail, kept %v, slow %v", v.Kept, v.Slow)
			}
			if unbound {
				return
			}
			w.Bindings[key.Placement] = map[engine.ID]*world.Binding{id: {ID: id, Cluster: "prod-9"}} // with another cause
			if changes, _ := Observe(gone, w, changed, now.Add(2*time.Second)); changes.Find(id).Kept != nil {
				t.Error("another cause is not shown")
			}
		})
	}
}

// causes is a Triage that makes something of what was read.
type causes struct{}

// Run implements world.Triage.
func (causes) Run(c *world.Case) engine.Diagnosis {
	cause := engine.Cause("no-bindings")
	if bindings, _ := c.PlacementBindings(); len(bindings) > 0 {
		cause = engine.Cause("bindings")
	}
	return engine.Diagnosis{What: engine.Textf("%s with bindings %s", c.View.Word, c.Bindings.State), Bindings: true, Fails: c.Nearby != nil, Cause: cause}
}

// Cluster implements world.Triage.
func (causes) Cluster(*world.Case, *world.CaseCluster) (why engine.Text, d engine.Diagnosis) {
	return engine.Text{}, engine.Diagnosis{}
}
