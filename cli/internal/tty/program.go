// Package tty runs a screen on a terminal from start to end: signals, panics, a
// terminal that hangs, the modes that must be restored, what other code writes to
// os.Stderr meanwhile. It also asks questions on a terminal without a screen.
package tty

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/term"

	"github.com/stagewatch/stagewatch/cli/internal/frames"
)

const (
	// cleanupLimit bounds a cleanup in an emergency; with endLimit it stays within
	// a second.
	cleanupLimit = 250 * time.Millisecond
	// mostColumns and mostRows bound what is drawn: terminals of 65,535 columns exist, by
	// mistake, and every cell takes memory several times.
	mostColumns, mostRows = 1000, 400
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
	// CannotSuspend is given to the model when the program cannot be suspended, because no
	// shell could continue it.
	CannotSuspend tea.Msg
	// Report writes the error that ends the process for the person and returns the
	// exit code. The terminal is restored by then.
	Report func(error) int

	guard   *guard
	out     *output
	drawer  *frames.Drawer // nil where Bubble Tea draws
	signals chan os.Signal
	// continued gets a value when the process is continued while it is suspended.
	continued chan struct{}
	suspended atomic.Bool
	// interrupted is set when a signal, not a person's key, ends the screen.
	interrupted atomic.Bool
}

// Run shows the screen until it is left. It returns ErrInterrupted after a
// signal, ctrl-c or the end of ctx, and a *Crash after a panic of the drawing
// library. Any other panic, and a screen that does not end within a second,
// end the process.
func (p *Program) Run(ctx context.Context) error {
	var err error
	p.out = newOutput(p.Out)
	if p.guard, err = newGuard(p.In, p.out); err != nil {
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
	options := append(p.drawing(), tea.WithInput(p.In), tea.WithFilter(p.filter), tea.WithEnvironment(p.Env), tea.WithoutSignalHandler())
	screen := tea.NewProgram(careful{Model: model, panicked: p.panicked, show: p.draw}, options...)

	p.signals, p.continued = make(chan os.Signal, 8), make(chan struct{}, 1)
	signal.Notify(p.signals, append(EndSignals(), screenSignals()...)...)
	defer signal.Stop(p.signals)
	watcher := make(chan struct{})
	left := make(chan struct{})
	go func() {
		defer close(watcher)
		p.watch(ctx, screen, left)
	}()

	endDrawing, err := p.beginDrawing()
	if err == nil {
		_, err = screen.Run()
		endDrawing()
	}
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

// watch quits the screen at the first signal that ends it or at the end of ctx, until
// left is closed. A second one ends the process at once. Other signals become messages.
func (p *Program) watch(ctx context.Context, screen *tea.Program, left <-chan struct{}) {
	var limit <-chan time.Time
	// Send blocks until the loop receives it, which a hung one never does.
	resized := make(chan struct{}, 1)
	defer close(resized)
	go func() {
		for range resized {
			screen.Send(p.size())
		}
	}()
	ended, quitting := ctx.Done(), false
	quit := func() {
		p.interrupted.Store(true)
		limit = time.After(endLimit)
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
		case s := <-p.signals:
			switch {
			case stops(s):
				go screen.Send(tea.SuspendMsg{})
			case continues(s) && p.suspended.Load():
				offer(p.continued)
			case continues(s):
				go screen.Send(continuedMsg{})
			case resizes(s):
				offer(resized)
			case quitting:
				p.abandon(ErrInterrupted)
			default:
				quitting = true
				quit()
			}
		}
	}
}

// offer puts a value into a channel of one that has none.
func offer(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// continuedMsg says that the process was continued after something else stopped it.
type continuedMsg struct{}

// filter handles the messages that are not for the drawing library as they are. An
// interrupt from the keyboard is an ordinary end: after any other one Bubble Tea closes
// the terminal's reader while a goroutine of its own may still read; for the same reason
// it does not get the context. Its own suspension waits without end where no shell
// continues the process.
func (p *Program) filter(_ tea.Model, msg tea.Msg) tea.Msg {
	switch msg := msg.(type) {
	case tea.InterruptMsg:
		p.interrupted.Store(true)
		return p.quit()
	case tea.QuitMsg:
		return p.quit()
	case tea.SuspendMsg:
		return p.suspend()
	case continuedMsg:
		return p.resume()
	case tea.WindowSizeMsg:
		// A size may have been read, here or by Bubble Tea as it starts, before one that
		// came first: the terminal has only the current one.
		return p.drawn(cmp.Or(p.size(), tea.Msg(bounded(msg))))
	}
	return p.drawn(msg)
}

// quit is the message that ends the screen. It is drawn no more by then: a terminal that
// hangs is left by watch.
func (p *Program) quit() tea.Msg {
	if p.drawer != nil {
		p.drawer.Release()
	}
	return tea.QuitMsg{}
}

// draw shows a view, and drawn takes what concerns the terminal from a message.
func (p *Program) draw(v tea.View) {
	if p.drawer != nil {
		p.drawer.Show(v)
	}
}

func (p *Program) drawn(msg tea.Msg) tea.Msg {
	if p.drawer != nil {
		return p.drawer.Filter(msg)
	}
	return msg
}

// size is the size of the terminal, as far as it is drawn, or nil if it has none.
func (p *Program) size() tea.Msg {
	w, h, err := term.GetSize(p.Out.Fd())
	if err != nil {
		return nil
	}
	return bounded(tea.WindowSizeMsg{Width: w, Height: h})
}

// bounded is a size without what is not drawn.
func bounded(size tea.WindowSizeMsg) tea.WindowSizeMsg {
	return tea.WindowSizeMsg{Width: min(size.Width, mostColumns), Height: min(size.Height, mostRows)}
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
