package viewer

import "slices"

// place is what is at the top of the screen: a row of a line that is wrapped.
type place struct {
	line       int
	part, rows int // the row of the line, and how many it has
}

// place returns what is at the top of the screen.
func (v *Viewer) place() place {
	if len(v.rows) == 0 {
		return place{}
	}
	top := v.port.YOffset()
	i, found := slices.BinarySearch(v.rows, top)
	if !found {
		i--
	}
	i = max(0, i)
	return place{line: i, part: top - v.rows[i], rows: rowsOf(v.rows, i, v.port.TotalLineCount())}
}

// row is where the place is after the lines were wrapped to another width: in a line that takes
// another number of rows, as far into it.
func (p place) row(rows []int, total int) int {
	if p.line >= len(rows) || p.rows == 0 {
		return 0
	}
	return rows[p.line] + p.part*rowsOf(rows, p.line, total)/p.rows
}

// rowsOf is how many rows a line takes.
func rowsOf(rows []int, line, total int) int {
	if line+1 < len(rows) {
		total = rows[line+1]
	}
	return total - rows[line]
}
