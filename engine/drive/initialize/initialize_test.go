package initialize_test

import (
	"strconv"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

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

// initCase is a world in which initialization fails, or not. NS in want stands
// for the namespace.
type initCase struct {
	name    string
	arrange func(*rollout.World)
	input   func(*pass.Input)
	want    string // message of Initialized=False
	retried string // error instead: nothing is written
	saved   string // fields that are stored
}

// stored fields of a failed initialization, as far as it came.
func fields(st *placement.UpdateRunStatus) string {
	out := ""
	if st.AppliedStrategy != nil {
		out += "apply "
	}
	if st.PolicySnapshotIndexUsed != "" {
		out += "policy " + st.PolicySnapshotIndexUsed + " "
	}
	if st.PolicyObservedClusterCount != 0 {
		out += "count " + strconv.Itoa(st.PolicyObservedClusterCount) + " "
	}
	if st.StagedUpdateStrategySnapshot != nil {
		out += "strategy "
	}
	if st.StagesStatus != nil {
		out += "stages "
	}
	if st.DeletionStageStatus != nil {
		out += "deletion "
	}
	if st.ResourceSnapshotIndexUsed != "" {
		out += "index " + st.ResourceSnapshotIndexUsed + " "
	}
	return out
}

func before(tasks ...placement.StageTask) func(*rollout.World) {
	return func(w *rollout.World) {
		w.EditStrategy(func(s *placement.UpdateStrategySpec) { s.Stages[0].BeforeStageTasks = tasks })
	}
}

func after(tasks ...placement.StageTask) func(*rollout.World) {
	return func(w *rollout.World) {
		w.EditStrategy(func(s *placement.UpdateStrategySpec) { s.Stages[0].AfterStageTasks = tasks })
	}
}

func initCases() []initCase {
	return []initCase{
		{
			name: "3.2/1 placement not found", arrange: func(w *rollout.World) { clear(w.Placements) },
			want: v + ": " + u + ": parent placement not found", saved: "",
		},
		{name: "3.2/1 placement read error", input: func(in *pass.Input) { in.Failed.Placement = rollout.ErrRead }, retried: s + ": cache is cold"},
		{name: "3.2/2 strategy not External", arrange: func(w *rollout.World) {
			w.EditPlacement(func(p *placement.ResourcePlacement) { p.Spec.Strategy.Type = placement.RolloutRollingUpdate })
		}, want: v + ": " + u + ": parent placement does not have an external rollout strategy, current strategy: RollingUpdate"},
		{name: "3.2/2 strategy defaulted", arrange: func(w *rollout.World) {
			w.EditPlacement(func(p *placement.ResourcePlacement) { p.Spec.Strategy.Type = "" })
		}, want: v + ": " + u + ": parent placement does not have an external rollout strategy, current strategy: RollingUpdate"},
		{name: "3.2/4 no latest policy snapshot", arrange: func(w *rollout.World) {
			w.EditPolicy(func(o *placement.SchedulingPolicySnapshot) {
				o.Labels[rollout.LabelPrefix+"is-latest-snapshot"] = "false"
			})
		}, want: v + ": no latest policy snapshot found for placement NS/web", saved: "apply "},
		{name: "3.2/4 several latest policy snapshots", arrange: func(w *rollout.World) {
			w.EditPolicy(func(o *placement.SchedulingPolicySnapshot) { o.Name = "web-1" })
		}, want: v + ": " + x + ": multiple active policy snapshots found for placement NS/web: got 2, want 1", saved: "apply "},
		{name: "3.2/4 policy snapshot list error", input: func(in *pass.Input) { in.Failed.PolicySnapshots = rollout.ErrRead }, retried: s + ": cache is cold"},
		{name: "3.2/5 no policy index label", arrange: func(w *rollout.World) {
			w.EditPolicy(func(o *placement.SchedulingPolicySnapshot) { delete(o.Labels, rollout.LabelPrefix+"policy-index") })
		}, want: v + ": " + x + ": policy snapshot `NS/web-0` does not have a policy index label", saved: "apply "},
		{
			name: "3.2/6 no cluster count annotation", arrange: func(w *rollout.World) { w.EditPolicy(rollout.PickN("")) },
			want:  v + ", " + x + ": cannot find annotation kubernetes-fleet.io/number-of-clusters: the policy snapshot `NS/web-0` doesn't have valid cluster count annotation",
			saved: "apply policy 0 ",
		},
		{
			name: "3.2/6 cluster count not a number", arrange: func(w *rollout.World) { w.EditPolicy(rollout.PickN("many")) },
			want: v + ", " + x + `: invalid annotation kubernetes-fleet.io/number-of-clusters: many is not a valid count: strconv.Atoi: parsing "many": invalid syntax: the policy snapshot ` + "`NS/web-0` doesn't have valid cluster count annotation", saved: "apply policy 0 ",
		},
		{
			name: "3.2/6 cluster count negative", arrange: func(w *rollout.World) { w.EditPolicy(rollout.PickN("-1")) },
			want: v + ", " + x + ": invalid annotation kubernetes-fleet.io/number-of-clusters: -1 is not a valid count: %!w(<nil>): the policy snapshot `NS/web-0` doesn't have valid cluster count annotation", saved: "apply policy 0 ",
		},
		{name: "3.2/7 not fully scheduled", arrange: func(w *rollout.World) {
			w.EditPolicy(func(o *placement.SchedulingPolicySnapshot) { o.Generation = 2 })
		}, want: v + ": policy snapshot `web-0` not fully scheduled yet", saved: "apply policy 0 count -1 "},
		{name: "3.2/8 binding of an old policy", arrange: func(w *rollout.World) {
			w.EditBinding("a-2", func(b *placement.ResourceBinding) { b.Spec.SchedulingPolicySnapshotName = "web-old" })
		}, retried: "binding `OBJ/web-a-2` with old policy snapshot `web-old` has state Bound, we might observe a transient state, need retry"},
		{name: "3.2/8 binding list error", input: func(in *pass.Input) { in.Failed.Bindings = rollout.ErrRead }, retried: s + ": cache is cold"},
		{
			name: "3.2/8a no bindings", arrange: func(w *rollout.World) { clear(w.Bindings) },
			want: v + ": no scheduled or to-be-deleted bindings found for the latest policy snapshot NS/web-0", saved: "apply policy 0 count -1 ",
		},
		{
			name: "3.2/8b count differs", arrange: func(w *rollout.World) { w.EditPolicy(rollout.PickN("3")) },
			want: v + ": " + x + ": the number of selected bindings 5 is not equal to the observed cluster count 3", saved: "apply policy 0 count 3 ",
		},
		{
			name: "3.2/9 strategy not found", arrange: func(w *rollout.World) { clear(w.Strategies) },
			want: v + ": " + u + ": referenced updateStrategy not found: `NS/plan`", saved: "apply policy 0 count 5 ",
		},
		{name: "3.2/9 strategy read error", input: func(in *pass.Input) { in.Failed.Strategy = rollout.ErrRead }, retried: s + ": cache is cold"},
		{
			name: "3.2/10a two before tasks", arrange: before(rollout.Approval(), rollout.Approval()),
			want: v + ": " + u + ": the before stage tasks are invalid, updateStrategy: `NS/plan`, stage: a, err: beforeStageTasks can have at most one task", saved: "apply policy 0 count 5 strategy ",
		},
		{
			name: "3.2/10a timed wait before", arrange: before(rollout.TimedWait(time.Second)),
			want: v + ": " + u + ": the before stage tasks are invalid, updateStrategy: `NS/plan`, stage: a, err: task 0 of type TimedWait is not allowed in beforeStageTasks, allowed type: Approval", saved: "apply policy 0 count 5 strategy ",
		},
		{
			name: "3.2/10a approval with wait", arrange: before(placement.StageTask{Type: placement.TaskApproval, WaitTime: &metav1.Duration{}}),
			want: v + ": " + u + ": the before stage tasks are invalid, updateStrategy: `NS/plan`, stage: a, err: task 0 of type Approval cannot have wait duration set", saved: "apply policy 0 count 5 strategy ",
		},
		{
			name: "3.2/10b two tasks of a type", arrange: after(rollout.TimedWait(1), rollout.TimedWait(2)),
			want: v + ": " + u + ": the after stage tasks are invalid, updateStrategy: `NS/plan`, stage: a, err: afterStageTasks cannot have two tasks of the same type: TimedWait", saved: "apply policy 0 count 5 strategy ",
		},
		{
			name: "3.2/10b wait nil", arrange: after(rollout.Approval(), placement.StageTask{Type: placement.TaskTimedWait}),
			want: v + ": " + u + ": the after stage tasks are invalid, updateStrategy: `NS/plan`, stage: a, err: task 1 of type TimedWait has wait duration set to nil", saved: "apply policy 0 count 5 strategy ",
		},
		{
			name: "3.2/10b wait zero", arrange: after(rollout.TimedWait(0)),
			want: v + ": " + u + ": the after stage tasks are invalid, updateStrategy: `NS/plan`, stage: a, err: task 0 of type TimedWait has wait duration <= 0", saved: "apply policy 0 count 5 strategy ",
		},
		{name: "3.2/10c selector", arrange: func(w *rollout.World) {
			w.EditStrategy(func(s *placement.UpdateStrategySpec) {
				s.Stages[1].LabelSelector = &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "env", Operator: "Like"}}}
			})
		}, want: v + ": " + u + ": the stage label selector is invalid, updateStrategy: `NS/plan`, stage: b, err: \"Like\" is not a valid label selector operator", saved: "apply policy 0 count 5 strategy "},
		{name: "3.2/10d member list error", input: func(in *pass.Input) { in.Failed.Members = rollout.ErrRead }, retried: s + ": cache is cold"},
		{name: "3.2/10e cluster in two stages", arrange: func(w *rollout.World) {
			w.EditStrategy(func(s *placement.UpdateStrategySpec) { s.Stages[1].LabelSelector = &metav1.LabelSelector{} })
		}, want: v + ": " + u + ": cluster `a-1` appears in more than one stages", saved: "apply policy 0 count 5 strategy "},
		{name: "3.2/10f sorting label", arrange: func(w *rollout.World) {
			w.EditStrategy(func(s *placement.UpdateStrategySpec) { s.Stages[0].SortingLabelKey = new("wave") })
		}, want: v + ": " + u + ": the sorting label `wave:` on cluster `a-1` is not valid: strconv.Atoi: parsing \"\": invalid syntax", saved: "apply policy 0 count 5 strategy "},
		{name: "3.2/10h clusters in no stage", arrange: func(w *rollout.World) {
			for _, name := range []string{"z-1", "z-2", "c-1", "c-2", "c-3", "c-4", "c-5", "c-6", "c-7", "c-8", "c-9"} {
				w.Join(name, "c", 1)
			}
		}, want: v + ": " + u + ": some clusters are not placed in any stage, total 11, showing up to 10: c-1, c-2, c-3, c-4, c-5, c-6, c-7, c-8, c-9, z-1", saved: "apply policy 0 count 16 strategy stages "},
		{name: "3.2/10h absent selector selects none", arrange: func(w *rollout.World) {
			w.EditStrategy(func(s *placement.UpdateStrategySpec) { s.Stages[0].LabelSelector = nil })
		}, want: v + ": " + u + ": some clusters are not placed in any stage, total 2, showing up to 10: a-1, a-2", saved: "apply policy 0 count 5 strategy stages "},
		{
			name: "3.2/12 index not a number", arrange: index("newest"),
			want: v + ": " + u + ": invalid resource snapshot index `newest` provided, expected an integer >= 0", saved: "apply policy 0 count 5 strategy stages deletion ",
		},
		{
			name: "3.2/12 index negative", arrange: index("-1"),
			want: v + ": " + u + ": invalid resource snapshot index `-1` provided, expected an integer >= 0", saved: "apply policy 0 count 5 strategy stages deletion ",
		},
		{
			name: "3.2/12 index compared as text", arrange: index("01"),
			want: v + ": " + u + ": no resourceSnapshots with index `1` found for placement `NS/web`", saved: "apply policy 0 count 5 strategy stages deletion ",
		},
		{
			name: "3.2/12 no such index", arrange: index("7"),
			want: v + ": " + u + ": no resourceSnapshots with index `7` found for placement `NS/web`", saved: "apply policy 0 count 5 strategy stages deletion ",
		},
		{name: "3.2/12 snapshot list error", input: func(in *pass.Input) { in.Failed.ResourceSnapshots = rollout.ErrRead }, retried: s + ": cache is cold"},
		{name: "3.2/12a no master", arrange: func(w *rollout.World) {
			o := w.Snapshot(1)
			delete(o.Annotations, rollout.LabelPrefix+"resource-hash")
			w.Put(o)
		}, want: v + ": " + x + ": no master resourceSnapshot found for placement NS/web", saved: "apply policy 0 count 5 strategy stages deletion "},
		{
			name: "3.2/13 override list error", input: func(in *pass.Input) { in.Failed.Overrides = rollout.ErrRead },
			want: v + ": " + s + ": cache is cold", saved: "apply policy 0 count 5 strategy stages deletion index 1 ",
		},
	}
}

func index(text string) func(*rollout.World) {
	return func(w *rollout.World) {
		w.Edit(func(r *placement.StagedUpdateRun) { r.Spec.ResourceSnapshotIndex = text })
	}
}

func TestInitializeFailures(t *testing.T) {
	for _, tc := range initCases() {
		t.Run(tc.name, func(t *testing.T) {
			rollout.BothScopes(t, func(t *testing.T, w *rollout.World) {
				w.Start(placement.StateRun)
				if tc.arrange != nil {
					tc.arrange(w)
				}
				in := w.Input(w.Key)
				if tc.input != nil {
					tc.input(&in)
				}
				before := w.Run().DeepCopy()
				d := drive.Reconcile(in, w.Timing, w.Now, w.Answer)
				if tc.retried != "" {
					rollout.Equal(t, "decision", d.Next, drive.Retry)
					rollout.Equal(t, "error", d.Err.Error(), rollout.Expand(w, tc.retried))
					rollout.Equal(t, "status", w.Run().Status, before.Status)
					return
				}
				rollout.Equal(t, "decision", d, drive.Decision{})
				rollout.Equal(t, "initialized", w.Condition("Initialized"), "False/UpdateRunInitializedFailed")
				rollout.Equal(t, "message", w.Message("Initialized"), rollout.Expand(w, tc.want))
				rollout.Equal(t, "conditions", len(w.Run().Status.Conditions), 1)
				if tc.saved != "" {
					rollout.Equal(t, "stored", fields(&w.Run().Status), tc.saved)
				}
				stored := w.Run()
				w.SetState(placement.StateStop)
				rollout.Equal(t, "terminal", w.Pass(time.Hour), drive.Decision{})
				rollout.Equal(t, "terminal", w.Run().Status, stored.Status)
			})
		})
	}
}

// TestInitializeStepOrder holds that of several faults the first step's wins.
func TestInitializeStepOrder(t *testing.T) {
	cases := initCases()
	w := rollout.New(t, "")
	w.Start(placement.StateRun)
	for _, name := range []string{"3.2/13 override list error", "3.2/12 no such index", "3.2/10h absent selector selects none", "3.2/9 strategy not found", "3.2/8b count differs", "3.2/7 not fully scheduled", "3.2/5 no policy index label", "3.2/4 no latest policy snapshot", "3.2/2 strategy not External", "3.2/1 placement not found"} {
		for _, tc := range cases {
			if tc.name != name {
				continue
			}
			if tc.arrange != nil {
				tc.arrange(w)
			}
			in := w.Input(w.Key)
			in.Failed.Overrides = rollout.ErrRead
			drive.Reconcile(in, w.Timing, w.Now, w.Answer)
			rollout.Equal(t, name, w.Message("Initialized"), rollout.Expand(w, tc.want))
			w.Edit(func(r *placement.StagedUpdateRun) { r.Status = placement.UpdateRunStatus{} })
		}
	}
}

func TestInitializeWriteConflictIsRetriedFromScratch(t *testing.T) {
	w := rollout.New(t, "")
	w.Start(placement.StateRun)
	w.Fault = func(e pass.Effect) (error, bool) {
		if e.Op == pass.OpWriteStatus {
			return apierrors.NewConflict(schema.GroupResource{Resource: "runs"}, "run", rollout.ErrRead), false
		}
		return nil, false
	}
	d := w.Pass(0)
	rollout.Equal(t, "decision", d.Next, drive.Retry)
	rollout.Equal(t, "error", d.Err.Error(), e+": Operation cannot be fulfilled on runs \"run\": cache is cold")
	rollout.Equal(t, "status", fields(&w.Run().Status), "")
	w.Fault = nil
	w.Pass(0)
	rollout.Equal(t, "initialized", w.Condition("Initialized"), "True/UpdateRunInitializedSuccessfully")
}

func TestInitializePlan(t *testing.T) {
	rollout.BothScopes(t, func(t *testing.T, w *rollout.World) {
		w.EditStrategy(func(s *placement.UpdateStrategySpec) {
			s.Stages[0].BeforeStageTasks = []placement.StageTask{rollout.Approval()}
			s.Stages[0].AfterStageTasks = []placement.StageTask{rollout.TimedWait(time.Minute), rollout.Approval()}
			s.Stages[1].SortingLabelKey = new("order")
		})
		w.Unschedule("a-2")
		w.Unschedule("a-1")
		w.EditBinding("a-1", func(b *placement.ResourceBinding) { b.Spec.SchedulingPolicySnapshotName = "web-old" })
		w.Join("a-0", "a", 0)
		w.EditPlacement(func(p *placement.ResourcePlacement) {
			p.Spec.Strategy.ApplyStrategy = &placement.ApplyStrategy{Type: placement.ApplyServerSide}
		})
		w.Start(placement.StateInitialize)
		rollout.Equal(t, "decision", w.Pass(0), drive.Decision{})
		st := w.Run().Status
		rollout.Equal(t, "stored", fields(&st), "apply policy 0 count 4 strategy stages deletion index 1 ")
		rollout.Equal(t, "apply", *st.AppliedStrategy.ServerSideApplyConfig, placement.ServerSideApplyConfig{})
		rollout.Equal(t, "stage a", w.Clusters(0), "a-0.")
		rollout.Equal(t, "stage b by order", w.Clusters(1), "b-3. b-2. b-1.")
		rollout.Equal(t, "deletion", rollout.ClusterMarks(st.DeletionStageStatus), "a-1. a-2.")
		rollout.Equal(t, "deletion name", st.DeletionStageStatus.StageName, "kubernetes-fleet.io/deleteStage")
		rollout.Equal(t, "before", st.StagesStatus[0].BeforeStageTaskStatus, []placement.TaskStatus{{Type: "Approval", ApprovalRequestName: "run-before-a"}})
		rollout.Equal(t, "after", st.StagesStatus[0].AfterStageTaskStatus, []placement.TaskStatus{{Type: "TimedWait"}, {Type: "Approval", ApprovalRequestName: "run-after-a"}})
		rollout.Equal(t, "no tasks are absent", st.StagesStatus[1].AfterStageTaskStatus == nil, true)
		rollout.Equal(t, "initialized", w.Condition("Initialized")+" "+w.Message("Initialized"), "True/UpdateRunInitializedSuccessfully The UpdateRun initialized successfully")
		rollout.Equal(t, "no other condition", len(st.Conditions), 1)
		rollout.Equal(t, "finalizer", w.Run().Finalizers, []string{rollout.LabelPrefix + "stagedupdaterun-finalizer"})
	})
}

func TestInitializeCounts(t *testing.T) {
	for _, tc := range []struct {
		name   string
		policy func(*placement.SchedulingPolicySnapshot)
	}{
		{"PickAll without a policy", func(*placement.SchedulingPolicySnapshot) {}},
		{"PickAll", func(o *placement.SchedulingPolicySnapshot) {
			o.Spec.Policy = &placement.PlacementPolicy{PlacementType: placement.PickAll}
		}},
		{"PickN", rollout.PickN("5")},
		{"PickFixed", func(o *placement.SchedulingPolicySnapshot) {
			o.Spec.Policy = &placement.PlacementPolicy{PlacementType: placement.PickFixed, ClusterNames: []string{"a-1", "a-2", "b-1", "b-2", "b-3"}}
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := rollout.New(t, "")
			w.EditPolicy(tc.policy)
			w.Start(placement.StateInitialize)
			w.Pass(0)
			rollout.Equal(t, "stored", fields(&w.Run().Status), "apply policy 0 count 5 strategy stages deletion index 1 ")
			rollout.Equal(t, "validated", w.Pass(0), drive.Decision{})
			rollout.Equal(t, "succeeded", w.Condition("Succeeded"), "-")
		})
	}
}

func TestSelectorsEmptyAndAbsent(t *testing.T) {
	w := rollout.New(t, "")
	w.EditStrategy(func(s *placement.UpdateStrategySpec) {
		s.Stages[0].LabelSelector = &metav1.LabelSelector{}
		s.Stages[1].LabelSelector = nil
	})
	w.Join("guest", "x", 1)
	delete(w.Bindings, types.NamespacedName{Name: "web-guest"})
	w.Start(placement.StateInitialize)
	w.Pass(0)
	rollout.Equal(t, "{} selects every selected cluster", w.Clusters(0), "a-1. a-2. b-1. b-2. b-3.")
	rollout.Equal(t, "absent selects none", len(w.Stage(1).Clusters), 0)
	rollout.Equal(t, "an empty list is stored as one", w.Stage(1).Clusters != nil, true)
}

func TestInputIsNotChanged(t *testing.T) {
	w := rollout.New(t, "")
	w.Start(placement.StateRun)
	for range 3 {
		in := w.Input(w.Key)
		in.Members = []*cluster.MemberCluster{in.Members[4], in.Members[2], in.Members[0], in.Members[1], in.Members[3]}
		run, binding := in.Run.DeepCopy(), w.Binding("a-1").DeepCopy()
		refuse := func(pass.Effect) (pass.Answer, error) { return pass.Answer{}, rollout.ErrRead }
		drive.Reconcile(in, w.Timing, w.Now, refuse)
		drive.Reconcile(in, w.Timing, w.Now, w.Answer)
		rollout.Equal(t, "run", in.Run, run)
		rollout.Equal(t, "binding", in.Bindings[1], binding)
		rollout.Equal(t, "order", in.Members[0].Name, "b-3")
	}
	if meta.FindStatusCondition(w.Run().Status.Conditions, "Initialized") == nil {
		t.Error("nothing happened")
	}
}
