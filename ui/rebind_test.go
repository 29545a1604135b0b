package ui

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/keymap"
	"github.com/stagewatch/stagewatch/ui/dialog"
)

// rebound is a keymap in which no action has a key of the default one, but for the digits.
func rebound(t *testing.T) keymap.Map {
	t.Helper()
	m, letter, upper := keymap.Default(), 'а', 'D' // a Cyrillic letter: no text of the screen has one
	for _, name := range keymap.Names() {
		keys := []string{fmt.Sprintf("alt+%c", letter)}
		for letter++; unicode.IsUpper(letter); {
			letter++
		}
		switch name {
		case "saved-view":
			continue
		case "dialog-confirm":
			keys = []string{"k"}
		case "approve", "run", "stop", "clone", "delete", "dialog-delete-old-run":
			for strings.ContainsRune("GLNRSXY", upper) {
				upper++
			}
			keys = []string{string(upper)}
			upper++
		}
		var err error
		if m, err = m.Bind(name, keys); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

// namesDefault matches a key of the default keymap as screens show it.
var namesDefault = regexp.MustCompile(`\b(esc|enter|tab|pgdn|pgup|space|ctrl-[a-z])\b|\([ACRSXdfimLotpYy?=!]\)|\b[ARSCX] (approve|run|stop|clone|delete|act)|\bfor [ARSCX]\b|[?] help|: command| d why| y confirm`)

// TestScreensFollowTheKeys draws every screen with other keys, and finds none of the default ones.
func TestScreensFollowTheKeys(t *testing.T) {
	inOneGoroutine(t)
	keys := rebound(t)
	for _, tt := range shots() {
		t.Run(tt.name, func(t *testing.T) {
			m, _ := start(t, 160, 50, tt.snap)
			press(m, tt.keys...)
			if tt.after != nil {
				tt.after(m)
			}
			note, typed := m.scene.Note, m.command.Value()
			m.apply(Change{Keys: keys})
			m.scene.Note = note
			if m.mode == modeCommand {
				m.mode = m.over
				m.startCommand()
				m.command.Set(typed)
			}
			m.Update(tickedMsg{now: m.scene.Now})
			for l := range strings.Lines(ansi.Strip(m.View().Content)) {
				if found := namesDefault.FindString(l); found != "" {
					t.Errorf("%q is on the screen: %s", found, strings.TrimSpace(l))
				}
			}
		})
	}
}

// TestReboundKeysWork: another key opens, the old one does not, and the answer names the key of
// the help.
func TestReboundKeysWork(t *testing.T) {
	keys, err := keymap.Preset("k9s").Bind("help", []string{"f1"})
	if err != nil {
		t.Fatal(err)
	}
	m, _ := start(t, 120, 36, sample())
	m.Update(changedMsg{Change{Keys: keys}})
	press(m, "y")
	if m.mode != modePage {
		t.Errorf("y does not show the YAML")
	}
	press(m, "esc", "?")
	if got := ansi.Strip(m.answerLine()); !strings.Contains(got, "?: not bound here · f1 keys") {
		t.Errorf("the answer to ? is %q", got)
	}
	press(m, "f1")
	if got := ansi.Strip(m.View().Content); !strings.Contains(got, "f1") || !strings.Contains(got, "help for the list of runs") {
		t.Errorf("f1 opens no help:\n%s", got)
	}
}

// TestAnOpenDialogKeepsItsKeys: a file that is saved while a dialog asks changes neither the key
// that confirms nor the one that cancels, until the dialog is closed. The newest change applies
// then, and a write that is under way stays on the screen.
func TestAnOpenDialogKeepsItsKeys(t *testing.T) {
	keys, err := keymap.Default().Bind("dialog-confirm", []string{"k"})
	if err == nil {
		keys, err = keys.Bind("dialog-cancel", []string{"f9"})
	}
	if err != nil {
		t.Fatal(err)
	}
	m, _ := start(t, 120, 36, sample())
	press(m, "S")
	quiet(m)
	m.Update(changedMsg{Change{Keys: rebound(t), Theme: "gruvbox"}})
	m.Update(changedMsg{Change{Keys: keys, Theme: "nord", Mouse: true}})
	shows(t, m, "y stop   tab note", "The configuration was changed: it applies when this dialog is closed.")
	if press(m, "k", "f9"); m.mode != modeDialog || m.dialog.Status().Step != dialog.StepAsk || m.mouse || m.theme != "" {
		t.Fatalf("mode %d, step %d, mouse %v, theme %q", m.mode, m.dialog.Status().Step, m.mouse, m.theme)
	}
	press(m, "y", "esc")
	if got := m.scene.Note.Text().String(); m.mode != modeBrowse || !strings.Contains(got, "sent, waiting for the answer") {
		t.Errorf("mode %d, note %q", m.mode, got)
	}
	if !m.mouse || m.theme != "nord" {
		t.Errorf("closed: mouse %v, theme %q", m.mouse, m.theme)
	}
	press(m, "S")
	quiet(m)
	shows(t, m, "k stop   tab note")
	press(m, "esc")
	if m.mode != modeDialog {
		t.Error("esc still cancels")
	}
	press(m, "f9")
	// A change that is followed by an error is not applied.
	press(m, "S")
	m.Update(changedMsg{Change{Theme: "gruvbox"}})
	m.Update(changedMsg{Change{Err: engine.Lit("line 3 is wrong")}})
	if press(m, "f9"); m.theme != "nord" {
		t.Errorf("theme %q", m.theme)
	}
	shows(t, m, "Configuration not applied: line 3 is wrong")
}

// TestACommandKeepsItsChoice: the command that a person has moved to stays selected when the
// configuration changes, and ctrl-c of the old keys is not half of the new one.
func TestACommandKeepsItsChoice(t *testing.T) {
	m, _ := start(t, 120, 36, sample())
	press(m, ":", "down", "down", "down")
	at := m.command.At()
	m.Update(changedMsg{Change{Mouse: true}})
	if m.command.At() != at || at == 0 {
		t.Errorf("command %d is selected, before %d", m.command.At(), at)
	}
	press(m, "esc")
	shows(t, m, "The changed configuration is applied.")
	press(m, "ctrl+c")
	m.Update(changedMsg{Change{Mouse: true}})
	if cmd := press(m, "ctrl+c"); cmd != nil && isQuit(cmd) {
		t.Error("quits at the first ctrl-c since the keys have changed")
	}
}
