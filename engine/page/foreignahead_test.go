package page_test

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/internal/situation"
	"github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/engine/page/inbox"
	"github.com/stagewatch/stagewatch/engine/plan"
)

// betweenStages takes a situation to where the controller has done the first stage and has not
// come to the approval before stage prod.
func betweenStages(s *situation.Situation) {
	status := &s.Run.Status
	prod := &status.StagesStatus[1]
	prod.Conditions, prod.BeforeStageTaskStatus[0].Conditions = nil, nil
	status.Conditions[1].Status, status.Conditions[1].Reason, status.Conditions[1].Message = metav1.ConditionTrue, placement.ReasonRunProgressing, ""
	s.Now = "10:20:00"
}

// stoppedInFirstStage stops a situation between two clusters of its first stage.
func stoppedInFirstStage(s *situation.Situation) {
	inFirstStage(s)
	s.Run.Spec.State = placement.StateStop
	status := &s.Run.Status
	status.StagesStatus[0].Clusters[1].Conditions = nil
	status.StagesStatus[0].Conditions[0].Status, status.StagesStatus[0].Conditions[0].Reason = metav1.ConditionFalse, placement.ReasonStageStopped
	status.Conditions[1].Status, status.Conditions[1].Reason = metav1.ConditionFalse, placement.ReasonRunStopped
}

// TestARequestOfAnotherRunIsNamedAhead: while an approval request of another run that has the
// name of one of this run is easily deleted, every page says that the run fails there.
func TestARequestOfAnotherRunIsNamedAhead(t *testing.T) {
	const ahead = "pproval request r1-before-prod is for another run or stage: the run fails when it reaches the approval before stage prod, unless the request is deleted"
	const next = "pproval request r1-before-prod is for another run or stage: the run will fail, unless the request is deleted"
	for _, tt := range []struct {
		name, cause, says, also string
		change                  func(*situation.Situation)
		own, fails              bool
	}{
		{name: "updating", cause: "approval-request-mismatch", says: ahead, change: inFirstStage},
		{name: "stopped", cause: "stopped", says: ahead, change: stoppedInFirstStage},
		{name: "between stages", cause: "controller-overdue", says: next, also: "The controller has not reached the approval before stage prod (", change: betweenStages, fails: true},
		{name: "between stages, its own", cause: "controller-overdue", also: "The controller has not reached the approval before stage prod (", change: betweenStages, own: true},
		{name: "updating, its own", cause: "updating", change: inFirstStage, own: true},
	} {
		for _, ns := range []string{"", "shop"} {
			t.Run(tt.name+" "+ns, func(t *testing.T) {
				sit := situation.All(t)["approval-before"]
				tt.change(&sit)
				if !tt.own {
					sit.Approvals[0].Spec.ParentStageRollout = "other"
				}
				s, v, now := diagnosed(t, &sit, ns)
				if v.Why.Cause.String() != tt.cause || v.Why.Fails != tt.fails || !strings.Contains(v.Why.What.String(), tt.also) {
					t.Errorf("cause %s, fails %v: %s", v.Why.Cause, v.Why.Fails, v.Why.What)
				}
				var p plan.Plan
				p.Diagnose(v)
				p.Diagnose(v)
				var checks []string
				for _, c := range p.RunChecks() {
					checks = append(checks, c.What.String())
				}
				warns := strings.Join(checks, "; ")
				says := map[string]string{
					"explain": v.Why.What.String(), "approvals": text(inbox.Page(inbox.Facts{Snapshot: s, Now: now})),
					"gates": gateNote(page.DiagnosisPage(page.DiagnosisFacts{Snapshot: s, Run: v, Now: now})),
				}
				later := !tt.own && !tt.fails
				if verdict := p.Verdict().String(); strings.HasPrefix(verdict, "fails later: ") != later || later && !strings.Contains(verdict, tt.says) {
					t.Errorf("verdict: %s", verdict)
				}
				if tt.own {
					if len(checks) > 0 || strings.Contains(says["explain"]+says["approvals"]+says["gates"], "another run or stage") {
						t.Errorf("its own request: %q, %q", checks, says)
					}
					return
				}
				for where, got := range says {
					if !strings.Contains(got, tt.says) {
						t.Errorf("%s: %q", where, got)
					}
				}
				if len(checks) != 1 || !strings.Contains(warns, "approval request r1-before-prod is for another run or stage") || strings.HasPrefix(warns, "the run fails:") != tt.fails {
					t.Errorf("plan: %q", checks)
				}
				if deletes := "Delete approval request r1-before-prod: the controller creates a new one."; !strings.Contains(engine.Join(v.Why.Steps, "\n").String(), deletes) || !tt.fails && v.Why.Next.String() != deletes {
					t.Errorf("steps: %q", v.Why.Steps)
				}
				if !strings.Contains(engine.Join(v.Why.Commands, "\n").String(), "delete "+v.ID.Kind().InScope(engine.KindClusterApprovalRequest, engine.KindApprovalRequest).Plural()+" r1-before-prod") {
					t.Errorf("commands: %q", v.Why.Commands)
				}
			})
		}
	}
}
