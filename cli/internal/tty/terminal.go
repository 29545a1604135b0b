package tty

import (
	"os"
	"sync"
	"time"

	"github.com/charmbracelet/x/term"
)

// endLimit is the longest time that the program takes to end
// (docs/promises.md#i14).
const endLimit = 700 * time.Millisecond

// restoreModes ends a sequence that was cut off, and resets everything that a screen may
// have switched on: it leaves synchronized output, focus, mouse and paste reports, enhanced
// keys, colours and the alternate screen, and shows the cursor.
const restoreModes = "\x1b\\\x1b[?2026l\x1b[?1004l\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?2004l" +
	"\x1b[>4m\x1b[<1u\x1b[?2027l\x1b[0m\x1b[?1049l\x1b[?25h\r\n"

// IsTerminal reports whether a stream is a terminal.
func IsTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(f.Fd())
}

// Dumb reports whether TERM names a terminal that cannot move a cursor, as in
// editors: no screen can be drawn on it.
func Dumb(getenv func(string) string) bool { return getenv("TERM") == "dumb" }

// KeepModes reads the modes of a terminal and returns what restores them, after another
// program has used it. For a stream that is no terminal it does nothing.
func KeepModes(stream any) (restore func()) {
	f, ok := stream.(*os.File)
	if !ok {
		return func() {}
	}
	state, err := term.GetState(f.Fd())
	if err != nil {
		return func() {}
	}
	return func() {
		//nolint:errcheck // a terminal that has gone has no modes
		term.Restore(f.Fd(), state)
	}
}

// guard holds the modes that the terminal had before the screen, to restore them
// when the screen cannot.
type guard struct {
	in    *os.File
	out   *output
	state *term.State
	once  sync.Once
}

// newGuard reads the terminal's modes; call it before a screen changes them. The screen
// writes to out.
func newGuard(in *os.File, out *output) (*guard, error) {
	state, err := term.GetState(in.Fd())
	if err != nil {
		return nil, err
	}
	return &guard{in: in, out: out, state: state}, nil
}

// restore resets the terminal from outside the screen: after a panic, and when
// the terminal hangs: what the terminal has not read yet is discarded. It may be called
// from any goroutine, acts once, and returns within endLimit/7 even if the terminal
// accepts no output.
func (g *guard) restore() {
	g.once.Do(func() {
		g.out.finish(restoreModes, endLimit/7)
		//nolint:errcheck // the process is about to end
		term.Restore(g.in.Fd(), g.state)
	})
}
