package triage

import (
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/act"
	"github.com/stagewatch/stagewatch/engine/observe"
	"github.com/stagewatch/stagewatch/engine/world"
)

// diagnosed is the diagnosis of a situation's run.
func (s *situation) diagnosed(t *testing.T, change ...func(*world.World, engine.ID)) (*engine.Snapshot, *engine.RunView) {
	t.Helper()
	w, id := s.world(t, "")
	for _, c := range change {
		c(w, id)
	}
	snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
	return snap, snap.Find(id)
}

// A member that is being deleted ends every run that has its cluster: no step and no
// command continues one, and the dialog of R says so.
func TestAMemberThatIsBeingDeletedEndsTheRun(t *testing.T) {
	for _, base := range []string{"ready", "stopped", "approval-before"} {
		s := load(t, "../internal/situation/testdata", 50)[base]
		last := s.Run.Status.StagesStatus[len(s.Run.Status.StagesStatus)-1]
		gone := last.Clusters[len(last.Clusters)-1].ClusterName
		s.Members = append(s.Members, memberData{Name: gone, Conditions: []metav1.Condition{{Type: "Joined", Status: "True"}}, Deleting: metav1.NewTime(moment(t, s.Now).Add(-time.Minute))})
		snap, v := s.diagnosed(t)
		d := v.Why
		if d.Recovery != engine.RecoveryByNewRun || !strings.Contains(d.Next.String(), gone+" is being deleted, which cannot be undone") || slices.Contains(d.NextActions, engine.NextRun) {
			t.Errorf("%s: %s, steps %q, next actions %v", base, d.RecoveryText, d.Steps, d.NextActions)
		}
		for _, step := range d.Steps {
			if strings.HasPrefix(step.String(), "Start the run") || strings.HasPrefix(step.String(), "Resume the run") || strings.HasPrefix(step.String(), "Approve ") {
				t.Errorf("%s: a step continues the run: %s", base, step)
			}
		}
		if len(d.Commands) == 0 || strings.Contains(d.Commands[0].String(), "patch") {
			t.Errorf("%s: commands %q", base, d.Commands)
		}
		if base == "approval-before" {
			continue
		}
		i, no := act.Propose(snap, engine.ActRun, v.ID, snap.At)
		if warn := engine.Join(i.Warn, "\n").String(); no.Refused() || !strings.Contains(warn, "Only a new run helps. Member "+gone+" is being deleted") {
			t.Errorf("%s: warnings of R: %s %v", base, warn, no)
		}
	}
}

// A run with a cluster of a member that does not exist fails: nobody is told to continue it first.
func TestAMemberThatDoesNotExistComesFirst(t *testing.T) {
	for _, base := range []string{"ready", "stopped", "approval-before"} {
		s := load(t, "../internal/situation/testdata", 50)[base]
		last := s.Run.Status.StagesStatus[len(s.Run.Status.StagesStatus)-1]
		gone := last.Clusters[len(last.Clusters)-1].ClusterName
		for _, stage := range s.Run.Status.StagesStatus {
			for _, c := range stage.Clusters {
				if c.ClusterName != gone {
					s.Members = append(s.Members, memberData{Name: c.ClusterName, Heartbeat: metav1.NewTime(moment(t, s.Now)), Conditions: []metav1.Condition{{Type: "Joined", Status: "True"}}})
				}
			}
		}
		_, v := s.diagnosed(t)
		d := v.Why
		if !strings.HasPrefix(d.Next.String(), "Create a new run (stagewatch clone): it leaves out "+gone+", which is no longer in the fleet. Or join it again") {
			t.Errorf("%s: steps %q", base, d.Steps)
		}
	}
}

// An approval request that does not exist cannot be approved: WHY says so first.
func TestAMissingApprovalRequestIsNamedFirst(t *testing.T) {
	s := load(t, "../internal/situation/testdata", 50)["approval-deleted"]
	if _, v := s.diagnosed(t); v.Why.Cause.String() != "approval-request-missing" || !strings.HasPrefix(v.Why.What.String(), "Approval request r1-") || !strings.Contains(v.Why.What.String(), " does not exist, so it cannot be approved. ") {
		t.Errorf("%s: %s", v.Why.Cause, v.Why.What)
	}
}

// A stuck run whose placement was deleted offers no repair of what it placed.
func TestNothingIsRepairedForADeletedPlacement(t *testing.T) {
	s := load(t, "../internal/situation/testdata", 50)["stuck-with-binding"]
	s.surrounded(t)
	_, before := s.diagnosed(t)
	_, v := s.diagnosed(t, func(w *world.World, _ engine.ID) { clear(w.Placements) })
	if steps := engine.Join(v.Why.Steps, "\n").String(); !strings.Contains(steps, "Create placement shop again") || strings.Contains(steps, before.Why.Steps[len(before.Why.Steps)-1].String()) {
		t.Errorf("steps %q, before %q", v.Why.Steps, before.Why.Steps)
	}
}

// A preempted run counts the clusters that it recorded as done: what they have now is said.
func TestAPreemptedRunSaysWhatItsDoneClustersHave(t *testing.T) {
	s := load(t, "../internal/situation/testdata", 50)["preempted-with-winner"]
	for i := range s.Run.Status.StagesStatus[0].Clusters {
		name := s.Run.Status.StagesStatus[0].Clusters[i].ClusterName
		s.Bindings = slices.DeleteFunc(s.Bindings, func(b bindingData) bool { return b.Cluster == name })
		s.Bindings = append(s.Bindings, bindingData{Cluster: name, State: "Bound", SnapshotName: "shop-9-snapshot"})
	}
	if _, v := s.diagnosed(t); v.Word != engine.WordPreempted || !strings.Contains(v.Why.What.String(), "clusters recorded as done no longer have what this run rolled out: snapshot 9: dev-1 and dev-2.") {
		t.Errorf("%s: %s", v.Word, v.Why.What)
	}
}

// A ResourcePlacement cannot place a namespace: the step for one that is missing, or being
// deleted, says what can.
func TestTheStepForAMissingNamespaceFitsTheScope(t *testing.T) {
	const terminating = `failed to create the manifest: configmaps "a" is forbidden: unable to create new content in namespace web because it is being terminated`
	for _, tt := range []struct{ scope, message, want string }{
		{"", `failed to create the manifest: namespaces "web" not found`, "Create the namespace on prod-2. Or add it to the placement, then create a new run (stagewatch clone)."},
		{"team-a", `failed to create the manifest: namespaces "web" not found`, "Create the namespace on prod-2. A ResourcePlacement cannot place it: a ClusterResourcePlacement can."},
		{"", terminating, "Wait until the namespace is deleted on prod-2; if that does not finish, look for finalizers of the objects in it. Then create it again, unless the placement contains it."},
		{"team-a", terminating, "Wait until the namespace is deleted on prod-2; if that does not finish, look for finalizers of the objects in it. Then create it again: a ResourcePlacement cannot place it, a ClusterResourcePlacement can."},
	} {
		s := load(t, "../internal/situation/testdata", 50)["stuck-with-binding"]
		for i := range s.Bindings {
			for j := range s.Bindings[i].Failed {
				s.Bindings[i].Failed[j].Condition.Reason, s.Bindings[i].Failed[j].Condition.Message = "ManifestApplyFailed", tt.message
			}
		}
		w, id := s.world(t, tt.scope)
		snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
		if d := snap.Find(id).Why; d.Next.String() != tt.want {
			t.Errorf("%q: %s: %s", tt.scope, d.Cause, d.Next)
		}
	}
}
