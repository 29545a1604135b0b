package theme

import (
	"math"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/stagewatch/stagewatch/engine"
)

// luminance and contrast are those of WCAG 2.
func luminance(c rgb) float64 {
	f := func(v uint8) float64 {
		x := float64(v) / 255
		if x <= 0.03928 {
			return x / 12.92
		}
		return math.Pow((x+0.055)/1.055, 2.4)
	}
	return 0.2126*f(c.r) + 0.7152*f(c.g) + 0.0722*f(c.b)
}

func contrast(a, b rgb) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func TestContrast(t *testing.T) {
	for _, tt := range []struct {
		name string
		pal  palette
		own  []rgb // backgrounds that terminals of this kind have
	}{
		{"dark", darkPalette, []rgb{{0, 0, 0}, {0x12, 0x12, 0x18}, {0x1e, 0x1e, 0x1e}, {0x28, 0x2c, 0x34}}},
		{"light", lightPalette, []rgb{{0xff, 0xff, 0xff}, {0xfa, 0xfa, 0xfa}, {0xfd, 0xf6, 0xe3}}},
	} {
		for k := range styleCount {
			least := 4.5
			if k == Faint {
				least = 3
			}
			for _, bg := range append(tt.own, tt.pal.surfaces[Bar], tt.pal.surfaces[Cursor]) {
				if got := contrast(tt.pal.styles[k], bg); got < least {
					t.Errorf("%s: style %d on %x has %.2f, want %.1f", tt.name, k, bg, got, least)
				}
			}
		}
	}
}

func TestEveryStateHasItsGlyph(t *testing.T) {
	for name, g := range map[string]Glyphs{"unicode": newGlyphs(false, false), "mono": newGlyphs(false, true), "ascii": newGlyphs(true, true)} {
		check := func(what, s string) {
			if ansi.StringWidth(s) != 1 || ansi.StringWidthWc(s) != 1 {
				t.Errorf("%s: %s is %q, want one cell", name, what, s)
			}
		}
		for w := engine.WordUnknown; w <= engine.WordUnreadable; w++ {
			check(w.String(), g.Words[w])
		}
		for s := engine.ClusterComing; s <= engine.ClusterRemoved; s++ {
			check(s.String(), g.States[s])
		}
		for s := engine.GateComing; s <= engine.GateSkipped; s++ {
			for _, timed := range []bool{false, true} {
				mark, _ := g.GateMark(engine.GateView{State: s, Timed: timed})
				check("gate "+s.String(), mark)
			}
		}
		seen := map[string]bool{g.LineDone: true}
		if g.Mono && (seen[g.LineBusy] || seen[g.LineBad] || seen[g.LineRest]) {
			t.Errorf("%s: without colours the parts of a thread look the same", name)
		}
	}
}
