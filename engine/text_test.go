package engine

import (
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"
)

func TestClean(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"plain", "web-1", "web-1"},
		{"empty", "", ""},
		{"escape", "a\x1b[31mred", `a\x1b[31mred`},
		{"clipboard", "\x1b]52;c;eA==\x07", `\x1b]52;c;eA==\x07`},
		{"line break forges a row", "ok\nFAILED", `ok\x0aFAILED`},
		{"carriage return hides", "bad\rgood", `bad\x0dgood`},
		{"tab", "a\tb", `a\x09b`},
		{"delete", "a\x7f", `a\x7f`},
		{"eight-bit CSI", "a\u009b31m", `a\x9b31m`},
		{"bidi", "a\u202eb", `a\u202eb`},
		{"isolate", "a\u2066b", `a\u2066b`},
		{"arabic letter mark", "a\u061cb", `a\u061cb`},
		{"zero width", "a\u200bb\ufeff", `a\u200bb\ufeff`},
		{"line separator", "a\u2028b", `a\u2028b`},
		{"tag", "a\U000e0041b", `a\U000e0041b`},
		{"beginning of a beam", "a\U0001d173b", `a\U0001d173b`},
		{"private use", "a\ue0a0b", `a\ue0a0b`},
		{"variation selector", "a\ufe0f", `a\ufe0f`},
		{"invalid UTF-8", "a\xffb", "a\ufffdb"},
		{"letters of the world", "größe 日本 пример", "größe 日本 пример"},
		{"combining marks", "e\u0301\u0301\u0301\u0301!", "e\u0301\u0301!"},
		{"a mark on nothing", "\u0301a", "a"},
		{"long", strings.Repeat("x", textLimit+5), strings.Repeat("x", textLimit) + "…"},
		{"just not long", strings.Repeat("é", textLimit), strings.Repeat("é", textLimit)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Clean(tt.in).String(); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestMessage(t *testing.T) {
	if got, want := Message("denied:\n\n\tteam:\r\n  \u202e\x1b[2J\n").String(), `denied: team: \u202e\x1b[2J`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestTextf(t *testing.T) {
	hostile := "\x1b[2J"
	got := Textf("%s|%s|%d|%v|%s", hostile, Clean(hostile), 3, time.Second, any(errText(hostile)))
	if want := `\x1b[2J|\x1b[2J|3|1s|\x1b[2J`; got.String() != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// errText is a type that Textf does not know.
type errText string

func TestLines(t *testing.T) {
	got := Lines("a\tb\r\nc\x1b[m\n\n")
	if len(got) != 2 || got[0].String() != "a    b" || got[1].String() != `c\x1b[m` {
		t.Errorf("got %q", got)
	}
	if Lines("") != nil || Lines("\n") != nil {
		t.Error("nothing has lines")
	}
}

func FuzzClean(f *testing.F) {
	for _, s := range []string{"", "a", "\x1b[31m", "\u009b", "e\u0301\u0301\u0301", "\xff\xfe", "\U000e0041", "日本", strings.Repeat("\u202e", 300)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := Clean(s).String()
		if !utf8.ValidString(got) {
			t.Fatalf("not UTF-8: %q", got)
		}
		marks, n := 0, 0
		for _, r := range got {
			n++
			if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) && !harmless(r) || unicode.Is(unicode.Co, r) || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r) {
				t.Fatalf("%U in %q", r, got)
			}
			if !unicode.Is(unicode.Mn, r) && !unicode.Is(unicode.Me, r) {
				marks = 0
			} else if marks++; marks > combiningLimit {
				t.Fatalf("%d marks on one letter in %q", marks, got)
			}
		}
		// An escape is as long as it has to be, and each letter may carry marks.
		if n > (textLimit+1)*10 {
			t.Fatalf("%d runes", n)
		}
		if again := Clean(got).String(); n <= textLimit && again != got {
			t.Fatalf("cleaned twice: %q, once: %q", again, got)
		}
	})
}

// harmless are format characters that are visible or only join letters of
// their own script.
func harmless(r rune) bool {
	switch {
	case r >= 0x0600 && r <= 0x0605, r == 0x06dd, r == 0x070f, r == 0x0890, r == 0x0891, r == 0x08e2:
		return true
	case r == 0x110bd, r == 0x110cd, r >= 0x13430 && r <= 0x1343f:
		return true
	}
	return false
}
