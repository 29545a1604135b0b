package drive_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"

	cluster "github.com/stagewatch/stagewatch/api/cluster/v1beta1"
	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/drive/pass"
	"github.com/stagewatch/stagewatch/engine/forecast"
)

// planOf makes the plan of the world's run beside all runs of its scope.
func planOf(w *world) engine.Plan {
	w.t.Helper()
	var others []*placement.StagedUpdateRun
	for _, r := range w.Runs {
		others = append(others, r)
	}
	before := w.run().DeepCopy()
	plan := forecast.Plan(w.Input(w.key), others, w.Now, w.Do)
	equal(w.t, "the run is left alone", w.run(), before)
	return plan
}

func refusals(p engine.Plan) []string {
	var out []string
	for _, r := range p.Refusals {
		out = append(out, fmt.Sprintf("%s|%t", r.Message, r.Final))
	}
	return out
}

func misfits(list []engine.PlanMisfit) string { return fmt.Sprint(list) }

func TestPlanOfAnImaginedRun(t *testing.T) {
	bothScopes(t, func(t *testing.T, w *world) {
		w.Kinds = known
		w.strategy(func(s *placement.UpdateStrategySpec) {
			none := stage("none", "1")
			none.BeforeStageTasks = []placement.StageTask{approval()}
			s.Stages[0].AfterStageTasks = []placement.StageTask{timed(time.Minute), approval()}
			s.Stages[1].SortingLabelKey = new("order")
			s.Stages[1].MaxConcurrency = new(intstr.FromInt32(9))
			s.Stages = append(s.Stages, none)
		})
		w.join("x-1", "x", 1)
		w.unschedule("x-1")
		w.start(placement.StateRun)
		bindings := w.Bindings[types.NamespacedName{Namespace: w.ns, Name: "web-a-1"}]
		p := planOf(w)
		equal(t, "refusals", refusals(p), nil)
		text, err := json.Marshal(p.Stages)
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "stages", string(text), `[{"name":"a","clusters":[{"name":"a-1","now":"web-0-snapshot"},{"name":"a-2","now":"web-0-snapshot"}],"atOnce":1,"after":[{"waitNanoseconds":60000000000},{"request":"run-after-a"}]},`+
			`{"name":"b","clusters":[{"name":"b-3","sortLabel":"5","now":"web-0-snapshot"},{"name":"b-2","sortLabel":"6","now":"web-0-snapshot"},{"name":"b-1","sortLabel":"7","now":"web-0-snapshot"}],"atOnce":3},`+
			`{"name":"none","clusters":[],"atOnce":0,"skipped":true,"before":[{"request":"run-before-none"}]}]`)
		equal(t, "deletions", fmt.Sprint(p.Deletions), "[x-1]")
		equal(t, "snapshot", p.Snapshot, engine.PlanSnapshot{Index: engine.Lit("1")})
		equal(t, "nothing is written", w.binding("a-1"), bindings)
	})
}

func TestPlanRefusesEverything(t *testing.T) {
	w := newWorld(t, "")
	w.placement(func(p *placement.ResourcePlacement) { p.Spec.Strategy.Type = placement.RolloutRollingUpdate })
	w.policy(func(o *placement.SchedulingPolicySnapshot) {
		pickN("3")(o)
		delete(o.Labels, fleet+"policy-index")
		o.Status.Conditions = nil
	})
	w.join("lost", "nowhere", 1)
	w.strategy(func(s *placement.UpdateStrategySpec) {
		s.Stages[0].BeforeStageTasks = []placement.StageTask{timed(1)}
		s.Stages[0].AfterStageTasks = []placement.StageTask{timed(0)}
		s.Stages[1].SortingLabelKey = new("wave")
		s.Stages = append(s.Stages, stage("a", "none"))
		s.Stages[2].LabelSelector = &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "env", Operator: metav1.LabelSelectorOpIn, Values: []string{"a"}}}}
	})
	w.start(placement.StateRun)
	w.edit(func(r *placement.StagedUpdateRun) { r.Spec.ResourceSnapshotIndex = "7" })
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
	equal(t, "refusals", strings.Join(refusals(p), "\n"), strings.Join(want, "\n"))
	equal(t, "unplaced", misfits(p.Unplaced), "[{lost [env=nowhere] []}]")
	equal(t, "overlapping", misfits(p.Overlapping), "[{a-1 [env=a] [a a]} {a-2 [env=a] [a a]}]")
	// The controller itself stops at the first.
	w.pass(0)
	equal(t, "the first is what the run gets", w.message("Initialized")+"|true", want[0])
}

func TestPlanMisfitWithoutTheLabel(t *testing.T) {
	w := newWorld(t, "")
	w.member("b-2", func(m *cluster.MemberCluster) { delete(m.Labels, "env") })
	w.start(placement.StateRun)
	equal(t, "unplaced", misfits(planOf(w).Unplaced), "[{b-2 [env] []}]")
}

func TestPlanGoesAsFarAsItCan(t *testing.T) {
	for _, tc := range []struct {
		name    string
		arrange func(*world)
		input   func(*pass.Input)
		want    []string
		stages  int
	}{
		{"no placement", func(w *world) { clear(w.Placements) }, nil, []string{v + ": " + u + ": parent placement not found|true"}, 2},
		{"no policy", func(w *world) { clear(w.PolicySnapshots) }, nil, []string{v + ": no latest policy snapshot found for placement /web|true"}, 0},
		{"no strategy", func(w *world) { clear(w.Strategies) }, nil, []string{v + ": " + u + ": referenced updateStrategy not found: `/plan`|true"}, 0},
		{"bindings of an old policy", func(w *world) {
			for _, name := range []string{"b-2", "b-3"} {
				w.editBinding(name, func(b *placement.ResourceBinding) { b.Spec.SchedulingPolicySnapshotName = "web-9" })
			}
		}, nil, []string{
			"binding `web-b-2` with old policy snapshot `web-9` has state Bound, we might observe a transient state, need retry|false",
			"binding `web-b-3` with old policy snapshot `web-9` has state Bound, we might observe a transient state, need retry|false",
		}, 2},
		{"a selector that cannot be read", func(w *world) {
			w.strategy(func(s *placement.UpdateStrategySpec) {
				s.Stages[1].LabelSelector.MatchExpressions = []metav1.LabelSelectorRequirement{{Key: "env", Operator: "Like"}}
			})
		}, nil, []string{v + ": " + u + ": the stage label selector is invalid, updateStrategy: `/plan`, stage: b, err: \"Like\" is not a valid label selector operator|true"}, 2},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(t, "")
			w.start(placement.StateRun)
			if tc.arrange != nil {
				tc.arrange(w)
			}
			in := w.Input(w.key)
			if tc.input != nil {
				tc.input(&in)
			}
			p := forecast.Plan(in, nil, w.Now, nil)
			equal(t, "refusals", refusals(p), tc.want)
			equal(t, "stages", len(p.Stages), tc.stages)
		})
	}
}

// What could not be read here says nothing about what the controller will do.
func TestPlanNamesWhatItCouldNotRead(t *testing.T) {
	denied := apierrors.NewForbidden(schema.GroupResource{Resource: "x"}, "", errRead)
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
			w := newWorld(t, "")
			w.start(placement.StateRun)
			in := w.Input(w.key)
			tc.fail(&in.Failed)
			p := forecast.Plan(in, nil, w.Now, w.Do)
			equal(t, "refusals", refusals(p), nil)
			equal(t, "unknown", p.Unknown, []engine.PlanGap{{What: engine.Clean(tc.what), Why: engine.Clean(denied.Error()), Forbidden: true}})
			equal(t, "stages", len(p.Stages), tc.stages)
		})
	}
	// What was recorded when the run began is not changed by what is not read now.
	for name, fail := range map[string]func(*pass.ReadErrors){
		"member clusters": func(f *pass.ReadErrors) { f.Members = denied },
		"bindings":        func(f *pass.ReadErrors) { f.Bindings = denied },
		"the placement":   func(f *pass.ReadErrors) { f.Placement = denied },
	} {
		t.Run("of an initialized run, "+name, func(t *testing.T) {
			w := newWorld(t, "")
			w.start(placement.StateInitialize)
			w.pass(0)
			in := w.Input(w.key)
			if in.Failed = (pass.ReadErrors{}); name == "member clusters" {
				in.Members = nil
			}
			fail(&in.Failed)
			p := forecast.Plan(in, nil, w.Now, w.Do)
			equal(t, "initialized", p.Initialized, true)
			equal(t, "refusals", refusals(p), nil)
			equal(t, "unknown", p.Unknown, []engine.PlanGap{{What: engine.Clean(name), Why: engine.Clean(denied.Error()), Forbidden: true}})
			equal(t, "stages", len(p.Stages), 2)
		})
	}
	t.Run("a selected kind", func(t *testing.T) {
		w := newest(t, "team", term("", "v1", "ConfigMap", ""))
		p := forecast.Plan(w.Input(w.key), nil, w.Now, func(pass.Effect) (pass.Answer, error) { return pass.Answer{}, errRead })
		equal(t, "refusals", refusals(p), nil)
		equal(t, "unknown", p.Unknown, []engine.PlanGap{{What: engine.Lit("selected configmaps"), Why: engine.Lit("cache is cold")}})
		equal(t, "snapshot", p.Snapshot, engine.PlanSnapshot{Newest: true})
	})
}

func TestPlanOfARunThatIsBeingDeleted(t *testing.T) {
	w := newWorld(t, "")
	w.start(placement.StateRun)
	w.edit(func(r *placement.StagedUpdateRun) { r.DeletionTimestamp = &metav1.Time{Time: epoch} })
	p := forecast.Plan(pass.Input{Run: w.run()}, nil, w.Now, nil)
	equal(t, "finished", p.Finished, true)
	equal(t, "refusals", refusals(p), nil)
}

func TestPlanOfTheNewestSnapshot(t *testing.T) {
	w := newest(t, "team", term("", "v1", "ConfigMap", ""))
	w.hold("- " + configMap + "one, namespace: team}}")
	equal(t, "made", planOf(w).Snapshot, engine.PlanSnapshot{Index: engine.Lit("0"), Newest: true, Made: true})
	equal(t, "nothing is made", len(w.ResourceSnapshots), 0)
	w.pass(0)
	w.again()
	equal(t, "reused", planOf(w).Snapshot, engine.PlanSnapshot{Index: engine.Lit("0"), Newest: true})
	equal(t, "unknown without reads", forecast.Plan(w.Input(w.key), nil, w.Now, nil).Snapshot, engine.PlanSnapshot{Newest: true})
	w.placement(func(p *placement.ResourcePlacement) {
		p.Spec.ResourceSelectors = []placement.ResourceSelectorTerm{term("", "v1", "Namespace", "team")}
	})
	equal(t, "refused", refusals(planOf(w)), []string{v + ": " + u + ": invalid placement team/web: cannot select cluster-scoped resource Namespace in a resourcePlacement|true"})
}

func TestPlanOfARunningRun(t *testing.T) {
	w := newWorld(t, "")
	w.start(placement.StateRun)
	w.pass(0)
	w.available("a-1")
	w.pass(w.timing.ClusterCheck)
	w.strategy(func(s *placement.UpdateStrategySpec) { s.Stages = nil }) // frozen
	p := planOf(w)
	equal(t, "initialized", p.Initialized, true)
	equal(t, "refusals", refusals(p), nil)
	equal(t, "progress", fmt.Sprint(p.Stages[0].Clusters), "[{a-1  web-1-snapshot [] true true} {a-2  web-1-snapshot [] true false}]")

	w.placement(func(o *placement.ResourcePlacement) {
		o.Spec.Strategy.ApplyStrategy = &placement.ApplyStrategy{AllowCoOwnership: true}
	})
	w.policy(func(o *placement.SchedulingPolicySnapshot) {
		pickN("4")(o)
		o.Labels[fleet+"policy-index"] = "1"
	})
	w.member("b-2", func(m *cluster.MemberCluster) { m.Labels["env"] = "a" })
	status(func(st *placement.UpdateRunStatus) { mark(&st.DeletionStageStatus.Conditions, "Progressing", "True") })(w)
	equal(t, "every drift", strings.Join(refusals(planOf(w)), "\n"), strings.Join([]string{
		a + ": " + u + ": the applyStrategy in the updateRun is outdated, latest: &{PartialComparison Always ClientSideApply true <nil> Always}, recorded: &{PartialComparison Always ClientSideApply false <nil> Always}|true",
		v + ": " + x + ": the number of selected bindings 5 is not equal to the observed cluster count 4|true",
		a + ": the policy snapshot index used in the updateRun is outdated, latest: 1, recorded: 0|true",
		a + ": the cluster count initialized in the updateRun is outdated, latest: 4, recorded: 5|true",
		a + ": the number of clusters in index `0` stage has changed, new: 3, existing: 2|true",
		a + ": the number of clusters in index `1` stage has changed, new: 2, existing: 3|true",
	}, "\n"))
}

func TestPlanOfADamagedRun(t *testing.T) {
	for _, tc := range []struct {
		name   string
		damage func(*world)
		want   string
	}{
		{"no strategy", status(func(st *placement.UpdateRunStatus) { st.StagedUpdateStrategySnapshot = nil }), a + ": " + x + ": the updateRun has nil updateStrategySnapshot|true"},
		{"no stages", status(func(st *placement.UpdateRunStatus) { st.StagesStatus = nil }), a + ": " + x + ": the updateRun has nil stagesStatus|true"},
		{"a failed stage", status(func(st *placement.UpdateRunStatus) { mark(&st.StagesStatus[1].Conditions, "Succeeded", "False") }), a + ": the stage `b` has failed, err: by hand|true"},
		{"deletion stage", status(func(st *placement.UpdateRunStatus) { st.DeletionStageStatus = nil }), a + ": " + x + ": the updateRun has nil deletionStageStatus|true"},
		{"policy gone", func(w *world) { clear(w.PolicySnapshots) }, v + ": no latest policy snapshot found for placement /web|true"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(t, "")
			w.start(placement.StateInitialize)
			w.pass(0)
			tc.damage(w)
			equal(t, "refusals", refusals(planOf(w)), []string{tc.want})
		})
	}
}

func TestPlanOfAFinishedRun(t *testing.T) {
	w := newWorld(t, "")
	w.start(placement.StateRun)
	w.finish()
	clear(w.Placements)
	p := planOf(w)
	equal(t, "finished", p.Finished, true)
	equal(t, "refusals", refusals(p), nil)
	equal(t, "stages", len(p.Stages), 2)
}

func TestPlanRivals(t *testing.T) {
	w := newWorld(t, "team")
	w.Put(w.snapshot(2))
	w.start(placement.StateRun)
	w.pass(0)
	w.available("a-1")
	w.pass(w.timing.ClusterCheck) // a-1 done, a-2 in flight, b-* to come
	rival := func(name, index string, state placement.State) {
		w.Put(&placement.StagedUpdateRun{ObjectMeta: w.meta(name), Spec: placement.UpdateRunSpec{
			PlacementName: "web", ResourceSnapshotIndex: index, StagedRolloutStrategyName: "plan", State: state,
		}})
	}
	rival("next", "2", placement.StateRun)
	rival("same", "1", placement.StateInitialize)
	other := w.run().DeepCopy()
	other.Name, other.Spec.PlacementName = "elsewhere", "other"
	gone := w.run().DeepCopy()
	gone.Name, gone.DeletionTimestamp = "gone", &metav1.Time{Time: epoch}
	w.Put(other, gone)

	w.key.Name = "next"
	p := planOf(w)
	equal(t, "rivals of the new one", fmt.Sprint(p.Rivals), fmt.Sprint([]engine.PlanRival{
		{Run: engine.NewID(engine.KindStagedUpdateRun, "team", "run", "uid-run"), State: engine.Lit("Run"), Index: engine.Lit("1"), WillLose: []engine.Text{engine.Lit("a-2")}, MayTake: []engine.Text{engine.Lit("b-1"), engine.Lit("b-2"), engine.Lit("b-3")}},
		{Run: engine.NewID(engine.KindStagedUpdateRun, "team", "same", "uid-same"), State: engine.Lit("Initialize"), MayTake: []engine.Text{engine.Lit("a-1"), engine.Lit("a-2"), engine.Lit("b-1"), engine.Lit("b-2"), engine.Lit("b-3")}},
	}))
	w.key.Name = "same"
	equal(t, "the same snapshot", len(planOf(w).Rivals[1].WillLose)+len(planOf(w).Rivals[1].MayTake), 0)

	w.key.Name = "run"
	equal(t, "rivals of the old one", fmt.Sprint(planOf(w).Rivals[0].MayTake), "[a-2 b-1 b-2 b-3]")
	w.key.Name = "next"
	w.pass(0) // takes a-1 and a-2 is yet to come
	w.key.Name = "run"
	p = planOf(w)
	equal(t, "the old one, once the new one runs", fmt.Sprint(p.Rivals[0].WillLose, p.Rivals[0].MayTake), "[] [a-2 b-1 b-2 b-3]")
}

// A run that failed is made again with the same spec; no other is.
func TestPlanOfAFailedRunMadeAgain(t *testing.T) {
	bothScopes(t, func(t *testing.T, w *world) {
		w.start(placement.StateStop)
		w.edit(func(r *placement.StagedUpdateRun) { r.Spec.ResourceSnapshotIndex = "7" })
		equal(t, "one that may still be", forecast.Remade(w.run()), nil)
		w.pass(0)
		again := forecast.Remade(w.run())
		equal(t, "spec", again.Spec, placement.UpdateRunSpec{PlacementName: "web", ResourceSnapshotIndex: "7", StagedRolloutStrategyName: "plan", State: placement.StateRun})
		equal(t, "scope and name", again.Namespace+"/"+again.Name, w.ns+"/")
		in := w.Input(w.key)
		in.Run = again
		p := forecast.Plan(in, nil, w.Now, nil)
		equal(t, "refusals", refusals(p), []string{v + ": " + u + ": no resourceSnapshots with index `7` found for placement `" + w.ns + "/web`|true"})
		equal(t, "finished", p.Finished, false)
		w.edit(func(r *placement.StagedUpdateRun) { r.DeletionTimestamp = &metav1.Time{Time: w.Now} })
		equal(t, "one that is being deleted", forecast.Remade(w.run()), nil)
		equal(t, "its name", pass.IDOf(w.run()).Title().String(), strings.TrimPrefix(w.ns+"/run", "/"))
	})
}

func hints(p engine.Plan) []string {
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
			selects := term("", "v1", "Namespace", "app")
			if ns != "" {
				selects = term("", "v1", "ConfigMap", "")
			}
			w := newest(t, ns, selects)
			w.overrides(everywhere())
			w.hold("- {apiVersion: v1, kind: Namespace, metadata: {name: app}}\n" +
				"- " + configMap + "a, namespace: app}, data: {v: " + blob + "}}\n- " + configMap + "b, namespace: app}, data: {v: " + blob + "}}\n")
			first := planOf(w)
			if len(first.Refusals) != 1 || !first.Refusals[0].Final || !strings.Contains(first.Refusals[0].Message.String(), "are still being created") {
				t.Fatalf("refusals of the first run: %v", refusals(first))
			}
			w.pass(0)
			equal(t, "message", w.message("Initialized"), first.Refusals[0].Message.String())
			w.again()
			if ns == "" {
				equal(t, "hint", hints(first), []string{"The controller counts the parts of snapshot 0 before it can see them. Create a second run after this one has failed: snapshot 0 exists then."})
				equal(t, "refusals of the second run", refusals(planOf(w)), nil)
				return
			}
			if second := planOf(w); len(second.Refusals) != 1 || !strings.HasPrefix(hints(second)[0], "In a namespace the controller never finds the parts") {
				t.Errorf("second run in a namespace: %v, %v", refusals(second), hints(second))
			}
		})
	}
}

func TestPlanOfAnIndexThatIsText(t *testing.T) {
	bothScopes(t, func(t *testing.T, w *world) {
		w.start(placement.StateRun)
		for index, want := range map[string]string{
			"01": `The index is compared with the snapshot's label as text: "01" matches only the label "01". Snapshot 1 exists: use index 1.`,
			"9":  "Existing snapshots: 1, 0.", "x": "Existing snapshots: 1, 0.",
		} {
			w.edit(func(r *placement.StagedUpdateRun) { r.Spec.ResourceSnapshotIndex = index })
			equal(t, index, hints(planOf(w)), []string{want})
		}
	})
}

// TestPlanWarnsOfUnwatchedVersions holds that a version which the controller may
// have to start watching delays a run and does not fail it.
func TestPlanWarnsOfUnwatchedVersions(t *testing.T) {
	w := newest(t, "team", term("autoscaling", "v1", "HorizontalPodAutoscaler", ""))
	w.Kinds = append(slices.Clone(known), pass.Kind{GroupVersionKind: gvk("autoscaling", "v2", "HorizontalPodAutoscaler"), Resource: "horizontalpodautoscalers", Namespaced: true, Preferred: true})
	p := planOf(w)
	equal(t, "refusals", refusals(p), nil)
	equal(t, "warnings", p.Warnings, []engine.Text{engine.Lit("autoscaling/v1 HorizontalPodAutoscaler is not the preferred version (preferred: v2): the first run that selects it is retried for up to 30 s, then initializes.")})
}

// A plan of a placement or strategy that does not exist names those that do, the
// nearest name first.
func TestPlanOfNamesThatDoNotExist(t *testing.T) {
	bothScopes(t, func(t *testing.T, w *world) {
		w.start(placement.StateRun)
		in, where := w.Input(w.key), ""
		if w.ns != "" {
			where = " in namespace " + w.ns
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
			equal(t, "hints", hints(forecast.Plan(in, nil, w.Now, nil)), tt.want)
		}
	})
}
