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

// TestAForecastIsKeptForAWhile checks how long it is said that a run will fail when what is near its
// placement is not read any more.
func TestAForecastIsKeptForAWhile(t *testing.T) {
	s := situation.All(t)["updating"]
	w, id := s.World(t, "")
	w.Settings.StuckAfter = time.Hour // else the run is stuck before
	w.Triage = causes{}
	now := situation.Moment(t, s.Now)
	before, _ := Observe(nil, w, world.Changed{}, now)
	key := before.Find(id).Placement.Key()
	changed := world.Changed{Runs: map[engine.ID]bool{id: true}}
	w.Nearby = map[engine.ID]*world.Nearby{key: {}}
	read, _ := Observe(before, w, changed, now.Add(time.Second))
	if v := read.Find(id); !v.Why.Fails || !v.Near || v.Kept != nil {
		t.Fatalf("will fail %v, read %v, kept %v", v.Why.Fails, v.Near, v.Kept)
	}
	w.Nearby = nil
	gone, next := Observe(read, w, changed, now.Add(2*time.Second))
	v := gone.Find(id)
	if !v.Why.Fails || v.Near || v.Kept == nil || !v.Kept.At.Equal(now.Add(time.Second)) {
		t.Fatalf("will fail %v, read %v, kept %v", v.Why.Fails, v.Near, v.Kept)
	}
	if until := now.Add(time.Second + forecastFor); next.After(until) || v.Next.After(until) {
		t.Errorf("looks again at %s, want %s at the latest", next, until)
	}
	last, _ := Observe(gone, w, world.Changed{}, now.Add(time.Second+forecastFor-time.Millisecond))
	if !last.Find(id).Why.Fails {
		t.Error("forgotten too early")
	}
	last, _ = Observe(last, w, world.Changed{}, now.Add(time.Second+forecastFor))
	if v = last.Find(id); v.Why.Fails || v.Kept != nil {
		t.Errorf("still said to fail, kept %v", v.Kept)
	}
}

// causes is a Triage that makes something of what was read.
type causes struct{}

// Run implements world.Triage.
func (causes) Run(c *world.Case) engine.Diagnosis {
	return engine.Diagnosis{What: engine.Textf("%s with bindings %s", c.View.Word, c.Bindings.State), Bindings: true, Fails: c.Nearby != nil}
}

// Cluster implements world.Triage.
func (causes) Cluster(*world.Case, *world.CaseCluster) (why engine.Text, d engine.Diagnosis) {
	return engine.Text{}, engine.Diagnosis{}
}
