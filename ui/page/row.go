package page

import (
	"slices"
	"strings"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/ui/cell"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// layOutRow lays out a row of cells. Its last cell may go on in further lines: below no
// headings, and in tables where the page has room for that.
func (s *Page) layOutRow(n int, wrap bool) []piece {
	out := []piece{{kind: pieceRow, row: n}}
	sr := &s.rows[n]
	last := len(sr.row.Cells) - 1
	if !wrap || len(sr.cols) != last+1 {
		return out
	}
	c := sr.row.Cells[last]
	if c.Text.IsZero() || !c.At.IsZero() || !c.Since.IsZero() {
		if len(sr.sec.Head) == 0 && last > 1 && s.isCut(sr, last) {
			return s.stacked(n)
		}
		return out
	}
	if sr.cols[last] < leastCell || s.cellWidth(&c) <= sr.cols[last] {
		return out
	}
	indent, room := rowIndent, sr.cols[last]
	for _, n := range sr.cols[:last] {
		indent += n + 2
	}
	if c.Mark != page.MarkNone {
		indent, room = indent+2, room-2
	}
	text, rest := cell.Text(s.th, c.Text), ""
	words := strings.Fields(text)
	whole := 0 // words that stand whole in the column
	for whole < len(words) && cell.Width(words[whole]) <= room {
		whole++
	}
	lines := cell.WrapString(s.th, strings.Join(words[:whole], " "), room, mostLines)
	if whole < len(words) { // the others begin as far to the left as the longest needs
		longest := 0
		for _, word := range words[whole:] {
			longest = max(longest, cell.Width(word))
		}
		rest = strings.Join(words[whole:], " ")
		if left := max(rowIndent+2, indent+room-longest); indent+room-left >= longest {
			indent, room = left, indent+room-left
		}
	}
	first := *sr.row
	first.Cells = slices.Clone(first.Cells)
	first.Cells[last].Text = engine.Text{}
	if len(lines) > 0 {
		first.Cells[last].Text, lines = engine.Clean(lines[0]), lines[1:]
	}
	sr.row = &first
	for _, l := range append(lines, cell.WrapString(s.th, rest, room, mostLines)...) {
		out = append(out, piece{kind: pieceText, k: theme.OfRole(c.Role), indent: indent, text: l})
	}
	return out
}

// isCut reports whether one of the first cells of a row is wider than its column.
func (s *Page) isCut(sr *rowAt, cells int) bool {
	for i := range cells {
		if s.cellWidth(&sr.row.Cells[i]) > sr.cols[i] {
			return true
		}
	}
	return false
}

// stacked lays out a row that ends in a time and has no room: its first cell with the time, and
// the others below it.
func (s *Page) stacked(n int) []piece {
	sr, out := &s.rows[n], []piece{{kind: pieceRow, row: n}}
	of, last, w := sr.row, len(sr.row.Cells)-1, -2
	for _, n := range sr.cols {
		w += n + 2
	}
	first := *of
	first.Cells = []page.Cell{of.Cells[0], of.Cells[last]}
	sr.row, sr.cols, sr.cuts = &first, []int{w - sr.cols[last] - 2, sr.cols[last]}, nil
	for i, c := range of.Cells[:last] {
		if i == 0 && s.cellWidth(&c) <= sr.cols[0] {
			continue // it stands whole beside the time
		}
		for _, l := range cell.Wrap(s.th, c.Text, w-2, mostLines) {
			out = append(out, piece{kind: pieceText, k: theme.OfRole(c.Role), indent: rowIndent + 2, text: l})
		}
	}
	return out
}
