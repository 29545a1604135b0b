package ui

import "fmt"

// ink is what a foreground means. Meaning first: the same ink is another
// colour on a dark and on a light terminal, and none without colours.
type ink uint8

// The inks. bold is added to any of them.
const (
	inkText  ink = iota // to read
	inkName             // the name of a thing: brightest
	inkSub              // second reading: labels, units
	inkFaint            // may recede: lines, what is to come
	inkDone
	inkBusy
	inkBad
	inkAsk
	inkWait
	inkKey
	inkCount

	bold ink = 0x80
)

// ground is a background.
type ground uint8

// The grounds. groundNone is the terminal's own.
const (
	groundNone   ground = iota
	groundBar           // header and keys
	groundCursor        // the row under the cursor
	groundCount
)

type rgb struct{ r, g, b uint8 }

// palette holds the values for one kind of terminal. They are chosen so that
// the nearest of 256 colours is a grey where they are near a grey.
type palette struct {
	ink    [inkCount]rgb
	ground [groundCount]rgb // [groundNone] is not written, tests measure against it
}

var darkPalette = palette{
	ink: [inkCount]rgb{
		inkText:  {0xd0, 0xd4, 0xda},
		inkName:  {0xff, 0xff, 0xff},
		inkSub:   {0xa3, 0xa7, 0xb0},
		inkFaint: {0x8a, 0x8e, 0x98},
		inkDone:  {0x9b, 0xd2, 0x59},
		inkBusy:  {0x74, 0xb0, 0xff},
		inkBad:   {0xff, 0x79, 0x85},
		inkAsk:   {0xcf, 0x9b, 0xff},
		inkWait:  {0xff, 0xc6, 0x5c},
		inkKey:   {0x74, 0xb0, 0xff},
	},
	ground: [groundCount]rgb{{0x12, 0x12, 0x18}, {0x1e, 0x21, 0x28}, {0x30, 0x34, 0x3c}},
}

var lightPalette = palette{
	ink: [inkCount]rgb{
		inkText:  {0x30, 0x32, 0x36},
		inkName:  {0x00, 0x00, 0x00},
		inkSub:   {0x5c, 0x60, 0x68},
		inkFaint: {0x74, 0x7b, 0x8a},
		inkDone:  {0x1f, 0x6b, 0x12},
		inkBusy:  {0x0f, 0x52, 0xc4},
		inkBad:   {0xb8, 0x12, 0x2b},
		inkAsk:   {0x74, 0x27, 0xb8},
		inkWait:  {0x82, 0x53, 0x00},
		inkKey:   {0x0f, 0x52, 0xc4},
	},
	ground: [groundCount]rgb{{0xff, 0xff, 0xff}, {0xee, 0xf0, 0xf5}, {0xdf, 0xe3, 0xea}},
}

// theme is a palette made ready to write, with the glyphs that go with it.
// It is never changed after newTheme: its pointer is part of cache keys.
type theme struct {
	pal   palette
	glyph glyphs
	ascii bool
	sgr   [groundCount][2 * inkCount]string
}

// newTheme prepares a theme. mono says that the terminal shows no colours:
// glyphs then carry what colour would.
func newTheme(dark, ascii, mono bool) *theme {
	t := &theme{pal: lightPalette, ascii: ascii, glyph: newGlyphs(ascii, mono)}
	if dark {
		t.pal = darkPalette
	}
	for g := range groundCount {
		for i := range inkCount {
			c := t.pal.ink[i]
			s := fmt.Sprintf("38;2;%d;%d;%d", c.r, c.g, c.b)
			if g != groundNone {
				b := t.pal.ground[g]
				s += fmt.Sprintf(";48;2;%d;%d;%d", b.r, b.g, b.b)
			}
			t.sgr[g][i] = "\x1b[0;" + s + "m"
			t.sgr[g][inkCount+i] = "\x1b[0;1;" + s + "m"
		}
	}
	return t
}

// style returns the escape sequence of ink k on ground g.
func (t *theme) style(g ground, k ink) string {
	if k&bold != 0 {
		return t.sgr[g][inkCount+k&^bold]
	}
	return t.sgr[g][k]
}

// on returns the escape sequence of ink k on the colour of another ink: the
// cell of a bar in which two colours meet.
func (t *theme) on(k, under ink) string {
	a, b := t.pal.ink[k&^bold], t.pal.ink[under&^bold]
	return fmt.Sprintf("\x1b[0;38;2;%d;%d;%d;48;2;%d;%d;%dm", a.r, a.g, a.b, b.r, b.g, b.b)
}
