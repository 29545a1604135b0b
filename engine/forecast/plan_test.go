package forecast_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"

	cluster "github.com/stagewatch/stagewatch/api/cluster/v1beta1"
	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/drive/pass"
	"github.com/stagewatch/stagewatch/engine/forecast"
	"github.com/stagewatch/stagewatch/engine/internal/rollout"
	"github.com/stagewatch/stagewatch/engine/plan"
)

// Prefixes of upstream's messages, in the tables of these tests.
const (
	a = rollout.PrefixAborted
	v = rollout.PrefixValidate
	u = rollout.PrefixUser
	x = rollout.PrefixUnexpected
)

// planOf makes the plan of the world's run beside all runs of its scope.
func planOf(w *rollout.World) plan.Plan {
	w.T.Helper()
	var others []*placement.StagedUpdateRun
	for _, r := range w.Runs {
		others = append(others, r)
	}
	before := w.Run().DeepCopy()
	plan := forecast.Plan(w.Input(w.Key), others, w.Now, w.Do)
	rollout.Equal(w.T, "the run is left alone", w.Run(), before)
	return plan
}

func refusals(p plan.Plan) []string {
	var out []string
	for _, r := range p.Refusals {
		out = append(out, fmt.Sprintf("%s|%t", r.Message, r.Final))
	}
	return out
}

func mismatches(list []plan.StageMismatch) string { return fmt.Sprint(list) }

func TestPlanOfAnImaginedRun(t *testing.T) {
	rollout.BothScopes(t, func(t *testing.T, w *rollout.World) {
		w.Kinds = rollout.Kinds
		w.EditStrategy(func(s *placement.UpdateStrategySpec) {
			none := rollout.Stage("none", "1")
			none.BeforeStageTasks = []placement.StageTask{rollout.Approval()}
			s.Stages[0].AfterStageTasks = []placement.StageTask{rollout.TimedWait(time.Minute), rollout.Approval()}
			s.Stages[1].SortingLabelKey = new("order")
			s.Stages[1].MaxConcurrency = new(intstr.FromInt32(9))
			s.Stages = append(s.Stages, none)
		})
		w.Join("x-1", "x", 1)
		w.Unschedule("x-1")
		w.Start(placement.StateRun)
		bindings := w.Bindings[types.NamespacedName{Namespace: w.Namespace, Name: "web-a-1"}]
		p := planOf(w)
		rollout.Equal(t, "refusals", refusals(p), nil)
		cluster := func(name, sort string) plan.Cluster {
			return plan.Cluster{Name: engine.Clean(name), SortLabel: engine.Clean(sort), Now: engine.Lit("web-0-snapshot")}
		}
		rollout.Equal(t, "stages", p.Stages, []plan.Stage{
			{
				Name: engine.Lit("a"), Clusters: []plan.Cluster{cluster("a-1", ""), cluster("a-2", "")}, AtOnce: 1,
				After: []plan.Task{{Wait: time.Minute}, {Request: engine.Lit("run-after-a")}},
			},
			{Name: engine.Lit("b"), Clusters: []plan.Cluster{cluster("b-3", "5"), cluster("b-2", "6"), cluster("b-1", "7")}, AtOnce: 9},
			{Name: engine.Lit("none"), Clusters: []plan.Cluster{}, AtOnce: 1, Skipped: true, Before: []plan.Task{{Request: engine.Lit("run-before-none")}}},
		})
		rollout.Equal(t, "deletions", fmt.Sprint(p.Deletions), "[x-1]")
		rollout.Equal(t, "snapshot", p.Snapshot, plan.Snapshot{Index: engine.Lit("1"), Asked: engine.Lit("1")})
		rollout.Equal(t, "nothing is written", w.Binding("a-1"), bindings)
	})
}

func TestPlanRefusesEverything(t *testing.T) {
	w := rollout.New(t, "")
	w.EditPlacement(func(p *placement.ResourcePlacement) { p.Spec.Strategy.Type = placement.RolloutRollingUpdate })
	w.EditPolicy(func(o *placement.SchedulingPolicySnapshot) {
		rollout.PickN("3")(o)
		delete(o.Labels, rollout.LabelPrefix+"policy-index")
		o.Status.Conditions = nil
	})
	w.Join("lost", "nowhere", 1)
	w.EditStrategy(func(s *placement.UpdateStrategySpec) {
		s.Stages[0].BeforeStageTasks = []placement.StageTask{rollout.TimedWait(1)}
		s.Stages[0].AfterStageTasks = []placement.StageTask{rollout.TimedWait(0)}
		s.Stages[1].SortingLabelKey = new("wave")
		s.Stages = append(s.Stages, rollout.Stage("a", "none"))
		s.Stages[2].LabelSelector = &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "env", Operator: metav1.LabelSelectorOpIn, Values: []string{"a"}}}}
	})
	w.Start(placement.StateRun)
	w.Edit(func(r *placement.StagedUpdateRun) { r.Spec.ResourceSnapshotIndex = "7" })
	p := planOf(w)
	want := []string{
		v + ": " + u + ": parent placement does not have an external rollout strategy, current strategy: RollingUpdate|true",
		v + ": " + x + ": policy snapshot `/web-0` does not have a policy index label|true",
		v + ": policy snapshot `web-0` not fully scheduled yet|true",
		v + ": " + x + ": the number of selected bindings 6 is not equal to the observed cluster count 3|true",
		v + ": " + u + ": the before stage tasks are invalid, updateStrategy: `/plan`, stage: a, err: task 0 of type TimedWait is not allowed in beforeStageTasks, allowed type: Approval|true",
		v + ": " + u + ": the after stage tasks are invalid, updateStrategy: `/plan`, stage: a, err: task 0 of type TimedWait has wait duration <= 0|true",
	}
	for _, name := range []string{"b-1", "b-2", "b-3"} {
		want = append(want, v+": "+u+": the sorting label `wave:` on cluster `"+name+"` is not valid: strconv.Atoi: parsing \"\": invalid syntax|true")
	}
	want = append(want,
		v+": "+u+": cluster `a-1` appears in more than one stages|true", v+": "+u+": cluster `a-2` appears in more than one stages|true",
		a+": invalid value for IntOrString: invalid type: string is not a percentage|true",
		v+": "+u+": some clusters are not placed in any stage, total 1, showing up to 10: lost|true",
		v+": "+u+": no resourceSnapshots with index `7` found for placement `/web`|true")
	rollout.Equal(t, "refusals", strings.Join(refusals(p), "\n"), strings.Join(want, "\n"))
	rollout.Equal(t, "unplaced", mismatches(p.Unplaced), "[{lost [env=nowhere] [] false}]")
	rollout.Equal(t, "overlapping", mismatches(p.Overlapping), "[{a-1 [env=a] [a a] false} {a-2 [env=a] [a a] false}]")
	// The controller itself stops at the first.
	w.Pass(0)
	rollout.Equal(t, "the first is what the run gets", w.Message("Initialized")+"|true", want[0])
}

func TestPlanMismatchWithoutTheLabel(t *testing.T) {
	w := rollout.New(t, "")
	w.EditMember("b-2", func(m *cluster.MemberCluster) { delete(m.Labels, "env") })
	w.Start(placement.StateRun)
	rollout.Equal(t, "unplaced", mismatches(planOf(w).Unplaced), "[{b-2 [env] [] false}]")
}

// A cluster whose member does not exist lacks more than a label.
func TestPlanMismatchWithoutTheMember(t *testing.T) {
	w := rollout.New(t, "")
	delete(w.Members, types.NamespacedName{Name: "b-2"})
	w.Start(placement.StateRun)
	p := planOf(w)
	rollout.Equal(t, "unplaced", mismatches(p.Unplaced), "[{b-2 [] [] true}]")
	rollout.Equal(t, "words", p.Unplaced[0].Seen().String(), "the member cluster does not exist")
}

func TestPlanGoesAsFarAsItCan(t *testing.T) {
	for _, tc := range []struct {
		name    string
		arrange func(*rollout.World)
		input   func(*pass.Input)
		want    []string
		stages  int
	}{
		{"no placement", func(w *rollout.World) { clear(w.Placements) }, nil, []string{v + ": " + u + ": parent placement not found|true"}, 2},
		{"no policy", func(w *rollout.World) { clear(w.PolicySnapshots) }, nil, []string{v + ": no latest policy snapshot found for placement /web|true"}, 0},
		{"no strategy", func(w *rollout.World) { clear(w.Strategies) }, nil, []string{v + ": " + u + ": referenced updateStrategy not found: `/plan`|true"}, 0},
		{"bindings of an old policy", func(w *rollout.World) {
			for _, name := range []string{"b-2", "b-3"} {
				w.EditBinding(name, func(b *placement.ResourceBinding) { b.Spec.SchedulingPolicySnapshotName = "web-9" })
			}
		}, nil, []string{
			"binding `web-b-2` with old policy snapshot `web-9` has state Bound, we might observe a transient state, need retry|false",
			"binding `web-b-3` with old policy snapshot `web-9` has state Bound, we might observe a transient state, need retry|false",
		}, 0},
		{"several policies", func(w *rollout.World) {
			second := w.PolicySnapshots[types.NamespacedName{Name: "web-0"}].DeepCopy()
			second.Name = "web-1"
			w.PolicySnapshots[types.NamespacedName{Name: "web-1"}] = second
		}, nil, []string{v + ": " + x + ": multiple active policy snapshots found for placement /web: got 2, want 1|true"}, 0},
		{"a selector that cannot be read", func(w *rollout.World) {
			w.EditStrategy(func(s *placement.UpdateStrategySpec) {
				s.Stages[1].LabelSelector.MatchExpressions = []metav1.LabelSelectorRequirement{{Key: "env", Operator: "Like"}}
			})
		}, nil, []string{v + ": " + u + ": the stage label selector is invalid, updateStrategy: `/plan`, stage: b, err: \"Like\" is not a valid label selector operator|true"}, 2},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := rollout.New(t, "")
			w.Start(placement.StateRun)
			if tc.arrange != nil {
				tc.arrange(w)
			}
			in := w.Input(w.Key)
			if tc.input != nil {
				tc.input(&in)
			}
			p := forecast.Plan(in, nil, w.Now, nil)
			rollout.Equal(t, "refusals", refusals(p), tc.want)
			rollout.Equal(t, "stages", len(p.Stages), tc.stages)
		})
	}
}

// What could not be read here says nothing about what the controller will do.
func TestPlanNamesWhatItCouldNotRead(t *testing.T) {
	denied := apierrors.NewForbidden(schema.GroupResource{Resource: "x"}, "", rollout.ErrRead)
	for _, tc := range []struct {
		name   string
		fail   func(*pass.ReadErrors)
		what   string
		stages int
	}{
		{"placement", func(f *pass.ReadErrors) { f.Placement = denied }, "the placement", 2},
		{"strategy", func(f *pass.ReadErrors) { f.Strategy = denied }, "the strategy", 0},
		{"policy", func(f *pass.ReadErrors) { f.PolicySnapshots = denied }, "policy snapshots", 0},
		{"bindings", func(f *pass.ReadErrors) { f.Bindings = denied }, "bindings", 0},
		{"members", func(f *pass.ReadErrors) { f.Members = denied }, "member clusters", 2},
		{"snapshots", func(f *pass.ReadErrors) { f.ResourceSnapshots = denied }, "resource snapshots", 2},
		{"overrides", func(f *pass.ReadErrors) { f.Overrides = denied }, "override snapshots", 2},
		{"kinds", func(f *pass.ReadErrors) { f.Kinds = denied }, "the kinds that the hub serves", 2},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := rollout.New(t, "")
			w.Start(placement.StateRun)
			in := w.Input(w.Key)
			tc.fail(&in.Failed)
			p := forecast.Plan(in, nil, w.Now, w.Do)
			rollout.Equal(t, "refusals", refusals(p), nil)
			rollout.Equal(t, "unknown", p.Unknown, []engine.Gap{{What: engine.Clean(tc.what), Why: engine.Clean(denied.Error()), Forbidden: true}})
			rollout.Equal(t, "stages", len(p.Stages), tc.stages)
		})
	}
	// What was recorded when the run began is not changed by what is not read now.
	for name, fail := range map[string]func(*pass.ReadErrors){
		"member clusters": func(f *pass.ReadErrors) { f.Members = denied },
		"bindings":        func(f *pass.ReadErrors) { f.Bindings = denied },
		"the placement":   func(f *pass.ReadErrors) { f.Placement = denied },
	} {
		t.Run("of an initialized run, "+name, func(t *testing.T) {
			w := rollout.New(t, "")
			w.Start(placement.StateInitialize)
			w.Pass(0)
			in := w.Input(w.Key)
			if in.Failed = (pass.ReadErrors{}); name == "member clusters" {
				in.Members = nil
			}
			fail(&in.Failed)
			p := forecast.Plan(in, nil, w.Now, w.Do)
			rollout.Equal(t, "initialized", p.Initialized, true)
			rollout.Equal(t, "refusals", refusals(p), nil)
			rollout.Equal(t, "unknown", p.Unknown, []engine.Gap{{What: engine.Clean(name), Why: engine.Clean(denied.Error()), Forbidden: true}})
			rollout.Equal(t, "stages", len(p.Stages), 2)
		})
	}
	t.Run("a selected kind", func(t *testing.T) {
		w := rollout.NewWithoutIndex(t, "team", rollout.Term("", "v1", "ConfigMap", ""))
		p := forecast.Plan(w.Input(w.Key), nil, w.Now, func(pass.Effect) (pass.Answer, error) { return pass.Answer{}, rollout.ErrRead })
		rollout.Equal(t, "refusals", refusals(p), nil)
		rollout.Equal(t, "unknown", p.Unknown, []engine.Gap{{What: engine.Lit("selected configmaps"), Why: engine.Lit("cache is cold")}})
		rollout.Equal(t, "snapshot", p.Snapshot, plan.Snapshot{Newest: true})
	})
}

func TestPlanOfARunThatIsBeingDeleted(t *testing.T) {
	w := rollout.New(t, "")
	w.Start(placement.StateRun)
	w.Edit(func(r *placement.StagedUpdateRun) { r.DeletionTimestamp = &metav1.Time{Time: rollout.Epoch} })
	p := forecast.Plan(pass.Input{Run: w.Run()}, nil, w.Now, nil)
	rollout.Equal(t, "finished", p.Finished, true)
	rollout.Equal(t, "refusals", refusals(p), nil)
}

func TestPlanOfTheNewestSnapshot(t *testing.T) {
	w := rollout.NewWithoutIndex(t, "team", rollout.Term("", "v1", "ConfigMap", ""))
	w.AddObjects("- " + rollout.ConfigMap + "one, namespace: team}}")
	rollout.Equal(t, "made", planOf(w).Snapshot, plan.Snapshot{Index: engine.Lit("0"), Newest: true, Made: true})
	rollout.Equal(t, "nothing is made", len(w.ResourceSnapshots), 0)
	w.Pass(0)
	w.ResetStatus()
	rollout.Equal(t, "reused", planOf(w).Snapshot, plan.Snapshot{Index: engine.Lit("0"), Newest: true})
	rollout.Equal(t, "unknown without reads", forecast.Plan(w.Input(w.Key), nil, w.Now, nil).Snapshot, plan.Snapshot{Newest: true})
	w.EditPlacement(func(p *placement.ResourcePlacement) {
		p.Spec.ResourceSelectors = []placement.ResourceSelectorTerm{rollout.Term("", "v1", "Namespace", "team")}
	})
	rollout.Equal(t, "refused", refusals(planOf(w)), []string{v + ": " + u + ": invalid placement team/web: cannot select cluster-scoped resource Namespace in a resourcePlacement|true"})
}

func TestPlanOfARunningRun(t *testing.T) {
	w := rollout.New(t, "")
	w.Start(placement.StateRun)
	w.Pass(0)
	w.Available("a-1")
	w.Pass(w.Timing.ClusterCheck)
	w.EditStrategy(func(s *placement.UpdateStrategySpec) { s.Stages = nil }) // frozen
	p := planOf(w)
	rollout.Equal(t, "initialized", p.Initialized, true)
	rollout.Equal(t, "refusals", refusals(p), nil)
	rollout.Equal(t, "progress", fmt.Sprint(p.Stages[0].Clusters), "[{a-1  web-1-snapshot [] true true} {a-2  web-1-snapshot [] true false}]")

	w.EditPlacement(func(o *placement.ResourcePlacement) {
		o.Spec.Strategy.ApplyStrategy = &placement.ApplyStrategy{AllowCoOwnership: true}
	})
	w.EditPolicy(func(o *placement.SchedulingPolicySnapshot) {
		rollout.PickN("4")(o)
		o.Labels[rollout.LabelPrefix+"policy-index"] = "1"
	})
	w.EditMember("b-2", func(m *cluster.MemberCluster) { m.Labels["env"] = "a" })
	rollout.EditStatus(func(st *placement.UpdateRunStatus) {
		rollout.SetCondition(&st.DeletionStageStatus.Conditions, "Progressing", "True")
	})(w)
	rollout.Equal(t, "every drift", strings.Join(refusals(planOf(w)), "\n"), strings.Join([]string{
		a + ": " + u + ": the applyStrategy in the updateRun is outdated: allowCoOwnership true (was false)|true",
		a + ": the policy snapshot index used in the updateRun is outdated, latest: 1, recorded: 0|true",
		a + ": the cluster count initialized in the updateRun is outdated, latest: 4, recorded: 5|true",
		v + ": " + x + ": the number of selected bindings 5 is not equal to the observed cluster count 4|true",
		a + ": the number of clusters in index `0` stage has changed, new: 3, existing: 2|true",
		a + ": the number of clusters in index `1` stage has changed, new: 2, existing: 3|true",
	}, "\n"))
}

func TestPlanOfADamagedRun(t *testing.T) {
	for _, tc := range []struct {
		name   string
		damage func(*rollout.World)
		want   string
	}{
		{"no strategy", rollout.EditStatus(func(st *placement.UpdateRunStatus) { st.StagedUpdateStrategySnapshot = nil }), a + ": " + x + ": the updateRun has nil updateStrategySnapshot|true"},
		{"no stages", rollout.EditStatus(func(st *placement.UpdateRunStatus) { st.StagesStatus = nil }), a + ": " + x + ": the updateRun has nil stagesStatus|true"},
		{"a failed stage", rollout.EditStatus(func(st *placement.UpdateRunStatus) {
			rollout.SetCondition(&st.StagesStatus[1].Conditions, "Succeeded", "False")
		}), a + ": the stage `b` has failed, err: by hand|true"},
		{"deletion stage", rollout.EditStatus(func(st *placement.UpdateRunStatus) { st.DeletionStageStatus = nil }), a + ": " + x + ": the updateRun has nil deletionStageStatus|true"},
		{"policy gone", func(w *rollout.World) { clear(w.PolicySnapshots) }, v + ": no latest policy snapshot found for placement /web|true"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := rollout.New(t, "")
			w.Start(placement.StateInitialize)
			w.Pass(0)
			tc.damage(w)
			rollout.Equal(t, "refusals", refusals(planOf(w)), []string{tc.want})
		})
	}
}

func TestPlanOfAFinishedRun(t *testing.T) {
	w := rollout.New(t, "")
	w.Start(placement.StateRun)
	w.Finish()
	clear(w.Placements)
	p := planOf(w)
	rollout.Equal(t, "finished", p.Finished, true)
	rollout.Equal(t, "refusals", refusals(p), nil)
	rollout.Equal(t, "stages", len(p.Stages), 2)
}

func TestPlanRivals(t *testing.T) {
	w := rollout.New(t, "team")
	w.Put(w.Snapshot(2))
	w.Start(placement.StateRun)
	w.Pass(0)
	w.Available("a-1")
	w.Pass(w.Timing.ClusterCheck) // a-1 done, a-2 in flight, b-* to come
	competing := func(name, index string, state placement.State) {
		w.Put(&placement.StagedUpdateRun{ObjectMeta: w.Meta(name), Spec: placement.UpdateRunSpec{
			PlacementName: "web", ResourceSnapshotIndex: index, StagedRolloutStrategyName: "plan", State: state,
		}})
	}
	competing("next", "2", placement.StateRun)
	competing("same", "1", placement.StateInitialize)
	other := w.Run().DeepCopy()
	other.Name, other.Spec.PlacementName = "elsewhere", "other"
	gone := w.Run().DeepCopy()
	gone.Name, gone.DeletionTimestamp = "gone", &metav1.Time{Time: rollout.Epoch}
	w.Put(other, gone)

	w.Key.Name = "next"
	p := planOf(w)
	rollout.Equal(t, "competing runs of the new one", fmt.Sprint(p.CompetingRuns), fmt.Sprint([]plan.CompetingRun{
		{Run: engine.NewID(engine.KindStagedUpdateRun, "team", "run", "uid-run"), State: engine.Lit("Run"), Index: engine.Lit("1"), WillLose: []engine.Text{engine.Lit("a-2")}, MayTake: []engine.Text{engine.Lit("b-1"), engine.Lit("b-2"), engine.Lit("b-3")}},
		{Run: engine.NewID(engine.KindStagedUpdateRun, "team", "same", "uid-same"), State: engine.Lit("Initialize"), MayTake: []engine.Text{engine.Lit("a-1"), engine.Lit("a-2"), engine.Lit("b-1"), engine.Lit("b-2"), engine.Lit("b-3")}},
	}))
	w.Key.Name = "same"
	same := planOf(w).CompetingRuns[1]
	rollout.Equal(t, "the same snapshot", []any{same.Same, len(same.WillLose) + len(same.MayTake)}, []any{true, 0})

	w.Key.Name = "run"
	rollout.Equal(t, "competing runs of the old one", fmt.Sprint(planOf(w).CompetingRuns[0].MayTake), "[a-2 b-1 b-2 b-3]")
	rollout.Equal(t, "another snapshot", planOf(w).CompetingRuns[0].Same, false)
	w.Key.Name = "next"
	w.Pass(0) // takes a-1 and a-2 is yet to come
	w.Key.Name = "run"
	p = planOf(w)
	stuck := func() bool {
		i := slices.IndexFunc(p.CompetingRuns, func(r plan.CompetingRun) bool { return r.Run.Name().String() == "next" })
		return p.CompetingRuns[i].Stuck
	}
	rollout.Equal(t, "the new one makes progress", stuck(), false)
	next := w.Runs[types.NamespacedName{Namespace: w.Key.Namespace, Name: "next"}]
	meta.SetStatusCondition(&next.Status.Conditions, metav1.Condition{Type: placement.RunProgressing, Status: "False", Reason: placement.ReasonRunStuck, ObservedGeneration: next.Generation})
	p = planOf(w)
	rollout.Equal(t, "the new one is stuck", stuck(), true)
	rollout.Equal(t, "the old one, once the new one runs", fmt.Sprint(p.CompetingRuns[0].WillLose, p.CompetingRuns[0].MayTake), "[] [a-2 b-1 b-2 b-3]")

	// A run that fails before its first stage takes no cluster, and none is taken from it.
	competing("failing", "9", placement.StateRun)
	for _, c := range planOf(w).CompetingRuns {
		if c.Run.Name().String() == "failing" {
			rollout.Equal(t, "one that fails its initialization", []any{c.Fails.String(), len(c.WillLose) + len(c.MayTake)}, []any{"no resourceSnapshots with index `9` found for placement `team/web`", 0})
		}
	}
	w.Key.Name = "failing"
	for _, c := range planOf(w).CompetingRuns {
		rollout.Equal(t, c.Run.Title().String(), []any{c.Moot, len(c.WillLose) + len(c.MayTake)}, []any{true, 0})
	}
}

// A run that failed is made again with the same spec; no other is.
func TestPlanOfAFailedRunMadeAgain(t *testing.T) {
	rollout.BothScopes(t, func(t *testing.T, w *rollout.World) {
		w.Start(placement.StateStop)
		w.Edit(func(r *placement.StagedUpdateRun) { r.Spec.ResourceSnapshotIndex = "7" })
		rollout.Equal(t, "one that may still be", forecast.Remade(w.Run()), nil)
		w.Pass(0)
		again := forecast.Remade(w.Run())
		rollout.Equal(t, "spec", again.Spec, placement.UpdateRunSpec{PlacementName: "web", ResourceSnapshotIndex: "7", StagedRolloutStrategyName: "plan", State: placement.StateRun})
		rollout.Equal(t, "scope and name", again.Namespace+"/"+again.Name, w.Namespace+"/")
		in := w.Input(w.Key)
		in.Run = again
		p := forecast.Plan(in, nil, w.Now, nil)
		rollout.Equal(t, "refusals", refusals(p), []string{v + ": " + u + ": no resourceSnapshots with index `7` found for placement `" + w.Namespace + "/web`|true"})
		rollout.Equal(t, "finished", p.Finished, false)
		w.Edit(func(r *placement.StagedUpdateRun) { r.DeletionTimestamp = &metav1.Time{Time: w.Now} })
		rollout.Equal(t, "one that is being deleted", forecast.Remade(w.Run()), nil)
		rollout.Equal(t, "its name", pass.IDOf(w.Run()).Title().String(), strings.TrimPrefix(w.Namespace+"/run", "/"))
	})
}

func hints(p plan.Plan) []string {
	var out []string
	for _, r := range p.Refusals {
		out = append(out, r.Hint.String())
	}
	return out
}

// TestPlanOfANewSnapshotInParts holds that the plan fails a run whose snapshot
// is made of several parts while there is an override, and says that a second
// run works.
func TestPlanOfANewSnapshotInParts(t *testing.T) {
	blob := strings.Repeat("x", 500<<10)
	for _, ns := range []string{"", "app"} {
		t.Run("ns="+ns, func(t *testing.T) {
			selects := rollout.Term("", "v1", "Namespace", "app")
			if ns != "" {
				selects = rollout.Term("", "v1", "ConfigMap", "")
			}
			w := rollout.NewWithoutIndex(t, ns, selects)
			w.AddOverrides(rollout.AllClusters())
			w.AddObjects("- {apiVersion: v1, kind: Namespace, metadata: {name: app}}\n" +
				"- " + rollout.ConfigMap + "a, namespace: app}, data: {v: " + blob + "}}\n- " + rollout.ConfigMap + "b, namespace: app}, data: {v: " + blob + "}}\n")
			first := planOf(w)
			if len(first.Refusals) != 1 || !first.Refusals[0].Final || !strings.Contains(first.Refusals[0].Message.String(), "are still being created") {
				t.Fatalf("refusals of the first run: %v", refusals(first))
			}
			w.Pass(0)
			rollout.Equal(t, "message", w.Message("Initialized"), first.Refusals[0].Message.String())
			w.ResetStatus()
			if ns == "" {
				rollout.Equal(t, "hint", hints(first), []string{"The controller counts the parts of snapshot 0 before it can see them. Create a second run after this one has failed: snapshot 0 exists by then."})
				rollout.Equal(t, "refusals of the second run", refusals(planOf(w)), nil)
				return
			}
			if second := planOf(w); len(second.Refusals) != 1 || !strings.HasPrefix(hints(second)[0], "In a namespace the controller never finds the parts") {
				t.Errorf("second run in a namespace: %v, %v", refusals(second), hints(second))
			}
		})
	}
}

func TestPlanOfAnIndexThatIsText(t *testing.T) {
	rollout.BothScopes(t, func(t *testing.T, w *rollout.World) {
		w.Start(placement.StateRun)
		for index, want := range map[string]string{
			"01": `The index is compared with the snapshot's label as text: "01" matches only the label "01". Snapshot 1 exists: use index 1.`,
			"9":  "Existing snapshots: 1, 0.", "x": "Existing snapshots: 1, 0.",
		} {
			w.Edit(func(r *placement.StagedUpdateRun) { r.Spec.ResourceSnapshotIndex = index })
			p := planOf(w)
			rollout.Equal(t, index, hints(p), []string{want})
			rollout.Equal(t, index, p.Rolls().String(), index)
		}
		w.Edit(func(r *placement.StagedUpdateRun) { r.Spec.PlacementName = "wbe" })
		for _, r := range planOf(w).Refusals {
			if strings.Contains(r.Hint.String(), "leave the index out") {
				t.Errorf("a placement that does not exist has snapshots: %s", r.Hint)
			}
		}
	})
}

// TestPlanWarnsOfUnwatchedVersions holds that a version which the controller may
// have to start watching delays a run and does not fail it.
func TestPlanWarnsOfUnwatchedVersions(t *testing.T) {
	w := rollout.NewWithoutIndex(t, "team", rollout.Term("autoscaling", "v1", "HorizontalPodAutoscaler", ""))
	w.Kinds = append(slices.Clone(rollout.Kinds), pass.Kind{GroupVersionKind: rollout.GVK("autoscaling", "v2", "HorizontalPodAutoscaler"), Resource: "horizontalpodautoscalers", Namespaced: true, Preferred: true})
	p := planOf(w)
	rollout.Equal(t, "refusals", refusals(p), nil)
	rollout.Equal(t, "warnings", p.Warnings, []engine.Text{engine.Lit("autoscaling/v1 HorizontalPodAutoscaler is not the preferred version (preferred: v2): the first run that selects it is retried for up to 30 s, then initializes.")})
}

// TestPlanNamesThePreferredVersion holds that the plan says what is wrong with a
// cluster-scoped kind at another version, which the controller refuses as namespaced.
func TestPlanNamesThePreferredVersion(t *testing.T) {
	w := rollout.NewWithoutIndex(t, "", rollout.Term("scheduling.k8s.io", "v1alpha1", "PriorityClass", ""))
	rollout.Equal(t, "without another version", hints(planOf(w)), []string{"PriorityClass is cluster-scoped, but scheduling.k8s.io/v1alpha1 is not its preferred version: the controller handles it as namespace-scoped."})
	w.Kinds = append(slices.Clone(rollout.Kinds), pass.Kind{GroupVersionKind: rollout.GVK("scheduling.k8s.io", "v1", "PriorityClass"), Resource: "priorityclasses", Preferred: true})
	rollout.Equal(t, "hints", hints(planOf(w)), []string{"PriorityClass is cluster-scoped, but scheduling.k8s.io/v1alpha1 is not its preferred version: the controller handles it as namespace-scoped. Select version v1."})
	w = rollout.NewWithoutIndex(t, "", rollout.Term("", "v1", "ConfigMap", ""))
	rollout.Equal(t, "a namespaced kind", hints(planOf(w)), []string{""})
}

// The controller does not check whether the placement is being deleted: a plan warns of
// it, and says why bindings of another policy snapshot keep the run PENDING.
func TestPlanWarnsOfADeletedPlacementAndOldBindings(t *testing.T) {
	rollout.BothScopes(t, func(t *testing.T, w *rollout.World) {
		w.Start(placement.StateRun)
		in := w.Input(w.Key)
		gone := in.Placement.DeepCopy()
		gone.DeletionTimestamp = &metav1.Time{Time: w.Now.Add(-time.Minute)}
		in.Placement = gone
		p := forecast.Plan(in, nil, w.Now, w.Do)
		if len(p.Warnings) != 1 || !strings.HasPrefix(p.Warnings[0].String(), "Placement web is being deleted (requested at ") || len(p.Delays) > 0 {
			t.Errorf("warnings %v, delays %v", p.Warnings, p.Delays)
		}
		if checks := fmt.Sprint(p.Checks()); !strings.Contains(checks, "is being deleted") || strings.Contains(checks, "possible") {
			t.Errorf("the checks of a clone: %s", checks)
		}
		if got, want := p.Verdict().String(), "fails soon: placement web is being deleted"; got != want || p.Forecasts() {
			t.Errorf("verdict %q, want %q; forecast %v", got, want, p.Forecasts())
		}
		if !strings.Contains(p.Warnings[0].String(), "its resources are removed from the clusters. The hub agent deletes its snapshots and bindings") {
			t.Errorf("warning %q", p.Warnings[0])
		}
		gone.Spec.Strategy.DeleteStrategy = &placement.DeleteStrategy{PropagationPolicy: placement.PropagationAbandon}
		gone.Finalizers = []string{placement.FinalizerPlacement, "example.com/hold"}
		if w := forecast.Plan(in, nil, w.Now, w.Do).Warnings; !strings.Contains(w[0].String(), "stay on the clusters (deleteStrategy Abandon)") || !strings.Contains(w[0].String(), "Until example.com/hold is removed, the placement itself stays.") {
			t.Errorf("warning %q", w)
		}
		for i, b := range in.Bindings {
			in.Bindings[i] = b.DeepCopy()
			in.Bindings[i].Spec.SchedulingPolicySnapshotName = "web-old"
		}
		if h := hints(forecast.Plan(in, nil, w.Now, w.Do)); len(h) == 0 || !strings.HasSuffix(h[0], "If they still have web-old after a minute, check that the scheduler is running: read the controller's log.") {
			t.Errorf("hints of bindings whose policy snapshot was deleted: %q", h)
		}
		old := in.PolicySnapshots[0].DeepCopy()
		old.Name, old.Labels[placement.LabelIsLatestSnapshot] = "web-old", "false"
		in.PolicySnapshots = append(in.PolicySnapshots, old)
		if h := hints(forecast.Plan(in, nil, w.Now, w.Do)); len(h) == 0 || !strings.Contains(h[0], "If they still have web-old after a minute, set the label kubernetes-fleet.io/is-latest-snapshot to true on web-old and to false on ") {
			t.Errorf("hints %q", h)
		}
	})
}

// A plan of a placement or strategy that does not exist names those that do, the
// nearest name first.
func TestPlanOfNamesThatDoNotExist(t *testing.T) {
	rollout.BothScopes(t, func(t *testing.T, w *rollout.World) {
		w.Start(placement.StateRun)
		in, where := w.Input(w.Key), ""
		if w.Namespace != "" {
			where = " in namespace " + w.Namespace
		}
		in.Placement, in.Strategy = nil, nil
		for _, tt := range []struct{ placements, strategies, want []string }{
			{nil, nil, []string{"Placement web does not exist" + where + ".", "Strategy plan does not exist" + where + "."}},
			{[]string{}, []string{}, []string{
				"Placement web does not exist" + where + ". No placement exists" + where + " that a run can use: create one first.",
				"Strategy plan does not exist" + where + ". No strategy exists" + where + " that a run can use: create one first.",
			}},
			{[]string{"api", "web-2", "webb"}, []string{"rings", "plans"}, []string{
				"Placement web does not exist" + where + ". Use one that exists: webb, web-2 and api.",
				"Strategy plan does not exist" + where + ". Use one that exists: plans and rings.",
			}},
		} {
			in.PlacementNames, in.StrategyNames = tt.placements, tt.strategies
			rollout.Equal(t, "hints", hints(forecast.Plan(in, nil, w.Now, nil)), tt.want)
		}
	})
}

// The controller does not read a resource snapshot again: a plan of an initialized run says
// that the clusters get stuck when it was deleted. Nothing is said when it was not read.
func TestPlanOfARunWithoutItsSnapshot(t *testing.T) {
	rollout.BothScopes(t, func(t *testing.T, w *rollout.World) {
		w.Start(placement.StateInitialize)
		for !pass.Initialized(w.Run()) {
			w.Step()
		}
		used := w.Run().Status.ResourceSnapshotIndexUsed
		for _, tt := range []struct {
			name string
			of   func([]*placement.ResourceSnapshot) []*placement.ResourceSnapshot
			gone bool
		}{
			{"it exists", func(all []*placement.ResourceSnapshot) []*placement.ResourceSnapshot { return all }, false},
			{"not read", func([]*placement.ResourceSnapshot) []*placement.ResourceSnapshot { return nil }, false},
			{"deleted", func(all []*placement.ResourceSnapshot) []*placement.ResourceSnapshot {
				return slices.DeleteFunc(slices.Clone(all), func(s *placement.ResourceSnapshot) bool { return s.Labels[placement.LabelResourceIndex] == used })
			}, true},
		} {
			in := w.Input(w.Key)
			in.ResourceSnapshots = tt.of(in.ResourceSnapshots)
			p := forecast.Plan(in, nil, w.Now, w.Do)
			if gone := !p.SnapshotGone.IsZero(); !p.Initialized || gone != tt.gone || p.Forecasts() == tt.gone && p.Forecast != nil {
				t.Errorf("%s: initialized %v, gone %q, forecasts %v", tt.name, p.Initialized, p.SnapshotGone, p.Forecasts())
			}
			in.Run = in.Run.DeepCopy()
			for i := range in.Run.Status.StagesStatus { // a run that starts no cluster needs no snapshot
				for j := range in.Run.Status.StagesStatus[i].Clusters {
					c := &in.Run.Status.StagesStatus[i].Clusters[j]
					meta.SetStatusCondition(&c.Conditions, metav1.Condition{Type: placement.ClusterStarted, Status: metav1.ConditionTrue, Reason: "x"})
				}
			}
			if all := forecast.Plan(in, nil, w.Now, w.Do); !all.SnapshotGone.IsZero() {
				t.Errorf("%s, all clusters are started: gone %q", tt.name, all.SnapshotGone)
			}
			if tt.gone && (p.Verdict() != engine.Textf("gets stuck: resource snapshot %s no longer exists", used) || len(p.Warnings) != 1) {
				t.Errorf("verdict %q, warnings %v", p.Verdict(), p.Warnings)
			}
		}
	})
}

// TestABindingThatIsBeingDeleted: the controller counts such a binding and starts its
// cluster, where every run gets stuck. A cluster that is done does not matter.
func TestABindingThatIsBeingDeleted(t *testing.T) {
	for _, ns := range []string{"", "shop"} {
		f := rolled(t, ns, func(*placement.UpdateStrategySpec) {})
		f.until(f.started("b-1"))
		for _, name := range []string{"a-1", "b-2"} {
			f.EditBinding(name, func(b *placement.ResourceBinding) {
				at := metav1.NewTime(f.Now)
				b.DeletionTimestamp, b.Finalizers = &at, []string{"acme.io/hold", placement.FinalizerWork}
			})
		}
		p := forecast.Plan(f.Input(f.Key), f.runs(), f.Now, nil)
		want := "the binding of cluster b-2 is being deleted (requested at " + engine.Clock(f.Now, f.Now).String() + "; acme.io/hold blocks that)"
		if len(p.Going) != 1 || p.Going[0].String() != want || p.Doom().String() != want || p.Verdict().String() != "gets stuck: "+want {
			t.Errorf("%q: %s", p.Going, p.Verdict())
		}
		if w := engine.Join(p.Warnings, " ").String(); !strings.Contains(w, "a run that starts this cluster gets stuck, and fails when the binding is gone.") {
			t.Errorf("warnings: %s", w)
		}
		in := f.Input(f.Key)
		in.Run = in.Run.DeepCopy()
		in.Run.Status = placement.UpdateRunStatus{}
		if again := forecast.Plan(in, f.runs(), f.Now, nil); len(again.Going) != 2 {
			t.Errorf("a new run: %q", again.Going)
		}
	}
}

// TestAClusterThatFailsWithTheSnapshot: another run gave a pending cluster the run's
// snapshot, and it fails with it. A run that is in progress says so by itself.
func TestAClusterThatFailsWithTheSnapshot(t *testing.T) {
	for _, tt := range []struct {
		name, cluster string
		state         placement.State
		available     metav1.ConditionStatus
		older, other  bool
		warned        bool
	}{
		{"resumed", "b-2", placement.StateStop, "False", false, false, true},
		{"in progress", "b-2", placement.StateRun, "False", false, false, false},
		{"not known yet", "b-2", placement.StateStop, "Unknown", false, false, false},
		{"an older snapshot fails", "b-2", placement.StateStop, "False", true, false, false},
		{"it fails with another apply strategy, which the run replaces", "b-2", placement.StateStop, "False", false, true, false},
		{"a done cluster", "a-1", placement.StateStop, "False", false, false, false},
	} {
		for _, ns := range []string{"", "shop"} {
			f := rolled(t, ns, func(*placement.UpdateStrategySpec) {})
			f.until(f.started("b-1"))
			f.SetState(tt.state)
			f.EditBinding(tt.cluster, func(b *placement.ResourceBinding) {
				if !tt.older {
					b.Spec.ResourceSnapshotName = f.Binding("a-1").Spec.ResourceSnapshotName
				}
				if tt.other {
					b.Spec.ApplyStrategy = &placement.ApplyStrategy{WhenToApply: placement.ApplyIfNotDrifted}
				}
				b.Status.Conditions = []metav1.Condition{{Type: "Available", Status: tt.available, ObservedGeneration: b.Generation}}
			})
			p := forecast.Plan(f.Input(f.Key), f.runs(), f.Now, nil)
			var failing []string
			if tt.warned {
				failing = []string{tt.cluster + " (Available False)"}
			}
			rollout.Equal(t, tt.name+" "+ns, fmt.Sprint(p.Failing), fmt.Sprint(failing))
			got := engine.Join(p.Warnings, " ").String()
			want := "The run gets stuck on " + tt.cluster + " (Available False) unless the cause is fixed: snapshot "
			if strings.Contains(got, want) != tt.warned {
				t.Errorf("%s %s: %q", tt.name, ns, got)
			}
		}
	}
}

// TestPlanOfADeletionStageThatIsPartlyDone: what is deleted already, or has no binding any more,
// comes first and is not announced.
func TestPlanOfADeletionStageThatIsPartlyDone(t *testing.T) {
	rollout.BothScopes(t, func(t *testing.T, w *rollout.World) {
		w.Start(placement.StateRun)
		w.Pass(0)
		w.Edit(func(r *placement.StagedUpdateRun) {
			done := []metav1.Condition{{Type: placement.ClusterSucceeded, Status: metav1.ConditionTrue}}
			r.Status.DeletionStageStatus = &placement.StageStatus{Clusters: []placement.ClusterStatus{{ClusterName: "x-1"}, {ClusterName: "x-2", Conditions: done}, {ClusterName: "x-3"}}}
		})
		b := w.Binding("a-1").DeepCopy() // that of x-3 was deleted by somebody else
		b.Name, b.Spec.TargetCluster, b.Spec.State = "web-x-1", "x-1", placement.BindingUnscheduled
		w.Put(b)
		p := forecast.Plan(w.Input(w.Key), nil, w.Now, nil)
		rollout.Equal(t, "deletions", fmt.Sprint(p.Deletions, p.Deleted), "[x-2 x-3 x-1] 2")
		p.Refusals = nil
		if says := fmt.Sprint(p.RunChecks()); !strings.Contains(says, "deletes the resources from 1 cluster: x-1") {
			t.Errorf("checks: %s", says)
		}
	})
}

// TestStagesOfOneName: the approval requests of two stages of one name are one.
func TestStagesOfOneName(t *testing.T) {
	for _, same := range []bool{false, true} {
		f := rolled(t, "", func(u *placement.UpdateStrategySpec) {
			for i := range u.Stages {
				u.Stages[i].AfterStageTasks = approvalTask()
				if same {
					u.Stages[i].Name = "ring"
				}
			}
		})
		in := f.Input(f.Key)
		in.Run = in.Run.DeepCopy()
		in.Run.Status = placement.UpdateRunStatus{}
		p := forecast.Plan(in, nil, f.Now, nil)
		if warned := strings.Contains(engine.Join(p.Warnings, " ").String(), "Two stages are called ring: they share one approval request, and one approval passes both gates."); warned != same {
			t.Errorf("same %v: %q", same, p.Warnings)
		}
	}
}

// TestTheSecondStageOfAName: once the first gate is passed, the second one needs no approval.
func TestTheSecondStageOfAName(t *testing.T) {
	for _, passed := range []bool{false, true} {
		f := rolled(t, "", func(u *placement.UpdateStrategySpec) {
			for i := range u.Stages {
				u.Stages[i].Name, u.Stages[i].BeforeStageTasks = "ring", approvalTask()
			}
		})
		f.Pass(0)
		f.Edit(func(r *placement.StagedUpdateRun) {
			if tasks := r.Status.StagesStatus[0].BeforeStageTaskStatus; passed {
				meta.SetStatusCondition(&tasks[0].Conditions, metav1.Condition{Type: placement.TaskApprovalRequestApproved, Status: metav1.ConditionTrue, ObservedGeneration: r.Generation})
			}
		})
		p := forecast.Plan(f.Input(f.Key), nil, f.Now, nil)
		if warned := strings.Contains(engine.Join(p.Warnings, " ").String(), "The first approval passes the second gate, too: no second approval is needed."); warned != passed {
			t.Errorf("passed %v: %q", passed, p.Warnings)
		}
	}
}

// TestAStrategyThatChangedSince: an initialized run has a copy, a new one does not.
func TestAStrategyThatChangedSince(t *testing.T) {
	for _, changed := range []bool{false, true} {
		f := rolled(t, "shop", func(*placement.UpdateStrategySpec) {})
		f.until(f.started("a-1"))
		if changed {
			f.EditStrategy(func(u *placement.UpdateStrategySpec) { u.Stages[1].AfterStageTasks = approvalTask() })
		}
		in := f.Input(f.Key)
		p := forecast.Plan(in, f.runs(), f.Now, nil)
		if warned := strings.Contains(engine.Join(p.Warnings, " ").String(), "was changed after this run was initialized: the run keeps its stages, approvals and timed waits."); warned != changed || len(p.Refusals) > 0 {
			t.Errorf("changed %v: %q, %v", changed, p.Warnings, p.Refusals)
		}
		in.Run = in.Run.DeepCopy()
		in.Run.Status = placement.UpdateRunStatus{}
		if p := forecast.Plan(in, f.runs(), f.Now, nil); strings.Contains(engine.Join(p.Warnings, " ").String(), "was changed after") {
			t.Errorf("a new run: %q", p.Warnings)
		}
	}
}

// TestAPolicyThatChangedSince: the checks still pass, and fail once the hub agent has handled it.
func TestAPolicyThatChangedSince(t *testing.T) {
	five, six := int32(5), int32(6)
	pickN := func(n *int32) *placement.PlacementPolicy {
		return &placement.PlacementPolicy{PlacementType: placement.PickN, NumberOfClusters: n}
	}
	for _, tt := range []struct {
		name        string
		now, latest *placement.PlacementPolicy
		number      string
		want        bool
	}{
		{"the same", &placement.PlacementPolicy{PlacementType: placement.PickAll}, &placement.PlacementPolicy{PlacementType: placement.PickAll}, "", false},
		{"none is PickAll", nil, &placement.PlacementPolicy{PlacementType: placement.PickAll}, "", false},
		{"tolerations", &placement.PlacementPolicy{PlacementType: placement.PickAll, Tolerations: []placement.Toleration{{Key: "a"}}}, nil, "", true},
		{"the number", pickN(&six), pickN(nil), "5", true},
		{"the same number", pickN(&five), pickN(nil), "5", false},
	} {
		f := rolled(t, "shop", func(*placement.UpdateStrategySpec) {})
		f.until(f.started("a-1"))
		f.EditPlacement(func(p *placement.ResourcePlacement) { p.Spec.Policy = tt.now })
		f.EditPolicy(func(p *placement.SchedulingPolicySnapshot) {
			if p.Spec.Policy = tt.latest; tt.number != "" {
				p.Annotations = map[string]string{placement.AnnotationNumberOfClusters: tt.number}
			}
		})
		p := forecast.Plan(f.Input(f.Key), f.runs(), f.Now, nil)
		if warned := strings.Contains(engine.Join(p.Warnings, " ").String(), "Policy snapshot web-0 does not have the current policy of placement web: a run that uses it fails as soon as the hub agent handles the change."); warned != tt.want {
			t.Errorf("%s: %q, refused %v", tt.name, p.Warnings, p.Refusals)
		}
	}
}
