package tty

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/stagewatch/stagewatch/engine"
)

const (
	// progressAfter is how long a read may take without a word.
	progressAfter = 500 * time.Millisecond
	progressEvery = 200 * time.Millisecond
)

// Progress says on a terminal's stderr what a command without a screen reads,
// when that takes long. The line is removed before anything else is printed.
// Where stderr is no terminal it prints nothing.
type Progress struct {
	ended func()

	mu   sync.Mutex
	what engine.Text
}

// StartProgress begins, with what is read first; the caller must call Stop.
func StartProgress(errs io.Writer, what engine.Text) *Progress {
	p := &Progress{what: what, ended: func() {}}
	if !IsTerminal(errs) {
		return p
	}
	end, gone := make(chan struct{}), make(chan struct{})
	p.ended = sync.OnceFunc(func() {
		close(end)
		<-gone
	})
	go func() {
		defer close(gone)
		p.draw(errs, end)
	}()
	return p
}

// draw renews the line until end is closed.
func (p *Progress) draw(errs io.Writer, end <-chan struct{}) {
	drawn := 0
	next := time.NewTimer(progressAfter)
	defer next.Stop()
	for {
		select {
		case <-next.C:
			p.mu.Lock()
			line := p.what.String() + "…"
			p.mu.Unlock()
			_, _ = fmt.Fprintf(errs, "\r%s%s", line, strings.Repeat(" ", max(0, drawn-len(line))))
			drawn = len(line)
			next.Reset(progressEvery)
		case <-end:
			if drawn > 0 {
				_, _ = fmt.Fprintf(errs, "\r%s\r", strings.Repeat(" ", drawn))
			}
			return
		}
	}
}

// Stop ends the progress and removes its line. It may be called again.
func (p *Progress) Stop() { p.ended() }

// Reads says what is read now.
func (p *Progress) Reads(what engine.Text) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.what = what
}
