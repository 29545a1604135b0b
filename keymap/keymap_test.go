package keymap

import (
	"maps"
	"testing"
	"unicode"
)

type pressed string

func (p pressed) String() string { return string(p) }

func TestPresetsHaveNoCollision(t *testing.T) {
	for _, name := range Presets() {
		for _, c := range Preset(name).Collisions() {
			t.Errorf("%s: %s", name, c)
		}
	}
}

func TestCollisionsAreFound(t *testing.T) {
	m := New([]Entry{
		{Action: Up, In: ScopeRuns | ScopeRun, keys: []string{"k"}},
		{Action: Open, In: ScopeRun, keys: []string{"x", "k"}},
	})
	got := m.Collisions()
	if len(got) != 1 || got[0].String() != `key "k" is bound to up and to open in the opened run` {
		t.Fatalf("collisions = %q, want one in the opened run", got)
	}
	if a := m.Match(ScopeRun, pressed("k")); a != Up {
		t.Errorf("k = %v, want the first entry's action", a)
	}
}

func TestMatch(t *testing.T) {
	m := Default()
	for _, tt := range []struct {
		name string
		in   Scope
		key  string
		want Action
	}{
		{"open from the list", ScopeRuns, "enter", Open},
		{"stages only in a run", ScopeRuns, "l", None},
		{"stages in a run", ScopeRun, "l", NextStage},
		{"letters type in a filter", ScopeFilter, "j", None},
		{"no write from a page", ScopePage, "A", None},
		{"no write from a filter", ScopeFilter, "S", None},
		{"y confirms only in a dialog", ScopeRuns, "y", Copy},
		{"y in a dialog", ScopeDialog, "y", DialogYes},
		{"unbound", ScopeRuns, "f12", None},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := m.Match(tt.in, pressed(tt.key)); got != tt.want {
				t.Errorf("Match(%s, %q) = %v, want %v", tt.in, tt.key, got, tt.want)
			}
		})
	}
}

// TestWhichKeysMayWrite checks that only upper-case letters write, and that the
// keys of terminal multiplexers and of flow control are not bound, whatever the preset.
func TestWhichKeysMayWrite(t *testing.T) {
	for _, name := range Presets() {
		t.Run(name, func(t *testing.T) { checkWriters(t, Preset(name)) })
	}
}

func checkWriters(t *testing.T, m Map) {
	t.Helper()
	never := map[string]bool{"ctrl+a": true, "ctrl+s": true, "ctrl+q": true, "ctrl+h": true, "ctrl+j": true, "ctrl+k": true, "ctrl+l": true}
	writers := map[Action]bool{}
	var entries []Entry
	for _, s := range Scopes() {
		entries = append(entries, m.In(s)...)
	}
	for _, e := range entries {
		if e.Key.Help().Desc == "" || e.Key.Help().Key == "" {
			t.Errorf("%v has no help", e.Key.Keys())
		}
		for _, k := range e.Key.Keys() {
			if never[k] {
				t.Errorf("%q must stay free", k)
			}
			if e.Action.Writes() && (len(k) != 1 || !unicode.IsUpper(rune(k[0]))) {
				t.Errorf("%q writes and is no upper case letter", k)
			}
		}
		if e.Writes {
			writers[e.Action] = true
			if e.In&(ScopeDialog|ScopeFilter|ScopePage) != 0 {
				t.Errorf("%v writes outside of lists", e.Key.Keys())
			}
		}
	}
	if want := map[Action]bool{Approve: true, Run: true, Stop: true, Clone: true, Delete: true}; !maps.Equal(writers, want) {
		t.Errorf("the keys that write are %v, want %v", writers, want)
	}
}

// A movement key moves by at least one row in any window, up as far as down.
func TestDistance(t *testing.T) {
	for a := None; a <= Forget; a++ {
		d, ok := a.Distance(1, 50)
		if want := a >= Up && a <= PageDown; ok != want || ok && d == 0 {
			t.Errorf("%v moves by %d, %v, want %v", a, d, ok, want)
		}
	}
	for _, pair := range [][2]Action{{Up, Down}, {Top, Bottom}, {HalfUp, HalfDown}, {PageUp, PageDown}} {
		up, _ := pair[0].Distance(20, 50)
		down, _ := pair[1].Distance(20, 50)
		if up != -down || down <= 0 {
			t.Errorf("%v moves by %d and %v by %d", pair[0], up, pair[1], down)
		}
	}
}

// The list above the command line and the list of a dialog move by the same keys, except those
// that the line needs: letters are typed, tab completes.
func TestListsOfChoicesMoveByTheSameKeys(t *testing.T) {
	same := map[Action]Action{PickNext: CommandNext, PickPrev: CommandPrev, PickFirst: CommandFirst, PickLast: CommandLast, PickTake: CommandRun, PickBack: CommandDrop}
	for _, preset := range Presets() {
		m := Preset(preset)
		for _, e := range m.In(ScopePick) {
			want, ok := same[e.Action]
			for _, k := range e.keys {
				if !ok || len(k) == 1 || k == "tab" {
					continue
				}
				if got := m.index[ScopeCommand][k]; got != want {
					t.Errorf("%s: %s is %s in a dialog and %s on the command line", preset, k, e.Action.Name(), got.Name())
				}
			}
		}
	}
}
