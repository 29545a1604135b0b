package observe

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/world"
)

// The conditions of a binding are shown only as those of the run and snapshot
// that they describe.
func TestWhoseConditionsABindingHas(t *testing.T) {
	at := func(minute int) time.Time { return time.Date(2026, 8, 20, 22, minute, 0, 0, time.UTC) }
	const created, started = 10, 20
	by := func(run string, minute int) *metav1.Condition {
		return &metav1.Condition{
			Type: placement.BindingRolloutStarted, Status: "True", LastTransitionTime: metav1.NewTime(at(minute)), ObservedGeneration: 3,
			Message: "Detected the new changes on the resources and started the rollout process, resourceSnapshotIndex: 13, updateRun: " + run,
		}
	}
	for _, tt := range []struct {
		name     string
		snapshot string
		rollout  *metav1.Condition
		avail    metav1.ConditionStatus
		started  bool
		done     bool
		removal  bool
		want     string
	}{
		{"not reached", "web-12-snapshot", by("web-r4", 5), "True", false, false, false, "on snapshot 12, available"},
		{"not reached, and not available", "web-12-snapshot", by("web-r4", 5), "False", false, false, false, "on snapshot 12, not available"},
		{"not reached, and nothing rolled out", "", nil, "", false, false, false, "on no snapshot yet"},
		{"not reached, and has the snapshot", "web-13-snapshot", by("web-r4", 5), "True", false, false, false, "on snapshot 13, available"},
		{"written, start not recorded yet", "web-13-snapshot", by("web-r5", 20), "", false, false, false, ""},
		{"started, the binding read is older", "web-12-snapshot", by("web-r4", 5), "True", true, false, false, "on snapshot 12 by run web-r4, available"},
		{"started", "web-13-snapshot", by("web-r5", 20), "False", true, false, false, ""},
		{"started, and had the snapshot", "web-13-snapshot", by("web-r4", 5), "True", true, false, false, ""},
		{"done", "web-13-snapshot", by("web-r5", 20), "True", true, true, false, ""},
		{"done, then another run rolled out another snapshot", "web-14-snapshot", by("web-r6", 30), "True", true, true, false, "on snapshot 14 by run web-r6, available"},
		{"done, then another run rolled out the same snapshot", "web-13-snapshot", by("web-r6", 30), "", true, true, false, "on snapshot 13 by run web-r6, availability unknown"},
		{"a deleted run of the same name", "web-13-snapshot", by("web-r5", 5), "True", false, false, false, "on snapshot 13, available"},
		{"a cluster that is removed", "web-13-snapshot", by("web-r4", 5), "True", true, false, true, "on snapshot 13, available"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			run := &placement.StagedUpdateRun{}
			run.CreationTimestamp = metav1.NewTime(at(created))
			run.Spec.PlacementName, run.Status.ResourceSnapshotIndexUsed = "web", "13"
			b := &world.Binding{State: "Bound", SnapshotName: tt.snapshot, Generation: 3}
			full := placement.ResourceBinding{}
			if tt.rollout != nil {
				b.Conditions = append(b.Conditions, *tt.rollout)
			}
			if tt.avail != "" {
				b.Conditions = append(b.Conditions, metav1.Condition{Type: placement.BindingAvailable, Status: tt.avail, ObservedGeneration: 3})
			}
			b.Failed = []placement.FailedResourcePlacement{{}}
			full.Generation, full.Spec.ResourceSnapshotName, full.Spec.TargetCluster, full.Status.Conditions = 3, tt.snapshot, "m1", b.Conditions

			s := placement.ClusterStatus{ClusterName: "m1"}
			if tt.started {
				s.Conditions = append(s.Conditions, metav1.Condition{Type: placement.ClusterStarted, Status: "True", LastTransitionTime: metav1.NewTime(at(started))})
			}
			if tt.done {
				s.Conditions = append(s.Conditions, metav1.Condition{Type: placement.ClusterSucceeded, Status: "True", LastTransitionTime: metav1.NewTime(at(started + 1))})
			}
			id := engine.NewID(engine.KindClusterStagedUpdateRun, "", "web-r5", "u")
			r := &reader{w: world.NewWorld(engine.Settings{}), now: at(40), id: id, run: run, bindings: map[string]*world.Binding{"m1": b}, runs: func(string) engine.ID { return engine.ID{} }}
			stage := r.readStage(&placement.StageStatus{Clusters: []placement.ClusterStatus{s}}, nil, tt.removal)
			v := r.clusterView(&world.Case{}, 0, &stage.clusters[0])
			if v.Foreign.String() != tt.want {
				t.Errorf("foreign %q, want %q", v.Foreign, tt.want)
			}
			if foreign := tt.want != ""; foreign != (v.BindingConditions == engine.BindingConditions{}) || foreign != (len(v.Failing) == 0) {
				t.Errorf("shows conditions %+v and %d failing manifests", v.BindingConditions, len(v.Failing))
			}
			// A page that is read for the run says the same.
			view := &engine.RunView{ID: id, Index: engine.Lit("13"), Created: at(created), Stages: []engine.StageView{{Deletion: tt.removal}}}
			snap := &engine.Snapshot{Detail: &engine.Detail{Run: view, Clusters: [][]engine.ClusterView{{v}}}}
			if got := engine.ForeignTo(&full, view, snap); got.String() != tt.want {
				t.Errorf("on a page %q, want %q", got, tt.want)
			}
		})
	}
}
