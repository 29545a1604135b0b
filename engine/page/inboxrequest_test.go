package page_test

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/internal/situation"
	"github.com/stagewatch/stagewatch/engine/observe"
	"github.com/stagewatch/stagewatch/engine/page/inbox"
	"github.com/stagewatch/stagewatch/engine/triage"
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
		why     []string // with a diagnosis, which says it once
		not     string
	}{
		{"as requested", func(*situation.Situation) {}, "open 1", []string{"If you approve: "}, nil, "rejected"},
		{"being deleted", func(s *situation.Situation) {
			s.Approvals[0].DeletionTimestamp = &metav1.Time{Time: time.Date(2026, 8, 20, 10, 8, 0, 0, time.UTC)}
			s.Approvals[0].Finalizers = []string{"example.com/keep"}
		}, "not approvable 1", []string{`finalizer "example.com/keep" blocks the deletion`, "Check why the controller that set example.com/keep has not removed it"}, []string{`finalizer "example.com/keep" blocks the deletion`}, "If you approve"},
		{"rejected", func(s *situation.Situation) {
			s.Approvals[0].Status.Conditions = []metav1.Condition{{Type: placement.ApprovalApproved, Status: metav1.ConditionFalse, Reason: "Frozen", Message: "no changes\n  on Friday", ObservedGeneration: 1}}
		}, "open 1", []string{"It was rejected: Approved is False (Frozen: no changes on Friday)."}, []string{"(Frozen: no changes on Friday)"}, "observedGeneration"},
		{"of another run", func(s *situation.Situation) { s.Approvals[0].Spec.ParentStageRollout = "other" }, "not approvable 1", []string{"is for another run or stage: the run will fail"}, []string{"is for run other, stage prod: this run will fail"}, "If you approve"},
		{"approved for an older generation", func(s *situation.Situation) {
			s.Approvals[0].Generation = 2
			s.Approvals[0].Status.Conditions = []metav1.Condition{{Type: placement.ApprovalApproved, Status: metav1.ConditionTrue, Reason: "x", ObservedGeneration: 1}}
		}, "not accepted 1", []string{"it has observedGeneration 1, the request has generation 2"}, []string{"it has observedGeneration 1, the request has generation 2"}, "rejected"},
		{"deleted", func(s *situation.Situation) { s.Approvals = nil }, "not approvable 1", []string{"Approval request r1-before-prod not found. The controller creates a missing request while"}, []string{"Approval request r1-before-prod does not exist", "Wait until the controller has created"}, "If you approve"},
		{"deleted, of a run that is not in state Run", func(s *situation.Situation) { s.Approvals, s.Run.Spec.State = nil, placement.StateStop }, "not approvable 1", []string{"Approval request r1-before-prod not found."}, []string{"Approval request r1-before-prod not found."}, "If you approve"},
	} {
		for _, ns := range []string{"", "shop"} {
			diagnosed := ns != ""
			t.Run(tt.name+" "+ns, func(t *testing.T) {
				sit := situation.All(t)["approval-before"]
				tt.change(&sit)
				w, id := sit.World(t, ns)
				says := tt.says
				if diagnosed {
					w.Triage, says = triage.Catalogue{}, tt.why
					place := engine.PlacementKey(id, sit.Run.Spec.PlacementName)
					w.Placements[place] = &world.Placement{ID: place, External: true, ApplyRead: true}
				}
				s, _ := observe.Observe(nil, w, world.Changed{}, situation.Moment(t, sit.Now))
				if s.Find(id) == nil {
					t.Fatal("no run")
				}
				got := flat(inbox.Page(inbox.Facts{Snapshot: s, Now: s.At}))
				for _, want := range append(says, tt.section) {
					if !strings.Contains(got, want) {
						t.Errorf("lacks %q:\n%s", want, got)
					}
				}
				for _, once := range tt.why {
					if diagnosed && strings.Count(got, once) != 1 {
						t.Errorf("says %d times %q:\n%s", strings.Count(got, once), once, got)
					}
				}
				if strings.Contains(got, tt.not) {
					t.Errorf("says %q:\n%s", tt.not, got)
				}
			})
		}
	}
}
