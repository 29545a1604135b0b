package page_test

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine/internal/situation"
	"github.com/stagewatch/stagewatch/engine/observe"
	"github.com/stagewatch/stagewatch/engine/page/inbox"
	"github.com/stagewatch/stagewatch/engine/world"
)

// TestInboxShowsTheStateOfARequest: the page offers to approve only what can be approved, and
// says what became of a request.
func TestInboxShowsTheStateOfARequest(t *testing.T) {
	for _, tt := range []struct {
		name    string
		change  func(*situation.Situation)
		section string
		says    []string
		not     string
	}{
		{"as requested", func(*situation.Situation) {}, "open 1", []string{"If you approve: "}, "rejected"},
		{"being deleted", func(s *situation.Situation) {
			s.Approvals[0].DeletionTimestamp = &metav1.Time{Time: time.Date(2026, 8, 20, 10, 8, 0, 0, time.UTC)}
			s.Approvals[0].Finalizers = []string{"example.com/keep"}
		}, "not approvable 1", []string{`finalizer "example.com/keep" blocks the deletion`, "It cannot be approved"}, "If you approve"},
		{"rejected", func(s *situation.Situation) {
			s.Approvals[0].Status.Conditions = []metav1.Condition{{Type: placement.ApprovalApproved, Status: metav1.ConditionFalse, Reason: "Frozen", Message: "no changes on Friday", ObservedGeneration: 1}}
		}, "open 1", []string{"It was rejected: Approved is False (Frozen: no changes on Friday)."}, "observedGeneration"},
		{"of another run", func(s *situation.Situation) { s.Approvals[0].Spec.ParentStageRollout = "other" }, "not approvable 1", []string{"is for another run or stage: the run will fail"}, "If you approve"},
		{"approved for an older generation", func(s *situation.Situation) {
			s.Approvals[0].Generation = 2
			s.Approvals[0].Status.Conditions = []metav1.Condition{{Type: placement.ApprovalApproved, Status: metav1.ConditionTrue, Reason: "x", ObservedGeneration: 1}}
		}, "approved, ignored 1", []string{"it has observedGeneration 1, the request has generation 2"}, "rejected"},
		{"deleted", func(s *situation.Situation) { s.Approvals = nil }, "open 1", []string{"was not found: approve it when the controller has created it again"}, "rejected"},
	} {
		for _, ns := range []string{"", "shop"} {
			t.Run(tt.name+" "+ns, func(t *testing.T) {
				sit := situation.All(t)["approval-before"]
				tt.change(&sit)
				w, id := sit.World(t, ns)
				s, _ := observe.Observe(nil, w, world.Changed{}, situation.Moment(t, sit.Now))
				if s.Find(id) == nil {
					t.Fatal("no run")
				}
				got := flat(inbox.Page(inbox.Facts{Snapshot: s, Now: s.At}))
				for _, want := range append(tt.says, tt.section) {
					if !strings.Contains(got, want) {
						t.Errorf("lacks %q:\n%s", want, got)
					}
				}
				if strings.Contains(got, tt.not) {
					t.Errorf("says %q:\n%s", tt.not, got)
				}
			})
		}
	}
}
