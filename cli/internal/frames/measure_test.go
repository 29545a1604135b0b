package frames

import (
	"testing"
	"unicode/utf8"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

// A character that is not disputed has the same cells however they are counted, alone and
// beside any other.
func TestCharactersThatAreNotDisputed(t *testing.T) {
	var all []rune
	for r := range rune(utf8.MaxRune + 1) {
		if utf8.ValidRune(r) && !isDisputed(r) {
			all = append(all, r)
		}
	}
	if len(all) < 1500 {
		t.Fatalf("%d characters", len(all))
	}
	for i, r := range all {
		for _, s := range []string{string(r), "1" + string(r), string([]rune{r, all[(i*7)%len(all)]}), string([]rune{'a', r, all[(i*31)%len(all)], 'b'})} {
			if a, b := ansi.StringWidth(s), ansi.StringWidthWc(s); a != b {
				t.Errorf("%q has %d cells, or %d", s, a, b)
			}
		}
	}
}

// Cells are counted by characters only while a view, or the one before it, has characters on
// which terminals disagree; and as clusters on a terminal that says that it does.
func TestCellsAreCountedAsTheTerminalCounts(t *testing.T) {
	plain, family := "run ✓ › ▌ █ · …", "run 👨‍👩‍👧"
	for _, c := range []struct {
		name      string
		graphemes bool
		views     []string
		want      ansi.Method
	}{
		{"plain", false, []string{plain}, ansi.GraphemeWidth},
		{"disputed", false, []string{plain, family}, ansi.WcWidth},
		{"after a disputed one", false, []string{family, plain}, ansi.WcWidth},
		{"two views after it", false, []string{family, plain, plain + "!"}, ansi.GraphemeWidth},
		{"a terminal that counts clusters", true, []string{family}, ansi.GraphemeWidth},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSurface(nil)
			n := next{terminal: terminal{width: columns, height: rows, profile: colorprofile.TrueColor, graphemes: c.graphemes}}
			for _, v := range c.views {
				n.view = view(v)
				s.frame(&n)
			}
			if s.cells.Method != c.want {
				t.Errorf("method %d, want %d", s.cells.Method, c.want)
			}
		})
	}
}
