package act

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/internal/situation"
	"github.com/stagewatch/stagewatch/engine/triage"
	"github.com/stagewatch/stagewatch/engine/world"
)

// A clone of a stuck run warns that the same snapshot gets stuck again, named by an
// index or found as the newest, unless the cause is gone.
func TestCloneOfAStuckRunNamesItsCause(t *testing.T) {
	for _, tt := range []struct {
		situation string
		warns     bool
	}{{"stuck-with-binding", true}, {"updating", false}, {"landed-is-not-stuck", false}} {
		s, id, _ := look(t, tt.situation, "", func(w *world.World, _ engine.ID) { w.Triage = triage.Catalogue{} })
		v := s.Find(id)
		cause := "The new run gets stuck too, unless the cause is fixed: " + v.Why.What.String()
		pinned, r := ProposeClone(s, id, Choice{Snapshot: v.Index})
		if r.Refused() {
			t.Fatal(r.Why)
		}
		if got := strings.Contains(strings.Join(lines(pinned.Warn), "\n"), cause); got != tt.warns {
			t.Errorf("%s, same index: warnings %q", tt.situation, pinned.Warn)
		}
		newest, r := ProposeClone(s, id, Choice{})
		if r.Refused() {
			t.Fatal(r.Why)
		}
		if strings.Contains(strings.Join(lines(newest.Warn), "\n"), "gets stuck too") {
			t.Errorf("%s: the newest snapshot is not known yet: %q", tt.situation, newest.Warn)
		}
		if got := strings.Contains(newest.Repeats(v.Index).String(), cause); got != tt.warns {
			t.Errorf("%s, newest: %q", tt.situation, newest.Repeats(v.Index))
		}
		if w := newest.Repeats(engine.Lit("99")); !w.IsZero() {
			t.Errorf("%s, another snapshot: %q", tt.situation, w)
		}
	}
}

// The dialog of an approval says that it was rejected, and why.
func TestApproveARejectedRequest(t *testing.T) {
	s, id, now := look(t, "approval-before", "", func(w *world.World, _ engine.ID) {
		for _, a := range w.Approvals {
			a.Status.Conditions = []metav1.Condition{{Type: placement.ApprovalApproved, Status: metav1.ConditionFalse, Reason: "Rejected", Message: "not today, see CHG-77"}}
		}
	})
	i, r := Propose(s, engine.ActApprove, id, now)
	if r.Refused() || !strings.Contains(strings.Join(lines(i.Warn), "\n"), "The approval was rejected: Approved is False (Rejected: not today, see CHG-77).") {
		t.Errorf("%s %v", r.Why, lines(i.Warn))
	}
}

// What blocks the deletion of a request is not removed before its controller was looked at.
func TestApproveARequestThatIsBeingDeleted(t *testing.T) {
	deleting := func(finalizers ...string) string {
		s, id, now := look(t, "approval-before", "", func(w *world.World, _ engine.ID) {
			for _, a := range w.Approvals {
				a.DeletionTimestamp, a.Finalizers = &metav1.Time{Time: situation.Moment(t, "10:00:00")}, finalizers
			}
		})
		_, r := Propose(s, engine.ActApprove, id, now)
		return r.Hint.String()
	}
	if got, want := deleting(), "approve the request that the controller then creates (while the run's state is Run)"; got != want {
		t.Errorf("hint %q, want %q", got, want)
	}
	want := "check why the controller that set example.com/hold has not removed it; if that controller is gone, remove the finalizer; approve the request that the controller then creates"
	if got := deleting("example.com/hold"); !strings.HasPrefix(got, want) {
		t.Errorf("hint %q, want %q", got, want)
	}
}
