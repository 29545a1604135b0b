// Package viewer shows a text over the whole screen: help, the YAML of an object or a
// log. Viewport of Bubbles does the scrolling; the lines are written by cells. Those of a
// log are wrapped at blanks, which it does not do. Other lines are not wrapped: one that goes on to the right ends
// in an ellipsis.
package viewer

import (
	"regexp"
	"strconv"
	"strings"

	"charm.land/bubbles/v2/viewport"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/keymap"
	"github.com/stagewatch/stagewatch/ui/cell"
	"github.com/stagewatch/stagewatch/ui/theme"
)

const (
	margin  = 1   // columns to the left of the text
	step    = 16  // columns that h and l scroll by
	longest = 800 // cells of a line that are written
	// mostWrapped is how many rows a line of a log takes at most.
	mostWrapped = 100
)

// yamlKey is the key that begins a line of YAML, with its indent.
var yamlKey = regexp.MustCompile(`^[ -]*("[^"]+"|[^\s"'#:{\[][^\s:]*(?: [^\s:]+)*):(?: |$)`)

// yamlNumber is a value that is a number.
var yamlNumber = regexp.MustCompile(`^[-+]?(\d[\d_]*)?\.?\d+([eE][-+]?\d+)?$`)

// yamlStyle is the style of a value: a number, a truth value, nothing, or a text. A text that looks like
// one of the others is quoted.
func yamlStyle(value string) theme.Style {
	switch value = strings.TrimSpace(value); value {
	case "true", "false":
		return theme.Ask
	case "null", "~", "{}", "[]", `""`:
		return theme.Faint
	}
	if yamlNumber.MatchString(value) {
		return theme.Wait
	}
	return theme.Text
}

// KeyColumn is what a key of an entry takes, with the gap behind it, unless it is longer.
const KeyColumn = 12

// Half is the column at which the second entry of a line starts.
const Half = 40

// Line is a line of text. With a Key it is an entry of the help, and a second one
// may stand in its right half.
type Line struct {
	Style theme.Style
	Key   string
	Text  engine.Text
	Key2  string
	Text2 engine.Text
	yaml  bool // a line of YAML: its key recedes
	// Beside are lines that stand to the right, each in as many cells as Column says.
	Beside []Line
	Column int
}

// Viewer is a text and what of it is on the screen. The zero Viewer is empty.
type Viewer struct {
	title    engine.Text
	question page.Question
	waiting  bool
	spinner  string
	all      []Line // the text
	lines    []Line // what of it is not folded
	folding  folding
	log      bool        // the lines are wrapped, and the end stays on the screen
	follow   bool        // the next lines are shown from their end
	gone     int         // how many lines at the start a newer answer no longer has
	err      engine.Text // why the lines are not renewed

	lookup

	theme   *theme.Theme // that the content of port is written in
	written bool         // the content of port is that of lines
	rows    []int        // the rows above each line
	rowsOf  *Line        // the first of the lines that rows are of
	port    viewport.Model
}

// Show replaces the text.
func (v *Viewer) Show(title engine.Text, lines []Line) {
	*v = Viewer{title: title, all: lines, lines: lines}
}

// Wait replaces the text with the answer to a question, once it comes.
func (v *Viewer) Wait(title engine.Text, q page.Question) {
	*v = Viewer{title: title, question: q, waiting: true}
}

// Answer takes the answer to its question, the first one or a newer one; another one is
// dropped. It reports whether it took it.
func (v *Viewer) Answer(a page.Answer) bool {
	if v.question == nil || a.Question != v.question {
		return false
	}
	first := v.waiting
	v.err = engine.Text{}
	switch {
	case a.Err.IsZero():
	case first:
		v.waiting, v.written = false, false
		v.all = []Line{{Style: theme.Bad, Text: a.Err}, {Style: theme.Text, Text: a.Hint}}
		v.lines = v.all
		return true
	default:
		v.err = a.Err
		return true
	}
	v.waiting, v.log = false, a.Sections != nil
	v.follow = first && v.log || !first && v.theme != nil && v.port.AtBottom()
	before := v.all
	v.all = sectionLines(a.Sections)
	if !first && v.log {
		n := dropped(before, v.all)
		v.gone += n
		v.from.line, v.began.line = max(0, v.from.line-n), max(0, v.began.line-n)
	}
	_, yaml := a.Question.(page.YAMLQuestion)
	for _, l := range a.Lines {
		v.all = append(v.all, Line{Style: theme.Text, Text: l, yaml: yaml})
	}
	at := v.Line()
	v.relist()
	v.Resume(at)
	return true
}

// Waits reports whether it waits for its answer.
func (v *Viewer) Waits() bool { return v.waiting }

// Spin sets the frame of the spinner that is drawn while it waits.
func (v *Viewer) Spin(frame string) { v.spinner = frame }

// Resize fits the text to a theme and a size; one row of it is the title.
func (v *Viewer) Resize(th *theme.Theme, width, height int) {
	if v.theme != th || !v.written || v.log && v.port.Width() != max(1, width-margin) {
		was, written, at := v.port, v.written, v.place()
		v.follow = v.follow || written && v.log && was.AtBottom()
		lines := v.write(th, max(1, width-margin))
		v.theme, v.written, v.port = th, true, viewport.New()
		v.port.SetWidth(was.Width())
		v.port.SetHeight(was.Height())
		v.port.SetContentLines(lines)
		v.port.SetYOffset(was.YOffset())
		if v.log && (written || v.gone > 0) { // the rows have moved, what is read stays
			at.line, v.gone = max(0, at.line-v.gone), 0
			v.port.SetYOffset(at.row(v.rows, len(lines)))
		}
		v.port.SetXOffset(was.XOffset())
		if v.follow {
			v.port.GotoBottom()
			v.follow = false
		}
	}
	if w, h := max(1, width-margin), max(1, height-1); w != v.port.Width() || h != v.port.Height() {
		v.port.SetWidth(w)
		v.port.SetHeight(h)
		v.port.SetYOffset(v.port.YOffset())
		v.port.SetXOffset(v.port.XOffset())
	}
}

// write returns the rows that the lines take in w cells.
func (v *Viewer) write(th *theme.Theme, w int) []string {
	out := make([]string, 0, len(v.lines))
	v.rows, v.rowsOf = v.rows[:0], nil
	if len(v.lines) > 0 {
		v.rowsOf = &v.lines[0]
	}
	for i := range v.lines {
		l := &v.lines[i]
		if v.rows = append(v.rows, len(out)); !v.log || len(l.Beside) > 0 || l.Key != "" || l.width(th) <= w {
			out = append(out, l.write(th, v.Filter()))
			continue
		}
		for _, part := range cell.WrapKept(th, cell.Text(th, l.Text), w, mostWrapped) {
			r := cell.NewRow(th, w, theme.Plain)
			r.PutFound(l.Style, part, v.Filter())
			out = append(out, r.String())
		}
	}
	return out
}

// write returns the line in full, with what is looked for standing out.
func (l *Line) write(th *theme.Theme, words string) string {
	r := cell.NewRow(th, longest, theme.Plain)
	if len(l.Beside) == 0 {
		l.put(r, th, words)
		return r.String()
	}
	for i, part := range append([]Line{*l}, l.Beside...) {
		own := cell.NewRow(th, l.Column-margin, theme.Plain)
		part.put(own, th, words)
		r.To(i * l.Column).Join(own)
	}
	return r.String()
}

// put writes the line, without what stands beside it.
func (l *Line) put(r *cell.Row, th *theme.Theme, words string) {
	if l.Key != "" {
		r.Col(theme.Key|theme.Bold, l.Key, max(KeyColumn, cell.Width(l.Key)+1))
	}
	s, style := cell.Text(th, l.Text), l.Style
	if l.yaml {
		key := yamlKey.FindString(s)
		r.PutFound(theme.Key, key, words)
		s = s[len(key):]
		style = yamlStyle(strings.TrimLeft(s, " -"))
	}
	r.PutFound(style, s, words)
	if l.Key2 != "" && r.At() < Half-margin {
		r.To(Half-margin).Col(theme.Key|theme.Bold, l.Key2, KeyColumn)
		r.PutFound(l.Style, cell.Text(th, l.Text2), words)
	}
}

// Update scrolls as a key does, and reports whether a scrolls at all.
func (v *Viewer) Update(a keymap.Action) bool {
	if d, ok := a.Distance(v.port.Height(), v.total()); ok {
		v.Scroll(d)
		return true
	}
	switch a {
	case keymap.NextMatch, keymap.PrevMatch:
		return v.onSearch(a)
	case keymap.Fold:
		v.fold()
	case keymap.Left:
		v.port.ScrollLeft(step)
	case keymap.Right:
		v.port.ScrollRight(step)
	default:
		return false
	}
	return true
}

// Scroll moves the text by so many lines.
func (v *Viewer) Scroll(lines int) { v.port.SetYOffset(v.port.YOffset() + lines) }

// Window returns which lines are on the screen, and how many there are.
func (v *Viewer) Window() (from, to, of int) {
	from, of = v.port.YOffset(), v.total()
	return from, min(of, from+v.port.Height()), of
}

// total is the number of lines that can be scrolled through.
func (v *Viewer) total() int {
	if v.log {
		return v.port.TotalLineCount()
	}
	return len(v.lines)
}

// Question returns what was asked; nil for help.
func (v *Viewer) Question() page.Question { return v.question }

// Copied returns the whole text and its lines, without managedFields unless they are unfolded,
// as kubectl prints YAML; nothing for help, which is read.
func (v *Viewer) Copied() (text string, lines int) {
	var b strings.Builder
	for i := 0; i < len(v.all); i++ {
		switch l := &v.all[i]; {
		case l.Key != "":
			return "", 0
		case v.folding != foldNothing && foldManagers.folds(l):
			i = blockEnd(v.all, i) - 1
		default:
			b.WriteString(l.Text.String() + "\n")
			lines++
		}
	}
	return b.String(), lines
}

// View draws the title and the lines on the screen, after Resize.
func (v *Viewer) View(width, height int) string {
	th := v.theme
	r := cell.NewRow(th, width, theme.Plain).Fill(theme.Faint, th.Glyph.Rule, 2).To(3).Put(theme.Name|theme.Bold, cell.Text(th, v.title)).Gap(1)
	if from, to, of := v.Window(); to-from < of {
		r.Put(theme.Sub, strconv.Itoa(to)+"/"+strconv.Itoa(of)+" ")
	}
	if v.Filter() != "" {
		at, of := v.Found()
		r.Put(theme.Wait, "match "+strconv.Itoa(at)+"/"+strconv.Itoa(of)+" ")
		if n := v.hidden; n > 0 {
			r.Text(theme.Sub, engine.Textf("+%d in folded lines ({fold})", n)).Gap(1)
		}
	}
	if !v.err.IsZero() {
		r.Put(theme.Wait, cell.Cut(th, cell.Text(th, engine.Textf("not renewed: %s", v.err)), max(0, width-r.At()-3))).Gap(1)
	}
	title := r.Fill(theme.Faint, th.Glyph.Rule, width).String()
	if v.waiting {
		return title + "\n" + cell.NewRow(th, width, theme.Plain).To(3).Put(theme.Sub, "loading"+th.Glyph.Ellipsis+" "+v.spinner).String()
	}
	lines := strings.Split(v.port.View(), "\n")
	more := th.Of(theme.Plain, theme.Sub).Render(th.Glyph.Ellipsis)
	for i, l := range lines {
		if at := v.port.YOffset() + i; !v.log && at < len(v.lines) && v.lines[at].width(th) > v.port.XOffset()+v.port.Width() {
			lines[i] = ansi.Truncate(l, v.port.Width()-1, "") + more
		}
	}
	at := -1
	if hit := v.Line(); hit >= 0 {
		at = v.row(hit) - v.port.YOffset()
	}
	for i, l := range lines {
		left := strings.Repeat(" ", margin)
		if i == at {
			left = th.Of(theme.Plain, theme.Key).Render(th.Glyph.Cursor)
		}
		lines[i] = left + l
	}
	return title + "\n" + lipgloss.NewStyle().MaxHeight(max(1, height-1)).Render(strings.Join(lines, "\n"))
}

// width is that of the line in full.
func (l *Line) width(th *theme.Theme) int {
	if n := len(l.Beside); n > 0 {
		return l.Column * (n + 1)
	}
	n := cell.Width(cell.Text(th, l.Text))
	if l.Key != "" {
		n += max(KeyColumn, cell.Width(l.Key)+1)
	}
	return n
}
