package ui

import (
	"slices"
	"strings"
	"testing"
)

// TestFitDialog takes room from a dialog line by line: what goes goes by rank,
// and what fits in the room that a longer thing left is there.
func TestFitDialog(t *testing.T) {
	lines := []dialogLine{
		{s: "context"},
		{s: "server", rank: 2},
		{s: "object"},
		{s: "effect", rank: 3, whole: true},
		{s: "effect 2", rank: 3, whole: true, more: true},
		{s: "effect 3", rank: 4, more: true},
		{s: "kubectl", rank: 3, whole: true},
		{s: "kubectl 2", rank: 3, whole: true, more: true},
		{s: "kubectl 3", rank: 3, whole: true, more: true},
		{s: "", rank: rankBlank},
		{s: "word"},
		{s: "cancel"},
	}
	for _, tt := range []struct {
		room int
		want string
	}{
		{12, "context server object effect effect 2 effect 3 kubectl kubectl 2 kubectl 3  word cancel"},
		{11, "context server object effect effect 2 effect 3 kubectl kubectl 2 kubectl 3 word cancel"},
		{9, "context server object effect effect 2 effect 3  word cancel"},
		// The command is gone as a whole; what went before it comes back.
		{8, "context server object effect effect 2 effect 3 word cancel"},
		{7, "context server object effect effect 2 word cancel"},
		// The rest of the effect fits, but means nothing without its beginning.
		{6, "context server object  word cancel"},
		{5, "context server object word cancel"},
		{4, "context object word cancel"},
		{2, "word cancel"},
		{0, ""},
	} {
		var got []string
		for _, l := range fitDialog(slices.Clone(lines), tt.room) {
			got = append(got, l.s)
		}
		if s := strings.Join(got, " "); s != tt.want || len(got) > tt.room {
			t.Errorf("in %d lines: %q, want %q", tt.room, s, tt.want)
		}
	}
}

// TestFitDialogShowsThatATextGoesOn: what lost its rest ends as a text that is cut.
func TestFitDialogShowsThatATextGoesOn(t *testing.T) {
	lines := []dialogLine{{s: "It ends", cut: "It e~", rank: 1}, {s: "here.", rank: 2, more: true}, {s: "cancel"}}
	for room, want := range map[int]string{3: "It ends here. cancel", 2: "It e~ cancel", 1: "cancel"} {
		var got []string
		for _, l := range fitDialog(slices.Clone(lines), room) {
			got = append(got, l.s)
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("in %d lines: %q, want %q", room, s, want)
		}
	}
}

// TestDialogAlwaysNamesWhere shows at every size whose hub is written to and as
// whom, and has a line for every field that can have the focus.
func TestDialogAlwaysNamesWhere(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {100, 30}, {120, 36}, {160, 50}} {
		m, _ := start(t, size[0], size[1], sample())
		press(m, "j", "j", "j", "j", "j", "A")
		quiet(m)
		shows(t, m, "context   hub-prod-weu  as oncall@contoso.com", "https://hub-prod-weu.hcp.westeurope.azmk8s.io:443", "note  ", "type  ", "Cancel")
	}
}
