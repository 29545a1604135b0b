package keymap

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"

	uv "github.com/charmbracelet/ultraviolet"
)

// TestBind gives an action other keys, wherever it has one, and the bar, the help and texts
// their names.
func TestBind(t *testing.T) {
	m, err := Default().Bind("page-down", []string{"ctrl-f", "f5"})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []Scope{ScopeRuns, ScopeRun, ScopeSheet, ScopePage} {
		if m.Match(s, pressed("ctrl+f")) != PageDown || m.Match(s, pressed("f5")) != PageDown || m.Match(s, pressed("pgdown")) != None {
			t.Errorf("%s: the keys are not those that were bound", s)
		}
	}
	if Default().Match(ScopeRuns, pressed("f5")) != None {
		t.Error("the default map was changed")
	}
	for key, want := range map[string]Action{"ctrl+f": PageDown, "ctrl+b": PageUp} {
		for _, s := range []Scope{ScopeRuns, ScopeRun, ScopeSheet, ScopePage} {
			if got := Default().Match(s, pressed(key)); got != want {
				t.Errorf("%s: %s is bound to %q by default, want %q", s, key, got, want)
			}
		}
	}
	if got := m.Shown("page-down"); got != "ctrl-f" {
		t.Errorf("texts name %q", got)
	}
	m, err = m.Bind("next-stage", []string{"]"})
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(m.In(ScopeRun), func(e Entry) bool { return e.Action == NextStage })
	if e := m.In(ScopeRun)[i]; e.Short().Key != "h ]" || e.Key.Help().Key != "]" || e.Short().Desc != "stage" {
		t.Errorf("the bar shows %v, the help %v", e.Short(), e.Key.Help())
	}
	if len(m.Collisions()) > 0 {
		t.Errorf("collisions: %v", m.Collisions())
	}
	if got := m.Shown("theme"); got != "theme" {
		t.Errorf("an action without a key is shown as %q", got)
	}
}

// TestBindRefuses keys that would confirm or write by accident, or that nobody can press.
func TestBindRefuses(t *testing.T) {
	for _, tt := range []struct {
		action string
		keys   []string
		want   string
	}{
		{"aprove", []string{"P"}, `unknown action "aprove"`},
		{"approve", nil, "approve needs a key"},
		{"approve", []string{"p"}, "single upper-case letter"},
		{"delete", []string{"ctrl+d"}, "single upper-case letter"},
		{"stop", []string{"É"}, "single upper-case letter"},
		{"dialog-delete-old-run", []string{"enter"}, "single upper-case letter"},
		{"dialog-confirm", []string{"enter"}, "single lower-case letter"},
		{"dialog-confirm", []string{"A"}, "single lower-case letter"},
		{"saved-view", []string{"0"}, "digits"},
		{"filter-keep", []string{"k"}, "type a character into the input"},
		{"dialog-cancel", []string{"space"}, "type a character into the input"},
		{"command-leave", []string{"q"}, "type a character into the input"},
		{"help", []string{"ctl-h"}, `"ctl-h" is not a key`},
		{"help", []string{""}, "is not a key"},
		{"help", []string{"ctrl-H"}, "is not a key"},
		{"help", []string{"shift-h"}, "is not a key"},
		{"help", []string{"ctrl-m"}, `"ctrl-m" cannot be bound: most terminals send enter for it; choose another key`},
		{"help", []string{"ctrl-alt-/"}, "most terminals send ctrl-alt-_ for it"},
		{"help", []string{"f1", "f1"}, "twice"},
	} {
		if _, err := Default().Bind(tt.action, tt.keys); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %q: %v, want %q", tt.action, tt.keys, err, tt.want)
		}
	}
	for _, written := range []string{"enter", "ctrl-d", "ctrl+d", "shift-tab", "←", "pgdn", "pgdown", "f12", "é", "-", "+", "alt--", "alt-x", "alt+enter"} {
		if _, err := Default().Bind("help", []string{written}); err != nil {
			t.Error(err)
		}
	}
}

// TestYield: a bound key is taken from an action with other keys, not from its only one, from another
// bound action, or from an action of other screens.
func TestYield(t *testing.T) {
	m := Default()
	for action, keys := range map[string][]string{"filter": {"ctrl-f"}, "next-pane": {"G", "down"}, "sort": {"down"}, "filter-keep": {"tab"}, "search": {"space"}, "mouse": {"m"}, "copy": {"1"}} {
		var err error
		if m, err = m.Bind(action, keys); err != nil {
			t.Fatal(err)
		}
	}
	m = m.Yield([]string{"filter", "next-pane", "sort", "filter-keep", "search", "mouse", "copy"})
	for _, want := range []struct {
		s      Scope
		key    string
		action Action
	}{
		{ScopeRuns, "ctrl+f", Filter},
		{ScopeRun, "ctrl+f", Filter},
		{ScopeRuns, "pgdown", PageDown},
		{ScopePage, "space", Search},
		{ScopeRun, "space", PageDown},
		{ScopePage, "ctrl+f", PageDown},
		{ScopePage, "pgdown", PageDown},
		{ScopeRuns, "G", NextPane},
		{ScopeRuns, "end", Bottom},
		{ScopeRuns, "j", Down},
		{ScopeCommand, "tab", CommandComplete},
	} {
		if got := m.Match(want.s, pressed(want.key)); got != want.action {
			t.Errorf("%s: %s is bound to %q, want %q", want.s, want.key, got.Name(), want.action.Name())
		}
	}
	left := map[string]bool{}
	for _, c := range m.Collisions() {
		left[c.String()] = true
	}
	for _, want := range []string{
		`key "↓" is bound to sort and to next-pane in the list of runs`,
		`key "m" is bound to member and to mouse in the list of runs`,
		`key "space" is bound to search and to mark in the detail page`,
		`key "1" is bound to saved-view and to copy in the list of runs`,
	} {
		if !left[want] {
			t.Errorf("%s: not found in %v", want, left)
		}
		delete(left, want)
	}
	if len(left) > 0 {
		t.Errorf("more keys are bound twice: %v", left)
	}
}

// TestNames: every action with a key has a name of its own, by which it is bound.
func TestNames(t *testing.T) {
	seen := map[string]Action{}
	for _, e := range Default().entries {
		name := e.Action.Name()
		if len(e.keys) == 0 {
			continue
		}
		if name == "" {
			t.Errorf("the action of %v has no name", e.keys)
		}
		if other, taken := seen[name]; taken && other != e.Action {
			t.Errorf("%q names two actions", name)
		}
		seen[name] = e.Action
		if _, err := Default().Bind(name, []string{e.keys[0]}); err != nil {
			t.Error(err)
		}
	}
	if all := Names(); len(all) < 80 || slices.Contains(all, "theme") {
		t.Errorf("%d names: %v", len(all), all)
	}
	if got := strings.Join(Presets(), " "); got != "default k9s vim" {
		t.Errorf("presets: %s", got)
	}
}

// TestControlKeys: of the keys with ctrl that write a character, those can be bound that a terminal
// without an extended keyboard protocol sends as a control character, with alt, too.
func TestControlKeys(t *testing.T) {
	var decoder uv.EventDecoder
	arrive := map[string]bool{}
	for b := range byte(0x80) {
		for _, sequence := range [][]byte{{b}, {'\x1b', b}} {
			if n, event := decoder.Decode(sequence); n == len(sequence) {
				arrive[fmt.Sprint(event)] = true
			}
		}
	}
	for _, mod := range []string{"ctrl+", "ctrl+alt+"} {
		for r := '!'; r <= '~'; r++ {
			k := mod + string(r)
			if _, err := parse(k); (err == nil) != arrive[k] {
				t.Errorf("%s arrives: %v, but: %v", k, arrive[k], err)
			}
			if to := sent(mod, string(r)); !unicode.IsUpper(r) && !arrive[to] {
				t.Errorf("the error of %s names %s, which no terminal sends", k, to)
			}
		}
	}
}

// TestNamedKeysWithModifiers: a terminal sends no others for arrows and function keys, but for those
// that had a key before there were modifiers.
func TestNamedKeysWithModifiers(t *testing.T) {
	for _, tt := range []struct{ written, sends string }{
		{"ctrl-enter", "enter"},
		{"shift-enter", "enter"},
		{"ctrl-alt-enter", "alt-enter"},
		{"ctrl-tab", "tab"},
		{"ctrl-shift-tab", "shift-tab"},
		{"ctrl-esc", "esc"},
		{"shift-space", "space"},
		{"shift-backspace", "backspace"},
		{"ctrl-backspace", "ctrl-h"},
		{"ctrl-alt-i", "alt-tab"},
		{"ctrl-1", "1"},
		{"ctrl-;", ";"},
		{"ctrl-alt-.", "alt-."},
		{"ctrl-é", "é"},
	} {
		want := fmt.Sprintf("%q cannot be bound: most terminals send %s for it; choose another key", tt.written, tt.sends)
		if _, err := parse(tt.written); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	for _, written := range []string{"ctrl-space", "ctrl-alt-space", "shift-tab", "alt-enter", "alt-esc", "alt-backspace", "ctrl-←", "ctrl-shift-up", "shift-f1", "ctrl-delete", "alt-[", "alt-é"} {
		if _, err := parse(written); err != nil {
			t.Error(err)
		}
	}
}
