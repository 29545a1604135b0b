package ui

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/ui/notify"
	"github.com/stagewatch/stagewatch/ui/theme"
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
	shows(t, m, "Notifies when pay-api-r41 leaves "+was.String(), "press w again to turn this off")
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
	if want := "\a\x1b]9;stagewatch hub-prod-weu: pay-api-r41 is running (was " + was.String() + ").\a"; got != want {
		t.Errorf("rings with %q, want %q", got, want)
	}
	shows(t, m, "pay-api-r41 is running (was "+was.String())
	if got := rings(t, m, moved(map[string]engine.Word{"pay-api-r41": engine.WordRunning})); got != "" {
		t.Errorf("rings twice: %q", got)
	}
	// To and fro within a minute rings once for each state.
	if got := rings(t, m, moved(map[string]engine.Word{"pay-api-r41": engine.WordStuck})); !strings.Contains(got, "is stuck") {
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
	if got := rings(t, m, m.scene.Snap); !strings.Contains(got, "is running (was STUCK)") {
		t.Errorf("rings with %q", got)
	}
	if got := rings(t, m, m.scene.Snap); got != "" {
		t.Errorf("rings twice: %q", got)
	}
	// What ended rings for the last time.
	if got := rings(t, m, moved(map[string]engine.Word{"pay-api-r41": engine.WordDone})); !strings.Contains(got, "is done") || m.notify.Chosen(find(m.scene.Snap, "pay-api-r41").ID) {
		t.Errorf("rings with %q, or is still chosen", got)
	}
	m.Update(nextMsg{snap: m.scene.Snap})
	for m.runs.Current().ID.Name().String() != "pay-api-r41" {
		press(m, "j")
	}
	press(m, "w")
	shows(t, m, "pay-api-r41 is done, which is final")
}

// TestAwaitedRunIsARow checks that a run that succeeded while the hub was not reached rings by its row alone.
func TestAwaitedRunIsARow(t *testing.T) {
	m, _ := start(t, 120, 36, moved(nil))
	for m.runs.Current().ID.Name().String() != "pay-api-r41" {
		press(m, "j")
	}
	press(m, "w")
	s := moved(map[string]engine.Word{"pay-api-r41": engine.WordDone})
	v := find(s, "pay-api-r41")
	v.Partial, v.RowOnly = true, true
	if got := rings(t, m, s); !strings.Contains(got, "pay-api-r41 is done") {
		t.Errorf("rings with %q", got)
	}
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
	m.notify = notify.New(t.Context(), m.scene, notify.Means{All: true}, nil, nil, true)
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
	shows(t, m, "example-run is stuck (was RUNNING).")
	many := map[string]engine.Word{}
	for _, v := range m.scene.Snap.Runs {
		if !v.NeedsAttention() && v.Word != engine.WordNoRun && len(many) < 5 {
			many[v.ID.Name().String()] = engine.WordFailed
		}
	}
	if got := rings(t, m, moved(many)); got != "\a" {
		t.Errorf("rings with %q", got)
	}
	shows(t, m, "failed (was", "; 2 more.")
	reopened := moved(many)
	v := *reopened.Runs[0]
	v.ID = engine.NewID(v.ID.Kind(), "", "reopened", "u")
	reopened.Runs = append(reopened.Runs, &v)
	m.scene.Now = m.scene.Now.Add(time.Hour)
	if got := rings(t, m, reopened); got != "\a" {
		t.Errorf("rings with %q", got)
	}
	shows(t, m, "reopened is stuck.")
}

// TestNotifyMeans sends a notification by the means of the configuration: a semicolon of the
// hub's text begins no parameter of OSC 777, and in quiet hours only the line is shown.
func TestNotifyMeans(t *testing.T) {
	for _, tt := range []struct {
		name  string
		means notify.Means
		at    int // the hour
		want  string
	}{
		{"default", notify.Means{}, 12, "\a\x1b]9;stagewatch hub-prod-weu: example-run is stuck (was RUNNING); pay-api-r41 failed (was APPROVAL).\a"},
		{"OSC 777", notify.Means{Desktop: notify.DesktopOSC777}, 12, "\a\x1b]777;notify;stagewatch hub-prod-weu;example-run is stuck (was RUNNING), pay-api-r41 failed (was APPROVAL).\a"},
		{"the bell alone", notify.Means{Desktop: notify.DesktopOff}, 12, "\a"},
		{"silent", notify.Means{Silent: true, Desktop: notify.DesktopOff}, 12, ""},
		{"quiet hours over midnight", notify.Means{Quiet: notify.Hours{From: 22 * 60, To: 7 * 60}}, 6, ""},
		{"the end of the quiet hours", notify.Means{Desktop: notify.DesktopOff, Quiet: notify.Hours{From: 22 * 60, To: 7 * 60}}, 7, "\a"},
		{"quiet hours of the day", notify.Means{Quiet: notify.Hours{From: 9 * 60, To: 13 * 60}}, 12, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m, _ := start(t, 120, 36, moved(map[string]engine.Word{"example-run": engine.WordRunning}))
			m.scene.Now = time.Date(2026, 11, 24, tt.at, 0, 0, 0, time.Local)
			tt.means.All = true
			m.notify.Use(tt.means)
			for _, s := range []*engine.Snapshot{m.scene.Snap, m.scene.Snap} { // a connection that was lost and is back
				if got := rings(t, m, s); got != "" {
					t.Errorf("rings with %q for what was so", got)
				}
			}
			if got := rings(t, m, moved(map[string]engine.Word{"pay-api-r41": engine.WordFailed})); got != tt.want {
				t.Errorf("rings with %q, want %q", got, tt.want)
			}
			m.arrange()
			shows(t, m, "example-run is stuck (was RUNNING)")
		})
	}
}

// TestNotifyHook runs the program of the configuration for each run, and shows its error once
// until it has succeeded again.
func TestNotifyHook(t *testing.T) {
	m, _ := start(t, 120, 36, moved(map[string]engine.Word{"example-run": engine.WordRunning}))
	var got []string
	var fails error
	hook := func(s *engine.Snapshot, e Event) Execution {
		if s != m.scene.Snap || e.Run == nil {
			t.Errorf("event %+v", e)
		}
		return func(_ context.Context, program []string) error {
			got = append(got, fmt.Sprintf("%v %s was %s: %s", program, e.ID.Title(), e.Was, e.Text))
			return fails
		}
	}
	var logged []string
	log := func(x engine.Text) { logged = append(logged, x.String()) }
	means := notify.Means{All: true, Silent: true, Desktop: notify.DesktopOff, Exec: []string{"page", "-x"}}
	m.notify = notify.New(t.Context(), m.scene, means, hook, log, false)
	to := func(w engine.Word) {
		t.Helper()
		m.scene.Now = m.scene.Now.Add(2 * time.Minute) // the same state is reported again
		m.scene.Snap = moved(map[string]engine.Word{"example-run": w})
		if cmd := m.notify.Compare(); cmd != nil {
			m.Update(cmd())
		}
	}
	to(engine.WordRunning)
	fails = errors.New("page: exit status 3: no route")
	to(engine.WordStuck)
	if len(got) != 1 || got[0] != "[page -x] example-run was RUNNING: example-run is stuck (was RUNNING)" {
		t.Errorf("ran %q", got)
	}
	shows(t, m, "The notification program failed: page: exit status 3: no route")
	for range 2 {
		to(engine.WordRunning)
		m.scene.Say(theme.Sub, engine.Lit("Something else."))
		to(engine.WordFailed)
	}
	if screen := ansi.Strip(m.View().Content); strings.Contains(screen, "hook failed") {
		t.Error("the error is shown again")
	}
	fails = nil
	to(engine.WordRunning)
	to(engine.WordStuck)
	fails = errors.New("page: again")
	to(engine.WordRunning)
	to(engine.WordStuck)
	shows(t, m, "The notification program failed: page: again")
	if len(logged) != 4 || logged[3] != "The notification program failed: page: again" {
		t.Errorf("logged %q", logged)
	}
}

// TestASlowHook: while the programs of two notifications hang, the newest others wait for them
// and the oldest are dropped, which the screen and the log say. What waits is executed in its
// order, by the program that is configured then, and nothing once there is none.
func TestASlowHook(t *testing.T) {
	m, _ := start(t, 120, 36, nil)
	var got, logged []string
	hook := func(_ *engine.Snapshot, e Event) Execution {
		return func(_ context.Context, program []string) error {
			got = append(got, program[0]+" "+e.ID.Name().String())
			return nil
		}
	}
	m.notify = notify.New(t.Context(), m.scene, notify.Means{All: true, Silent: true, Desktop: notify.DesktopOff, Exec: []string{"old"}}, hook,
		func(x engine.Text) { logged = append(logged, x.String()) }, false)
	inTrouble := func(from, to int) *engine.Snapshot {
		s := moved(nil)
		v := *find(s, "example-run")
		s.Runs = nil
		for i := range to {
			w := v
			w.ID = engine.NewID(v.ID.Kind(), "", fmt.Sprintf("run-%d", i), "u")
			if w.Word = engine.WordRunning; i >= from {
				w.Word = engine.WordStuck
			}
			s.Runs = append(s.Runs, &w)
		}
		return s
	}
	m.scene.Snap = inTrouble(600, 600)
	m.notify.Compare()
	m.scene.Snap = inTrouble(100, 600)
	hangs, ok := m.notify.Compare()().(tea.BatchMsg)
	if note := m.scene.Note.Text().String(); !ok || len(hangs) != 2 || len(logged) > 0 || strings.Contains(note, "dropped") {
		t.Fatalf("%d programs run, logged %q, note %q", len(hangs), logged, note)
	}
	m.scene.Snap = inTrouble(0, 600)
	if m.notify.Compare() != nil {
		t.Error("more programs run")
	}
	m.arrange()
	shows(t, m, "98 notifications dropped: the notification program is too slow. run-0 is stuck (was RUNNING);")
	if len(logged) != 1 || logged[0] != "98 notifications dropped: the notification program is too slow" {
		t.Errorf("logged %q", logged)
	}
	m.notify.Use(notify.Means{All: true, Exec: []string{"new"}})
	execute := func(cmds []tea.Cmd) {
		for len(cmds) > 0 {
			msg := cmds[0]()
			cmds = cmds[1:]
			if _, next := m.Update(msg); next != nil {
				cmds = append(cmds, next)
			}
		}
	}
	execute(hangs)
	if len(got) != 502 || got[0] != "old run-100" || got[1] != "old run-101" || got[2] != "new run-200" || got[501] != "new run-99" {
		t.Errorf("executed %d: %q", len(got), got)
	}
	m.scene.Now = m.scene.Now.Add(time.Hour)
	m.scene.Snap = inTrouble(600, 600)
	m.notify.Compare()
	m.scene.Snap = inTrouble(590, 600)
	hangs, _ = m.notify.Compare()().(tea.BatchMsg)
	if note := m.scene.Note.Text().String(); strings.Contains(note, "dropped") {
		t.Errorf("what was dropped is shown again: %s", note)
	}
	m.notify.Use(notify.Means{All: true})
	if execute(hangs); len(got) != 504 {
		t.Errorf("executed %d, the last by a program that is not configured any more", len(got)-502)
	}
}

// TestNotifyProgress shows how far the opened run is in the task bar.
func TestNotifyProgress(t *testing.T) {
	m, _ := start(t, 120, 36, moved(nil))
	m.notify.Use(notify.Means{Progress: true})
	if p := m.View().ProgressBar; p != nil {
		t.Errorf("the list has the progress %+v", p)
	}
	press(m, "enter")
	v := m.run.Run()
	if p := m.View().ProgressBar; p == nil || p.Value != v.Done*100/v.Total || p.State != tea.ProgressBarError {
		t.Errorf("%s has the progress %+v", v.Word, p)
	}
	m.notify.Use(notify.Means{})
	if p := m.View().ProgressBar; p != nil {
		t.Errorf("progress %+v without its key", p)
	}
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

// TestNotifyOnceAcrossAReconnect checks that a run that was reported is not reported again when its
// hub was out of reach and lists it anew, and that what changed in the meantime is reported once.
func TestNotifyOnceAcrossAReconnect(t *testing.T) {
	m, _ := start(t, 120, 36, nil)
	m.notify = notify.New(t.Context(), m.scene, notify.Means{All: true}, nil, nil, true)
	running := map[string]engine.Word{"example-run": engine.WordRunning}
	lost, relisted := moved(nil), moved(nil)
	lost.Link.State = engine.LinkReconnecting
	relisted.Complete, relisted.Runs = false, relisted.Runs[1:] // not the stuck one yet
	meanwhile := moved(map[string]engine.Word{"cert-mgr-r9": engine.WordFailed})
	for i, step := range []struct {
		snap *engine.Snapshot
		want string
	}{{moved(running), ""}, {moved(nil), "\a"}, {lost, ""}, {relisted, ""}, {moved(nil), ""}, {lost, ""}, {relisted, ""}, {meanwhile, "\a"}, {lost, ""}, {meanwhile, ""}} {
		m.scene.Now = m.scene.Now.Add(time.Minute)
		if got := rings(t, m, step.snap); got != step.want {
			t.Errorf("step %d rings with %q, want %q", i, got, step.want)
		}
	}
}

// TestWindowTitle names the hub with what needs a person, or the state of its connection.
func TestWindowTitle(t *testing.T) {
	m, _ := start(t, 120, 36, nil)
	if got := m.View().WindowTitle; got != "stagewatch" {
		t.Errorf("title %q before the first snapshot", got)
	}
	m.Update(nextMsg{snap: sample()})
	if got := m.View().WindowTitle; !strings.HasPrefix(got, "stagewatch hub-prod-weu - 1 stuck - 1 not accepted - ") {
		t.Errorf("title %q", got)
	}
	lost := sample()
	lost.Link.State = engine.LinkReconnecting
	m.Update(nextMsg{snap: lost})
	if got := m.View().WindowTitle; got != "stagewatch hub-prod-weu RECONNECTING" {
		t.Errorf("title %q without a connection", got)
	}
}
