package theme

import "fmt"

// Style is what a foreground means. Meaning first: the same style is another
// colour on a dark and on a light terminal, and none without colours.
type Style uint8

// The styles. Bold is added to any of them.
const (
	Text  Style = iota // to read
	Name               // the name of a thing: brightest
	Sub                // second reading: labels, units
	Faint              // may recede: lines, what is to come
	Done
	Busy
	Bad
	Ask
	Wait
	Key
	styleCount

	Bold Style = 0x80
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

type rgb struct{ r, g, b uint8 }

// palette holds the values for one kind of terminal. They are chosen so that
// the nearest of 256 colours is a grey where they are near a grey.
type palette struct {
	styles   [styleCount]rgb
	surfaces [surfaceCount]rgb // [Plain] is not written, tests measure against it
}

var darkPalette = palette{
	styles: [styleCount]rgb{
		Text:  {0xd0, 0xd4, 0xda},
		Name:  {0xff, 0xff, 0xff},
		Sub:   {0xa3, 0xa7, 0xb0},
		Faint: {0x8a, 0x8e, 0x98},
		Done:  {0x9b, 0xd2, 0x59},
		Busy:  {0x74, 0xb0, 0xff},
		Bad:   {0xff, 0x79, 0x85},
		Ask:   {0xcf, 0x9b, 0xff},
		Wait:  {0xff, 0xc6, 0x5c},
		Key:   {0x74, 0xb0, 0xff},
	},
	surfaces: [surfaceCount]rgb{{0x12, 0x12, 0x18}, {0x1e, 0x21, 0x28}, {0x30, 0x34, 0x3c}},
}

var lightPalette = palette{
	styles: [styleCount]rgb{
		Text:  {0x30, 0x32, 0x36},
		Name:  {0x00, 0x00, 0x00},
		Sub:   {0x5c, 0x60, 0x68},
		Faint: {0x74, 0x7b, 0x8a},
		Done:  {0x1f, 0x6b, 0x12},
		Busy:  {0x0f, 0x52, 0xc4},
		Bad:   {0xb8, 0x12, 0x2b},
		Ask:   {0x74, 0x27, 0xb8},
		Wait:  {0x82, 0x53, 0x00},
		Key:   {0x0f, 0x52, 0xc4},
	},
	surfaces: [surfaceCount]rgb{{0xff, 0xff, 0xff}, {0xee, 0xf0, 0xf5}, {0xdf, 0xe3, 0xea}},
}

// Theme is a palette made ready to write, with the Glyphs that go with it.
// It is never changed after New: its pointer is part of cache keys.
type Theme struct {
	pal   palette
	Glyph Glyphs
	ASCII bool
	sgr   [surfaceCount][2 * styleCount]string
}

// New prepares a theme. mono says that the terminal shows no colours:
// Glyphs then carry what colour would.
func New(dark, ascii, mono bool) *Theme {
	t := &Theme{pal: lightPalette, ASCII: ascii, Glyph: newGlyphs(ascii, mono)}
	if dark {
		t.pal = darkPalette
	}
	for g := range surfaceCount {
		for i := range styleCount {
			c := t.pal.styles[i]
			s := fmt.Sprintf("38;2;%d;%d;%d", c.r, c.g, c.b)
			if g != Plain {
				b := t.pal.surfaces[g]
				s += fmt.Sprintf(";48;2;%d;%d;%d", b.r, b.g, b.b)
			}
			t.sgr[g][i] = "\x1b[0;" + s + "m"
			t.sgr[g][styleCount+i] = "\x1b[0;1;" + s + "m"
		}
	}
	return t
}

// Sequence returns the escape sequence of style k on surface g.
func (t *Theme) Sequence(g Surface, k Style) string {
	if k&Bold != 0 {
		return t.sgr[g][styleCount+k&^Bold]
	}
	return t.sgr[g][k]
}

// Blend returns the escape sequence of style k on the colour of another style: the
// cell of a bar in which two colours meet.
func (t *Theme) Blend(k, under Style) string {
	a, b := t.pal.styles[k&^Bold], t.pal.styles[under&^Bold]
	return fmt.Sprintf("\x1b[0;38;2;%d;%d;%d;48;2;%d;%d;%dm", a.r, a.g, a.b, b.r, b.g, b.b)
}
