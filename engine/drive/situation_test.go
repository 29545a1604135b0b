package drive_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine/internal/rollout"
)

// threeStages makes a hub with the stages pilot (before and after approval), early
// (timed wait) and wide (half at a time), and one binding to delete. The run
// is web-r1.
func threeStages(t *testing.T, ns string) *rollout.World {
	w := rollout.New(t, ns)
	clear(w.Bindings)
	for _, m := range []struct {
		name, env string
		order     int
	}{
		{"pilot-1", "pilot", 1},
		{"pilot-2", "pilot", 2},
		{"early-1", "early", 1},
		{"early-2", "early", 2},
		{"wide-1", "wide", 1},
		{"wide-2", "wide", 2},
		{"wide-3", "wide", 3},
		{"wide-4", "wide", 4},
		{"old-1", "old", 1},
	} {
		w.Join(m.name, m.env, m.order)
	}
	w.Unschedule("old-1")
	w.EditStrategy(func(s *placement.UpdateStrategySpec) {
		s.Stages = []placement.StageConfig{rollout.Stage("pilot", "1"), rollout.Stage("early", "1"), rollout.Stage("wide", "50%")}
		for i := range s.Stages {
			s.Stages[i].SortingLabelKey = new("order")
		}
		s.Stages[0].BeforeStageTasks = []placement.StageTask{rollout.Approval()}
		s.Stages[0].AfterStageTasks = []placement.StageTask{rollout.Approval()}
		s.Stages[1].AfterStageTasks = []placement.StageTask{rollout.TimedWait(15 * time.Second)}
	})
	w.Key.Name = "web-r1"
	w.Put(&placement.StagedUpdateRun{ObjectMeta: w.Meta("web-r1"), Spec: placement.UpdateRunSpec{
		PlacementName: "web", ResourceSnapshotIndex: "1", StagedRolloutStrategyName: "plan", State: placement.StateRun,
	}})
	return w
}

// until runs the rollout, members answering within a check, approvals given
// as asked, until the predicate holds.
func until(w *rollout.World, approve bool, reached func() bool) {
	w.T.Helper()
	for range 100 {
		d := w.Pass(0)
		if reached() {
			return
		}
		if approve {
			for k, a := range w.Approvals {
				if len(a.Status.Conditions) == 0 {
					w.Approve(k.Name)
				}
			}
		}
		for _, b := range sortedBindings(w) {
			if b.DeletionTimestamp != nil {
				delete(w.Bindings, types.NamespacedName{Namespace: w.Namespace, Name: b.Name})
			} else if b.Spec.ResourceSnapshotName == "web-1-snapshot" {
				w.Available(b.Spec.TargetCluster)
			}
		}
		w.Now = w.Now.Add(max(d.Wait, time.Second))
	}
	w.T.Fatal("not reached")
}

func sortedBindings(w *rollout.World) []*placement.ResourceBinding { return w.Input(w.Key).Bindings }

func situations() map[string]func(t *testing.T) *rollout.World {
	inStage := func(w *rollout.World, i int) func() bool {
		return func() bool { return w.Run().Status.StagesStatus[i].StartTime != nil }
	}
	return map[string]func(t *testing.T) *rollout.World{
		"waiting-before-stage": func(t *testing.T) *rollout.World {
			w := threeStages(t, "")
			w.Pass(0)
			return w
		},
		"ready-namespaced": func(t *testing.T) *rollout.World {
			w := threeStages(t, "team")
			w.Edit(func(r *placement.StagedUpdateRun) { r.Spec.State = placement.StateInitialize })
			w.Pass(0)
			return w
		},
		"waiting-after-stage": func(t *testing.T) *rollout.World {
			w := threeStages(t, "")
			until(w, true, func() bool { return len(w.Approvals) == 2 })
			return w
		},
		"timed-wait": func(t *testing.T) *rollout.World {
			w := threeStages(t, "")
			until(w, true, func() bool {
				return w.Message("Progressing") == "The updateRun is waiting for after-stage tasks in stage early to complete"
			})
			return w
		},
		"stuck": func(t *testing.T) *rollout.World {
			w := threeStages(t, "")
			until(w, true, inStage(w, 2))
			w.Available("wide-1")
			w.Report("wide-2", "Available", "False", "NotAllWorkAreAvailable")
			w.Pass(301 * time.Second)
			return w
		},
		"preempted": func(t *testing.T) *rollout.World {
			w := threeStages(t, "")
			until(w, true, inStage(w, 2))
			w.EditBinding("wide-2", func(b *placement.ResourceBinding) { b.Spec.ResourceSnapshotName = "web-0-snapshot"; b.Generation++ })
			w.Pass(time.Second)
			return w
		},
		"stopping": func(t *testing.T) *rollout.World {
			w := threeStages(t, "")
			until(w, true, inStage(w, 2))
			w.Available("wide-1")
			w.SetState(placement.StateStop)
			w.Pass(time.Second)
			return w
		},
		"stopped": func(t *testing.T) *rollout.World {
			w := threeStages(t, "")
			until(w, true, inStage(w, 2))
			w.Available("wide-1", "wide-2")
			w.SetState(placement.StateStop)
			w.Pass(time.Second)
			return w
		},
		"done-with-empty-stage": func(t *testing.T) *rollout.World {
			w := threeStages(t, "")
			w.EditStrategy(func(s *placement.UpdateStrategySpec) {
				none := rollout.Stage("nobody", "1")
				none.BeforeStageTasks = []placement.StageTask{rollout.Approval()}
				s.Stages = append(s.Stages, none)
			})
			until(w, true, func() bool { return w.Condition("Succeeded") != "-" })
			return w
		},
		"init-failed-unplaced": func(t *testing.T) *rollout.World {
			w := threeStages(t, "")
			w.EditStrategy(func(s *placement.UpdateStrategySpec) { s.Stages = s.Stages[:2] })
			w.Pass(0)
			return w
		},
	}
}

// TestSituations compares the whole stored status, times included, with the
// files: fields that are absent, empty lists, orders. UPDATE=1 in the
// environment writes the files anew.
func TestSituations(t *testing.T) {
	for name, reach := range situations() {
		t.Run(name, func(t *testing.T) {
			got, err := yaml.Marshal(reach(t).Run().Status)
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join("testdata", name+".yaml")
			if os.Getenv("UPDATE") != "" {
				if err := os.WriteFile(file, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			rollout.Equal(t, "status", string(got), string(want))
		})
	}
}
