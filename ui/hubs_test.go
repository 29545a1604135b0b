package ui

import (
	"regexp"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/act"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// onTwoHubs is the list of two hubs that have the same runs.
func onTwoHubs() *engine.Snapshot {
	all := &engine.Snapshot{Complete: true, Hub: engine.Hub{Context: engine.Lit("2 hubs")}, At: sample().At}
	for _, name := range []string{"hub-prod-weu", "hub-prod-eus"} {
		s := sample()
		hub := engine.NewHubName(name, "")
		s.Hub.Name, s.Hub.Context = hub, engine.Clean(name)
		for i, v := range s.Runs {
			own := *v
			own.ID, own.Placement = v.ID.On(hub), v.Placement.On(hub)
			s.Runs[i] = &own
		}
		all.Hubs, all.Runs = append(all.Hubs, s), append(all.Runs, s.Runs...)
		all.Link, all.Scope, all.Need = s.Link, s.Scope, s.Need
	}
	return all
}

// TestHubsInOneList checks that every row names its hub, at every width, and that a filter
// finds the runs of one.
func TestHubsInOneList(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 36}, {160, 50}, {210, 55}} {
		m, _ := start(t, size[0], size[1], onTwoHubs())
		if head := regexp.MustCompile(`STATE +HUB`); !head.MatchString(ansi.Strip(m.View().Content)) {
			t.Errorf("%v: no column for hubs", size)
		}
		shows(t, m, "weu", "eus")
		for _, words := range []string{"hub:eus", "prod-eus"} {
			press(m, "/")
			press(m, strings.Split(words, "")...)
			press(m, "enter")
			shows(t, m, "18 of 36 runs") // one of its 19 rows is a placement without a run
			press(m, "esc")
		}
	}
	m, _ := start(t, 160, 50, sample())
	if head := regexp.MustCompile(`STATE +HUB`); head.MatchString(ansi.Strip(m.View().Content)) {
		t.Error("a list of one hub has a column for hubs")
	}
	alone, _ := start(t, 160, 50, onTwoHubs().Hubs[0])
	press(alone, "/")
	press(alone, strings.Split("prod-weu", "")...)
	press(alone, "enter")
	shows(t, alone, "0 of 18 runs")
}

// TestDialogOfOneOfSeveralHubs checks that the dialog names the hub of the run, that the
// rights and the protection are those of that hub, and that the intent is for it.
func TestDialogOfOneOfSeveralHubs(t *testing.T) {
	s := onTwoHubs()
	s.Hubs[0].WritesOff = engine.Lit("hub-prod-weu is read-only")
	m, f := start(t, 160, 50, s)
	m.rules.Propose, m.rules.Clone = act.Propose, act.ProposeClone
	for _, v := range s.Hubs[0].Runs {
		if v.Word == engine.WordRunning {
			m.open(v.ID)
			break
		}
	}
	press(m, "S")
	shows(t, m, "hub-prod-weu is read-only", "hub-prod-weu")
	for _, v := range s.Hubs[1].Runs {
		if v.Word == engine.WordRunning {
			m.open(v.ID)
			break
		}
	}
	press(m, "S")
	shows(t, m, "context   hub-prod-eus")
	quiet(m)
	cmd := press(m, "y")
	if cmd == nil {
		t.Fatal("not sent")
	}
	m.Update(cmd())
	if len(f.sent) != 1 || f.sent[0].Hub().Raw() != "hub-prod-eus" {
		t.Errorf("sent %v", f.sent)
	}
}

// TestMarksOfSeveralHubs checks that one dialog writes to one hub.
func TestMarksOfSeveralHubs(t *testing.T) {
	s := onTwoHubs()
	m, _ := start(t, 160, 50, s)
	for _, h := range s.Hubs {
		m.runs.Pick(h.Runs[0].ID)
		press(m, "space")
	}
	press(m, "S")
	shows(t, m, "the marked runs are on several hubs. Mark runs of one hub")
	if m.mode == modeDialog {
		t.Error("a dialog opened")
	}
}

// TestAliasOfAHub shows the alias in the list, finds a hub by both names, and keeps the name of the
// context in the dialog.
func TestAliasOfAHub(t *testing.T) {
	s := onTwoHubs()
	hub := engine.NewHubName("hub-prod-weu", "LIVE")
	s.Hubs[0].Hub.Name = hub
	for _, v := range s.Hubs[0].Runs {
		v.ID, v.Placement = v.ID.On(hub), v.Placement.On(hub)
	}
	dark := true
	m := New(t.Context(), newFake(), Options{Now: t0, Dark: &dark, Change: Change{ContextColour: func(context string) string {
		return map[string]string{"hub-prod-weu": "red"}[context]
	}}})
	m.rules.Propose, m.rules.Clone = act.Propose, act.ProposeClone
	m.Update(nextMsg{snap: s})
	m.Update(tea.WindowSizeMsg{Width: 120, Height: 50})
	if row := m.scene.Theme.Sequence(theme.Plain, theme.Bad) + "LIVE"; !strings.Contains(m.View().Content, row) {
		t.Errorf("no row has %q:\n%s", row, ansi.Strip(m.View().Content))
	}
	for _, words := range []string{"hub:live", "hub:prod-weu", "live", "prod-weu"} {
		press(m, "/")
		typeIn(m, words)
		press(m, "enter")
		shows(t, m, "18 of 36 runs")
		press(m, "esc")
	}
	for _, v := range s.Hubs[0].Runs {
		if v.Word == engine.WordRunning {
			m.open(v.ID)
			break
		}
	}
	press(m, "S")
	shows(t, m, "hub-prod-weu (LIVE)")
}
