package ask

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/observe"
	"github.com/stagewatch/stagewatch/engine/plan"
	"github.com/stagewatch/stagewatch/engine/world"
)

// Runs of one placement that are not initialized have their own plans: those of
// equal spec share one, and no plan is shown before what is near the placement.
func TestEachPendingRunHasItsPlan(t *testing.T) {
	w := world.NewWorld(engine.Settings{ClusterRuns: true})
	id := func(name string) engine.ID {
		return engine.NewID(engine.KindClusterStagedUpdateRun, "", name, "u-"+name)
	}
	for name, index := range map[string]string{"web-r1": "7", "web-r2": "two", "web-r3": "7"} {
		run := &placement.StagedUpdateRun{}
		run.Name, run.Generation, run.CreationTimestamp = name, 1, metav1.Now()
		run.Spec.PlacementName, run.Spec.ResourceSnapshotIndex = "web", index
		w.Runs[id(name)] = run
	}
	s, _ := observe.Observe(nil, w, world.Changed{}, time.Now())
	want := besideAll(s)
	if len(want) != 3 || !want[0].run.IsZero() || want[1].run.IsZero() || want[2].run.IsZero() || want[1].spec == want[2].spec {
		t.Fatalf("wanted %+v", want)
	}
	var got besides
	near := &world.Nearby{Placement: want[0].placement}
	got.add(besideRead{beside: want[1], plan: &plan.Plan{Run: want[1].run}})
	if len(got.all) != 0 {
		t.Errorf("a plan alone: %+v", got.all)
	}
	got.add(besideRead{beside: want[0], near: near})
	got.add(besideRead{beside: want[2], plan: &plan.Plan{Run: want[2].run}})
	for _, v := range s.Runs {
		p := got.all[near.Placement].Plans[v.PlanSpec()]
		if p == nil || s.Find(p.Run).PlanSpec() != v.PlanSpec() {
			t.Errorf("%s has plan %+v", v.ID.Title(), p)
		}
	}
	w.Nearby = map[engine.ID]*world.Nearby{near.Placement: near}
	if s, _ = observe.Observe(s, w, world.Changed{All: true}, time.Now()); !s.Pending() || len(s.Missing) != 3 {
		t.Errorf("plans that were not read are not missing: %+v", s.Missing)
	}
}
