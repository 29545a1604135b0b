package ui

import (
	"testing"

	"github.com/stagewatch/stagewatch/engine"
)

func TestPlanKey(t *testing.T) {
	m, f := start(t, 120, 40, sample())
	var asked engine.Question
	f.reply = func(q engine.Question) engine.Answer {
		asked = q
		p := engine.Plan{Run: q.About, Placement: txt("nginx"), Refusals: []engine.PlanRefusal{{Message: txt("parent placement not found"), Final: true}}}
		return engine.PlanPage(q, &p, t0)
	}
	run := m.runs.current().ID
	told(m, press(m, "i"))
	if asked.Kind != engine.QuestionPlan || asked.About != run || asked.Run != run {
		t.Errorf("i asks for %+v, the cursor is on %v", asked, run)
	}
	shows(t, m, "plan of "+run.Title().String())
	shows(t, m, "REFUSED: 1 reason")
	shows(t, m, "parent placement not found (for good)")
	press(m, "esc")
	if m.sheet() != nil {
		t.Error("esc does not lead back")
	}
}
