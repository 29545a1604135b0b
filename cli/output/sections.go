package output

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/page"
)

// WriteSections prints a page for a person at a terminal.
func WriteSections(w io.Writer, a *page.Answer) error {
	b := &textPage{}
	for i := range a.Sections {
		s := &a.Sections[i]
		if i > 0 {
			b.line("")
		}
		title := s.Title.String()
		if i > 0 || len(s.Head) > 0 { // the first is a name, unless it is a table
			title = strings.ToUpper(title)
		}
		if !s.Name.IsZero() {
			title += " " + s.Name.String()
		}
		if !s.Hub.IsZero() {
			title = s.Hub.Text().String() + ": " + title
		}
		b.line("%s", strings.TrimSpace(title+"   "+s.Note.String()))
		var rows []string
		notes := map[int]string{}
		flush := func() {
			if len(rows) > 0 {
				b.tableWith(rows, notes)
				rows, notes = nil, map[int]string{}
			}
		}
		if len(s.Head) > 0 {
			rows = append(rows, "  "+engine.Join(s.Head, "\t").String())
		}
		for j := range s.Rows {
			r := &s.Rows[j]
			switch {
			case s.Commands:
				flush()
				b.line("  %s", r.Copy.String())
			case len(r.Cells) == 1:
				flush()
				b.line("  %s", cellWords(&r.Cells[0], a.At, false))
			default:
				cells := make([]string, len(r.Cells))
				for k := range r.Cells {
					if cells[k] = cellWords(&r.Cells[k], a.At, len(s.Head) > 0); cells[k] == "" && len(s.Head) > 0 {
						cells[k] = "-"
					}
				}
				rows = append(rows, "  "+strings.Join(cells, "\t"))
			}
			switch {
			case r.Note.IsZero():
			case len(rows) > 0: // the rows below it stay in line with those above
				notes[len(rows)-1] = r.Note.String()
			default:
				b.line("      %s", r.Note.String())
			}
		}
		flush()
	}
	_, err := b.WriteTo(w)
	return err
}

// WriteMarkdown prints a page for a ticket. What comes from the hub cannot
// become markup there.
func WriteMarkdown(w io.Writer, a *page.Answer, hub engine.Hub) error {
	b := &textPage{}
	for i := range a.Sections {
		sec := &a.Sections[i]
		heading := Escaped(sec.Heading().String())
		switch {
		case i == 0:
			b.line("# %s", heading)
			b.line("")
			b.line("As of %s.", at(a.At, hub))
			if !sec.Note.IsZero() {
				b.line("")
				b.line("%s", Escaped(sec.Note.String()))
			}
		case sec.Note.IsZero() || sec.Commands:
			b.line("")
			b.line("## %s", heading)
		default:
			b.line("")
			b.line("## %s: %s", heading, Escaped(sec.Note.String()))
		}
		if sec.Commands {
			b.fenced(sec)
			continue
		}
		b.markdownRows(sec, a.At)
	}
	_, err := b.WriteTo(w)
	return err
}

// fenced writes command lines as they are, in a fence that none of them closes.
func (b *textPage) fenced(s *page.Section) {
	fence := "```"
	for i := range s.Rows {
		for strings.Contains(s.Rows[i].Copy.String(), fence) {
			fence += "`"
		}
	}
	b.line("")
	b.line("%sconsole", fence)
	for i := range s.Rows {
		b.line("%s", s.Rows[i].Copy.String())
	}
	b.line("%s", fence)
}

// at is the time and the hub of what is printed, for Markdown.
func at(t time.Time, hub engine.Hub) string {
	return fmt.Sprintf("%s, on %s (%s)", t.UTC().Format(time.RFC3339), Escaped(hub.Server.String()), Escaped(hub.Context.String()))
}

// markdownTable writes a table of cells that are escaped already.
func (b *textPage) markdownTable(heads []string, rows [][]string) {
	b.line("| %s |", strings.Join(heads, " | "))
	b.line("|%s", strings.Repeat("---|", len(heads)))
	for _, row := range rows {
		b.line("| %s |", strings.Join(row, " | "))
	}
}

// markdownRows writes rows with as many cells as a table, others as a list.
func (b *textPage) markdownRows(s *page.Section, now time.Time) {
	cells := func(r *page.Row) []string {
		out := make([]string, len(r.Cells))
		for i := range r.Cells {
			out[i] = Escaped(strings.TrimSpace(cellWords(&r.Cells[i], now, len(s.Head) > 0)))
		}
		return out
	}
	b.line("")
	if len(s.Head) > 0 {
		heads := make([]string, len(s.Head))
		for i := range s.Head {
			heads[i] = Escaped(s.Head[i].String())
		}
		table := make([][]string, len(s.Rows))
		for i := range s.Rows {
			r := &s.Rows[i]
			row := cells(r)
			if !r.Note.IsZero() && len(row) > 0 {
				row[len(row)-1] = strings.TrimSpace(row[len(row)-1] + " " + Escaped(r.Note.String()))
			}
			table[i] = row
		}
		b.markdownTable(heads, table)
		return
	}
	for i := range s.Rows {
		r := &s.Rows[i]
		line := strings.Join(cells(r), " ")
		if len(r.Cells) == 2 {
			line = strings.Join(cells(r), ": ")
		}
		b.line("- %s", line)
		if !r.Note.IsZero() {
			b.line("  %s", Escaped(r.Note.String()))
		}
	}
}

// Escaped takes the meaning from what has one in Markdown: every character that
// can begin markup inside a line, what would make the line a list or a heading,
// and addresses that would become links.
func Escaped(s string) string {
	var b strings.Builder
	for i, r := range s {
		switch {
		case strings.ContainsRune("\\`*_[]<>|~&@#", r), i == 0 && strings.ContainsRune("-+=", r),
			r == ':' && strings.HasPrefix(s[i:], "://"):
			b.WriteByte('\\')
		case r == '.' && strings.HasPrefix(strings.ToLower(s[max(0, i-3):]), "www."), (r == '.' || r == ')') && allDigits(s[:i]):
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// allDigits reports whether s is a number, which would begin a numbered list.
func allDigits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// cellWords is a cell without colour: the sign of a line of a diff, its text, its time of
// day and its age. Under a column head the time has no zone, as on the screen.
func cellWords(c *page.Cell, now time.Time, headed bool) string {
	var words []string
	if !c.Text.IsZero() { // with its indentation
		words = append(words, diffSigns[c.Mark]+strings.TrimRight(c.Text.String(), " "))
	}
	switch {
	case c.At.IsZero():
	case headed:
		words = append(words, engine.Time(c.At, now).String())
	default:
		words = append(words, engine.Clock(c.At, now).String())
	}
	if !c.Since.IsZero() {
		words = append(words, engine.Age(now.Sub(c.Since)).String())
	}
	return strings.Join(words, " ")
}

// diffSigns begin the lines of a diff.
var diffSigns = map[page.Mark]string{page.MarkAdded: "+ ", page.MarkGone: "- "}
