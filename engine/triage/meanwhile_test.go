package triage

import (
	"slices"
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

// The diagnosis of runs whose step is to wait or to create a new run, after something else has
// changed.
func TestMeanwhile(t *testing.T) {
	around := func(s *situation) { s.surrounded(t); s.rolling(t) }
	finished := func(s *situation, all bool) { // the clusters that the run started, or all
		around(s)
		for i := range s.Run.Status.StagesStatus {
			for j := range s.Run.Status.StagesStatus[i].Clusters {
				c := &s.Run.Status.StagesStatus[i].Clusters[j]
				if all || meta.IsStatusConditionTrue(c.Conditions, placement.ClusterStarted) {
					for _, kind := range []string{placement.ClusterStarted, placement.ClusterSucceeded} {
						meta.SetStatusCondition(&c.Conditions, metav1.Condition{Type: kind, Status: metav1.ConditionTrue, ObservedGeneration: 1, LastTransitionTime: metav1.NewTime(moment(t, "10:03:00"))})
					}
				}
			}
		}
	}
	idle := func(s *situation) { finished(s, false) }
	done := func(s *situation) { finished(s, true) }
	newPolicy := func(s *situation) { s.Nearby.Policies = []placement.SchedulingPolicySnapshot{policy("1", "true")} }
	unscheduled := func(c *metav1.Condition) func(*situation) { // the condition of the newest policy snapshot, nil for none
		return func(s *situation) {
			p := &s.Nearby.Policies[len(s.Nearby.Policies)-1]
			p.Generation, p.Status.Conditions = 5, nil
			if c != nil {
				c.Type, c.LastTransitionTime = placement.PlacementScheduled, metav1.NewTime(moment(t, "10:04:00"))
				p.Status.Conditions = []metav1.Condition{*c}
			}
		}
	}
	goes := func(s *situation) { s.Placement.Deleting = metav1.NewTime(moment(t, "10:05:00")) }
	on := func(cluster string, change func(b *bindingData)) func(*situation) {
		return func(s *situation) {
			for i := range s.Bindings {
				if s.Bindings[i].Cluster == cluster {
					change(&s.Bindings[i])
				}
			}
		}
	}
	failsOn := func(cluster string) func(*situation) {
		return on(cluster, func(b *bindingData) {
			b.Conditions = append(b.Conditions, metav1.Condition{Type: placement.BindingApplied, Status: metav1.ConditionFalse, Reason: "NotAllWorkHaveBeenApplied", LastTransitionTime: metav1.NewTime(moment(t, "10:06:00"))})
		})
	}
	fails := failsOn("prod-2")
	drop := func(cluster string) func(*situation) {
		return func(s *situation) {
			s.Bindings = without(s.Bindings, func(b bindingData) bool { return b.Cluster == cluster })
		}
	}
	recreated := on("prod-2", func(b *bindingData) {
		*b = bindingData{Cluster: b.Cluster, State: string(placement.BindingScheduled), PolicyName: b.PolicyName, Generation: 1}
	})
	later := func(index string, state placement.State, succeeded metav1.ConditionStatus) func(*situation) {
		return func(s *situation) {
			next := *s.Run.DeepCopy()
			next.Name, next.UID, next.Spec.State, next.Status.ResourceSnapshotIndexUsed = "r2", "u-r2", state, index
			next.CreationTimestamp = metav1.NewTime(s.Run.CreationTimestamp.Add(time.Minute))
			next.Status.Conditions = []metav1.Condition{{Type: placement.RunInitialized, Status: metav1.ConditionTrue, ObservedGeneration: 1}}
			if succeeded != "" {
				meta.SetStatusCondition(&next.Status.Conditions, metav1.Condition{Type: placement.RunSucceeded, Status: succeeded, Reason: "x", ObservedGeneration: 1})
			}
			for i := range next.Status.StagesStatus {
				for j := range next.Status.StagesStatus[i].Clusters {
					next.Status.StagesStatus[i].Clusters[j].Conditions = nil
				}
			}
			s.Others = append(s.Others, next)
		}
	}
	pending := func(s *situation) { s.Others[0].Status = placement.UpdateRunStatus{} }
	left := func(cluster string) func(*situation) {
		return func(s *situation) {
			s.Members = without(s.Members, func(m memberData) bool { return m.Name == cluster })
		}
	}
	state := func(state placement.State) func(*situation) {
		return func(s *situation) { s.Run.Spec.State = state }
	}
	const (
		notStarted = "Run r2 (snapshot 3) exists and is not started: start it if its snapshot is wanted, then delete this run (stagewatch delete)."
		finds      = "Find out who changed the cluster's binding: its managedFields list the writers (run the first command)."
		clone      = "reate a new run (stagewatch clone)"
	)
	for _, tt := range []struct {
		name, base, cause string
		recovery          engine.Recovery
		change            []func(*situation)
		// what has a part of the cause, steps are the first ones, lacks is in none.
		what  string
		steps []string
		lacks string
		first engine.NextAction
		heals string // the recovery
	}{
		{
			name: "a stopping run with a done cluster that fails is not stopped again", base: "stopping", cause: "done-cluster-failing", recovery: engine.RecoveryByPerson, change: []func(*situation){idle, fails}, what: "prod-2 is done, and the resources are not available there now.",
			steps: []string{"Find out what fails on prod-2: the controller does not check a done cluster again.", "Do not resume the run if the new version is the cause: the next clusters would get it, too."}, lacks: "Stop the run", first: engine.NextPlacement,
		},
		{
			name: "a running run with one is", base: "updating", cause: "done-cluster-failing", recovery: engine.RecoveryByPerson, change: []func(*situation){around, on("prod-1", func(b *bindingData) {
				b.Conditions = append(b.Conditions, metav1.Condition{Type: placement.BindingAvailable, Status: metav1.ConditionFalse})
			})},
			steps: []string{"Find out what fails on prod-1: the controller does not check a done cluster again.", "Stop the run (stagewatch stop) if the new version is the cause: the next clusters get it, too."}, lacks: "Do not resume", first: engine.NextPlacement,
		},
		{
			name: "of a stopped run, what fails is shown before the resume", base: "stopped", cause: "stopped-when-done", recovery: engine.RecoveryByPerson, change: []func(*situation){done, fails},
			steps: []string{"Find out what fails on prod-2: the controller does not check a done cluster again. Do that before the run continues."}, first: engine.NextPlacement,
		},
		{
			name: "a stopping run whose placement is being deleted is not resumed", base: "stopping", cause: "placement-being-deleted", recovery: engine.RecoveryByPerson, change: []func(*situation){idle, goes},
			steps: []string{"First find out why placement shop is being deleted (requested at 10:05:00 UTC): its resources are removed from the clusters.", "Do not resume this run. If the placement is deleted on purpose, delete the run (stagewatch delete)."}, lacks: "stagewatch run", first: engine.NextPlacement,
		},
		{
			name: "a running one is deleted with it", base: "updating", cause: "placement-being-deleted", recovery: engine.RecoveryByPerson, change: []func(*situation){around, goes},
			steps: []string{"First find out why placement shop is being deleted (requested at 10:05:00 UTC): its resources are removed from the clusters.", "If the placement is deleted on purpose, delete the run (stagewatch delete)."}, lacks: clone, first: engine.NextPlacement,
		},
		{
			name: "a resume that is not observed is not asked for again", base: "resume-just-asked", cause: "next-check-due", recovery: engine.RecoveryAutomatic, what: "A resume was requested (spec.state is Run). The controller has not reacted yet: the run is stopped.",
			steps: []string{"Wait for the controller's next check."}, lacks: "stagewatch run", first: engine.NextPlan,
		},
		{
			name: "a stopped run that was just resumed has no step against a resume", base: "resume-just-asked", cause: "run-will-fail", recovery: engine.RecoveryOnHub, change: []func(*situation){around, drop("prod-4")}, what: "(removed: prod-4): the run fails at the controller's next check. A resume was requested",
			steps: []string{"Make placement shop pick prod-4 again"}, lacks: "esume", heals: "After a fix on the hub before the controller's next check; after that only a new run helps.",
		},
		{
			name: "a stopped run that was just resumed is stopped again for a done cluster that fails", base: "resume-just-asked", cause: "done-cluster-failing", recovery: engine.RecoveryByPerson, change: []func(*situation){around, fails},
			steps: []string{"Find out what fails on prod-2: the controller does not check a done cluster again.", "Stop the run (stagewatch stop) if the new version is the cause: the next clusters get it, too.", "Wait for the controller's next check."}, lacks: "before the run continues", first: engine.NextPlacement,
		},
		{
			name: "a stopped run that was just resumed continues, although its placement is being deleted", base: "resume-just-asked", cause: "placement-being-deleted", recovery: engine.RecoveryByPerson, change: []func(*situation){around, goes},
			steps: []string{"First find out why placement shop is being deleted"}, lacks: "Do not continue", first: engine.NextPlacement,
		},
		{
			name: "a stopped run that was just resumed continues before a decision about a done cluster", base: "resume-just-asked", cause: "next-check-due", recovery: engine.RecoveryByPerson, change: []func(*situation){around, on("prod-1", func(b *bindingData) { b.Overrides = []string{"shop-o-2"} })},
			steps: []string{"Decide which overrides and apply strategy cluster prod-1 should have"}, first: engine.NextOwners, heals: "Needs a person: decide which overrides and apply strategy cluster prod-1 should have. The run itself continues.",
		},
		{
			name: "a stopping run is not resumed unless it is still wanted after a later one", base: "stopping", cause: "stopping-while-updating", recovery: engine.RecoveryAutomatic, change: []func(*situation){around, later("2", placement.StateRun, metav1.ConditionTrue)}, what: "none is started. Run r2, created later, has finished with snapshot 2.",
			steps: []string{"Decide whether this run is still wanted (stagewatch owners). To keep snapshot 2 of run r2 everywhere, delete this run (stagewatch delete).", "Check the updating clusters", "To continue the rollout instead, resume the run (stagewatch run)."}, first: engine.NextOwners,
		},
		{
			name: "a run that stops does not continue", base: "stopping", cause: "stopping-while-updating", recovery: engine.RecoveryByPerson, change: []func(*situation){around, on("prod-1", func(b *bindingData) { b.Overrides = []string{"shop-o-2"} })},
			steps: []string{"Decide which overrides and apply strategy cluster prod-1 should have"}, first: engine.NextOwners, heals: "Needs a person: decide which overrides and apply strategy cluster prod-1 should have.",
		},
		{
			name: "a changed binding", base: "binding-changed-by-hand", cause: "binding-changed", recovery: engine.RecoveryByNewRun, change: []func(*situation){around},
			steps: []string{finds, "C" + clone + " if the snapshot of this run is still wanted."}, first: engine.NextOwners,
		},
		{
			name: "a changed binding, and a new run that is not started", base: "binding-changed-by-hand", cause: "binding-changed", recovery: engine.RecoveryByNewRun, change: []func(*situation){around, later("3", placement.StateInitialize, "")},
			steps: []string{notStarted, finds}, lacks: clone, first: engine.NextOwners,
		},
		{
			name: "a changed binding, and a new run that is not initialized yet", base: "binding-changed-by-hand", cause: "binding-changed", recovery: engine.RecoveryByNewRun, change: []func(*situation){around, later("", placement.StateRun, ""), pending},
			steps: []string{"Run r2 exists and is not initialized yet: open it to see what keeps it. It replaces this run when it has finished. Then delete this run (stagewatch delete).", finds}, lacks: clone, first: engine.NextOwners,
		},
		{
			name: "a policy that was changed, and a new run that the scheduler keeps from being initialized", base: "stopped", cause: "run-will-fail", recovery: engine.RecoveryByNewRun, change: []func(*situation){done, newPolicy, later("", placement.StateInitialize, ""), pending},
			steps: []string{"Run r2 exists and is not initialized yet: open it to see what keeps it."}, lacks: clone, first: engine.NextOwners,
		},
		{
			name: "a changed binding, and a new run that failed initialization", base: "binding-changed-by-hand", cause: "binding-changed", recovery: engine.RecoveryByNewRun, change: []func(*situation){around, later("", placement.StateRun, ""), pending, func(s *situation) {
				s.Others[0].Status.Conditions = []metav1.Condition{{Type: placement.RunInitialized, Status: metav1.ConditionFalse, ObservedGeneration: 1}}
			}},
			steps: []string{finds, "C" + clone}, lacks: "r2", first: engine.NextOwners,
		},
		{
			name: "a changed binding, and a new run with an older snapshot", base: "binding-changed-by-hand", cause: "binding-changed", recovery: engine.RecoveryByNewRun, change: []func(*situation){around, later("2", placement.StateInitialize, "")},
			steps: []string{finds}, lacks: "Run r2 (snapshot 2) exists", first: engine.NextOwners,
		},
		{
			name: "a binding that was created again, and a new run that is running", base: "binding-changed-by-hand", cause: "binding-re-created", recovery: engine.RecoveryByNewRun, change: []func(*situation){around, recreated, later("3", placement.StateRun, "")},
			steps: []string{"Let run r2 (snapshot 3) finish: it replaces this run. Then delete this run (stagewatch delete).", "Find out why the binding was deleted"}, lacks: clone, first: engine.NextOwners,
		},
		{
			name: "a changed binding, a new run that is running, and a placement that is being deleted", base: "binding-changed-by-hand", cause: "binding-changed", recovery: engine.RecoveryByNewRun, change: []func(*situation){around, goes, later("3", placement.StateRun, "")},
			steps: []string{"First find out why placement shop is being deleted", finds}, lacks: "run r2", first: engine.NextOwners,
		},
		{
			name: "a changed binding, and a new run that fails, too", base: "binding-changed-by-hand", cause: "binding-changed", recovery: engine.RecoveryByNewRun, change: []func(*situation){around, left("prod-4"), later("3", placement.StateRun, "")},
			steps: []string{finds, "Before you create a new run (stagewatch clone), wait for the scheduler: cluster prod-4 left the fleet", "C" + clone, "Do not continue run r2, created later, instead: it fails, because cluster prod-4 left the fleet. Delete it, too."}, lacks: "Let run r2", first: engine.NextOwners,
		},
		{
			name: "a run that was preempted by one that has ended, and a new run that is not started", base: "preempted-with-winner", cause: "preempted", recovery: engine.RecoveryByNewRun, change: []func(*situation){around, func(s *situation) {
				s.Others[0].Name, s.Others[0].UID, s.Others[0].CreationTimestamp = "r0", "u-r0", metav1.NewTime(s.Run.CreationTimestamp.Add(time.Second))
				for i := range s.Bindings {
					for j := range s.Bindings[i].Conditions {
						s.Bindings[i].Conditions[j].Message = strings.ReplaceAll(s.Bindings[i].Conditions[j].Message, "r2", "r0")
					}
				}
				meta.SetStatusCondition(&s.Others[0].Status.Conditions, metav1.Condition{Type: placement.RunSucceeded, Status: metav1.ConditionTrue, Reason: "x", ObservedGeneration: 1})
			}, later("3", placement.StateInitialize, "")},
			steps: []string{notStarted}, lacks: clone, first: engine.NextOwners,
		},
		{
			name: "preempted, the bindings not read, and a new run that is not started", base: "preempted", cause: "preempted-by-unknown-run", recovery: engine.RecoveryByNewRun, change: []func(*situation){later("3", placement.StateInitialize, "")},
			steps: []string{notStarted, "Find the run that owns the cluster now (stagewatch owners)."}, lacks: clone, first: engine.NextOwners,
		},
		{
			name: "a policy that the scheduler has not handled is waited for", base: "stopped", cause: "run-will-fail", recovery: engine.RecoveryByNewRun, change: []func(*situation){done, newPolicy},
			steps: []string{"Do not resume this run: the run fails. Before you create a new run (stagewatch clone), wait for the scheduler: the bindings have policy snapshot shop-0, not shop-1, the latest."}, lacks: "fix this", first: engine.NextPlacement,
		},
		{
			name: "so is one that the scheduler has not seen", base: "stopped", cause: "run-will-fail", recovery: engine.RecoveryByNewRun, change: []func(*situation){done, newPolicy, unscheduled(nil)}, what: "Policy snapshot shop-1 has no Scheduled condition yet: the run fails when it is resumed.",
			steps: []string{"Do not resume this run: the run fails. Before you create a new run (stagewatch clone), wait for the scheduler: policy snapshot shop-1 has no Scheduled condition yet; the bindings have policy snapshot shop-0, not shop-1, the latest. If this does not change within a minute, read the controller's log (stagewatch logs)."}, lacks: "fix this", first: engine.NextPlacement,
		},
		{
			name: "and one whose condition is of an older generation", base: "stopped", cause: "run-will-fail", recovery: engine.RecoveryByNewRun, change: []func(*situation){done, newPolicy, unscheduled(&metav1.Condition{Status: metav1.ConditionTrue, ObservedGeneration: 4})},
			steps: []string{"Do not resume this run: the run fails. Before you create a new run (stagewatch clone), wait for the scheduler: the Scheduled condition of policy snapshot shop-1 is out of date (observedGeneration 4, generation 5); "}, lacks: "fix this",
		},
		{
			name: "a policy that picks too few clusters is to be fixed", base: "stopped", cause: "run-will-fail", recovery: engine.RecoveryByNewRun, change: []func(*situation){done, newPolicy, unscheduled(&metav1.Condition{Status: metav1.ConditionFalse, Reason: "SchedulingPolicyUnfulfilled", ObservedGeneration: 5})},
			steps: []string{"Do not resume this run: the run fails. Before you create a new run (stagewatch clone), fix this: policy snapshot shop-1 has not been fully scheduled since "}, lacks: "wait for the scheduler",
		},
		{
			name: "clusters that are labelled for the policy of the run may be those of another run", base: "stopped", cause: "run-will-fail", recovery: engine.RecoveryOnHub, change: []func(*situation){done, unscheduled(&metav1.Condition{Status: metav1.ConditionFalse, Reason: "SchedulingPolicyUnfulfilled", ObservedGeneration: 5})},
			steps: []string{"Do not resume this run yet: the run would fail. Join or label enough clusters, until the latest policy snapshot is fully scheduled.", "Label a cluster only if no other unfinished run has it"},
		},
		{
			name: "so is the removal of a cluster that left", base: "updating", cause: "run-will-fail", recovery: engine.RecoveryByNewRun, change: []func(*situation){around, left("prod-4")},
			steps: []string{"Before you create a new run (stagewatch clone), wait for the scheduler: cluster prod-4 left the fleet, and the scheduler has not removed it from the placement yet."}, lacks: "fix this", first: engine.NextPlacement,
		},
		{
			name: "one that left and was removed is not waited for", base: "updating", cause: "run-will-fail", recovery: engine.RecoveryOnHub, change: []func(*situation){around, left("prod-4"), on("prod-4", func(b *bindingData) { b.State = string(placement.BindingUnscheduled) })},
			steps: []string{"Join prod-4 to the fleet again under the same name, so that placement shop picks it.", "If that is not possible, c" + clone + ": it uses the objects as they are now. The new run deletes the resources from 1 cluster"}, lacks: "scheduler",
		},
		{
			name: "where a cluster that matches no stage is to be fixed, too, nothing is only waited for", base: "updating", cause: "run-will-fail", recovery: engine.RecoveryByNewRun, change: []func(*situation){around, left("prod-4"), func(s *situation) { relabel(s, "prod-3", map[string]string{"ring": "x"}) }},
			steps: []string{"Before you create a new run (stagewatch clone), fix this: cluster prod-3 matches no stage of strategy rings; cluster prod-4 left the fleet"}, lacks: "wait for the scheduler", first: engine.NextPlacement,
		},
		{
			name: "what a new run waits for stands before a new run with a newer snapshot", base: "stuck-with-binding", cause: "workload-not-ready", recovery: engine.RecoveryByNewRun, change: []func(*situation){around, newPolicy, func(s *situation) {
				for index, latest := range map[string]string{"3": "false", "4": "true"} {
					s.Nearby.Resources = append(s.Nearby.Resources, placement.ResourceSnapshot{ObjectMeta: metav1.ObjectMeta{
						Name: "shop-" + index + "-snapshot", CreationTimestamp: metav1.NewTime(moment(t, "10:05:00")), Labels: map[string]string{placement.LabelResourceIndex: index, placement.LabelIsLatestSnapshot: latest},
					}})
				}
			}},
			steps: []string{"Before you create a new run (stagewatch clone), wait for the scheduler: ", "Create a new run (stagewatch clone) with snapshot 4 if it has the fix"}, first: engine.NextMember,
		},
		{
			name: "a cluster is picked again without a change of the policy", base: "binding-changed-by-hand", cause: "no-longer-picked", recovery: engine.RecoveryOnHub, change: []func(*situation){around, on("prod-2", func(b *bindingData) { b.State = string(placement.BindingUnscheduled) })},
			steps: []string{"Make placement shop pick prod-2 again (no valid binding now; a change of the placement's policy fails the run).", "If the run fails before that, c" + clone}, lacks: "correct the policy", first: engine.NextPlan,
		},
		{
			name: "done, and a cluster is not recorded and has the snapshot", base: "done-contradicted", cause: "done-inconsistent", recovery: engine.RecoveryNotNeeded, change: []func(*situation){around}, what: "although the run is DONE: prod-4.",
			steps: []string{"Nothing is left to roll out."}, lacks: clone, first: engine.NextOwners,
		},
		{
			name: "the same, and it fails there", base: "done-contradicted", cause: "done-inconsistent", recovery: engine.RecoveryNotNeeded, change: []func(*situation){around, failsOn("prod-4")}, what: "DONE: prod-4. Its resources are not available now on prod-4. A Work failed to apply on prod-4",
			steps: []string{"Find out what fails on prod-4: "}, lacks: "Nothing is left", first: engine.NextOwners, heals: "The run needs no recovery. Its resources are not available now on prod-4.",
		},
		{
			name: "the same, of a run that only reports differences", base: "done-contradicted", cause: "done-inconsistent", recovery: engine.RecoveryNotNeeded, change: []func(*situation){around, func(s *situation) { s.Run.Status.AppliedStrategy.Type = "ReportDiff" }},
			steps: []string{"Nothing is left to roll out."}, heals: "No recovery needed: prod-4 is compared with snapshot 3 (ReportDiff, nothing is applied).",
		},
		{
			name: "done, and a cluster is not recorded and not picked", base: "done-contradicted", cause: "done-inconsistent", recovery: engine.RecoveryByPerson, change: []func(*situation){around, drop("prod-4")}, what: "DONE: prod-4. Cluster prod-4 has no valid binding now.",
			steps: []string{"If prod-4 should have snapshot 3, make placement shop pick it again. Then create a new run (stagewatch clone)."}, first: engine.NextOwners, heals: "Needs a person: decide whether prod-4 should have snapshot 3. A new run updates no cluster without a valid binding.",
		},
		{
			name: "the same, with the snapshot that the run left there", base: "done-contradicted", cause: "done-inconsistent", recovery: engine.RecoveryByPerson, change: []func(*situation){around, on("prod-4", func(b *bindingData) { b.State = string(placement.BindingUnscheduled) })},
			steps: []string{"If prod-4 should have snapshot 3, make placement shop pick it again. Then create a new run (stagewatch clone). The new run deletes the resources from 1 cluster"}, lacks: "Nothing is left", first: engine.NextOwners,
		},
		{
			name: "done, and one is not picked and one has another snapshot", base: "done-contradicted", cause: "done-inconsistent", recovery: engine.RecoveryByNewRun, change: []func(*situation){around, drop("prod-4"), func(s *situation) {
				s.Run.Status.StagesStatus[2].Clusters[2].Conditions = s.Run.Status.StagesStatus[2].Clusters[2].Conditions[:1]
			}, on("prod-3", func(b *bindingData) { b.SnapshotName = "shop-2-snapshot" })}, what: "DONE: prod-3 and prod-4. Cluster prod-4 has no valid binding now. Cluster prod-3 does not have what this run rolled out.",
			steps: []string{"If prod-4 should have snapshot 3, make placement shop pick it again.", "C" + clone + " if snapshot 3 is wanted on prod-3 (stagewatch owners)."}, first: engine.NextOwners,
		},
		{
			name: "done, and a cluster is not recorded and has another one", base: "done-contradicted", cause: "done-inconsistent", recovery: engine.RecoveryByNewRun, change: []func(*situation){around, on("prod-4", func(b *bindingData) { b.SnapshotName = "shop-2-snapshot" })}, what: "DONE: prod-4. Cluster prod-4 does not have what this run rolled out.",
			steps: []string{"C" + clone + " if snapshot 3 is wanted on prod-4 (stagewatch owners)."}, first: engine.NextOwners,
		},
		{
			name: "the same, and a new run is not started", base: "done-contradicted", cause: "done-inconsistent", recovery: engine.RecoveryByNewRun, change: []func(*situation){around, on("prod-4", func(b *bindingData) { b.SnapshotName = "shop-2-snapshot" }), later("3", placement.StateInitialize, "")},
			steps: []string{notStarted}, lacks: clone, first: engine.NextOwners,
		},
		{
			name: "the same, and a new run is done", base: "done-contradicted", cause: "done-inconsistent", recovery: engine.RecoveryNotNeeded, change: []func(*situation){around, on("prod-4", func(b *bindingData) { b.SnapshotName = "shop-4-snapshot" }), later("4", placement.StateRun, metav1.ConditionTrue)},
			steps: []string{"Delete this run (stagewatch delete): run r2 has rolled out snapshot 4 since."}, lacks: clone, first: engine.NextOwners,
		},
		{
			name: "a finished run that was changed is named", base: "done-then-stopped", cause: "done", recovery: engine.RecoveryNotNeeded, change: []func(*situation){around}, what: "The run was changed after its end, which the controller ignores.",
			steps: []string{"Nothing to do."},
		},
		{
			name: "no stages are recorded", base: "no-stages", cause: "no-stages-recorded", recovery: engine.RecoveryByNewRun, what: "no stage of it is recorded: the run fails at the controller's next check.",
			steps: []string{"C" + clone + ".", "Delete this run (stagewatch delete) after the new one is created."}, first: engine.NextClone,
		},
		{
			name: "no stages are recorded of a run that is not started", base: "no-stages", cause: "no-stages-recorded", recovery: engine.RecoveryByNewRun, change: []func(*situation){state(placement.StateInitialize)}, what: "no stage of it is recorded: the run fails when it is started.",
			steps: []string{"Do not start this run: the run fails. C" + clone + "."}, lacks: "stagewatch run)", first: engine.NextClone,
		},
		{
			name: "no stages are recorded of a run that stops", base: "no-stages", cause: "no-stages-recorded", recovery: engine.RecoveryByNewRun, change: []func(*situation){state(placement.StateStop)}, what: "the run fails at the controller's next check.",
			steps: []string{"C" + clone + "."}, lacks: "Wait until the controller reports", first: engine.NextClone,
		},
		{
			name: "no stages are recorded, with a reason that is not known", base: "no-stages", cause: "unknown-progress", recovery: engine.RecoveryUnknown, change: []func(*situation){func(s *situation) {
				meta.SetStatusCondition(&s.Run.Status.Conditions, metav1.Condition{Type: placement.RunProgressing, Status: metav1.ConditionFalse, Reason: "UpdateRunMeditating", ObservedGeneration: 1})
			}},
			steps: []string{"Read the message"}, lacks: clone,
		},
		{
			name: "done clusters have other overrides", base: "stopped", cause: "stopped", recovery: engine.RecoveryByPerson, change: []func(*situation){around, on("prod-1", func(b *bindingData) { b.Overrides = []string{"shop-o-2"} })}, what: "has snapshot 3 with other overrides or apply strategy.",
			steps: []string{"Decide which overrides and apply strategy cluster prod-1 should have (stagewatch owners): this run does not update it again.", "To give cluster prod-1 the latest overrides and apply strategy, create a new run (stagewatch clone) with snapshot 3"}, lacks: "which snapshot", first: engine.NextOwners,
		},
		{
			name: "a run with a failing cluster is being deleted", base: "deleting", cause: "deleting", recovery: engine.RecoveryAutomatic, change: []func(*situation){around, fails}, what: "A cluster that the run started fails, which the deletion does not change: ",
			steps: []string{"Wait for the controller."},
		},
		{
			name: "so is one with a cluster that is not available", base: "deleting", cause: "deleting", recovery: engine.RecoveryAutomatic, change: []func(*situation){around, on("prod-2", func(b *bindingData) {
				b.Conditions = append(b.Conditions, metav1.Condition{Type: placement.BindingAvailable, Status: metav1.ConditionFalse, Reason: "NotAllWorkAreAvailable"})
			})}, what: "A cluster that the run started fails, which the deletion does not change: ",
			steps: []string{"Wait for the controller."},
		},
		{
			name: "a stopping run whose binding was created again, of a placement that is being deleted, asks for no new run", base: "stopping", cause: "binding-changed-while-stopping", recovery: engine.RecoveryByNewRun, change: []func(*situation){around, recreated, goes},
			steps: []string{"First find out why placement shop is being deleted", "Do not resume this run. If the placement is deleted on purpose, delete the run (stagewatch delete)."}, lacks: clone,
		},
	} {
		for scope, ns := range scopes {
			t.Run(tt.name+"/"+scope, func(t *testing.T) {
				s := load(t, "../internal/situation/testdata", 50)[tt.base]
				for _, change := range tt.change {
					change(&s)
				}
				w, id := s.world(t, ns)
				for _, all := range w.Bindings {
					for _, b := range all {
						if b.SnapshotName == "" {
							b.Created = moment(t, "10:10:00")
						}
					}
				}
				snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
				d := snap.Find(id).Why
				if d.Cause.String() != tt.cause || d.Recovery != tt.recovery {
					t.Errorf("%s, %s: %s", d.Cause, d.Recovery, d.What)
				}
				has(t, d.What.String(), tt.what)
				steps := engine.Join(d.Steps, "\n").String()
				for i, want := range tt.steps {
					if i >= len(d.Steps) || !strings.HasPrefix(d.Steps[i].String(), want) {
						t.Errorf("step %d is not %q:\n%s", i+1, want, steps)
					}
				}
				if tt.lacks != "" && strings.Contains(steps, tt.lacks) {
					t.Errorf("%q in\n%s", tt.lacks, steps)
				}
				if tt.heals != "" && d.RecoveryText.String() != tt.heals {
					t.Errorf("recovery: %s", d.RecoveryText)
				}
				if fails := slices.Contains([]string{"run-will-fail", "no-stages-recorded", "placement-being-deleted"}, tt.cause); fails && !d.Fails {
					t.Error("the run does not count as one that fails")
				}
				if slices.Contains(d.NextActions, engine.NextClone) && !strings.Contains(steps, clone) {
					t.Errorf("a new run is offered, and no step creates one: %s", steps)
				}
				if tt.first != engine.NextNone && (len(d.NextActions) == 0 || d.NextActions[0] != tt.first) {
					t.Errorf("next actions %v, want %v first", d.NextActions, tt.first)
				}
				whole(t, d)
			})
		}
	}
}
