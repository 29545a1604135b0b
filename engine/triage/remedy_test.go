package triage

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/observe"
	"github.com/stagewatch/stagewatch/engine/triage/catalogue"
	"github.com/stagewatch/stagewatch/engine/world"
)

// remedy is a cause with the objects around it as they are at the incident and
// after somebody repaired it, and the next step that each gives.
type remedy struct {
	Cause, Base, Message, Index string
	// Now, State, Says, Binding and Manifest are those of a row of facts-5.3.yaml.
	Now, State, Says string
	Binding          *bindingData
	Manifest         *struct{ Type, Reason, Message string }
	Recorded         *placement.ApplyStrategy
	// Sort is the label by which the stages of the run sort their clusters.
	Sort     string
	Incident around
	Repaired *around
}

type around struct {
	// Gone means that the placement does not exist.
	Gone             bool
	Placement        *placementData
	Places           []string
	Nearby           *nearbyData
	Bindings         []bindingData
	Members          []memberData
	Approvals        []placement.ApprovalRequest
	What, Next, Then string
	// RecoveryText is the recovery; Becomes is the cause, when the repair changes it.
	RecoveryText, Becomes string
	// Lacks is what no command contains, Has what one contains; Shows is in an Evidence.
	Lacks, Has, Shows string
}

func remedies(t *testing.T) []remedy {
	t.Helper()
	var all []remedy
	decode(t, "remedies.yaml", asJSON(t, "testdata/remedies.yaml"), &all)
	return all
}

func TestRemediesFollowWhatIsTrueNow(t *testing.T) {
	for i, r := range remedies(t) {
		for scope, ns := range scopes {
			t.Run(fmt.Sprintf("%s %d/%s", r.Cause, i, scope), func(t *testing.T) {
				first := r.diagnosis(t, &r.Incident, ns)
				newRunLast(t, first.Steps)
				if r.Repaired == nil {
					return
				}
				if later := r.diagnosis(t, r.Repaired, ns); slices.Equal(later.Steps, first.Steps) {
					t.Errorf("the repair does not change the steps: %q", later.Steps)
				} else if strings.HasSuffix(later.Next.String(), ": create a new run (stagewatch clone).") && later.NextActions[0] != engine.NextClone {
					t.Errorf("the clone is not the first action of %q: %v", later.Next, later.NextActions)
				}
			})
		}
	}
}

// newRunLast checks that no step corrects an object after the step that creates a new
// run, which reads the objects.
func newRunLast(t *testing.T, steps []engine.Text) {
	t.Helper()
	correct := regexp.MustCompile(`^(Or, )?([Ii]f .*, )?([Ll]abel|[Ss]et|[Cc]orrect|[Jj]oin|[Ff]ix|[Rr]estore|[Kk]eep) `)
	created := false
	for _, step := range steps {
		if created && correct.MatchString(step.String()) && !strings.Contains(step.String(), "create a new run (stagewatch clone)") {
			t.Errorf("a new run is created before this step: %q", steps)
		}
		created = created || strings.Contains(step.String(), "reate a new run (stagewatch clone)") && !strings.HasPrefix(step.String(), "Before ")
	}
}

func (r *remedy) diagnosis(t *testing.T, o *around, ns string) engine.Diagnosis {
	t.Helper()
	base := r.Base
	if base == "" {
		base = "refused"
	}
	in := row{Now: cmp.Or(r.Now, "10:30:00"), State: r.State, Says: r.Says, Binding: r.Binding, Manifest: r.Manifest}
	s := in.situation(t, base, expand(r.Message))
	s.Placement, s.Places, s.Nearby, s.Members, s.Approvals = o.Placement, o.Places, o.Nearby, o.Members, o.Approvals
	if in.Binding == nil && in.Manifest == nil || o.Bindings != nil {
		s.Bindings = o.Bindings
	}
	if r.Index != "" {
		s.Run.Spec.ResourceSnapshotIndex = r.Index
	}
	if r.Recorded != nil {
		s.Run.Status.AppliedStrategy = r.Recorded
	}
	if r.Sort != "" {
		for i := range s.Run.Status.StagedUpdateStrategySnapshot.Stages {
			s.Run.Status.StagedUpdateStrategySnapshot.Stages[i].SortingLabelKey = &r.Sort
		}
	}
	if s.Placement == nil && !o.Gone {
		s.Placement = &placementData{External: true}
	}
	w, id := s.world(t, ns)
	snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
	d := snap.Find(id).Why
	if want := cmp.Or(o.Becomes, r.Cause); d.Cause.String() != want {
		t.Errorf("cause %s, want %s: %s", d.Cause, want, d.What)
	}
	if !strings.Contains(d.RecoveryText.String(), o.RecoveryText) || !startsWithRecovery(d.Recovery, d.RecoveryText) {
		t.Errorf("recovery %s: got %q, want it to hold %q", d.Recovery, d.RecoveryText, o.RecoveryText)
	}
	if !strings.Contains(d.What.String(), o.What) {
		t.Errorf("what: got %q, want it to hold %q", d.What, o.What)
	}
	if !strings.Contains(d.Next.String(), o.Next) {
		t.Errorf("next: got %q, want it to hold %q", d.Next, o.Next)
	}
	if commands := engine.Join(d.Commands, "\n").String(); o.Lacks != "" && strings.Contains(commands, o.Lacks) || !strings.Contains(commands, o.Has) {
		t.Errorf("commands: got %q, want %q and not %q", commands, o.Has, o.Lacks)
	}
	if !strings.Contains(engine.Join(d.Steps, "\n").String(), o.Then) {
		t.Errorf("steps: got %q, want %q among them", d.Steps, o.Then)
	}
	if !slices.ContainsFunc(d.Evidence, func(e engine.Evidence) bool {
		return strings.Contains(fmt.Sprintf("%s %s = %s", e.Object, e.Field, e.Value), o.Shows)
	}) {
		t.Errorf("evidence: got %v, want %q", d.Evidence, o.Shows)
	}
	return d
}

// A namespaced snapshot of several parts fails every run while an override exists
// (docs/kubefleet.md#quirks, 7.6): that it is complete is no repair.
func TestANamespacedSnapshotOfSeveralPartsIsNoRepair(t *testing.T) {
	part := func(name, annotation, value string) placement.ResourceSnapshot {
		s := placement.ResourceSnapshot{}
		s.Name, s.Labels, s.Annotations = name, map[string]string{placement.LabelResourceIndex: "9"}, map[string]string{annotation: value}
		return s
	}
	r := remedy{Cause: "snapshot-being-created", Message: "V: E: resource snapshots are still being created", Index: "9"}
	near := &nearbyData{Resources: []placement.ResourceSnapshot{
		part("shop-9-snapshot", placement.AnnotationNumberOfResourceSnapshots, "2"), part("shop-9-0", placement.AnnotationSubindex, "0"),
	}}
	near.Resources[0].Annotations[placement.AnnotationResourceHash] = "h"
	r.diagnosis(t, &around{Nearby: near, Next: "Snapshot 9 is complete now"}, "")
	r.diagnosis(t, &around{Nearby: near, Next: "Reduce the placed resources to less than 800 KiB, then create a new run (stagewatch clone) without an index: snapshot 9 has 2 parts."}, "team-a")
}

// unrepaired are the entries under which no object tells what was repaired since,
// with the reason.
var unrepaired = map[string][]string{
	"the state of the run changes with the repair, and with it the cause": {
		"run-not-observed", "change-not-observed", "initializing", "initialization-retried", "version-not-watched", "initialization-will-fail", "not-started", "initialize-after-start",
		"stopped", "stopped-when-done", "placement-being-deleted", "stopping-while-updating", "stopping", "stopping-before-deletion-stage", "approval-before-stage", "approval-after-stage",
		"approval-request-missing", "approval-request-deleting", "approval-request-mismatch", "approval-not-accepted", "approval-sent", "approval-not-processed", "timed-wait",
		"controller-overdue", "deleting", "deletion-blocked-by-finalizer", "deletion-overdue", "deletion-stage", "deletion-stage-contradicted", "updating", "next-check-due", "done-cluster-failing", "unreadable", "loading",
		"competing-runs", "run-will-fail", "run-check-retried", "no-run", "schedule-failed", "selectors-invalid",
	},
	"the binding is read as it is now: a repair changes its condition, and with it the cause": {
		"rollout-blocked", "rollout-not-started", "works-missing", "update-not-recorded", "binding-being-deleted", "preempted-while-stopping", "binding-changed-while-stopping",
		"binding-blocked-by-finalizer", "binding-not-deleted", "cluster-failed", "works-not-written", "failing-before-stuck", "cluster-deletion-blocked", "cluster-deletion-not-read", "work-blocked-by-finalizer", "stuck",
	},
	"overrides are on no stream: the repair shows in a new run only": {
		"override-path", "override-snapshot-missing", "override-variable", "override-not-applicable", "override-failed",
	},
	"the member's agent reports the repair when it has applied the Work again": {
		"placements-conflict", "takeover-blocked-by-differences", "not-taken-over", "owned-by-others", "takeover-failed", "drift-blocks-apply",
		"lookup-on-member-failed", "drift-detection-failed", "diff-not-reportable", "diff-failed", "availability-check-failed", "rejected-by-quota", "rejected-by-limits",
		"rejected-by-webhook", "webhook-unreachable", "member-api-busy", "namespace-terminating", "manifest-invalid", "field-conflict", "immutable-field", "namespace-missing", "kind-missing", "agent-not-permitted", "manifest-rejected", "apply-failed",
	},
	"pods are read again while the run is open, and ready ones are no cause": {
		"not-available", "pod-image-pull-failed", "pod-crash-loop", "pod-config-missing", "pod-unschedulable", "pods-exceed-quota",
		"pods-denied", "pods-webhook-unreachable", "pods-rejected-by-limits", "pods-violate-pod-security", "pods-not-created", "pod-not-assigned", "pod-not-ready", "pod-starting", "pod-image-name-invalid",
	},
	"nothing is wrong, or nothing more is known": {
		"cluster-pending", "not-trackable", "drift-tolerated", "diff-reported", "done", "changed-after-completion", "done-clusters-updated-since", "stuck-without-updating", "slow",
		"unknown-progress", "unknown-failure", "unknown-manifest-reason", "no-stages-recorded", "done-inconsistent",
	},
	"members are read as they are now: one that is back is not named": {"later-member-unhealthy"},
	"the index of a run cannot be changed":                            {"index-invalid"},
	"TestPreemptedFollowsTheOtherRun":                                 {"preempted", "binding-changed", "preempted-by-unknown-run"},
	"TestABindingThatWasCreatedAgain":                                 {"binding-re-created"},
	"TestWhatBecameOfThePreemptedCluster":                             {"preempted-binding-inactive", "preempted-restored"},
	"TestARunThatDeletesTheLastBindings":                              {"last-bindings-deleted"},
	"TestAMemberThatLeftTheFleet":                                     {"clusters-left"},
}

// Every entry of the catalogue has a case after a repair, or a reason why none can
// be.
func TestEveryEntryHasARepair(t *testing.T) {
	repaired, reasons := map[string]bool{}, map[string]string{}
	for _, r := range remedies(t) {
		if r.Repaired != nil {
			repaired[r.Cause] = true
		}
	}
	for why, causes := range unrepaired {
		for _, c := range causes {
			if reasons[c] != "" || repaired[c] {
				t.Errorf("%s is there twice", c)
			}
			reasons[c] = why
		}
	}
	for _, e := range catalogue.Entries() {
		name := e.Cause.String()
		if !repaired[name] && reasons[name] == "" {
			t.Errorf("no case after a repair, and no reason why there is none: %s", name)
		}
		delete(reasons, name)
	}
	for name := range reasons {
		t.Errorf("no such entry: %s", name)
	}
}

// A run that was preempted does not wait for a run that was deleted since.
func TestPreemptedFollowsTheOtherRun(t *testing.T) {
	s := allSituations(t)["engine/preempted-with-winner.yaml"]
	if s == nil {
		s = allSituations(t)["engine/preempted-with-winner"]
	}
	for _, ns := range scopes {
		w, id := s.world(t, ns)
		look := func() engine.Diagnosis {
			snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
			return snap.Find(id).Why
		}
		first := look()
		if !strings.Contains(first.Next.String(), "Wait until run ") && !strings.Contains(first.Next.String(), " has ended") {
			t.Errorf("the other run exists: %q", first.Next)
		}
		for other := range w.Runs {
			if other != id {
				delete(w.Runs, other)
			}
		}
		if next := look().Next.String(); !strings.Contains(next, " no longer exists; create a new run (stagewatch clone)") {
			t.Errorf("the other run was deleted: %q", next)
		}
	}
}
