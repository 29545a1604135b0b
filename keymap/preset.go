package keymap

import (
	"maps"
	"slices"
)

// DefaultPreset is the preset with the keys of Default.
const DefaultPreset = "default"

// presets are what each preset changes of Default: the keys of an action by its name.
var presets = map[string]map[string][]string{
	DefaultPreset: {},
	// d, e, s and : are the same in k9s; its ctrl-d deletes, and here no key with ctrl writes.
	"k9s": {
		"yaml": {"y"}, "copy": {"c"}, "logs": {"l"}, "cluster": {"b"}, "next-stage": {"right"}, "previous-stage": {"left"},
		"page-down": {"ctrl+f", "pgdown"}, "page-up": {"ctrl+b", "pgup"}, "back": {"esc", "["},
	},
	"vim": {
		"page-down": {"ctrl+f", "pgdown"}, "page-up": {"ctrl+b", "pgup"}, "back": {"esc", "ctrl+o"}, "open": {"enter", "ctrl+]"},
		"next-problem": {"]", "!"}, "next-pane": {"tab", "ctrl+w"},
		"dialog-down": {"pgdown", "ctrl+f"}, "dialog-up": {"pgup", "ctrl+b"},
		"choose-down": {"pgdown", "ctrl+f", "ctrl+d"}, "choose-up": {"pgup", "ctrl+b", "ctrl+u"},
	},
}

// Presets returns the names of the presets, the default first.
func Presets() []string {
	all := slices.Sorted(maps.Keys(presets))
	i := slices.Index(all, DefaultPreset)
	return append([]string{DefaultPreset}, slices.Delete(all, i, i+1)...)
}

// Preset returns the bindings of a preset; an unknown one is the default.
func Preset(name string) Map {
	m := Default()
	for action, keys := range presets[name] {
		bound, err := m.Bind(action, keys)
		if err != nil {
			panic(err) // TestPresets binds every preset
		}
		m = bound
	}
	return m
}
