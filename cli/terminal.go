package cli

import (
	"os"
	"sync"
	"time"

	"github.com/charmbracelet/x/term"
)

// endLimit is the longest time that the program takes to end
// (docs/promises.md#i14).
const endLimit = 700 * time.Millisecond

// restoreModes takes back everything a screen may have switched on: it
// leaves synchronized output, focus, mouse and paste reports, enhanced keys,
// colours and the alternate screen, and shows the cursor.
const restoreModes = "\x1b[?2026l\x1b[?1004l\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?2004l" +
	"\x1b[>4m\x1b[<1u\x1b[?2027l\x1b[0m\x1b[?1049l\x1b[?25h\r\n"

// isTerminal reports whether a stream is a terminal.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(f.Fd())
}

// dumb reports whether the terminal says that it cannot move a cursor, as those
// of editors do: no screen can be drawn on it, and a table is printed instead.
func dumb(getenv func(string) string) bool { return getenv("TERM") == "dumb" }

// guard remembers how the terminal was, to put it back when the screen cannot.
type guard struct {
	in, out *os.File
	state   *term.State
	once    sync.Once
}

// newGuard reads the terminal's modes; call it before a screen changes them.
func newGuard(in, out *os.File) (*guard, error) {
	state, err := term.GetState(in.Fd())
	if err != nil {
		return nil, err
	}
	return &guard{in: in, out: out, state: state}, nil
}

// restore puts the terminal back from outside the screen: for a hung terminal,
// and for a panic that no one else catches. It may be called from any
// goroutine, acts once and returns soon even if the terminal takes no output.
func (g *guard) restore() {
	g.once.Do(func() {
		written := make(chan struct{})
		go func() {
			defer close(written)
			writeNow(g.out, restoreModes)
		}()
		select {
		case <-written:
		case <-time.After(endLimit / 7):
		}
		//nolint:errcheck // the process is about to end and has no one to tell
		term.Restore(g.in.Fd(), g.state)
	})
}
