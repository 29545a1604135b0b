package tty

import (
	"errors"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// writeStep is how long one write to a terminal that accepts nothing lasts before it is
// tried again: an output that was ended writes nothing after that.
const writeStep = 50 * time.Millisecond

// output writes the frames of a screen to a terminal until it is ended. A write that a
// stalled terminal blocks ends with it, so that what finish writes is the last that the
// terminal reads.
type output struct {
	file  *os.File
	mu    sync.Mutex // held while a frame is written
	ended atomic.Bool
}

func newOutput(terminal *os.File) *output { return &output{file: ownDescription(terminal)} }

// Write implements io.Writer.
func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for done := 0; ; {
		if o.ended.Load() {
			return done, os.ErrClosed
		}
		//nolint:errcheck // without deadlines a write blocks
		o.file.SetWriteDeadline(time.Now().Add(writeStep))
		n, err := o.file.Write(p[done:])
		if done += n; !errors.Is(err, os.ErrDeadlineExceeded) {
			return done, err
		}
	}
}

// finish ends the output, discards what the terminal has not read yet, and writes s. It
// returns within the time limit even if the terminal accepts nothing.
func (o *output) finish(s string, limit time.Duration) {
	o.ended.Store(true)
	written := make(chan struct{})
	go func() {
		defer close(written)
		discard(o.file)
		o.mu.Lock()
		defer o.mu.Unlock()
		discard(o.file)
		//nolint:errcheck // as above
		o.file.SetWriteDeadline(time.Now().Add(limit))
		//nolint:errcheck // the process is about to end
		o.file.WriteString(s)
	}()
	select {
	case <-written:
	case <-time.After(limit):
	}
}
