package viewer

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/keymap"
	"github.com/stagewatch/stagewatch/ui/theme"
)

func screen(v *Viewer, w, h int) []string { return strings.Split(ansi.Strip(v.View(w, h)), "\n") }

// The keys of YAML have their own colour; a colon in a value or in a log begins no key.
func TestTheKeysOfYAMLStandOut(t *testing.T) {
	th := theme.New(true, false, false)
	key := th.Sequence(theme.Plain, theme.Key)
	for line, want := range map[string]string{
		"spec:": "spec:", "  - name: web": "  - name: ", `  "a:b": c`: `  "a:b": `, "    image: registry.example/web:v1": "    image: ",
		"  no key here": "", "- http://x": "", "# a: comment": "", "text and: more": "text and: ",
	} {
		var v Viewer
		q := page.YAMLQuestion{}
		v.Wait(engine.Lit("YAML"), q)
		v.Resize(th, 60, 5)
		v.Answer(page.Answer{Question: q, Lines: engine.Lines(line)})
		v.Resize(th, 60, 5)
		if got := v.View(60, 5); (want == "") == strings.Contains(got, key) || want != "" && !strings.Contains(got, key+want) {
			t.Errorf("%q: %q", line, got)
		}
	}
	var v Viewer
	q := page.LogsQuestion{}
	v.Wait(engine.Lit("log"), q)
	v.Resize(th, 60, 5)
	v.Answer(page.Answer{Question: q, Lines: engine.Lines("error: no")})
	v.Resize(th, 60, 5)
	if strings.Contains(v.View(60, 5), key) {
		t.Error("a log has keys")
	}
}

// TestTheValuesOfYAMLDiffer checks that numbers, truth values and nothing have other styles than text, also a
// text that looks like one of them; and that nothing of a log does.
func TestTheValuesOfYAMLDiffer(t *testing.T) {
	th := theme.New(true, false, false)
	for line, want := range map[string]theme.Style{
		"  replicas: 3": theme.Wait, "  x: -1.5e3": theme.Wait, "  - 42": theme.Wait, "- .5": theme.Wait, "  paused: true": theme.Ask, "  - false": theme.Ask, "  a: null": theme.Faint, "  b: {}": theme.Faint, `  c: ""`: theme.Faint,
		"  name: web": theme.Text, `  status: "True"`: theme.Text, `  index: "3"`: theme.Text, "  image: web:1.2": theme.Text, "  at: 2026-11-20T10:00:00Z": theme.Text, "  - web": theme.Text, "  v: 1.2.3": theme.Text, "  w: true story": theme.Text,
	} {
		l := Line{Style: theme.Text, Text: engine.Clean(line), yaml: true}
		_, value, _ := strings.Cut(strings.TrimLeft(line, " "), " ")
		if got := l.write(th, ""); !strings.Contains(got, th.Sequence(theme.Plain, want)) || !strings.Contains(ansi.Strip(got), value) {
			t.Errorf("%q is written as %q, want style %d", line, got, want)
		}
		for _, other := range []theme.Style{theme.Wait, theme.Ask, theme.Faint} {
			if other != want && strings.Contains(l.write(th, ""), th.Sequence(theme.Plain, other)) {
				t.Errorf("%q has style %d, want %d", line, other, want)
			}
		}
	}
	plain := Line{Style: theme.Text, Text: engine.Lit("replicas: 3")}
	if strings.Contains(plain.write(th, ""), th.Sequence(theme.Plain, theme.Wait)) {
		t.Error("a line of a log has values")
	}
}

// A line that is cut says so, until it is read to its end.
func TestALongLineIsReadSideways(t *testing.T) {
	th := theme.New(true, false, false)
	var v Viewer
	q := page.YAMLQuestion{}
	v.Wait(engine.Lit("YAML"), q)
	v.Resize(th, 20, 5)
	if got := screen(&v, 20, 5)[1]; !strings.Contains(got, "loading") {
		t.Errorf("while it waits: %q", got)
	}
	v.Answer(page.Answer{Lines: engine.Lines("another question")})
	v.Answer(page.Answer{Question: q, Lines: engine.Lines("image: registry.example/web:v1\nshort\n名前名前名前名前名前名前\nc\nd\ne")})
	v.Resize(th, 20, 5)
	got := screen(&v, 20, 5)
	for i, l := range got {
		if w := ansi.StringWidth(l); w > 20 {
			t.Errorf("line %d is %d wide: %q", i, w, l)
		}
	}
	if len(got) != 5 || !strings.HasSuffix(got[1], "…") || strings.Contains(got[2], "…") || !strings.Contains(got[3], "…") || !strings.Contains(got[0], "4/6") {
		t.Errorf("got %q", got)
	}
	v.Update(keymap.Right)
	if got := screen(&v, 20, 5)[1]; !strings.HasSuffix(strings.TrimRight(got, " "), "web:v1") {
		t.Errorf("to the right: %q", got)
	}
	if !v.Update(keymap.Bottom) || v.Update(keymap.Open) {
		t.Error("bottom scrolls, and open does not")
	}
	if got := screen(&v, 20, 5); !strings.Contains(got[0], "6/6") {
		t.Errorf("at the bottom: %q", got)
	}
	if text, n := v.Copied(); n != 6 || !strings.HasPrefix(text, "image: registry.example/web:v1\nshort\n") {
		t.Errorf("copied %d lines: %q", n, text)
	}
	light := theme.New(false, false, false)
	v.Resize(light, 20, 5)
	if from, _, _ := v.Window(); from != 2 {
		t.Errorf("another theme scrolled to %d", from)
	}
}

// TestFold: the status of a YAML is folded into one line and unfolded; a copy has it in any case,
// and a search finds what was folded.
func TestFold(t *testing.T) {
	th := theme.New(true, false, false)
	var v Viewer
	q := page.YAMLQuestion{}
	v.Wait(engine.Lit("YAML"), q)
	v.Answer(page.Answer{Question: q, Lines: engine.Lines("kind: Run\nspec:\n  state: Run\nstatus:\n  conditions:\n  - type: Progressing\n  stages: []\ntail: x")})
	shown := func() string {
		v.Resize(th, 40, 12)
		return strings.Join(screen(&v, 40, 12), "\n")
	}
	if !v.CanFold() || !strings.Contains(shown(), "type: Progressing") {
		t.Errorf("before:\n%s", shown())
	}
	v.Update(keymap.Fold)
	if got := shown(); strings.Contains(got, "Progressing") || !strings.Contains(got, "status:   … 3 lines") || !strings.Contains(got, "tail: x") || !strings.Contains(got, "state: Run") {
		t.Errorf("folded:\n%s", got)
	}
	if all, n := v.Copied(); n != 8 || !strings.Contains(all, "Progressing") {
		t.Errorf("copied %d lines", n)
	}
	v.Answer(page.Answer{Question: q, Lines: engine.Lines("status:\n  a: b\nother: c")})
	if got := shown(); strings.Contains(got, "a: b") || !strings.Contains(got, "other: c") {
		t.Errorf("renewed:\n%s", got)
	}
	v.SetFilter("a: b")
	if got := shown(); !strings.Contains(got, "a: b") || !strings.Contains(got, "match 1/1") {
		t.Errorf("searched:\n%s", got)
	}
	v.Show(engine.Lit("help"), []Line{{Key: "z", Text: engine.Lit("status:")}})
	if v.CanFold() {
		t.Error("the help can be folded")
	}
}

// TestFoldOfManagedFields: managedFields are folded from the beginning; the key folds the status,
// too, then unfolds all. A search looks there last, and a copy has what is unfolded.
func TestFoldOfManagedFields(t *testing.T) {
	th := theme.New(true, false, false)
	var v Viewer
	q := page.YAMLQuestion{}
	v.Wait(engine.Lit("YAML"), q)
	v.Answer(page.Answer{Question: q, Lines: engine.Lines("kind: Run\nmetadata:\n  managedFields:\n  - manager: hub-agent\n    fieldsV1:\n      f:status: {}\n  - manager: kubectl\n  name: web\nstatus:\n  stages: []")})
	shown := func() string {
		v.Resize(th, 40, 14)
		return strings.Join(screen(&v, 40, 14), "\n")
	}
	for i, step := range []struct{ managers, status bool }{{false, true}, {false, false}, {true, true}, {false, true}} {
		if i > 0 {
			v.Update(keymap.Fold)
		}
		got := shown()
		if strings.Contains(got, "hub-agent") != step.managers || strings.Contains(got, "manager: kubectl") != step.managers || strings.Contains(got, "stages: []") != step.status ||
			strings.Contains(got, "managedFields:   … 4 lines") == step.managers || !strings.Contains(got, "name: web") {
			t.Errorf("after %d times:\n%s", i, got)
		}
		want := 5
		if step.managers {
			want = 10
		}
		if all, n := v.Copied(); n != want || strings.Contains(all, "hub-agent") != step.managers || !strings.Contains(all, "stages") {
			t.Errorf("after %d times %d lines are copied, want %d", i, n, want)
		}
	}
	for _, step := range []struct {
		words, match string
		managers     bool
	}{{"stat", "match 1/1", false}, {"status: {", "match 1/1", true}, {"stages", "match 1/1", false}, {"kubect", "match 1/1", true}, {"kubectx", "match 0/0", false}, {"manager: ", "match 1/2", true}, {"", "", false}} {
		v.SetFilter(step.words)
		if got := shown(); strings.Contains(got, "hub-agent") != step.managers || !strings.Contains(got, step.match) {
			t.Errorf("searched %q:\n%s", step.words, got)
		}
	}
	// Matches in folded blocks are counted beside the others, and the key of the fold leads to them.
	v.SetFilter("status")
	if got := shown(); !strings.Contains(got, "match 1/1 +1 in folded lines") || strings.Contains(got, "f:status") {
		t.Errorf("searched a word of both:\n%s", got)
	}
	v.Update(keymap.Fold)
	if got := shown(); !strings.Contains(got, "match 1/2 ") || strings.Contains(got, "in folded") || !strings.Contains(got, "f:status") {
		t.Errorf("unfolded:\n%s", got)
	}
	v.Update(keymap.Fold)
	if got := shown(); !strings.Contains(got, "match 1/1 +1 in folded lines") {
		t.Errorf("folded during the search:\n%s", got)
	}
	v.SetFilter("manager: ")
	first, _ := v.Found()
	v.Update(keymap.NextMatch)
	if at, of := v.Found(); first != 1 || at != 2 || of != 2 {
		t.Errorf("match %d of %d after the next one", at, of)
	}
}
