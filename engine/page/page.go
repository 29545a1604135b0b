// Package page builds the detail pages (cluster, placement, owners, approvals,
// timeline, plan, diagnosis and others) as view models. The screen and the
// headless commands render the same ones.
package page

import (
	"strings"
	"time"

	"github.com/stagewatch/stagewatch/engine"
)

// Mark is the glyph before a piece of a page, which tells without colour what
// its role tells too.
type Mark uint8

// The marks.
const (
	MarkNone Mark = iota
	MarkYes
	MarkNo
	MarkUnknown
	MarkAbsent
	MarkOld   // about an older generation
	MarkMine  // the thing that the page was opened from
	MarkAsk   // waits for a person
	MarkNot   // not that thing: keeps columns in line
	MarkAdded // of a diff: only in the newer
	MarkGone  // of a diff: only in the older
)

// Cell is a piece of a row.
type Cell struct {
	Mark Mark
	Role engine.Role
	Text engine.Text
	// At is a moment, shown as a time of day after Text; Since one whose age is
	// shown, which goes on while the page is open.
	At, Since time.Time
}

// Row is a line of a page. Rows of one section with two cells or more stand in
// columns; one with a single cell is prose and may take several lines.
type Row struct {
	// Key tells the row from the others of its page, so that the cursor stays on
	// it when the page is renewed. Rows without one cannot be selected.
	Key   engine.Text
	Cells []Cell
	// Note stands below the row, in as many lines as it needs: a message.
	Note engine.Text
	// Aside is the Note in sentences: the screen shows them at the side of the list, or below
	// it, while the cursor is on the row, and not in the list.
	Aside []engine.Text
	// Run is the run that enter opens; its UID may be empty. Page is the page
	// that it opens.
	Run  engine.ID
	Page Question
	// Object is what the row tells about, for its YAML.
	Object engine.ID
	// Copy is what the copy key takes; zero: the cells, one after the other.
	Copy engine.Text
	// Strip fills the rest of the line with time, from the section's From to To.
	Strip []Stretch
}

// IsAbout reports whether a row is about an object, which may have been made since, with the name
// that the key of the row ends in.
func (r *Row) IsAbout(id engine.ID) bool {
	return r.Object == id || r.Object.IsZero() && strings.HasSuffix(r.Key.String(), " "+id.Name().String())
}

// Stretch is a part of a Strip. Where stretches lie on each other the one that
// matters most is seen.
type Stretch struct {
	Role     engine.Role
	From, To time.Time
}

// Copied is what the copy key takes of a row.
func (r *Row) Copied() engine.Text {
	if !r.Copy.IsZero() {
		return r.Copy
	}
	var cells []engine.Text
	for i := range r.Cells {
		if !r.Cells[i].Text.IsZero() {
			cells = append(cells, r.Cells[i].Text)
		}
	}
	if !r.Note.IsZero() {
		cells = append(cells, r.Note)
	}
	return engine.Join(cells, "  ")
}

// Section is a part of a page under a heading of its own.
type Section struct {
	Title engine.Text
	// Name follows the title: a name on the hub, which keeps its case in every form.
	Name engine.Text
	// Note stands beside the title.
	Note engine.Text
	// Hub has the section, on a page about several hubs.
	Hub engine.HubName
	// Head names the columns of the rows; empty for none.
	Head []engine.Text
	Rows []Row
	// From and To are the times at the ends of the Strips.
	From, To time.Time
	// Commands is set when the rows are command lines, for forms that quote them.
	Commands bool
	// Log is set when the rows are lines of a log.
	Log bool
	// Beside asks for a place at the side of the section before, where there is
	// room.
	Beside bool
}

// Heading is the title with the name, behind the hub.
func (s *Section) Heading() engine.Text {
	out := s.Title
	if !s.Name.IsZero() {
		out = engine.Textf("%s %s", out, s.Name)
	}
	if !s.Hub.IsZero() {
		out = engine.Textf("%s: %s", s.Hub.Text(), out)
	}
	return out
}

// TextRow returns a row of one sentence.
func TextRow(role engine.Role, t engine.Text) Row { return Row{Cells: []Cell{{Role: role, Text: t}}} }

// LabelRow returns a row of a label and its value.
func LabelRow(name engine.Text, value ...Cell) Row {
	return Row{Cells: append([]Cell{{Role: engine.RoleSub, Text: name}}, value...)}
}

// TextCell returns a cell without a mark.
func TextCell(role engine.Role, t engine.Text) Cell { return Cell{Role: role, Text: t} }

// CleanCell returns a cell of a text of the hub, a member or a kubeconfig.
func CleanCell(role engine.Role, s string) Cell { return Cell{Role: role, Text: engine.Clean(s)} }

// NumberText returns a number as a Text.
func NumberText(n int) engine.Text { return engine.Textf("%d", n) }
