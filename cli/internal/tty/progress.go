package tty

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"

	"github.com/stagewatch/stagewatch/engine"
)

const (
	// progressAfter is how long a read may take without a word.
	progressAfter = 500 * time.Millisecond
	// progressEvery is how often a terminal shows what is read now, and logEvery how
	// often at most a line of a log says it.
	progressEvery = 200 * time.Millisecond
	logEvery      = 5 * time.Second
	// oldAfter is the age from which an answer says how old it is, as sets on the screen do.
	oldAfter = 10 * time.Second
)

// Progress says on stderr what a command without a screen reads, when that takes long. On
// a terminal it is one line, which is removed at the end; a file or pipe gets a line for
// each change, seldom.
type Progress struct {
	errs     io.Writer
	terminal bool
	ended    func()

	mu    sync.Mutex
	what  engine.Text
	began time.Time // of the first Reads: something had come by then
	drawn int       // columns of the line on the terminal
	said  string
}

// StartProgress begins, with what is read first; the caller must call Stop. Notes of the
// command that are printed before that are written to the Progress.
func StartProgress(errs io.Writer, what engine.Text) *Progress {
	p := &Progress{errs: errs, terminal: IsTerminal(errs), what: what, ended: func() {}}
	if _, ok := errs.(*os.File); ok {
		p.start()
	}
	return p
}

// start begins to say what is read, in a goroutine that Stop ends.
func (p *Progress) start() {
	end, gone := make(chan struct{}), make(chan struct{})
	p.ended = sync.OnceFunc(func() {
		close(end)
		<-gone
	})
	go func() {
		defer close(gone)
		p.speak(end)
	}()
}

// speak says what is read until end is closed.
func (p *Progress) speak(end <-chan struct{}) {
	every := logEvery
	if p.terminal {
		every = progressEvery
	}
	next := time.NewTimer(progressAfter)
	defer next.Stop()
	for {
		select {
		case <-next.C:
			p.mu.Lock()
			p.say(p.what.String() + "…")
			p.mu.Unlock()
			next.Reset(every)
		case <-end:
			p.mu.Lock()
			p.clear()
			p.mu.Unlock()
			return
		}
	}
}

// say writes a line. Errors are ignored: there is nowhere else to report them.
func (p *Progress) say(line string) {
	if line == p.said && (p.drawn > 0 || !p.terminal) {
		return
	}
	p.said = line
	if !p.terminal {
		_, _ = fmt.Fprintln(p.errs, line)
		return
	}
	line = ansi.Truncate(line, p.columns()-1, "…") // clear could not remove a second row
	columns := ansi.StringWidth(line)
	_, _ = fmt.Fprintf(p.errs, "\r%s%s", line, strings.Repeat(" ", max(0, p.drawn-columns)))
	p.drawn = columns
}

// columns is the width of the terminal.
func (p *Progress) columns() int {
	if f, ok := p.errs.(*os.File); ok {
		if w, _, err := term.GetSize(f.Fd()); err == nil && w > 0 {
			return w
		}
	}
	return 80
}

// clear removes the line from the terminal.
func (p *Progress) clear() {
	if p.drawn > 0 {
		_, _ = fmt.Fprintf(p.errs, "\r%s\r", strings.Repeat(" ", p.drawn))
		p.drawn = 0
	}
}

// Stop ends the progress and removes its line. It may be called again.
func (p *Progress) Stop() { p.ended() }

// Done is Stop for a read that has an answer. After a long one it notes how old the answer may be:
// what was read first is not read again.
func (p *Progress) Done() {
	p.Stop()
	p.mu.Lock()
	defer p.mu.Unlock()
	if took := time.Since(p.began); took > oldAfter && !p.began.IsZero() {
		span := engine.Span(took)
		_, _ = fmt.Fprintf(p.errs, "note: the read took %s; some of this data may be up to %s old\n", span, span)
	}
}

// Reads says what is read now.
func (p *Progress) Reads(what engine.Text) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.what = what
	if p.began.IsZero() {
		p.began = time.Now()
	}
}

// Write writes a note of the command to stderr, without the line of the progress.
func (p *Progress) Write(note []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
	n, err := p.errs.Write(note)
	if err != nil {
		return n, fmt.Errorf("write note: %w", err)
	}
	return n, nil
}
