package viewer

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/keymap"
	"github.com/stagewatch/stagewatch/ui/theme"
)

func logOf(q page.Question, lines int) page.Answer {
	s := page.Section{Title: engine.Lit("log of agent"), Note: engine.Textf("%d lines", lines)}
	for i := range lines {
		c := page.Cell{Text: engine.Clean(fmt.Sprintf("%d says\x1b[31m something that is long", i))}
		s.Rows = append(s.Rows, page.Row{Cells: []page.Cell{{Text: engine.Lit("22:10:00")}, c}})
	}
	return page.Answer{Question: q, Sections: []page.Section{s}}
}

// The lines of a log are wrapped. It begins at its end, which stays on the screen while it grows,
// unless one has scrolled up. An answer that fails leaves the lines.
func TestALogIsWrappedAndFollowed(t *testing.T) {
	th := theme.New(true, false, false)
	var v Viewer
	q := page.LogsQuestion{Run: engine.NewID(engine.KindClusterStagedUpdateRun, "", "r", "u")}
	v.Wait(engine.Lit("log"), q)
	shown := func() string {
		v.Resize(th, 30, 8)
		return strings.Join(screen(&v, 30, 8), "\n")
	}
	v.Answer(logOf(q, 6))
	if got := shown(); !strings.Contains(got, "5 says") || strings.Contains(got, "log of agent") {
		t.Errorf("the log does not begin at its end:\n%s", got)
	}
	v.Update(keymap.Top)
	got := shown()
	for _, want := range []string{"log of agent", `0 says\x1b[31m`, "that is long", "7/"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if strings.Contains(got, "…") {
		t.Errorf("a line of a log is cut:\n%s", got)
	}
	v.Answer(logOf(q, 7))
	if got := shown(); !strings.Contains(got, "log of agent") {
		t.Errorf("the log moves away from the one who reads its beginning:\n%s", got)
	}
	v.Update(keymap.Bottom)
	v.Answer(logOf(q, 9))
	if got := shown(); !strings.Contains(got, "8 says") {
		t.Errorf("the end is not followed:\n%s", got)
	}
	v.Update(keymap.Up)
	v.Answer(logOf(q, 12))
	if got := shown(); strings.Contains(got, "11 says") {
		t.Errorf("it follows one who has scrolled up:\n%s", got)
	}
	v.Answer(page.Answer{Question: q, Err: engine.Lit("no route")})
	if got := shown(); !strings.Contains(got, "not renewed: ") || !strings.Contains(got, "says") {
		t.Errorf("after a failed answer:\n%s", got)
	}
	if v.Answer(logOf(page.LogsQuestion{}, 1)) {
		t.Error("takes the log of another run")
	}
}

// TestALogIsWrappedBetweenWordsAndFields checks that words, and the fields of JSON that fit, stay
// whole, and that a search goes to the row of its line.
func TestALogIsWrappedBetweenWordsAndFields(t *testing.T) {
	th := theme.New(true, false, false)
	var v Viewer
	q := page.LogsQuestion{Run: engine.NewID(engine.KindClusterStagedUpdateRun, "", "r", "u")}
	s := page.Section{Title: engine.Lit("log of agent")}
	for range 20 {
		s.Rows = append(s.Rows, page.TextRow(engine.RoleText, engine.Lit(`22:10:00 {"level":"info","stage":"canary","updateRun":"catalog-r7","msg":"the updating stages are waiting"}`)))
	}
	s.Rows = append(s.Rows, page.TextRow(engine.RoleText, engine.Lit("needle")))
	v.Wait(engine.Lit("log"), q)
	for _, w := range []int{40, 32, 60} {
		v.Resize(th, w, 12)
		v.Answer(page.Answer{Question: q, Sections: []page.Section{s}})
		v.Resize(th, w, 12)
		v.Update(keymap.Top)
		got := strings.Join(screen(&v, w, 12), "\n")
		for _, whole := range []string{`"level":"info",`, `"stage":"canary",`, `"updateRun":"catalog-r7",`, "updating", "waiting"} {
			if !strings.Contains(got, whole) {
				t.Errorf("%d cells: %s is not whole:\n%s", w, whole, got)
			}
		}
		v.SetFilter("needle")
		v.Resize(th, w, 12)
		if got := strings.Join(screen(&v, w, 12), "\n"); !strings.Contains(got, "needle") || !strings.Contains(got, th.Glyph.Cursor+"needle") {
			t.Errorf("%d cells: the search does not show its line:\n%s", w, got)
		}
		v.SetFilter("")
	}
}

// TestALogKeepsItsLineWhenTheWidthChanges checks that the line on top stays on top, that a place
// within a long line is kept, and that the end stays on the screen.
func TestALogKeepsItsLineWhenTheWidthChanges(t *testing.T) {
	th := theme.New(true, false, false)
	q := page.LogsQuestion{Run: engine.NewID(engine.KindClusterStagedUpdateRun, "", "r", "u")}
	s := page.Section{Title: engine.Lit("log of agent")}
	for i := range 60 {
		s.Rows = append(s.Rows, page.TextRow(engine.RoleText, engine.Textf("line-%d %s", i, strings.Repeat("some words and more ", 4))))
	}
	s.Rows = append(s.Rows, page.TextRow(engine.RoleText, engine.Clean("long "+strings.Repeat("0123456789 ", 100)+"middle "+strings.Repeat("0123456789 ", 100))))
	for i := range 60 {
		s.Rows = append(s.Rows, page.TextRow(engine.RoleText, engine.Textf("after-%d", i)))
	}
	var v Viewer
	v.Wait(engine.Lit("log"), q)
	v.Answer(page.Answer{Question: q, Sections: []page.Section{s}})
	shown := func(w int) []string {
		v.Resize(th, w, 12)
		return screen(&v, w, 12)[1:]
	}
	shown(100)
	v.Update(keymap.Top)
	for !strings.Contains(shown(100)[0], "line-30 ") {
		v.Scroll(1)
	}
	for _, w := range []int{40, 200, 30, 100} {
		if got := shown(w); !strings.Contains(got[0], "line-30 ") {
			t.Errorf("%d cells: another line is on top:\n%s", w, strings.Join(got, "\n"))
		}
	}
	for !strings.Contains(shown(100)[0], "middle") {
		v.Scroll(1)
	}
	for _, w := range []int{50, 150, 100} {
		if got := strings.Join(shown(w), "\n"); !strings.Contains(got, "middle") {
			t.Errorf("%d cells: the place in a long line is lost:\n%s", w, got)
		}
	}
	v.Update(keymap.Bottom)
	for _, w := range []int{30, 200, 100} {
		if got := shown(w); !strings.Contains(strings.Join(got, "\n"), "after-59") {
			t.Errorf("%d cells: the end is not kept:\n%s", w, strings.Join(got, "\n"))
		}
	}
}

// A newer end of a log that lacks lines at its start does not move what one reads.
func TestALogKeepsWhatIsReadWhenItsStartIsGone(t *testing.T) {
	th := theme.New(true, false, false)
	var v Viewer
	q := page.LogsQuestion{Run: engine.NewID(engine.KindClusterStagedUpdateRun, "", "r", "u")}
	v.Wait(engine.Lit("log"), q)
	shown := func() string {
		v.Resize(th, 60, 8)
		return strings.Join(screen(&v, 60, 8), "\n")
	}
	end := func(from, to int) page.Answer {
		a := logOf(q, to)
		a.Sections[0].Rows = a.Sections[0].Rows[from:]
		return a
	}
	v.Answer(end(0, 100))
	shown()
	v.Scroll(-40)
	before := shown()
	if !strings.Contains(before, "53 says") {
		t.Fatalf("the test scrolls elsewhere:\n%s", before)
	}
	v.Answer(end(30, 130))
	v.Answer(end(35, 135))
	after := shown()
	for _, line := range strings.Split(before, "\n")[1:] {
		if !strings.Contains(after, strings.TrimSpace(line)) {
			t.Errorf("no %q in\n%s", line, after)
		}
	}
	v.Answer(end(90, 190)) // what is read is gone
	if got := shown(); !strings.Contains(got, "90 says") {
		t.Errorf("not at the start of what is left:\n%s", got)
	}
}
