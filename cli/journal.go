package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync"
	"time"

	"github.com/stagewatch/stagewatch/engine"
)

// journal takes what must not reach the terminal while a screen is up: what
// client-go logs, what exec plugins print, why the program ended. Without
// --log-file it goes nowhere. It is safe for use by several goroutines.
type journal struct {
	mu   sync.Mutex
	file *os.File
}

// openJournal opens the file for appending, for its owner only; an empty path
// gives a journal that discards.
func openJournal(path string) (*journal, error) {
	if path == "" {
		return &journal{}, nil
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open log file: %w", err)
	}
	return &journal{file: f}, nil
}

// Write appends p, each line with the time in front and without anything that
// could steer the terminal of the one who reads it. It never fails: a full
// disk must not end the screen.
func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.file == nil {
		return len(p), nil
	}
	at := time.Now().UTC().Format(time.RFC3339)
	for _, line := range engine.Lines(string(p)) {
		say(j.file, "%s %s\n", at, line)
	}
	return len(p), nil
}

// Close closes the file.
func (j *journal) Close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.file == nil {
		return nil
	}
	f := j.file
	j.file = nil
	return f.Close()
}

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

// writeCrash writes the details of a crash into a file for its owner only and
// returns its path: under the XDG state directory, else in the temporary one.
func writeCrash(details []byte) (string, error) {
	name := "crash-" + time.Now().UTC().Format("20060102-150405.000") + ".txt"
	var first error
	for _, dir := range []string{stateDir(), os.TempDir()} {
		if dir == "" {
			continue
		}
		path := filepath.Join(dir, name)
		err := os.MkdirAll(dir, 0o700)
		if err == nil {
			err = os.WriteFile(path, append([]byte("stagewatch "+buildVersion()+"\n\n"), details...), 0o600)
		}
		if err == nil {
			return path, nil
		}
		if first == nil {
			first = err
		}
	}
	return "", fmt.Errorf("write crash file: %w", first)
}

// stateDir returns where the audit, crash files and remembered choices are kept,
// empty when there is no home.
func stateDir() string {
	if d := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(d) {
		return filepath.Join(d, "stagewatch")
	}
	if h, err := os.UserHomeDir(); err == nil {
		return filepath.Join(h, ".local", "state", "stagewatch")
	}
	return ""
}

// crashed stores the details of a panic and returns the failure to report.
func crashed(details []byte) error {
	path, err := writeCrash(details)
	if err != nil {
		return &failure{code: ExitFailed, what: engine.Lit("internal error"), hint: engine.Clean(err.Error())}
	}
	return &failure{
		code: ExitFailed,
		what: engine.Lit("internal error"),
		hint: engine.Textf("the details are in %s; please report it with that file", engine.Clean(path)),
	}
}

// panicDetails is what a crash file says about a recovered value.
func panicDetails(v any) []byte { return fmt.Appendf(nil, "panic: %v\n\n%s", v, debug.Stack()) }
