package cell

import (
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/ui/theme"
)

func TestHostileTextStaysInItsRow(t *testing.T) {
	for _, s := range []string{"\x1b[31mred", "a\nb", "\u202eback", "wide 名前 name", "family 👩‍👩‍👧", "flag 🇩🇪", "thumb 👍🏽", strings.Repeat("x", 5000), "e\u0301\u0301\u0301\u0301", "\u009b31m"} {
		th := theme.New(true, false, false)
		for _, n := range []int{0, 1, 7, 8, 20, 80} {
			r := NewRow(th, n, theme.Cursor).Text(theme.Text, engine.Clean(s))
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

// What is taken for plain has one cell for each character, by all measures, whatever is
// beside it; and what the program writes is plain.
func TestPlainTextHasOneCellForEachCharacter(t *testing.T) {
	plain := []rune(ownCharacters)
	for r := rune(1); r < 0x10000; r++ {
		if isPlain(string(r)) && !slices.Contains(plain, r) {
			plain = append(plain, r)
		}
	}
	for _, a := range plain {
		if !isPlain(string(a)) {
			t.Errorf("%q is not plain", a)
		}
		for _, b := range plain {
			if s := string([]rune{a, b}); ansi.StringWidth(s) != 2 || ansi.StringWidthWc(s) != 2 {
				t.Fatalf("%q has %d cells, or %d", s, ansi.StringWidth(s), ansi.StringWidthWc(s))
			}
		}
	}
	for _, s := range []string{"名", "e\u0301", "\t", "\u202e", "👍", "\xff"} {
		if isPlain(s) {
			t.Errorf("%q is plain", s)
		}
	}
}

// TestWhatDoesNotFitEndsWithAWord checks that lines that leave something out end with a whole word.
func TestWhatDoesNotFitEndsWithAWord(t *testing.T) {
	th := theme.New(true, false, false)
	for n := 12; n < 40; n++ {
		lines := WrapString(th, "Needs a new run: this run stays on snapshot 13, whatever is changed.", n, 1)
		last, cut := strings.CutSuffix(lines[0], "…")
		if words := " Needs a new run: this run stays on snapshot 13, whatever is changed. "; !cut || !strings.Contains(words, " "+last+" ") || Width(lines[0]) > n {
			t.Errorf("%d cells: %q", n, lines[0])
		}
	}
}

// A phrase says what before it says where, and keeps the name of a stage at its end; any other
// last word says nothing alone.
func TestCutPhrase(t *testing.T) {
	th := theme.New(true, false, false)
	for _, c := range []struct {
		phrase, place string
		n             int
		want          string
	}{
		{"webhook denied Deployment on weu-canary-1", "weu-canary-1", 41, "webhook denied Deployment on weu-canary-1"},
		{"webhook denied Deployment on weu-canary-1", "weu-canary-1", 40, "webhook denied Deployment on weu-canary…"},
		{"webhook denied Deployment on weu-canary-1", "weu-canary-1", 33, "webhook denied Deployment on weu…"},
		{"webhook denied Deployment on weu-canary-1", "weu-canary-1", 32, "webhook denied Deployment…"},
		{"webhook denied Deployment on weu-canary-1", "weu-canary-1", 26, "webhook denied Deployment…"},
		{"webhook denied Deployment on weu-canary-1", "weu-canary-1", 25, "webhook denied Deployment"},
		{"webhook denied Deployment on weu-canary-1", "weu-canary-1", 20, "webhook denied Depl…"},
		{"no heartbeat from wus-prod-1", "wus-prod-1", 20, "no heartbeat…"},
		{"no heartbeat from wus-prod-1", "wus-prod-1", 24, "no heartbeat from wus-p…"},
		{"timed wait after the stage canary", "canary", 24, "timed wait after… canary"},
		{"timed wait after the stage canary-of-all-regions", "canary-of-all-regions", 24, "timed wait after the st…"},
		{"snapshot does not exist", "", 20, "snapshot does not e…"},
		{"competes with another run", "", 24, "competes with another r…"},
		{"another run holds weu-1", "weu-1", 20, "another run h… weu-1"},
		{"approve", "", 5, "appr…"},
		{"on weu-canary-1", "weu-canary-1", 9, "on weu-c…"},
	} {
		if got := CutPhrase(th, c.phrase, c.place, c.n); got != c.want || Width(got) > c.n {
			t.Errorf("%q in %d cells is %q, want %q", c.phrase, c.n, got, c.want)
		}
	}
}
