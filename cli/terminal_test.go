//go:build linux || darwin

package cli_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/stagewatch/stagewatch/cli"
	"github.com/stagewatch/stagewatch/cli/exit"
	"github.com/stagewatch/stagewatch/ui"
)

// troubled is a screen on which every key breaks something else.
type troubled struct {
	outside func(any)
	frames  int
	noisy   bool
	hanging bool
	note    string
	size    tea.WindowSizeMsg
}

// showTroubled is what the test binary does when it is the screen.
func showTroubled() int {
	return cli.ShowModel(os.Getenv("STAGEWATCH_TEST_PROFILE"), func(outside func(any)) tea.Model { return &troubled{outside: outside} }, func() {
		if path := os.Getenv("STAGEWATCH_TEST_CLEANED"); path != "" {
			if err := os.WriteFile(path, nil, 0o600); err != nil {
				os.Exit(99)
			}
		}
	})
}

func (m *troubled) Init() tea.Cmd { return nil }

func (m *troubled) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.size = msg
	case ui.CannotSuspendMsg:
		m.note = "cannot suspend"
	case noiseMsg:
		if m.hanging {
			select {}
		}
		m.frames++
		return m, noise
	case tea.KeyPressMsg:
		switch msg.String() {
		case "q":
			return m, tea.Quit
		case "ctrl+c":
			return m, tea.Interrupt
		case "ctrl+z":
			return m, tea.Suspend
		case "u":
			panic("trouble in Update \x1b]0;owned\x07")
		case "c":
			return m, func() tea.Msg { panic("trouble in a command") }
		case "g":
			go func() {
				defer func() {
					if v := recover(); v != nil {
						m.outside(v)
					}
				}()
				panic("trouble in a goroutine")
			}()
		case "h":
			m.hanging = true
			return m, noise
		case "n":
			m.noisy = true
			return m, noise
		case "e":
			os.Stderr.WriteString("a plugin prints over the screen\n")
		}
	}
	return m, nil
}

type noiseMsg struct{}

func noise() tea.Msg { return noiseMsg{} }

func (m *troubled) View() tea.View {
	body := fmt.Sprintf("ready %dx%d %s", m.size.Width, m.size.Height, m.note)
	if m.hanging {
		body = "hanging"
	}
	if m.noisy {
		// Enough change to fill any buffer between here and a stalled terminal.
		body = strings.Repeat(strings.Repeat(string(rune('a'+m.frames%26)), 118)+"\n", 38)
	}
	v := tea.NewView(body)
	v.AltScreen = true
	v.MouseMode = tea.MouseModeCellMotion
	v.ReportFocus = true
	v.Cursor = tea.NewCursor(0, 0)
	return v
}

func startTroubled(t *testing.T, env ...string) *session {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s := start(t, 120, 40, append(env, asScreen+"=1", "XDG_STATE_HOME="+t.TempDir()), self)
	s.see("ready")
	return s
}

func TestTheTerminalIsRestored(t *testing.T) {
	cases := []struct {
		name  string
		end   func(s *session)
		code  int
		crash string // what the crash file must tell
	}{
		{name: "quit", end: func(s *session) { s.keys("q") }},
		{name: "ctrl-c", end: func(s *session) { s.keys("\x03") }, code: 130},
		{name: "SIGINT", end: func(s *session) { s.signal(os.Interrupt) }, code: 130},
		{name: "SIGTERM", end: func(s *session) { s.signal(syscall.SIGTERM) }, code: 130},
		{name: "SIGHUP", end: func(s *session) { s.signal(syscall.SIGHUP) }, code: 130},
		{name: "SIGQUIT", end: func(s *session) { s.signal(syscall.SIGQUIT) }, code: 130},
		{name: "panic in Update", end: func(s *session) { s.keys("u") }, code: 1, crash: "trouble in Update"},
		{name: "panic in a command", end: func(s *session) { s.keys("c") }, code: 1, crash: "trouble in a command"},
		{name: "panic in a goroutine", end: func(s *session) { s.keys("g") }, code: 1, crash: "trouble in a goroutine"},
		{name: "loop hangs, SIGTERM", end: func(s *session) { s.keys("h"); s.see("hanging"); s.signal(syscall.SIGTERM) }, code: 130},
		{name: "loop hangs, two signals", end: func(s *session) { s.keys("h"); s.see("hanging"); s.signal(os.Interrupt); s.signal(os.Interrupt) }, code: 130},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := startTroubled(t)
			began := time.Now()
			c.end(s)
			if code := s.ended(patience); code != c.code {
				t.Errorf("exit code %d, want %d", code, c.code)
			}
			if took := time.Since(began); took > 10*time.Second {
				t.Errorf("took %s to end", took)
			}
			s.restored()
			said := s.stderr.String()
			if c.crash == "" {
				if said != "" {
					t.Errorf("stderr: %q", said)
				}
				return
			}
			lines := strings.Split(strings.TrimSpace(said), "\n")
			if len(lines) != 2 || !strings.HasPrefix(lines[0], "error: ") || !strings.HasPrefix(lines[1], "hint: ") {
				t.Fatalf("want one line and a hint, got %q", said)
			}
			if strings.Contains(said, "\x1b") {
				t.Errorf("a panic's text steers the terminal: %q", said)
			}
			files, err := filepath.Glob(filepath.Join(stateHome(s), "stagewatch", "crash-*.txt"))
			if err != nil || len(files) != 1 {
				t.Fatalf("crash files: %v, %v", files, err)
			}
			details, err := os.ReadFile(files[0])
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(details), c.crash) || !strings.Contains(string(details), "goroutine") {
				t.Errorf("the crash file says:\n%s", details)
			}
		})
	}
}

func stateHome(s *session) string {
	for _, kv := range s.cmd.Env {
		if v, ok := strings.CutPrefix(kv, "XDG_STATE_HOME="); ok {
			return v
		}
	}
	return ""
}

// TestAHungLoopLeavesItsProfiles checks that a screen that does not react to a signal completes its
// profiles before the process ends: they say why it hangs.
func TestAHungLoopLeavesItsProfiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var files, flags []string
	for _, kind := range []string{"cpu", "heap", "trace"} {
		files = append(files, filepath.Join(dir, kind))
		flags = append(flags, kind+"="+filepath.Join(dir, kind))
	}
	s := startTroubled(t, "STAGEWATCH_TEST_PROFILE="+strings.Join(flags, ","))
	s.keys("h")
	s.see("hanging")
	s.signal(syscall.SIGTERM)
	if code := s.ended(patience); code != exit.Interrupted {
		t.Errorf("exit code %d", code)
	}
	for _, file := range files {
		if info, err := os.Stat(file); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v, %v", file, info, err)
		}
	}
}

// A terminal that takes no more output (a frozen SSH session, ctrl-s) must not
// keep the program, and an emergency end must still clean up.
func TestAStalledTerminalDoesNotKeepTheProgram(t *testing.T) {
	t.Parallel()
	cleaned := filepath.Join(t.TempDir(), "cleaned")
	s := startTroubled(t, "STAGEWATCH_TEST_CLEANED="+cleaned)
	s.keys("n")
	s.stall()
	began := time.Now()
	s.signal(syscall.SIGTERM)
	if code := s.ended(patience); code != exit.Interrupted {
		t.Errorf("exit code %d", code)
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("took %s to end", took)
	}
	// What the terminal reads last when it goes on is what restores it.
	s.resume()
	s.restored()
	if _, err := os.Stat(cleaned); errors.Is(err, os.ErrNotExist) {
		t.Error("no cleanup before the emergency end")
	}
}

// While the screen is up nothing else may write to the terminal.
func TestStderrIsQuietWhileTheScreenIsUp(t *testing.T) {
	t.Parallel()
	s := startTroubled(t)
	s.keys("e")
	s.keys("q")
	if code := s.ended(patience); code != exit.OK {
		t.Errorf("exit code %d", code)
	}
	if got := s.stderr.String() + s.wroteRaw(); strings.Contains(got, "plugin") {
		t.Error("what a plugin printed reached the terminal")
	}
}

// A terminal may have a size that nobody sees: it is drawn up to a bound.
func TestAHugeTerminalIsDrawnInPart(t *testing.T) {
	t.Parallel()
	s := startTroubled(t)
	s.ptySize(65535, 65535)
	s.see("ready 1000x400")
	s.ptySize(120, 40)
	s.see("ready 120x40")
	s.keys("q")
	if code := s.ended(patience); code != exit.OK {
		t.Errorf("exit code %d", code)
	}
}
