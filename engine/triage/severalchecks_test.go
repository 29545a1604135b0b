package triage

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/observe"
	"github.com/stagewatch/stagewatch/engine/world"
)

// Every check that would fail has its step, before the step that continues the run: one
// that is left out ends the run. What one step removes is named once.
func TestAllFailedChecksHaveTheirStep(t *testing.T) {
	unlabelled := func(s *situation) { relabel(s, "prod-4", map[string]string{}) }
	applied := func(s *situation) {
		s.Nearby.Apply = &placement.ApplyStrategy{WhenToApply: placement.ApplyIfNotDrifted}
	}
	for _, tt := range []struct {
		name, says string
		steps      []string
		recovery   engine.Recovery
		commands   []string
		changes    []func(*situation)
	}{
		{
			"one cluster without its label", "",
			[]string{"Do not start this run yet: the run would fail. Set label ring of cluster prod-4 to prod (now not set).", "Label a cluster only if no other unfinished run has it: a label that moves it to another stage fails that run permanently.", "Then start the run (stagewatch run)."},
			engine.RecoveryOnHub,
			[]string{"label --overwrite memberclusters prod-4 ring=prod"},
			[]func(*situation){unlabelled},
		},
		{
			"the apply strategy and a label", "1 more check would fail after that: 1 picked cluster is in no stage of this run: prod-4; cluster prod-4 has no label ring",
			[]string{
				"Do not start this run yet: the run would fail. Set the apply strategy of placement shop back: whenToApply Always (now IfNotDrifted).",
				"Set label ring of cluster prod-4 to prod (now not set).",
				"Label a cluster only if no other unfinished run has it: a label that moves it to another stage fails that run permanently.",
				"Then start the run (stagewatch run).",
			},
			engine.RecoveryOnHub,
			[]string{"label --overwrite memberclusters prod-4 ring=prod"},
			[]func(*situation){applied, unlabelled},
		},
		{
			"the number of clusters", "",
			[]string{"Do not start this run yet: the run would fail. Set spec.policy.numberOfClusters of placement shop back to 6.", "Then start the run (stagewatch run)."},
			engine.RecoveryOnHub, nil,
			[]func(*situation){func(s *situation) {
				s.Run.Status.PolicyObservedClusterCount = 6
				for i := range s.Nearby.Policies {
					p := &s.Nearby.Policies[i]
					p.Spec.Policy = &placement.PlacementPolicy{PlacementType: placement.PickN}
					p.Annotations = map[string]string{placement.AnnotationNumberOfClusters: "7"}
				}
			}},
		},
		{
			"the apply strategy, and a policy that does not come back", "The scheduling policy of placement shop was changed",
			[]string{"Do not start this run: the run fails. Create a new run (stagewatch clone).", "Delete this run (stagewatch delete) after the new one is created."},
			engine.RecoveryByNewRun, nil,
			[]func(*situation){applied, policyChanged(true)},
		},
	} {
		for scope, ns := range scopes {
			t.Run(tt.name+"/"+scope, func(t *testing.T) {
				s := load(t, "../internal/situation/testdata", 50)["ready"]
				s.surrounded(t)
				for _, change := range tt.changes {
					change(&s)
				}
				w, id := s.world(t, ns)
				snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
				d := snap.Find(id).Why
				if tt.says != "" && !strings.Contains(strings.ToLower(d.What.String()), strings.ToLower(tt.says)) || tt.says == "" && strings.Contains(d.What.String(), "more check") {
					t.Errorf("what: %s", d.What)
				}
				if len(d.Steps) < len(tt.steps) || d.Recovery != tt.recovery {
					t.Fatalf("recovery %s, steps: %q", d.Recovery, d.Steps)
				}
				for i, want := range tt.steps {
					if got := d.Steps[i].String(); got != want {
						t.Errorf("step %d: %s, want %s", i+1, got, want)
					}
				}
				for i, want := range tt.commands {
					if got := d.Commands[i].String(); !strings.HasSuffix(got, want) {
						t.Errorf("command %d: %s, want %s", i+1, got, want)
					}
				}
			})
		}
	}
}

// A new run has to pass all checks: each that fails is named before it is offered.
func TestAllThatKeepsANewRunFromStartingIsNamed(t *testing.T) {
	for scope, ns := range scopes {
		s := load(t, "../internal/situation/testdata", 50)["ready"]
		s.surrounded(t)
		policyChanged(false)(&s)
		relabel(&s, "prod-4", map[string]string{})
		relabel(&s, "prod-3", map[string]string{})
		w, id := s.world(t, ns)
		snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
		steps := engine.Join(snap.Find(id).Why.Steps, "\n").String()
		for _, want := range []string{"fix this: policy snapshot shop-1 has no Scheduled condition yet; cluster prod-3 matches no stage of strategy rings; cluster prod-4 matches no stage of strategy ", "cluster prod-3 matches no stage of strategy "} {
			if !strings.Contains(steps, want) {
				t.Errorf("%s: no %q in\n%s", scope, want, steps)
			}
		}
	}
}

// A step that points to a command by its place points to that command, whatever the cause
// of a deletion that does not finish.
func TestTheSecondCommandOfADeletionListsAppliedWorks(t *testing.T) {
	s := load(t, "../internal/situation/testdata", 50)["removing-takes-long"]
	at := moment(t, s.Now)
	s.Bindings = []bindingData{{Cluster: "old-2", State: "Unscheduled", Deleting: metav1.NewTime(at.Add(-2 * time.Minute)), Finalizers: []string{placement.FinalizerWork}}}
	s.Members = []memberData{{Name: "old-2", Conditions: []metav1.Condition{{Type: "Joined", Status: "True"}}, Heartbeat: metav1.NewTime(at.Add(-time.Hour))}}
	w, id := s.world(t, "")
	snap, _ := observe.Observe(nil, w, world.Changed{}, at)
	d := snap.Find(id).Why
	if steps := engine.Join(d.Steps, "\n").String(); d.Cause.String() != "member-no-heartbeat" || !strings.Contains(steps, "AppliedWork (second command)") {
		t.Fatalf("%s: %s", d.Cause, steps)
	}
	if len(d.Commands) < 2 || !strings.Contains(d.Commands[1].String(), "get appliedworks") {
		t.Errorf("commands: %q", d.Commands)
	}
}

// When the placement picks no cluster any more, the clusters of every stage have left: each
// stage is a check that fails, and has its step.
func TestEveryClusterLeaves(t *testing.T) {
	for scope, ns := range scopes {
		s := load(t, "../internal/situation/testdata", 50)["ready"]
		s.surrounded(t)
		for i := range s.Bindings {
			s.Bindings[i].State = "Unscheduled"
		}
		w, id := s.world(t, ns)
		snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
		d := snap.Find(id).Why
		steps := engine.Join(d.Steps, "\n").String()
		for _, v := range snap.Find(id).Stages {
			if v.Deletion {
				continue
			}
			if gone := "the clusters of stage " + v.Name.String() + " have changed after this run was initialized (removed: "; !strings.Contains(strings.ToLower(d.What.String()), gone) {
				t.Errorf("%s: no %q in %s", scope, gone, d.What)
			}
			if again := "placement shop pick " + v.Coming[0].String(); !strings.Contains(steps, again) {
				t.Errorf("%s: no %q in %s", scope, again, steps)
			}
		}
	}
}

// A run under way that the controller will fail may fail before the fix. The new run needs
// the same fix.
func TestTheNewRunOfARunThatFailsNeedsTheFixToo(t *testing.T) {
	for base, goesOn := range map[string]bool{"updating": true, "ready": false} {
		for scope, ns := range scopes {
			s := load(t, "../internal/situation/testdata", 50)[base]
			s.surrounded(t)
			s.rolling(t)
			drop(&s, "prod-4")
			n := int32(len(s.Bindings) + 1)
			s.Nearby.Policies[0].Spec.Policy = &placement.PlacementPolicy{PlacementType: placement.PickN, NumberOfClusters: &n}
			s.Nearby.Policies[0].Annotations = map[string]string{placement.AnnotationNumberOfClusters: strconv.Itoa(int(n))}
			s.Run.Status.PolicyObservedClusterCount = int(n)
			w, id := s.world(t, ns)
			snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
			d := snap.Find(id).Why
			again := strings.Contains(engine.Join(d.Steps, "\n").String(), "fix this: placement shop picks ") && strings.Contains(engine.Join(d.Steps, "\n").String(), "If the run fails before that, create a new run (stagewatch clone).")
			if d.Cause.String() != "run-will-fail" || again != goesOn || slices.Contains(d.NextActions, engine.NextClone) != goesOn {
				t.Errorf("%s, %s: %s %s %q %v", base, scope, d.Cause, d.What, d.Steps, d.NextActions)
			}
		}
	}
}

// A policy snapshot without decisions does not say which clusters it picks: no binding is said to be
// there without reason.
func TestAPolicySnapshotWithoutDecisions(t *testing.T) {
	for _, decided := range []bool{false, true} {
		s := load(t, "../internal/situation/testdata", 50)["ready"]
		s.surrounded(t)
		for i := range s.Nearby.Policies {
			s.Nearby.Policy = &placement.PlacementPolicy{PlacementType: placement.PickN}
			s.Nearby.Policies[i].Spec.Policy, s.Nearby.Policies[i].Annotations = s.Nearby.Policy, map[string]string{placement.AnnotationNumberOfClusters: "7"}
			if s.Nearby.Policies[i].Status.TargetClusters = nil; decided {
				s.Nearby.Policies[i].Status.TargetClusters = []placement.ClusterDecision{{ClusterName: "dev-1", Selected: true}}
			}
		}
		failedBy(&s, "the number of selected bindings 6 is not equal to the observed cluster count 7")
		w, id := s.world(t, "")
		snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
		d := snap.Find(id).Why
		if says := strings.Contains(engine.Join(d.Steps, "\n").String(), "Check why a binding exists for "); says != decided || d.Cause.String() != "binding-count" {
			t.Errorf("decided %v: %s %q", decided, d.Cause, d.Steps)
		}
	}
}
