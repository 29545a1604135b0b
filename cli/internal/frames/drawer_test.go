package frames

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
	"github.com/hinshun/vt10x"
)

const columns, rows = 40, 10

// recorder is a terminal that notes when it is written to.
type recorder struct {
	mu     sync.Mutex
	writes []time.Time
	bytes.Buffer
}

func (r *recorder) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.writes = append(r.writes, time.Now())
	return r.Buffer.Write(p)
}

func view(content string) tea.View { return tea.NewView(content) }

// begin starts a drawer on a terminal until the test ends.
func begin(t *testing.T, out *recorder) *Drawer {
	t.Helper()
	d := New(out, []string{"TERM=xterm-256color"}, tea.WindowSizeMsg{Width: columns, Height: rows}, colorprofile.TrueColor)
	stop, done := make(chan struct{}), make(chan struct{})
	go func() { defer close(done); d.Run(stop) }()
	t.Cleanup(func() { close(stop); <-done })
	d.Take()
	return d
}

// Six views after a pause are drawn at once. Those that follow wait for the next frame, and of
// several only the last is drawn. The same view again, and a pause, write nothing.
func TestFramesFollowViews(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out recorder
		d := begin(t, &out)
		synctest.Wait()
		time.Sleep(time.Second)
		for range 2 * burst { // no frames
			d.Filter(tea.RawMsg{Msg: ansi.RequestCursorPositionReport})
			synctest.Wait()
		}
		began, before := time.Now(), len(out.writes)
		show := func(content string) { d.Show(view(content)); synctest.Wait() }
		for _, content := range []string{"one", "two", "three", "four", "five", "six", "unseen", "last"} {
			show(content)
		}
		time.Sleep(interval + time.Millisecond)
		show("seven")
		time.Sleep(time.Hour)
		show("seven")
		show("eight")
		var at []time.Duration
		for _, w := range out.writes[before:] {
			at = append(at, w.Sub(began))
		}
		if want := fmt.Sprint([]time.Duration{0, 0, 0, 0, 0, 0, interval, 2 * interval, time.Hour + interval + time.Millisecond}); fmt.Sprint(at) != want {
			t.Errorf("written at %v, want %s", at, want)
		}
		if all := out.String(); strings.Contains(all, "unseen") || !strings.Contains(all, "one") {
			t.Errorf("drawn: %q", all)
		}
	})
}

// drawn is what a surface writes to show the next view.
func drawn(s *surface, n *next) []byte {
	sequences, _ := s.frame(n)
	return sequences
}

// blocked is a terminal that accepts nothing until it is released.
type blocked chan struct{}

func (b blocked) Write(p []byte) (int, error) { <-b; return len(p), nil }

// A terminal that accepts nothing does not block the program, and gets the latest view when
// it goes on.
func TestABlockedTerminalBlocksNoView(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := make(blocked)
		d := New(gate, nil, tea.WindowSizeMsg{Width: columns, Height: rows}, colorprofile.TrueColor)
		d.shown = newSurface(nil)
		stop := make(chan struct{})
		go d.Run(stop)
		for i := range 1000 {
			d.Show(view(fmt.Sprint(i)))
			d.Filter(tea.WindowSizeMsg{Width: columns, Height: rows})
			synctest.Wait()
			if !d.mu.TryLock() {
				t.Fatal("the next view has to wait for the terminal")
			}
			d.mu.Unlock()
		}
		close(gate)
		synctest.Wait()
		time.Sleep(time.Second)
		synctest.Wait()
		if got := strings.TrimRight(strings.Join(d.shown.lines, ""), " "); got != "999" {
			t.Errorf("drawn at last: %q", got)
		}
		close(stop)
	})
}

// Whatever views follow each other, the terminal shows the last one as if it had shown
// nothing before.
func TestTheTerminalShowsTheView(t *testing.T) {
	views := []string{
		"", "first", "first\nsecond\n\x1b[31mred\x1b[m and not", "second\n\x1b[31mred\x1b[m and not", "first\n\n\n\n\n\n\n\n\nlast",
		"a\nb\nc\nd\ne\nf\ng\nh\ni\nj", "a\nb\nc\nd\ne\nf\ng\nh\ni", "a\nb\nc\nd\ne\nf\ng\nh", "\nb\nc\nd\ne\nf\ng\nh\ni\nj", "b\nc\nd\ne\nf\ng\nh\ni\nj\nk",
		strings.Repeat("x", 3*columns) + "\nunder", "wide 漢字 and é\nsecond", "wide 漢 and more", strings.Repeat("line\n", 2*rows), "first",
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 25 {
		lines := make([]string, rows)
		for y := range lines {
			lines[y] = strings.Repeat([]string{"", "a", "b \x1b[1mbold\x1b[m "}[random.IntN(3)], random.IntN(4))
		}
		views = append(views, strings.Join(lines, "\n"))
	}
	for _, before := range views {
		for _, after := range views {
			s := newSurface(nil)
			term, fresh := vt10x.New(vt10x.WithSize(columns, rows)), vt10x.New(vt10x.WithSize(columns, rows))
			n := next{terminal: terminal{width: columns, height: rows, profile: colorprofile.TrueColor}}
			write := func(to vt10x.Terminal, b []byte) {
				t.Helper()
				if _, err := to.Write(b); err != nil {
					t.Fatal(err)
				}
			}
			write(term, s.begin())
			for _, content := range []string{before, after} {
				n.view = view(content)
				write(term, drawn(s, &n))
			}
			alone := newSurface(nil)
			write(fresh, alone.begin())
			write(fresh, drawn(alone, &n))
			if term.String() != fresh.String() {
				t.Errorf("%q after %q:\n%s\nwant:\n%s", after, before, term.String(), fresh.String())
			}
			for y := range rows {
				for x := range columns {
					if a, b := term.Cell(x, y), fresh.Cell(x, y); a != b {
						t.Fatalf("%q after %q: cell %d,%d is %v, want %v", after, before, x, y, a, b)
					}
				}
			}
			if first, _, _ := strings.Cut(ansi.Strip(after), "\n"); !strings.Contains(first, "wide") && !strings.HasPrefix(term.String(), first[:min(len(first), columns)]) {
				t.Errorf("the terminal shows %q, want %q", term.String()[:columns], first)
			}
			if again := drawn(s, &n); len(again) > 0 {
				t.Errorf("the same view again writes %q", again)
			}
		}
	}
}

// A terminal has the nearest of its own colours in each cell, and bold where the view has it.
func TestColoursAreThoseOfTheTerminal(t *testing.T) {
	const content = "\x1b[1;38;2;255;0;0mred\x1b[0m \x1b[38;2;255;0;0;48;2;0;0;255mon blue\x1b[0m"
	for profile, want := range map[colorprofile.Profile][]string{
		colorprofile.TrueColor: {"38;2;255;0;0;1m", "38;2;255;0;0;48;2;0;0;255m"},
		colorprofile.ANSI256:   {"38;5;196;1m", "38;5;196;48;5;21m"},
		colorprofile.ANSI:      {"91;1m", "91;104m"},
		colorprofile.ASCII:     {"1m"},
	} {
		n := next{terminal: terminal{width: columns, height: rows, profile: profile}, view: view(content)}
		got := string(drawn(newSurface(nil), &n))
		for _, sequence := range want {
			if !strings.Contains(got, sequence) {
				t.Errorf("%s: %q lacks %q", profile, got, sequence)
			}
		}
		if few := profile != colorprofile.TrueColor; few == strings.Contains(got, ";2;") {
			t.Errorf("%s: %q", profile, got)
		}
	}
}

// What a view has beside its text is written when it changes, and undone at the end.
func TestModesAreUndone(t *testing.T) {
	s := newSurface(nil)
	n := next{terminal: terminal{width: columns, height: rows, graphemes: true, synchronized: true}}
	n.view = tea.View{
		Content: "text", Cursor: tea.NewCursor(2, 1), MouseMode: tea.MouseModeCellMotion, WindowTitle: "title",
		ProgressBar: tea.NewProgressBar(tea.ProgressBarError, 40),
	}
	first := string(s.begin())
	first += string(drawn(s, &n))
	n.view.Content = "other"
	if second := string(drawn(s, &n)); strings.Contains(second, "title") || strings.Contains(second, ansi.SetModeMouseButtonEvent) || !strings.HasPrefix(second, ansi.SetModeSynchronizedOutput) {
		t.Errorf("a change of the text writes %q", second)
	}
	last := string(s.end())
	for set, undo := range map[string]string{
		ansi.SetModeAltScreenSaveCursor: ansi.ResetModeAltScreenSaveCursor, ansi.SetModeBracketedPaste: ansi.ResetModeBracketedPaste,
		ansi.SetModeMouseButtonEvent: ansi.ResetModeMouseButtonEvent, ansi.SetModeMouseExtSgr: ansi.ResetModeMouseExtSgr,
		ansi.SetWindowTitle("title"): ansi.SetWindowTitle(""), ansi.SetErrorProgressBar(40): ansi.ResetProgressBar,
		ansi.SetModeUnicodeCore: ansi.ResetModeUnicodeCore, ansi.PushKittyKeyboard(1): ansi.PopKittyKeyboard(1),
		ansi.SetModifyOtherKeys2: ansi.ResetModifyOtherKeys, ansi.ResetModeTextCursorEnable: ansi.SetModeTextCursorEnable,
	} {
		if !strings.Contains(first, set) || !strings.Contains(last, undo) {
			t.Errorf("%q is set: %t; %q undoes it: %t", set, strings.Contains(first, set), undo, strings.Contains(last, undo))
		}
	}
}

// Sequences that belong to no view are written too, whatever is drawn, and reach nobody else.
func TestControlSequencesAreWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out recorder
		d := begin(t, &out)
		synctest.Wait()
		if msg := d.Filter(tea.RawMsg{Msg: ansi.RequestBackgroundColor}); msg != nil {
			t.Errorf("the program gets %T", msg)
		}
		synctest.Wait()
		time.Sleep(interval + time.Millisecond)
		synctest.Wait()
		if !strings.Contains(out.String(), ansi.RequestBackgroundColor) {
			t.Errorf("written: %q", out.String())
		}
	})
}

// After a pause in which another program had the terminal, all of the view is drawn again;
// in the pause nothing is.
func TestTheWholeViewIsDrawnAfterRelease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out recorder
		d := begin(t, &out)
		d.Show(view("before"))
		time.Sleep(time.Second)
		synctest.Wait()
		d.Release()
		out.Reset()
		d.Show(view("meanwhile"))
		time.Sleep(time.Second)
		synctest.Wait()
		if out.Len() > 0 {
			t.Errorf("written while another program has the terminal: %q", out.String())
		}
		d.Filter(tea.WindowSizeMsg{Width: columns + 2, Height: rows})
		d.Take()
		time.Sleep(time.Second)
		synctest.Wait()
		if !strings.Contains(out.String(), "meanwhile") {
			t.Errorf("written afterwards: %q", out.String())
		}
	})
}

// Terminals that may print the question are not asked for their modes.
func TestAnswersModes(t *testing.T) {
	for env, want := range map[string]bool{
		"TERM=xterm-256color":                                       true,
		"TERM=xterm-256color SSH_TTY=/dev/pts/1":                    false,
		"TERM=xterm-kitty SSH_TTY=/dev/pts/1":                       true,
		"TERM_PROGRAM=Apple_Terminal":                               false,
		"TERM_PROGRAM=vscode":                                       true,
		"TERM_PROGRAM=vscode SSH_TTY=/dev/pts/1":                    false,
		"WT_SESSION=1 SSH_TTY=/dev/pts/1 TERM_PROGRAM=some-program": true,
	} {
		if got := answersModes(strings.Fields(env)); got != want {
			t.Errorf("%s: %t", env, got)
		}
	}
}

// A frame in which one of forty lines has changed reads that line only.
func TestAFrameAllocatesForItsChanges(t *testing.T) {
	const high, wide = 40, 120
	all := func(i int) string {
		lines := make([]string, high)
		for y := range lines {
			lines[y] = strings.Repeat("\x1b[32mrun\x1b[m ", wide/4)
			if y == 3 || i > 1 {
				lines[y] = fmt.Sprintf("%d of %d %s", i, y, lines[y][:200])
			}
		}
		return strings.Join(lines, "\n")
	}
	s := newSurface(nil)
	n := next{terminal: terminal{width: wide, height: high, profile: colorprofile.TrueColor}}
	turn := 0
	frames := func(first int) float64 {
		return testing.AllocsPerRun(100, func() {
			turn++
			n.view = view(all(first + turn%2))
			s.frame(&n)
		}) - testing.AllocsPerRun(100, func() { view(all(first)) })
	}
	const recorded = 174
	if one := frames(0); one > recorded*1.1 {
		t.Errorf("one changed line takes %.0f allocations, a tenth more than %d", one, recorded)
	} else if whole := frames(2); whole < 2*one {
		t.Errorf("all lines take %.0f allocations, one line %.0f: the frames are not what they should be", whole, one)
	}
}
