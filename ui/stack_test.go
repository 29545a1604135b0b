package ui

import (
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/stagewatch/stagewatch/engine"
	enginepage "github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/engine/runref"
	"github.com/stagewatch/stagewatch/ui/stack"
)

// ofRun opens the cluster page of a run from the list, and gives what is loaded.
func ofRun(m *Model, f *fakeSource, name string) {
	f.reply = samplePage
	m.runs.Pick(find(m.scene.Snap, name).ID)
	press(m, "enter")
	withDetail(m, m.scene.Snap)
}

// Whatever a run was opened from, esc shows exactly that again, and the next key
// that writes is about the run that it was about before.
func TestEscReturnsToWhereOneCameFrom(t *testing.T) {
	onList := func(m *Model, f *fakeSource) { f.reply = samplePage; m.runs.Pick(id("", "nginx-r12")) }
	onRun := func(m *Model, f *fakeSource) {
		ofRun(m, f, "nginx-r12")
		press(m, "l", "h", "G", "k")
		withDetail(m, m.scene.Snap)
	}
	onPage := func(m *Model, f *fakeSource) {
		ofRun(m, f, "edge-r1")
		told(m, press(m, "o"))
		press(m, "j", "k")
	}
	scrolled := func(m *Model, f *fakeSource) {
		onPage(m, f)
		press(m, "G", "k")
	}
	open := func(name string) []string {
		return append(strings.Split(":open "+name, ""), "enter")
	}
	for _, tt := range []struct {
		name  string
		begin func(*Model, *fakeSource)
		keys  []string
		opens string // the run that the keys open
	}{
		{"f on the list", onList, []string{"f"}, "example-run"},
		{"f on a run", onRun, []string{"f"}, "example-run"},
		{":open on the list", onList, open("cert-mgr-r9"), "cert-mgr-r9"},
		{":open on a run", onRun, open("cert-mgr-r9"), "cert-mgr-r9"},
		{":open on a page", onPage, open("cert-mgr-r9"), "cert-mgr-r9"},
		{"enter on a page", onPage, []string{"enter"}, "nginx-r12"},
		{":open far down a page", scrolled, open("cert-mgr-r9"), "cert-mgr-r9"},
	} {
		for _, size := range [][2]int{{80, 24}, {160, 50}, {44, 14}} {
			t.Run(tt.name, func(t *testing.T) {
				m, f := start(t, size[0], size[1], sample())
				tt.begin(m, f)
				withDetail(m, sample())
				press(m, "n") // the note of the last key is no part of the place
				m.scene.Quiet()
				about := m.target()
				before := ansi.Strip(m.View().Content)
				press(m, tt.keys...)
				if m.screen != screenRun || m.sheet() != nil || m.run.ID() != id("", tt.opens) {
					t.Fatalf("%q open %v", tt.keys, m.run.ID().Title())
				}
				withDetail(m, sample())
				press(m, "X")
				if m.mode != modeDialog || m.dialog.Status().Run != id("", tt.opens) {
					t.Fatalf("X on the opened run is about %v", m.dialog.Status().Run.Title())
				}
				told(m, press(m, "esc", "esc"))   // the page, the clusters
				m.Update(nextMsg{snap: sample()}) // are read again
				withDetail(m, sample())
				if after := ansi.Strip(m.View().Content); after != before {
					t.Errorf("before:\n%s\nafter:\n%s", before, after)
				}
				press(m, "X")
				if m.mode != modeDialog || m.dialog.Status().Run != about {
					t.Errorf("X is about %v, want %v", m.dialog.Status().Run.Title(), about.Title())
				}
			})
		}
	}
}

// without is a snapshot in which runs are gone.
func without(names ...string) *engine.Snapshot {
	s := sample()
	s.Runs = slices.DeleteFunc(s.Runs, func(v *engine.RunView) bool { return slices.Contains(names, v.ID.Name().String()) })
	return s
}

func TestEscSkipsARunThatWasDeleted(t *testing.T) {
	m, f := start(t, 120, 40, sample())
	ofRun(m, f, "pay-api-r41")
	doCommand(m, "open edge-r1")
	told(m, press(m, "o"))
	press(m, "enter")
	if m.run.ID() != id("", "nginx-r12") {
		t.Fatalf("opened %v", m.run.ID().Title())
	}
	m.Update(nextMsg{snap: without("edge-r1")})
	press(m, "esc")
	if m.sheet() != nil || m.run.ID() != id("", "pay-api-r41") {
		t.Errorf("esc shows %v", m.run.ID().Title())
	}
	shows(t, m, "csur edge-r1 was deleted; its page is closed.")

	// The row that the list was left on is gone: the cursor had to move, and says so.
	m.Update(nextMsg{snap: without("edge-r1", "pay-api-r41")})
	press(m, "esc")
	shows(t, m, "pay-api-r41 was deleted: the cursor is on "+selected(m)+" now.")
	// While runs load nothing is known to be deleted.
	m, f = start(t, 120, 40, sample())
	ofRun(m, f, "pay-api-r41")
	doCommand(m, "open edge-r1")
	s := without("pay-api-r41")
	s.Complete = false
	m.Update(nextMsg{snap: s})
	press(m, "esc")
	if m.run.ID() != id("", "pay-api-r41") {
		t.Errorf("esc while runs load shows %v", m.run.ID().Title())
	}
}

func TestTheListSaysThatItsCursorHadToMove(t *testing.T) {
	m, _ := start(t, 120, 40, sample())
	press(m, "z")
	m.runs.Pick(id("", "pay-api-r41"))
	press(m, "enter")
	s := sample()
	find(s, "pay-api-r41").Word = engine.WordRunning
	find(s, "pay-api-r41").ResourceVersion = engine.NewRaw("99")
	m.Update(nextMsg{snap: s})
	press(m, "esc")
	shows(t, m, "pay-api-r41 no longer matches the filter: the cursor is on "+selected(m)+" now.")
}

// The stack is bounded; esc still leads to the list from any depth.
func TestTheStackIsBounded(t *testing.T) {
	m, f := start(t, 120, 40, sample())
	f.reply = samplePage
	for i := range 3 * stack.Most {
		m.open(id("", []string{"edge-r1", "nginx-r12"}[i%2]))
		m.arrange()
		told(m, press(m, "o"))
	}
	if len(m.stack) != stack.Most {
		t.Fatalf("%d levels", len(m.stack))
	}
	for range stack.Most {
		m.View()
		press(m, "esc")
	}
	if m.screen != screenRuns || m.sheet() != nil {
		t.Error("not on the list")
	}
	ofRun(m, f, "edge-r1")
	told(m, press(m, "o"))
	doCommand(m, "runs")
	if len(m.stack) != 0 || m.screen != screenRuns {
		t.Error(":runs does not show the list")
	}
}

// Esc after each of the ways to leave a place shows it again, with the row that was
// selected and the filter that was set.
func TestEscReturnsWithTheRow(t *testing.T) {
	command := func(s string) []string { return append(strings.Split(s, ""), "enter") }
	for _, tt := range []struct {
		name   string
		onRun  bool // else on the list
		filter string
		row    string // that is selected
		keys   []string
	}{
		{"f", false, "", "nginx-r12", []string{"f"}},
		{"o", false, "", "pay-api-r41", []string{"o"}},
		{"enter", false, "", "cert-mgr-r9", []string{"enter"}},
		{"a page by its command", false, "", "edge-r1", command(":placement")},
		{"a run by its command", false, "", "edge-r1", command(":open cert-mgr-r9")},
		{"enter in a filtered list", false, "state:st*", "mesh-r2", []string{"enter"}},
		{"o in a filtered list", false, "state:st*", "ingress-r5", []string{"o"}},
		{"f on a run", true, "", "member2", []string{"f"}},
		{"o on a run", true, "", "member3", []string{"o"}},
		{"enter on a run", true, "", "member4", []string{"enter"}},
		{"a page by its command on a run", true, "", "member5", command(":timeline")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m, f := start(t, 80, 24, sample())
			f.reply = samplePage
			if tt.onRun {
				m.runs.Pick(id("", "nginx-r12"))
				press(m, "enter")
				withDetail(m, sample())
			}
			if tt.filter != "" {
				press(m, append(append([]string{"/"}, strings.Split(tt.filter, "")...), "enter")...)
			}
			press(m, "g")
			for range 20 {
				if selected(m) != tt.row {
					press(m, "j")
				}
			}
			if selected(m) != tt.row {
				t.Fatalf("selected %s", selected(m))
			}
			m.scene.Quiet()
			before := ansi.Strip(m.View().Content)
			if cmd := press(m, tt.keys...); cmd != nil {
				told(m, cmd)
			}
			if ansi.Strip(m.View().Content) == before {
				t.Fatal("the keys opened nothing")
			}
			press(m, "esc")
			m.Update(nextMsg{snap: sample()}) // clusters are read anew
			withDetail(m, sample())
			m.scene.Quiet()
			if after := ansi.Strip(m.View().Content); after != before || selected(m) != tt.row {
				t.Errorf("before:\n%s\nafter, on %s:\n%s", before, selected(m), after)
			}
		})
	}
}

// A name that several runs have lists them; esc returns to where it was given, with the
// cursor on the run that the keys were about.
func TestEscReturnsFromRunsOfOneName(t *testing.T) {
	onList := func(m *Model, f *fakeSource) {
		m.runs.Pick(id("", "nginx-r12"))
		press(m, "enter", "esc")
	}
	for _, tt := range []struct {
		name  string
		begin func(*Model, *fakeSource)
		keys  []string
	}{
		{"list", onList, nil},
		{"list, a run of the name opened and closed", onList, []string{"enter", "esc"}},
		{"list in trouble only", func(m *Model, f *fakeSource) { onList(m, f); press(m, "z") }, nil},
		{"filtered list", func(m *Model, f *fakeSource) { onList(m, f); doCommand(m, "filter nginx") }, nil},
		{"run", func(m *Model, f *fakeSource) { ofRun(m, f, "nginx-r12"); press(m, "j") }, nil},
		{"page", func(m *Model, f *fakeSource) { ofRun(m, f, "edge-r1"); told(m, press(m, "o")) }, []string{"enter", "esc"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m, f := start(t, 120, 40, twoOfAName())
			tt.begin(m, f)
			withDetail(m, twoOfAName())
			m.scene.Quiet()
			about, before := m.target(), ansi.Strip(m.View().Content)
			doCommand(m, "open dns-r8")
			if _, got := m.runs.At(); m.screen != screenRuns || got != 3 {
				t.Fatalf(":open lists %d runs, want 3:\n%s", got, ansi.Strip(m.View().Content))
			}
			told(m, press(m, append(tt.keys, "esc")...)) // a page is read again
			withDetail(m, twoOfAName())
			m.scene.Quiet()
			if after := ansi.Strip(m.View().Content); after != before {
				t.Errorf("before:\n%s\nafter:\n%s", before, after)
			}
			if m.target() != about {
				t.Errorf("the keys are about %v, want %v", m.target().Title(), about.Title())
			}
		})
	}
	// A person who changed the filter has left the choice.
	m, _ := start(t, 120, 40, twoOfAName())
	m.runs.Pick(id("", "nginx-r12"))
	doCommand(m, "open dns-r8")
	chosen := selected(m)
	doCommand(m, "filter dns")
	press(m, "esc")
	if m.runs.Filter() != "" || selected(m) != chosen {
		t.Errorf("filter %q, cursor on %s, want %s", m.runs.Filter(), selected(m), chosen)
	}
}

// Started with a name that several runs have, esc keeps the cursor on one of them.
func TestEscAfterAnAmbiguousArgumentKeepsTheCursor(t *testing.T) {
	start, _ := runref.Scope{}.Parse("dns-r8")
	m := New(t.Context(), newFake(), Options{Now: t0, Start: start})
	m.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
	m.Update(nextMsg{snap: twoOfAName()})
	chosen := selected(m)
	press(m, "esc")
	if m.runs.Filter() != "" || selected(m) != chosen {
		t.Errorf("filter %q, cursor on %s, want %s", m.runs.Filter(), selected(m), chosen)
	}
}

// A page that was covered says when it was read until it has been read again: what was above
// it may have shown something newer.
func TestACoveredPageSaysWhenItWasRead(t *testing.T) {
	m, f := openPage(t, 120, 40)
	place := func() string { return strings.Split(ansi.Strip(m.View().Content), "\n")[1] }
	if strings.Contains(place(), "as of") {
		t.Fatalf("a page that was just read: %q", place())
	}
	told(m, press(m, "o"))
	if strings.Contains(place(), "as of") || !strings.Contains(place(), "owners") {
		t.Fatalf("the page above it, just read: %q", place())
	}
	cmd := press(m, "esc")
	if !strings.Contains(place(), "as of") {
		t.Errorf("back on the page, not read again yet: %q", place())
	}
	if told(m, cmd); strings.Contains(place(), "as of") {
		t.Errorf("read again: %q", place())
	}
	f.reply = func(q enginepage.Question) enginepage.Answer {
		a := samplePage(q)
		a.At = a.At.Add(-engine.StaleAfter - time.Second)
		return a
	}
	if told(m, m.ask(m.sheet())); !strings.Contains(place(), "as of") {
		t.Errorf("an answer that is older than live data is: %q", place())
	}
}

// esc from an ambiguous :open returns to a page that the list of runs has covered.
func TestAPageThatAListHasCoveredSaysWhenItWasRead(t *testing.T) {
	m, f := start(t, 120, 40, twoOfAName())
	f.reply = samplePage
	press(m, "enter")
	withDetail(m, twoOfAName())
	told(m, press(m, "c"))
	doCommand(m, "open dns-r8")
	cmd := press(m, "esc")
	place := func() string { return strings.Split(ansi.Strip(m.View().Content), "\n")[1] }
	if !strings.Contains(place(), "as of") {
		t.Errorf("back on the page, not read again yet: %q", place())
	}
	if told(m, cmd); strings.Contains(place(), "as of") {
		t.Errorf("read again: %q", place())
	}
}
