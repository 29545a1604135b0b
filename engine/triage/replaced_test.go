package triage

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/evidence"
	"github.com/stagewatch/stagewatch/engine/observe"
	"github.com/stagewatch/stagewatch/engine/world"
)

// Clusters that another run has updated since count as done, and are named: in the
// counts, in the cause. So are the pending clusters that have a newer
// snapshot.
func TestDoneClustersThatAnotherRunUpdated(t *testing.T) {
	for scope, ns := range scopes {
		for _, base := range []string{"approval-before", "stopped"} {
			s := load(t, "../internal/situation/testdata", 50)[base]
			rollout := func(cluster, snapshot, run string, overrides ...string) bindingData {
				return bindingData{Cluster: cluster, State: "Bound", SnapshotName: "shop-" + snapshot + "-snapshot", Overrides: overrides, Conditions: []metav1.Condition{{
					Type: placement.BindingRolloutStarted, Status: metav1.ConditionTrue, LastTransitionTime: metav1.NewTime(moment(t, s.Now)),
					Message: "Detected the new changes on the resources and started the rollout process, resourceSnapshotIndex: " + snapshot + ", updateRun: " + run,
				}}}
			}
			s.Bindings = []bindingData{rollout("dev-1", "4", "r2"), rollout("dev-2", "3", "r1", "limits-1"), rollout("prod-1", "3", "r1"), rollout("prod-3", "10", "r2"), rollout("prod-4", "1", "r0")}
			w, id := s.world(t, ns)
			snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
			v := snap.Find(id)
			if v.Replaced != 2 || v.Stages[0].Replaced != 2 || v.ReplacedBy.Name().String() != "r2" {
				t.Fatalf("%s/%s: %d replaced by %s", scope, base, v.Replaced, v.ReplacedBy.Title())
			}
			says := "None of the %d clusters recorded as done still has"
			if v.Done > 2 {
				says = "2 of the %d clusters recorded as done no longer have"
			}
			has(t, v.Why.What.String(), fmt.Sprintf(says+" what this run rolled out: snapshot 4 of run r2: dev-1; snapshot 3 with other overrides or apply strategy: dev-2.", v.Done))
			if !slices.ContainsFunc(v.Why.Also, func(f engine.Finding) bool { return f.Cause.String() == "done-clusters-updated-since" }) {
				t.Errorf("%s/%s: also %v", scope, base, v.Why.Also)
			}
			if back := v.Stages[1].Back; len(back) != 1 || back[0].String() != "prod-3" || len(v.Stages[0].Back) != 0 {
				t.Errorf("%s/%s: %v", scope, base, back)
			}
		}
	}
}

// A run that another preempted, and that the controller has not failed yet, says once which
// done clusters it no longer holds, and what to decide about them.
func TestAPreemptedRunWithReplacedClusters(t *testing.T) {
	for scope, ns := range scopes {
		s := load(t, "../internal/situation/testdata", 50)["preempted-by-binding"]
		for _, cluster := range []string{"dev-1", "dev-2"} {
			s.Bindings = append(s.Bindings, bindingData{Cluster: cluster, State: "Bound", SnapshotName: "shop-9-snapshot", Conditions: []metav1.Condition{{
				Type: placement.BindingRolloutStarted, Status: metav1.ConditionTrue, LastTransitionTime: metav1.NewTime(moment(t, s.Now)),
				Message: "Detected the new changes on the resources and started the rollout process, resourceSnapshotIndex: 9, updateRun: r2",
			}}})
		}
		w, id := s.world(t, ns)
		snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
		v := snap.Find(id)
		if v.Word != engine.WordPreempted || v.Terminal || v.Replaced != 2 {
			t.Fatalf("%s: %s, terminal %v, %d replaced", scope, v.Word, v.Terminal, v.Replaced)
		}
		if n := strings.Count(v.Why.What.String(), "recorded as done"); n != 1 {
			t.Errorf("%s: said %d times: %s", scope, n, v.Why.What)
		}
		has(t, engine.Join(v.Why.Steps, " ").String(), "Decide which snapshot clusters dev-1 and dev-2 should have")
		if !slices.ContainsFunc(v.Why.Also, func(f engine.Finding) bool { return f.Cause.String() == "done-clusters-updated-since" }) {
			t.Errorf("%s: also %v", scope, v.Why.Also)
		}
	}
}

// The bindings of a run are read when a run that is younger has ended since.
func TestBindingsOfARunThatAnotherOvertook(t *testing.T) {
	s := load(t, "../internal/situation/testdata", 50)["approval-before"]
	w, id := s.world(t, "")
	snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
	if v := snap.Find(id); len(evidence.Troubled(snap)) != 0 {
		t.Fatalf("%s: %v", v.Word, evidence.Troubled(snap))
	}
	other := load(t, "../internal/situation/testdata", 50)["done"].Run
	other.Name, other.UID = "r9", "u-r9"
	w.Runs[id.Beside(id.Kind(), "", "r9", "u-r9")] = &other
	snap, _ = observe.Observe(nil, w, world.Changed{}, moment(t, s.Now).Add(time.Hour))
	if got := evidence.Troubled(snap); len(got) != 1 {
		t.Errorf("bindings wanted of %v", got)
	}
}

// A cluster that another run took while this one was stopping is recorded as done with the
// snapshot of the other run. A resume is not the first step then, and the bindings of
// a stopped run are read though nobody opened it.
func TestAStoppedRunWithAClusterOfAnotherRun(t *testing.T) {
	for scope, ns := range scopes {
		for rollout, early := range map[string]string{"10:00:45": ", which replaced snapshot 3 before its update had finished", "10:20:00": ""} {
			s := load(t, "../internal/situation/testdata", 50)["stopped"]
			s.Bindings = []bindingData{{Cluster: "dev-2", State: "Bound", SnapshotName: "shop-1-snapshot", Conditions: []metav1.Condition{{
				Type: placement.BindingRolloutStarted, Status: metav1.ConditionTrue, LastTransitionTime: metav1.NewTime(moment(t, rollout)),
				Message: "Detected the new changes on the resources and started the rollout process, resourceSnapshotIndex: 1, updateRun: back",
			}}}}
			w, id := s.world(t, ns)
			snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
			v := snap.Find(id)
			if v.Word != engine.WordStopped || v.Replaced != 1 || len(evidence.Troubled(snap)) != 1 {
				t.Fatalf("%s: %s, %d replaced, bindings of %v", scope, v.Word, v.Replaced, evidence.Troubled(snap))
			}
			has(t, v.Why.What.String(), "Cluster dev-2 is recorded as done, but has snapshot 1 of run back"+early+".")
			has(t, v.Why.RecoveryText.String(), "decide which snapshot cluster dev-2 should have")
			want := []string{
				"Decide which snapshot cluster dev-2 should have (stagewatch owners): this run does not update it again.",
				"To put snapshot 3 on cluster dev-2, create a new run (stagewatch clone) with that snapshot: the new run also updates the remaining clusters. Delete this run (stagewatch delete) after that.",
				"To keep what cluster dev-2 has, resume this run (stagewatch run): stage prod, 2 clusters, max 2.",
			}
			if got := engine.Join(v.Why.Steps, "\n").String(); got != strings.Join(want, "\n") || v.Why.NextActions[0] != engine.NextOwners {
				t.Errorf("%s: %v\n%s", scope, v.Why.NextActions, got)
			}
		}
	}
}

// The step that puts the snapshot of a run on its done clusters again is offered only while that
// snapshot exists.
func TestDoneClustersOfARunWhoseSnapshotIsGone(t *testing.T) {
	for scope, ns := range scopes {
		for index, want := range map[string]string{
			"3": "To put snapshot 3 on cluster dev-2, create a new run (stagewatch clone) with that snapshot:",
			"4": "Snapshot 3 of this run no longer exists. To update cluster dev-2, create a new run (stagewatch clone) without an index:",
		} {
			s := load(t, "../internal/situation/testdata", 50)["stopping-before-removal"]
			s.Bindings = []bindingData{{Cluster: "dev-2", State: "Bound", SnapshotName: "shop-1-snapshot"}}
			s.Nearby = &nearbyData{Resources: []placement.ResourceSnapshot{{ObjectMeta: metav1.ObjectMeta{
				Name: "shop-" + index + "-snapshot", Labels: map[string]string{placement.LabelResourceIndex: index, placement.LabelParentPlacement: "shop"}, Annotations: map[string]string{placement.AnnotationResourceHash: "x"},
			}}}}
			w, id := s.world(t, ns)
			snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
			if steps := engine.Join(snap.Find(id).Why.Steps, "\n").String(); !strings.Contains(steps, want) {
				t.Errorf("%s, snapshot %s: %s", scope, index, steps)
			}
		}
	}
}

// Where the run that updated the done clusters was created later and has finished, the decision
// is between the two runs: a resume, which would keep its clusters beside those of this one, goes.
func TestAStoppedRunThatALaterRunHasOvertaken(t *testing.T) {
	for scope, ns := range scopes {
		s := load(t, "../internal/situation/testdata", 50)["stopped"]
		s.Bindings = []bindingData{{Cluster: "dev-2", State: "Bound", SnapshotName: "shop-4-snapshot", Conditions: []metav1.Condition{{
			Type: placement.BindingRolloutStarted, Status: metav1.ConditionTrue, LastTransitionTime: metav1.NewTime(moment(t, "10:20:00")),
			Message: "Detected the new changes on the resources and started the rollout process, resourceSnapshotIndex: 4, updateRun: r2",
		}}}}
		s.surrounded(t)
		s.rolling(t)
		later := *s.Run.DeepCopy()
		later.Name, later.UID, later.Status.ResourceSnapshotIndexUsed, later.CreationTimestamp = "r2", "u-r2", "4", metav1.NewTime(s.Run.CreationTimestamp.Add(time.Minute))
		meta.SetStatusCondition(&later.Status.Conditions, metav1.Condition{Type: placement.RunSucceeded, Status: metav1.ConditionTrue, Reason: "x"})
		s.Others = append(s.Others, later)
		w, id := s.world(t, ns)
		snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
		steps := engine.Join(snap.Find(id).Why.Steps, "\n").String()
		has(t, steps, "Decide whether this run is still wanted (stagewatch owners). To keep snapshot 4 of run r2 everywhere, delete this run (stagewatch delete).")
		if strings.Contains(steps, "To keep what cluster dev-2 has") {
			t.Errorf("%s: %s", scope, steps)
		}
	}
}

// A run that continues by itself has nothing to do only while its done clusters have what
// it rolled out.
func TestARunningRunWithAClusterOfAnotherRun(t *testing.T) {
	for scope, ns := range scopes {
		for _, base := range []string{"between-stages", "timed-wait"} {
			s := load(t, "../internal/situation/testdata", 50)[base]
			done := ""
			for _, c := range s.Run.Status.StagesStatus[0].Clusters {
				if engine.ReadCondition(c.Conditions, placement.ClusterSucceeded).Truth == engine.TruthYes {
					done = c.ClusterName
				}
			}
			s.Bindings = append(s.Bindings, bindingData{Cluster: done, State: "Bound", SnapshotName: "shop-1-snapshot"})
			w, id := s.world(t, ns)
			snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
			d := &snap.Find(id).Why
			has(t, d.Next.String(), "Decide which snapshot cluster "+done+" should have (stagewatch owners)")
			has(t, d.RecoveryText.String(), "Needs a person: decide which snapshot cluster "+done+" should have. The run itself continues.")
			if d.Recovery != engine.RecoveryByPerson || d.NextActions[0] != engine.NextOwners || slices.Contains(d.Steps, engine.Lit("Nothing to do.")) {
				t.Errorf("%s/%s: %v %v %v", scope, base, d.Recovery, d.NextActions, d.Steps)
			}
		}
	}
}

// A run that is in progress and moves pending clusters back says so, too.
func TestARunInProgressThatMovesBack(t *testing.T) {
	for scope, ns := range scopes {
		for _, index := range []string{"2", "9"} {
			s := load(t, "../internal/situation/testdata", 50)["timed-wait"]
			s.Bindings = nil
			for _, c := range s.Run.Status.StagesStatus[len(s.Run.Status.StagesStatus)-1].Clusters {
				s.Bindings = append(s.Bindings, bindingData{Cluster: c.ClusterName, State: "Bound", SnapshotName: "shop-" + index + "-snapshot"})
			}
			w, id := s.world(t, ns)
			snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
			if v := snap.Find(id); strings.Contains(v.Why.What.String(), "back to the older snapshot 3") != (index == "9") {
				t.Errorf("%s, clusters with snapshot %s: %s %s", scope, index, v.Word, v.Why.What)
			}
		}
	}
}
