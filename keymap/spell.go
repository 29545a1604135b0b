package keymap

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// shownAs is how keys with a name are shown.
var shownAs = map[string]string{"left": "←", "right": "→", "up": "↑", "down": "↓", "pgdown": "pgdn"}

// special are the keys with a name.
var special = []string{
	"enter", "esc", "tab", "space", "backspace", "delete", "insert", "home", "end", "pgup", "pgdown", "up", "down", "left", "right",
	"f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8", "f9", "f10", "f11", "f12",
}

// spell returns a key as it is shown: ctrl-d for ctrl+d, ← for left.
func spell(k string) string {
	held := ""
	for {
		mod, rest, found := strings.Cut(k, "+")
		if !found || rest == "" || mod == "" {
			break
		}
		held, k = held+mod+"-", rest
	}
	if shown := shownAs[k]; shown != "" {
		k = shown
	}
	return held + k
}

// spellAll returns keys as they are shown: 1-9 for digits in a row.
func spellAll(keys []string) string {
	if n := len(keys); n > 2 && keys[0] == "1" && keys[n-1] == string(rune('0'+n)) {
		return keys[0] + "-" + keys[n-1]
	}
	shown := make([]string, len(keys))
	for i, k := range keys {
		shown[i] = spell(k)
	}
	return strings.Join(shown, " ")
}

// withCtrl are keys that a terminal sends as another key when ctrl is held. The extended keyboard
// protocols tell them apart, which not every terminal has.
var withCtrl = map[string]string{
	"i": "tab", "m": "enter", "[": "esc", "@": "ctrl+space", "/": "ctrl+_", "?": "backspace",
	"2": "ctrl+space", "3": "esc", "4": `ctrl+\`, "5": "ctrl+]", "6": "ctrl+^", "7": "ctrl+_", "8": "backspace",
	"enter": "enter", "tab": "tab", "esc": "esc", "backspace": "ctrl+h",
}

// sent returns the key that a terminal sends for one with modifiers; the same for most.
func sent(held, k string) string {
	if k == "enter" || k == "esc" || k == "space" || k == "backspace" {
		held = strings.TrimSuffix(held, "shift+")
	}
	rest, ctrl := strings.CutPrefix(held, "ctrl+")
	to, other := withCtrl[k]
	switch {
	case !ctrl, !other && (!typed(k) || k == "space" || strings.Contains(`abcdefghijklmnopqrstuvwxyz\]^_`, k)):
		return held + k
	case !other: // there is no control character for it
		return rest + k
	}
	if after, kept := strings.CutPrefix(to, "ctrl+"); kept {
		return "ctrl+" + rest + after
	}
	return rest + to
}

// parse returns a key as the terminal names it, from what a person wrote: ctrl-d and ctrl+d,
// pgdn and pgdown. The error says why it is no key that can be bound.
func parse(written string) (string, error) {
	held, rest := "", written
	for _, mod := range []string{"ctrl", "alt", "shift"} {
		for _, sep := range []string{"+", "-"} {
			if after, found := strings.CutPrefix(rest, mod+sep); found && after != "" {
				held, rest = held+mod+"+", after
			}
		}
	}
	for name, shown := range shownAs {
		if rest == shown {
			rest = name
		}
	}
	if rest == " " {
		rest = "space"
	}
	r, size := utf8.DecodeRuneInString(rest)
	single := size > 0 && size == len(rest) && r > ' ' && unicode.IsPrint(r) && r < 0x2000
	// A terminal sends the same for both cases of a letter with ctrl, and shift makes another character.
	if known := slices.Contains(special, rest); !known && (!single || held != "" && (unicode.IsUpper(r) || strings.Contains(held, "shift+"))) {
		return "", fmt.Errorf("%q is not a key: write a character, or a name such as ctrl-d, enter, pgdn or f5", written)
	}
	if to := sent(held, rest); to != held+rest {
		return "", fmt.Errorf("%q cannot be bound: most terminals send %s for it; choose another key", written, spell(to))
	}
	return held + rest, nil
}

// typed reports whether a key writes a character.
func typed(k string) bool { return k == "space" || utf8.RuneCountInString(k) == 1 }
