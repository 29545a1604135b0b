package observe

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/column"
	"github.com/stagewatch/stagewatch/engine/internal/situation"
	"github.com/stagewatch/stagewatch/engine/world"
)

// readAt is when the worlds of these tests are observed.
var readAt = time.Unix(100_000, 0)

// addSucceeded puts a run that has succeeded into w, whole, and returns what its row would be.
func addSucceeded(w *world.World, ns, name string) (engine.ID, *world.PackedRun) {
	kind := engine.KindClusterStagedUpdateRun
	if ns != "" {
		kind = engine.KindStagedUpdateRun
	}
	id := situation.Small(w, kind, ns, name, "web", situation.Is(placement.RunInitialized, metav1.ConditionTrue, readAt), situation.Is(placement.RunSucceeded, metav1.ConditionTrue, readAt))
	run := w.Runs[id]
	run.CreationTimestamp = metav1.NewTime(readAt.Add(-time.Hour))
	run.Spec.ResourceSnapshotIndex, run.Spec.StagedRolloutStrategyName = "3", "slow"
	run.Status.StagesStatus = []placement.StageStatus{{StageName: "prod", Clusters: []placement.ClusterStatus{{ClusterName: "a", Conditions: []metav1.Condition{
		situation.Is(placement.ClusterStarted, metav1.ConditionTrue, readAt), situation.Is(placement.ClusterSucceeded, metav1.ConditionTrue, readAt),
	}}}}}
	return id, world.RowOnly(run.ObjectMeta, &world.PrintedRun{
		Placement: "web", Index: "3", Strategy: "slow", Initialized: "True", Progressing: "False", Succeeded: "True",
		Created: run.CreationTimestamp.Time, Generation: 1,
	})
}

// TestRowsSayNothingElse checks that the columns of a row agree with those of the whole run, and that everything else waits
// for it.
func TestRowsSayNothingElse(t *testing.T) {
	for _, ns := range []string{"", "team"} {
		w := situation.Live(engine.Settings{ClusterRuns: ns == "", NamespacedRuns: ns != ""})
		situation.CoverAll(w, ns, engine.CoverComplete, engine.KindClusterStagedUpdateRun, engine.KindStagedUpdateRun)
		id, row := addSucceeded(w, ns, "r")
		w.Focus.Run = id
		s, _ := Observe(nil, w, world.Changed{}, readAt)
		whole := s.Find(id)
		if whole.Word != engine.WordDone || whole.Partial || whole.RowOnly || s.Detail == nil {
			t.Fatalf("whole: %+v", whole)
		}

		w.Runs[id], w.Packed[id] = row.Run, row
		s, _ = Observe(s, w, world.Changed{Runs: map[engine.ID]bool{id: true}}, readAt)
		v := s.Find(id)
		if !v.Partial || !v.RowOnly || v.Word != engine.WordDone || !v.Terminal || v.NeedsAttention() || s.Detail != nil || !s.Complete || len(s.Missing) > 0 {
			t.Errorf("row: %+v, detail %v, complete %v, missing %v", v, s.Detail, s.Complete, s.Missing)
		}
		for _, c := range column.All() {
			if c.OfRow && c.Text != nil && c.Text(v, readAt) != c.Text(whole, readAt) {
				t.Errorf("%s is %q in the row, and %q in the run", c.Name, c.Text(v, readAt), c.Text(whole, readAt))
			}
		}
		if w.Whole(id) != nil {
			t.Error("a row is taken for the whole run")
		}
		again, _ := Observe(s, w, world.Changed{}, readAt.Add(time.Minute))
		if again.Find(id) != v {
			t.Error("the row changed its pointer")
		}
	}
}

// TestARowOfAnUnfinishedRunIsNotDone checks that a row never says more than the conditions that it has.
func TestARowOfAnUnfinishedRunIsNotDone(t *testing.T) {
	for succeeded, want := range map[string]engine.Word{"True": engine.WordDone, "False": engine.WordFailed, "Unknown": engine.WordUnknown, "": engine.WordUnknown} {
		w := situation.Live(engine.Settings{ClusterRuns: true})
		situation.CoverAll(w, "", engine.CoverComplete, engine.KindClusterStagedUpdateRun)
		id, row := addSucceeded(w, "", "r")
		row = world.RowOnly(row.Run.ObjectMeta, &world.PrintedRun{Placement: "web", Initialized: "True", Succeeded: succeeded})
		w.Runs[id], w.Packed[id] = row.Run, row
		s, _ := Observe(nil, w, world.Changed{}, readAt)
		if v := s.Find(id); v.Word != want {
			t.Errorf("Succeeded %q: %s", succeeded, v.Word)
		}
	}
}

// TestRowsAreRunsOfTheirPlacement checks that what other rows say does not depend on whether a run that has succeeded was read.
func TestRowsAreRunsOfTheirPlacement(t *testing.T) {
	for name, rowOnly := range map[string]bool{"read": false, "its row alone": true} {
		t.Run(name, func(t *testing.T) {
			w := situation.Live(engine.Settings{ClusterRuns: true})
			situation.CoverAll(w, "", engine.CoverComplete, engine.KindClusterStagedUpdateRun, engine.KindClusterResourcePlacement, engine.KindClusterApprovalRequest)
			place := engine.NewID(engine.KindClusterResourcePlacement, "", "web", "u")
			w.Placements[place] = &world.Placement{ID: place, External: true, Clusters: 3, Created: readAt}
			id, row := addSucceeded(w, "", "r")
			if rowOnly {
				w.Runs[id], w.Packed[id] = row.Run, row
			}
			request := &placement.ApprovalRequest{ObjectMeta: metav1.ObjectMeta{Name: placement.BeforeApprovalName("r", "prod"), Generation: 1}}
			request.Spec.ParentStageRollout, request.Spec.TargetStage = "r", "prod"
			request.Status.Conditions = []metav1.Condition{situation.Is(placement.ApprovalApproved, metav1.ConditionTrue, readAt)}
			w.Approvals[engine.NewID(engine.KindClusterApprovalRequest, "", request.Name, "u")] = request
			s, _ := Observe(nil, w, world.Changed{}, readAt)
			if len(s.Runs) != 1 {
				t.Errorf("the placement is said to have no run: %d rows", len(s.Runs))
			}
			if len(s.Outlived) > 0 {
				t.Errorf("the request is said to have outlived its run: %v", s.Outlived)
			}
		})
	}
}
