package ui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/act"
	enginepage "github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/ui/dialog"
)

// offer answers what the dialog asked about: what there is to make a clone of,
// and how snapshots differ.
func offer(m *Model) {
	d := m.dialog.Status()
	at := func(h time.Duration) time.Time { return t0.Add(-h * time.Hour) }
	m.Update(dialog.OfferedMsg{Dialog: d.Number, Answer: enginepage.Answer{Question: d.Offers.Question, Choices: engine.Choices{
		Placements: []engine.Option{
			{Name: txt("example-placement"), About: txt("every eligible cluster (PickAll)"), Since: at(900)},
			{Name: txt("pay-api"), About: txt("every eligible cluster (PickAll)"), Since: at(800)},
			{Name: txt("rolling"), About: txt("not External: rolled out automatically"), Odd: true},
		},
		Strategies: []engine.Option{
			{Name: txt("fast"), About: txt("prod")},
			{Name: txt("three-rings"), About: txt("staging, canary and prod; 2 approvals; 1 wait")},
		},
		Snapshots: []engine.Option{
			{Name: txt("2"), About: txt("12 resources"), Latest: true, Since: at(1)},
			{Name: txt("1"), About: txt("12 resources"), Clusters: 3, Since: at(30)},
			{Name: txt("0"), About: txt("11 resources"), Clusters: 9, Since: at(90)},
		},
	}}})
	tellDiff(m)
}

// tellDiff answers how the snapshots that are compared differ.
func tellDiff(m *Model) {
	q := m.dialog.Status().Diff.Question
	if q == (enginepage.SnapshotsQuestion{}) {
		return
	}
	row := func(mark enginepage.Mark, role engine.Role, s string) enginepage.Row {
		return enginepage.Row{Cells: []enginepage.Cell{{Mark: mark, Role: role, Text: txt("%s", s)}}}
	}
	m.Update(dialog.OfferedMsg{Dialog: m.dialog.Status().Number, Answer: enginepage.Answer{Question: q, Sections: []enginepage.Section{{
		Note: txt("1 changed, 1 new, 0 gone, 11 the same"), Rows: []enginepage.Row{
			row(enginepage.MarkMine, engine.RoleName, "Deployment shop/web"),
			row(enginepage.MarkNone, engine.RoleSub, "  spec.template.spec.containers[web].image"),
			row(enginepage.MarkGone, engine.RoleBad, "  registry.example/web:1.8.0"),
			row(enginepage.MarkAdded, engine.RoleGood, "  registry.example/web:1.9.0"),
			row(enginepage.MarkAdded, engine.RoleGood, "ConfigMap shop/flags is new"),
			row(enginepage.MarkMine, engine.RoleName, "Secret shop/token"),
			row(enginepage.MarkNone, engine.RoleSub, "  data.key"),
			row(enginepage.MarkGone, engine.RoleBad, "  (12 bytes, 5f2c)"),
			row(enginepage.MarkAdded, engine.RoleGood, "  (14 bytes, 81aa)"),
		},
	}}}})
}

// due lets the choice stand until it is asked about.
func due(m *Model) tea.Cmd {
	_, cmd := m.Update(dialog.ChoiceDueMsg{Dialog: m.dialog.Status().Number, Choice: m.dialog.Status().Change})
	return cmd
}

func onClone(t *testing.T) (*Model, *fakeSource) {
	m, f := start(t, 100, 40, sample())
	press(m, "C")
	quiet(m)
	offer(m)
	return m, f
}

func TestCloneChoices(t *testing.T) {
	m, f := onClone(t)
	v := m.scene.Snap.Find(m.dialog.Status().Run)
	shows(t, m, "Clone example-run into example-run-2", "newest", "now 2, unless", "(*) Initialize", "example-run-2 to clone")
	if c := m.dialog.Status().Choice; c.Placement != v.PlacementName() || c.Strategy != v.Strategy || !c.Snapshot.IsZero() {
		t.Fatalf("begins with %+v", c)
	}
	press(m, "tab", "ctrl+u", "w", "e", "b", "tab")
	shows(t, m, "Clone example-run into web")
	if m.dialog.Status().Check.Answered || m.dialog.Status().Check.Question.Intent == nil || m.dialog.Status().Check.Question.Intent.Target.Name().String() != "web" {
		t.Error("the new name was not asked about")
	}
	press(m, "tab", "ctrl+u", "f", "a", "s", "t", "tab", "space", "space", "tab", "space", "tab", "tab")
	shows(t, m, "fast", "on 3 clusters now", "(*) Run: start automatically", "The new run rolls out snapshot 1 of placement example-placement")
	if c := m.dialog.Status().Choice; c.Strategy.String() != "fast" || c.Snapshot.String() != "1" || !c.Start {
		t.Fatalf("chosen %+v", c)
	}
	quiet(m)
	cmd := press(m, "w", "e", "b", "enter")
	if m.dialog.Status().Step != dialog.StepSend {
		t.Fatalf("not sent: %+v", m.dialog.Status().Blocked)
	}
	m.Update(cmd())
	if len(f.sent) != 1 || f.sent[0].Act != engine.ActClone || f.sent[0].Target.Name().String() != "web" {
		t.Fatalf("sent %+v", f.sent)
	}
	shows(t, m, "X delete the old run example-run")
	// Once the new run is listed it is what comes next.
	made := *v
	made.ID = engine.NewID(v.ID.Kind(), "", "web", "new")
	s := *m.scene.Snap
	s.Runs = append([]*engine.RunView{&made}, s.Runs...)
	m.Update(nextMsg{snap: &s})
	m.Update(dialog.OutcomeMsg{Dialog: m.dialog.Status().Number, Outcome: act.Outcome{Intent: f.sent[0], Result: act.ResultApplied, Made: made.ID}})
	press(m, "X")
	if m.runs.Selected() != made.ID {
		t.Errorf("the cursor is on %v", m.runs.Selected())
	}
	if m.mode != modeDialog || m.dialog.Status().Act != engine.ActDelete || m.dialog.Status().Step != dialog.StepAsk || m.dialog.Status().Run.Name().String() != "example-run" {
		t.Error("X does not ask about the old run")
	}
}

func TestPickASnapshot(t *testing.T) {
	m, f := onClone(t)
	press(m, "tab", "tab", "tab", "tab")
	if m.dialog.Status().Focus != dialog.Snapshot {
		t.Fatal(m.dialog.Status().Focus)
	}
	if press(m, "enter") == nil {
		t.Error("the difference is not asked for")
	}
	q := m.dialog.Status().Diff.Question
	if q.From != 0 || q.To != 2 || q.Placement != m.dialog.Status().Offers.Question.Placement {
		t.Fatalf("asked %+v", q)
	}
	tellDiff(m)
	shows(t, m, "snapshots of", "from 0, which 9 clusters have, to 2", "1 changed, 1 new", "registry.example/web:1.9.0")
	press(m, "l")
	due(m)
	shows(t, m, "from 1, which 3 clusters have, to 2", "loading")
	press(m, "j", "j")
	due(m)
	if q := m.dialog.Status().Diff.Question; q.From != 0 || q.To != 1 {
		t.Errorf("asked %+v", q)
	}
	// An answer to the question before is none.
	m.Update(dialog.OfferedMsg{Dialog: m.dialog.Status().Number, Answer: enginepage.Answer{Question: q}})
	if m.dialog.Status().Diff.Answered {
		t.Error("an old answer was taken")
	}
	press(m, "esc")
	if m.mode != modeDialog || m.dialog.Status().Picking || !m.dialog.Status().Choice.Snapshot.IsZero() {
		t.Fatalf("esc took %q", m.dialog.Status().Choice.Snapshot)
	}
	press(m, "enter", "j", "j", "enter")
	if c := m.dialog.Status().Choice; c.Snapshot.String() != "1" || m.dialog.Status().Step != dialog.StepAsk || m.dialog.Status().Check.Answered || !m.dialog.Status().Check.Owed {
		t.Fatalf("took %+v", c)
	}
	due(m)
	if m.dialog.Status().Check.Owed || m.dialog.Status().Check.Question.Intent == nil {
		t.Error("the choice was not asked about")
	}
	if len(f.sent) > 0 {
		t.Error("choosing sent something")
	}
}

func TestTheCommandIsCopied(t *testing.T) {
	m, _ := onClone(t)
	if got := copied(t, press(m, "ctrl+y")); !strings.Contains(got, "| kubectl --context hub-prod-weu create -f -") || m.dialog.Status().Word != "" {
		t.Errorf("copied nothing, or typed %q", m.dialog.Status().Word)
	}
}

// A snapshot belongs to its placement.
func TestAnotherPlacementHasOtherSnapshots(t *testing.T) {
	m, _ := onClone(t)
	press(m, "tab", "tab", "tab", "tab", "space", "space")
	due(m)
	quiet(m)
	was := m.dialog.Status().Offers.Question
	press(m, "shift+tab", "shift+tab", "enter")
	shows(t, m, "placements", "rolling", "not External")
	press(m, "G", "k", "enter")
	if cmd := due(m); cmd == nil || m.dialog.Status().Offers.Question == was || m.dialog.Status().Offers.Answered {
		t.Error("the snapshots of the other placement are not asked for")
	}
	if c := m.dialog.Status().Choice; c.Placement.String() != "pay-api" || !c.Snapshot.IsZero() {
		t.Errorf("chosen %+v", c)
	}
	// What is not there is said.
	offer(m)
	press(m, "x")
	due(m)
	offer(m)
	shows(t, m, "placement pay-apix not found")
}

// The word that was typed was for what was chosen before.
func TestAChoiceTakesTheWordBack(t *testing.T) {
	for _, keys := range [][]string{{"tab", "x"}, {"tab", "tab", "space"}, {"tab", "tab", "tab", "space"}, {"tab", "tab", "tab", "tab", "left"}, {"tab", "tab", "tab", "tab", "tab", "space"}} {
		m, f := onClone(t)
		press(m, strings.Split("example-run-2", "")...)
		press(m, "tab")
		press(m, keys...)
		if m.dialog.Status().Word != "" {
			t.Errorf("%v: the word is still %q", keys, m.dialog.Status().Word)
		}
		for m.dialog.Status().Focus != dialog.Word {
			press(m, "tab")
		}
		press(m, "enter")
		if m.dialog.Status().Step != dialog.StepAsk || len(f.sent) > 0 {
			t.Errorf("%v: sent on a word for something else", keys)
		}
	}
}
