package triage

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/observe"
	"github.com/stagewatch/stagewatch/engine/plan"
	"github.com/stagewatch/stagewatch/engine/triage/catalogue"
	"github.com/stagewatch/stagewatch/engine/world"
)

// What a person reads some minutes after half of an incident was repaired, or nothing of it.
func TestHalfway(t *testing.T) {
	of := func(name string, index string, latest string) placement.SchedulingPolicySnapshot {
		p := policy(index, latest)
		p.Name = name
		return p
	}
	left := func(s *situation, cluster string) {
		s.Members = without(s.Members, func(m memberData) bool { return m.Name == cluster })
		s.Bindings = without(s.Bindings, func(b bindingData) bool { return b.Cluster == cluster })
	}
	done := func(s *situation, cluster string) {
		for i := range s.Run.Status.StagesStatus[1].Clusters {
			if c := &s.Run.Status.StagesStatus[1].Clusters[i]; c.ClusterName == cluster {
				c.Conditions = append(c.Conditions, metav1.Condition{Type: placement.ClusterSucceeded, Status: metav1.ConditionTrue, ObservedGeneration: 1, LastTransitionTime: metav1.NewTime(moment(t, "10:07:00"))})
			}
		}
	}
	for _, tt := range []struct {
		name, base, now, cause string
		change                 func(s *situation)
		// all have parts of the cause, the recovery, the steps, the evidence and the commands.
		what, recovery, steps, evidence, commands string
		lacks                                     string // in the steps
	}{
		{
			name: "the cluster has finished, and the controller records nothing", base: "stuck-but-landed", now: "10:48:00", cause: "controller-overdue",
			what: "The controller has not recorded that cluster prod-2 has finished (stage prod, since 10:07:10 UTC).", recovery: "After a fix on the hub", steps: "Check that the hub agent is running", commands: "hub-agent",
		},
		{
			name: "the cluster has finished, and the next check fails the run", base: "stuck-but-landed", cause: "update-not-recorded",
			change: func(s *situation) {
				s.surrounded(t)
				s.Run.Status.PolicySnapshotIndexUsed, s.Nearby.Policies = "0", []placement.SchedulingPolicySnapshot{of("shop-1", "1", "true")}
				for i := range s.Bindings {
					s.Bindings[i].PolicyName = "shop-1"
				}
			},
			what: "The run fails at the controller's next check", recovery: "Needs a new run", steps: "Delete this run (stagewatch delete) after the new one is created.", lacks: "Wait for the controller's next check",
		},
		{
			name: "reported as stuck, by a count, and the cluster has finished", base: "stuck-but-landed", cause: "update-not-recorded",
			change: func(s *situation) {
				for i := range s.Run.Status.Conditions {
					s.Run.Status.Conditions[i].Message = "The updateRun is stuck waiting for 1 cluster(s) in stage prod to finish updating, please check placement status for potential errors"
				}
			},
			what: "The update of prod-2 has finished", recovery: "Recovers automatically", steps: "Wait for the controller's next check.",
		},
		{
			name: "reported as stuck, and no cluster is updating", base: "stuck", cause: "stuck-without-updating", change: func(s *situation) { done(s, "prod-2") },
			what: "no cluster is updating", recovery: "Recovers automatically: the controller's next check finds no cluster that is stuck.", steps: "Wait for the controller's next check.",
		},
		{
			name: "reported as stuck, no cluster is updating, and the controller checks nothing", base: "stuck", now: "10:48:00", cause: "controller-overdue", change: func(s *situation) { done(s, "prod-2") },
			what: "The controller has not finished the stage", recovery: "After a fix on the hub", steps: "Check that the hub agent is running",
		},
		{
			name: "the wait is over in state Initialize", base: "timed-wait", now: "10:39:00", cause: "initialize-after-start", change: func(s *situation) { s.Run.Spec.State = placement.StateInitialize },
			what: "The timed wait of 15m after stage dev ended at 10:16:00 UTC.", recovery: "Needs a person", steps: "start it (stagewatch run)",
		},
		{
			name: "the request of another run was deleted, and none was created", base: "approval-foreign", now: "10:19:00", cause: "approval-request-missing", change: func(s *situation) { s.Approvals = nil },
			what: "does not exist", recovery: "After a fix on the hub", steps: "If it does not appear within a minute, check that spec.state is Run and that the hub agent is running",
		},
		{
			name: "the last finalizer of a deleted run is removed", base: "deleting", cause: "deleting",
			what: "Deletion of the run was requested", recovery: "Recovers automatically", evidence: "metadata.finalizers = none",
		},
		{
			name: "two clusters left the fleet, which failed the run, and one is back", base: "stopped", cause: "clusters-left",
			change: func(s *situation) {
				s.surrounded(t)
				s.rolling(t)
				failedBy(s, expand("V: U: some clusters are not placed in any stage, total 2, showing up to 10: prod-3, prod-4"))
				left(s, "prod-4")
				s.Members[4].Created = metav1.NewTime(moment(t, "10:20:00"))
			},
			what: "2 clusters left the fleet during the run: prod-3, prod-4. Of these, prod-3 joined again.", recovery: "Needs a new run", steps: "create a new run (stagewatch clone)",
		},
		{
			name: "two clusters were relabelled, which failed the run, both are back, and one lost its agent for a while", base: "stopped", cause: "cluster-in-no-stage",
			change: func(s *situation) {
				s.surrounded(t)
				s.rolling(t)
				failedBy(s, expand("V: U: some clusters are not placed in any stage, total 2, showing up to 10: prod-3, prod-4"))
				for _, i := range []int{4, 5} {
					s.Members[i].Conditions[0].LastTransitionTime = metav1.NewTime(moment(t, "10:20:00"))
				}
			},
			what: "Labels were changed during the run: 2 picked clusters are no longer in any stage: prod-3, prod-4. The labels match the stages of this run again.", recovery: "Needs a new run",
			steps: "Create a new run (stagewatch clone): the labels have been restored.",
		},
		{
			name: "two clusters were relabelled, which failed the run, and one is back", base: "stopped", cause: "cluster-in-no-stage",
			change: func(s *situation) {
				s.surrounded(t)
				s.rolling(t)
				failedBy(s, expand("V: U: some clusters are not placed in any stage, total 2, showing up to 10: prod-3, prod-4"))
				s.Members[5].Labels = map[string]string{"ring": "x"}
			},
			what: "Labels were changed during the run: 2 picked clusters are no longer in any stage: prod-3, prod-4. Cluster prod-4 has label ring=x", recovery: "Needs a new run",
			steps: "set label ring of cluster prod-4 to prod (now \"x\").", evidence: "metadata.labels = ring=x", commands: "label --overwrite memberclusters prod-4 ring=prod",
		},
		{
			name: "the cluster on which the run was preempted left the fleet", base: "preempted-with-winner", cause: "preempted-binding-inactive",
			change: func(s *situation) {
				s.surrounded(t)
				left(s, "prod-2")
			},
			what: "Member prod-2 does not exist", recovery: "Needs a new run", steps: "Find out why cluster prod-2 left the fleet. To place it again, join it to the fleet again under the same name.",
		},
		{
			name: "the cluster on which the run was preempted is not picked any more", base: "preempted-with-winner", cause: "preempted-binding-inactive",
			change: func(s *situation) {
				s.surrounded(t)
				s.Bindings[0].State = "Unscheduled"
			},
			what: "the placement does not pick the cluster now", recovery: "Needs a new run", steps: "Find out why the placement no longer picks cluster prod-2: its policy, or the labels or taints of the cluster were changed.",
		},
		{
			name: "the binding of the cluster on which the run was preempted was deleted", base: "preempted-with-winner", cause: "preempted-binding-inactive",
			change: func(s *situation) {
				s.surrounded(t)
				s.Bindings = s.Bindings[1:]
			},
			what: "the cluster has no binding now", recovery: "Needs a new run", steps: "Find out why cluster prod-2 has no binding: the placement no longer picks it, or somebody deleted the binding.",
		},
		{
			name: "the binding that a stopped deletion stage has left was deleted", base: "stopping-before-removal", cause: "stopping", change: func(s *situation) { s.Bindings = []bindingData{} },
			what: "no cluster is updating", recovery: "Recovers automatically: the controller shortly reports the run as stopped.", steps: "Wait until the controller reports the run as stopped.",
		},
		{
			name: "a done cluster fails", base: "updating", cause: "done-cluster-failing",
			change: func(s *situation) {
				s.surrounded(t)
				s.rolling(t)
				s.Bindings[0].Conditions = append(s.Bindings[0].Conditions, metav1.Condition{Type: placement.BindingAvailable, Status: metav1.ConditionFalse})
			},
			what: "dev-1 is done, and the resources are not available there now.", recovery: "Needs a person", steps: "Find out what fails on dev-1", commands: "get ",
		},
		{
			name: "two policy snapshots are labelled latest", base: "ready", cause: "run-will-fail",
			change: func(s *situation) {
				s.surrounded(t)
				s.Nearby.Policies = append(s.Nearby.Policies, of("shop-1", "1", "true"))
			},
			what: "2 scheduling policy snapshots are labelled latest", recovery: "After a fix on the hub",
			steps: "et the label kubernetes-fleet.io/is-latest-snapshot to true on shop-0, the policy snapshot of this run, and to false on shop-1, one right after the other (a PENDING run of the placement fails if it is checked in between).", commands: "shop-1 kubernetes-fleet.io/is-latest-snapshot=false",
		},
		{
			name: "the index of the policy snapshot is back, its count is not", base: "stopped", cause: "run-will-fail",
			change: func(s *situation) {
				s.surrounded(t)
				s.Nearby.Policies[0].Spec.Policy = &placement.PlacementPolicy{PlacementType: placement.PickN}
				s.Nearby.Policy = s.Nearby.Policies[0].Spec.Policy
			},
			what: "The latest policy snapshot has no valid cluster count", recovery: "After a fix on the hub", steps: "estore annotation kubernetes-fleet.io/number-of-clusters of policy snapshot shop-0.",
		},
		{
			name: "the scheduler has moved some bindings; those to be deleted may have any policy", base: "ready", cause: "run-will-fail",
			change: func(s *situation) {
				s.surrounded(t)
				s.Nearby.Policies = []placement.SchedulingPolicySnapshot{of("shop-0", "0", "false"), of("shop-1", "1", "true")}
				for i := range s.Bindings[:2] {
					s.Bindings[i].PolicyName = "shop-1"
				}
			},
			what: "The scheduling policy of placement shop was changed", recovery: "Needs a new run", steps: "4 of 6 bindings have policy snapshot shop-0, not shop-1, the latest.",
		},
		{
			name: "a cluster that left the fleet has no binding any more", base: "stopped", cause: "run-will-fail",
			change: func(s *situation) {
				s.surrounded(t)
				left(s, "prod-3")
			},
			what: "removed: prod-3", recovery: "After a fix on the hub", steps: "oin prod-3 to the fleet again under the same name, so that placement shop picks it.",
		},
		{
			name: "two clusters left the fleet, and one is back without a binding", base: "stopped", cause: "run-will-fail",
			change: func(s *situation) {
				s.surrounded(t)
				back := s.Members[4]
				left(s, "prod-3")
				left(s, "prod-4")
				s.Members = append(s.Members, back)
			},
			what: "removed: prod-3 and prod-4", recovery: "After a fix on the hub", steps: "oin prod-4 to the fleet again under the same name, so that placement shop picks it, and make placement shop pick prod-3 again (no valid binding now; a change of the placement's policy fails the run).",
		},
	} {
		for scope, ns := range scopes {
			t.Run(tt.name+"/"+scope, func(t *testing.T) {
				d := diagnosed(t, tt.base, ns, func(s *situation) {
					if tt.now != "" {
						s.Now = tt.now
					}
					if tt.change != nil {
						tt.change(s)
					}
				}).Why
				if d.Cause.String() != tt.cause {
					t.Errorf("cause %s", d.Cause)
				}
				has(t, d.What.String(), tt.what)
				has(t, d.RecoveryText.String(), tt.recovery)
				steps := engine.Join(d.Steps, "\n").String()
				if has(t, steps, tt.steps); tt.lacks != "" && strings.Contains(steps, tt.lacks) {
					t.Errorf("steps: %q", steps)
				}
				has(t, engine.Join(d.Commands, "\n").String(), tt.commands)
				if len(distinct(d.Commands)) < len(d.Commands) {
					t.Errorf("a command is there twice: %q", d.Commands)
				}
				var evidence []string
				for _, e := range d.Evidence {
					evidence = append(evidence, e.Field.String()+" = "+e.Value.String())
				}
				has(t, strings.Join(evidence, "\n"), tt.evidence)
			})
		}
	}
}

// A placement without a run that cannot be scheduled: the steps name the clusters that are missing, and
// follow a policy that was changed and a policy snapshot that is scheduled since.
func TestAPlacementThatCannotBeScheduled(t *testing.T) {
	fixed := func(names ...string) *placement.PlacementPolicy {
		return &placement.PlacementPolicy{PlacementType: placement.PickFixed, ClusterNames: names}
	}
	for _, tt := range []struct {
		name, next string
		now        *placement.PlacementPolicy
		scheduled  metav1.ConditionStatus
	}{
		{"as it is", "Join prod-9 to the fleet, or remove it from spec.policy.clusterNames of the placement; then create a new run (stagewatch clone RUN --placement shop; ", fixed("prod-1", "prod-9"), "False"},
		{"the policy was changed", "Wait until the hub agent has created a policy snapshot of the placement's current policy, then create a new run", fixed("prod-1"), "False"},
		{"the cluster has joined", "Policy snapshot shop-0 has been fully scheduled since 10:00:00 UTC: create a new run", fixed("prod-1", "prod-9"), "True"},
	} {
		for scope, ns := range scopes {
			p, typ := engine.NewID(engine.KindClusterResourcePlacement, "", "shop", "u"), "ClusterResourcePlacementScheduled"
			if ns != "" {
				p, typ = engine.NewID(engine.KindResourcePlacement, ns, "shop", "u"), "ResourcePlacementScheduled"
			}
			since := metav1.NewTime(moment(t, "10:00:00"))
			unfulfilled := metav1.Condition{Type: typ, Status: metav1.ConditionFalse, Reason: "SchedulingPolicyUnfulfilled", LastTransitionTime: since}
			snapshot := policy("0", "true")
			snapshot.Name, snapshot.Spec.Policy = "shop-0", fixed("prod-1", "prod-9")
			snapshot.Status.TargetClusters = []placement.ClusterDecision{{ClusterName: "prod-1", Selected: true}}
			snapshot.Status.Conditions = []metav1.Condition{{Type: placement.PlacementScheduled, Status: tt.scheduled, Reason: "r", LastTransitionTime: since}}
			w := world.NewWorld(engine.Settings{ClusterRuns: true, NamespacedRuns: true})
			w.Triage = Catalogue{}
			for _, k := range []engine.Kind{engine.KindClusterStagedUpdateRun, engine.KindStagedUpdateRun, p.Kind()} {
				w.Covered[world.CoverAll(k)] = engine.Coverage{State: engine.CoverComplete}
			}
			w.Placements[p] = &world.Placement{ID: p, External: true, Clusters: 1, Conditions: []metav1.Condition{unfulfilled}}
			w.Nearby = map[engine.ID]*world.Nearby{p.Key(): {Placement: p.Key(), PlacementRead: true, Policy: tt.now, Policies: []placement.SchedulingPolicySnapshot{snapshot}}}
			snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, "10:10:00"))
			if d := snap.Find(p).Why; d.Cause != catalogue.NotScheduledYet.Cause || !strings.HasPrefix(d.Next.String(), tt.next) || !strings.Contains(d.What.String(), "Its 1 cluster gets no new snapshot") {
				t.Errorf("%s, %s: %s: %s\n%q", tt.name, scope, d.Cause, d.What, d.Steps)
			}
		}
	}
}

// A run whose initialization is retried because the wrong policy snapshot is labelled latest has the
// commands that set the labels, if the other snapshot still exists.
func TestTheLabelsOfARetriedInitialization(t *testing.T) {
	for old, want := range map[string][]string{
		"shop-0": {"shop-0 kubernetes-fleet.io/is-latest-snapshot=true", "shop-1 kubernetes-fleet.io/is-latest-snapshot=false"},
		"shop-9": {"get ", "logs "},
	} {
		for scope, ns := range scopes {
			s := load(t, "../internal/situation/testdata", 50)["pending"]
			s.Nearby = &nearbyData{Policies: []placement.SchedulingPolicySnapshot{policy("0", "false"), policy("1", "true")}}
			s.Bindings = []bindingData{{Cluster: "prod-1", State: "Bound", PolicyName: old}}
			w, id := s.world(t, ns)
			w.Nearby[engine.PlacementKey(id, "shop")].Plans = map[engine.PlanSpec]*plan.Plan{{Index: engine.Lit("3"), Strategy: engine.Lit("rings")}: {Run: id, Refusals: []plan.Refusal{
				{Message: engine.Textf("binding `prod-1` with old policy snapshot `%s` has state Bound, we might observe a transient state, need retry", old), Hint: engine.Lit("Set the labels.")},
			}}}
			snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, "10:10:00"))
			d := snap.Find(id).Why
			if d.Cause != catalogue.InitRetried.Cause || len(d.Commands) < 2 {
				t.Fatalf("%s, %s: %s: %s %q", old, scope, d.Cause, d.What, d.Commands)
			}
			for i := range want {
				has(t, d.Commands[i].String(), want[i])
			}
		}
	}
}

// A placement whose resource selectors are not valid, and were changed since: the condition is about
// those of before the change, and nothing is to be corrected until the hub agent has checked it.
func TestSelectorsThatWereChangedSince(t *testing.T) {
	for generation, want := range map[int64][3]string{
		1: {": a new run would fail. ", "correct the selectors", "Correct the placement's resource selectors."},
		2: {": the hub agent has not checked the last change of the placement. ", "After a fix on the hub: the hub agent has to check the changed placement.", "Wait until the hub agent has checked the last change of the placement (generation 2; the condition is about generation 1)."},
	} {
		for scope, ns := range scopes {
			p, typ := engine.NewID(engine.KindClusterResourcePlacement, "", "shop", "u"), "ClusterResourcePlacementScheduled"
			if ns != "" {
				p, typ = engine.NewID(engine.KindResourcePlacement, ns, "shop", "u"), "ResourcePlacementScheduled"
			}
			w := world.NewWorld(engine.Settings{ClusterRuns: true, NamespacedRuns: true})
			w.Triage = Catalogue{}
			for _, k := range []engine.Kind{engine.KindClusterStagedUpdateRun, engine.KindStagedUpdateRun, p.Kind()} {
				w.Covered[world.CoverAll(k)] = engine.Coverage{State: engine.CoverComplete}
			}
			w.Placements[p] = &world.Placement{ID: p, External: true, Clusters: 1, Generation: generation, Conditions: []metav1.Condition{{Type: typ, Status: "False", Reason: placement.ReasonInvalidResourceSelectors, ObservedGeneration: 1}}}
			snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, "10:10:00"))
			d := snap.Find(p).Why
			if d.Cause != catalogue.BadSelectors.Cause || !startsWithRecovery(d.Recovery, d.RecoveryText) {
				t.Errorf("generation %d, %s: %s, %s", generation, scope, d.Cause, d.RecoveryText)
			}
			has(t, d.What.String(), want[0])
			has(t, d.RecoveryText.String(), want[1])
			has(t, d.Next.String(), want[2])
		}
	}
}

// without returns the elements that are not left out.
func without[T any](all []T, out func(T) bool) (kept []T) {
	for _, one := range all {
		if !out(one) {
			kept = append(kept, one)
		}
	}
	return kept
}
