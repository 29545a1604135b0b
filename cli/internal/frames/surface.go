package frames

import (
	"bytes"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// surface is the terminal as it is drawn: it makes the bytes that turn one view into the
// next. Ultraviolet compares the cells.
type surface struct {
	env   []string
	buf   bytes.Buffer
	cells uv.ScreenBuffer
	diff  *uv.TerminalRenderer
	// lines and view are what is drawn; a line that is the same string is not read again.
	lines []string
	view  tea.View
	// disputes are the lines on whose cells terminals disagree; disputed is set while there is one.
	disputes []bool
	disputed bool
	terminal
}

func newSurface(env []string) *surface {
	s := &surface{env: env}
	s.diff = uv.NewTerminalRenderer(&s.buf, env)
	s.diff.SetTabStops(-1)
	s.diff.SetFullscreen(true)
	s.diff.SetRelativeCursor(false)
	return s
}

// begin opens the alternate screen, with the keys that a terminal reports on request.
func (s *surface) begin() []byte {
	s.buf.Reset()
	for _, sequence := range []string{
		ansi.SetModeAltScreenSaveCursor, ansi.ResetModeTextCursorEnable, ansi.SetModeBracketedPaste,
		ansi.SetModifyOtherKeys2, ansi.PushKittyKeyboard(ansi.KittyDisambiguateEscapeCodes),
	} {
		s.buf.WriteString(sequence)
	}
	if answersModes(s.env) {
		s.buf.WriteString(ansi.RequestModeSynchronizedOutput)
		s.buf.WriteString(ansi.RequestModeUnicodeCore)
	}
	return s.buf.Bytes()
}

// end undoes begin, and what views have set.
func (s *surface) end() []byte {
	s.buf.Reset()
	s.modes(&tea.View{})
	if s.graphemes {
		s.buf.WriteString(ansi.ResetModeUnicodeCore)
	}
	for _, sequence := range []string{
		ansi.ResetModifyOtherKeys, ansi.PopKittyKeyboard(1), ansi.ResetModeBracketedPaste,
		ansi.ResetModeAltScreenSaveCursor, ansi.SetModeTextCursorEnable,
	} {
		s.buf.WriteString(sequence)
	}
	return s.buf.Bytes()
}

// frame returns what shows the next view, and whether that differs from what is shown. Control
// sequences alone do not count as a frame.
func (s *surface) frame(n *next) (sequences []byte, differs bool) {
	s.buf.Reset()
	s.fit(n.terminal)
	s.modes(&n.view)
	s.draw(n.view.Content)
	cursor := n.view.Cursor
	if cursor != nil {
		s.diff.MoveTo(cursor.X, cursor.Y)
	}
	_ = s.diff.Flush() // into s.buf
	shown := s.view.Cursor != nil
	s.view = n.view

	var out bytes.Buffer
	out.WriteString(n.control)
	if s.buf.Len() == 0 && shown == (cursor != nil) {
		return out.Bytes(), false
	}
	if s.synchronized {
		out.WriteString(ansi.SetModeSynchronizedOutput)
	}
	if shown { // it would be seen on its way
		out.WriteString(ansi.ResetModeTextCursorEnable)
	}
	out.Write(s.buf.Bytes())
	if cursor != nil {
		out.WriteString(ansi.SetModeTextCursorEnable)
	}
	if s.synchronized {
		out.WriteString(ansi.ResetModeSynchronizedOutput)
	}
	return out.Bytes(), true
}

// fit adapts to what the terminal has become; everything is drawn again then.
func (s *surface) fit(t terminal) {
	was := s.terminal
	s.terminal = t
	if was.synchronized = t.synchronized; was == t {
		return
	}
	s.diff.SetColorProfile(t.profile)
	if hasFewColours(t.profile) { // reduce converts them
		s.diff.SetColorProfile(colorprofile.TrueColor)
	}
	if t.graphemes && !was.graphemes {
		s.buf.WriteString(ansi.SetModeUnicodeCore)
	}
	s.diff.Resize(t.width, t.height)
	s.diff.Erase()
	s.cells, s.lines = uv.NewScreenBuffer(t.width, t.height), nil
}

// measure decides how the cells of the next view are counted. Counting characters needs a table
// of 2 MB, which takes 8 ms to make: a view on which both ways agree does without it.
func (s *surface) measure() {
	was := s.disputed
	s.disputed = !s.graphemes && slices.Contains(s.disputes, true)
	method := ansi.GraphemeWidth
	if was || s.disputed {
		method = ansi.WcWidth
	}
	s.cells.Method = method
	s.diff.SetWidthMethod(method)
}

// isDisputed reports whether a text with the character may take other cells on a terminal that
// counts characters than on one that counts clusters of them.
func isDisputed(r rune) bool {
	switch {
	case r < 0x300, // Latin, before the first combining character
		r >= 0x2010 && r <= 0x2027, r >= 0x2030 && r <= 0x205e, // dashes, dots, quotation marks
		r >= 0x2190 && r <= 0x25ff, // arrows, lines, blocks, shapes
		r >= 0x2700 && r <= 0x27bf: // check marks
		return false
	}
	return true
}

// draw draws the lines that have changed. Each begins without style.
func (s *surface) draw(content string) {
	lines := strings.Split(content, "\n")
	lines = append(lines, make([]string, max(0, s.height-len(lines)))...)
	if s.lines == nil {
		s.disputes = make([]bool, s.height)
	}
	var changed []int
	for y := range s.height {
		if s.lines == nil || s.lines[y] != lines[y] {
			changed = append(changed, y)
			s.disputes[y] = strings.ContainsFunc(lines[y], isDisputed)
		}
	}
	s.measure()
	if len(changed) == 0 {
		return
	}
	for _, y := range changed {
		uv.NewStyledString(lines[y]).Draw(s.cells, uv.Rect(0, y, s.width, 1))
		s.reduce(s.cells.Line(y))
	}
	s.lines = lines
	s.touch(changed)
	s.diff.Render(s.cells.RenderBuffer)
}

// reduce converts the colours of a line for a terminal with 16 or 256. Ultraviolet would convert
// them again for each cell that it writes.
func (s *surface) reduce(line uv.Line) {
	if !hasFewColours(s.profile) {
		return
	}
	var from, to uv.Style
	for x := range line {
		style := &line[x].Style
		if *style != from {
			from, to = *style, uv.ConvertStyle(*style, s.profile)
		}
		*style = to
	}
}

// hasFewColours reports whether a terminal has 16 or 256 colours.
func hasFewColours(p colorprofile.Profile) bool {
	return p == colorprofile.ANSI || p == colorprofile.ANSI256
}

// touch says which lines are compared: those that have changed, and the one above each, which
// clearing to the end erases. To scroll, all lines have to be: where few have changed, none
// has scrolled.
func (s *surface) touch(changed []int) {
	scrolled := len(changed) > s.height/4
	s.diff.SetScrollOptim(scrolled)
	if scrolled {
		for y := range s.height {
			s.cells.TouchLine(0, y, s.width)
		}
		return
	}
	for _, y := range changed {
		s.cells.TouchLine(0, y, s.width)
		s.cells.TouchLine(0, max(0, y-1), s.width)
	}
}

// modes writes what differs beside the cells.
func (s *surface) modes(v *tea.View) {
	if v.MouseMode != s.view.MouseMode {
		if s.view.MouseMode != tea.MouseModeNone {
			s.buf.WriteString(ansi.ResetModeMouseButtonEvent + ansi.ResetModeMouseAnyEvent + ansi.ResetModeMouseExtSgr)
		}
		switch v.MouseMode {
		case tea.MouseModeCellMotion:
			s.buf.WriteString(ansi.SetModeMouseButtonEvent + ansi.SetModeMouseExtSgr)
		case tea.MouseModeAllMotion:
			s.buf.WriteString(ansi.SetModeMouseAnyEvent + ansi.SetModeMouseExtSgr)
		case tea.MouseModeNone:
		}
	}
	if v.WindowTitle != s.view.WindowTitle {
		s.buf.WriteString(ansi.SetWindowTitle(v.WindowTitle))
	}
	if before, after := progress(&s.view), progress(v); before != after {
		s.buf.WriteString(after)
	}
}

// progress is the sequence that shows the progress of a view.
func progress(v *tea.View) string {
	if v.ProgressBar == nil {
		return ansi.ResetProgressBar
	}
	switch value := v.ProgressBar.Value; v.ProgressBar.State {
	case tea.ProgressBarDefault:
		return ansi.SetProgressBar(value)
	case tea.ProgressBarError:
		return ansi.SetErrorProgressBar(value)
	case tea.ProgressBarIndeterminate:
		return ansi.SetIndeterminateProgressBar
	case tea.ProgressBarWarning:
		return ansi.SetWarningProgressBar(value)
	case tea.ProgressBarNone:
	}
	return ansi.ResetProgressBar
}

// answersModes reports whether a terminal with these variables can be asked for its modes:
// some print the question, and through SSH the answer may come after the end. It is the rule
// of Bubble Tea (shouldQuerySynchronizedOutput).
func answersModes(env uv.Environ) bool {
	program, named := env.LookupEnv("TERM_PROGRAM")
	_, remote := env.LookupEnv("SSH_TTY")
	_, windows := env.LookupEnv("WT_SESSION")
	if windows || !remote && (!named || !strings.Contains(program, "Apple")) {
		return true
	}
	for _, known := range []string{"ghostty", "wezterm", "alacritty", "kitty", "rio"} {
		if strings.Contains(env.Getenv("TERM"), known) {
			return true
		}
	}
	return false
}
