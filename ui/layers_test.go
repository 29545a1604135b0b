package ui

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// What lies behind a dialog or the commands recedes: it is there, and none of it has a
// colour of its own.
func TestWhatLiesBehindRecedes(t *testing.T) {
	for _, key := range []string{"S", ":"} {
		m, _ := start(t, 120, 40, sample())
		row := func() string {
			for l := range strings.SplitSeq(m.View().Content, "\n") {
				if strings.Contains(ansi.Strip(l), "NOT ACCEPTED") {
					return l
				}
			}
			return ""
		}
		was := row()
		press(m, key)
		now := row()
		if was == "" || now == "" || !strings.Contains(ansi.Strip(was), strings.TrimSpace(ansi.Strip(now))) {
			t.Fatalf("%s: the row behind is %q, was %q", key, ansi.Strip(now), ansi.Strip(was))
		}
		if n := strings.Count(now, "38;2;"); n != 1 {
			t.Errorf("%s: %d colours behind: %q", key, n, now)
		}
		press(m, "esc")
		if row() != was {
			t.Errorf("%s: the row still recedes", key)
		}
	}
}
