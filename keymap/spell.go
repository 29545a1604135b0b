package keymap

import (
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

// parse returns a key as the terminal names it, from what a person wrote: ctrl-d and ctrl+d,
// pgdn and pgdown. ok is false for what is no key.
func parse(written string) (k string, ok bool) {
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
	switch {
	case held == "":
		return rest, single || slices.Contains(special, rest)
	case held == "ctrl+" && strings.Contains("mi[", rest): // a terminal sends enter, tab and esc
		return held + rest, false
	case single: // a terminal does not tell ctrl-D from ctrl-d, and shift makes another letter
		return held + rest, !unicode.IsUpper(r) && !strings.Contains(held, "shift+")
	}
	return held + rest, slices.Contains(special, rest)
}

// typed reports whether a key writes a character.
func typed(k string) bool { return k == "space" || utf8.RuneCountInString(k) == 1 }
