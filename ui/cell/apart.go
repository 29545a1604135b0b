package cell

import (
	"github.com/charmbracelet/x/ansi"

	"github.com/stagewatch/stagewatch/ui/theme"
)

// Apart shortens the names of a column that are wider than n cells, as CutMiddle does. Where that
// makes several alike, it cuts them nearer to their beginnings or ends, so that they differ.
func Apart(t *theme.Theme, names []string, n int) map[string]string {
	cuts, alike := map[string]string{}, map[string][]string{}
	for _, s := range names {
		if _, known := cuts[s]; known || Width(s) <= n {
			continue
		}
		c := CutMiddle(t, s, n)
		cuts[s], alike[c] = c, append(alike[c], s)
	}
	for _, group := range alike {
		if len(group) > 1 && !cutApart(t, group, n, enough, cuts) {
			cutApart(t, group, n, 1, cuts)
		}
	}
	return cuts
}

// enough is in how many cells names that are cut should differ, of groups of at most mostAlike.
const enough, mostAlike = 3, 20

// cutApart cuts names that CutMiddle makes alike so that they differ in some cells, as near to the
// middle as that permits, and reports whether it could.
func cutApart(t *theme.Theme, group []string, n, differ int, cuts map[string]string) bool {
	if len(group) > mostAlike && differ > 1 {
		return false
	}
	for d := 1; d < n; d++ {
		head := (n-1)/2 - d
		if cutAt(t, group, n, head, differ, cuts) || cutAt(t, group, n, n-1-head, differ, cuts) {
			return true
		}
	}
	return false
}

// cutAt cuts names behind the first head cells, and reports whether they differ then.
func cutAt(t *theme.Theme, names []string, n, head, differ int, cuts map[string]string) bool {
	if head < 0 || head >= n {
		return false
	}
	out, seen := make([]string, len(names)), map[string]bool{}
	for i, s := range names {
		out[i] = ansi.Truncate(s, head, "") + t.Glyph.Ellipsis + ansi.TruncateLeft(s, Width(s)-(n-1-head), "")
		if seen[out[i]] {
			return false
		}
		seen[out[i]] = true
		for j := 0; differ > 1 && j < i; j++ {
			if difference(out[i], out[j]) < differ {
				return false
			}
		}
	}
	for i, s := range names {
		cuts[s] = out[i]
	}
	return true
}

// difference counts the places in which two texts differ.
func difference(a, b string) int {
	x, y := []rune(a), []rune(b)
	n := max(len(x), len(y)) - min(len(x), len(y))
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			n++
		}
	}
	return n
}
