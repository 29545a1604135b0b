package ui

import (
	"slices"
	"testing"

	tea "charm.land/bubbletea/v2"
)

// startViews is start with two saved views, one of which is shown first.
func startViews(t *testing.T, first string) (m *Model, given *[]string) {
	t.Helper()
	dark := true
	given = &[]string{}
	m = New(t.Context(), newFake(), Options{
		Now: t0, Dark: &dark, View: first, Viewed: func(name string) { *given = append(*given, name) },
		Change: Change{Views: []View{{Name: "by name", Sort: "run", Descending: true}, {Name: "trouble", Filter: "state:stuck|failed"}}},
	})
	m.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
	m.Update(nextMsg{snap: sample()})
	return m, given
}

// TestViews shows views by digits and by name: each sets filter and order, is named above the
// list until one of them is changed, and is given out.
func TestViews(t *testing.T) {
	m, given := startViews(t, "")
	all := names(m)
	press(m, "2")
	shows(t, m, "view trouble", "filter state:stuck|failed")
	if got := names(m); len(got) == 0 || len(got) >= len(all) {
		t.Errorf("lists %v of %v", got, all)
	}
	press(m, "1")
	shows(t, m, "view by name", "by RUN▾")
	if got := names(m); len(got) != len(all) || slices.Equal(got, all) {
		t.Errorf("lists %v", got)
	}
	press(m, "3")
	shows(t, m, "No view 3: the configuration has 2 views.", "view by name")
	press(m, ":")
	typeIn(m, "view ")
	shows(t, m, "key 2; filter state:stuck|failed", "key 1; by run, descending", "none")
	typeIn(m, "trou")
	press(m, "enter")
	shows(t, m, "view trouble")
	press(m, "esc")
	if got := names(m); !slices.Equal(got, all) {
		t.Errorf("after esc: %v, want %v", got, all)
	}
	doCommand(m, "view nothing")
	shows(t, m, "Unknown view nothing")
	press(m, "2")
	doCommand(m, "view none")
	if got := names(m); !slices.Equal(got, all) {
		t.Errorf("without a view: %v, want %v", got, all)
	}
	if want := []string{"trouble", "by name", "trouble", "", "trouble", ""}; !slices.Equal(*given, want) {
		t.Errorf("gave out %q, want %q", *given, want)
	}
}

// TestTheFirstView starts with a view, and without one that is no longer configured.
func TestTheFirstView(t *testing.T) {
	m, given := startViews(t, "trouble")
	shows(t, m, "view trouble", "filter state:stuck|failed")
	if !slices.Equal(*given, []string{"trouble"}) {
		t.Errorf("gave out %q", *given)
	}
	m, _ = start(t, 120, 40, sample())
	press(m, "1")
	shows(t, m, "No view 1: the configuration has no views.")
}
