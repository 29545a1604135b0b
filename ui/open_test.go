package ui

import (
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/runref"
)

// twoOfAName is a sample in which a cluster run and two namespaced ones have the
// name of one run; another run's name contains it.
func twoOfAName() *engine.Snapshot {
	s := sample()
	for _, v := range s.Runs {
		switch v.ID {
		case id("", "mesh-r2"), id("", "core-dns-r3"):
			v.ID = id(map[string]string{"mesh-r2": "shop", "core-dns-r3": "csur"}[v.ID.Name().String()], "dns-r8")
		case id("", "cache-r5"):
			v.ID = id("", "dns-r8-next")
		}
	}
	return s
}

// One resolver decides for the RUN argument and for :open which run is meant.
func TestOpenARunByItsName(t *testing.T) {
	in := runref.Scope{Namespace: "shop", Default: "shop"}
	for _, tt := range []struct {
		name   string
		scope  runref.Scope
		arg    string
		opened engine.ID
		listed int
		says   string
	}{
		{"a name of three runs lists them", runref.Scope{}, "dns-r8", engine.ID{}, 3, `Run name "dns-r8" is ambiguous: 3 runs have it; choose one, or :open it: use csur/dns-r8 or sur/csur/dns-r8 or shop/dns-r8.`},
		{"cluster run", runref.Scope{}, "csur/dns-r8", id("", "dns-r8"), 0, ""},
		{"cluster run with -n", in, "csur/dns-r8", id("", "dns-r8"), 0, ""},
		{"namespaced run", runref.Scope{}, "shop/dns-r8", id("shop", "dns-r8"), 0, ""},
		{"the namespace of -n", in, "dns-r8", id("shop", "dns-r8"), 0, ""},
		{"a namespace called csur", runref.Scope{}, "sur/csur/dns-r8", id("csur", "dns-r8"), 0, ""},
		{"the cluster run is not in -n", in, "pay-api-r41", engine.ID{}, 0, `Run "pay-api-r41" not found in namespace "shop".`},
	} {
		for _, how := range []string{"argument", ":open"} {
			t.Run(tt.name+", "+how, func(t *testing.T) {
				opt := Options{Now: t0, Scope: tt.scope}
				if how == "argument" {
					opt.Start, _ = tt.scope.Parse(tt.arg)
				}
				m := New(t.Context(), newFake(), opt)
				m.Update(tea.WindowSizeMsg{Width: 160, Height: 40})
				m.Update(nextMsg{snap: twoOfAName()})
				if how == ":open" {
					doCommand(m, "open "+tt.arg)
				}
				if m.run.ID() != tt.opened || (m.screen == screenRun) == tt.opened.IsZero() {
					t.Errorf("opened %v, want %v", m.run.ID(), tt.opened)
				}
				if _, n := m.runs.At(); tt.listed > 0 && n != tt.listed {
					t.Errorf("lists %d runs, want %d", n, tt.listed)
				}
				if tt.says != "" {
					shows(t, m, tt.says)
				}
			})
		}
	}
}

// TestOpenWithANamespace checks that :open takes -n as commands do, also in place of the one that
// limits the list.
func TestOpenWithANamespace(t *testing.T) {
	in := runref.Scope{Namespace: "shop", Default: "shop"}
	for _, tt := range []struct {
		scope  runref.Scope
		arg    string
		opened engine.ID
		says   string
	}{
		{runref.Scope{}, "-n shop dns-r8", id("shop", "dns-r8"), ""},
		{runref.Scope{}, "dns-r8 --namespace=shop", id("shop", "dns-r8"), ""},
		{runref.Scope{}, "-n shop sur/dns-r8", id("shop", "dns-r8"), ""},
		{runref.Scope{}, "-n shop csur/dns-r8", id("", "dns-r8"), ""},
		{in, "-n csur dns-r8", id("csur", "dns-r8"), ""},
		{runref.Scope{}, "-n shop pay-api-r41", engine.ID{}, `Run "pay-api-r41" not found in namespace "shop".`},
		{runref.Scope{}, "-n shop csur/", engine.ID{}, "Invalid run"},
		{runref.Scope{}, "-n", engine.ID{}, "Flag needs an argument: -n; write -n NAMESPACE NAME."},
		{runref.Scope{}, "-o json dns-r8", engine.ID{}, "Unknown flag: -o; flags here are -n NAMESPACE and -A."},
	} {
		m := New(t.Context(), newFake(), Options{Now: t0, Scope: tt.scope})
		m.Update(tea.WindowSizeMsg{Width: 160, Height: 40})
		m.Update(nextMsg{snap: twoOfAName()})
		doCommand(m, "open "+tt.arg)
		if m.run.ID() != tt.opened || (m.screen == screenRun) == tt.opened.IsZero() {
			t.Errorf("%s: opened %v, want %v", tt.arg, m.run.ID(), tt.opened)
		}
		if tt.says != "" {
			shows(t, m, tt.says)
		}
	}
}

// What may not be listed is said, whether the name was found elsewhere or not.
func TestOpenWithHiddenRuns(t *testing.T) {
	for arg, want := range map[string]string{
		"pay-api-r41": `"pay-api-r41" may name more runs: this user may not list namespaced runs.`,
		"nope":        `Run "nope" not found: this user may not list namespaced runs.`,
		"csur/nope":   `Cluster run "nope" not found.`,
	} {
		s := sample()
		s.Scope.Runs = setsRead(engine.CoverComplete, engine.CoverForbidden)
		m, _ := start(t, 120, 30, s)
		doCommand(m, "open "+arg)
		shows(t, m, want)
	}
}

// twoOfANameLoading is twoOfAName while the runs are loading; named says that all rows are known.
func twoOfANameLoading(named bool) *engine.Snapshot {
	s := twoOfAName()
	s.Complete, s.Scope.Runs = false, slices.Clone(s.Scope.Runs)
	for i := range s.Scope.Runs {
		s.Scope.Runs[i].State, s.Scope.Runs[i].Named = engine.CoverLoading, named
	}
	return s
}

// An argument that other runs may match waits until all runs are listed.
func TestAnAmbiguousStartWaits(t *testing.T) {
	s := twoOfANameLoading(false)
	for arg, opened := range map[string]bool{"dns-r8": false, "pay-api-r41": false, "csur/dns-r8": true, "shop/dns-r8": true} {
		ref, _ := runref.Scope{}.Parse(arg)
		m := New(t.Context(), newFake(), Options{Now: t0, Start: ref})
		m.Update(tea.WindowSizeMsg{Width: 100, Height: 30})
		m.Update(nextMsg{snap: s})
		if (m.screen == screenRun) != opened {
			t.Errorf("%s: opened %v before all runs are listed", arg, m.screen == screenRun)
		}
	}
}

// It does not wait for whole runs once the rows of all of them are known, and says nothing of others.
func TestAStartNeedsNoMoreThanTheRows(t *testing.T) {
	for arg, opened := range map[string]bool{"dns-r8": false, "pay-api-r41": true} {
		s := twoOfANameLoading(true)
		ref, _ := runref.Scope{}.Parse(arg)
		m := New(t.Context(), newFake(), Options{Now: t0, Start: ref})
		m.Update(tea.WindowSizeMsg{Width: 100, Height: 30})
		m.Update(nextMsg{snap: s})
		if (m.screen == screenRun) != opened || !m.scene.Note.Text().IsZero() {
			t.Errorf("%s: opened %v, note %q", arg, m.screen == screenRun, m.scene.Note.Text())
		}
	}
}

// No act is proposed on the row under the cursor while the run that was asked for
// is not open; esc stays on the list.
func TestNoActBeforeTheStartIsOpen(t *testing.T) {
	s := twoOfANameLoading(false)
	ref, _ := runref.Scope{}.Parse("pay-api-r41")
	m := New(t.Context(), newFake(), Options{Now: t0, Start: ref})
	m.Update(tea.WindowSizeMsg{Width: 100, Height: 30})
	m.Update(nextMsg{snap: s})
	for _, k := range []string{"A", "R", "S", "C", "X"} {
		press(m, k)
		if m.mode != modeBrowse || !strings.Contains(m.scene.Note.Text().String(), "pay-api-r41 is not open yet") {
			t.Errorf("%s: mode %v, note %q", k, m.mode, m.scene.Note.Text())
		}
	}
	press(m, "esc")
	press(m, "X")
	if m.mode != modeDialog {
		t.Errorf("X after esc: mode %v, note %q", m.mode, m.scene.Note.Text())
	}
}

// Every form that the command line completes opens a run.
func TestCompletedFormsOpenRuns(t *testing.T) {
	for typed, want := range map[string]string{"csur/dns-r8": "csur/dns-r8", "csur/pay": "csur/pay-api-r41", "shop/": "shop/dns-r8", "sur/cs": "sur/csur/dns-r8"} {
		m := New(t.Context(), newFake(), Options{Now: t0})
		m.Update(tea.WindowSizeMsg{Width: 120, Height: 30})
		m.Update(nextMsg{snap: twoOfAName()})
		typeIn(m, ":open "+typed)
		press(m, "tab")
		if m.command.Value() != "open "+want {
			t.Errorf("%s: tab made %q", typed, m.command.Value())
		}
		press(m, "enter")
		if m.screen != screenRun {
			t.Errorf("%s opens nothing", want)
		}
	}
}
