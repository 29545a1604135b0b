// Package tty runs a screen on a terminal from start to end: signals, panics, a
// terminal that hangs, the modes that must be restored, what other code writes to
// os.Stderr meanwhile. It also asks questions on a terminal without a screen.
package tty

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"
)

const (
	// framesPerSecond is enough for eyes and halves what a screen costs.
	framesPerSecond = 30
	// cleanupLimit bounds a cleanup in an emergency; with endLimit it stays within
	// a second.
	cleanupLimit = 250 * time.Millisecond
)

// ErrInterrupted is the end of a screen or a question by a signal, by ctrl-c or
// by its context.
var ErrInterrupted = errors.New("interrupted")

// Crash is the end of a screen by a panic.
type Crash struct {
	// Details are the panic and the stack of its goroutine, uncleaned: for a file,
	// not for a terminal.
	Details []byte
}

// Error names the crash without its details.
func (c *Crash) Error() string { return "internal error" }

// Program is one screen on one terminal. Its fields are set before Run.
type Program struct {
	// In and Out are the terminal.
	In, Out *os.File
	// Env are the variables from which the colours of the terminal are derived.
	Env []string
	// Log receives what is written to os.Stderr while the screen is open.
	Log io.Writer
	// Open makes the model of the screen. Closing it ends its streams, whose
	// goroutines hand a panic to panicked.
	Open func(ctx context.Context, panicked func(any)) (model tea.Model, closeStreams func(), err error)
	// Cleanup is called, from any goroutine and for at most cleanupLimit, before
	// the process ends because of a panic or a terminal that hangs. It may be nil.
	Cleanup func()
	// Report writes the error that ends the process for the person and returns the
	// exit code. The terminal is restored by then.
	Report func(error) int

	guard *guard
	// interrupted is set when a signal, not a person's key, ends the screen.
	interrupted atomic.Bool
}

// Run shows the screen until it is left. It returns ErrInterrupted after a
// signal, ctrl-c or the end of ctx, and a *Crash after a panic of the drawing
// library. Any other panic, and a screen that does not end within a second,
// end the process.
func (p *Program) Run(ctx context.Context) error {
	var err error
	if p.guard, err = newGuard(p.In, p.Out); err != nil {
		return err
	}
	stderr, err := tapStderr(p.Log)
	if err != nil {
		return err
	}
	err = p.show(ctx)
	if errors.Is(err, tea.ErrProgramPanic) {
		return &Crash{Details: stderr.report()}
	}
	stderr.close()
	return err
}

// show opens the streams and the screen, and ends both.
func (p *Program) show(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	model, closeStreams, err := p.Open(ctx, p.panicked)
	if err != nil {
		return err
	}
	screen := tea.NewProgram(careful{Model: model, panicked: p.panicked},
		tea.WithInput(p.In), tea.WithOutput(p.Out), tea.WithFPS(framesPerSecond), tea.WithFilter(p.interruptQuits),
		tea.WithEnvironment(p.Env), tea.WithoutSignalHandler())

	signals := make(chan os.Signal, 4)
	signal.Notify(signals, EndSignals()...)
	defer signal.Stop(signals)
	watcher := make(chan struct{})
	left := make(chan struct{})
	go func() {
		defer close(watcher)
		p.watch(ctx, screen, signals, left)
	}()

	_, err = screen.Run()
	close(left)
	<-watcher
	// The terminal is back. Streams that hang on a dead hub must not keep the
	// person; their goroutines end with the process. What the screen has sent is not
	// cancelled before they have ended: closeStreams may wait for an answer.
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		closeStreams()
	}()
	select {
	case <-closed:
	case <-time.After(endLimit):
	}
	if p.interrupted.Load() && !errors.Is(err, tea.ErrProgramPanic) {
		return ErrInterrupted
	}
	return err
}

// watch quits the screen at the first signal or at the end of ctx, until left is
// closed. A second signal ends the process at once.
func (p *Program) watch(ctx context.Context, screen *tea.Program, signals <-chan os.Signal, left <-chan struct{}) {
	var limit <-chan time.Time
	ended, quitting := ctx.Done(), false
	quit := func() {
		p.interrupted.Store(true)
		limit = time.After(endLimit)
		// Quit blocks until the loop receives it, which a hung one never does.
		go screen.Quit()
	}
	for {
		select {
		case <-left:
			return
		case <-limit:
			p.abandon(ErrInterrupted)
		case <-ended:
			ended = nil
			quit()
		case <-signals:
			if quitting {
				p.abandon(ErrInterrupted)
			}
			quitting = true
			quit()
		}
	}
}

// interruptQuits makes an interrupt from the keyboard an ordinary end. After any
// other one Bubble Tea closes the terminal's reader while a goroutine of its own
// may still read; for the same reason it does not get the context.
func (p *Program) interruptQuits(_ tea.Model, msg tea.Msg) tea.Msg {
	if _, is := msg.(tea.InterruptMsg); is {
		p.interrupted.Store(true)
		return tea.QuitMsg{}
	}
	return msg
}

// panicked ends the process after a panic in a goroutine that the screen does
// not own; those of the screen's own come back from its Run.
func (p *Program) panicked(v any) { p.abandon(&Crash{Details: panicDetails(v)}) }

// abandon restores the terminal as far as it responds, and ends the process.
func (p *Program) abandon(err error) {
	cleaned := p.startCleanup()
	p.guard.restore()
	<-cleaned
	os.Exit(p.Report(err))
}

// startCleanup calls Cleanup and returns a channel that is closed when it is
// done or after cleanupLimit.
func (p *Program) startCleanup() <-chan struct{} {
	over := make(chan struct{})
	go func() {
		defer close(over)
		if p.Cleanup == nil {
			return
		}
		done := make(chan struct{})
		go func() {
			defer close(done)
			p.Cleanup()
		}()
		select {
		case <-done:
		case <-time.After(cleanupLimit):
		}
	}()
	return over
}
