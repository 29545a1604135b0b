package ui

import (
	"strings"
	"testing"

	"github.com/stagewatch/stagewatch/engine"
)

// What WHY has said already is not said again as the hub's words.
func TestTheHubsWordsAreNotSaidTwice(t *testing.T) {
	for what, want := range map[string]bool{
		"The overrides could not be applied (doc is missing path: annotations).": false,
		"The overrides could not be applied.":                                    true,
	} {
		s := sample()
		find(s, "example-run").Why = engine.Diagnosis{What: txt("%s", what), RecoveryText: txt("No."), Next: txt("Fix it."), Quote: txt("doc is missing path: annotations")}
		m, _ := start(t, 120, 40, s)
		if got := seen(m); strings.Contains(got, "MESSAGE") != want {
			t.Errorf("%s: MESSAGE is there: %v, want %v\n%s", what, !want, want, got)
		}
	}
}

// A short list leaves its room to the reasons; a long one says on which of its
// rows the cursor is.
func TestRoomBelowTheList(t *testing.T) {
	s := sample()
	long := strings.Repeat("a sentence of some length ", 8) + "END"
	for _, v := range s.Runs {
		v.Why = engine.Diagnosis{What: txt("%s", long), RecoveryText: txt("%s", long), Next: txt("%s", long)}
	}
	m, _ := start(t, 80, 24, s)
	if got := seen(m); strings.Count(got, "END") == 3 || !strings.Contains(got, " 1 of 19") {
		t.Errorf("19 runs on 24 rows:\n%s", got)
	}
	press(m, "j")
	press(m, "j")
	if got := seen(m); !strings.Contains(got, " 3 of 19") {
		t.Errorf("the cursor two rows below the first:\n%s", got)
	}
	for _, k := range []string{"/", "s", "t", "a", "t", "e", ":", "s", "t", "*", "enter"} {
		press(m, k)
	}
	if got := seen(m); strings.Count(got, "END") != 3 || strings.Contains(got, " of 3") {
		t.Errorf("three of them:\n%s", got)
	}
}

// Without a row the line above the reasons is about nothing, and whole.
func TestLineAboutNothing(t *testing.T) {
	m, _ := start(t, 80, 24, sample())
	for _, k := range []string{"/", "z", "q", "x", "enter"} {
		press(m, k)
	}
	if got := seen(m); !strings.Contains(got, strings.Repeat("─", 80)) {
		t.Errorf("a gap in the line:\n%s", got)
	}
}
