package panes

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/stagewatch/stagewatch/engine"
	enginepage "github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/ui/cell"
	"github.com/stagewatch/stagewatch/ui/latest"
	"github.com/stagewatch/stagewatch/ui/page"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// leastChanges is the least height in which changes are drawn.
const leastChanges = 6

// Changes are the differences between two snapshots, below what stands in a pane or on a page,
// in rows that would be blank.
type Changes struct {
	page  *page.Page // nil for none
	about placed
	steps int
}

// placed is a question and the room for its answer.
type placed struct {
	question enginepage.Question
	w, h     int
}

// Settle takes note of what would be compared in a body of w by h cells; nil for nothing. When
// that has changed, the caller calls Rest with the step, RestAfter later.
func (c *Changes) Settle(q enginepage.Question, w, h int) (step int, changed bool) {
	now := placed{q, w, h}
	if now == c.about {
		return 0, false
	}
	c.about = now
	c.steps++
	if q == nil {
		c.page = nil
		return 0, false
	}
	if c.page == nil || c.page.Question() != q {
		c.page = page.New(enginepage.TitleOf(q), q, page.Subject{}).WithoutCursor()
	}
	return c.steps, true
}

// Rest returns the page to ask for when nothing has changed since a step, and it has no answer
// yet or could not be read: what is in a snapshot never changes.
func (c *Changes) Rest(step int) *page.Page {
	if c.steps != step || c.page == nil || c.page.IsLoaded() || c.page.IsAsking() {
		return nil
	}
	return c.page
}

// Asked returns the page if its latest question has a number; else nil.
func (c *Changes) Asked(number int) *page.Page {
	if c.page != nil && c.page.Number() == number {
		return c.page
	}
	return nil
}

// Take shows an answer without the lines that are the same in both snapshots. It reports whether
// the snapshots could not be read, and the caller calls Rest again later.
func (c *Changes) Take(a enginepage.Answer) (again bool) {
	a.Sections = slices.Clone(a.Sections)
	for i := range a.Sections {
		s := &a.Sections[i]
		if changed := slices.DeleteFunc(slices.Clone(s.Rows), same); len(changed) > 0 {
			s.Rows = changed
		}
	}
	c.page.Take(a)
	return !c.page.IsLoaded() && !a.LoginFailed
}

// same reports whether a row of a diff is a line around what has changed.
func same(r enginepage.Row) bool {
	return len(r.Cells) == 1 && r.Cells[0].Mark == enginepage.MarkNone && (r.Cells[0].Role == engine.RoleSub || r.Cells[0].Role == engine.RoleFaint)
}

// Steps is how often what would be compared has changed.
func (c *Changes) Steps() int { return c.steps }

// Arrange fits the changes to their room.
func (c *Changes) Arrange(th *theme.Theme, now time.Time) {
	if c.page != nil {
		c.page.Arrange(th, now, c.about.w, c.about.h)
	}
}

// room is how many lines at the end are blank, but one.
func (c *Changes) room(lines []string) int { return c.about.h - len(trim(lines)) - 1 }

// Fits reports whether there is room for changes below lines.
func (c *Changes) Fits(lines []string) bool { return c.room(lines) >= leastChanges }

// trim returns lines without the blank ones at the end.
func trim(lines []string) []string {
	n := len(lines)
	for n > 0 && strings.TrimSpace(ansi.Strip(lines[n-1])) == "" {
		n--
	}
	return lines[:n:n]
}

// Below writes the changes below lines, or why they cannot be read, where there is room; pane is
// set where the headings are those of a pane.
func (c *Changes) Below(th *theme.Theme, lines []string, pane bool) []string {
	if c.page == nil || !c.page.IsLoaded() && c.page.Err().IsZero() || !c.Fits(lines) {
		return lines
	}
	all, room := c.page.View(), c.room(lines)
	if q, ok := c.about.question.(enginepage.SnapshotsQuestion); ok && (pane || !c.page.IsLoaded()) && len(all) > 0 {
		all[0] = latest.Heading(th, fmt.Sprintf("CHANGES FROM SNAPSHOT %d TO %d", q.From, q.To), c.about.w)
	}
	if cut := len(all) - room; cut > 0 {
		rest := engine.Textf("and %d more lines: {diff} shows them", cut+1)
		all = append(all[:room-1], cell.NewRow(th, c.about.w, theme.Plain).To(4).Text(theme.Sub, rest).String())
	}
	return append(append(trim(lines), ""), all...)
}
