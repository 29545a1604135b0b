package triage

import (
	"maps"
	"slices"
	"strconv"
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

// A run that needs a new run does not ask for another one when that was created.
func TestTheNewRunExists(t *testing.T) {
	for _, tt := range []struct {
		name      string
		later     bool
		state     placement.State
		succeeded metav1.ConditionStatus
		next      string
		recovery  engine.Recovery
	}{
		{"not started", true, placement.StateInitialize, "", "Run r2 (snapshot 4) exists and is not started: start it if it has the fix, then delete this run (stagewatch delete).", engine.RecoveryByNewRun},
		{"running", true, placement.StateRun, "", "Let run r2 (snapshot 4) finish: it replaces this run. Then delete this run (stagewatch delete).", engine.RecoveryByNewRun},
		{"stopped", true, placement.StateStop, "", "Run r2 (snapshot 4) is stopped: resume it if it has the fix. It replaces this run when it has finished. Then delete this run (stagewatch delete).", engine.RecoveryByNewRun},
		{"UpdateRunStuck", true, placement.StateRun, "", "Fix what keeps run r2 (snapshot 4) stuck: it replaces this run when it has finished. Then delete this run (stagewatch delete).", engine.RecoveryByNewRun},
		{"UpdateRunWaiting", true, placement.StateRun, "", "Run r2 (snapshot 4) waits for an approval or a timed wait. It replaces this run when it has finished. Then delete this run (stagewatch delete).", engine.RecoveryByNewRun},
		{"done", true, placement.StateRun, metav1.ConditionTrue, "Delete this run (stagewatch delete): run r2 has rolled out snapshot 4 since.", engine.RecoveryNotNeeded},
		{"rolled back", true, placement.StateRun, metav1.ConditionTrue, "Decide which snapshot is wanted: run r2, created later, has since rolled out the older snapshot 2. To keep the older snapshot, delete this run (stagewatch delete).", engine.RecoveryByPerson},
		{"rollback, not started", true, placement.StateInitialize, "", "Run r2 (snapshot 2) exists and is not started: start it if the older snapshot is wanted, then delete this run (stagewatch delete).", engine.RecoveryByNewRun},
		{"rollback, stopped", true, placement.StateStop, "", "Run r2 (snapshot 2) is stopped: resume it if the older snapshot is wanted. It replaces this run when it has finished. Then delete this run (stagewatch delete).", engine.RecoveryByNewRun},
		{"failed", true, placement.StateRun, metav1.ConditionFalse, "Policy snapshot shop-0 is the latest now: create a new run (stagewatch clone).", engine.RecoveryByNewRun},
		{"older", false, placement.StateInitialize, "", "Policy snapshot shop-0 is the latest now: create a new run (stagewatch clone).", engine.RecoveryByNewRun},
	} {
		for scope, ns := range scopes {
			s := load(t, "../internal/situation/testdata", 50)["stopped"]
			s.surrounded(t)
			other := *s.Run.DeepCopy()
			failedBy(&s, "the policy snapshot index used in the updateRun is outdated, latest: 1, recorded: 0")
			other.Name, other.UID, other.Spec.State, other.Status.ResourceSnapshotIndexUsed = "r2", "u-r2", tt.state, "4"
			if strings.HasPrefix(tt.name, "roll") {
				other.Status.ResourceSnapshotIndexUsed = "2"
			}
			other.CreationTimestamp = metav1.NewTime(s.Run.CreationTimestamp.Add(-time.Minute))
			if tt.later {
				other.CreationTimestamp = metav1.NewTime(s.Run.CreationTimestamp.Add(time.Minute))
			}
			if strings.HasPrefix(tt.name, "UpdateRun") {
				meta.SetStatusCondition(&other.Status.Conditions, metav1.Condition{Type: placement.RunProgressing, Status: metav1.ConditionFalse, Reason: tt.name})
			}
			if tt.succeeded != "" {
				meta.SetStatusCondition(&other.Status.Conditions, metav1.Condition{Type: placement.RunSucceeded, Status: tt.succeeded, Reason: "x"})
			}
			s.Others = append(s.Others, other)
			w, id := s.world(t, ns)
			snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
			v := snap.Find(id)
			d := v.Why
			if settled := tt.name == "done"; v.NeedsAttention() == settled || (v.Attention() == engine.WordDone.Attention()) != settled {
				t.Errorf("%s %s: needs attention %v, rank %d", tt.name, scope, v.NeedsAttention(), v.Attention())
			}
			if d.Next.String() != tt.next || d.Recovery != tt.recovery {
				t.Errorf("%s %s: %s: %s %q", tt.name, scope, d.Recovery, d.RecoveryText, d.Steps)
			}
			asks := 0
			for _, step := range d.Steps {
				if strings.Contains(step.String(), "reate a new run (stagewatch clone)") {
					asks++
				}
			}
			if back := tt.name == "rolled back" && d.Steps[len(d.Steps)-1].String() == "To roll out snapshot 3 instead, fix what ended this run, then create a new run (stagewatch clone)."; asks > 0 != (tt.next == "Policy snapshot shop-0 is the latest now: create a new run (stagewatch clone)." || back) {
				t.Errorf("%s %s: %q", tt.name, scope, d.Steps)
			}
		}
	}
}

// A run that was created later and was initialized with an older policy snapshot fails, too: it
// replaces nothing.
func TestTheNewRunFailsToo(t *testing.T) {
	for _, state := range []placement.State{placement.StateInitialize, placement.StateStop} {
		for used, fails := range map[string]bool{"0": false, "7": true, "": false} {
			s := load(t, "../internal/situation/testdata", 50)["stopped"]
			s.surrounded(t)
			other := *s.Run.DeepCopy()
			failedBy(&s, "policy snapshot `shop-0` not fully scheduled yet")
			other.Name, other.UID, other.Spec.State, other.Status.ResourceSnapshotIndexUsed, other.Status.PolicySnapshotIndexUsed = "r2", "u-r2", state, "4", used
			other.CreationTimestamp = metav1.NewTime(s.Run.CreationTimestamp.Add(time.Minute))
			s.Others = append(s.Others, other)
			w, id := s.world(t, "")
			snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
			d := snap.Find(id).Why
			steps := engine.Join(d.Steps, "\n").String()
			if strings.Contains(steps, "Do not continue run r2, created later, instead: it fails, because it was initialized with policy snapshot 7, and shop-0 is the latest now.") != fails ||
				strings.Contains(steps, "Run r2 (snapshot 4) ") == fails || !strings.HasPrefix(d.What.String(), "The placement was not fully scheduled when the controller checked the run (policy snapshot shop-0).") {
				t.Errorf("%s %q: %s\n%s", state, used, d.What, steps)
			}
		}
	}
}

// A run that waits is named with what it waits for.
func TestTheNewRunWaits(t *testing.T) {
	for situation, want := range map[string]string{
		"approval-before":      "the approval before stage prod: approve it (stagewatch approvals) if the snapshot has the fix.",
		"approval-after":       "the approval after stage dev: approve it (stagewatch approvals) if the snapshot has the fix.",
		"approval-beside-wait": "the approval and the timed wait after stage dev: approve it (stagewatch approvals) if the snapshot has the fix.",
		"timed-wait":           "the timed wait after stage dev.",
	} {
		all := load(t, "../internal/situation/testdata", 50)
		s, waits := all["stopped"], all[situation]
		next := *waits.Run.DeepCopy()
		s.surrounded(t)
		failedBy(&s, "the policy snapshot index used in the updateRun is outdated, latest: 1, recorded: 0")
		next.Name, next.UID = "r2", "u-r2"
		next.CreationTimestamp = metav1.NewTime(s.Run.CreationTimestamp.Add(time.Minute))
		s.Others = append(s.Others, next)
		w, id := s.world(t, "")
		snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
		if d := snap.Find(id).Why; d.Next.String() != "Run r2 (snapshot 3) waits for "+want+" It replaces this run when it has finished. Then delete this run (stagewatch delete)." {
			t.Errorf("%s: %q", situation, d.Steps)
		}
	}
}

// The labels that a failed run had are not restored while another run is in progress: that
// one would fail. Without one, the warning stands beside the step.
func TestLabelsAreNotRestoredUnderAnotherRun(t *testing.T) {
	for _, other := range []bool{false, true} {
		s := load(t, "../internal/situation/testdata", 50)["stopped"]
		s.surrounded(t)
		next := *s.Run.DeepCopy()
		next.Name, next.UID, next.Spec.State = "r2", "u-r2", placement.StateRun
		next.CreationTimestamp = metav1.NewTime(s.Run.CreationTimestamp.Add(time.Minute))
		failedBy(&s, "cannot continue the updateRun: failed to validate the updateRun: the number of clusters in index `1` stage has changed, new: 3, existing: 4")
		relabel(&s, "prod-4", map[string]string{"ring": "dev"})
		if other {
			s.Others = append(s.Others, next)
		}
		w, id := s.world(t, "")
		snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
		d := snap.Find(id).Why
		steps, commands := engine.Join(d.Steps, "\n").String(), engine.Join(d.Commands, "\n").String()
		restores, warns, labels := strings.Contains(steps, "To put the clusters back in their old stages"), strings.Contains(steps, "Label a cluster only if no other unfinished run has it"), strings.Contains(commands, "label --overwrite memberclusters")
		if restores == other || warns == other || labels == other {
			t.Errorf("another run %v: %s\n%s", other, steps, commands)
		}
	}
}

// The apply strategy that a failed run had is not set back under a run that was initialized with the
// present one: that one would fail.
func TestTheApplyStrategyIsNotSetBackUnderAnotherRun(t *testing.T) {
	for _, other := range []bool{false, true} {
		s := load(t, "../internal/situation/testdata", 50)["stopped"]
		s.surrounded(t)
		s.Nearby.Apply = &placement.ApplyStrategy{WhenToApply: placement.ApplyIfNotDrifted}
		next := *s.Run.DeepCopy()
		next.Name, next.UID, next.Spec.State = "r2", "u-r2", placement.StateInitialize
		next.CreationTimestamp, next.Status.AppliedStrategy = metav1.NewTime(s.Run.CreationTimestamp.Add(time.Minute)), s.Nearby.Apply
		failedBy(&s, "cannot continue the updateRun: failed to process the request due to a client error: the applyStrategy in the updateRun is outdated, latest: x, recorded: y")
		if other {
			s.Others = append(s.Others, next)
		}
		w, id := s.world(t, "")
		snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
		d := snap.Find(id).Why
		if back := strings.Contains(engine.Join(d.Steps, "\n").String(), "To keep the old value, set it back on the placement first."); back == other || d.Cause.String() != "apply-strategy-changed" {
			t.Errorf("another run %v: %s %q", other, d.Cause, d.Steps)
		}
	}
}

// The policy is not changed for a failed run under one that was created later: a new policy snapshot
// would fail that one.
func TestThePolicyIsNotChangedUnderAnotherRun(t *testing.T) {
	for scope, ns := range scopes {
		for _, other := range []bool{false, true} {
			for _, deleting := range []bool{false, true} {
				s := load(t, "../internal/situation/testdata", 50)["stopped"]
				s.surrounded(t)
				drop(&s, "prod-4")
				next := *s.Run.DeepCopy()
				next.Name, next.UID, next.Spec.State = "r2", "u-r2", placement.StateInitialize
				next.CreationTimestamp = metav1.NewTime(s.Run.CreationTimestamp.Add(time.Minute))
				failedBy(&s, "cannot continue the updateRun: unexpected behavior which cannot be handled by the controller: the cluster `prod-4` to be deleted is not in the delete stage")
				if other {
					s.Others = append(s.Others, next)
				}
				for i := range s.Members {
					if deleting && s.Members[i].Name == "prod-4" {
						s.Members[i].Deleting = metav1.NewTime(moment(t, s.Now))
					}
				}
				w, id := s.world(t, ns)
				snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
				d := snap.Find(id).Why
				if keep := strings.Contains(engine.Join(d.Steps, "\n").String(), "To keep"); keep == other || d.Cause.String() != "cluster-unscheduled" {
					t.Errorf("%s, another run %v, deleting %v: %s %q", scope, other, deleting, d.Cause, d.Steps)
				}
			}
		}
	}
}

// A member that was deleted during the run is not said to be relabelled.
func TestAMemberThatLeftTheFleet(t *testing.T) {
	for scope, ns := range scopes {
		s := load(t, "../internal/situation/testdata", 50)["stopped"]
		s.surrounded(t)
		failedBy(&s, "cannot continue the updateRun: failed to validate the updateRun: some clusters are not placed in any stage, total 1, showing up to 10: prod-4")
		s.Members = slices.DeleteFunc(s.Members, func(m memberData) bool { return m.Name == "prod-4" })
		w, id := s.world(t, ns)
		snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
		d := snap.Find(id).Why
		if d.Cause.String() != "clusters-left" || d.Short.String() != "cluster left the fleet" {
			t.Errorf("%s: cause %s, in the list %q", scope, d.Cause, d.Short)
		}
		if !strings.HasPrefix(d.What.String(), "1 cluster left the fleet during the run: prod-4.") || !strings.HasPrefix(d.Next.String(), "Wait until the scheduler has removed prod-4, no longer in the fleet, from the placement") ||
			strings.Contains(engine.Join(d.Steps, " ").String(), "matches one stage") {
			t.Errorf("%s: %s %q", scope, d.What, d.Steps)
		}
		for _, of := range w.Bindings { // the scheduler has removed it from the placement
			maps.DeleteFunc(of, func(_ engine.ID, b *world.Binding) bool { return b.Cluster == "prod-4" })
		}
		snap, _ = observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
		if d := snap.Find(id).Why; !strings.HasPrefix(d.What.String(), "1 cluster left the fleet during the run: prod-4.") || d.Short.String() != "cluster left the fleet" {
			t.Errorf("%s, without a binding: %s (%s)", scope, d.What, d.Short)
		}
	}
}

// The same is foreseen of a run that is stopped. Where another cluster was relabelled, the
// cause is that, and the one that left is named.
func TestTheCauseOfClustersThatLeft(t *testing.T) {
	for scope, ns := range scopes {
		for _, relabelled := range []bool{false, true} {
			s := load(t, "../internal/situation/testdata", 50)["stopped"]
			s.surrounded(t)
			s.Members = slices.DeleteFunc(s.Members, func(m memberData) bool { return m.Name == "prod-4" })
			w, id := s.world(t, ns)
			snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
			if d := snap.Find(id).Why; d.Short.String() != "will fail: cluster left the fleet" || !strings.HasPrefix(d.What.String(), "Clusters of this run left the fleet: prod-4: the run fails when it is resumed.") {
				t.Errorf("%s, foreseen: %q (%s)", scope, d.Short, d.What)
			}
			names, short, says := "prod-4", "cluster left the fleet", "1 cluster left the fleet during the run: prod-4."
			if relabelled {
				relabel(&s, "prod-3", map[string]string{})
				names, short, says = "prod-3, prod-4", "cluster matches no stage", "no longer in any stage: prod-3, prod-4. Of these, prod-4 left the fleet."
			}
			failedBy(&s, "cannot continue the updateRun: failed to validate the updateRun: some clusters are not placed in any stage, total "+strconv.Itoa(strings.Count(names, "prod"))+", showing up to 10: "+names)
			w, id = s.world(t, ns)
			snap, _ = observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
			if d := snap.Find(id).Why; d.Short.String() != short || !strings.Contains(d.What.String(), says) {
				t.Errorf("%s, failed: %q (%s)", scope, d.Short, d.What)
			}
		}
	}
}

// A run that waits for a person names the run that was created later and has finished: to
// continue the one may undo the other.
func TestALaterRunHasFinished(t *testing.T) {
	for scope, ns := range scopes {
		for _, done := range []bool{false, true} {
			s := load(t, "../internal/situation/testdata", 50)["stopped"]
			s.surrounded(t)
			other := *s.Run.DeepCopy()
			other.Name, other.UID, other.Status.ResourceSnapshotIndexUsed = "r2", "u-r2", "2"
			other.CreationTimestamp = metav1.NewTime(s.Run.CreationTimestamp.Add(time.Minute))
			if done {
				meta.SetStatusCondition(&other.Status.Conditions, metav1.Condition{Type: placement.RunSucceeded, Status: metav1.ConditionTrue, Reason: "x"})
			}
			s.Others = append(s.Others, other)
			w, id := s.world(t, ns)
			snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
			d := snap.Find(id).Why
			decides := d.Next.String() == "Decide whether this run is still wanted (stagewatch owners). To keep snapshot 2 of run r2 everywhere, delete this run (stagewatch delete)."
			if decides != done || strings.Contains(d.What.String(), "Run r2, created later, has finished with snapshot 2.") != done {
				t.Errorf("%s done %v: %s %q", scope, done, d.What, d.Steps)
			}
		}
	}
}

// A later run that has finished with the same is not to be kept from this one.
func TestALaterRunHasFinishedWithTheSame(t *testing.T) {
	for _, other := range []bool{false, true} {
		s := load(t, "../internal/situation/testdata", 50)["stopped"]
		s.surrounded(t)
		later := *s.Run.DeepCopy()
		later.Name, later.UID, later.CreationTimestamp = "r2", "u-r2", metav1.NewTime(s.Run.CreationTimestamp.Add(time.Minute))
		meta.SetStatusCondition(&later.Status.Conditions, metav1.Condition{Type: placement.RunSucceeded, Status: metav1.ConditionTrue, Reason: "x"})
		what, next := "Run r2, created later, has finished with snapshot 3 too.", "Check whether anything is left to update (stagewatch owners): run r2 has rolled out the same. If nothing is left, delete this run (stagewatch delete)."
		if other {
			later.Status.StagesStatus[1].Clusters[0].ClusterResourceOverrideSnapshots = []string{"shop-o-1"}
			what, next = "has finished with snapshot 3 too, with other overrides or another apply strategy.", "Decide whether this run is still wanted (stagewatch owners). To keep what run r2 rolled out, delete this run (stagewatch delete)."
		}
		s.Others = append(s.Others, later)
		if _, v := s.diagnosed(t); v.Why.Next.String() != next || !strings.Contains(v.Why.What.String(), what) {
			t.Errorf("other overrides %v: %s %q", other, v.Why.What, v.Why.Steps)
		}
	}
}

// A cluster of a failed run whose member was removed is not to be repaired for the new run.
func TestAFailingClusterThatLeftTheFleet(t *testing.T) {
	for _, left := range []bool{false, true} {
		s := load(t, "../internal/situation/testdata", 50)["stuck-with-binding"]
		failedBy(&s, "the policy snapshot index used in the updateRun is outdated, latest: 1, recorded: 0")
		for i := range s.Bindings {
			if b := &s.Bindings[i]; len(b.Failed) > 0 {
				b.SnapshotName = "shop-3-snapshot"
				if !left {
					s.Members = append(s.Members, memberData{Name: b.Cluster})
				}
			}
		}
		w, id := s.world(t, "")
		w.Covered[world.CoverAll(engine.KindMemberCluster)] = engine.Coverage{State: engine.CoverComplete}
		snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
		if d := snap.Find(id).Why; d.LeftFailing.IsZero() != left || strings.Contains(engine.Join(d.Steps, " ").String(), "First fix cluster") == left {
			t.Errorf("left %v: %s %q", left, d.What, d.Steps)
		}
	}
}

// A run that was preempted by a rollback that is done has nothing to fix: a new run is enough.
func TestAfterARollbackThatPreempted(t *testing.T) {
	for scope, ns := range scopes {
		s := load(t, "../internal/situation/testdata", 50)["preempted-with-winner"]
		other := *s.Run.DeepCopy()
		other.Name, other.UID, other.Spec.State, other.Status.ResourceSnapshotIndexUsed = "r2", "u-r2", placement.StateRun, "2"
		other.CreationTimestamp = metav1.NewTime(s.Run.CreationTimestamp.Add(time.Minute))
		meta.SetStatusCondition(&other.Status.Conditions, metav1.Condition{Type: placement.RunSucceeded, Status: metav1.ConditionTrue, Reason: "x"})
		s.Others = append(s.Others, other)
		w, id := s.world(t, ns)
		snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
		v := snap.Find(id)
		if last := v.Why.Steps[len(v.Why.Steps)-1].String(); v.Word != engine.WordPreempted || last != "To roll out snapshot 3 instead, create a new run (stagewatch clone) with it." {
			t.Errorf("%s: %s %q", scope, v.Word, v.Why.Steps)
		}
	}
}

// A step that fixes the cause and then creates a new run is for a new run that does not have the fix:
// who followed both steps would create two.
func TestTheFixBesideTheNewRun(t *testing.T) {
	for scope, ns := range scopes {
		for _, other := range []bool{false, true} {
			s := load(t, "../internal/situation/testdata", 50)["stuck-with-binding"]
			for i := range s.Bindings {
				if b := &s.Bindings[i]; len(b.Failed) > 0 {
					b.SnapshotName, b.Failed = "shop-3-snapshot", nil
					b.Conditions = []metav1.Condition{
						{Type: placement.BindingRolloutStarted, Status: "True", ObservedGeneration: b.Generation},
						{Type: placement.BindingOverridden, Status: "False", Reason: "OverriddenFailed", Message: "Failed to apply the override rules on the resources: doc is missing path: /a", ObservedGeneration: b.Generation},
					}
				}
			}
			next := *s.Run.DeepCopy()
			next.Name, next.UID, next.Spec.State = "r2", "u-r2", placement.StateInitialize
			next.CreationTimestamp = metav1.NewTime(s.Run.CreationTimestamp.Add(time.Minute))
			if other {
				s.Others = append(s.Others, next)
			}
			w, id := s.world(t, ns)
			snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
			fix := "Fix the override, then create a new run (stagewatch clone)."
			if other {
				fix = "Otherwise: Fix the override, then create a new run (stagewatch clone)."
			}
			if steps := snap.Find(id).Why.Steps; !strings.Contains(engine.Join(steps, "\n").String(), fix) {
				t.Errorf("%s, another run %v: %q", scope, other, steps)
			}
		}
	}
}
