//go:build linux || darwin

package cli_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/creack/pty"
	"github.com/hinshun/vt10x"
	"golang.org/x/sys/unix"
)

// patience is how long a wait may take before the test fails with the screen.
const patience = time.Minute

// session is a program in a terminal of its own, with a person's eyes and keys.
type session struct {
	t        testing.TB
	cmd      *exec.Cmd
	ptm, tty *os.File
	before   unix.Termios
	stderr   bytes.Buffer

	mu      sync.Mutex
	term    vt10x.Terminal
	raw     bytes.Buffer
	changed chan struct{}
	stalled chan struct{} // closed to let a stalled terminal read again
	exited  chan struct{}
	code    int
}

// start runs a program in a terminal of w columns and h rows. Its stderr is
// not the terminal: whatever it writes there while the screen is up is wrong.
func start(t testing.TB, w, h int, env []string, bin string, args ...string) *session {
	t.Helper()
	ptm, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	if err := pty.Setsize(ptm, &pty.Winsize{Rows: uint16(h), Cols: uint16(w)}); err != nil {
		t.Fatal(err)
	}
	s := &session{
		t: t, ptm: ptm, tty: tty,
		changed: make(chan struct{}), exited: make(chan struct{}),
	}
	s.term = vt10x.New(vt10x.WithSize(w, h), vt10x.WithWriter(ptm))
	s.before = *termios(t, tty)
	s.cmd = exec.Command(bin, args...)
	s.cmd.Env = append([]string{
		"TERM=xterm-256color", "LANG=C.UTF-8", "PATH=" + os.Getenv("PATH"), "GOGC=" + os.Getenv("GOGC"),
		"HOME=" + t.TempDir(), "TMPDIR=" + os.TempDir(), "KUBECONFIG=/dev/null",
	}, env...)
	s.cmd.Stdin, s.cmd.Stdout, s.cmd.Stderr = tty, tty, &s.stderr
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 0}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go s.read()
	go func() {
		defer close(s.exited)
		err := s.cmd.Wait()
		var ended *exec.ExitError
		switch {
		case errors.As(err, &ended):
			s.code = ended.ExitCode()
		case err != nil:
			s.code = -2
		}
	}()
	t.Cleanup(func() {
		select {
		case <-s.exited:
		default:
			s.resume()
			if err := s.cmd.Process.Kill(); err != nil {
				t.Error(err)
			}
			<-s.exited
		}
		ptm.Close()
		tty.Close()
	})
	return s
}

func (s *session) read() {
	buf := make([]byte, 16<<10)
	var out []byte // not emulated yet
	for {
		n, err := s.ptm.Read(buf)
		if n > 0 {
			s.mu.Lock()
			s.raw.Write(buf[:n])
			stalled := s.stalled
			s.mu.Unlock()
			out = append(out, buf[:n]...)
			// vt10x locks itself; its answers to queries go out through ptm.
			whole := wholeRunes(out)
			if _, err := s.term.Write(out[:whole]); err != nil {
				s.t.Errorf("emulate terminal: %v", err)
			}
			out = append(out[:0], out[whole:]...)
			s.mu.Lock()
			close(s.changed)
			s.changed = make(chan struct{})
			s.mu.Unlock()
			if stalled != nil {
				<-stalled
			}
		}
		if err != nil {
			return
		}
	}
}

// wholeRunes is how many of the bytes are not the beginning of a character whose rest comes
// with the next ones: the emulator takes such bytes for others.
func wholeRunes(b []byte) int {
	for i := len(b) - 1; i >= max(0, len(b)-utf8.UTFMax); i-- {
		if utf8.RuneStart(b[i]) {
			if utf8.FullRune(b[i:]) {
				break
			}
			return i
		}
	}
	return len(b)
}

func TestOutputIsEmulatedInWholeCharacters(t *testing.T) {
	const text = "a│b…\x1b[m✗"
	for at := range len(text) + 1 {
		n := wholeRunes([]byte(text[:at]))
		if !utf8.ValidString(text[:n]) || at-n >= utf8.UTFMax || utf8.ValidString(text[:at]) && n != at {
			t.Errorf("%d of the first %d bytes", n, at)
		}
	}
}

// stall makes the terminal take no more output: it reads no longer, and what
// the kernel holds for it is full, so that the next write of the program blocks.
func (s *session) stall() {
	s.t.Helper()
	s.mu.Lock()
	s.stalled = make(chan struct{})
	s.mu.Unlock()
	fd, err := unix.Open(s.tty.Name(), unix.O_WRONLY|unix.O_NONBLOCK|unix.O_NOCTTY, 0)
	if err != nil {
		s.t.Fatal(err)
	}
	defer unix.Close(fd)
	// The kernel hands on what it took a moment later, and the reader takes one
	// piece more: full is what stays full.
	filler := bytes.Repeat([]byte{'.'}, 512)
	deadline := time.Now().Add(patience)
	for refused := 0; refused < 20; {
		switch _, err := unix.Write(fd, filler); {
		case err == nil:
			refused = 0
		case errors.Is(err, unix.EAGAIN):
			refused++
			time.Sleep(5 * time.Millisecond)
		default:
			s.t.Fatalf("fill terminal: %v", err)
		}
		if time.Now().After(deadline) {
			s.t.Fatal("the terminal is never full")
		}
	}
}

func (s *session) resume() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stalled != nil {
		close(s.stalled)
		s.stalled = nil
	}
}

// screen returns the rows as a person sees them, without trailing blanks.
func (s *session) screen() string {
	s.term.Lock()
	defer s.term.Unlock()
	cols, rows := s.term.Size()
	var b strings.Builder
	for y := range rows {
		var line strings.Builder
		for x := range cols {
			r := s.term.Cell(x, y).Char
			if r == 0 {
				r = ' '
			}
			line.WriteRune(r)
		}
		b.WriteString(strings.TrimRight(line.String(), " "))
		b.WriteByte('\n')
	}
	return b.String()
}

// until waits for a condition on the screen.
func (s *session) until(what string, limit time.Duration, ok func(screen string) bool) string {
	s.t.Helper()
	deadline := time.After(limit)
	for {
		s.mu.Lock()
		changed := s.changed
		s.mu.Unlock()
		now := s.screen()
		if ok(now) {
			return now
		}
		select {
		case <-changed:
		case <-s.exited:
			if now = s.screen(); ok(now) {
				return now
			}
			s.t.Fatalf("the program ended with %d while waiting for %s; stderr: %s; screen:\n%s", s.code, what, s.stderr.String(), now)
		case <-deadline:
			s.t.Fatalf("waited %s for %s; screen:\n%s", limit, what, now)
		}
	}
}

// see waits until the screen matches a regular expression.
func (s *session) see(expr string) string {
	s.t.Helper()
	re := regexp.MustCompile(expr)
	return s.until(expr, patience, re.MatchString)
}

// gone waits until the screen matches it no longer.
func (s *session) gone(expr string) string {
	s.t.Helper()
	re := regexp.MustCompile(expr)
	return s.until("no more "+expr, patience, func(now string) bool { return !re.MatchString(now) })
}

// keys types what a keyboard sends.
func (s *session) keys(keys string) {
	s.t.Helper()
	if _, err := s.ptm.WriteString(keys); err != nil {
		s.t.Fatal(err)
	}
}

// resize changes the terminal's size.
func (s *session) resize(w, h int) {
	s.t.Helper()
	s.term.Resize(w, h)
	s.ptySize(w, h)
}

// ptySize says how large the terminal is, which draws on as before.
func (s *session) ptySize(w, h int) {
	s.t.Helper()
	if err := pty.Setsize(s.ptm, &pty.Winsize{Rows: uint16(h), Cols: uint16(w)}); err != nil {
		s.t.Fatal(err)
	}
}

func (s *session) signal(sig os.Signal) {
	s.t.Helper()
	if err := s.cmd.Process.Signal(sig); err != nil {
		s.t.Fatal(err)
	}
}

// ended waits for the end of the program and returns its exit code.
func (s *session) ended(limit time.Duration) int {
	s.t.Helper()
	select {
	case <-s.exited:
		return s.code
	case <-time.After(limit):
		s.t.Fatalf("the program did not end within %s; screen:\n%s", limit, s.screen())
		return -1
	}
}

// wroteRaw returns every byte the terminal got.
func (s *session) wroteRaw() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.raw.String()
}

var modeSequence = regexp.MustCompile(`\x1b\[\?([0-9]+)([hl])`)

// restored checks that the terminal is as it was before the program.
func (s *session) restored() {
	s.t.Helper()
	if now := *termios(s.t, s.tty); now != s.before {
		s.t.Errorf("terminal modes are %+v, were %+v", now, s.before)
	}
	// What the kernel still held when the program ended is read a moment later.
	alt := func() string {
		last := map[string]string{}
		for _, m := range modeSequence.FindAllStringSubmatch(s.wroteRaw(), -1) {
			last[m[1]] = m[2]
		}
		var bad []string
		for mode, want := range map[string]string{
			"1049": "l", "25": "h", "2004": "l", "1000": "l", "1002": "l", "1003": "l", "1006": "l", "1004": "l", "2026": "l", "2027": "l",
		} {
			if got, ok := last[mode]; ok && got != want {
				bad = append(bad, "?"+mode+got)
			}
		}
		return strings.Join(bad, " ")
	}
	deadline := time.After(2 * time.Second)
	for {
		// Taken before the look, so that no change falls between the two.
		s.mu.Lock()
		changed := s.changed
		s.mu.Unlock()
		if alt() == "" {
			return
		}
		select {
		case <-changed:
		case <-deadline:
			s.t.Fatalf("the terminal is left with %s", alt())
		}
	}
}

func termios(t testing.TB, tty *os.File) *unix.Termios {
	t.Helper()
	v, err := unix.IoctlGetTermios(int(tty.Fd()), ioctlReadTermios)
	if err != nil {
		t.Fatal(err)
	}
	return v
}
