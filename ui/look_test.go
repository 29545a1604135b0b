package ui

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

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
		for k := range inkCount {
			least := 4.5
			if k == inkFaint {
				least = 3
			}
			for _, bg := range append(tt.own, tt.pal.ground[groundBar], tt.pal.ground[groundCursor]) {
				if got := contrast(tt.pal.ink[k], bg); got < least {
					t.Errorf("%s: ink %d on %x has %.2f, want %.1f", tt.name, k, bg, got, least)
				}
			}
		}
	}
}

func TestEveryStateHasItsGlyph(t *testing.T) {
	for name, g := range map[string]glyphs{"unicode": newGlyphs(false, false), "mono": newGlyphs(false, true), "ascii": newGlyphs(true, true)} {
		check := func(what, s string) {
			if ansi.StringWidth(s) != 1 || ansi.StringWidthWc(s) != 1 {
				t.Errorf("%s: %s is %q, want one cell", name, what, s)
			}
		}
		for w := engine.WordUnknown; w <= engine.WordUnreadable; w++ {
			check(w.String(), g.words[w])
		}
		for s := engine.ClusterComing; s <= engine.ClusterRemoved; s++ {
			check(s.String(), g.states[s])
		}
		for s := engine.GateComing; s <= engine.GateSkipped; s++ {
			for _, timed := range []bool{false, true} {
				mark, _ := g.gateMark(engine.GateView{State: s, Timed: timed})
				check("gate "+s.String(), mark)
			}
		}
		seen := map[string]bool{g.threadDone: true}
		if g.mono && (seen[g.threadBusy] || seen[g.threadBad] || seen[g.threadRest]) {
			t.Errorf("%s: without colours the parts of a thread look the same", name)
		}
	}
}

func TestHostileTextStaysInItsRow(t *testing.T) {
	for _, s := range []string{"\x1b[31mred", "a\nb", "\u202eback", "wide 名前 name", "family 👩‍👩‍👧", "flag 🇩🇪", "thumb 👍🏽", strings.Repeat("x", 5000), "e\u0301\u0301\u0301\u0301", "\u009b31m"} {
		th := newTheme(true, false, false)
		for _, n := range []int{0, 1, 7, 8, 20, 80} {
			r := newRow(th, n, groundCursor).text(inkText, engine.Clean(s))
			line := r.String()
			if a, b := ansi.StringWidth(line), ansi.StringWidthWc(line); a != n || b != n {
				t.Errorf("%q in %d cells takes %d or %d", s, n, a, b)
			}
			if strings.ContainsAny(ansi.Strip(line), "\x1b\n\r\u202e\u009b") {
				t.Errorf("%q got through: %q", s, line)
			}
		}
	}
}

func TestThreadsTellTheTruth(t *testing.T) {
	th := newTheme(true, false, true)
	for total := range 12 {
		for done := 0; done <= total; done++ {
			for bad := 0; done+bad <= total; bad++ {
				for busy := 0; done+bad+busy <= total; busy++ {
					for _, n := range []int{1, 2, 5, 30} {
						r := newRow(th, 100, groundNone)
						th.stretch(r, done, busy, bad, total, n, false)
						s := ansi.Strip(r.String())
						if ansi.StringWidth(s) != n {
							t.Fatalf("%d cells, want %d", ansi.StringWidth(s), n)
						}
						if bad > 0 && !strings.Contains(s, th.glyph.threadBad) {
							t.Fatalf("done %d busy %d bad %d of %d in %d hides the trouble: %s", done, busy, bad, total, n, s)
						}
						if done < total && strings.Count(s, th.glyph.threadDone) == n {
							t.Fatalf("done %d of %d in %d looks done: %s", done, total, n, s)
						}
					}
				}
			}
		}
	}
}

func TestThreadFillsItsCells(t *testing.T) {
	th := newTheme(true, false, false)
	for _, v := range sampleRuns() {
		for n := 1; n < 90; n += 4 {
			r := newRow(th, 200, groundNone)
			th.thread(r, v, n)
			if r.w != n {
				t.Errorf("%s: %d cells, want %d", v.ID.Title(), r.w, n)
			}
		}
	}
}

func TestDurations(t *testing.T) {
	for _, tt := range []struct {
		in          time.Duration
		short, long string
	}{
		{-time.Hour, "0s", "0s"},
		{42 * time.Second, "42s", "42s"},
		{99 * time.Second, "99s", "1m39s"},
		{100 * time.Second, "1m", "1m40s"},
		{14*time.Minute + 13*time.Second, "14m", "14m13s"},
		{99 * time.Minute, "99m", "1h39m"},
		{3*time.Hour + 5*time.Minute, "3h", "3h05m"},
		{52 * time.Hour, "2d", "2d4h"},
		{4000 * time.Hour, "166d", "166d16h"},
	} {
		if s, l := short(tt.in), long(tt.in); s != tt.short || l != tt.long {
			t.Errorf("%v: %s and %s, want %s and %s", tt.in, s, l, tt.short, tt.long)
		}
	}
}

func TestAgesNeverGoBackwards(t *testing.T) {
	s := sample()
	s.Skew = -time.Hour
	m, _ := start(t, 100, 30, s)
	if m.hubNow().Before(s.At) {
		t.Error("the present lies before the data")
	}
	if d := m.since(t0.Add(time.Hour)); d != 0 {
		t.Errorf("age of something to come is %v", d)
	}
}

func TestFilter(t *testing.T) {
	for _, tt := range []struct {
		text string
		want string // names of runs that are listed
	}{
		{"", "all"},
		{"example", "example-run nginx? no"},
		{"state:stuck", "example-run"},
		{"STATE:Stuck", "example-run"},
		{"state:not-accepted", "web-app-rollout"},
		{"ns:my-app", "web-app-rollout"},
		{"run:*-r1 !state:failed", "new-r1 old-r1"},
		{"stage:prod", "cert-mgr-r9"},
		{"cluster:member1", "example-run"},
		{"cluster:mem*6", "nginx-r12"},
		{"state:slow", "cache-r5"},
		{"run:my-app/*", "web-app-rollout"},
		{"[", ""},
		{"!", "all"},
	} {
		f := newFilter(tt.text)
		var got []string
		for _, v := range sampleRuns() {
			if f.run(v) {
				got = append(got, v.ID.Name().String())
			}
		}
		switch want := strings.Fields(tt.want); {
		case tt.want == "all":
			if len(got) != len(sampleRuns()) {
				t.Errorf("%q lists %v, want all", tt.text, got)
			}
		case tt.text == "example":
			if len(got) != 2 {
				t.Errorf("%q lists %v", tt.text, got)
			}
		default:
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%q lists %v, want %v", tt.text, got, want)
			}
		}
	}
}
