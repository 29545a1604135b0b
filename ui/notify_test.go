package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/ui/notify"
)

// moved is the sample in which some runs stand elsewhere.
func moved(to map[string]engine.Word) *engine.Snapshot {
	s := sample()
	s.Complete = true
	for name, w := range to {
		v := *find(s, name)
		v.Word = w
		v.Terminal = w == engine.WordDone || w == engine.WordFailed
		for i := range s.Runs {
			if s.Runs[i].ID == v.ID {
				s.Runs[i] = &v
			}
		}
	}
	return s
}

// rings is what a snapshot makes the terminal ring with; empty when it does not.
func rings(t *testing.T, m *Model, s *engine.Snapshot) string {
	t.Helper()
	m.scene.Snap = s
	cmd := m.notify.Compare()
	if cmd == nil {
		return ""
	}
	raw, ok := cmd().(tea.RawMsg)
	if !ok {
		t.Fatalf("news are %T", cmd())
	}
	return fmt.Sprint(raw.Msg)
}

func TestAwaitARun(t *testing.T) {
	m, _ := start(t, 120, 36, moved(nil))
	for m.runs.Current().ID.Name().String() != "pay-api-r41" {
		press(m, "j")
	}
	was := m.runs.Current().Word
	press(m, "w")
	shows(t, m, "Rings when pay-api-r41 leaves "+was.String(), "w again turns it off")
	if line := rowOf(m, "pay-api-r41"); !strings.Contains(line, "w"+was.String()) {
		t.Errorf("the row has no mark: %q", line)
	}
	if got := rings(t, m, moved(map[string]engine.Word{"example-run": engine.WordDone})); got != "" {
		t.Errorf("rings for another run: %q", got)
	}
	stale := moved(map[string]engine.Word{"pay-api-r41": engine.WordStuck})
	stale.Link.State = engine.LinkReconnecting
	if got := rings(t, m, stale); got != "" {
		t.Errorf("rings without a hub: %q", got)
	}
	partial := moved(nil)
	find(partial, "pay-api-r41").Partial = true
	if got := rings(t, m, partial); got != "" {
		t.Errorf("rings for what is not read: %q", got)
	}
	got := rings(t, m, moved(map[string]engine.Word{"pay-api-r41": engine.WordRunning}))
	if want := "\a\x1b]9;stagewatch hub-prod-weu: pay-api-r41 is RUNNING, was " + was.String() + ".\a"; got != want {
		t.Errorf("rings with %q, want %q", got, want)
	}
	shows(t, m, "pay-api-r41 is RUNNING, was "+was.String())
	if got := rings(t, m, moved(map[string]engine.Word{"pay-api-r41": engine.WordRunning})); got != "" {
		t.Errorf("rings twice: %q", got)
	}
	// To and fro within a minute rings once for each state.
	if got := rings(t, m, moved(map[string]engine.Word{"pay-api-r41": engine.WordStuck})); !strings.Contains(got, "is STUCK") {
		t.Errorf("rings with %q", got)
	}
	for range 3 {
		for _, w := range []engine.Word{engine.WordRunning, engine.WordStuck} {
			if got := rings(t, m, moved(map[string]engine.Word{"pay-api-r41": w})); got != "" {
				t.Errorf("rings again: %q", got)
			}
		}
	}
	// What did not ring rings once the minute is over, if it is still so.
	if got := rings(t, m, moved(map[string]engine.Word{"pay-api-r41": engine.WordRunning})); got != "" {
		t.Errorf("rings again: %q", got)
	}
	m.scene.Now = m.scene.Now.Add(2 * time.Minute)
	if got := rings(t, m, m.scene.Snap); !strings.Contains(got, "is RUNNING, was STUCK") {
		t.Errorf("rings with %q", got)
	}
	if got := rings(t, m, m.scene.Snap); got != "" {
		t.Errorf("rings twice: %q", got)
	}
	// What ended rings for the last time.
	if got := rings(t, m, moved(map[string]engine.Word{"pay-api-r41": engine.WordDone})); !strings.Contains(got, "is DONE") || m.notify.Chosen(find(m.scene.Snap, "pay-api-r41").ID) {
		t.Errorf("rings with %q, or is still chosen", got)
	}
	m.Update(nextMsg{snap: m.scene.Snap})
	for m.runs.Current().ID.Name().String() != "pay-api-r41" {
		press(m, "j")
	}
	press(m, "w")
	shows(t, m, "pay-api-r41 is DONE, which is final")
}

func TestAwaitedRunIsDeleted(t *testing.T) {
	m, _ := start(t, 120, 36, moved(nil))
	id := m.runs.Current().ID
	press(m, "w", "w")
	shows(t, m, "Notifications for example-run are off")
	press(m, "w")
	without := moved(nil)
	without.Runs = without.Runs[1:]
	if got := rings(t, m, without); !strings.Contains(got, id.Title().String()+" was deleted") || m.notify.Chosen(id) {
		t.Errorf("rings with %q", got)
	}
	m.Update(nextMsg{snap: &engine.Snapshot{Complete: true}})
	press(m, "w")
	shows(t, m, "No run is selected")
}

// TestNotify rings for every run that begins to need somebody, and for nothing
// that was so when the screen came up.
func TestNotify(t *testing.T) {
	m, _ := start(t, 120, 36, nil)
	m.notify = notify.New(m.scene, true, true)
	loading := moved(nil)
	loading.Complete, loading.Runs = false, loading.Runs[1:]
	m.Update(nextMsg{snap: loading})
	for _, s := range []*engine.Snapshot{loading, moved(nil), moved(map[string]engine.Word{"example-run": engine.WordRunning})} {
		if got := rings(t, m, s); got != "" {
			t.Errorf("rings with %q", got)
		}
	}
	if got := rings(t, m, moved(nil)); got != "\a" {
		t.Errorf("rings with %q", got)
	}
	m.arrange()
	shows(t, m, "example-run is STUCK, was RUNNING.")
	many := map[string]engine.Word{}
	for _, v := range m.scene.Snap.Runs {
		if !v.NeedsAttention() && v.Word != engine.WordNoRun && len(many) < 5 {
			many[v.ID.Name().String()] = engine.WordFailed
		}
	}
	if got := rings(t, m, moved(many)); got != "\a" {
		t.Errorf("rings with %q", got)
	}
	shows(t, m, "is FAILED, was", "; 2 more.")
	reopened := moved(many)
	v := *reopened.Runs[0]
	v.ID = engine.NewID(v.ID.Kind(), "", "reopened", "u")
	reopened.Runs = append(reopened.Runs, &v)
	m.scene.Now = m.scene.Now.Add(time.Hour)
	if got := rings(t, m, reopened); got != "\a" {
		t.Errorf("rings with %q", got)
	}
	shows(t, m, "reopened is STUCK.")
}

// rowOf is the row of the list that names a run.
func rowOf(m *Model, name string) string {
	for line := range strings.Lines(ansi.Strip(m.View().Content)) {
		if strings.Contains(line, name) {
			return line
		}
	}
	return ""
}

// Beside a filter there is not always room for each word that needs somebody.
func TestNeedsBesideAFilter(t *testing.T) {
	m, _ := start(t, 80, 24, sample())
	press(m, append(append([]string{"/"}, strings.Split("state:approval !web", "")...), "enter")...)
	all := 0
	for _, n := range m.scene.Snap.Need {
		all += n.Count
	}
	line := strings.Split(ansi.Strip(m.View().Content), "\n")[1]
	if want := fmt.Sprintf("needs attention  %d", all); !strings.HasSuffix(strings.TrimSpace(line), want) {
		t.Errorf("%q does not end with %q", line, want)
	}
}
