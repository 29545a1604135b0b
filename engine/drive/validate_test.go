package drive_test

import (
	"fmt"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"

	cluster "github.com/stagewatch/stagewatch/api/cluster/v1beta1"
	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine/drive"
	"github.com/stagewatch/stagewatch/engine/drive/pass"
	"github.com/stagewatch/stagewatch/engine/internal/rollout"
)

// Prefixes of upstream's messages, in the tables of these tests.
const (
	a = rollout.PrefixAborted
	v = rollout.PrefixValidate
	u = rollout.PrefixUser
	x = rollout.PrefixUnexpected
	s = rollout.PrefixServer
	e = rollout.PrefixExpected
)

func TestValidate(t *testing.T) {
	for _, tc := range []struct {
		name    string
		arrange func(*rollout.World)
		input   func(*pass.Input)
		want    string
		retried string
	}{
		{name: "3.3 steps of 3.2 rerun: placement", arrange: func(w *rollout.World) { clear(w.Placements) }, want: v + ": " + u + ": parent placement not found"},
		{name: "3.3 steps of 3.2 rerun: policy", arrange: func(w *rollout.World) { clear(w.PolicySnapshots) }, want: v + ": no latest policy snapshot found for placement NS/web"},
		{name: "3.3 steps of 3.2 rerun: not scheduled", arrange: func(w *rollout.World) {
			w.EditPolicy(func(o *placement.SchedulingPolicySnapshot) { o.Status.Conditions = nil })
		}, want: v + ": policy snapshot `web-0` not fully scheduled yet"},
		{name: "3.3 steps of 3.2 rerun: count", arrange: func(w *rollout.World) {
			w.EditPolicy(rollout.PickN("5"))
			delete(w.Bindings, types.NamespacedName{Namespace: w.Namespace, Name: "web-b-3"})
		}, want: v + ": " + x + ": the number of selected bindings 4 is not equal to the observed cluster count 5"},
		{name: "3.3 read error is retried", input: func(in *pass.Input) { in.Failed.Placement = rollout.ErrRead }, retried: s + ": cache is cold"},
		{name: "3.3 transient binding is retried", arrange: func(w *rollout.World) {
			w.EditBinding("b-3", func(b *placement.ResourceBinding) { b.Spec.SchedulingPolicySnapshotName = "web-9" })
		}, retried: "binding `OBJ/web-b-3` with old policy snapshot `web-9` has state Bound, we might observe a transient state, need retry"},
		{name: "3.3 appliedStrategy", arrange: func(w *rollout.World) {
			w.EditPlacement(func(p *placement.ResourcePlacement) {
				p.Spec.Strategy.ApplyStrategy = &placement.ApplyStrategy{AllowCoOwnership: true}
			})
		}, want: a + ": " + u + ": the applyStrategy in the updateRun is outdated, latest: &{PartialComparison Always ClientSideApply true <nil> Always}, recorded: &{PartialComparison Always ClientSideApply false <nil> Always}"},
		{name: "3.3 policy index", arrange: func(w *rollout.World) {
			w.EditPolicy(func(o *placement.SchedulingPolicySnapshot) { o.Labels[rollout.LabelPrefix+"policy-index"] = "1" })
		}, want: a + ": the policy snapshot index used in the updateRun is outdated, latest: 1, recorded: 0"},
		{name: "3.3 cluster count", arrange: func(w *rollout.World) { w.EditPolicy(rollout.PickN("4")) }, want: a + ": the cluster count initialized in the updateRun is outdated, latest: 4, recorded: 5"},
		{
			name: "3.3 no strategy snapshot", arrange: rollout.EditStatus(func(st *placement.UpdateRunStatus) { st.StagedUpdateStrategySnapshot = nil }),
			want: a + ": " + x + ": the updateRun has nil updateStrategySnapshot",
		},
		{name: "3.3 stages recomputed: overlap by relabelling", arrange: func(w *rollout.World) {
			w.EditStrategy(func(s *placement.UpdateStrategySpec) { s.Stages = nil }) // has no effect
			rollout.EditStatus(func(st *placement.UpdateRunStatus) {
				st.StagedUpdateStrategySnapshot.Stages[1].LabelSelector = &metav1.LabelSelector{}
			})(w)
		}, want: v + ": " + u + ": cluster `a-1` appears in more than one stages"},
		{name: "3.3 stages recomputed: unplaced", arrange: func(w *rollout.World) {
			w.EditMember("b-2", func(m *cluster.MemberCluster) { m.Labels["env"] = "c" })
		}, want: v + ": " + u + ": some clusters are not placed in any stage, total 1, showing up to 10: b-2"},
		{name: "3.3 no stagesStatus", arrange: rollout.EditStatus(func(st *placement.UpdateRunStatus) { st.StagesStatus = nil }), want: a + ": " + x + ": the updateRun has nil stagesStatus"},
		{
			name: "3.3 stage count", arrange: rollout.EditStatus(func(st *placement.UpdateRunStatus) { st.StagesStatus = st.StagesStatus[:1] }),
			want: a + ": the number of stages in the updateRun has changed, new: 2, existing: 1",
		},
		{
			name: "3.3 stage name", arrange: rollout.EditStatus(func(st *placement.UpdateRunStatus) { st.StagesStatus[1].StageName = "c" }),
			want: a + ": index `1` stage name in the updateRun has changed, new: b, existing: c",
		},
		{
			name: "3.3 cluster count of a stage", arrange: func(w *rollout.World) { w.Join("b-4", "b", 1) },
			want: a + ": the number of clusters in index `1` stage has changed, new: 4, existing: 3",
		},
		{name: "3.3 cluster order", arrange: rollout.EditStatus(func(st *placement.UpdateRunStatus) {
			c := st.StagesStatus[1].Clusters
			c[1], c[2] = c[2], c[1]
		}), want: a + ": the `1` cluster in the `1` stage has changed, new: b-2, existing: b-3"},
		{name: "3.3 maxConcurrency", arrange: rollout.EditStatus(func(st *placement.UpdateRunStatus) {
			st.StagedUpdateStrategySnapshot.Stages[0].MaxConcurrency = &intstr.IntOrString{Type: intstr.String, StrVal: "half"}
		}), want: a + ": invalid value for IntOrString: invalid type: string is not a percentage"},
		{name: "3.3 finished after updating", arrange: rollout.EditStatus(func(st *placement.UpdateRunStatus) {
			rollout.SetCondition(&st.StagesStatus[0].Conditions, "Progressing", "True")
			rollout.SetCondition(&st.StagesStatus[1].Conditions, "Succeeded", "True")
		}), want: a + ": " + x + ": the finished stage `1` is after the updating stage `0`"},
		{name: "3.3 finished with an unfinished cluster", arrange: rollout.EditStatus(func(st *placement.UpdateRunStatus) {
			rollout.SetCondition(&st.StagesStatus[0].Conditions, "Succeeded", "True")
		}), want: a + ": " + x + ": cluster `a-1` in the finished stage `a` has not succeeded"},
		{name: "3.3 finished not right after", arrange: rollout.EditStatus(func(st *placement.UpdateRunStatus) {
			rollout.SetCondition(&st.StagesStatus[1].Conditions, "Succeeded", "True")
			for i := range st.StagesStatus[1].Clusters {
				rollout.SetCondition(&st.StagesStatus[1].Clusters[i].Conditions, "Succeeded", "True")
			}
		}), want: a + ": " + x + ": the finished stage `b` is not right after the last finished stage with index `-1`"},
		{name: "3.3 stage failed", arrange: rollout.EditStatus(func(st *placement.UpdateRunStatus) {
			rollout.SetCondition(&st.StagesStatus[0].Conditions, "Succeeded", "False")
		}), want: a + ": the stage `a` has failed, err: by hand"},
		{name: "3.3 two updating", arrange: rollout.EditStatus(func(st *placement.UpdateRunStatus) {
			rollout.SetCondition(&st.StagesStatus[0].Conditions, "Progressing", "False")
			rollout.SetCondition(&st.StagesStatus[1].Conditions, "Progressing", "True")
		}), want: a + ": " + x + ": the stage `b` is updating, but there is already a stage with index `0` updating"},
		{name: "3.3 updating not right after", arrange: rollout.EditStatus(func(st *placement.UpdateRunStatus) {
			rollout.SetCondition(&st.StagesStatus[1].Conditions, "Progressing", "Unknown")
		}), want: a + ": " + x + ": the updating stage `b` is not right after the last finished stage with index `-1`"},
		{name: "3.3 too many updating", arrange: rollout.EditStatus(func(st *placement.UpdateRunStatus) {
			rollout.SetCondition(&st.StagesStatus[0].Conditions, "Progressing", "True")
			rollout.SetCondition(&st.StagesStatus[0].Clusters[0].Conditions, "Started", "True")
			rollout.SetCondition(&st.StagesStatus[0].Clusters[1].Conditions, "Started", "True")
		}), want: a + ": " + x + ": the number of updating clusters `2` in the updating stage `a` exceeds maxConcurrency `1`"},
		{
			name: "3.3 no deletionStageStatus", arrange: rollout.EditStatus(func(st *placement.UpdateRunStatus) { st.DeletionStageStatus = nil }),
			want: a + ": " + x + ": the updateRun has nil deletionStageStatus",
		},
		{name: "3.3 cluster not in the deletion stage", arrange: func(w *rollout.World) {
			w.Join("c-1", "c", 1)
			w.Unschedule("c-1")
		}, want: a + ": " + x + ": the cluster `c-1` to be deleted is not in the delete stage"},
		{name: "3.3 deletion stage active early", arrange: rollout.EditStatus(func(st *placement.UpdateRunStatus) {
			rollout.SetCondition(&st.DeletionStageStatus.Conditions, "Progressing", "True")
		}), want: a + ": " + x + ": the delete stage is active, but there are still stages updating, updatingStageIndex: -1, lastFinishedStageIndex: -1"},
		{name: "3.3 deletion stage ended early", arrange: rollout.EditStatus(func(st *placement.UpdateRunStatus) {
			rollout.SetCondition(&st.StagesStatus[0].Conditions, "Progressing", "True")
			rollout.SetCondition(&st.DeletionStageStatus.Conditions, "Succeeded", "Unknown")
		}), want: a + ": " + x + ": the delete stage is active, but there are still stages updating, updatingStageIndex: 0, lastFinishedStageIndex: -1"},
		{name: "3.3 deletion stage failed", arrange: func(w *rollout.World) {
			allDone(w)
			rollout.EditStatus(func(st *placement.UpdateRunStatus) {
				rollout.SetCondition(&st.DeletionStageStatus.Conditions, "Succeeded", "False")
			})(w)
		}, want: a + ": the delete stage has failed, err: by hand"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			rollout.BothScopes(t, func(t *testing.T, w *rollout.World) {
				// The state does not matter: a waiting run is validated as well.
				w.Start(placement.StateInitialize)
				w.Pass(0)
				if tc.arrange != nil {
					tc.arrange(w)
				}
				in := w.Input(w.Key)
				if tc.input != nil {
					tc.input(&in)
				}
				before := w.Run().DeepCopy()
				w.Now = w.Now.Add(time.Minute)
				d := drive.Reconcile(in, w.Timing, w.Now, w.Answer)
				if tc.retried != "" {
					rollout.Equal(t, "error", fmt.Sprint(d.Err), rollout.Expand(w, tc.retried))
					rollout.Equal(t, "status", w.Run().Status, before.Status)
					return
				}
				rollout.Equal(t, "decision", d, drive.Decision{})
				rollout.Equal(t, "message", w.Message("Succeeded"), rollout.Expand(w, tc.want))
				rollout.Equal(t, "succeeded", w.Condition("Succeeded"), "False/UpdateRunFailed")
				rollout.Equal(t, "progressing", w.Condition("Progressing")+" "+w.Message("Progressing"), "False/UpdateRunFailed The stages are aborted due to a non-recoverable error")
				after := w.Run().Status.DeepCopy()
				after.Conditions, before.Status.Conditions = nil, nil
				rollout.Equal(t, "the rest is left alone", after, &before.Status)
			})
		})
	}
}

// allDone marks all stages as succeeded, by hand.
func allDone(w *rollout.World) {
	rollout.EditStatus(func(st *placement.UpdateRunStatus) {
		for i := range st.StagesStatus {
			rollout.SetCondition(&st.StagesStatus[i].Conditions, "Succeeded", "True")
			for j := range st.StagesStatus[i].Clusters {
				rollout.SetCondition(&st.StagesStatus[i].Clusters[j].Conditions, "Succeeded", "True")
			}
		}
	})(w)
}

func TestValidateTolerates(t *testing.T) {
	for _, tc := range []struct {
		name    string
		arrange func(*rollout.World)
	}{
		{"strategy edited", func(w *rollout.World) { w.EditStrategy(func(s *placement.UpdateStrategySpec) { s.Stages = nil }) }},
		{"strategy deleted", func(w *rollout.World) { clear(w.Strategies) }},
		{"deletion stage Unknown", rollout.EditStatus(func(st *placement.UpdateRunStatus) {
			rollout.SetCondition(&st.DeletionStageStatus.Conditions, "Progressing", "Unknown")
		})},
		{"deletion stage False", rollout.EditStatus(func(st *placement.UpdateRunStatus) {
			rollout.SetCondition(&st.DeletionStageStatus.Conditions, "Progressing", "False")
		})},
		{"deletion binding gone", func(w *rollout.World) {
			delete(w.Bindings, types.NamespacedName{Namespace: w.Namespace, Name: "web-old"})
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := rollout.New(t, "")
			w.Join("old", "x", 1)
			w.Unschedule("old")
			w.Start(placement.StateInitialize)
			w.Pass(0)
			tc.arrange(w)
			rollout.Equal(t, "decision", w.Pass(0), drive.Decision{})
			rollout.Equal(t, "succeeded", w.Condition("Succeeded"), "-")
			rollout.Equal(t, "nothing is written", len(w.Requests), 0)
		})
	}
}

// TestEveryStageDoneInAnyState checks that a run whose deletion stage succeeded is
// recorded as succeeded in every state (docs/kubefleet.md#reconcile, row 7).
func TestEveryStageDoneInAnyState(t *testing.T) {
	for _, state := range []placement.State{placement.StateInitialize, placement.StateRun, placement.StateStop} {
		w := rollout.New(t, "")
		w.Start(state)
		w.Edit(func(r *placement.StagedUpdateRun) { r.Spec.State = placement.StateInitialize })
		w.Pass(0)
		allDone(w)
		w.Edit(func(r *placement.StagedUpdateRun) {
			rollout.SetCondition(&r.Status.DeletionStageStatus.Conditions, "Succeeded", "True")
			r.Spec.State = state
		})
		rollout.Equal(t, "decision", w.Pass(0), drive.Decision{})
		rollout.Equal(t, "succeeded", w.Condition("Succeeded"), "True/UpdateRunSucceeded")
	}
}

func TestUnsupportedState(t *testing.T) {
	w := rollout.New(t, "")
	w.Start("Started")
	rollout.Equal(t, "decision", w.Pass(0), drive.Decision{})
	rollout.Equal(t, "initialized", w.Condition("Initialized"), "True/UpdateRunInitializedSuccessfully")
	rollout.Equal(t, "message", w.Message("Succeeded"), x+": found unsupported updateRun state: Started")
	rollout.Equal(t, "stage", rollout.Condition(w.Stage(0).Conditions, "Progressing"), "-")
}
