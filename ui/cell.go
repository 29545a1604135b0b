package ui

import (
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// cellText returns what a Text looks like on the terminal. It is the only way
// from a Text to the screen. Clusters of characters on whose width terminals
// disagree are replaced, since a row that is wider than thought moves its
// neighbours (promise I12).
func cellText(t *theme.Theme, x engine.Text) string {
	s := x.String()
	if isASCII(s) {
		return s
	}
	if !t.ASCII && ansi.StringWidth(s) == ansi.StringWidthWc(s) {
		return s
	}
	var b strings.Builder
	for s != "" {
		c, w := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
		if c == "" {
			break
		}
		if (t.ASCII && !isASCII(c)) || w != ansi.StringWidthWc(c) {
			b.WriteString(strings.Repeat("?", max(1, w)))
		} else {
			b.WriteString(c)
		}
		s = s[len(c):]
	}
	return b.String()
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// width returns the cells that s takes.
func width(s string) int {
	if isASCII(s) {
		return len(s)
	}
	return ansi.StringWidth(s)
}

// cutEnd shortens s to n cells, with an ellipsis at its end.
func cutEnd(t *theme.Theme, s string, n int) string {
	switch {
	case n <= 0:
		return ""
	case width(s) <= n:
		return s
	case isASCII(s):
		return s[:n-1] + t.Glyph.Ellipsis
	}
	return ansi.Truncate(s, n, t.Glyph.Ellipsis)
}

// cutMiddle shortens s to n cells and keeps its end: names that belong
// together differ at the end.
func cutMiddle(t *theme.Theme, s string, n int) string {
	w := width(s)
	if w <= n || n < 8 {
		return cutEnd(t, s, n)
	}
	tail := (n - 1) / 2
	return ansi.Truncate(s, n-1-tail, "") + t.Glyph.Ellipsis + ansi.TruncateLeft(s, w-tail, "")
}

// row writes one line of at most max cells, never more, whatever it is given.
type row struct {
	th  *theme.Theme
	b   []byte
	w   int // cells written
	max int
	g   theme.Surface
	cur theme.Style
	raw bool // the style at the end of b is not cur's
}

func newRow(th *theme.Theme, limit int, g theme.Surface) *row {
	return &row{th: th, max: max(0, limit), g: g, raw: true, b: make([]byte, 0, limit*2+64)}
}

func (r *row) style(k theme.Style) {
	if r.raw || r.cur != k {
		r.b = append(r.b, r.th.Sequence(r.g, k)...)
		r.cur, r.raw = k, false
	}
}

// put writes a string of the program itself.
func (r *row) put(k theme.Style, s string) *row {
	w := width(s)
	if left := r.max - r.w; w > left {
		s = cutEnd(r.th, s, left)
		w = width(s)
	}
	if w == 0 {
		return r
	}
	r.style(k)
	r.b = append(r.b, s...)
	r.w += w
	return r
}

// text writes a Text.
func (r *row) text(k theme.Style, x engine.Text) *row { return r.put(k, cellText(r.th, x)) }

// col writes s cut and padded to n cells.
func (r *row) col(k theme.Style, s string, n int) *row {
	end := r.w + n
	return r.put(k, cutEnd(r.th, s, n)).to(end)
}

// right writes s cut and aligned to the right of n cells.
func (r *row) right(k theme.Style, s string, n int) *row {
	s = cutEnd(r.th, s, n)
	return r.to(r.w+n-width(s)).put(k, s)
}

// pair writes one cell in which the colours of two styles meet.
func (r *row) pair(k, under theme.Style, s string) *row {
	if r.w+width(s) > r.max {
		return r
	}
	r.b = append(r.b, r.th.Blend(k, under)...)
	r.b = append(r.b, s...)
	r.w += width(s)
	r.raw = true
	return r
}

// to pads with spaces up to a column; a column behind is no step.
func (r *row) to(column int) *row {
	if n := min(column, r.max) - r.w; n > 0 {
		if r.raw {
			r.style(theme.Text)
		}
		for range n {
			r.b = append(r.b, ' ')
		}
		r.w += n
	}
	return r
}

// gap writes n spaces.
func (r *row) gap(n int) *row { return r.to(r.w + n) }

// fill repeats a one-cell string up to a column.
func (r *row) fill(k theme.Style, s string, column int) *row {
	for n := min(column, r.max) - r.w; n > 0; n-- {
		r.put(k, s)
	}
	return r
}

// join writes a finished part.
func (r *row) join(part *row) *row {
	r.b, r.w, r.raw = append(r.b, part.b...), r.w+part.w, true
	return r
}

// on changes the background of what follows.
func (r *row) on(g theme.Surface) { r.g, r.raw = g, true }

// at is the column at which the next cell is written.
func (r *row) at() int { return r.w }

// limit is how many cells the row has.
func (r *row) limit() int { return r.max }

// left is how many cells are still free.
func (r *row) left() int { return r.max - r.w }

// String ends the row. On a surface of its own it is painted to its end.
func (r *row) String() string {
	if r.g != theme.Plain {
		r.to(r.max)
	}
	return string(r.b) + "\x1b[m"
}

// wrapText breaks a Text into lines of n cells, at most limit of them; the last
// one ends with an ellipsis when there is more. Lines break at spaces only, so
// that names and flags stay whole where they fit.
func wrapText(t *theme.Theme, x engine.Text, n, limit int) []string {
	if n < 8 || limit < 1 || x.IsZero() {
		return nil
	}
	return wrapString(t, cellText(t, x), n, limit)
}

func wrapString(t *theme.Theme, s string, n, limit int) []string {
	var lines []string
	line, w := "", 0
	flush := func() { lines, line, w = append(lines, line), "", 0 }
	for word := range strings.FieldsSeq(s) {
		ww := width(word)
		switch {
		case w > 0 && w+1+ww <= n:
			line, w = line+" "+word, w+1+ww
			continue
		case w > 0:
			flush()
		}
		for ww > n {
			head := ansi.Truncate(word, n, "")
			if head == "" {
				return lines
			}
			lines = append(lines, head)
			word = word[len(head):]
			ww = width(word)
			if len(lines) > limit {
				break
			}
		}
		line, w = word, ww
		if len(lines) > limit {
			break
		}
	}
	if w > 0 {
		flush()
	}
	if len(lines) > limit {
		lines = lines[:limit]
		lines[limit-1] = ansi.Truncate(lines[limit-1], n-1, "") + t.Glyph.Ellipsis
	}
	return lines
}

// short is a duration in at most four cells: 42s, 14m, 3h, 5d.
func short(d time.Duration) string {
	d = max(0, d)
	switch {
	case d < 100*time.Second:
		return strconv.Itoa(int(d/time.Second)) + "s"
	case d < 100*time.Minute:
		return strconv.Itoa(int(d/time.Minute)) + "m"
	case d < 48*time.Hour:
		return strconv.Itoa(int(d/time.Hour)) + "h"
	}
	return strconv.Itoa(int(d/(24*time.Hour))) + "d"
}

// long is a duration with its second unit: 42s, 14m13s, 3h05m, 2d4h.
func long(d time.Duration) string {
	d = max(0, d)
	two := func(n int) string {
		if n < 10 {
			return "0" + strconv.Itoa(n)
		}
		return strconv.Itoa(n)
	}
	s := int(d / time.Second)
	switch {
	case s < 60:
		return strconv.Itoa(s) + "s"
	case s < 3600:
		return strconv.Itoa(s/60) + "m" + two(s%60) + "s"
	case s < 48*3600:
		return strconv.Itoa(s/3600) + "h" + two(s/60%60) + "m"
	}
	return strconv.Itoa(s/86400) + "d" + strconv.Itoa(s/3600%24) + "h"
}

// clock is a moment as hours, minutes and seconds in UTC; with the day when it
// is not the day of now.
func clock(t, now time.Time) string {
	t, now = t.UTC(), now.UTC()
	if t.Year() != now.Year() || t.YearDay() != now.YearDay() {
		return t.Format("Jan 2 15:04")
	}
	return t.Format("15:04:05")
}

// cutTitle shortens "namespace/name" to n cells, the namespace first.
func cutTitle(t *theme.Theme, s string, n int) string {
	ns, name, ok := strings.Cut(s, "/")
	if room := n - 1 - width(name); ok && width(s) > n && room >= 1 {
		return cutEnd(t, ns, room) + "/" + name
	}
	return cutMiddle(t, s, n)
}

// cutStart returns the last n cells of s.
func cutStart(t *theme.Theme, s string, n int) string {
	if w := width(s); w > n {
		return ansi.TruncateLeft(s, w-n+1, t.Glyph.Ellipsis)
	}
	return s
}

// wrapKept breaks prose into lines and keeps the blanks at its beginning, which
// diffs and manifests need.
func wrapKept(t *theme.Theme, s string, n, limit int) []string {
	lead := 0
	for lead < len(s) && s[lead] == ' ' {
		lead++
	}
	if lead == 0 || lead >= n/2 {
		return wrapString(t, s, n, limit)
	}
	out := wrapString(t, s[lead:], n-lead, limit)
	for i := range out {
		out[i] = s[:lead] + out[i]
	}
	return out
}

// fitting returns the first of the words that fits n cells, else the last.
func fitting(n int, words ...string) string {
	for _, s := range words[:len(words)-1] {
		if width(s) <= n {
			return s
		}
	}
	return words[len(words)-1]
}
