package page

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/keymap"
	"github.com/stagewatch/stagewatch/ui/cell"
	"github.com/stagewatch/stagewatch/ui/theme"
)

func text(format string, a ...any) engine.Text { return engine.Clean(fmt.Sprintf(format, a...)) }

// sections returns two sections that may stand side by side, with n rows each.
func sections(n int) []page.Section {
	var out []page.Section
	for _, name := range []string{"left", "right"} {
		s := page.Section{Title: text("%s", name), Head: []engine.Text{text("NAME"), text("STATE")}, Beside: name == "right"}
		for i := range n {
			row := text("%s-%d", name, i)
			s.Rows = append(s.Rows, page.Row{Key: row, Cells: []page.Cell{{Text: row}, {Text: text("done")}}})
		}
		out = append(out, s)
	}
	return out
}

// TestShare: a page whose lines are short takes half of the width, or what they need, when the rest
// is enough for what stands beside it; sections side by side take all of it.
func TestShare(t *testing.T) {
	th, now := theme.New(true, false, false), time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	row := func(n int) []page.Section {
		return []page.Section{{Title: text("rows"), Rows: []page.Row{{Key: text("a"), Cells: []page.Cell{{Text: text("%s", strings.Repeat("x", n))}, {Text: text("done")}}}}}}
	}
	prose := []page.Section{{Title: text("prose"), Rows: []page.Row{{Cells: []page.Cell{{Text: text("%s", strings.Repeat("many words ", 40))}}}}}}
	for _, tt := range []struct {
		name     string
		sections []page.Section
		w, least int
		want     int
	}{
		{"short rows", row(20), 160, 58, 80},
		{"longer rows", row(84), 160, 58, 96},
		{"too long rows", row(100), 160, 58, 160},
		{"nothing stands beside", row(20), 160, 0, 160},
		{"prose is wrapped", prose, 160, 58, mostProse},
		{"two sections", sections(3), 160, 58, 160},
	} {
		p := &Page{}
		p.Share(th, now, tt.w, 20, tt.least)
		p.Take(page.Answer{Sections: tt.sections})
		for range 2 {
			if p.Share(th, now, tt.w, 20, tt.least); p.Width() != tt.want {
				t.Errorf("%s: %d wide, want %d", tt.name, p.Width(), tt.want)
			}
		}
		for _, l := range p.View() {
			if ansi.StringWidth(l) > tt.want {
				t.Errorf("%s: %q is wider than %d", tt.name, ansi.Strip(l), tt.want)
			}
		}
	}
}

// TestCutNamesDiffer: names that a narrow page cuts stay different from each other.
func TestCutNamesDiffer(t *testing.T) {
	var rows []page.Row
	for _, name := range []string{"approval-after-stage", "approval-before-stage"} {
		rows = append(rows, page.Row{Key: text("%s", name), Cells: []page.Cell{{Text: text("%s", name)}, {Text: text("%s-r1", name), Mark: page.MarkYes}, {Text: text("a sentence of many words")}}})
	}
	p := &Page{}
	p.Take(page.Answer{Sections: []page.Section{{Title: text("rows"), Head: []engine.Text{text("NAME"), text("OWNER"), text("WHY")}, Rows: rows}}})
	p.Arrange(theme.New(true, false, false), time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), 60, 20)
	var drawn [][]string
	for _, l := range p.View() {
		if f := strings.Fields(strings.TrimLeft(ansi.Strip(l), "▌ ")); len(f) > 3 && strings.HasPrefix(f[0], "ap") {
			drawn = append(drawn, f)
		}
	}
	if len(drawn) != 2 || drawn[0][0] == drawn[1][0] || drawn[0][2] == drawn[1][2] || !strings.Contains(drawn[0][0]+drawn[0][2], "…") {
		t.Errorf("%q", drawn)
	}
}

// What the mouse hits is the row that is drawn there, below each other and side by
// side, scrolled or not.
func TestHitFindsTheRowThatIsDrawn(t *testing.T) {
	th, now := theme.New(true, false, false), time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, w := range []int{80, 160} {
		p := &Page{}
		p.Take(page.Answer{Sections: sections(12)})
		for _, a := range []keymap.Action{keymap.None, keymap.PageDown, keymap.Down, keymap.Bottom} {
			p.Arrange(th, now, w, 9)
			p.Update(a)
			p.Arrange(th, now, w, 9)
			drawn := 0
			for y, l := range p.View() {
				l = ansi.Strip(l)
				for _, name := range []string{"left-", "right-"} {
					if x := strings.Index(l, name); x >= 0 {
						drawn++
						x = ansi.StringWidth(l[:x])
						want, _, _ := strings.Cut(ansi.TruncateLeft(l, x, ""), " ")
						if got := p.Hit(x, y).String(); got != want {
							t.Errorf("%d wide after %v: hit %q at %d,%d, want %q", w, a, got, x, y, want)
						}
					}
				}
			}
			if drawn == 0 {
				t.Errorf("%d wide after %v: no row is drawn", w, a)
			}
		}
		if !p.Hit(5, -1).IsZero() || !p.Hit(5, 9).IsZero() {
			t.Error("hit a row outside of the page")
		}
	}
}

// A failed answer leaves what is shown.
func TestAFailedAnswerKeepsThePage(t *testing.T) {
	p := &Page{}
	p.Take(page.Answer{Sections: sections(2)})
	p.Arrange(theme.New(true, false, false), time.Time{}, 80, 9)
	was := p.selected
	p.Take(page.Answer{Err: text("forbidden")})
	p.Arrange(theme.New(true, false, false), time.Time{}, 80, 9)
	if !p.loaded || p.selected != was || was.IsZero() || p.err.IsZero() {
		t.Errorf("selected %q, loaded %v, error %q", p.selected, p.loaded, p.err)
	}
}

// A page of approvals begins on that of the run it was opened from, below the fold, too;
// another page and another run begin at the top.
func TestApprovalsBeginAtTheRun(t *testing.T) {
	id := func(n int) engine.ID {
		return engine.NewID(engine.KindStagedUpdateRun, "shop", fmt.Sprintf("r%d", n), "u")
	}
	all := page.Section{Title: text("open")}
	for i := range 30 {
		all.Rows = append(all.Rows, page.Row{Key: text("row %d", i), Run: id(i), Cells: []page.Cell{{Text: text("r%d", i)}}})
	}
	for _, tt := range []struct {
		q    page.Question
		run  engine.ID
		want string
	}{
		{page.ApprovalsQuestion{}, id(20), "row 20"},
		{page.ApprovalsQuestion{}, id(99), "row 0"},
		{page.ApprovalsQuestion{}, engine.ID{}, "row 0"},
		{page.TimelineQuestion{Run: id(20)}, id(20), "row 0"},
	} {
		p := New(text("t"), tt.q, Subject{Run: tt.run})
		p.Take(page.Answer{Question: tt.q, Sections: []page.Section{all}})
		p.Arrange(theme.New(true, false, false), time.Time{}, 80, 9)
		if from, to, _ := p.Window(); p.Selected().String() != tt.want || p.at() < from || p.at() >= to {
			t.Errorf("%T of %s: %q, want %q, line %d of %d to %d", tt.q, tt.run.Title(), p.Selected(), tt.want, p.at(), from, to)
		}
		p.Update(keymap.Down)
		p.Take(page.Answer{Question: tt.q, Sections: []page.Section{all}})
		if p.Arrange(theme.New(true, false, false), time.Time{}, 80, 9); p.Selected().String() == tt.want {
			t.Errorf("%T of %s: the cursor goes back", tt.q, tt.run.Title())
		}
	}
}

// TestACursorWaitsForRows: a page that had no rows at first, or lost them all, has its cursor on the
// rows that come; one without a cursor stays so.
func TestACursorWaitsForRows(t *testing.T) {
	for _, tt := range []struct {
		page *Page
		want string
	}{
		{New(text("t"), page.ApprovalsQuestion{}, Subject{}), "left-0"},
		{(&Page{}).WithoutCursor(), ""},
	} {
		for i, rows := range []int{0, 2, 0, 0, 3} {
			tt.page.Take(page.Answer{Sections: sections(rows)})
			want := tt.want
			if rows == 0 {
				want = ""
			}
			if tt.page.Arrange(theme.New(true, false, false), time.Time{}, 80, 20); tt.page.Selected().String() != want {
				t.Errorf("answer %d of %d rows: the cursor is on %q, want %q", i+1, rows, tt.page.Selected(), want)
			}
		}
	}
}

// TestACursorWaitsForAllRows: the cursor of a page that was read while runs were loading is on the
// first row, or the run that it was opened from, when all are there; one that a key has moved stays.
func TestACursorWaitsForAllRows(t *testing.T) {
	run := engine.NewID(engine.KindStagedUpdateRun, "shop", "r", "u")
	rows := func(names ...string) []page.Section {
		s := page.Section{Title: text("open")}
		for _, name := range names {
			r := page.Row{Key: text("%s", name), Cells: []page.Cell{{Text: text("%s", name)}}}
			if name == "opened" {
				r.Run = run
			}
			s.Rows = append(s.Rows, r)
		}
		return []page.Section{s}
	}
	for _, tt := range []struct {
		about engine.ID
		key   keymap.Action
		want  string
	}{
		{engine.ID{}, keymap.None, "first"},
		{run, keymap.None, "opened"},
		{run, keymap.Down, "last"},
	} {
		p := New(text("t"), page.ApprovalsQuestion{}, Subject{Run: tt.about})
		arrange := func() { p.Arrange(theme.New(true, false, false), time.Time{}, 80, 20) }
		p.Take(page.Answer{Sections: rows("pending", "last"), Partial: true})
		arrange()
		if p.Selected().String() != "pending" {
			t.Errorf("the cursor is on %q of a part", p.Selected())
		}
		p.Update(tt.key)
		arrange()
		arrange()
		p.Take(page.Answer{Sections: rows("first", "opened", "pending", "last")})
		if arrange(); p.Selected().String() != tt.want {
			t.Errorf("after %v: the cursor is on %q, want %q", tt.key, p.Selected(), tt.want)
		}
		p.Take(page.Answer{Sections: rows("new", "first", "opened", "pending", "last")})
		if arrange(); p.Selected().String() != tt.want {
			t.Errorf("after %v and another answer: the cursor is on %q, want %q", tt.key, p.Selected(), tt.want)
		}
	}
}

// TestAside: the sentences of a row stand below the list, or at its side where they have no room
// below, while the cursor is on the row; the list has one line for each row, and on a narrow terminal no column that the
// sentences repeat.
func TestAside(t *testing.T) {
	row := func(name, says string) page.Row {
		return page.Row{
			Key: engine.Clean(name), Note: engine.Clean(says), Aside: []engine.Text{engine.Clean(says), text("No other run.")},
			Cells: []page.Cell{{Text: engine.Clean(name)}, {Text: text("before prod")}, {Text: text("all available")}, {Text: text("Stage prod starts member-1, member-2 and member-3, then 12 more, whatever it takes")}},
		}
	}
	head := []engine.Text{text("RUN"), text("APPROVAL"), text("REPORTED"), text("IF APPROVED")}
	a := page.Answer{Question: page.ApprovalsQuestion{}, Sections: []page.Section{
		{Title: text("open"), Head: head, Rows: []page.Row{row("one", "Stage canary: 1 of 1 done."), row("two", "Stage dev: 4 of 4 done.")}},
		{Title: text("sent"), Head: head, Rows: []page.Row{row("three", "Stage qa: 2 of 2 done.")}},
	}}
	for _, tt := range []struct {
		w, h   int
		beside bool
	}{{160, 20, false}, {160, 12, true}, {140, 13, true}, {140, 14, false}, {139, 14, false}, {120, 20, false}, {50, 14, false}} {
		p := New(text("approvals"), page.ApprovalsQuestion{}, Subject{})
		p.Take(a)
		for _, want := range []struct{ key, says, not string }{{"one", "Stage canary: 1 of 1 done.", "Stage dev"}, {"three", "Stage qa: 2 of 2 done.", "Stage canary"}} {
			p.Select(engine.Clean(want.key))
			p.Arrange(theme.New(true, false, false), time.Time{}, tt.w, tt.h)
			lines := strings.Split(ansi.Strip(strings.Join(p.View(), "\n")), "\n")
			all := strings.Join(lines, "\n")
			if !strings.Contains(all, want.says) || strings.Contains(all, want.not) || strings.Count(all, "APPROVAL") != 1 {
				t.Errorf("%dx%d: %s is selected:\n%s", tt.w, tt.h, want.key, all)
			}
			at := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, "evidence "+want.key+", before prod") })
			if at < 0 || (at == 0) != tt.beside || len(lines) != tt.h {
				t.Errorf("%dx%d: the evidence begins in line %d of %d", tt.w, tt.h, at, len(lines))
			}
			if narrow := tt.w < 80; strings.Contains(all, "IF APPROVED") == narrow {
				t.Errorf("%dx%d: the last column:\n%s", tt.w, tt.h, all)
			}
			for _, l := range lines {
				if cell.Width(l) > tt.w {
					t.Errorf("%dx%d: a line has %d cells: %q", tt.w, tt.h, cell.Width(l), l)
				}
			}
			if p.Hit(tt.w-2, 2).IsZero() != tt.beside {
				t.Errorf("%dx%d: a click on the evidence selects", tt.w, tt.h)
			}
		}
	}
	// A page too low for an aside has the evidence as notes, also after it was higher.
	p := New(text("approvals"), page.ApprovalsQuestion{}, Subject{})
	p.Take(a)
	for _, h := range []int{20, 11} {
		p.Arrange(theme.New(true, false, false), time.Time{}, 50, h)
	}
	if all := ansi.Strip(strings.Join(p.View(), "\n")); strings.Contains(all, "evidence") || !strings.Contains(all, "Stage canary: 1 of 1 done.") {
		t.Errorf("a low page:\n%s", all)
	}
}

// TestATableIsWrappedWhereThereIsRoom checks that the last column of a table goes on in further
// lines where the page has blank ones, and is cut where it has none.
func TestATableIsWrappedWhereThereIsRoom(t *testing.T) {
	th, now := theme.New(true, false, false), time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	s := page.Section{Title: text("clusters in trouble"), Head: []engine.Text{text("CLUSTER"), text("WHY")}}
	for i := range 4 {
		why := "Deployment search/search is not available, 1 of 4 pods InvalidImageName, on the last node"
		s.Rows = append(s.Rows, page.Row{Key: text("eus-%d", i), Cells: []page.Cell{{Text: text("eus-%d", i)}, {Text: text("%s", why)}}})
	}
	p := &Page{}
	p.Take(page.Answer{Sections: []page.Section{s}})
	for h, want := range map[int]int{20: 4, 7: 0} {
		p.Arrange(th, now, 70, h)
		got := ansi.Strip(strings.Join(p.View(), "\n"))
		if n := strings.Count(got, "last node"); n != want || strings.Contains(got, "…") != (want == 0) {
			t.Errorf("%d lines: %d whole rows, want %d:\n%s", h, n, want, got)
		}
	}
}

// TestNothingOfAPageIsCut: on a page that scrolls, a note of any length, the names of a row that
// ends in a time, and long words of a last column can be read whole.
func TestNothingOfAPageIsCut(t *testing.T) {
	th, now := theme.New(true, false, false), time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	object, field := "ClusterResourceBinding pods-over-quota-weu-canary-1-bbf0599d", "status.stagesStatus[canary].clusters[weu-canary-1].conditions[Started]"
	var words []string
	for i := range 250 {
		words = append(words, fmt.Sprintf("word%d", i))
	}
	p := &Page{}
	p.Take(page.Answer{Sections: []page.Section{
		{Title: text("evidence"), Rows: []page.Row{
			{Key: text("a"), Cells: []page.Cell{{Text: text("%s", object)}, {Text: text("%s", field)}, {Since: now.Add(-time.Minute)}}, Note: text("%s", strings.Join(words, " "))},
			{Key: text("b"), Cells: []page.Cell{{Text: text("%s", object)}, {Text: text("pods")}, {}}},
		}},
		{Title: text("owners"), Head: []engine.Text{text("CLUSTER"), text("OWNER"), text("PROGRESS")}, Rows: []page.Row{
			{Key: text("c"), Cells: []page.Cell{{Text: text("weu-canary-1")}, {Text: text("a-run-of-a-placement-r2")}, {Mark: page.MarkNo, Text: text("Available: NotAllWorkAreAvailable")}}},
		}},
	}})
	p.Arrange(th, now, 76, 400)
	all := ansi.Strip(strings.Join(p.View(), "\n"))
	flat := strings.Join(strings.Fields(all), " ")
	for _, want := range []string{object + " 1m", field, "word0 word1", "word249", "NotAllWorkAreAvailable"} {
		if !strings.Contains(flat, want) {
			t.Errorf("no %q in\n%s", want, all)
		}
	}
	if strings.Count(flat, object) != 2 || strings.Contains(all, "…") {
		t.Errorf("something is cut:\n%s", all)
	}
}

// TestAsideScrolls: of evidence that has no room, the heading says how much there is; once it has
// the focus, keys scroll it, and the wheel does over it. Another row begins at its start.
func TestAsideScrolls(t *testing.T) {
	th := theme.New(true, false, false)
	says := make([]engine.Text, 30)
	for i := range says {
		says[i] = text("sentence %d.", i)
	}
	rows := []page.Row{
		{Key: text("a"), Cells: []page.Cell{{Text: text("run-a")}, {Text: text("before prod")}}, Aside: says},
		{Key: text("b"), Cells: []page.Cell{{Text: text("run-b")}, {Text: text("before prod")}}, Aside: says[:2]},
	}
	p := New(text("approvals"), page.ApprovalsQuestion{}, Subject{})
	p.Take(page.Answer{Sections: []page.Section{{Title: text("open"), Rows: rows}}})
	shown := func() string {
		p.Arrange(th, time.Time{}, 80, 18)
		return ansi.Strip(strings.Join(p.View(), "\n"))
	}
	check := func(what string, want ...string) {
		t.Helper()
		got := shown()
		for _, w := range want {
			if !strings.Contains(got, w) {
				t.Errorf("%s: no %q in\n%s", what, w, got)
			}
		}
	}
	check("at first", "sentence 0.", "/30 tab scrolls", "▌  run-a")
	if !p.HasMore() {
		t.Error("has no more")
	}
	p.Focus()
	p.Update(keymap.Bottom)
	check("at the end", "sentence 29.", "30/30", "▌  run-a")
	p.Wheel(10, 17, -3)
	check("by the wheel", "sentence 26.", "27/30")
	if !p.Leave() {
		t.Error("esc leaves the page")
	}
	p.Update(keymap.Down)
	check("another row", "sentence 0.", "▌  run-b")
	if p.HasMore() || p.Leave() {
		t.Error("evidence that has room can be scrolled")
	}
	p.Update(keymap.Up)
	check("back", "sentence 0.", "▌  run-a")
	p.Wheel(10, 1, 1)
	check("the wheel over the list", "sentence 0.")
}
