package ui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/act"
	"github.com/stagewatch/stagewatch/keymap"
	"github.com/stagewatch/stagewatch/ui/dialog"
)

// typeIn types letter by letter.
func typeIn(m *Model, s string) tea.Cmd { return press(m, strings.Split(s, "")...) }

// doCommand types a command and does it.
func doCommand(m *Model, s string) tea.Cmd {
	typeIn(m, ":"+s)
	return press(m, "enter")
}

func TestWhatIsTypedFindsCommands(t *testing.T) {
	for _, tt := range []struct {
		typed string
		want  string // the first that is found; empty for none
	}{
		{"approve", "approve"},
		{"app", "approve"},
		{"appro", "approve"},
		{"inbox", "approvals"},
		{"careq", "approvals"},
		{"crp", "placement"},
		{"own", "owners"},
		{"problem", "problems"},
		{"match", "next-match"},
		{"q", "quit"},
		{"time", "timeline"},
		{"tmln", "timeline"},
		{"dgns", "diagnose"},
		{"OPEN", "open"},
		{"resume", "run"},
		{"ru", "run"},
		{"zzz", ""},
		{"approve now", ""},
		{"open web", "open"},
		{"op web", ""},
	} {
		t.Run(tt.typed, func(t *testing.T) {
			m, _ := start(t, 100, 30, sample())
			typeIn(m, ":"+tt.typed)
			got := ""
			if e, ok := m.command.Chosen(); ok {
				got = e.Name
			}
			if got != tt.want {
				t.Errorf("found %q first, want %q", got, tt.want)
			}
		})
	}
}

// TestLettersOnlySelect types a word that matches a command by its letters alone: enter
// does nothing but name the nearest commands, and tab or an arrow key selects the match.
func TestLettersOnlySelect(t *testing.T) {
	m, _ := start(t, 100, 30, sample())
	press(m, "j", "enter", "o")
	before := m.sheet()
	doCommand(m, "tmln")
	if m.sheet() != before {
		t.Fatal("enter did a command that only its letters match")
	}
	shows(t, m, "tmln: unknown command; nearest: timeline.")
	for _, key := range []string{"tab", "down"} {
		m, _ := start(t, 100, 30, sample())
		press(m, "j", "enter")
		typeIn(m, ":tmln")
		press(m, key, "enter")
		if m.sheet() == nil {
			t.Errorf("%s and enter did not open the timeline", key)
		}
	}
}

// TestCommandsAreTheKeys does each command of the keymap and presses its key:
// both must leave the same screen.
func TestCommandsAreTheKeys(t *testing.T) {
	inOneGoroutine(t)
	keyless := 0
	for _, scope := range []struct {
		name string
		to   []string
	}{
		{"list", []string{"j"}},
		{"opened run", []string{"j", "enter"}},
		{"page", []string{"o"}},
		{"text", []string{"Y"}},
	} {
		m, _ := start(t, 100, 30, sample())
		press(m, scope.to...)
		in := m.scope()
		for _, e := range m.keys.In(in) {
			if e.Action == keymap.NthView {
				continue // :view takes the name of one
			}
			if e.Name == "" || e.Action == keymap.Quit {
				keyless++
				continue
			}
			t.Run(scope.name+" "+e.Name, func(t *testing.T) {
				byKey, _ := start(t, 100, 30, sample())
				press(byKey, scope.to...)
				press(byKey, e.Key.Keys()[0])
				byName, _ := start(t, 100, 30, sample())
				press(byName, scope.to...)
				doCommand(byName, e.Name)
				if a, b := byKey.View().Content, byName.View().Content; a != b {
					t.Errorf("key:\n%s\ncommand:\n%s", a, b)
				}
			})
		}
	}
	if keyless > 12 {
		t.Errorf("%d keys have no command", keyless)
	}
}

func TestCommandsWithoutAKey(t *testing.T) {
	m, _ := start(t, 100, 30, sample())
	doCommand(m, "open cert-mgr-r9")
	if m.screen != screenRun || m.run.ID().Name().String() != "cert-mgr-r9" {
		t.Fatalf("opened %v", m.run.ID().Title())
	}
	press(m, "o")
	doCommand(m, "runs")
	if m.screen != screenRuns || m.sheet() != nil {
		t.Error("not back on the list")
	}
	doCommand(m, "filter r9")
	if _, n := m.runs.At(); selected(m) != "cert-mgr-r9" || n != 1 {
		t.Errorf("filtered to %d, %s", n, selected(m))
	}
	press(m, "enter", "o")
	if cmd := doCommand(m, "q"); cmd == nil {
		t.Fatal(":q does nothing")
	} else if _, quit := cmd().(tea.QuitMsg); !quit {
		t.Error(":q does not quit")
	}
	for typed, want := range map[string]string{
		"open nothing":    "Run \"nothing\" not found",
		"nonsense":        "nonsense: unknown command.",
		"aliases":         "aliases: unknown command.",
		"timelnie":        "timelnie: unknown command; nearest: timeline.",
		"approve prod":    "takes no argument",
		"next-stage":      "is not available here, only on: opened run",
		"open (cert-mgr)": "(cert-mgr) is not a run: parentheses mark a placement without a run; select it in the list to see why.",
		"open my-app/web": `Did you mean "web-app-rollout"? run "web" not found in namespace`,
	} {
		m, _ := start(t, 120, 30, sample())
		doCommand(m, typed)
		shows(t, m, want)
	}
}

func TestCommandLineKeys(t *testing.T) {
	m, _ := start(t, 100, 30, sample())
	typeIn(m, ":tim")
	shows(t, m, ":tim", "timeline: all transitions")
	press(m, "tab")
	if m.command.Value() != "timeline" {
		t.Errorf("tab made %q", m.command.Value())
	}
	press(m, "esc")
	if m.mode != modeBrowse || m.screen != screenRuns {
		t.Error("esc did not leave the command line alone")
	}
	press(m, "ctrl+p", "down", "down", "up")
	if m.mode != modeCommand || m.command.At() != 1 {
		t.Errorf("at %d", m.command.At())
	}
	press(m, "backspace")
	if m.mode != modeBrowse {
		t.Error("backspace on nothing stays")
	}
	typeIn(m, ":open cert")
	press(m, "tab")
	if m.command.Value() != "open cert-mgr-r9" {
		t.Errorf("tab made %q", m.command.Value())
	}
	press(m, "ctrl+c")
	if m.mode != modeBrowse {
		t.Error("ctrl-c stays")
	}
	press(m, ":", "enter")
	if m.mode != modeBrowse {
		t.Error("nothing typed does something")
	}
	// Over a text the command line lies over the text.
	press(m, "?", ":")
	shows(t, m, "list of runs", "commands")
	press(m, "esc")
	if m.mode != modePage {
		t.Error("the text is gone")
	}
}

// Commands that write go through the guard and the dialog, as the keys do.
func TestCommandsThatWriteAsk(t *testing.T) {
	m, f := start(t, 100, 40, sample())
	doCommand(m, "stop")
	if m.mode != modeDialog || m.dialog.Status().Act != engine.ActStop {
		t.Fatal("no dialog")
	}
	typeIn(m, "yyyy")
	if m.dialog.Status().Step != dialog.StepAsk || len(f.sent) > 0 {
		t.Error("the dialog listened at once")
	}
	press(m, "esc")
	s := sample()
	m, _ = start(t, 100, 40, s)
	m.rules.Propose = func(*engine.Snapshot, engine.Act, engine.ID, time.Time) (act.Intent, engine.Refusal) {
		return act.Intent{}, engine.Refusal{Why: txt("the moon is full")}
	}
	typeIn(m, ":stop")
	shows(t, m, "the moon is full")
	press(m, "enter")
	shows(t, m, "Cannot stop: the moon is full")
	if m.mode != modeBrowse {
		t.Error("a dialog opened")
	}
	// Over a text nothing can be written: what would it aim at?
	m, _ = start(t, 100, 40, sample())
	press(m, "?")
	doCommand(m, "stop")
	shows(t, m, "is not available here")
	if m.mode != modePage {
		t.Error("a dialog opened over a text")
	}
	// A paste types one line and does nothing.
	press(m, "esc", ":")
	m.Update(tea.PasteMsg{Content: strings.Repeat("stop\ny\n", 100)})
	if m.mode != modeCommand || m.command.Value() != "stop" || len(f.sent) > 0 {
		t.Errorf("a paste made mode %v, %q", m.mode, m.command.Value())
	}
}
