package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/creack/pty"
	"github.com/hinshun/vt10x"
)

// patience bounds the wait for something on the screen.
const patience = 2 * time.Minute

// screen is the program in a terminal of its own, read by an emulator.
type screen struct {
	cmd     *exec.Cmd
	ptm     *os.File
	began   time.Time
	columns int
	rows    int
	ended   chan struct{} // nothing is read any more

	mu    sync.Mutex
	term  vt10x.Terminal
	bytes int64
	wants []*want
}

// want is something that is waited for on the screen.
type want struct {
	is func(lines []string) bool
	at chan time.Time // when the bytes were read that made it so
}

// startScreen starts the program with the kubeconfig of a hub.
func startScreen(ctx context.Context, o Options, h *hubProcess) (*screen, error) {
	s := &screen{columns: o.Columns, rows: o.Rows, ended: make(chan struct{})}
	s.cmd = exec.CommandContext(ctx, o.Program, "--kubeconfig", h.kubeconfig)
	s.cmd.Env = append(h.environment(), "TERM=xterm-256color", "LANG=C.UTF-8")
	s.began = time.Now()
	var err error
	//nolint:gosec // the size of a terminal
	if s.ptm, err = pty.StartWithSize(s.cmd, &pty.Winsize{Rows: uint16(o.Rows), Cols: uint16(o.Columns)}); err != nil {
		return nil, fmt.Errorf("start %s: %w", o.Program, err)
	}
	s.term = vt10x.New(vt10x.WithSize(o.Columns, o.Rows), vt10x.WithWriter(s.ptm))
	go s.read()
	return s, nil
}

// read feeds the emulator until the program has ended.
func (s *screen) read() {
	defer close(s.ended)
	for buf := make([]byte, 32<<10); ; {
		n, err := s.ptm.Read(buf)
		now := time.Now()
		if n > 0 {
			s.mu.Lock()
			s.bytes += int64(n)
			if _, err := s.term.Write(buf[:n]); err != nil {
				s.mu.Unlock()
				return
			}
			s.look(now)
			s.mu.Unlock()
		}
		if err != nil {
			return
		}
	}
}

// look answers what is waited for, with the lock held.
func (s *screen) look(now time.Time) {
	if len(s.wants) == 0 {
		return
	}
	lines, open := s.lines(), s.wants[:0]
	for _, w := range s.wants {
		if w.is(lines) {
			w.at <- now
		} else {
			open = append(open, w)
		}
	}
	s.wants = open
}

// lines are the rows of the terminal, with the lock held.
func (s *screen) lines() []string {
	s.term.Lock()
	defer s.term.Unlock()
	out := make([]string, s.rows)
	line := make([]rune, s.columns)
	for y := range out {
		for x := range line {
			if line[x] = s.term.Cell(x, y).Char; line[x] == 0 {
				line[x] = ' '
			}
		}
		out[y] = string(line)
	}
	return out
}

// expect waits for something on the screen; when returns the moment.
func (s *screen) expect(is func(lines []string) bool) (when func(context.Context) (time.Time, error)) {
	w := &want{is: is, at: make(chan time.Time, 1)}
	s.mu.Lock()
	if is(s.lines()) {
		w.at <- time.Now()
	} else {
		s.wants = append(s.wants, w)
	}
	s.mu.Unlock()
	return func(ctx context.Context) (time.Time, error) {
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		select {
		case at := <-w.at:
			return at, nil
		case <-s.ended:
			return time.Time{}, errors.New("the program ended: " + s.text())
		case <-ctx.Done():
			return time.Time{}, fmt.Errorf("wait for the screen: %w:\n%s", ctx.Err(), s.text())
		}
	}
}

// shown are the rows of the terminal.
func (s *screen) shown() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lines()
}

func (s *screen) text() string { return strings.Join(s.shown(), "\n") }

func (s *screen) written() float64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return float64(s.bytes)
}

// contains is a screen with a text.
func contains(text string) func([]string) bool {
	return func(lines []string) bool {
		for _, line := range lines {
			if strings.Contains(line, text) {
				return true
			}
		}
		return false
	}
}

// isLive is a screen whose header says that all runs have been read.
func isLive(lines []string) bool { return strings.Contains(lines[0], "● live") }

// isDrawn is a screen with anything on it.
func isDrawn(lines []string) bool {
	return strings.TrimSpace(strings.Join(lines, "")) != ""
}

// press sends a key and returns how long it took until the screen was as expected.
func (s *screen) press(ctx context.Context, key string, is func([]string) bool) (float64, error) {
	when := s.expect(is)
	sent := time.Now()
	if _, err := s.ptm.WriteString(key); err != nil {
		return 0, fmt.Errorf("press %q: %w", key, err)
	}
	at, err := when(ctx)
	return milliseconds(at.Sub(sent)), err
}

// presses opens and closes the help page n times, or until enough says so, and returns
// the time of each key.
func (s *screen) presses(ctx context.Context, n int, enough func() bool) (samples, error) {
	var took samples
	helps := contains("── help for")
	for i := range n {
		if enough() {
			break
		}
		is := helps
		if i%2 == 1 {
			is = func(lines []string) bool { return !helps(lines) }
		}
		ms, err := s.press(ctx, "?", is)
		if err != nil {
			return nil, err
		}
		took = append(took, ms)
	}
	return took, nil
}

// settle waits until the program has nothing left to do.
func (s *screen) settle(ctx context.Context) error {
	const look, little = 500 * time.Millisecond, 25 * time.Millisecond
	before, err := processCPU(s.cmd.Process.Pid)
	for deadline := time.Now().Add(patience); err == nil; {
		if err := pause(ctx, look); err != nil {
			return err
		}
		var now time.Duration
		if now, err = processCPU(s.cmd.Process.Pid); now-before < little {
			return err
		}
		if before = now; time.Now().After(deadline) {
			return errors.New("the program does not come to rest")
		}
	}
	return err
}

// end leaves the program.
func (s *screen) end() error {
	_, err := s.ptm.WriteString("q")
	<-s.ended
	return errors.Join(err, s.cmd.Wait(), s.ptm.Close())
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
