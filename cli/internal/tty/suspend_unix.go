//go:build unix

package tty

import (
	"errors"
	"io"
	"os"
	"syscall"
	"time"

	tea "charm.land/bubbletea/v2"
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
	stop := &pause{Program: p, stops: true}
	return tea.Exec(stop, func(error) tea.Msg {
		p.suspended.Store(false)
		if !stop.stopped {
			return p.CannotSuspend
		}
		return p.size()
	})()
}

// resume is the message that takes the terminal again after another program had it: a
// shell that continues a process after SIGSTOP has reset the modes.
func (p *Program) resume() tea.Msg {
	return tea.Exec(&pause{Program: p}, func(error) tea.Msg { return p.size() })()
}

// pause is what happens while the screen does not have the terminal, as a tea.ExecCommand.
type pause struct {
	*Program
	// stops says that the process is stopped, stopped that it was, and was continued.
	stops, stopped bool
}

// Run leaves the terminal, stops the process group if it has to, and takes the terminal
// again. It returns when the process was continued, or was not stopped.
func (p *pause) Run() error {
	p.leave()
	var err error
	if p.stops {
		err = p.stop()
	}
	return errors.Join(err, p.take())
}

// stop stops the process group until a shell continues it.
func (p *pause) stop() error {
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
