package ui

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"github.com/stagewatch/stagewatch/keymap"
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
	keys := rebound(t)
	for _, tt := range shots() {
		t.Run(tt.name, func(t *testing.T) {
			m, _ := start(t, 160, 50, tt.snap)
			press(m, tt.keys...)
			if tt.after != nil {
				tt.after(m)
			}
			note := m.scene.Note
			m.onChange(Change{Keys: keys})
			m.scene.Note = note
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
	if got := ansi.Strip(m.answerLine()); !strings.Contains(got, "?: not bound here; f1 lists the keys.") {
		t.Errorf("the answer to ? is %q", got)
	}
	press(m, "f1")
	if got := ansi.Strip(m.View().Content); !strings.Contains(got, "f1") || !strings.Contains(got, "help for the list of runs") {
		t.Errorf("f1 opens no help:\n%s", got)
	}
}
