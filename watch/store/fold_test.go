package store

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/world"
)

func TestFold(t *testing.T) {
	at := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	id := func(name, uid string) engine.ID {
		return engine.NewID(engine.KindClusterStagedUpdateRun, "", name, uid)
	}
	w := world.NewWorld(engine.Settings{})
	f := newFolder(w)
	in := NewInbox()
	s := in.Open(runsKey)
	named := func(name string) *Object { return &Object{ID: id(name, "")} }
	fold := func(now time.Time) moves { return f.fold(in.fetch().sets, now) }

	s.Print(map[engine.ID]world.PrintedRun{id("a", "1"): {}, id("b", "2"): {}}, true)
	if m := fold(at); !m.Runs[id("a", "1")] || len(w.Printed) != 2 || w.Covered[runsKey].State != engine.CoverLoading {
		t.Fatalf("printed %v, covered %v, moved %v", w.Printed, w.Covered, m.Runs)
	}
	s.Put(runObject("a", "1", 1, "p"))
	s.Cover(engine.Coverage{State: engine.CoverLoading, N: 1})
	fold(at)
	if c := w.Covered[runsKey]; !c.Named || c.N != 1 {
		t.Errorf("rows of all runs, and the first object: covered %+v", c)
	}
	if len(w.Printed) != 1 || w.Runs[id("a", "1")] == nil || w.FirstSeen[id("a", "1")].At != at {
		t.Errorf("after the first object: printed %v, first seen %v", w.Printed, w.FirstSeen)
	}
	kept := w.Runs[id("a", "1")]
	s.Replace([]*Object{runObject("a", "1", 1, "p"), runObject("c", "3", 2, "q")})
	m := fold(at.Add(time.Minute))
	var all moves
	if all.merge(m); !all.Requests || !all.any {
		t.Error("a run came, and no approval request is to be read again")
	}
	if c := w.Covered[runsKey]; len(w.Printed) != 0 || len(w.Runs) != 2 || c.State != engine.CoverComplete || c.Named || !m.All {
		t.Errorf("after the list: printed %v, runs %v, covered %v", w.Printed, w.Runs, w.Covered)
	}
	if w.Runs[id("a", "1")] != kept || w.FirstSeen[id("a", "1")].At != at {
		t.Error("a list of what was there replaced it")
	}
	s.Print(map[engine.ID]world.PrintedRun{id("z", "9"): {}}, true) // comes late
	if fold(at); len(w.Printed) != 0 {
		t.Error("printed rows were taken after the list")
	}
	// Deleted and made again between two events.
	s.Put(runObject("a", "4", 5, "p"))
	if m := fold(at); w.Runs[id("a", "1")] != nil || w.Runs[id("a", "4")] == nil || !m.Runs[id("a", "1")] || m.All {
		t.Errorf("made again: %v, moved %v", w.Runs, m.Runs)
	}
	s.Remove(named("c"))
	s.Remove(named("never there"))
	if m := fold(at); len(w.Runs) != 1 || len(w.FirstSeen) != 1 || !m.Requests {
		t.Errorf("after deletions: %v, first seen %v, requests to be read again: %v", w.Runs, w.FirstSeen, m.Requests)
	}
	// Broken, then whole again.
	s.Put(&Object{Version: "6", ID: id("a", "4"), Broken: "torn"})
	if fold(at); w.Runs[id("a", "4")] != nil || w.Broken[id("a", "4")] != "torn" {
		t.Errorf("broken: %v, %v", w.Runs, w.Broken)
	}
	s.Put(runObject("a", "4", 7, "p"))
	if fold(at); w.Runs[id("a", "4")] == nil || len(w.Broken) != 0 {
		t.Errorf("whole again: %v, %v", w.Runs, w.Broken)
	}
	// A set that is dropped leaves nothing, and its stream is not heard any more.
	in.Drop(s)
	s.Put(runObject("late", "8", 9, "p"))
	if fold(at); len(w.Runs)+len(w.Covered)+len(w.FirstSeen) != 0 {
		t.Errorf("dropped: %v, %v", w.Runs, w.Covered)
	}
}

// A command that has just started sees a change as old as the API server recorded it: what
// the controller has not observed for long is found at once.
func TestAChangeIsAsOldAsItsRecord(t *testing.T) {
	at := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		name     string
		recorded time.Time
		want     time.Time
	}{
		{"nothing is recorded", time.Time{}, at},
		{"changed a minute ago", at.Add(-time.Minute), at.Add(-time.Minute)},
		{"recorded by a clock that is ahead", at.Add(time.Minute), at},
	} {
		w := world.NewWorld(engine.Settings{})
		f, in := newFolder(w), NewInbox()
		o := runObject("a", "1", 1, "p")
		if !tt.recorded.IsZero() {
			recorded := metav1.NewTime(tt.recorded)
			o.Value.(*placement.StagedUpdateRun).ManagedFields = []metav1.ManagedFieldsEntry{{Time: &recorded}}
		}
		in.Open(runsKey).Put(o)
		if f.fold(in.fetch().sets, at); !w.FirstSeen[o.ID].At.Equal(tt.want) {
			t.Errorf("%s: changed at %v, want %v", tt.name, w.FirstSeen[o.ID].At, tt.want)
		}
	}
}

// TestStartsAreAsOldAsTheirArrival checks that the start of a cluster keeps the time at which it
// was received while the run changes for other reasons, so that its binding is compared in time.
func TestStartsAreAsOldAsTheirArrival(t *testing.T) {
	t0 := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	w := world.NewWorld(engine.Settings{})
	f, in := newFolder(w), NewInbox()
	s := in.Open(runsKey)
	version := 0
	put := func(at time.Time, startedClusters ...string) {
		version++
		o := runObject("a", "1", version, "p")
		o.Value.(*placement.StagedUpdateRun).Generation, o.Value.(*placement.StagedUpdateRun).ResourceVersion = int64(version), strconv.Itoa(version)
		stage := placement.StageStatus{StageName: "one"}
		for _, name := range []string{"c1", "c2", "c3"} {
			c := placement.ClusterStatus{ClusterName: name}
			if slices.Contains(startedClusters, name) {
				c.Conditions = []metav1.Condition{{Type: placement.ClusterStarted, Status: metav1.ConditionTrue}}
			}
			stage.Clusters = append(stage.Clusters, c)
		}
		o.Value.(*placement.StagedUpdateRun).Status.StagesStatus = []placement.StageStatus{stage}
		s.Put(o)
		f.fold(in.fetch().sets, at)
	}
	put(t0, "c1")
	put(t0.Add(2*time.Second), "c1", "c2")
	for at := 4 * time.Second; at <= 30*time.Second; at += 2 * time.Second {
		put(t0.Add(at), "c1", "c2")
	}
	put(t0.Add(32*time.Second), "c1", "c2", "c3")
	seen := w.FirstSeen[runObject("a", "1", 1, "p").ID]
	for name, want := range map[string]world.Arrival{"c1": {At: t0, Version: "1"}, "c2": {At: t0.Add(2 * time.Second), Version: "2"}, "c3": {At: t0.Add(32 * time.Second), Version: "17"}} {
		if got := seen.Start(name); got != want {
			t.Errorf("start of %s came as %v, want %v", name, got, want)
		}
	}
	put(t0.Add(2*time.Minute), "c1", "c2", "c3")
	if seen := w.FirstSeen[runObject("a", "1", 1, "p").ID]; len(seen.Starts) != 0 || !seen.Start("c3").At.Equal(t0) {
		t.Errorf("starts of two minutes ago: %v", seen.Starts)
	}
}

// When runs of all namespaces are not permitted any more, those of one namespace
// take their place; both can come in one fold.
func TestFoldForgetsBeforeItTakesIn(t *testing.T) {
	all := world.CoverAll(engine.KindStagedUpdateRun)
	one := world.CoverKey{Kind: engine.KindStagedUpdateRun, Namespace: "shop"}
	id := engine.NewID(engine.KindStagedUpdateRun, "shop", "a", "1")
	run := runObject("a", "1", 1, "p")
	run.ID = id
	for range 50 { // what waits in the inbox has no order
		w := world.NewWorld(engine.Settings{})
		f := newFolder(w)
		in := NewInbox()
		wide := in.Open(all)
		wide.Replace([]*Object{run})
		f.fold(in.fetch().sets, time.Time{})
		in.Drop(wide)
		in.Open(one).Replace([]*Object{run})
		if f.fold(in.fetch().sets, time.Time{}); w.Runs[id] == nil {
			t.Fatal("the run of the namespace is gone with the set of all")
		}
	}
}

// What happens to an approval, a placement or a binding moves the runs that it
// is about, and no others.
func TestFoldMovesTheRightRuns(t *testing.T) {
	w := world.NewWorld(engine.Settings{})
	f := newFolder(w)
	in := NewInbox()
	runs := in.Open(runsKey)
	approvals := in.Open(world.CoverAll(engine.KindClusterApprovalRequest))
	places := in.Open(world.CoverAll(engine.KindClusterResourcePlacement))
	p := engine.NewID(engine.KindClusterResourcePlacement, "", "p", "")
	bindings := in.Open(world.CoverBindings(p))
	a, b := runObject("a", "1", 1, "p"), runObject("b", "2", 1, "q")
	b.Value.(*placement.StagedUpdateRun).Status.Conditions = []metav1.Condition{{Type: placement.RunSucceeded, Status: metav1.ConditionTrue}}
	runs.Replace([]*Object{a, b})
	approvals.Replace(nil)
	places.Replace(nil)
	bindings.Replace(nil)
	f.fold(in.fetch().sets, time.Time{})
	if w.Bindings[p] == nil {
		t.Error("an empty set of bindings is not known as one")
	}
	requestID := engine.NewID(engine.KindClusterApprovalRequest, "", "a-before-s", "9")
	bindingID := engine.NewID(engine.KindClusterResourceBinding, "", "p-a", "8")
	request := &placement.ApprovalRequest{ObjectMeta: metav1.ObjectMeta{Name: "a-before-s", ResourceVersion: "3"}}
	request.Spec.ParentStageRollout = "a"
	tests := []struct {
		name string
		do   func()
	}{
		{"approval", func() {
			approvals.Put(&Object{Version: "3", ID: requestID, Value: request})
		}},
		{"placement", func() {
			id := engine.NewID(engine.KindClusterResourcePlacement, "", "p", "7")
			places.Put(&Object{ID: id, Value: &world.Placement{ID: id}})
		}},
		{"binding", func() {
			bindings.Put(&Object{ID: bindingID, Value: &world.Binding{ID: bindingID}})
		}},
		{"binding gone", func() { bindings.Remove(&Object{ID: bindingID}) }},
		{"approval gone", func() { approvals.Remove(&Object{ID: requestID}) }},
		{"bindings may not be read", func() { bindings.Cover(engine.Coverage{State: engine.CoverForbidden}) }},
		{"bindings are not watched any more", func() { in.Drop(bindings) }},
		{"bindings are asked for", func() { in.Open(world.CoverBindings(p)) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.do()
			m := f.fold(in.fetch().sets, time.Time{})
			if !m.any || m.All || len(m.Runs) != 1 || !m.Runs[a.ID] {
				t.Errorf("moved all %v, runs %v", m.All, m.Runs)
			}
			if requests := strings.HasPrefix(tt.name, "approval"); m.Requests != requests {
				t.Errorf("requests or runs came or went: %v, want %v", m.Requests, requests)
			}
		})
	}
}

// TestPlacementMovesUnfinishedRuns checks that unfinished runs of other placements are
// looked at again when a placement is created, deleted or about to be: their steps name it.
func TestPlacementMovesUnfinishedRuns(t *testing.T) {
	f := newFolder(world.NewWorld(engine.Settings{}))
	in := NewInbox()
	runs, places := in.Open(runsKey), in.Open(world.CoverAll(engine.KindClusterResourcePlacement))
	waiting, ended := runObject("waiting", "1", 1, "q"), runObject("ended", "2", 1, "q")
	ended.Value.(*placement.StagedUpdateRun).Status.Conditions = []metav1.Condition{{Type: placement.RunSucceeded, Status: metav1.ConditionFalse}}
	runs.Replace([]*Object{waiting, ended})
	places.Replace(nil)
	f.fold(in.fetch().sets, time.Time{})
	id := engine.NewID(engine.KindClusterResourcePlacement, "", "p", "7")
	put := func(version string, deleting time.Time) func() {
		return func() {
			places.Put(&Object{ID: id, Version: version, Value: &world.Placement{ID: id, Deleting: deleting}})
		}
	}
	for _, tt := range []struct {
		name string
		do   func()
		want bool
	}{
		{"created", put("1", time.Time{}), true},
		{"changed", put("2", time.Time{}), false},
		{"is being deleted", put("3", time.Unix(1, 0)), true},
		{"changed while deleted", put("4", time.Unix(1, 0)), false},
		{"deleted", func() { places.Remove(&Object{ID: id}) }, true},
	} {
		tt.do()
		if m := f.fold(in.fetch().sets, time.Time{}); m.All || m.Runs[waiting.ID] != tt.want || m.Runs[ended.ID] {
			t.Errorf("%s: moved all %v, runs %v", tt.name, m.All, m.Runs)
		}
	}
}

// A run is packed while it has succeeded: its clusters go with it, and when it is whole.
func TestFoldPacks(t *testing.T) {
	w := world.NewWorld(engine.Settings{ClusterRuns: true})
	f := newFolder(w)
	key := world.CoverAll(engine.KindClusterStagedUpdateRun)
	id := engine.NewID(engine.KindClusterStagedUpdateRun, "", "web", "u")
	run := &placement.StagedUpdateRun{ObjectMeta: metav1.ObjectMeta{Name: "web"}}
	run.Status.StagesStatus = []placement.StageStatus{{StageName: "prod", Clusters: []placement.ClusterStatus{{ClusterName: "prod-1"}}}}
	done := run.DeepCopy()
	done.Status.Conditions = []metav1.Condition{{Type: placement.RunSucceeded, Status: metav1.ConditionTrue}}
	put := func(version string, value any) moves {
		o := &Object{ID: id, Version: version, Value: value}
		d := &delivery{}
		d.put(o.key(), o)
		return f.fold(map[world.CoverKey]*delivery{key: d}, time.Now())
	}
	if m := put("1", world.Pack(done)); !m.Runs[id] || w.Runs[id] == nil || w.Packed[id] == nil || len(w.Whole(id).Status.StagesStatus[0].Clusters) != 1 {
		t.Errorf("the packed run: %+v, %+v", w.Runs[id], w.Packed[id])
	}
	if put("2", run); w.Packed[id] != nil || w.Whole(id) != run {
		t.Errorf("the whole run: %+v, %+v", w.Runs[id], w.Packed[id])
	}
	put("3", world.Pack(done))
	d := &delivery{}
	d.put(objectKey{name: "web"}, nil)
	f.fold(map[world.CoverKey]*delivery{key: d}, time.Now())
	if len(w.Runs)+len(w.Packed) != 0 {
		t.Errorf("after its deletion: %v, %v", w.Runs, w.Packed)
	}
}

// TestFoldNotesHowFarASetIsKnown checks that the version up to which a set is known stays until a
// later one, and goes with the set.
func TestFoldNotesHowFarASetIsKnown(t *testing.T) {
	w := world.NewWorld(engine.Settings{})
	f, in := newFolder(w), NewInbox()
	key := world.CoverBindings(engine.NewID(engine.KindClusterResourcePlacement, "", "p", ""))
	bindings := in.Open(key)
	for _, tt := range []struct {
		do   func()
		want string
	}{
		{func() { bindings.Replace(nil); bindings.Reach("7") }, "7"},
		{func() { bindings.Cover(engine.Coverage{State: engine.CoverComplete}) }, "7"},
		{func() { bindings.Reach("9") }, "9"},
		{func() { bindings.Replace(nil); bindings.Reach("3") }, "3"}, // the hub went back to a backup
		{func() { in.Drop(bindings); bindings.Reach("10") }, ""},
	} {
		tt.do()
		f.fold(in.fetch().sets, time.Time{})
		if got := w.Reached[key]; got != tt.want {
			t.Errorf("known up to %q, want %q", got, tt.want)
		}
	}
}

// TestFoldRows checks that a row of a run gives way to the run, and the run to a row of another version alone.
func TestFoldRows(t *testing.T) {
	at := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	w := world.NewWorld(engine.Settings{})
	f, in := newFolder(w), NewInbox()
	s := in.Open(runsKey)
	id := runObject("a", "1", 7, "p").ID
	row := func(version int, replaces bool) *Object {
		o := runObject("a", "1", version, "p")
		run, _ := o.Value.(*placement.StagedUpdateRun)
		o.Value, o.Replaces = world.RowOnly(run.ObjectMeta, &world.PrintedRun{Placement: "p", Generation: run.Generation}), replaces
		return o
	}
	for _, tt := range []struct {
		what    string
		o       *Object
		rowOnly bool
		moved   bool
	}{
		{"the row first", row(7, false), true, true},
		{"the row again", row(7, false), true, false},
		{"the run", runObject("a", "1", 7, "p"), false, true},
		{"the row of this run", row(7, false), false, false},
		{"the row of a hub that may have changed", row(7, true), true, true},
		{"the run again", runObject("a", "1", 7, "p"), false, true},
		{"the row of a newer one", row(8, false), true, true},
		{"a run that goes on again", runObject("a", "1", 9, "p"), false, true},
	} {
		seen := w.FirstSeen[id]
		s.Replace([]*Object{tt.o})
		m := f.fold(in.fetch().sets, at)
		if w.Packed[id].IsRowOnly() != tt.rowOnly || m.Runs[id] != tt.moved || w.Runs[id] == nil {
			t.Errorf("%s: row only %v, moved %v", tt.what, w.Packed[id].IsRowOnly(), m.Runs)
		}
		if after := w.FirstSeen[id]; tt.rowOnly && (after.Generation != seen.Generation || after.At != seen.At) {
			t.Errorf("%s: seen %+v, before %+v", tt.what, after, seen)
		}
	}
	if _, changes := in.Changes(id); len(changes) > 0 {
		t.Errorf("rows are changes: %v", changes)
	}
}

// TestARowDoesNotReplaceARunThatWasNotFetched checks that a list of rows, which come in place of whole runs that have not
// changed, keeps those that the feed has not taken yet.
func TestARowDoesNotReplaceARunThatWasNotFetched(t *testing.T) {
	key := world.CoverKey{Kind: engine.KindClusterStagedUpdateRun}
	object := func(name, version string, rowOnly, replaces bool) *Object {
		run := &placement.StagedUpdateRun{}
		run.Name, run.ResourceVersion = name, version
		o := &Object{ID: engine.NewID(key.Kind, "", name, "u"), Version: version, Value: run, Replaces: replaces}
		if rowOnly {
			o.Value = world.RowOnly(run.ObjectMeta, &world.PrintedRun{})
		}
		return o
	}
	in := NewInbox()
	s := in.Open(key)
	s.Replace([]*Object{object("listed", "1", false, false), object("changed", "2", false, false), object("deleted", "3", false, false)})
	s.Put(object("put", "4", false, false))
	s.Put(object("changed", "5", false, false))
	s.Put(object("restored", "6", false, false))
	s.Put(object("newer", "6", false, false))
	s.Remove(object("deleted", "3", false, false))
	for range 2 {
		s.Replace([]*Object{
			object("listed", "1", true, false), object("changed", "5", true, false), object("put", "4", true, false), object("deleted", "3", true, false),
			object("restored", "6", true, true), object("newer", "7", true, false),
		})
	}
	rows := ""
	for _, o := range in.fetch().sets[key].all {
		if packed, _ := o.Value.(*world.PackedRun); packed.IsRowOnly() {
			rows += o.ID.RawName() + " "
		}
	}
	if rows != "deleted restored newer " {
		t.Errorf("rows are: %s", rows)
	}
}
