package triage

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/drive/pass"
	"github.com/stagewatch/stagewatch/engine/observe"
	"github.com/stagewatch/stagewatch/engine/world"
)

// surrounded adds to a situation what its run needs to continue: bindings, members and
// the latest policy snapshot, as they were when the run was initialized.
func (s *situation) surrounded(t testing.TB) {
	t.Helper()
	s.Run.Status.AppliedStrategy = pass.ApplyDefaults(&placement.PlacementSpec{})
	s.Run.Status.PolicySnapshotIndexUsed = "0"
	s.Nearby = &nearbyData{Strategies: []*placement.StagedUpdateStrategy{{
		ObjectMeta: metav1.ObjectMeta{Name: s.Run.Spec.StagedRolloutStrategyName}, Spec: *s.Run.Status.StagedUpdateStrategySnapshot,
	}}, Policies: []placement.SchedulingPolicySnapshot{policy("0", "true")}}
	for i := range s.Run.Status.StagesStatus {
		stage := &s.Run.Status.StagesStatus[i]
		if i > 0 { // a stage that follows is not older than those before it
			stage.StageName = s.Run.Status.StagedUpdateStrategySnapshot.Stages[i].Name
		}
		for _, c := range stage.Clusters {
			if at := slices.IndexFunc(s.Bindings, func(b bindingData) bool { return b.Cluster == c.ClusterName }); at >= 0 {
				s.Bindings[at].PolicyName = "shop-0"
			} else {
				s.Bindings = append(s.Bindings, bindingData{Cluster: c.ClusterName, State: "Bound", PolicyName: "shop-0", SnapshotName: "shop-3-snapshot"})
			}
			s.Members = append(s.Members, memberData{Name: c.ClusterName, Labels: map[string]string{"ring": stage.StageName}})
		}
	}
	for _, c := range s.Run.Status.DeletionStageStatus.Clusters {
		s.Bindings = append(s.Bindings, bindingData{Cluster: c.ClusterName, State: "Unscheduled", PolicyName: "shop-0", SnapshotName: "shop-3-snapshot"})
	}
}

// rolling marks the bindings of the clusters that the run started as its own, and all
// members as joined and healthy.
func (s *situation) rolling(t testing.TB) {
	for i := range s.Members {
		s.Members[i].Heartbeat = metav1.NewTime(moment(t, s.Now))
		s.Members[i].Conditions = []metav1.Condition{{Type: "Joined", Status: metav1.ConditionTrue}}
	}
	for _, stage := range s.Run.Status.StagesStatus {
		for _, c := range stage.Clusters {
			for i := range s.Bindings {
				if b := &s.Bindings[i]; b.Cluster == c.ClusterName && meta.IsStatusConditionTrue(c.Conditions, placement.ClusterStarted) {
					b.Conditions = append(b.Conditions, metav1.Condition{
						Type: placement.BindingRolloutStarted, Status: metav1.ConditionTrue, Reason: "RolloutStarted", ObservedGeneration: b.Generation,
						Message: "Detected the new changes on the resources and started the rollout process, resourceSnapshotIndex: 3, updateRun: " + s.Run.Name,
					})
				}
			}
		}
	}
}

// policy is a policy snapshot of placement shop that is fully scheduled.
func policy(index, latest string) placement.SchedulingPolicySnapshot {
	p := placement.SchedulingPolicySnapshot{ObjectMeta: metav1.ObjectMeta{
		Name: "shop-" + index, Labels: map[string]string{placement.LabelIsLatestSnapshot: latest, placement.LabelPolicyIndex: index},
	}}
	meta.SetStatusCondition(&p.Status.Conditions, metav1.Condition{Type: placement.PlacementScheduled, Status: metav1.ConditionTrue, Reason: "SchedulingPolicyFulfilled"})
	return p
}

func relabel(s *situation, cluster string, labels map[string]string) {
	for i := range s.Members {
		if s.Members[i].Name == cluster {
			s.Members[i].Labels = labels
		}
	}
}

// add makes the placement pick another cluster, with a label ring.
func add(s *situation, cluster, ring string) {
	s.Bindings = append(s.Bindings, bindingData{Cluster: cluster, State: "Scheduled", PolicyName: "shop-0"})
	s.Members = append(s.Members, memberData{Name: cluster, Labels: map[string]string{"ring": ring}, Conditions: s.Members[0].Conditions, Heartbeat: s.Members[0].Heartbeat})
}

func drop(s *situation, cluster string) {
	s.Bindings = slices.DeleteFunc(s.Bindings, func(b bindingData) bool { return b.Cluster == cluster })
}

// No next step continues a run that its plan rejects: WHY, the recovery and the steps
// say what the controller will do, and what comes first.
func TestAWaitingRunThatItsPlanRejects(t *testing.T) {
	bases := map[string]string{ // by the state of the run: when it fails, and what not to do
		"ready":           "when it is started|Do not start this run",
		"stopped":         "when it is resumed|Do not resume this run",
		"approval-before": "at the controller's next check|Do not approve the stage",
		"timed-wait":      "at the controller's next check|",
		"updating":        "at the controller's next check|",
		"stopping":        "at the controller's next check|",
	}
	goesOn := map[string]bool{"updating": true, "stopping": true}
	for _, tt := range []struct {
		name, cause, says, step string
		recovery                engine.Recovery
		change                  func(*situation)
	}{
		{"nothing was changed", "", "", "", 0, func(*situation) {}},
		{
			"a binding was deleted", "run-will-fail", "The clusters of stage prod have changed after this run was initialized (removed: prod-4): the run fails ",
			"ake placement shop pick prod-4 again (no valid binding now; a change of the placement's policy fails the run)", engine.RecoveryOnHub, func(s *situation) { drop(s, "prod-4") },
		},
		{
			"a cluster was relabelled", "run-will-fail", "The clusters of stage dev have changed after this run was initialized (added: prod-4); cluster prod-4 has label ring=dev, and stage prod of this run selects ring=prod: the run fails ",
			"et label ring of cluster prod-4 to prod (now \"dev\")", engine.RecoveryOnHub, func(s *situation) { relabel(s, "prod-4", map[string]string{"ring": "dev"}) },
		},
		{
			"the label of a cluster was removed", "run-will-fail", "1 picked cluster is in no stage of this run: prod-4; cluster prod-4 has no label ring, and stage prod of this run selects ring=prod: the run fails ",
			"et label ring of cluster prod-4 to prod (now not set)", engine.RecoveryOnHub, func(s *situation) { relabel(s, "prod-4", map[string]string{}) },
		},
		{
			"the policy was changed", "run-will-fail", "The scheduling policy of placement shop was changed after this run was initialized: policy snapshot 1, was 0: the run fails ",
			"reate a new run (stagewatch clone)", engine.RecoveryByNewRun, func(s *situation) {
				s.Nearby.Policies = []placement.SchedulingPolicySnapshot{policy("0", "false"), policy("1", "true")}
				for i := range s.Bindings {
					s.Bindings[i].PolicyName = "shop-1"
				}
			},
		},
		{
			"the apply strategy was changed", "run-will-fail", "The apply strategy of placement shop was changed after this run was initialized: whenToApply IfNotDrifted (was Always): the run fails ",
			"et the apply strategy of placement shop back: whenToApply Always (now IfNotDrifted)", engine.RecoveryOnHub, func(s *situation) {
				s.Nearby.Apply = &placement.ApplyStrategy{WhenToApply: placement.ApplyIfNotDrifted}
			},
		},
		{
			"the label of the policy snapshot was removed", "run-will-fail", "No scheduling policy snapshot is labelled latest: the run fails ",
			"et the label kubernetes-fleet.io/is-latest-snapshot to true on shop-0, the policy snapshot of this run.", engine.RecoveryOnHub, func(s *situation) {
				s.Nearby.Policies = []placement.SchedulingPolicySnapshot{policy("0", "false")}
			},
		},
		{
			"the policy snapshot was deleted", "run-will-fail", "The policy snapshot of this run (index 0) no longer exists: the run fails ",
			"heck that the hub agent is running: it creates policy snapshot 0 of placement shop again", engine.RecoveryOnHub, func(s *situation) {
				s.Nearby.Policies = []placement.SchedulingPolicySnapshot{}
			},
		},
		{
			"the policy snapshot was deleted, another is left", "run-will-fail", "The policy snapshot of this run (index 0) no longer exists: the run fails ",
			"reate a new run (stagewatch clone)", engine.RecoveryByNewRun, func(s *situation) {
				s.Nearby.Policies = []placement.SchedulingPolicySnapshot{policy("1", "false")}
			},
		},
		{
			"a cluster was added", "run-will-fail", "The clusters of stage prod have changed after this run was initialized (added: prod-5): the run fails ",
			"reate a new run (stagewatch clone)", engine.RecoveryByNewRun, func(s *situation) { add(s, "prod-5", "prod") },
		},
		{
			"a cluster was added that is in no stage", "run-will-fail", "1 picked cluster is in no stage of this run: new-5: the run fails ",
			"reate a new run (stagewatch clone)", engine.RecoveryByNewRun, func(s *situation) { add(s, "new-5", "other") },
		},
		{
			"a cluster that is in no stage is no longer picked", "run-will-fail", "Placement shop no longer picks cluster old-9: the run fails ",
			"reate a new run (stagewatch clone)", engine.RecoveryByNewRun, func(s *situation) {
				s.Bindings = append(s.Bindings, bindingData{Cluster: "old-9", State: "Unscheduled", PolicyName: "shop-0"})
				s.Members = append(s.Members, memberData{Name: "old-9", Labels: map[string]string{"ring": "other"}, Conditions: s.Members[0].Conditions, Heartbeat: s.Members[0].Heartbeat})
			},
		},
		{
			"a binding of an old policy snapshot", "run-check-retried", "1 of ",
			"The controller retries", engine.RecoveryOnHub, func(s *situation) { s.Bindings[0].PolicyName = "shop-9" },
		},
	} {
		for base, says := range bases {
			for scope, ns := range scopes {
				t.Run(base+"/"+tt.name+"/"+scope, func(t *testing.T) {
					s := load(t, "../internal/situation/testdata", 50)[base]
					s.surrounded(t)
					if goesOn[base] {
						s.rolling(t)
					}
					tt.change(&s)
					w, id := s.world(t, ns)
					snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
					d, steps := snap.Find(id).Why, engine.Join(snap.Find(id).Why.Steps, "\n").String()
					if tt.cause == "" || goesOn[base] && tt.cause == "run-check-retried" { // it may be over before the next check
						if c := d.Cause.String(); c == "run-will-fail" || c == "run-check-retried" {
							t.Fatalf("%s: %s", c, d.What)
						}
						return
					}
					when, not, _ := strings.Cut(says, "|")
					if tt.cause == "run-check-retried" {
						when, _, _ = strings.Cut(when, "at ")
					}
					if d.Cause.String() != tt.cause || !strings.HasPrefix(d.What.String(), tt.says) || !strings.Contains(d.What.String(), when) {
						t.Errorf("%s: %s", d.Cause, d.What)
					}
					if tt.cause == "run-will-fail" && !strings.HasPrefix(d.Short.String(), "will fail: ") {
						t.Errorf("short: %s", d.Short)
					}
					if d.Recovery != tt.recovery || !startsWithRecovery(d.Recovery, d.RecoveryText) {
						t.Errorf("recovery %s: %s", d.Recovery, d.RecoveryText)
					}
					if !strings.HasPrefix(d.Next.String(), not) || !strings.Contains(steps, tt.step) {
						t.Errorf("steps: %q", d.Steps)
					}
					if d.NextActions[0] == engine.NextRun || d.NextActions[0] == engine.NextApprove {
						t.Errorf("next actions: %v", d.NextActions)
					}
					if len(d.Evidence) == 0 || !strings.HasPrefix(d.Evidence[0].Field.String(), "plan (") {
						t.Errorf("evidence: %v", d.Evidence)
					}
					if slices.ContainsFunc(d.Commands, func(c engine.Text) bool {
						return strings.Contains(c.String(), `"state":"Run"`) || strings.Contains(c.String(), "Approved")
					}) {
						t.Errorf("a command continues the run: %q", d.Commands)
					}
				})
			}
		}
	}
}

// What was not read speaks against no run, and is named as not read.
func TestAWaitingRunWhosePlanIsNotRead(t *testing.T) {
	s := load(t, "../internal/situation/testdata", 50)["ready"]
	s.surrounded(t)
	drop(&s, "prod-4")
	for scope, ns := range scopes {
		w, id := s.world(t, ns)
		near := w.Nearby
		for _, forget := range []func(){
			func() { w.Nearby = nil },
			func() {
				w.Nearby = near
				clear(w.Bindings)
				delete(w.Covered, world.CoverBindings(engine.PlacementKey(id, "shop")))
			},
		} {
			forget()
			snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
			if d := snap.Find(id).Why; d.Cause.String() != "not-started" || len(snap.Missing[id]) == 0 {
				t.Errorf("%s: %s, missing %v", scope, d.Cause, snap.Missing[id])
			}
		}
	}
}

// Diagnosing a hundred stuck clusters plans a new run and the run itself once, not once
// for each cluster.
func TestOnePlanForAllClustersOfACase(t *testing.T) {
	allocs := func(stuck int, near bool) float64 {
		s := load(t, "../internal/situation/testdata", 50)["stuck-with-binding"]
		bad := slices.IndexFunc(s.Bindings, func(b bindingData) bool { return len(b.Failed) > 0 })
		stage := &s.Run.Status.StagesStatus[len(s.Run.Status.StagesStatus)-1]
		of := slices.IndexFunc(stage.Clusters, func(c placement.ClusterStatus) bool { return c.ClusterName == s.Bindings[bad].Cluster })
		for i := range stuck - 1 {
			b, c := s.Bindings[bad], *stage.Clusters[of].DeepCopy()
			b.Cluster, c.ClusterName = fmt.Sprint("more-", i), fmt.Sprint("more-", i)
			s.Bindings, stage.Clusters = append(s.Bindings, b), append(stage.Clusters, c)
		}
		if near {
			s.surrounded(t)
		}
		w, _ := s.world(t, "")
		return testing.AllocsPerRun(3, func() { observe.Observe(nil, w, world.Changed{All: true}, moment(t, s.Now)) })
	}
	few, many := allocs(1, true)-allocs(1, false), allocs(101, true)-allocs(101, false)
	t.Logf("allocations for the plans: %v with one cluster, %v with a hundred more", few, many)
	// A plan of a run of a hundred clusters itself takes about 130 allocations a cluster.
	if many > few+100*400 {
		t.Errorf("allocations for the plans: %v with one cluster, %v with a hundred more", few, many)
	}
}
