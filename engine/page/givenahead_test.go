package page_test

import (
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/act"
	"github.com/stagewatch/stagewatch/engine/internal/situation"
	"github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/engine/page/inbox"
	"github.com/stagewatch/stagewatch/engine/plan"
)

// approved gives the approval of a situation, for the generation of its request.
func approved(t testing.TB, s *situation.Situation) {
	given := situation.Is(placement.ApprovalApproved, metav1.ConditionTrue, situation.Moment(t, "10:02:00"))
	given.Reason = "approved"
	s.Approvals[0].Status.Conditions = []metav1.Condition{given}
}

// inFirstStage takes a situation back to where the last cluster of its first stage is
// updating and stage prod, with an approval before it, is not reached.
func inFirstStage(s *situation.Situation) {
	status := &s.Run.Status
	dev, prod := &status.StagesStatus[0], &status.StagesStatus[1]
	dev.EndTime, dev.Conditions = nil, []metav1.Condition{{Type: placement.StageProgressing, Status: metav1.ConditionTrue, Reason: "StageUpdatingStarted", LastTransitionTime: *dev.StartTime, ObservedGeneration: 1}}
	dev.Clusters[1].Conditions = dev.Clusters[1].Conditions[:1]
	prod.Conditions, prod.BeforeStageTaskStatus[0].Conditions = nil, nil
	status.Conditions[1].Status, status.Conditions[1].Reason, status.Conditions[1].Message = metav1.ConditionTrue, placement.ReasonRunProgressing, ""
	s.Now = "10:03:00"
}

// afterFirstStage turns the approval before stage prod into one after stage dev, which is
// not done.
func afterFirstStage(s *situation.Situation) {
	inFirstStage(s)
	dev, prod := &s.Run.Status.StagesStatus[0], &s.Run.Status.StagesStatus[1]
	dev.AfterStageTaskStatus, prod.BeforeStageTaskStatus = prod.BeforeStageTaskStatus, nil
	stages := s.Run.Status.StagedUpdateStrategySnapshot.Stages
	stages[0].AfterStageTasks, stages[1].BeforeStageTasks = stages[1].BeforeStageTasks, nil
	dev.AfterStageTaskStatus[0].ApprovalRequestName, s.Approvals[0].Name, s.Approvals[0].Spec.TargetStage = "r1-after-dev", "r1-after-dev", "dev"
}

// TestApprovalGivenAhead: an approval that is given while the run is stopped, or before the
// run reaches its stage, is not late, and every page says when the controller accepts it.
func TestApprovalGivenAhead(t *testing.T) {
	for _, tt := range []struct {
		name, base string
		change     func(*situation.Situation)
		when, next string
		late       bool
		accepted   bool // by somebody else than the controller
	}{
		{name: "stopped", base: "not-accepted-while-stopped", change: func(*situation.Situation) {}, when: "when the run is resumed", next: "No other approval is needed: prod-1 and prod-2 start immediately."},
		{name: "stopped, many clusters", base: "not-accepted-while-stopped", change: func(s *situation.Situation) {
			for i := 5; i <= 24; i++ {
				prod := &s.Run.Status.StagesStatus[1]
				prod.Clusters = append(prod.Clusters, placement.ClusterStatus{ClusterName: fmt.Sprintf("prod-%d", i)})
			}
		}, when: "when the run is resumed", next: "No other approval is needed: prod-1, prod-2, prod-3 and 9 more start immediately."},
		{name: "not reached", base: "approval-before", change: inFirstStage, when: "when the run reaches stage prod"},
		{name: "after a stage that is updating", base: "approval-before", change: afterFirstStage, when: "when the clusters of stage dev are done"},
		{name: "accepted, not reached", base: "approval-before", change: inFirstStage, when: "when the run reaches stage prod", accepted: true},
		{name: "reached", base: "approval-before", change: func(*situation.Situation) {}, late: true},
	} {
		for _, ns := range []string{"", "shop"} {
			t.Run(tt.name+" "+ns, func(t *testing.T) {
				sit := situation.All(t)[tt.base]
				tt.change(&sit)
				approved(t, &sit)
				if request := &sit.Approvals[0]; tt.accepted {
					request.Status.Conditions = append(request.Status.Conditions, request.Status.Conditions[0])
					request.Status.Conditions[1].Type = placement.ApprovalAccepted
				}
				s, v, now := diagnosed(t, &sit, ns)
				p := plan.Plan{Stages: []plan.Stage{{Before: []plan.Task{{Request: engine.Clean(sit.Approvals[0].Name)}}}}}
				p.Diagnose(v)
				_, no := act.Propose(s, engine.ActApprove, v.ID, now)
				var section page.Section
				for _, section = range inbox.Page(inbox.Facts{Snapshot: s, Now: now}).Sections {
					if len(section.Head) > 0 {
						break
					}
				}
				says := map[string]string{
					"approvals": section.Title.String() + ": " + section.Rows[0].Note.String(),
					"gates":     gateNote(page.DiagnosisPage(page.DiagnosisFacts{Snapshot: s, Run: v, Now: now})),
					"plan":      p.Stages[0].Before[0].What().String(),
					"approve":   no.Why.String() + ": " + no.Hint.String(),
				}
				if v.Late != tt.late || v.Sent != tt.late || strings.Contains(v.Why.What.String(), "is already approved") != (tt.next != "") {
					t.Errorf("late %v, sent %v: %s", v.Late, v.Sent, v.Why.What)
				}
				if !strings.Contains(v.Why.Next.String(), tt.next) {
					t.Errorf("next: %q", v.Why.Next)
				}
				want := map[string]string{
					"approvals": "approved ahead 1: Accepted " + tt.when + ".", "gates": "is approved; the controller accepts it " + tt.when,
					"plan": ", approved: accepted " + tt.when, "approve": "already approved (" + sit.Approvals[0].Name + ", at 10:02:00 UTC): the approval takes effect " + tt.when,
				}
				if tt.late {
					want = map[string]string{"approvals": "sent 1: ", "gates": "the controller has not accepted it yet", "plan": ", sent", "approve": "it was approved at 10:02:00 UTC; the controller has not accepted it yet"}
				}
				for where, text := range want {
					if !strings.Contains(says[where], text) {
						t.Errorf("%s: %q lacks %q", where, says[where], text)
					}
				}
			})
		}
	}
}

// TestApprovalIgnoredAhead: an approval that the controller will ignore cannot be repaired
// before the run waits for it, and no page offers that or calls it approved.
func TestApprovalIgnoredAhead(t *testing.T) {
	for _, ns := range []string{"", "shop"} {
		sit := situation.All(t)["approval-before"]
		inFirstStage(&sit)
		approved(t, &sit)
		sit.Approvals[0].Status.Conditions[0].ObservedGeneration = 0
		s, v, now := diagnosed(t, &sit, ns)
		if v.Word != engine.WordRunning || strings.Contains(v.Why.What.String(), "pproval") {
			t.Errorf("%s: %s", v.Word, v.Why.What)
		}
		if a := text(inbox.Page(inbox.Facts{Snapshot: s, Now: now})); strings.Contains(a, "pproved") {
			t.Errorf("approvals: %s", a)
		}
		if _, no := act.Propose(s, engine.ActApprove, v.ID, now); no.Why.String() != "no approval is open" {
			t.Errorf("approve: %s", no.Why)
		}
	}
}

// TestDeletionKeepsRequestsWithoutLabel: the controller finds the approval requests of a run by
// a label, and leaves one that a person has created without it.
func TestDeletionKeepsRequestsWithoutLabel(t *testing.T) {
	for _, ns := range []string{"", "shop"} {
		for _, labelled := range []bool{true, false} {
			sit := situation.All(t)["approval-before"]
			if sit.Approvals[0].Labels = nil; labelled {
				sit.Approvals[0].Labels = map[string]string{placement.LabelTargetUpdateRun: "r1"}
			}
			s, v, now := diagnosed(t, &sit, ns)
			i, no := act.Propose(s, engine.ActDelete, v.ID, now)
			kept := "Approval request r1-before-prod is not deleted: it has no label kubernetes-fleet.io/targetUpdateRun of this run."
			if all := engine.Join(append(i.Effect, i.Warn...), "\n").String(); no.Refused() || strings.Contains(all, kept) == labelled || strings.Contains(all, "it is deleted with the run") != labelled {
				t.Errorf("ns %q, labelled %v: %s\n%s", ns, labelled, no.Why, all)
			}
		}
	}
}

// gateNote is what a page says of the first gate ahead.
func gateNote(a page.Answer) string {
	for i := range a.Sections {
		if s := &a.Sections[i]; s.Title.String() == "gates ahead" && len(s.Rows) > 0 {
			return s.Rows[0].Note.String()
		}
	}
	return ""
}
