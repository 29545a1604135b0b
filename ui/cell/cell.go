// Package cell writes rows of terminal cells. It is the only way from an
// engine.Text to the terminal: what a row is given is cut to its width, and
// characters on whose width terminals disagree are replaced. Styles change
// within a row without Lip Gloss, which renders word by word: 36 rows of four
// words take it 1.2 to 2.1 ms and 10,800 allocations, and this package 0.1 ms.
package cell

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// Text returns what a Text looks like on the terminal. It is the only way
// from a Text to the screen. Clusters of characters on whose width terminals
// disagree are replaced, since a row that is wider than thought moves its
// neighbours.
func Text(t *theme.Theme, x engine.Text) string {
	s := x.Keyed(t.Key)
	if IsASCII(s) {
		return s
	}
	if !t.ASCII && (isPlain(s) || ansi.StringWidth(s) == ansi.StringWidthWc(s)) {
		return s
	}
	var b strings.Builder
	for s != "" {
		c, w := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
		if c == "" {
			break
		}
		if (t.ASCII && !IsASCII(c)) || w != ansi.StringWidthWc(c) {
			b.WriteString(strings.Repeat("?", max(1, w)))
		} else {
			b.WriteString(c)
		}
		s = s[len(c):]
	}
	return b.String()
}

// IsASCII reports whether s has ASCII characters only.
func IsASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// isPlain reports whether s has only characters that take one cell on every terminal: ASCII,
// and those that the program itself writes. Any other needs tables of 2 MB.
func isPlain(s string) bool {
	for _, r := range s {
		switch {
		case r >= ' ' && r <= '~', r >= 0x2500 && r <= 0x257f: // box drawing
		case strings.ContainsRune(ownCharacters, r):
		default:
			return false
		}
	}
	return true
}

// ownCharacters are those of the program that are neither ASCII nor lines.
const ownCharacters = "·×–…‹›←↑→↓◇◈○●◌◐◑◒◓◔◦■▪▴▸▾▌█✓✕✗"

// Width returns the cells that s takes.
func Width(s string) int {
	if IsASCII(s) {
		return len(s)
	}
	return ansi.StringWidth(s)
}

// Cut shortens s to n cells, with an ellipsis at its end.
func Cut(t *theme.Theme, s string, n int) string {
	switch {
	case n <= 0:
		return ""
	case Width(s) <= n:
		return s
	case IsASCII(s):
		return s[:n-1] + t.Glyph.Ellipsis
	}
	return ansi.Truncate(s, n, t.Glyph.Ellipsis)
}

// CutMiddle shortens s to n cells and keeps its end: names that belong
// together differ at the end.
func CutMiddle(t *theme.Theme, s string, n int) string {
	w := Width(s)
	if w <= n || n < 8 {
		return Cut(t, s, n)
	}
	tail := (n - 1) / 2
	return ansi.Truncate(s, n-1-tail, "") + t.Glyph.Ellipsis + ansi.TruncateLeft(s, w-tail, "")
}

// leastPlace is how much of the name of a place still tells it from others.
const leastPlace = 4

// CutPhrase shortens a phrase to n cells. place is the name of a stage or a cluster that it ends in:
// where it happened (" on NAME", " from NAME") is cut first, any other is kept where it takes at
// most half of the cells. A phrase without one is cut at its end.
func CutPhrase(t *theme.Theme, s, place string, n int) string {
	what, ok := strings.CutSuffix(s, " "+place)
	if !ok || place == "" || Width(s) <= n {
		return Cut(t, s, n)
	}
	for _, at := range []string{" on", " from"} {
		what, ok := strings.CutSuffix(what, at)
		if !ok {
			continue
		}
		switch room := n - Width(what) - len(at) - 1; {
		case room >= leastPlace:
			return what + at + " " + Cut(t, place, room)
		case Width(what) < n:
			return what + t.Glyph.Ellipsis
		}
		return Cut(t, what, n)
	}
	if w := Width(place); w <= n/2 {
		return Cut(t, what, n-w-1) + " " + place
	}
	return Cut(t, s, n)
}

// Row writes one line of at most max cells, never more, whatever it is given.
type Row struct {
	th  *theme.Theme
	b   []byte
	w   int // cells written
	max int
	g   theme.Surface
	cur theme.Style
	raw bool // the style at the end of b is not cur's
}

// NewRow returns an empty row of at most limit cells on surface g.
func NewRow(th *theme.Theme, limit int, g theme.Surface) *Row {
	return &Row{th: th, max: max(0, limit), g: g, raw: true, b: make([]byte, 0, limit*2+64)}
}

func (r *Row) style(k theme.Style) {
	if r.raw || r.cur != k {
		r.b = append(r.b, r.th.Sequence(r.g, k)...)
		r.cur, r.raw = k, false
	}
}

// Put writes a string of the program itself.
func (r *Row) Put(k theme.Style, s string) *Row {
	w := Width(s)
	if left := r.max - r.w; w > left {
		s = Cut(r.th, s, left)
		w = Width(s)
	}
	if w == 0 {
		return r
	}
	r.style(k)
	r.b = append(r.b, s...)
	r.w += w
	return r
}

// PutFound writes a string of the program itself in which words, in lower case, stand out.
func (r *Row) PutFound(k theme.Style, s, words string) *Row {
	low := strings.ToLower(s)
	for words != "" && len(low) == len(s) { // lower case of a few letters has another length
		i := strings.Index(low, words)
		if i < 0 {
			break
		}
		end := i + len(words)
		r.Put(k, s[:i]).Put(theme.Wait|theme.Bold, s[i:end])
		s, low = s[end:], low[end:]
	}
	return r.Put(k, s)
}

// Text writes a Text.
func (r *Row) Text(k theme.Style, x engine.Text) *Row { return r.Put(k, Text(r.th, x)) }

// Col writes s cut and padded to n cells.
func (r *Row) Col(k theme.Style, s string, n int) *Row {
	end := r.w + n
	return r.Put(k, Cut(r.th, s, n)).To(end)
}

// Right writes s cut and aligned to the right of n cells.
func (r *Row) Right(k theme.Style, s string, n int) *Row {
	s = Cut(r.th, s, n)
	return r.To(r.w+n-Width(s)).Put(k, s)
}

// Pair writes one cell in which the colours of two styles meet.
func (r *Row) Pair(k, under theme.Style, s string) *Row {
	if r.w+Width(s) > r.max {
		return r
	}
	r.b = append(r.b, r.th.Blend(k, under)...)
	r.b = append(r.b, s...)
	r.w += Width(s)
	r.raw = true
	return r
}

// To pads with spaces up to a column; a column behind is no step.
func (r *Row) To(column int) *Row {
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

// Gap writes n spaces.
func (r *Row) Gap(n int) *Row { return r.To(r.w + n) }

// Fill repeats a one-cell string up to a column.
func (r *Row) Fill(k theme.Style, s string, column int) *Row {
	for n := min(column, r.max) - r.w; n > 0; n-- {
		r.Put(k, s)
	}
	return r
}

// Join writes a finished part.
func (r *Row) Join(part *Row) *Row {
	r.b, r.w, r.raw = append(r.b, part.b...), r.w+part.w, true
	return r
}

// On changes the background of what follows.
func (r *Row) On(g theme.Surface) { r.g, r.raw = g, true }

// At is the column at which the next cell is written.
func (r *Row) At() int { return r.w }

// Limit is how many cells the row has.
func (r *Row) Limit() int { return r.max }

// Left is how many cells are still free.
func (r *Row) Left() int { return r.max - r.w }

// String ends the row. On a surface of its own it is painted to its end.
func (r *Row) String() string {
	if r.g != theme.Plain {
		r.To(r.max)
	}
	return string(r.b) + "\x1b[m"
}

// Wrap breaks a Text into lines of n cells, at most limit of them; the last
// one ends with a whole word and an ellipsis when there is more. Lines break at spaces only, so
// that names and flags stay whole where they fit.
func Wrap(t *theme.Theme, x engine.Text, n, limit int) []string {
	if n < 8 || limit < 1 || x.IsZero() {
		return nil
	}
	return WrapString(t, Text(t, x), n, limit)
}

// WrapString is Wrap for a string of the program itself.
func WrapString(t *theme.Theme, s string, n, limit int) []string {
	var lines []string
	line, w := "", 0
	flush := func() { lines, line, w = append(lines, line), "", 0 }
	for word := range strings.FieldsSeq(s) {
		ww := Width(word)
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
			if i := strings.LastIndexByte(head, ','); i > 0 && strings.Contains(word, `":`) { // the fields of JSON stay whole
				head = head[:i+1]
			} else if i := strings.LastIndexAny(head, ",;&/"); i >= len(head)/2 { // a path or a query
				head = head[:i+1]
			}
			lines = append(lines, head)
			word = word[len(head):]
			ww = Width(word)
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
		last := lines[limit-1]
		if i := strings.LastIndexByte(last, ' '); i > 0 && Width(last) >= n {
			last = last[:i]
		}
		lines[limit-1] = ansi.Truncate(last, n-1, "") + t.Glyph.Ellipsis
	}
	return lines
}

// CutTitle shortens "namespace/name" to n cells, the namespace first.
func CutTitle(t *theme.Theme, s string, n int) string {
	ns, name, ok := strings.Cut(s, "/")
	if room := n - 1 - Width(name); ok && Width(s) > n && room >= 1 {
		return Cut(t, ns, room) + "/" + name
	}
	return CutMiddle(t, s, n)
}

// Tail returns the last n cells of s, with an ellipsis before them where it is
// longer.
func Tail(t *theme.Theme, s string, n int) string {
	w := Width(s)
	if w <= n {
		return s
	}
	if n <= 0 {
		return ""
	}
	end := ansi.TruncateLeft(s, w-n+1, "")
	if Width(end) > n-1 { // half of a wide character was kept as a whole
		end = ansi.TruncateLeft(s, w-n+2, "")
	}
	return t.Glyph.Ellipsis + end
}

// WrapKept breaks prose into lines and keeps the blanks at its beginning, which
// diffs and manifests need.
func WrapKept(t *theme.Theme, s string, n, limit int) []string {
	blanks := 0
	for blanks < len(s) && s[blanks] == ' ' {
		blanks++
	}
	if blanks == 0 || blanks >= n/2 {
		return WrapString(t, s, n, limit)
	}
	out := WrapString(t, s[blanks:], n-blanks, limit)
	for i := range out {
		out[i] = s[:blanks] + out[i]
	}
	return out
}

// Fitting returns the first of the words that fits n cells, else the last.
func Fitting(n int, words ...string) string {
	for _, s := range words[:len(words)-1] {
		if Width(s) <= n {
			return s
		}
	}
	return words[len(words)-1]
}
