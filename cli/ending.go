package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"
)

// cleanupLimit bounds a cleanup in an emergency; with endLimit it stays within
// a second.
const cleanupLimit = 250 * time.Millisecond

// ending ends a screen, whatever is broken: the program's loop, the terminal,
// the hub, or a goroutine.
type ending struct {
	guard  *guard
	job    *job
	stderr io.Writer
	// interrupted is set when a signal, not a person's key, ends the screen.
	interrupted atomic.Bool
}

// watch turns signals into the end of the program until it was left. A second
// signal does not wait for anything.
func (e *ending) watch(ctx context.Context, p *tea.Program, signals <-chan os.Signal, left <-chan struct{}) {
	var limit <-chan time.Time
	ended, asked := ctx.Done(), false
	for {
		select {
		case <-left:
			return
		case <-limit:
			e.abandon(ExitInterrupted)
		case <-ended:
			ended = nil
			e.interrupted.Store(true)
			limit = time.After(endLimit)
			go p.Quit()
		case <-signals:
			if asked {
				e.abandon(ExitInterrupted)
			}
			asked = true
			e.interrupted.Store(true)
			limit = time.After(endLimit)
			// Quit blocks until the loop takes it, which a hung one never does.
			go p.Quit()
		}
	}
}

// gently makes an interrupt from the keyboard an ordinary end. After any other
// one Bubble Tea closes the terminal's reader while a goroutine of its own may
// still read; for the same reason it does not get the context.
func (e *ending) gently(_ tea.Model, msg tea.Msg) tea.Msg {
	if _, is := msg.(tea.InterruptMsg); is {
		e.interrupted.Store(true)
		return tea.QuitMsg{}
	}
	return msg
}

// code turns the program's end into the exit code.
func (e *ending) code(err error) (int, error) {
	switch {
	case errors.Is(err, tea.ErrProgramPanic):
		return ExitFailed, err
	case e.interrupted.Load():
		return ExitInterrupted, nil
	}
	return ExitOK, err
}

// abandon ends the process at once with the terminal restored as far as it
// lets itself be restored.
func (e *ending) abandon(code int) {
	cleaned := e.cleanup()
	e.guard.restore()
	<-cleaned
	os.Exit(code)
}

// panicked ends the process after a panic in a goroutine that the screen does
// not own; those of the screen's own come back from its Run.
func (e *ending) panicked(v any) {
	details := panicDetails(v)
	cleaned := e.cleanup()
	e.guard.restore()
	<-cleaned
	os.Exit(report(e.stderr, crashed(details)))
}

// cleanup starts what has to be done before the process ends and returns a
// channel that is closed when it is done or has had its time.
func (e *ending) cleanup() <-chan struct{} {
	over := make(chan struct{})
	go func() {
		defer close(over)
		if e.job.cleanup == nil {
			return
		}
		done := make(chan struct{})
		go func() {
			defer close(done)
			e.job.cleanup()
		}()
		select {
		case <-done:
		case <-time.After(cleanupLimit):
		}
	}()
	return over
}
