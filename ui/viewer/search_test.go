package viewer

import (
	"slices"
	"strings"
	"testing"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/keymap"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// find returns the line on the screen that the search is at, and its title.
func find(v *Viewer, th *theme.Theme, w, h int) (line, title string) {
	v.Resize(th, w, h)
	got := screen(v, w, h)
	for _, l := range got {
		if rest, ok := strings.CutPrefix(l, th.Glyph.Cursor); ok {
			line = strings.TrimSpace(rest)
		}
	}
	return line, got[0]
}

// TestSearch: / goes to the first match below, n and N go on around the ends, nothing
// found says so, and what is found stands out without colours, too.
func TestSearch(t *testing.T) {
	th := theme.New(true, false, false)
	var v Viewer
	q := page.YAMLQuestion{}
	v.Wait(engine.Lit("YAML"), q)
	v.Resize(th, 40, 5)
	text := "kind: Run\n" + strings.Repeat("- a\n", 9) + "Image: one\n" + strings.Repeat("- b\n", 9) + "image: two\nend"
	v.Answer(page.Answer{Question: q, Lines: engine.Lines(text)})
	v.Resize(th, 40, 5)
	v.SetFilter("IMAGE")
	for _, step := range []struct {
		key         keymap.Action
		line, match string
	}{
		{keymap.None, "Image: one", "match 1/2"},
		{keymap.NextMatch, "image: two", "match 2/2"},
		{keymap.NextMatch, "Image: one", "match 1/2"},
		{keymap.PrevMatch, "image: two", "match 2/2"},
	} {
		v.Update(step.key)
		if line, title := find(&v, th, 40, 5); line != step.line || !strings.Contains(title, step.match) {
			t.Errorf("after %d: at %q under %q, want %q, %s", step.key, line, title, step.line, step.match)
		}
	}
	if got := v.View(40, 5); !strings.Contains(got, th.Sequence(theme.Plain, theme.Wait|theme.Bold)+"image") {
		t.Errorf("the match does not stand out: %q", got)
	}
	// A renewed text keeps the place among the matches.
	v.Answer(page.Answer{Question: q, Lines: engine.Lines(text + "\nimage: three")})
	if line, title := find(&v, th, 40, 5); line != "image: two" || !strings.Contains(title, "match 2/3") {
		t.Errorf("renewed: at %q under %q", line, title)
	}
	v.SetFilter("nothing")
	if line, title := find(&v, th, 40, 5); line != "" || !strings.Contains(title, "match 0/0") || v.Update(keymap.NextMatch) {
		t.Errorf("nothing found: at %q under %q", line, title)
	}
	v.SetFilter("")
	if _, title := find(&v, th, 40, 5); strings.Contains(title, "match") {
		t.Errorf("after the search: %q", title)
	}
}

// TestSearchOnFromTheScreen: words that are typed on, after another part of the text was read, are looked
// for from there; each letter of them from the same place.
func TestSearchOnFromTheScreen(t *testing.T) {
	th := theme.New(true, false, false)
	var v Viewer
	q := page.YAMLQuestion{}
	v.Wait(engine.Lit("YAML"), q)
	v.Answer(page.Answer{Question: q, Lines: engine.Lines("image: one\n" + strings.Repeat("- a\n", 30) + "image: two\n" + strings.Repeat("- b\n", 30) + "image: three")})
	v.Resize(th, 40, 5)
	v.SetFilter("ima")
	for range 3 {
		v.Update(keymap.PageDown)
	}
	for _, words := range []string{"imag", "image", "image: t", "image: tw"} {
		v.SetFilter(words)
		if line, title := find(&v, th, 40, 5); line != "image: two" {
			t.Errorf("%s: at %q under %q", words, line, title)
		}
	}
}

// TestSearchInALog: the lines of a log are wrapped, and the match is on the screen.
func TestSearchInALog(t *testing.T) {
	th := theme.New(true, false, false)
	var v Viewer
	q := page.LogsQuestion{Run: engine.NewID(engine.KindClusterStagedUpdateRun, "", "r", "u")}
	v.Wait(engine.Lit("log"), q)
	v.Resize(th, 30, 6)
	v.Answer(logOf(q, 40))
	v.Resize(th, 30, 6)
	v.SetFilter("27 says")
	v.Resize(th, 30, 6)
	got := screen(&v, 30, 6)
	if !slices.ContainsFunc(got, func(l string) bool { return strings.HasPrefix(l, th.Glyph.Cursor) && strings.Contains(l, "27 says") }) {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
}

// TestSearchBeside finds what stands in a further column, and marks it.
func TestSearchBeside(t *testing.T) {
	th := theme.New(true, false, false)
	var v Viewer
	v.Show(engine.Lit("help"), []Line{
		{Key: "a", Text: engine.Lit("a text that is too long for its column"), Column: 20, Beside: []Line{{Key: "b", Text: engine.Lit("right")}}},
		{Text: engine.Lit("other"), Column: 20, Beside: []Line{{}}},
	})
	v.Resize(th, 41, 5)
	v.SetFilter("right")
	line, title := find(&v, th, 41, 5)
	if line != "a           a text… b           right" || !strings.Contains(title, "match 1/1") {
		t.Errorf("at %q under %q", line, title)
	}
	if got := v.View(41, 5); !strings.Contains(got, th.Sequence(theme.Plain, theme.Wait|theme.Bold)+"right") {
		t.Errorf("the match does not stand out: %q", got)
	}
}
