package ui

import (
	"slices"
	"testing"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/act"
	enginepage "github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/engine/plan"
)

func TestPlanKey(t *testing.T) {
	m, f := start(t, 120, 40, sample())
	var asked enginepage.Question
	f.reply = func(q enginepage.Question) enginepage.Answer {
		asked = q
		p := plan.Plan{Run: q.(enginepage.PlanQuestion).Run, Placement: txt("nginx"), Refusals: []plan.Refusal{{Message: txt("parent placement not found"), Final: true}}}
		a := enginepage.PlanPage(&p)
		a.Question = q
		return a
	}
	run := m.runs.Current().ID
	told(m, press(m, "i"))
	if asked != (enginepage.PlanQuestion{Run: run}) {
		t.Errorf("i asks for %+v, the cursor is on %v", asked, run)
	}
	shows(t, m, "plan of "+run.Title().String())
	shows(t, m, "blocked by 1 failed check")
	shows(t, m, "parent placement not found (final)")
	press(m, "esc")
	if m.sheet() != nil {
		t.Error("esc does not lead back")
	}
}

// A placement that no run names has the plan of a run to be made: by a strategy
// that is chosen on the page.
func TestPlanOfAPlacement(t *testing.T) {
	m, f := start(t, 120, 40, sample())
	var asked []enginepage.NewRunQuestion
	f.reply = func(question enginepage.Question) (a enginepage.Answer) {
		q := question.(enginepage.NewRunQuestion)
		asked = append(asked, q)
		defer func() { a.Question = q }()
		if q.Strategy.IsZero() {
			return enginepage.StrategiesPage(q.Placement, engine.Choices{Strategies: []engine.Option{{Name: txt("fast")}, {Name: txt("slow")}}})
		}
		p := plan.Plan{Run: engine.NewID(engine.KindClusterStagedUpdateRun, "", "", ""), Placement: q.Placement.Name(), Strategy: q.Strategy}
		return enginepage.PlanPage(&p)
	}
	for m.runs.Current() != nil && m.runs.Current().Word != engine.WordNoRun {
		before := m.runs.Current().ID
		press(m, "j")
		if m.runs.Current().ID == before {
			t.Fatal("no placement without a run in the sample")
		}
	}
	place := m.runs.Current().Placement
	told(m, press(m, "i"))
	shows(t, m, "select a strategy")
	press(m, "j")
	told(m, press(m, "enter"))
	if !slices.Equal(asked, []enginepage.NewRunQuestion{{Placement: place}, {Placement: place, Strategy: txt("slow")}}) {
		t.Errorf("asked %+v", asked)
	}
	shows(t, m, "by slow")
	press(m, "esc")
	shows(t, m, "select a strategy")
}

// C on such a placement asks for the strategy, and on one of those for the run.
func TestFirstRunOfAPlacement(t *testing.T) {
	m, f := start(t, 120, 40, sample())
	f.reply = func(q enginepage.Question) enginepage.Answer {
		a := enginepage.Answer{}
		if q, ok := q.(enginepage.NewRunQuestion); ok {
			a = enginepage.StrategiesPage(q.Placement, engine.Choices{Strategies: []engine.Option{{Name: txt("fast")}, {Name: txt("slow")}}})
		}
		a.Question = q
		return a
	}
	m.rules.Propose, m.rules.Clone = act.Propose, act.ProposeClone
	press(m, "G")
	for m.runs.Current().Word != engine.WordNoRun {
		press(m, "k")
	}
	m.arrangeGuard()
	if !m.guard.can[engine.ActClone] || m.guard.can[engine.ActDelete] {
		t.Errorf("the bar of keys: %v", m.guard.can)
	}
	told(m, press(m, "C"))
	if m.mode == modeDialog {
		t.Fatal("a dialog without a strategy")
	}
	shows(t, m, "select a strategy")
	press(m, "esc")
	told(m, press(m, "enter")) // the page of the placement
	told(m, press(m, "C"))
	shows(t, m, "select a strategy")
	press(m, "j")
	press(m, "C")
	if m.mode != modeDialog || m.dialog.Status().Choice.Strategy != txt("slow") {
		t.Fatalf("the dialog is %+v", m.dialog.Status())
	}
	shows(t, m, "Create run billing-r1 of placement billing")
	shows(t, m, "billing-r1 to create, then enter")
	shows(t, m, "enter create")
}

// Enter on a placement without a run opens the placement.
func TestEnterOnAPlacementWithoutARun(t *testing.T) {
	m, f := start(t, 120, 40, sample())
	var asked []enginepage.Question
	f.reply = func(q enginepage.Question) enginepage.Answer {
		asked = append(asked, q)
		return enginepage.Answer{Question: q}
	}
	press(m, "G")
	for m.runs.Current().Word != engine.WordNoRun {
		press(m, "k")
	}
	place := m.runs.Current().Placement
	told(m, press(m, "enter"))
	if len(asked) != 1 || asked[0] != (enginepage.PlacementQuestion{Placement: place}) {
		t.Errorf("asked %+v", asked)
	}
	press(m, "esc")
	if m.sheet() != nil || m.screen != screenRuns {
		t.Error("esc does not lead back to the list")
	}
}
