package ui

import (
	"fmt"
	"image/color"
	"regexp"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"github.com/stagewatch/stagewatch/ui/cell"
	"github.com/stagewatch/stagewatch/ui/filter"
	"github.com/stagewatch/stagewatch/ui/stages"
	"github.com/stagewatch/stagewatch/ui/theme"
)

func TestThreadFillsItsCells(t *testing.T) {
	th := theme.New(true, false, false)
	for _, v := range sampleRuns() {
		for n := 1; n < 90; n += 4 {
			r := cell.NewRow(th, 200, theme.Plain)
			stages.Line(th, r, v, n)
			if r.At() != n {
				t.Errorf("%s: %d cells, want %d", v.ID.Title(), r.At(), n)
			}
		}
	}
}

// What a terminal says of its colours makes another theme when it is news, and no other time:
// all that is drawn is kept by its theme.
func TestAThemeIsMadeWhenColoursChange(t *testing.T) {
	m := New(t.Context(), newFake(), Options{Now: t0})
	for _, c := range []struct {
		msg     tea.Msg
		changes bool
	}{
		{tea.ColorProfileMsg{Profile: colorprofile.TrueColor}, false},
		{tea.ColorProfileMsg{Profile: colorprofile.ANSI256}, false},
		{tea.BackgroundColorMsg{Color: color.Black}, false},
		{tea.BackgroundColorMsg{Color: color.White}, true},
		{tea.ColorProfileMsg{Profile: colorprofile.ASCII}, true},
		{tea.ColorProfileMsg{Profile: colorprofile.ASCII}, false},
	} {
		before := m.scene.Theme
		m.Update(c.msg)
		if got := m.scene.Theme != before; got != c.changes {
			t.Errorf("%T %v: another theme %t, want %t", c.msg, c.msg, got, c.changes)
		}
	}
	if m.look.dark || !m.scene.Theme.Glyph.Mono {
		t.Errorf("dark %t, mono %t at the end", m.look.dark, m.scene.Theme.Glyph.Mono)
	}
}

func TestAgesNeverGoBackwards(t *testing.T) {
	s := sample()
	s.Skew = -time.Hour
	m, _ := start(t, 100, 30, s)
	if m.scene.HubNow().Before(s.At) {
		t.Error("the present lies before the data")
	}
	if d := m.scene.Since(t0.Add(time.Hour)); d != 0 {
		t.Errorf("age of something to come is %v", d)
	}
}

func TestFilter(t *testing.T) {
	for _, tt := range []struct {
		text string
		want string // names of runs that are listed
	}{
		{"", "all"},
		{"example", "example-run nginx? no"},
		{"state:stuck", "example-run"},
		{"STATE:Stuck", "example-run"},
		{"state:not-accepted", "web-app-rollout"},
		{"ns:my-app", "web-app-rollout"},
		{"run:*-r1 !state:failed", "new-r1 old-r1"},
		{"stage:prod", "cert-mgr-r9"},
		{"cluster:member1", "example-run"},
		{"cluster:mem*6", "nginx-r12"},
		{"state:slow", "cache-r5"},
		{"run:my-app/*", "web-app-rollout"},
		{"[", ""},
		{"!", "all"},
	} {
		f := filter.New(tt.text)
		var got []string
		for _, v := range sampleRuns() {
			if f.Run(v, t0) {
				got = append(got, v.ID.Name().String())
			}
		}
		switch want := strings.Fields(tt.want); {
		case tt.want == "all":
			if len(got) != len(sampleRuns()) {
				t.Errorf("%q lists %v, want all", tt.text, got)
			}
		case tt.text == "example":
			if len(got) != 2 {
				t.Errorf("%q lists %v", tt.text, got)
			}
		default:
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%q lists %v, want %v", tt.text, got, want)
			}
		}
	}
}

// TestFilterAgain: / starts empty while the list keeps its filter; esc leaves that as it is, and
// up goes back to what was entered.
func TestFilterAgain(t *testing.T) {
	m, _ := start(t, 120, 36, sample())
	is := func(typed, applies string) {
		t.Helper()
		if m.input.Value() != typed || m.runs.Filter() != applies {
			t.Errorf("typed %q, applies %q; want %q and %q", m.input.Value(), m.runs.Filter(), typed, applies)
		}
	}
	press(m, "/")
	typeIn(m, "ng")
	press(m, "enter", "/")
	is("", "ng")
	press(m, "enter") // nothing was typed
	is("", "ng")
	press(m, "/")
	typeIn(m, "r9")
	is("r9", "r9")
	press(m, "esc")
	is("r9", "ng")
	press(m, "/")
	typeIn(m, "done<50%")
	press(m, "enter", "/", "up", "up")
	is("ng", "ng")
	press(m, "down", "down")
	is("", "")
	press(m, "ctrl+c")
	is("", "done<50%")
	press(m, "esc")
	is("", "")
	press(m, "/", "up")
	is("done<50%", "done<50%")
	// What esc does to a filter that matches nothing depends on whether it is still typed.
	clears := func() bool {
		return strings.Contains(ansi.Strip(m.View().Content), "No matches; esc clears the filter.")
	}
	press(m, "esc", "/")
	typeIn(m, "nosuchrun")
	if clears() {
		t.Error("esc brings the filter before back while one is typed")
	}
	if press(m, "enter"); !clears() {
		t.Error("does not say how to clear a filter that matches nothing")
	}
}

// TestALongFilterLeavesTheCounts: what needs attention is counted whatever the filter is, or is
// wrong with it.
func TestALongFilterLeavesTheCounts(t *testing.T) {
	counts := regexp.MustCompile(`needs attention  .*[0-9]( [a-z ]+)?$`)
	for _, filter := range []string{"state:stuck|failed !state:init-failed cluster:weu* why:quota", "clusters=>24", "strategy>5 state:stuck|failed !state:init-failed"} {
		for _, w := range []int{80, 120, 160} {
			m, _ := start(t, w, 40, sample())
			press(m, "/")
			typeIn(m, filter)
			press(m, "enter")
			if line := strings.TrimRight(ansi.Strip(m.placeLine()), " "); !counts.MatchString(line) || !strings.Contains(line, filter[:5]) {
				t.Errorf("%d columns: %q", w, line)
			}
		}
	}
}
