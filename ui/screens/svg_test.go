package screens

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"image/color"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// The size of a cell in a picture.
const (
	cellWidth  = 8
	cellHeight = 17
)

// pen is how a run of cells is drawn.
type pen struct {
	fg, bg string
	bold   bool
}

// picture draws a screen as SVG.
func picture(t *testing.T, content string, w, h int, dark bool) []byte {
	t.Helper()
	ground, ink := "#1c1c1c", "#d0d0d0"
	if !dark {
		ground, ink = "#ffffff", "#202020"
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="13" style="white-space:pre">`+"\n", w*cellWidth+16, h*cellHeight+16)
	fmt.Fprintf(&out, `<rect width="100%%" height="100%%" rx="6" fill="%s"/>`+"\n", ground)
	p := ansi.GetParser()
	defer ansi.PutParser(p)
	var now pen
	for y, line := range strings.Split(content, "\n") {
		x, state := 0, byte(0)
		var text strings.Builder
		from := 0
		flush := func() {
			if x > from {
				draw(t, &out, now, ink, text.String(), from, x, y)
			}
			text.Reset()
			from = x
		}
		for len(line) > 0 {
			seq, width, n, next := ansi.DecodeSequence(line, state, p)
			line, state = line[n:], next
			if width > 0 {
				text.WriteString(seq)
				x += width
				continue
			}
			if command := ansi.Cmd(p.Command()); command.Final() == 'm' && strings.HasPrefix(seq, "\x1b[") {
				flush()
				now.style(t, p.Params())
			}
		}
		flush()
	}
	out.WriteString("</svg>\n")
	return out.Bytes()
}

// draw writes a run of cells.
func draw(t *testing.T, out *bytes.Buffer, p pen, ink, text string, from, to, y int) {
	t.Helper()
	left, top, width := 8+from*cellWidth, 8+y*cellHeight, (to-from)*cellWidth
	if p.bg != "" {
		fmt.Fprintf(out, `<rect x="%d" y="%d" width="%d" height="%d" fill="%s"/>`, left, top, width, cellHeight, p.bg)
	}
	trimmed := strings.TrimLeft(text, " ")
	left += (len(text) - len(trimmed)) * cellWidth
	if trimmed = strings.TrimRight(trimmed, " "); trimmed != "" {
		width = ansi.StringWidth(trimmed) * cellWidth
		if p.fg != "" {
			ink = p.fg
		}
		weight := ""
		if p.bold {
			weight = ` font-weight="bold"`
		}
		fmt.Fprintf(out, `<text x="%d" y="%d" textLength="%d" fill="%s"%s>`, left, top+13, width, ink, weight)
		if err := xml.EscapeText(out, []byte(trimmed)); err != nil {
			t.Fatal(err)
		}
		out.WriteString("</text>")
	}
	out.WriteString("\n")
}

// style applies the parameters of a sequence that changes colours.
func (p *pen) style(t *testing.T, params ansi.Params) {
	t.Helper()
	if len(params) == 0 {
		*p = pen{}
	}
	for i := 0; i < len(params); i++ {
		switch n := params[i].Param(0); {
		case n == 0:
			*p = pen{}
		case n == 1:
			p.bold = true
		case n == 22:
			p.bold = false
		case n == 39:
			p.fg = ""
		case n == 49:
			p.bg = ""
		case n == 38 || n == 48:
			var c color.Color
			read := ansi.ReadStyleColor(params[i:], &c)
			if read == 0 {
				t.Fatalf("cannot read the colour of %v", params)
			}
			r, g, b, _ := c.RGBA()
			hex := fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
			if n == 38 {
				p.fg = hex
			} else {
				p.bg = hex
			}
			i += read - 1
		case n >= 30 && n <= 37 || n >= 90 && n <= 97 || n >= 40 && n <= 47:
			t.Fatalf("the picture knows no colour %d", n)
		}
	}
}
