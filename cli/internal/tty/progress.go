package tty

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

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
	began    time.Time
	ended    func()

	mu    sync.Mutex
	what  engine.Text
	drawn int // columns of the line on the terminal
	said  string
}

// StartProgress begins, with what is read first; the caller must call Stop. Notes of the
// command that are printed before that are written to the Progress.
func StartProgress(errs io.Writer, what engine.Text) *Progress {
	p := &Progress{errs: errs, terminal: IsTerminal(errs), what: what, began: time.Now(), ended: func() {}}
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
	switch {
	case p.terminal:
		_, _ = fmt.Fprintf(p.errs, "\r%s%s", line, strings.Repeat(" ", max(0, p.drawn-len(line))))
		p.drawn = len(line)
	case line != p.said:
		_, _ = fmt.Fprintln(p.errs, line)
		p.said = line
	}
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
	if took := time.Since(p.began); took > oldAfter {
		span := engine.Span(took)
		_, _ = fmt.Fprintf(p.errs, "note: reading took %s: parts of the answer may be %s old\n", span, span)
	}
}

// Reads says what is read now.
func (p *Progress) Reads(what engine.Text) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.what = what
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
