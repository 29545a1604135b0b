package ui

import (
	"regexp"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/charmbracelet/x/ansi"

	"github.com/stagewatch/stagewatch/engine"
	enginepage "github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/ui/panes"
)

// comparing answers what two snapshots have of difference, in so many lines, and counts the
// questions; failed is why it cannot.
func comparing(asked *[]enginepage.Question, lines int, failed string) func(enginepage.Question) enginepage.Answer {
	return func(q enginepage.Question) enginepage.Answer {
		x, ok := q.(enginepage.SnapshotsQuestion)
		if _, ok := q.(enginepage.ApprovalsQuestion); ok {
			return twoApprovals(q)
		}
		if !ok {
			return samplePage(q)
		}
		*asked = append(*asked, q)
		a := enginepage.Answer{Question: q, At: t0, Err: engine.Clean(failed)}
		s := enginepage.Section{Title: engine.Textf("snapshot %d to %d", x.From, x.To)}
		s.Rows = append(s.Rows, enginepage.Row{Key: engine.Lit("Deployment web"), Cells: []enginepage.Cell{enginepage.TextCell(engine.RoleName, engine.Textf("Deployment %s", x.Placement.Title()))}})
		s.Rows = append(s.Rows, enginepage.TextRow(engine.RoleFaint, engine.Lit("  @@ -1,7 +1,7 @@")), enginepage.TextRow(engine.RoleSub, engine.Lit("  containers:")))
		for i := range lines {
			s.Rows = append(s.Rows, enginepage.TextRow(engine.RoleGood, engine.Textf("image: web:%d", i)))
		}
		a.Sections = []enginepage.Section{s}
		return a
	}
}

// twoApprovals is a page of approvals that is shorter than a screen.
func twoApprovals(q enginepage.Question) enginepage.Answer {
	s := enginepage.Section{Title: engine.Lit("open 2"), Head: []engine.Text{engine.Lit("RUN"), engine.Lit("APPROVAL"), engine.Lit("IF APPROVED")}}
	for _, run := range []engine.ID{id("", "pay-api-r41"), id("my-app", "web-app-rollout")} {
		s.Rows = append(s.Rows, enginepage.Row{
			Key: run.Title(), Run: run, Aside: []engine.Text{engine.Textf("All clusters of %s are available, %s.", run.Title(), engine.Clean(strings.Repeat("as far as they report ", 4)))},
			Cells: []enginepage.Cell{
				enginepage.TextCell(engine.RoleAsk, run.Title()), enginepage.TextCell(engine.RoleText, engine.Lit("before prod")),
				enginepage.TextCell(engine.RoleText, engine.Lit("Stage prod starts weu-prod-1, weu-prod-2 and weu-prod-3, then 9 more, max 3 at a time (25 %).")),
			},
		})
	}
	return enginepage.Answer{Question: q, At: t0, Sections: []enginepage.Section{s}}
}

// restChanges lets the cursor rest, and gives the answers.
func restChanges(m *Model) {
	_, cmd := m.Update(changesRestMsg{step: m.changes.Steps()})
	told(m, cmd)
}

// TestChangesFillThePane checks that the run beside the list shows what it changes where lines
// would be blank: read once, when the cursor rests.
func TestChangesFillThePane(t *testing.T) {
	for _, size := range [][2]int{{160, 50}, {200, 60}, {300, 80}} {
		m, f := start(t, size[0], size[1], sample())
		var asked []enginepage.Question
		f.reply = comparing(&asked, 90, "")
		m.runs.Pick(id("", "cert-mgr-r9"))
		step := m.changes.Steps()
		m.Update(nil)
		if _, cmd := m.Update(changesRestMsg{step: step}); cmd != nil {
			t.Errorf("%v: a rest that was over is counted", size)
		}
		restChanges(m)
		if len(asked) != 1 {
			t.Fatalf("%v: asked %v", size, asked)
		}
		got := paneText(m, panes.Run)
		for _, want := range []string{"CHANGES FROM SNAPSHOT 8 TO 9", "Deployment cert-mgr", "image: web:0", "more lines: = shows them"} {
			if !strings.Contains(got, want) {
				t.Errorf("%v: the pane lacks %q:\n%s", size, want, got)
			}
		}
		if strings.Contains(got, "@@") || strings.Contains(got, "containers:") {
			t.Errorf("%v: what is the same in both is drawn:\n%s", size, got)
		}
		restChanges(m)
		m.Update(tickedMsg{now: t0.Add(time.Minute)})
		restChanges(m)
		if len(asked) != 1 {
			t.Errorf("%v: asked again for what never changes: %v", size, asked)
		}
		press(m, "k")
		if got := paneText(m, panes.Run); strings.Contains(got, "image: web") {
			t.Errorf("%v: the changes of another run stay:\n%s", size, got)
		}
		m.Update(tea.WindowSizeMsg{Width: 120, Height: 36})
		if restChanges(m); len(asked) != 1 {
			t.Errorf("%v: asked without a pane: %v", size, asked)
		}
	}
}

// TestAPlacementWithoutARun has no clusters of a run that load, and compares no snapshots: which
// one a run would roll out is not known.
func TestAPlacementWithoutARun(t *testing.T) {
	for _, size := range [][2]int{{160, 50}, {200, 60}} {
		m, f := start(t, size[0], size[1], sample())
		var asked []enginepage.Question
		f.reply = comparing(&asked, 3, "")
		m.runs.Pick(placement("", "billing"))
		m.Update(nil)
		restChanges(m)
		got := paneText(m, panes.Run)
		if len(asked) > 0 || strings.Contains(got, "CHANGES") || strings.Contains(got, "loading") || !strings.Contains(got, "NO RUN") || !strings.Contains(got, "no run yet; o lists the clusters") {
			t.Errorf("%v: asked %v:\n%s", size, asked, got)
		}
		press(m, "=")
		shows(t, m, "The placement has no run; p compares its snapshots.")
	}
}

// TestARunThatCannotBeRead has no clusters that load, opened nor beside the list.
func TestARunThatCannotBeRead(t *testing.T) {
	m, _ := start(t, 160, 50, sample())
	m.runs.Pick(id("", "garbage"))
	m.Update(nil)
	shown := paneText(m, panes.Run)
	m.Update(tea.WindowSizeMsg{Width: 120, Height: 36})
	press(m, "enter")
	for _, got := range []string{shown, seen(m)} {
		if !strings.Contains(got, "UNREADABLE") || !strings.Contains(got, "the run could not be read") || strings.Contains(got, "loading") {
			t.Errorf("got\n%s", got)
		}
	}
}

// TestChangesThatCannotBeRead checks that a comparison that fails says why, and is read again
// while the cursor stays where it is.
func TestChangesThatCannotBeRead(t *testing.T) {
	m, f := start(t, 200, 60, sample())
	var asked []enginepage.Question
	f.reply = comparing(&asked, 3, "snapshots 8 and 9 were deleted")
	m.runs.Pick(id("", "cert-mgr-r9"))
	m.Update(nil)
	restChanges(m)
	if got := paneText(m, panes.Run); len(asked) != 1 || !strings.Contains(got, "CHANGES FROM SNAPSHOT 8 TO 9") || !strings.Contains(got, "snapshots 8 and 9 were deleted") {
		t.Errorf("asked %v:\n%s", asked, got)
	}
	answered := func() (again bool) {
		_, ask := m.Update(changesRestMsg{step: m.changes.Steps()})
		_, cmd := m.Update(ask())
		return cmd != nil
	}
	if !answered() {
		t.Error("is not read again")
	}
	f.reply = comparing(&asked, 3, "")
	if answered() {
		t.Error("is read again once it is there")
	}
	if got := paneText(m, panes.Run); len(asked) != 3 || strings.Contains(got, "deleted") || !strings.Contains(got, "image: web:2") {
		t.Errorf("asked %v:\n%s", asked, got)
	}
	if restChanges(m); len(asked) != 3 {
		t.Errorf("asked again for what never changes: %v", asked)
	}
}

// TestApprovalsShowWhatTheyRollOut checks the page of approvals on a wide screen: the whole
// width for the list and for the evidence, and below what the selected run changes.
func TestApprovalsShowWhatTheyRollOut(t *testing.T) {
	m, f := start(t, 160, 50, sample())
	var asked []enginepage.Question
	f.reply = comparing(&asked, 5, "")
	told(m, press(m, "a"))
	restChanges(m)
	if len(asked) != 1 {
		t.Fatalf("asked %v", asked)
	}
	shows(t, m, "evidence", "then 9 more, max 3 at a time (25 %).", strings.Repeat("as far as they report ", 3), "image: web:4")
	first := asked[0].(enginepage.SnapshotsQuestion).Placement
	press(m, "j")
	restChanges(m)
	if len(asked) != 2 || asked[1].(enginepage.SnapshotsQuestion).Placement == first {
		t.Errorf("asked %v after the cursor moved", asked)
	}
}

// TestAPageShowsItsRun checks that a page of a wide terminal has the stages of the run, its cause
// and what happened last: beside rows that are short, or else below few of them, where room is left
// for the changes.
func TestAPageShowsItsRun(t *testing.T) {
	for _, tt := range []struct {
		page string
		w, h int
		want string // headings beside or below the page
	}{
		{"page-owners", 160, 60, "stages why latest"},
		{"page-timeline", 160, 60, "stages why"},
		{"page-approvals", 160, 60, "stages latest"},
		{"page-owners", 160, 36, "stages why latest"},
		{"page-owners", 160, 26, "stages why"},
		{"page-owners", 139, 60, ""},
		{"page-events", 160, 60, "stages why latest"},
		{"page-plan", 200, 60, "stages why latest"},
		{"page-diagnosis", 200, 60, "why"}, // its own,
	} {
		for _, shot := range pageShots(t) {
			if shot.name != tt.page {
				continue
			}
			m := shot.draw(t, tt.w, tt.h)
			var got []string
			for _, head := range regexp.MustCompile(`── (stages|why|latest) `).FindAllStringSubmatch(ansi.Strip(m.View().Content), -1) {
				got = append(got, head[1])
			}
			if strings.Join(got, " ") != tt.want {
				t.Errorf("%s at %dx%d has %q, want %q:\n%s", tt.page, tt.w, tt.h, got, tt.want, ansi.Strip(m.View().Content))
			}
		}
	}
}
