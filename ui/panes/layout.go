package panes

import (
	"strings"

	"github.com/stagewatch/stagewatch/ui/cell"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// Pane is one of the parts that stand side by side.
type Pane int

// The panes, from left to right.
const (
	List Pane = iota
	Run
	Diagnosis
	most
)

// Widths of the terminal from which there are so many panes, and the lowest body that
// has them.
const (
	TwoFrom    = 140
	threeFrom  = 190
	lowestBody = 20
)

// size is how much of the width the pane with the focus has.
type size int

const (
	normal size = iota
	large       // most of the width
	whole       // the others are hidden
)

// Count is how many panes a body of w by h cells has; 1 means that there are none side
// by side.
func Count(w, h int) int {
	switch {
	case w < TwoFrom || h < lowestBody:
		return 1
	case w < threeFrom:
		return 2
	}
	return 3
}

// shares are percentages of the width: of two and of three panes, with the focus on each.
var (
	normalShares = map[int][]int{2: {57, 43}, 3: {42, 30, 28}}
	largeShares  = map[int][][]int{
		2: {{68, 32}, {38, 62}},
		3: {{56, 24, 20}, {30, 46, 24}, {28, 24, 48}},
	}
)

// enough are the widths with which the panes beside the list show what a person needs, wide those
// with which no pane cuts anything off. On a wider terminal the list gets the rest until it has its
// wide width, then the panes beside it until they have theirs, then the list again.
var enough, wide = [most]int{Run: 68, Diagnosis: 60}, [most]int{List: 134, Run: 90, Diagnosis: 66}

// Layout is where the panes stand. The zero Layout has none: one thing fills the body.
type Layout struct {
	// Focus is the pane that keys are about.
	Focus Pane
	n, h  int
	x, w  [most]int
}

// lay lays n panes out in a body of w by h cells.
func lay(n, w, h int, focus Pane, s size) Layout {
	if n < 2 || s == whole {
		return Layout{}
	}
	l, of := Layout{Focus: focus, n: n, h: h}, normalShares[n]
	if s == large {
		of = largeShares[n][focus]
	}
	for i := range n {
		l.w[i] = w * of[i] / 100
	}
	l.w[n-1] += w - l.w[List] - l.w[Run] - l.w[Diagnosis]
	if s == normal && n == 3 {
		for p := Run; p < most; p++ {
			less := max(0, l.w[p]-enough[p])
			l.w[List], l.w[p] = l.w[List]+less, l.w[p]-less
		}
		for p := Run; p < most; p++ {
			more := max(0, min(wide[p]-l.w[p], l.w[List]-wide[List]))
			l.w[List], l.w[p] = l.w[List]-more, l.w[p]+more
		}
	}
	for i := 1; i < n; i++ {
		l.x[i] = l.x[i-1] + l.w[i-1]
	}
	return l
}

// On reports whether panes stand side by side.
func (l *Layout) On() bool { return l.n > 0 }

// Has reports whether a pane is drawn.
func (l *Layout) Has(p Pane) bool { return int(p) < l.n }

// Inner is the size of what a pane frames.
func (l *Layout) Inner(p Pane) (w, h int) { return l.w[p] - 2, l.h - 2 }

// Hit returns the pane at a cell of the body, and the cell within its frame.
func (l *Layout) Hit(x, y int) (p Pane, innerX, innerY int) {
	for p = most - 1; p > List && (!l.Has(p) || x < l.x[p]); {
		p--
	}
	return p, x - l.x[p] - 1, y - 1
}

// Framed is a pane to draw: its title, a note at the right of the frame, and the lines
// within.
type Framed struct {
	Title func(*cell.Row)
	Note  string
	Lines []string
}

// Name is a title of words of the program.
func Name(s string) func(*cell.Row) {
	return func(r *cell.Row) { r.Put(theme.Name|theme.Bold, s) }
}

// View draws the panes side by side.
func (l *Layout) View(th *theme.Theme, panes []Framed) string {
	out := make([]strings.Builder, l.h)
	for i, p := range panes[:l.n] {
		for y, line := range l.frame(th, p, Pane(i)) {
			out[y].WriteString(line)
		}
	}
	lines := make([]string, l.h)
	for y := range lines {
		lines[y] = out[y].String()
	}
	return strings.Join(lines, "\n")
}

// frame draws one pane in its frame, which is thick where the focus is.
func (l *Layout) frame(th *theme.Theme, f Framed, p Pane) []string {
	w, h := l.Inner(p)
	edge, style := th.Glyph.Thin, theme.Faint
	if p == l.Focus {
		edge, style = th.Glyph.Thick, theme.Key
	}
	note := ""
	if f.Note != "" {
		note = " " + f.Note + " "
	}
	top := cell.NewRow(th, w+2, theme.Plain).Put(style, edge.Tl+edge.H+" ")
	title := cell.NewRow(th, w-3-cell.Width(note), theme.Plain)
	f.Title(title)
	top.Join(title).Put(style, " ").Fill(style, edge.H, w-cell.Width(note)).Put(theme.Sub, note).Fill(style, edge.H, w+1).Put(style, edge.Tr)
	out := []string{top.String()}
	side := cell.NewRow(th, 1, theme.Plain).Put(style, edge.V).String()
	for _, line := range cell.Pad(f.Lines, h)[:h] {
		out = append(out, side+cell.Widen(line, w)+side)
	}
	return append(out, cell.NewRow(th, w+2, theme.Plain).Put(style, edge.Bl).Fill(style, edge.H, w+1).Put(style, edge.Br).String())
}
