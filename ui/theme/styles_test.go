package theme

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"github.com/stagewatch/stagewatch/engine"
)

func TestContrast(t *testing.T) {
	for _, tt := range []struct {
		name string
		pal  palette
		own  []string // backgrounds that terminals of this kind have
	}{
		{"dark", darkPalette, []string{"#000000", "#121218", "#1e1e1e", "#282c34"}},
		{"light", lightPalette, []string{"#ffffff", "#fafafa", "#fdf6e3"}},
	} {
		readable(t, tt.name, &tt.pal, tt.own...)
	}
	for i := range themes {
		n := &themes[i]
		own := "#ffffff"
		if n.dark {
			own = "#000000"
		}
		if n.name != "ansi" && n.name != "dark" && n.name != "light" { // the first has the terminal's colours
			readable(t, n.name, &n.pal, own, n.pal.surfaces[Plain])
		}
	}
}

// readable checks the contrast of a palette on the backgrounds of terminals, and on its own.
func readable(t *testing.T, name string, pal *palette, own ...string) {
	t.Helper()
	for k := range styleCount {
		for _, bg := range append(own, pal.surfaces[Bar], pal.surfaces[Cursor]) {
			if got, ok := contrast(pal.styles[k], bg); !ok || got < readableFrom {
				t.Errorf("%s: style %d on %s has %.2f, want %.1f", name, k, bg, got, readableFrom)
			}
		}
	}
}

// TestNamed: every theme can be made, an unknown one is the default, and mono writes no
// colour and has its own shapes.
func TestNamed(t *testing.T) {
	plain := New(true, false, false)
	for _, name := range Names() {
		th := Named(name, nil, true, false, false)
		if same := th.Sequence(Plain, Bad) == plain.Sequence(Plain, Bad); same != (name == Default || name == "dark") {
			t.Errorf("%s has the colours of the default: %v", name, same)
		}
		if name == Mono && (strings.Contains(th.Sequence(Bar, Bad), "38;") || !th.Glyph.Mono) {
			t.Errorf("mono writes %q", th.Sequence(Bar, Bad))
		}
	}
	if th := Named("nothing", nil, false, false, false); th.Sequence(Plain, Bad) != New(false, false, false).Sequence(Plain, Bad) {
		t.Error("an unknown theme is not the default")
	}
}

// TestTheColoursOfALightTerminal: of the terminal's own 16 colours, those can be read on a light
// terminal that are neither bright nor yellow nor white, and stuck, done and updating differ.
func TestTheColoursOfALightTerminal(t *testing.T) {
	own := []Own{{Name: "mine", Base: "ansi"}}
	for _, name := range []string{"ansi", "mine"} {
		dark, light := Named(name, own, true, false, false), Named(name, own, false, false, false)
		if dark.pal.styles[Text] != "7" {
			t.Errorf("%s: on a dark terminal, text is %s", name, dark.pal.styles[Text])
		}
		for k := range styleCount {
			if c := light.pal.styles[k]; !slices.Contains([]string{"0", "1", "2", "4", "5", "6", "8"}, c) || c == light.pal.surfaces[Cursor] {
				t.Errorf("%s: on a light terminal, style %d is %s", name, k, c)
			}
		}
		if p := light.pal.styles; p[Bad] == p[Done] || p[Done] == p[Busy] || p[Bad] == p[Busy] {
			t.Errorf("%s: on a light terminal, two of %v are the same", name, p)
		}
	}
}

// TestPartsOfTheStageLineDifferInShape with colours, too: stuck, done and updating.
func TestPartsOfTheStageLineDifferInShape(t *testing.T) {
	for name, g := range map[string]Glyphs{"unicode": newGlyphs(false, false), "mono": newGlyphs(false, true), "ascii": newGlyphs(true, false)} {
		parts := map[string]bool{g.LineDone: true, g.LineBusy: true, g.LineBad: true, g.LineRest: true}
		if len(parts) != 4 {
			t.Errorf("%s: the parts are %v", name, parts)
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
		for _, s := range g.Spinner {
			check("spinner", s)
		}
		for w := engine.WordUnknown; w <= engine.WordUnreadable; w++ {
			check(w.String(), g.Words[w])
		}
		for s := engine.ClusterComing; s <= engine.ClusterDeleted; s++ {
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

// A sequence ends the style before it and shows nothing itself.
func TestSequencesStandAlone(t *testing.T) {
	th := New(true, false, false)
	for g := range surfaceCount {
		for k := range styleCount {
			for _, s := range []string{th.Sequence(g, k), th.Sequence(g, k|Bold), th.Blend(k, Done)} {
				if !strings.HasPrefix(s, "\x1b[0;") || ansi.Strip(s) != "" {
					t.Errorf("style %d on surface %d is written as %q", k, g, s)
				}
			}
		}
	}
	if got, want := th.Sequence(Cursor, Bad|Bold), "\x1b[0;1;38;2;255;121;133;48;2;48;51;59m"; got != want {
		t.Errorf("a sequence is %q, want %q", got, want)
	}
}

// TestSequencesAreThoseOfStyles: every sequence of every theme ends a style, then begins as Lip
// Gloss begins the style of Of.
func TestSequencesAreThoseOfStyles(t *testing.T) {
	begins := func(s lipgloss.Style) string {
		before, _, _ := strings.Cut(s.Render("x"), "x")
		if before == "" {
			return "\x1b[0m"
		}
		return strings.Replace(before, "\x1b[", "\x1b[0;", 1)
	}
	for _, name := range Names() {
		for _, dark := range []bool{true, false} {
			th := Named(name, nil, dark, false, false)
			for k := range styleCount {
				for g := range surfaceCount {
					for _, more := range []Style{0, Bold, Reverse, Bold | Reverse} {
						if got, want := th.Sequence(g, k|more), begins(th.Of(g, k|more)); got != want {
							t.Errorf("%s: style %d on surface %d is %q, want %q", name, k|more, g, got, want)
						}
					}
				}
				for under := range styleCount {
					want := begins(th.Of(Plain, k).Background(lipgloss.Color(th.pal.styles[under])))
					if got := th.Blend(k, under); got != want {
						t.Errorf("%s: style %d on the colour of %d is %q, want %q", name, k, under, got, want)
					}
				}
			}
		}
	}
}

// What lies behind a dialog has one colour, and is faint where there are no colours.
func TestBehind(t *testing.T) {
	for _, mono := range []bool{false, true} {
		th := New(true, false, mono)
		got := th.Behind(th.Sequence(Plain, Bad|Bold) + "stuck  \x1b[m\n\n" + th.Sequence(Bar, Done) + "done\x1b[m")
		if ansi.Strip(got) != "stuck\n\ndone" || strings.Count(got, "38;2;") != 2 || strings.Contains(got, "48;2") || strings.Contains(got, "\x1b[2;") != mono {
			t.Errorf("mono %v: %q", mono, got)
		}
	}
}

// TestSequencesAreWhole checks that every style of every theme is one complete escape sequence: an
// incomplete one would swallow the first letter of the text.
func TestSequencesAreWhole(t *testing.T) {
	for _, name := range Names() {
		th := Named(name, nil, true, false, false)
		for k := range styleCount {
			for g := range surfaceCount {
				for _, s := range []string{th.Sequence(g, k), th.Sequence(g, k|Bold), th.Blend(k, k)} {
					if got := ansi.Strip(s + "text"); got != "text" {
						t.Errorf("%s: %q swallows text: %q", name, s, got)
					}
				}
			}
		}
	}
}

// TestOwn: a theme of the configuration has its colours, and the others of its base; without one,
// those of the terminal's background.
func TestOwn(t *testing.T) {
	own := []Own{{Name: "mine", Base: "nord", Colours: map[string]string{"problem": "#112233", "done": "10", "cursor": "#445566"}}, {Name: "bare"}}
	nord, mine := Named("nord", nil, true, false, false), Named("mine", own, true, false, false)
	if got := mine.Sequence(Cursor, Bad); got != "\x1b[0;38;2;17;34;51;48;2;68;85;102m" {
		t.Errorf("problem on cursor is %q", got)
	}
	if got := mine.Sequence(Plain, Done); got != "\x1b[0;92m" {
		t.Errorf("done is %q", got)
	}
	if mine.Sequence(Bar, Text) != nord.Sequence(Bar, Text) || mine.Sequence(Plain, Wait) != nord.Sequence(Plain, Wait) {
		t.Error("a colour that is not set is not that of the base")
	}
	if Named("bare", own, false, false, false).Sequence(Plain, Bad) != New(false, false, false).Sequence(Plain, Bad) {
		t.Error("a theme without a base does not follow the background")
	}
	if all := Names(own...); all[len(all)-1] != "bare" || len(all) != len(Names())+2 {
		t.Errorf("names: %v", all)
	}
	for s, want := range map[string]bool{"#a0B1c2": true, "0": true, "255": true, "256": false, "-1": false, "01": false, "#abc": false, "red": false, "": false} {
		if IsColour(s) != want {
			t.Errorf("%q is a colour: %v", s, !want)
		}
	}
}

// TestColourNames sets one colour of a theme after the other: it is that of what its name says, and
// of nothing else.
func TestColourNames(t *testing.T) {
	styles := map[string]Style{
		"text": Text, "name": Name, "secondary": Sub, "faint": Faint, "done": Done, "updating": Busy, "problem": Bad, "approval": Ask, "waiting": Wait, "key": Key,
	}
	surfaces := map[string]Surface{"bar": Bar, "cursor": Cursor}
	if n := len(ColourNames()); n != int(styleCount)+3 || n != len(styles)+len(surfaces)+1 {
		t.Errorf("%d names for %d styles", n, styleCount)
	}
	const colour = "#112233"
	for _, name := range ColourNames() {
		pal := (&Own{Base: "nord", Colours: map[string]string{name: colour}}).palette(true)
		want := themes[slices.IndexFunc(themes, func(n named) bool { return n.name == "nord" })].pal
		if k, ok := styles[name]; ok {
			want.styles[k] = colour
		} else if g, ok := surfaces[name]; ok {
			want.surfaces[g] = colour
		} else if name == "behind" {
			want.behind = colour
		}
		if pal != want {
			t.Errorf("%s: got %+v, want %+v", name, pal, want)
		}
	}
}

// TestOwnOnMono: a theme on mono has the shapes of mono, and the colours that it sets.
func TestOwnOnMono(t *testing.T) {
	own := []Own{{Name: "mine", Base: Mono, Colours: map[string]string{"problem": "9"}}}
	mine, mono := Named("mine", own, true, false, false), Named(Mono, nil, true, false, false)
	if !cmp.Equal(mine.Glyph, mono.Glyph, cmp.AllowUnexported(Glyphs{})) || mine.Glyph.BarBusy == mine.Glyph.BarBad {
		t.Errorf("the bars of updating and stuck are %q and %q", mine.Glyph.BarBusy, mine.Glyph.BarBad)
	}
	if got, want := mine.Behind("text"), mono.Behind("text"); got != want {
		t.Errorf("behind a dialog is %q, want %q", got, want)
	}
	if got := mine.Sequence(Plain, Bad); got != "\x1b[0;91m" {
		t.Errorf("problem is %q", got)
	}
}

// TestGreysOf256Colours checks that the greys of the default themes are greys, too, on a terminal of 256 colours.
func TestGreysOf256Colours(t *testing.T) {
	for name, pal := range map[string]palette{"dark": darkPalette, "light": lightPalette} {
		for _, k := range []Style{Text, Name, Sub, Faint} {
			if r, g, b, _ := ansi.Convert256(lipgloss.Color(pal.styles[k])).RGBA(); r != g || g != b {
				t.Errorf("%s: %s of style %d is not a grey", name, pal.styles[k], k)
			}
		}
	}
}

// TestHardToRead names the colours of a theme of the configuration that cannot be read, with the line and the
// contrast: only those that it sets, and those on a line that it sets.
func TestHardToRead(t *testing.T) {
	for _, tt := range []struct {
		name string
		own  Own
		want []string
	}{
		{"nothing set", Own{Base: "nord"}, nil},
		{"readable", Own{Base: "nord", Colours: map[string]string{"problem": "#ffffff"}}, nil},
		{"a style", Own{Base: "nord", Colours: map[string]string{"problem": "#5e6370"}}, []string{
			"problem has a contrast of 2.08 on the background, 2.36 on bar, 1.84 on cursor",
		}},
		{"a line", Own{Base: "nord", Colours: map[string]string{"cursor": "#e49ca4"}}, []string{
			"text has a contrast of 1.62 on cursor", "name has a contrast of 1.90 on cursor", "secondary has a contrast of 1.22 on cursor", "faint has a contrast of 1.01 on cursor",
			"done has a contrast of 1.07 on cursor", "updating has a contrast of 1.09 on cursor", "problem has a contrast of 1.00 on cursor", "approval has a contrast of 1.01 on cursor",
			"waiting has a contrast of 1.40 on cursor", "key has a contrast of 1.09 on cursor",
		}},
		{"the terminal's colours are not known", Own{Base: "ansi", Colours: map[string]string{"problem": "1", "cursor": "#000000"}}, nil},
		{"of the 256 colours", Own{Base: "dark", Colours: map[string]string{"waiting": "237"}}, []string{"waiting has a contrast of 1.64 on the background, 1.42 on bar, 1.11 on cursor"}},
		{"dark or light", Own{Colours: map[string]string{"problem": "#b8122b", "done": "#9bd259", "key": "#808080"}}, []string{"key has a contrast of 4.08 on bar, 3.20 on cursor"}},
	} {
		if got := tt.own.HardToRead(); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// TestContrastOf256Colours checks that every text can be read on the bar and on the line of the cursor on a
// terminal of 256 colours, too, and that both are greys that differ: the nearest colour may have another hue.
func TestContrastOf256Colours(t *testing.T) {
	of256 := func(hex string) string {
		r, g, b, _ := ansi.Convert256(lipgloss.Color(hex)).RGBA()
		return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
	}
	for i := range themes {
		n := &themes[i]
		if n.name == "ansi" { // it has the terminal's colours
			continue
		}
		for _, s := range []Surface{Bar, Cursor} {
			bg := of256(n.pal.surfaces[s])
			if bg[1:3] != bg[3:5] || bg[3:5] != bg[5:7] {
				t.Errorf("%s: surface %d, %s, is %s, want a grey", n.name, s, n.pal.surfaces[s], bg)
			}
			for k := range styleCount {
				if got, _ := contrast(of256(n.pal.styles[k]), bg); got < readableFrom {
					t.Errorf("%s: style %d is %s on %s, with a contrast of %.2f, want %.1f", n.name, k, of256(n.pal.styles[k]), bg, got, readableFrom)
				}
			}
		}
		if bar := of256(n.pal.surfaces[Bar]); bar == of256(n.pal.surfaces[Cursor]) {
			t.Errorf("%s: the bar and the line of the cursor are both %s", n.name, bar)
		}
	}
}
