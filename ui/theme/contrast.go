package theme

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"

	"github.com/stagewatch/stagewatch/engine"
)

// readableFrom is the contrast from which text can be read (WCAG 2, level AA).
const readableFrom = 4.5

// terminalColours is how many colours of the terminal follow its own theme.
const terminalColours = 16

// luminance is the relative luminance of WCAG 2.
func luminance(c color.Color) float64 {
	r, g, b, _ := c.RGBA()
	f := func(v uint32) float64 {
		x := float64(v) / 0xffff
		if x <= 0.03928 {
			return x / 12.92
		}
		return math.Pow((x+0.055)/1.055, 2.4)
	}
	return 0.2126*f(r) + 0.7152*f(g) + 0.0722*f(b)
}

// contrast is the contrast ratio of WCAG 2; ok is false if a colour is the terminal's, or none.
func contrast(a, b string) (ratio float64, ok bool) {
	for _, c := range []string{a, b} {
		if n, err := strconv.Atoi(c); c == "" || err == nil && n < terminalColours {
			return 0, false
		}
	}
	x, y := luminance(lipgloss.Color(a)), luminance(lipgloss.Color(b))
	return (max(x, y) + 0.05) / (min(x, y) + 0.05), true
}

// HardToRead says which texts of the theme cannot be read, and on what, of those that the theme changes.
// A theme that follows the background of the terminal has to be readable on one of the two.
func (o *Own) HardToRead() (out []string) {
	o.hard(func(colour string, at []low) {
		var on []string
		for _, l := range at {
			on = append(on, fmt.Sprintf("%.2f on %s", l.ratio, l.on))
		}
		out = append(out, colour+" has a contrast of "+strings.Join(on, ", "))
	})
	return out
}

// low is a contrast that is too low, and on what.
type low struct {
	ratio float64
	on    string
}

// hard gives each colour of a text that cannot be read, with its contrasts.
func (o *Own) hard(each func(colour string, at []low)) {
	dark := o.unreadable(true)
	light := dark
	if o.Base == "" || o.Base == Default {
		light = o.unreadable(false)
	}
	for i, c := range colours {
		if dark[i] != nil && light[i] != nil {
			each(c.name, dark[i])
		}
	}
}

// Brief is Warning for one line of the screen: each colour has its lowest contrast.
func (o *Own) Brief() engine.Text {
	var all []string
	o.hard(func(colour string, at []low) {
		least := slices.MinFunc(at, func(a, b low) int { return cmp.Compare(a.ratio, b.ratio) })
		all = append(all, fmt.Sprintf("%s %.1f", colour, least.ratio))
	})
	if len(all) == 0 {
		return engine.Text{}
	}
	return engine.Textf("Theme %s is hard to read: %s (contrast; %.1f is readable).", engine.Clean(o.Name), strings.Join(all, ", "), readableFrom)
}

// Warning says what HardToRead does as one sentence; empty for nothing.
func (o *Own) Warning() engine.Text {
	hard := o.HardToRead()
	if len(hard) == 0 {
		return engine.Text{}
	}
	return engine.Textf("Theme %s: %s. Readable text needs a contrast of at least %.1f.", engine.Clean(o.Name), strings.Join(hard, "; "), readableFrom)
}

// unreadable has the low contrasts of each colour of a text, with the surface.
func (o *Own) unreadable(dark bool) (out [len(colours)][]low) {
	pal := o.palette(dark)
	for g, on := range [surfaceCount]string{Plain: "the background", Bar: "bar", Cursor: "cursor"} {
		for i := range styleCount { // the colours of the styles come first
			c := &colours[i]
			ratio, ok := contrast(*c.of(&pal), pal.surfaces[g])
			if changed := o.Colours[c.name] != "" || o.Colours[on] != ""; ok && changed && ratio < readableFrom {
				out[i] = append(out[i], low{ratio, on})
			}
		}
	}
	return out
}
