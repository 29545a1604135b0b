// Package engine defines the vocabulary of stagewatch and computes what is shown: snapshots of
// runs, state words, intents, pages. It is pure: no I/O, no goroutine, no clock, no terminal. Its
// input are raw objects (World), its output immutable values (Snapshot, Intent, Outcome, Answer) in
// which every text from outside is a Text (docs/architecture.md#hub-text).
package engine

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/stagewatch/stagewatch/engine/internal/keymark"
)

// textLimit is the most runes a Text keeps: enough for the longest message of
// the wire contract, small enough that a hostile one costs nothing to draw.
const textLimit = 2000

// combiningLimit is the most combining marks kept on one base character; more would paint over neighbouring rows.
const combiningLimit = 2

// Text is a string that is safe to put on a terminal: one line of valid UTF-8 without control,
// bidirectional, zero-width or private-use characters. Those are spelled out (\x1b, \u202e), so
// that they stay visible. The zero Text is empty.
type Text struct{ s string }

// literal is unexported so that other packages can pass untyped constants to
// Lit and Textf, and nothing else: a string from a hub does not compile.
type literal string

// Lit returns a Text of a constant. An action in braces, "create a new run ({clone})", is
// shown as its key on the screen (Keyed), and as its command elsewhere (String).
func Lit(l literal) Text { return Text{s: keymark.In(string(l))} }

// Literal is a string constant of the program, safe for a terminal like that of Lit. Tables use it because it compiles to data,
// and a call of Lit to code.
type Literal string

// Text returns the Text of the constant, as Lit does.
func (l Literal) Text() Text { return Lit(literal(l)) }

// Textf formats a constant format with arguments that cannot carry anything unsafe: Text, numbers, booleans, durations
// and fmt.Stringer types of this package. Any other argument is cleaned as if it came from outside.
func Textf(format literal, args ...any) Text {
	safe := make([]any, len(args))
	for i, a := range args {
		switch v := a.(type) {
		case Text:
			safe[i] = v.s
		case int, int32, int64, uint64, float64, bool, time.Duration:
			safe[i] = v
		case string:
			safe[i] = Clean(v).s
		default:
			safe[i] = Clean(fmt.Sprint(v)).s
		}
	}
	return Text{s: fmt.Sprintf(keymark.In(string(format)), safe...)}
}

// Fill puts names, cleaned, in place of the words of a Text: a word, its name, and so on.
func (t Text) Fill(names ...string) Text {
	for i := 1; i < len(names); i += 2 {
		names[i] = Clean(names[i]).s
	}
	return Text{s: strings.NewReplacer(names...).Replace(t.s)}
}

// Clean makes a Text of anything that came from outside: hub objects, kubeconfig, error strings, key presses.
func Clean(s string) Text {
	if len(s) <= textLimit && !strings.ContainsFunc(s, func(r rune) bool { return r < 0x20 || r > 0x7e }) {
		return Text{s: s}
	}
	var b strings.Builder
	b.Grow(min(len(s), textLimit) + 8)
	n, marks := 0, 0
	for i := 0; i < len(s); {
		if n >= textLimit {
			b.WriteString("…")
			break
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			b.WriteRune(utf8.RuneError)
		case visible(r) && (unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Me, r)):
			if marks++; marks <= combiningLimit && n > 0 {
				b.WriteRune(r)
			}
			i += size
			continue
		case !visible(r):
			b.WriteString(escape(r))
		default:
			b.WriteRune(r)
		}
		marks = 0
		n++
		i += size
	}
	return Text{s: b.String()}
}

// Message makes a Text of a message of a hub or a member, which may have several lines, as of
// Kyverno: a space stands for the break of a line and what indents the next.
func Message(s string) Text { return Clean(strings.Join(strings.Fields(s), " ")) }

// Lines makes Texts of something with lines of its own: logs, manifests, diffs. Everything but line breaks is cleaned.
func Lines(s string) []Text {
	s = strings.TrimRight(strings.ReplaceAll(s, "\r\n", "\n"), "\n")
	if s == "" {
		return nil
	}
	var out []Text
	for l := range strings.SplitSeq(s, "\n") {
		out = append(out, Clean(strings.ReplaceAll(l, "\t", "    ")))
	}
	return out
}

// visible reports whether a rune may reach a terminal as it is.
func visible(r rune) bool {
	switch {
	case r < 0x20, r >= 0x7f && r <= 0x9f:
		return false
	case r >= 0x200b && r <= 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x2060 && r <= 0x206f:
		return false
	case r == 0x061c, r == 0xfeff, r == 0x2028, r == 0x2029, r == 0x00ad, r == 0x180e, r == 0x115f, r == 0x1160, r == 0x3164, r == 0xffa0:
		return false
	case r >= 0xe0000 && r <= 0xe0fff, r >= 0xfe00 && r <= 0xfe0f, r >= 0xfff9 && r <= 0xfffb:
		return false
	case r >= 0xe000 && r <= 0xf8ff, r >= 0xf0000, r >= 0x1bca0 && r <= 0x1bca3, r >= 0x1d173 && r <= 0x1d17a: // private use, controls of shorthand and of music
		return false
	}
	return true
}

func escape(r rune) string {
	if r <= 0xff {
		return fmt.Sprintf(`\x%02x`, r)
	} else if r <= 0xffff {
		return fmt.Sprintf(`\u%04x`, r)
	}
	return fmt.Sprintf(`\U%08x`, r)
}

// Raw is a string as the hub spells it: for requests and comparisons, never for the screen.
type Raw struct{ s string }

// NewRaw returns the Raw of a string.
func NewRaw(s string) Raw { return Raw{s: s} }

// Value returns the string as the hub spells it.
func (r Raw) Value() string { return r.s }

// String returns the safe string: commands stand for actions. It and Keyed are the only ways out of a Text.
func (t Text) String() string { return keymark.Commands(t.s) }

// Keyed returns the safe string for the screen: key returns the present key of an action.
func (t Text) Keyed(key func(action string) string) string { return keymark.Keys(t.s, key) }

// WithCommand sets the command that stands for an action outside of the screen.
func (t Text) WithCommand(action literal, command string) Text {
	return Text{keymark.WithCommand(t.s, string(action), Clean(command).s)}
}

// Here leaves out the key of an action that leads to where the Text is shown, before words.
func (t Text) Here(action literal) Text { return Text{keymark.Here(t.s, string(action))} }

// Offers reports whether a constant of the Text has an action.
func (t Text) Offers(action literal) bool { return keymark.Offers(t.s, string(action)) }

// Clause is the text without its full stop.
func (t Text) Clause() Text { return Text{strings.TrimSuffix(t.s, ".")} }

// Without leaves out a part of the text, as it is written with its actions.
func (t Text) Without(part literal) Text { return Text{strings.Replace(t.s, Lit(part).s, "", 1)} }

// IsZero reports whether the Text is empty.
func (t Text) IsZero() bool { return t.s == "" }

// MarshalText writes String, so that a Text can stand in JSON.
func (t Text) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// Join joins Texts with a constant separator.
func Join(ts []Text, sep literal) Text {
	ss := make([]string, len(ts))
	for i, t := range ts {
		ss[i] = t.s
	}
	return Text{s: strings.Join(ss, string(sep))}
}
