// Package theme holds how the screen looks: foregrounds and backgrounds by
// meaning, the palettes that give them colours, and the glyphs that say without
// colour what colour says. A palette and a set of glyphs are data; Lip Gloss
// makes styles of them.
package theme

import (
	"image/color"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/stagewatch/stagewatch/keymap"
)

// Style is what a foreground means. Meaning first: the same style is another
// colour on a dark and on a light terminal, and none without colours. Bold and Reverse are
// added to any of them.
type Style uint8

// The styles.
const (
	Text  Style = iota // to read
	Name               // the name of a thing: brightest
	Sub                // second reading: labels, units
	Faint              // may recede: heads of tables, lines, pending stages; still readable
	Done
	Busy
	Bad
	Ask
	Wait
	Key
	styleCount

	Bold    Style = 0x80
	Reverse Style = 0x40 // foreground and background exchanged: as readable as before
)

// Surface is a background.
type Surface uint8

// The surfaces. Plain is the terminal's own.
const (
	Plain  Surface = iota
	Bar            // header and keys
	Cursor         // the row under the cursor
	surfaceCount
)

// Theme is a palette made ready to write, with the glyphs that go with it.
// It is never changed after New: its pointer is part of cache keys.
type Theme struct {
	Glyph Glyphs
	ASCII bool
	pal   palette
	keys  keymap.Map // the default ones if it has none
	// The cell writer changes the style within a line, which Style.Render does
	// not: it takes 2 µs and 8 allocations a word, and a screen has 500 of them.
	sequences [surfaceCount][4 * styleCount]string
	blends    [styleCount][styleCount]string
}

// New prepares a theme. mono says that the terminal shows no colours:
// glyphs then carry what colour would.
func New(dark, ascii, mono bool) *Theme {
	if dark {
		return prepare(darkPalette, ascii, mono)
	}
	return prepare(lightPalette, ascii, mono)
}

// prepare makes a palette ready to write.
func prepare(pal palette, ascii, mono bool) *Theme {
	t := &Theme{pal: pal, ASCII: ascii, Glyph: newGlyphs(ascii, mono)}
	var colours [styleCount]color.Color
	for k := range styleCount {
		colours[k] = lipgloss.Color(pal.styles[k])
	}
	for g := range surfaceCount {
		behind := color.Color(lipgloss.NoColor{})
		if g != Plain {
			behind = lipgloss.Color(pal.surfaces[g])
		}
		for k, c := range colours {
			for _, more := range []Style{0, Bold, Reverse, Bold | Reverse} {
				t.sequences[g][index(Style(k)|more)] = sequence(c, behind, more)
			}
		}
	}
	for k, c := range colours {
		for under, behind := range colours {
			t.blends[k][under] = sequence(c, behind, 0)
		}
	}
	return t
}

// WithKeys returns the theme for a screen with other keys than the default ones.
func (t *Theme) WithKeys(keys keymap.Map) *Theme {
	out := *t
	out.keys = keys
	return &out
}

// Key returns the present key of an action by its name, as it is shown.
func (t *Theme) Key(action string) string { return t.KeyName(t.keys.OrDefault().Shown(action)) }

// Of returns style k on surface g as a style of Lip Gloss.
func (t *Theme) Of(g Surface, k Style) lipgloss.Style {
	s := lipgloss.NewStyle().Foreground(lipgloss.Color(t.pal.styles[k.plain()])).Bold(k&Bold != 0).Reverse(k&Reverse != 0)
	if g != Plain {
		s = s.Background(lipgloss.Color(t.pal.surfaces[g]))
	}
	return s
}

// sequence returns the escape sequence that resets, then begins the style of Of with these colours.
// A theme has 220, so it renders no text to build them.
func sequence(foreground, background color.Color, k Style) string {
	s := ansi.NewStyle().Reset()
	if k&Bold != 0 {
		s = s.Bold()
	}
	if k&Reverse != 0 {
		s = s.Reverse(true)
	}
	if foreground != (lipgloss.NoColor{}) {
		s = s.ForegroundColor(foreground)
	}
	if background != (lipgloss.NoColor{}) {
		s = s.BackgroundColor(background)
	}
	return s.String()
}

// Sequence returns the escape sequence of style k on surface g.
func (t *Theme) Sequence(g Surface, k Style) string {
	return t.sequences[g][index(k)]
}

// plain is the style without what is added to it.
func (k Style) plain() Style { return k &^ (Bold | Reverse) }

// index is the place of a style among the sequences of a surface.
func index(k Style) int { return int(k>>6)*int(styleCount) + int(k.plain()) }

// Blend returns the escape sequence of style k on the colour of another style: the
// cell of a bar in which two colours meet.
func (t *Theme) Blend(k, under Style) string { return t.blends[k.plain()][under.plain()] }

// Behind returns what lies behind a dialog: the same text, receding, without meaning in
// its colours. Without colours it is faint.
func (t *Theme) Behind(text string) string {
	s := lipgloss.NewStyle().Foreground(lipgloss.Color(t.pal.behind)).Faint(t.Glyph.Mono)
	lines := strings.Split(ansi.Strip(text), "\n")
	for i, l := range lines {
		if l = strings.TrimRight(l, " "); l != "" {
			lines[i] = s.Render(l)
		}
	}
	return strings.Join(lines, "\n")
}

// Paint puts a line that Lip Gloss rendered on a surface: blanks between styled words
// have no background of their own.
func (t *Theme) Paint(g Surface, line string) string {
	const reset = "\x1b[m"
	return t.Sequence(g, Text) + strings.ReplaceAll(line, reset, reset+t.Sequence(g, Text)) + reset
}
