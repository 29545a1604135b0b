package tty

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

// tailLimit is how much of the last stderr output is kept for a crash file: a
// panic with the stacks of its goroutine.
const tailLimit = 64 << 10

// tap stands in for os.Stderr while a screen is up: exec plugins and the
// drawing library's report of a panic write there by themselves.
type tap struct {
	saved, reader *os.File
	done          chan struct{}

	mu   sync.Mutex
	tail []byte
}

// tapStderr replaces os.Stderr until close is called.
func tapStderr(to io.Writer) (*tap, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("redirect stderr: %w", err)
	}
	t := &tap{saved: os.Stderr, reader: r, done: make(chan struct{})}
	os.Stderr = w
	go func() {
		defer close(t.done)
		buf := make([]byte, 8<<10)
		for {
			n, err := r.Read(buf)
			t.keep(buf[:n])
			if n > 0 {
				//nolint:errcheck // a journal never fails
				to.Write(buf[:n])
			}
			if err != nil {
				//nolint:errcheck // reading is over
				r.Close()
				return
			}
		}
	}()
	return t, nil
}

func (t *tap) keep(p []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.tail = append(t.tail, p...)
	if over := len(t.tail) - tailLimit; over > 0 {
		t.tail = append(t.tail[:0], t.tail[over:]...)
	}
}

// report waits for the drawing library's report of a panic, which it writes from
// the goroutine of the panic, maybe after its program has returned. So os.Stderr
// is not given back: the report would land on the terminal.
func (t *tap) report() []byte {
	deadline := time.After(endLimit / 2)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for before := 0; ; {
		select {
		case <-deadline:
			return t.last()
		case <-tick.C:
		}
		now := t.last()
		if len(now) == before && bytes.Contains(now, []byte("goroutine ")) {
			return now
		}
		before = len(now)
	}
}

func (t *tap) last() []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	return bytes.Clone(t.tail)
}

// drainLimit is how long close reads what is in the pipe.
const drainLimit = 50 * time.Millisecond

// close gives os.Stderr back and ends the reading of the pipe. The end that was
// os.Stderr stays open: a login program that hangs may hold it, and a goroutine of
// client-go may be starting another one with it.
func (t *tap) close() {
	os.Stderr = t.saved
	if err := t.reader.SetReadDeadline(time.Now().Add(drainLimit)); err != nil {
		return // a pipe without deadlines: its reader ends with the process
	}
	<-t.done
}
