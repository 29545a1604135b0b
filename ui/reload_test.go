package ui

import (
	"context"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/act"
	"github.com/stagewatch/stagewatch/engine/column"
	"github.com/stagewatch/stagewatch/ui/dialog"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// TestAChangeIsApplied changes theme, mouse, views and columns of an open screen. What a person
// chose on it stays unless its key was changed, and a wrong file changes nothing.
func TestAChangeIsApplied(t *testing.T) {
	m, given := startViews(t, "")
	press(m, "2")
	before := names(m)
	m.Update(changedMsg{Change{
		Theme: "nord", Mouse: true,
		Views:   []View{{Name: "trouble", Filter: "state:failed"}},
		Columns: column.Chosen([]string{"run", "strategy", "state"}, nil),
	}})
	shows(t, m, "The changed configuration is applied.", "view trouble", "filter state:failed", "STRATEGY")
	if m.theme != "nord" || m.previewed != "nord" || !m.mouse {
		t.Errorf("theme %q, drawn %q, mouse %v", m.theme, m.previewed, m.mouse)
	}
	if got := names(m); len(got) == 0 || len(got) >= len(before) {
		t.Errorf("lists %v, before %v", got, before)
	}
	doCommand(m, "theme gruvbox")
	press(m, "%")
	m.Update(changedMsg{Change{Theme: "nord", Mouse: true}})
	shows(t, m, "The changed configuration is applied.", "STATE")
	if m.theme != "gruvbox" || m.mouse {
		t.Errorf("theme %q, mouse %v: the choice of a person is lost", m.theme, m.mouse)
	}
	if want := []string{"trouble", ""}; len(*given) != 2 || (*given)[1] != want[1] {
		t.Errorf("gave out %q, want %q", *given, want)
	}
	all := len(names(m))
	m.Update(changedMsg{Change{Err: engine.Lit(`unknown key "mose" in line 3`)}})
	shows(t, m, `Configuration not applied: unknown key "mose" in line 3`)
	if m.theme != "gruvbox" || len(names(m)) != all {
		t.Error("a wrong file changes the screen")
	}
	// It is shown whenever there is no other note, until the file is right.
	const wrong = "Configuration not applied"
	press(m, "j")
	shows(t, m, wrong)
	press(m, "Q")
	if got := ansi.Strip(m.answerLine()); !strings.Contains(got, "not bound here") || strings.Contains(got, wrong) {
		t.Errorf("answer %q", got)
	}
	press(m, "k", "d")
	shows(t, m, wrong)
	press(m, "esc")
	m.Update(changedMsg{Change{Theme: "nord"}})
	press(m, "j")
	if got := ansi.Strip(m.answerLine()); strings.Contains(got, wrong) {
		t.Errorf("answer %q although the file is right", got)
	}
}

// TestTheScreenOpensAgain: keys that need other connections make the screen end for another one,
// which opens the same run, as soon as nothing is open that a person would lose.
func TestTheScreenOpensAgain(t *testing.T) {
	change := Change{Reopens: []engine.Text{engine.Lit("hubs"), engine.Lit("members")}}
	for _, tt := range []struct {
		name, run    string
		before, then []string
	}{
		{"list", "", nil, nil},
		{"run", "example-run", []string{"enter"}, nil},
		{"page", "", []string{"o"}, []string{"esc"}},
		{"page over a run", "example-run", []string{"enter", "o"}, []string{"esc"}},
		{"help", "", []string{"?"}, []string{"esc"}},
		{"dialog", "", []string{"S"}, []string{"esc"}},
		{"marks", "", []string{"space"}, []string{"esc"}},
		{"filter", "", []string{"/", "e", "x", "enter"}, []string{"esc"}},
	} {
		m, _ := start(t, 120, 36, sample())
		var got []Switch
		m.opt.Switch = func(to Switch) engine.Text { got = append(got, to); return engine.Text{} }
		press(m, tt.before...)
		_, cmd := m.Update(changedMsg{change})
		if len(tt.then) > 0 {
			if len(got) > 0 {
				t.Errorf("%s: it is closed under a person", tt.name)
			}
			if tt.name != "dialog" {
				shows(t, m, "Close pages and dialogs, clear marks and filter to apply: hubs and members.")
			}
			cmd = press(m, tt.then...)
		}
		if want := (Switch{Reopen: true, Run: tt.run}); len(got) != 1 || got[0] != want || cmd == nil || cmd() != tea.Quit() {
			t.Errorf("%s: switched %+v, want %+v", tt.name, got, want)
		}
	}
	m, _ := start(t, 120, 36, sample())
	m.opt.Switch = func(Switch) engine.Text { return engine.Lit("context x does not exist") }
	m.Update(changedMsg{change})
	shows(t, m, "Configuration reloaded, except hubs and members: context x does not exist.")
}

// TestChangesAreTakenInTurn waits again after each change and after an error, and no longer
// once the screen has ended.
func TestChangesAreTakenInTurn(t *testing.T) {
	ctx, end := context.WithCancel(t.Context())
	changes := make(chan Change, 1)
	m := New(ctx, newFake(), Options{Now: t0, Changes: func(ctx context.Context) (c Change, ok bool) {
		select {
		case c := <-changes:
			return c, true
		case <-ctx.Done():
			return c, false
		}
	}})
	wait := m.waitChange()
	for _, c := range []Change{{Theme: "nord"}, {Err: engine.Lit("wrong")}, {Theme: "gruvbox"}} {
		changes <- c
		msg := wait()
		if msg == nil {
			t.Fatal("a change is lost")
		}
		_, wait = m.Update(msg)
	}
	if m.theme != "gruvbox" {
		t.Errorf("theme %q", m.theme)
	}
	end()
	if msg := wait(); msg != nil {
		t.Errorf("after the end: %v", msg)
	}
}

// TestOwnThemes: a theme of the configuration can be chosen, is listed last, and a saved change of
// its colours is seen.
func TestOwnThemes(t *testing.T) {
	m, _ := start(t, 120, 36, sample())
	own := func(done string) []OwnTheme {
		return []OwnTheme{{Name: "mine", Base: "nord", Colours: map[string]string{"done": done}}}
	}
	m.Update(changedMsg{Change{Theme: "mine", Themes: own("#010203")}})
	if got := m.scene.Theme.Sequence(theme.Plain, theme.Done); !strings.Contains(got, "38;2;1;2;3") {
		t.Errorf("done is %q", got)
	}
	if got := ansi.Strip(m.answerLine()); !strings.Contains(got, "Theme mine is hard to read: done 1.") {
		t.Errorf("no warning of a colour that cannot be read: %q", got)
	}
	m.Update(changedMsg{Change{Theme: "mine", Themes: own("#040506")}})
	if got := m.scene.Theme.Sequence(theme.Plain, theme.Done); !strings.Contains(got, "38;2;4;5;6") {
		t.Errorf("done is %q after the change", got)
	}
	doCommand(m, "theme mine")
	if got := ansi.Strip(m.answerLine()); m.theme != "mine" || !strings.Contains(got, "Theme mine is hard to read: done 1.") {
		t.Errorf("theme %q, answer %q", m.theme, got)
	}
}

// TestTheScreenWaitsForAnOutcome: a screen does not end for another one while a person waits for
// the answer to what a closed dialog has sent.
func TestTheScreenWaitsForAnOutcome(t *testing.T) {
	m, _ := start(t, 120, 36, sample())
	var got []Switch
	m.opt.Switch = func(to Switch) engine.Text { got = append(got, to); return engine.Text{} }
	press(m, "S")
	quiet(m)
	send := press(m, "y")
	press(m, "esc")
	m.Update(changedMsg{Change{Reopens: []engine.Text{engine.Lit("members")}}})
	if send == nil || !m.dialog.Awaits() || len(got) > 0 {
		t.Fatalf("sent %t, awaits %t, switched %+v", send != nil, m.dialog.Awaits(), got)
	}
	// Neither q nor :ctx leaves before, unless q is pressed again.
	if cmd := press(m, "q"); cmd != nil || !strings.Contains(ansi.Strip(m.answerLine()), "A write was sent and its outcome is not known yet. Press q once more to quit.") {
		t.Errorf("q quits, or says %q", ansi.Strip(m.answerLine()))
	}
	if cmd := press(m, "q"); cmd == nil {
		t.Error("q pressed again does not quit")
	}
	press(m, "j")
	if cmd := press(m, "q"); cmd != nil {
		t.Error("q quits after another key")
	}
	// So does a click on the command.
	press(m, "j", "%")
	for i, quits := range []bool{false, true} {
		typeIn(m, ":quit")
		if cmd := clickOn(t, m, "quit from anywhere"); (cmd != nil) != quits {
			t.Errorf("click %d on the command quits: %t", i, cmd != nil)
		}
	}
	click(m, 5, 5)
	typeIn(m, ":quit")
	if cmd := clickOn(t, m, "quit from anywhere"); cmd != nil {
		t.Error("a click on the command quits after another click")
	}
	press(m, "%")
	// So does :q, with ctrl-c or :q again, but not after another command.
	asks := func(keys ...string) {
		t.Helper()
		press(m, keys...)
		if cmd := doCommand(m, "q"); cmd != nil || !strings.Contains(ansi.Strip(m.answerLine()), "A write was sent and its outcome is not known yet. Press ctrl-c once more to quit.") {
			t.Errorf(":q quits, or says %q", ansi.Strip(m.answerLine()))
		}
	}
	asks("j")
	if cmd := doCommand(m, "q"); cmd == nil {
		t.Error(":q typed again does not quit")
	}
	asks("j")
	if cmd := press(m, "ctrl+c"); cmd == nil {
		t.Error("ctrl-c after :q does not quit")
	}
	asks("j")
	doCommand(m, "sort run")
	asks()
	asks(":", "esc")
	asks(":", "backspace")
	if cmd := press(m, ":", "ctrl+c"); cmd != nil || m.mode != modeBrowse {
		t.Error("ctrl-c quits instead of closing the command line")
	}
	if doCommand(m, "login"); len(got) > 0 || !strings.Contains(ansi.Strip(m.answerLine()), "the outcome of a write is awaited") {
		t.Errorf("switched %+v, answer %q", got, ansi.Strip(m.answerLine()))
	}
	m.Update(dialog.OutcomeMsg{Dialog: 1, Outcome: act.Outcome{Result: act.ResultRefused}})
	if m.dialog.Awaits() || len(got) != 1 {
		t.Errorf("awaits %t after the outcome, switched %+v", m.dialog.Awaits(), got)
	}
}

// TestAViewDoesNotDelayTheScreen checks that a list with a saved view is opened again at once,
// since the next screen shows it, too, and one whose filter was changed is not.
func TestAViewDoesNotDelayTheScreen(t *testing.T) {
	views := []View{{Name: "stuck", Filter: "state:stuck"}}
	for want, keys := range map[int][]string{1: {"1"}, 0: {"1", "/", "x", "enter"}} {
		m, _ := start(t, 120, 36, sample())
		m.Update(changedMsg{Change{Views: views}})
		press(m, keys...)
		n := 0
		m.opt.Switch = func(Switch) engine.Text { n++; return engine.Text{} }
		m.Update(changedMsg{Change{Views: views, Reopens: []engine.Text{engine.Lit("columns")}}})
		if n != want || m.runs.Filter() == "" {
			t.Errorf("after %v, with the filter %q: opened %d times, want %d", keys, m.runs.Filter(), n, want)
		}
	}
}
