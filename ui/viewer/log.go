package viewer

import (
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// sectionLines are the lines of an answer in sections: a log. Commands and messages
// stand below their heading like its lines.
func sectionLines(sections []page.Section) []Line {
	var out []Line
	for i := range sections {
		s := &sections[i]
		if i > 0 {
			out = append(out, Line{})
		}
		head := s.Heading()
		if !s.Note.IsZero() {
			head = engine.Textf("%s   %s", head, s.Note)
		}
		out = append(out, Line{Style: theme.Name | theme.Bold, Text: head})
		for j := range s.Rows {
			out = append(out, rowLine(s, &s.Rows[j]))
		}
	}
	return out
}

// rowLine is a row in the colour of its last cell, or the command that it copies.
func rowLine(s *page.Section, r *page.Row) Line {
	l := Line{Style: theme.Text, Text: r.Copied()}
	if s.Commands {
		return l
	}
	var cells []engine.Text
	for i := range r.Cells {
		if c := &r.Cells[i]; !c.Text.IsZero() {
			cells, l.Style = append(cells, c.Text), theme.OfRole(c.Role)
		}
	}
	l.Text = engine.Join(cells, " ")
	return l
}

// alike is how many lines have to be the same for a newer end of a log to go on with an older one.
const alike = 5

// dropped is how many lines below the heading of an older end of a log a newer one begins after.
func dropped(before, now []Line) int {
	for n := range before {
		same := min(alike, len(before)-1-n, len(now)-1)
		if same < 1 {
			break
		}
		ok := true
		for i := 1; i <= same; i++ {
			ok = ok && before[n+i].Text == now[i].Text
		}
		if ok {
			return n
		}
	}
	return 0
}
