package triage

import (
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/observe"
	"github.com/stagewatch/stagewatch/engine/world"
)

// A run that failed because it was preempted is explained by what the binding is now: a
// clone is not advised for a cluster that has the run's snapshot again, and a binding that
// was deleted is not called a change by another run.
func TestWhatBecameOfThePreemptedCluster(t *testing.T) {
	const started = "Detected the new changes on the resources and started the rollout process, resourceSnapshotIndex: 3, updateRun: r3"
	deleted := metav1.NewTime(moment(t, "10:20:00"))
	for _, tt := range []struct {
		name              string
		binding           *bindingData
		cause, what, next string
		recovery          engine.Recovery
		evidence          string
	}{
		{
			"a third run gave it the same snapshot",
			&bindingData{Cluster: "prod-2", State: "Bound", SnapshotName: "shop-3-snapshot", Generation: 5, Conditions: []metav1.Condition{{
				Type: placement.BindingRolloutStarted, Status: metav1.ConditionTrue, Reason: "RolloutStarted", ObservedGeneration: 5, LastTransitionTime: metav1.NewTime(moment(t, "10:15:00")), Message: started,
			}}},
			"preempted-restored", "preempted on cluster prod-2 (stage prod, since 10:02:05 UTC); run r3 has given it snapshot 3 with the same overrides since.", "Check which clusters do not have this snapshot (stagewatch owners).",
			engine.RecoveryByPerson, "(observedGeneration 5, generation of the binding 5)",
		},
		{
			"the binding is gone", nil,
			"preempted-binding-inactive", "preempted on cluster prod-2 (stage prod, since 10:02:05 UTC); the cluster has no binding now.", "Find out why the cluster loses its binding",
			engine.RecoveryByNewRun, "none for cluster prod-2",
		},
		{
			"the binding is being deleted",
			&bindingData{Cluster: "prod-2", State: "Bound", SnapshotName: "shop-2-snapshot", Deleting: deleted, Finalizers: []string{"backup.example/hold"}},
			"preempted-binding-inactive", `its binding is being deleted (requested at 10:20:00 UTC); finalizer "backup.example/hold" blocks the deletion.`, `Check why the controller that set finalizer "backup.example/hold" on `,
			engine.RecoveryByNewRun, "metadata.finalizers: backup.example/hold",
		},
		{
			"the placement no longer picks the cluster",
			&bindingData{Cluster: "prod-2", State: "Unscheduled", SnapshotName: "shop-2-snapshot"},
			"preempted-binding-inactive", "; the placement does not pick the cluster now.", "Find out why the cluster loses its binding",
			engine.RecoveryByNewRun, "spec.state: Unscheduled",
		},
		{
			"an Unscheduled binding is being deleted",
			&bindingData{Cluster: "prod-2", State: "Unscheduled", SnapshotName: "shop-2-snapshot", Deleting: deleted, Finalizers: []string{"backup.example/hold"}},
			"preempted-binding-inactive", `its binding is being deleted (requested at 10:20:00 UTC); finalizer "backup.example/hold" blocks the deletion.`, `Check why the controller that set finalizer "backup.example/hold" on `,
			engine.RecoveryByNewRun, "metadata.finalizers: backup.example/hold",
		},
		{
			"the same snapshot again, by a rollout that names no run",
			&bindingData{Cluster: "prod-2", State: "Bound", SnapshotName: "shop-3-snapshot", Generation: 5, Conditions: []metav1.Condition{{
				Type: placement.BindingRolloutStarted, Status: metav1.ConditionTrue, Reason: "RolloutStarted", ObservedGeneration: 5, LastTransitionTime: metav1.NewTime(moment(t, "10:15:00")), Message: "started",
			}}},
			"preempted-restored", "; it has snapshot 3 with the same overrides again.", "Check which clusters do not have this snapshot (stagewatch owners).",
			engine.RecoveryByPerson, "",
		},
	} {
		for _, ns := range scopes {
			s := load(t, "../internal/situation/testdata", 50)["preempted-with-winner"]
			s.Bindings = nil
			if tt.binding != nil {
				s.Bindings = []bindingData{*tt.binding}
			}
			w, id := s.world(t, ns)
			w.Covered[world.CoverBindings(engine.PlacementKey(id, "shop"))] = engine.Coverage{State: engine.CoverComplete}
			w.Focus.Run = id
			snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
			v := snap.Find(id)
			if v.Why.Cause.String() != tt.cause || v.Why.Recovery != tt.recovery || !strings.HasPrefix(v.Why.Next.String(), tt.next) {
				t.Errorf("%s: %s, %s: %s", tt.name, v.Why.Cause, v.Why.Recovery, v.Why.Next)
			}
			has(t, v.Why.What.String(), tt.what)
			proof := map[string]int{}
			for _, e := range v.Why.Evidence {
				proof[e.Object.String()+" "+e.Field.String()+": "+e.Value.String()]++
			}
			var all []string
			for line, n := range proof {
				if n > 1 {
					t.Errorf("%s: %d times %s", tt.name, n, line)
				}
				all = append(all, line)
			}
			has(t, strings.Join(all, "\n"), tt.evidence)
		}
	}
}

// A binding that is being deleted under a started cluster is named with its finalizers,
// and not as a cluster that the placement does not pick.
func TestABindingThatIsBeingDeleted(t *testing.T) {
	for _, ns := range scopes {
		s := load(t, "../internal/situation/testdata", 50)["stuck"]
		s.Bindings = []bindingData{{Cluster: "prod-2", State: "Bound", SnapshotName: "shop-3-snapshot", Deleting: metav1.NewTime(moment(t, "10:05:00")), Finalizers: []string{"backup.example/hold"}}}
		w, id := s.world(t, ns)
		w.Covered[world.CoverBindings(engine.PlacementKey(id, "shop"))] = engine.Coverage{State: engine.CoverComplete}
		snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
		v := snap.Find(id)
		if v.Why.Cause.String() != "binding-being-deleted" {
			t.Errorf("%s: %s", v.Why.Cause, v.Why.What)
		}
		has(t, v.Why.What.String(), `The binding of cluster prod-2 is being deleted (stage prod, since 10:05:00 UTC): finalizer "backup.example/hold" blocks the deletion.`)
	}
}

// On a screen that was just opened, bindings that may be older than the run are not compared at
// once: WHY says so, until they are.
func TestBindingsThatAreNotComparedYet(t *testing.T) {
	s := load(t, "../internal/situation/testdata", 50)["binding-changed-by-hand"]
	const says = "may be older than the run's latest change"
	w, id := s.world(t, "")
	began := s.Run.Status.StagesStatus[1].Clusters[0]
	started := meta.FindStatusCondition(began.Conditions, placement.ClusterStarted).LastTransitionTime.Time
	opened := started.Add(4 * time.Second)
	w.FirstSeen[id] = world.Seen{Generation: s.Run.Generation, At: opened, First: world.Arrival{At: opened, Version: "9"}}
	w.Reached[world.CoverBindings(engine.PlacementKey(id, "shop"))] = "5"
	for _, tt := range []struct {
		after     time.Duration
		noted     bool
		preempted bool
	}{
		{0, false, false}, // the newer binding may be on its way
		{2 * time.Second, true, false},
		{10 * time.Second, false, true},
	} {
		snap, _ := observe.Observe(nil, w, world.Changed{All: true}, opened.Add(tt.after))
		v := snap.Find(id)
		if noted := strings.Contains(v.Why.What.String(), says); noted != tt.noted || (v.Word == engine.WordPreempted) != tt.preempted {
			t.Errorf("after %s: %s: %s", tt.after, v.Word, v.Why.What)
		}
	}
}
