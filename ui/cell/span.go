package cell

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/stagewatch/stagewatch/ui/theme"
)

// Span is a piece of a row in one style.
type Span struct {
	Style theme.Style
	Text  string
}

// Styled returns a piece of a row.
func Styled(k theme.Style, s string) Span { return Span{Style: k, Text: s} }

// Spans are pieces of a row, one after the other.
type Spans []Span

// Width returns the cells that the pieces take.
func (s Spans) Width() int {
	n := 0
	for i := range s {
		n += Width(s[i].Text)
	}
	return n
}

// Spans writes pieces.
func (r *Row) Spans(spans Spans) *Row {
	for _, s := range spans {
		r.Put(s.Style, s.Text)
	}
	return r
}

// Pad returns exactly n lines: the first of them, and empty ones below.
func Pad(lines []string, n int) []string {
	for len(lines) < n {
		lines = append(lines, "")
	}
	return lines[:n]
}

// Widen pads a finished line with spaces to n cells.
func Widen(line string, n int) string {
	if left := n - ansi.StringWidth(line); left > 0 {
		return line + strings.Repeat(" ", left)
	}
	return line
}
