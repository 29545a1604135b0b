//go:build unix

package tty

import (
	"io"
	"os"
	"syscall"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"golang.org/x/sys/unix"
)

// stopLimit is how long a process waits to be stopped by its own signal: the kernel
// ignores it where no shell could continue the process.
const stopLimit = 200 * time.Millisecond

// screenSignals are the other signals of a screen: a shell stops and continues the
// program, the terminal has another size.
func screenSignals() []os.Signal {
	return []os.Signal{syscall.SIGTSTP, syscall.SIGCONT, syscall.SIGWINCH}
}

// drawingOptions are how the drawing library writes to the terminal. It does not get the
// terminal itself: it would draw in its full size, and in a write that nothing ends.
func (p *Program) drawingOptions() []tea.ProgramOption {
	size, _ := p.size().(tea.WindowSizeMsg)
	return []tea.ProgramOption{
		tea.WithOutput(p.out), tea.WithWindowSize(size.Width, size.Height),
		tea.WithColorProfile(colorprofile.Detect(p.Out, p.Env)),
	}
}

func stops(s os.Signal) bool     { return s == syscall.SIGTSTP }
func continues(s os.Signal) bool { return s == syscall.SIGCONT }
func resizes(s os.Signal) bool   { return s == syscall.SIGWINCH }

// shellWaits reports whether the parent process is in this session, so that it can
// continue the program: it is not for a session leader (ssh -t, a container).
func shellWaits() bool {
	own, err := unix.Getsid(0)
	if err != nil {
		return false
	}
	parents, err := unix.Getsid(os.Getppid())
	return err == nil && parents == own
}

// suspend is the message that stops the process until a shell continues it, and redraws
// the screen then. Where no shell could do that, it is CannotSuspend.
func (p *Program) suspend() tea.Msg {
	if !shellWaits() {
		return p.CannotSuspend
	}
	select {
	case <-p.continued:
	default:
	}
	p.suspended.Store(true)
	stop := &pause{continued: p.continued}
	return tea.Exec(stop, func(error) tea.Msg {
		p.suspended.Store(false)
		redraw := p.redrawn()
		if !stop.stopped {
			redraw = append(redraw, func() tea.Msg { return p.CannotSuspend })
		}
		return redraw
	})()
}

// resume is the message that takes the terminal again after another program had it: a
// shell that continues a process after SIGSTOP has reset the modes.
func (p *Program) resume() tea.Msg {
	return tea.Exec(&pause{}, func(error) tea.Msg { return p.redrawn() })()
}

// drawLimit is how long the screen may take until it begins to draw itself again.
const drawLimit = 500 * time.Millisecond

// redrawn draws the screen again, in the size that the terminal has by now. Bubble Tea's
// renderer stops for good when the goroutine that ends it stops its timer after the new one
// was started (startRenderer and stopRenderer of v2.1.1): where nothing is drawn, the
// terminal is taken once more, which starts the timer again.
func (p *Program) redrawn() tea.BatchMsg {
	before := p.out.begun.Load()
	return tea.BatchMsg{p.size, tea.ClearScreen, func() tea.Msg {
		time.Sleep(drawLimit)
		if p.out.begun.Load() > before {
			return nil
		}
		return continuedMsg{}
	}}
}

// pause is what happens while the screen does not have the terminal, as a tea.ExecCommand.
type pause struct {
	// continued gets a value when a shell continues the process; nil stops nothing.
	continued <-chan struct{}
	// stopped is set when the process was stopped and continued.
	stopped bool
}

// Run stops the process group. It returns when the process was continued, or was not
// stopped.
func (p *pause) Run() error {
	if p.continued == nil {
		return nil
	}
	// Not SIGTSTP: the Go runtime keeps a handler for it once it was received. SIGTTIN stops
	// in the same cases.
	err := syscall.Kill(0, syscall.SIGTTIN)
	// The clock goes on while a process is stopped: its timer may fire before the
	// signal that continued it was received.
	for range 2 {
		select {
		case <-p.continued:
			p.stopped = true
			return err
		case <-time.After(stopLimit):
		}
	}
	return err
}

// SetStdin implements tea.ExecCommand.
func (*pause) SetStdin(io.Reader) {}

// SetStdout implements tea.ExecCommand.
func (*pause) SetStdout(io.Writer) {}

// SetStderr implements tea.ExecCommand.
func (*pause) SetStderr(io.Writer) {}
