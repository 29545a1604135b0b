package ui

import (
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/act"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// broken is a snapshot of a hub that is not reached.
func broken() *engine.Snapshot {
	s := sample()
	s.Link = engine.Link{State: engine.LinkReconnecting, Heard: ago(time.Minute), Since: ago(time.Minute)}
	s.WritesOff = txt("the connection to the hub is broken")
	return s
}

// A note about the connection goes with the snapshot that shows it well, one about
// a run with the snapshot that has the run.
func TestANoteGoesWhenItIsNoLongerTrue(t *testing.T) {
	noted := func(m *Model, s string) bool { return strings.Contains(ansi.Strip(m.answerLine()), s) }
	m, _ := start(t, 120, 36, broken())
	m.rules.Propose = act.Propose
	press(m, "g", "S")
	if !noted(m, "the connection to the hub is broken") {
		t.Fatalf("says %q", m.scene.Note.Text())
	}
	m.Update(nextMsg{snap: broken()})
	if !noted(m, "is broken") {
		t.Error("the note goes while the connection is broken")
	}
	m.Update(nextMsg{snap: sample()})
	if noted(m, "is broken") {
		t.Error("the note stands under a live connection")
	}

	m, _ = start(t, 120, 36, without("example-run"))
	m.runs.Pick(id("", "nginx-r12"))
	press(m, "f")
	if !noted(m, "no longer listed") {
		t.Fatalf("says %q", m.scene.Note.Text())
	}
	m.Update(nextMsg{snap: sample()})
	if noted(m, "no longer listed") {
		t.Error("the note stands although the run is listed")
	}
}

// What :open answers goes with the snapshot for which another answer is true.
func TestTheAnswerOfOpenGoesWhenItIsNoLongerTrue(t *testing.T) {
	hidden := func(s *engine.Snapshot) *engine.Snapshot {
		s.Scope.Runs = setsRead(engine.CoverComplete, engine.CoverForbidden)
		return s
	}
	listed := func(s *engine.Snapshot) *engine.Snapshot {
		s.Scope.Runs = setsRead(engine.CoverComplete, engine.CoverComplete)
		return s
	}
	for _, tt := range []struct {
		name, arg, says string
		before, after   *engine.Snapshot
	}{
		{"the run appears", "csur/example-run", `cluster run "example-run" not found.`, listed(without("example-run")), listed(sample())},
		{"the namespaces become readable", "nope", "this user may not list namespaced runs", hidden(sample()), listed(sample())},
		{"so they do for a run that was opened", "example-run", "may name more runs", hidden(sample()), listed(sample())},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m, _ := start(t, 120, 36, tt.before)
			doCommand(m, "open "+tt.arg)
			said := m.scene.Note.Text().String()
			if !strings.Contains(said, tt.says) {
				t.Fatalf("says %q", said)
			}
			again := *tt.before
			m.Update(nextMsg{snap: &again})
			if m.scene.Note.Text().String() != said {
				t.Errorf("the note goes while it is true: %q", m.scene.Note.Text())
			}
			m.Update(nextMsg{snap: tt.after})
			if left := m.scene.Note.Text(); !left.IsZero() {
				t.Errorf("the note stands: %s", left)
			}
		})
	}
}

func TestNotesExpire(t *testing.T) {
	m, _ := start(t, 120, 36, sample())
	for _, tt := range []struct {
		k    theme.Style
		life time.Duration
	}{{theme.Text, 20 * time.Second}, {theme.Wait, time.Minute}, {theme.Bad | theme.Bold, 5 * time.Minute}} {
		m.scene.Say(tt.k, txt("a note"))
		began := m.scene.Now
		m.Update(tickedMsg{now: began.Add(tt.life - time.Second)})
		if m.scene.Note.Text().IsZero() {
			t.Errorf("style %d: gone before %s", tt.k, tt.life)
		}
		m.Update(tickedMsg{now: began.Add(tt.life)})
		if !m.scene.Note.Text().IsZero() {
			t.Errorf("style %d: shown after %s", tt.k, tt.life)
		}
	}
}

// A cluster without the hub API is one clear screen at every size.
func TestAClusterThatIsNoHub(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 36}, {160, 50}, {60, 20}} {
		s := sample()
		s.Runs, s.Need, s.Scope.NoHub = nil, nil, true
		s.Scope.Notes = []engine.Text{txt("this cluster has no KubeFleet hub API")}
		s.Scope.Short = s.Scope.Notes[0]
		m := New(t.Context(), newFake(), Options{Now: t0, Hubs: []engine.Text{txt("hub-prod-neu"), txt("fleet-test")}})
		m.Update(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
		m.Update(nextMsg{snap: s})
		shows(t, m, "This cluster has no KubeFleet hub API.", "stagewatch --context NAME", "--context hub-prod-neu", "--context fleet-test")
		rows := strings.Split(strings.TrimRight(ansi.Strip(m.View().Content), "\n"), "\n")
		if foot := strings.Fields(rows[len(rows)-1]); !slices.Equal(foot, []string{"esc", "clear", "?", "help", ":", "command"}) {
			t.Errorf("at %v the foot offers %q", size, foot)
		}
		if got := ansi.Strip(m.View().Content); strings.Contains(got, "hidden") || strings.Contains(got, "live") || strings.Count(got, "has no KubeFleet") != 1 {
			t.Errorf("at %v:\n%s", size, got)
		}
	}
}
