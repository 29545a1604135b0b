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
	"github.com/stagewatch/stagewatch/engine/act"
	"github.com/stagewatch/stagewatch/engine/observe"
	"github.com/stagewatch/stagewatch/engine/world"
)

// failedBy fails the run of a situation with a message.
func failedBy(s *situation, message string) {
	meta.SetStatusCondition(&s.Run.Status.Conditions, metav1.Condition{Type: placement.RunProgressing, Status: metav1.ConditionFalse, Reason: "UpdateRunFailed", Message: message})
	meta.SetStatusCondition(&s.Run.Status.Conditions, metav1.Condition{Type: placement.RunSucceeded, Status: metav1.ConditionFalse, Reason: "UpdateRunFailed", Message: message})
}

// A run that failed for one reason while a cluster was stuck for another: the new run gets
// stuck there, too, and explain, the steps and the clone say so.
func TestWhatIsLeftOfAFailedRun(t *testing.T) {
	const why = "cannot continue the updateRun: failed to validate the updateRun: unexpected behavior which cannot be handled by the controller: the policy snapshot index used in the updateRun is outdated, latest: 1, recorded: 0"
	for scope, ns := range scopes {
		s := load(t, "../internal/situation/testdata", 50)["stuck-with-binding"]
		stuck := s.Bindings[0].Cluster
		for i := range s.Bindings {
			if b := &s.Bindings[i]; len(b.Failed) > 0 {
				stuck, b.SnapshotName = b.Cluster, "shop-3-snapshot"
			}
		}
		failedBy(&s, why)
		w, id := s.world(t, ns)
		at := moment(t, s.Now)
		snap, _ := observe.Observe(nil, w, world.Changed{}, at)
		v := snap.Find(id)
		if v.Word != engine.WordFailed || !strings.Contains(v.Why.What.String(), "policy was changed during the run") {
			t.Fatalf("%s: %s %s", scope, v.Word, v.Why.Cause)
		}
		if !strings.Contains(v.Why.What.String(), "a cluster that this run started still fails: ") || !strings.Contains(v.Why.LeftFailing.String(), stuck) {
			t.Errorf("%s: %s", scope, v.Why.What)
		}
		if first := v.Why.Steps[0].String(); !strings.HasPrefix(first, "First fix cluster "+stuck+", or the new run gets stuck there, too: ") {
			t.Errorf("%s: first step: %s", scope, first)
		}
		intent, no := act.ProposeClone(snap, id, act.Choice{Snapshot: v.Index})
		if warns := engine.Join(intent.Warn, "\n").String(); no.Refused() || !strings.Contains(warns, "A cluster of this run still fails. The new run gets stuck there, too") {
			t.Errorf("%s: warnings of the clone: %s %v", scope, warns, no)
		}
	}
}

// A failed run keeps the pods that fail on a cluster it had started: its member is asked,
// and the commands lead there.
func TestAFailedRunKeepsThePodsThatFail(t *testing.T) {
	w, id, now := notReady(t)
	run := w.Runs[id].DeepCopy()
	for _, kind := range []string{placement.RunProgressing, placement.RunSucceeded} {
		meta.SetStatusCondition(&run.Status.Conditions, metav1.Condition{Type: kind, Status: metav1.ConditionFalse, Reason: "UpdateRunFailed", Message: "the policy snapshot index used in the updateRun is outdated, latest: 1, recorded: 0", ObservedGeneration: run.Generation})
	}
	w.Runs[id], w.Focus.Run = run, id
	snap, _ := observe.Observe(nil, w, world.Changed{}, now)
	v := snap.Find(id)
	if v.Word != engine.WordFailed || !v.Why.AsksMember || v.Why.Unread.String() != "pods on prod-2" {
		t.Fatalf("%s: asks %v, unread %q: %s", v.Word, v.Why.AsksMember, v.Why.Unread, v.Why.What)
	}
	if c := snap.Detail.HeldUp(); c == nil || c.Member.RawName() != "prod-2" {
		t.Errorf("the member to ask: %+v", c)
	}
	bad := world.MemberPod{Name: "front-new", Phase: "Pending", Reason: "InvalidImageName", Message: "couldn't parse image name", Container: "app", Image: "shop/front:3!"}
	w.Report(&world.MemberReport{Run: id, Member: "prod-2", Context: "aks prod-2", Identity: verified(), Workloads: []world.MemberWorkload{deployment(bad)}, At: now})
	snap, _ = observe.Observe(nil, w, world.Changed{}, now)
	d := &snap.Find(id).Why
	if !strings.Contains(d.What.String(), "1 of 1 pod InvalidImageName, image shop/front:3!") || !strings.Contains(d.Steps[0].String(), "too: Fix image name shop/front:3!") {
		t.Errorf("%s\n%q", d.What, d.Steps)
	}
	if !strings.Contains(d.Commands[0].String(), "describe pod front-new") || d.AsksMember {
		t.Errorf("%q, asks %v", d.Commands, d.AsksMember)
	}
}

// A failed run says which clusters finished without it, and that nothing is left when all did.
func TestClustersFinishAfterTheRunHasFailed(t *testing.T) {
	for scope, ns := range scopes {
		for _, all := range []bool{false, true} {
			s := load(t, "../internal/situation/testdata", 50)["stuck-with-binding"]
			failedBy(&s, "the policy snapshot index used in the updateRun is outdated, latest: 1, recorded: 0")
			var landed string
			for i := range s.Run.Status.StagesStatus {
				for j := range s.Run.Status.StagesStatus[i].Clusters {
					c := &s.Run.Status.StagesStatus[i].Clusters[j]
					started, done := meta.IsStatusConditionTrue(c.Conditions, placement.ClusterStarted), meta.IsStatusConditionTrue(c.Conditions, placement.ClusterSucceeded)
					if started && !done {
						landed = c.ClusterName
					} else if !all {
						c.Conditions = nil
					}
				}
			}
			at := slices.IndexFunc(s.Bindings, func(b bindingData) bool { return b.Cluster == landed })
			for i := range s.Run.Status.StagesStatus {
				for _, c := range s.Run.Status.StagesStatus[i].Clusters {
					if !slices.ContainsFunc(s.Bindings, func(b bindingData) bool { return b.Cluster == c.ClusterName }) {
						s.Bindings = append(s.Bindings, s.Bindings[at])
						s.Bindings[len(s.Bindings)-1].Cluster = c.ClusterName
					}
				}
			}
			for i := range s.Bindings {
				b := &s.Bindings[i]
				if b.Cluster != landed && !all {
					continue
				}
				b.SnapshotName, b.Failed = "shop-3-snapshot", nil
				b.Conditions = []metav1.Condition{
					{Type: placement.BindingRolloutStarted, Status: "True", ObservedGeneration: b.Generation},
					{Type: placement.BindingAvailable, Status: "True", ObservedGeneration: b.Generation},
				}
			}
			w, id := s.world(t, ns)
			snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
			d := &snap.Find(id).Why
			if !strings.Contains(d.What.String(), landed+" finished the update to snapshot 3 after that.") {
				t.Errorf("%s: %s", scope, d.What)
			}
			if none := d.Recovery == engine.RecoveryNotNeeded; none != all || none != strings.HasPrefix(d.Steps[0].String(), "Nothing is left to roll out.") {
				t.Errorf("%s all %v: %s %q", scope, all, d.RecoveryText, d.Steps)
			}
		}
	}
}

// Labels that were restored after the run failed are not to be set again.
func TestRestoredLabelsAreNotAdvised(t *testing.T) {
	for scope, ns := range scopes {
		for _, restored := range []bool{false, true} {
			s := load(t, "../internal/situation/testdata", 50)["stopped"]
			s.surrounded(t)
			failedBy(&s, "cannot continue the updateRun: failed to validate the updateRun: failed to process the request due to a client error: some clusters are not placed in any stage, total 1, showing up to 10: prod-4")
			if !restored {
				relabel(&s, "prod-4", map[string]string{})
			}
			w, id := s.world(t, ns)
			snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
			d := &snap.Find(id).Why
			again := strings.HasSuffix(d.What.String(), "prod-4. The labels match the stages of this run again.")
			if again != restored || restored != (d.Next.String() == "Create a new run (stagewatch clone): the labels have been restored.") {
				t.Errorf("%s restored %v: %s %q", scope, restored, d.What, d.Steps)
			}
		}
	}
}

// A failed run whose clusters lost their bindings does not say that they keep the version.
func TestClustersWithoutABindingLoseTheResources(t *testing.T) {
	for _, lost := range []bool{false, true} {
		s := load(t, "../internal/situation/testdata", 50)["ready"]
		s.surrounded(t)
		for i := range s.Run.Status.StagesStatus {
			for j := range s.Run.Status.StagesStatus[i].Clusters {
				c := &s.Run.Status.StagesStatus[i].Clusters[j]
				c.Conditions = append(c.Conditions, metav1.Condition{Type: placement.ClusterStarted, Status: "True"}, metav1.Condition{Type: placement.ClusterSucceeded, Status: "True"})
			}
		}
		failedBy(&s, "the number of selected bindings 3 is not equal to the observed cluster count 4")
		if lost {
			drop(&s, "prod-4")
		}
		w, id := s.world(t, "")
		snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
		if got := snap.Find(id).Why.RecoveryText.String(); strings.HasSuffix(got, "Without a binding, prod-4 loses the placement's resources.") != lost {
			t.Errorf("lost %v: %s", lost, got)
		}
	}
}

// A member that does not report comes first: what it reported earlier may be old. An
// approval that starts a cluster of such a member comes after its repair.
func TestTheMemberComesFirst(t *testing.T) {
	silent := func(s *situation, name string) {
		s.Members = append(s.Members, memberData{Name: name, Conditions: []metav1.Condition{{Type: "Joined", Status: "True"}}, Heartbeat: metav1.NewTime(moment(t, s.Now).Add(-time.Hour))})
	}
	s := load(t, "../internal/situation/testdata", 50)["stuck-with-binding"]
	for _, b := range s.Bindings {
		if len(b.Failed) > 0 {
			silent(&s, b.Cluster)
		}
	}
	w, id := s.world(t, "")
	snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
	if d := snap.Find(id).Why; !strings.HasPrefix(d.Steps[0].String(), "Restore the agent of member ") || len(d.Steps) < 2 {
		t.Errorf("stuck: %q", d.Steps)
	}
	s = load(t, "../internal/situation/testdata", 50)["approval-before"]
	for _, c := range s.Run.Status.StagesStatus[1].Clusters {
		silent(&s, c.ClusterName)
	}
	w, id = s.world(t, "")
	snap, _ = observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
	d := snap.Find(id).Why
	if !strings.HasPrefix(d.Steps[0].String(), "Restore the agents of prod-1, ") || !strings.HasPrefix(d.Steps[1].String(), "Approve stage prod") ||
		!strings.Contains(d.What.String(), "The approval starts a cluster in trouble: ") {
		t.Errorf("approval: %s %q", d.What, d.Steps)
	}
}

// The time by which a waiting run fails is named: until then it can be repaired.
func TestAWaitingRunFailsAtTheEndOfItsWait(t *testing.T) {
	s := load(t, "../internal/situation/testdata", 50)["timed-wait"]
	s.surrounded(t)
	relabel(&s, "prod-4", map[string]string{})
	w, id := s.world(t, "")
	snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
	v := snap.Find(id)
	if want := "the run fails at the controller's next check, at " + engine.Clock(v.Until, moment(t, s.Now)).String() + " at the latest"; !strings.Contains(v.Why.What.String(), want) {
		t.Errorf("no %q in %s", want, v.Why.What)
	}
}

// A stuck run whose resource snapshot was deleted has no other way than a new run; one that
// waits for a timed wait needs attention before it ends.
func TestAnUnfinishedRunWithoutItsSnapshotNeedsANewOne(t *testing.T) {
	for _, base := range []string{"stuck-with-binding", "timed-wait"} {
		for _, index := range []string{"2", "3"} {
			s := load(t, "../internal/situation/testdata", 50)[base]
			s.surrounded(t)
			last := &s.Run.Status.StagesStatus[len(s.Run.Status.StagesStatus)-1]
			for i := range last.Clusters {
				if c := &last.Clusters[i]; meta.IsStatusConditionTrue(c.Conditions, placement.ClusterSucceeded) {
					c.Conditions = nil // pending
				}
			}
			s.Nearby.Resources = []placement.ResourceSnapshot{{ObjectMeta: metav1.ObjectMeta{Name: "shop-" + index + "-snapshot", Labels: map[string]string{placement.LabelResourceIndex: index, placement.LabelIsLatestSnapshot: "true"}}}}
			w, id := s.world(t, "")
			snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
			v := snap.Find(id)
			gone := index == "2"
			if says := strings.Contains(v.Why.What.String(), "esource snapshot 3 of this run no longer exists"); says != gone || gone && v.Why.Recovery != engine.RecoveryByNewRun || gone && !v.NeedsAttention() {
				t.Errorf("%s, snapshot %s: %s %s, needs attention %v", base, index, v.Why.What, v.Why.RecoveryText, v.NeedsAttention())
			}
			// A snapshot that is older than what clusters have is a rollback.
			if steps := engine.Join(v.Why.Steps, "\n").String(); gone && !strings.Contains(steps, "without an index: it creates a snapshot of the placement's current resources. The existing snapshots are older (2 (newest)): on clusters that have snapshot 3 they would be a rollback.") {
				t.Errorf("%s: %s", base, steps)
			}
		}
	}
}

// Of several failing manifests the one that needs a new run decides the recovery, and each
// cause has a step.
func TestEachFailingManifestHasAStep(t *testing.T) {
	s := load(t, "../internal/situation/testdata", 50)["stuck-with-binding"]
	failed := func(kind, name, message string) placement.FailedResourcePlacement {
		out := placement.FailedResourcePlacement{Condition: metav1.Condition{Type: "Applied", Status: "False", Reason: "ManifestApplyFailed", Message: message, LastTransitionTime: metav1.NewTime(moment(t, s.Now))}}
		out.Kind, out.Name, out.Namespace, out.Version = kind, name, "web", "v1"
		return out
	}
	for i := range s.Bindings {
		if b := &s.Bindings[i]; len(b.Failed) > 0 {
			b.Failed = []placement.FailedResourcePlacement{
				failed("ConfigMap", "a", `configmaps "a" is forbidden: exceeded quota: compute`), failed("Certificate", "b", `no matches for kind "Certificate" in version "v1"`),
				failed("Service", "c", `Service "c" is invalid: spec.ports: Required value`),
			}
		}
	}
	w, id := s.world(t, "")
	snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
	d := snap.Find(id).Why
	steps := engine.Join(d.Steps, "\n").String()
	if d.Recovery != engine.RecoveryByNewRun || !strings.Contains(d.What.String(), "Service web/c") || !strings.Contains(d.What.String(), "Certificate web/b (kind Certificate is not installed)") {
		t.Errorf("%s: %s", d.Recovery, d.What)
	}
	for _, want := range []string{"For ConfigMap web/a: ", "For Certificate web/b: Install the CRD"} {
		if !strings.Contains(steps, want) {
			t.Errorf("no step %q in %s", want, steps)
		}
	}
	newRunLast(t, d.Steps)
}

// A run whose resource snapshot was deleted is not continued: its clusters would get stuck.
func TestARunWithoutItsSnapshotIsNotContinued(t *testing.T) {
	for base, not := range map[string]string{
		"ready": "Do not start this run: its clusters would get stuck. ", "stopped": "Do not resume this run: ", "approval-before": "Do not approve the stage: ",
		"timed-wait": "Stop this run (stagewatch stop) before its timed wait ends: ",
	} {
		for scope, ns := range scopes {
			for _, gone := range []bool{false, true} {
				s := load(t, "../internal/situation/testdata", 50)[base]
				s.surrounded(t)
				index := "3"
				if gone {
					index = "2"
				}
				s.Nearby.Resources = []placement.ResourceSnapshot{{ObjectMeta: metav1.ObjectMeta{Name: "shop-" + index + "-snapshot", Labels: map[string]string{placement.LabelResourceIndex: index, placement.LabelIsLatestSnapshot: "true"}}}}
				w, id := s.world(t, ns)
				snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
				d := snap.Find(id).Why
				if !gone {
					if d.Cause.String() == "snapshot-deleted" {
						t.Errorf("%s, %s: %s", base, scope, d.What)
					}
					continue
				}
				if d.Cause.String() != "snapshot-deleted" || d.Recovery != engine.RecoveryByNewRun || !strings.HasPrefix(d.Next.String(), not) || !strings.HasPrefix(d.What.String(), "Resource snapshot 3 of this run no longer exists") {
					t.Errorf("%s, %s: %s %s, next %s", base, scope, d.Cause, d.What, d.Next)
				}
				if do := map[string]engine.Act{"ready": engine.ActRun, "stopped": engine.ActRun, "approval-before": engine.ActApprove}[base]; do != engine.ActNone {
					snap.WritesOff = engine.Text{}
					intent, no := act.Propose(snap, do, id, moment(t, s.Now))
					if says := engine.Join(intent.Effect, "\n").String(); no.Refused() || !strings.HasSuffix(says, "Every cluster that the run starts gets stuck: resource snapshot 3 no longer exists.") {
						t.Errorf("%s, %s: %v, effect %s", base, scope, no.Why, says)
					}
				}
				for _, c := range d.Commands {
					if strings.Contains(c.String(), "patch") {
						t.Errorf("%s, %s: a command continues the run: %s", base, scope, c)
					}
				}
			}
		}
	}
}

// A run that waits for its start says when it changes nothing, and which snapshot is newer. One that
// gets stuck on clusters which fail with its snapshot already does not say that it changes nothing.
func TestAReadyRunThatChangesNothing(t *testing.T) {
	for scope, ns := range scopes {
		for _, tt := range []struct{ behind, fails, drift bool }{{}, {behind: true}, {fails: true}, {drift: true}} {
			s := load(t, "../internal/situation/testdata", 50)["ready"]
			s.surrounded(t)
			for index, latest := range map[string]string{"3": "false", "4": "true"} {
				s.Nearby.Resources = append(s.Nearby.Resources, placement.ResourceSnapshot{ObjectMeta: metav1.ObjectMeta{
					Name: "shop-" + index + "-snapshot", Annotations: map[string]string{placement.AnnotationResourceHash: "h"},
					Labels: map[string]string{placement.LabelResourceIndex: index, placement.LabelIsLatestSnapshot: latest},
				}})
			}
			s.Run.Status.DeletionStageStatus.Clusters = nil
			s.Bindings = slices.DeleteFunc(s.Bindings, func(b bindingData) bool { return b.State == "Unscheduled" })
			if tt.behind {
				s.Bindings[0].SnapshotName = "shop-2-snapshot"
			}
			if tt.drift { // another apply strategy, which the run replaces
				s.Bindings[0].Apply = &placement.ApplyStrategy{WhenToApply: placement.ApplyIfNotDrifted}
			}
			if tt.fails {
				s.Bindings[0].Conditions = []metav1.Condition{{Type: placement.BindingApplied, Status: metav1.ConditionFalse, Reason: "NotAllWorkAreApplied", ObservedGeneration: s.Bindings[0].Generation}}
			}
			w, id := s.world(t, ns)
			snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
			v := snap.Find(id)
			have := strings.Contains(v.Why.What.String(), "clusters have snapshot 3 already")
			nothing, stuck := strings.Contains(v.Why.What.String(), "already: the run changes nothing."), strings.Contains(v.Why.What.String(), "gets stuck on")
			newer := strings.Contains(v.Why.What.String(), "Snapshot 4 is newer than that of the run (3).") && strings.Contains(engine.Join(v.Why.Steps, " ").String(), "To roll out snapshot 4, the newest, delete this run (stagewatch delete) and create a new one (stagewatch clone).")
			if v.Word != engine.WordReady || have == (tt.behind || tt.drift) || nothing == (tt.behind || tt.fails || tt.drift) || stuck != tt.fails || !newer {
				t.Errorf("%s %+v: %s %s %q", scope, tt, v.Word, v.Why.What, v.Why.Steps)
			}
		}
	}
}
