package ui

import (
	"slices"

	"github.com/stagewatch/stagewatch/engine"
)

// dialogLine is a line of a dialog. When there is no room for all, those of
// the highest rank go first; rank 0 never goes.
type dialogLine struct {
	rank int
	// whole lines of one rank go together: half a command is worse than none.
	whole bool
	// more lines go on with the one before: without it they mean nothing.
	more bool
	s    string
	// cut is what stands instead when the line that goes on with it has gone;
	// empty for the last line of a text.
	cut string
	// spots are what stands in it, from its own first column.
	spots []spot
}

// rankBlank is the rank of lines that only give air.
const rankBlank = 9

// dialogBody collects the lines of a dialog.
type dialogBody struct {
	m     *Model
	w     int
	lines []dialogLine
}

const dialogLabel = 10 // width of the labels

// add writes a labelled Text in at most limit lines.
func (b *dialogBody) add(rank int, k ink, label string, x engine.Text, limit int) {
	th := b.m.look.th
	all := th.wrap(x, b.w-dialogLabel, limit)
	line := func(i int, s string) string {
		r := newRow(th, b.w, groundNone)
		if i == 0 {
			r.put(inkSub, label)
		}
		return r.to(dialogLabel).put(k, s).to(b.w).String()
	}
	for i, s := range all {
		l := dialogLine{rank: rank, more: i > 0 || label == "", s: line(i, s)}
		if rank > 0 && i > 0 {
			l.rank++
		}
		if i < len(all)-1 {
			l.cut = line(i, th.wrap(x, b.w-dialogLabel, i+1)[i])
		}
		b.lines = append(b.lines, l)
	}
}

// addWhole writes a labelled Text that is shown whole or not at all.
func (b *dialogBody) addWhole(rank int, k ink, label string, x engine.Text, limit int) {
	from := len(b.lines)
	b.add(rank, k, label, x, limit)
	for i := from; i < len(b.lines); i++ {
		b.lines[i].rank, b.lines[i].whole = rank, true
	}
}

func (b *dialogBody) row(rank int, r *row) {
	b.lines = append(b.lines, dialogLine{rank: rank, s: r.to(b.w).String()})
}

// spot notes what stands in the line that was added last.
func (b *dialogBody) spot(s spot) {
	l := &b.lines[len(b.lines)-1]
	l.spots = append(l.spots, s)
}

func (b *dialogBody) field(f field) { b.spot(spot{to: b.w, kind: spotField, field: f}) }

func (b *dialogBody) blank(rank int) { b.row(rank, newRow(b.m.look.th, b.w, groundNone)) }

// fitDialog drops lines of the highest ranks until n are left. What went gives
// way to what still fits after a longer thing went, too: a long command must not
// take short lines with it.
func fitDialog(lines []dialogLine, n int) []dialogLine {
	if n <= 0 {
		return nil
	}
	gone := make([]bool, len(lines))
	var dropped [][2]int // from, to; in the order in which they went
	left := len(lines)
	for left > n {
		drop := -1
		for i := range lines {
			if !gone[i] && (drop < 0 || lines[i].rank >= lines[drop].rank) {
				drop = i
			}
		}
		if lines[drop].rank == 0 {
			// Nothing may go: what asks stands at the end and stays.
			return kept(lines, gone)[left-n:]
		}
		first := drop
		for lines[drop].whole && first > 0 && lines[first-1].whole && lines[first-1].rank == lines[drop].rank {
			first--
		}
		for i := first; i <= drop; i++ {
			gone[i] = true
		}
		left -= drop + 1 - first
		dropped = append(dropped, [2]int{first, drop + 1})
	}
	for _, d := range slices.Backward(dropped) {
		if left+d[1]-d[0] > n || lines[d[0]].more && d[0] > 0 && gone[d[0]-1] {
			continue
		}
		left += d[1] - d[0]
		for i := d[0]; i < d[1]; i++ {
			gone[i] = false
		}
	}
	return kept(lines, gone)
}

func kept(lines []dialogLine, gone []bool) []dialogLine {
	out := make([]dialogLine, 0, len(lines))
	for i := range lines {
		if gone[i] {
			continue
		}
		l := lines[i]
		if l.cut != "" && i+1 < len(lines) && gone[i+1] {
			l.s = l.cut
		}
		out = append(out, l)
	}
	return out
}
