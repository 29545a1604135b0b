package cli

import (
	"io"
	"strings"
	"sync"
	"time"

	"github.com/stagewatch/stagewatch/cli/internal/tty"
	"github.com/stagewatch/stagewatch/engine"
)

const (
	// progressAfter is how long a read may take without a word.
	progressAfter = 500 * time.Millisecond
	progressEvery = 200 * time.Millisecond
)

// progress says on a terminal's stderr what a command without a screen reads,
// when that takes long. The line is removed before anything else is printed.
// Where stderr is no terminal it prints nothing.
type progress struct {
	ended func()

	mu   sync.Mutex
	what engine.Text
}

// startProgress begins; the caller must call stop.
func startProgress(errs io.Writer) *progress {
	p := &progress{what: engine.Lit("reading runs"), ended: func() {}}
	if !tty.IsTerminal(errs) {
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
func (p *progress) draw(errs io.Writer, end <-chan struct{}) {
	drawn := 0
	next := time.NewTimer(progressAfter)
	defer next.Stop()
	for {
		select {
		case <-next.C:
			p.mu.Lock()
			line := p.what.String() + "…"
			p.mu.Unlock()
			say(errs, "\r%s%s", line, strings.Repeat(" ", max(0, drawn-len(line))))
			drawn = len(line)
			next.Reset(progressEvery)
		case <-end:
			if drawn > 0 {
				say(errs, "\r%s\r", strings.Repeat(" ", drawn))
			}
			return
		}
	}
}

// stop ends the progress and removes its line. It may be called again.
func (p *progress) stop() { p.ended() }

// placements takes how many of the placements on which rows depend have been
// read.
func (p *progress) placements(read, total int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.what = engine.Textf("reading details: %d of %s", read, engine.Count(total, "placement"))
}
