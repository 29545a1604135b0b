//go:build linux || darwin

package cli_test

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/stagewatch/stagewatch/cli"
	"github.com/stagewatch/stagewatch/cli/exit"
)

// configFor writes a kubeconfig for a server.
func configFor(t testing.TB, server string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config")
	text := fmt.Sprintf(`{"apiVersion":"v1","kind":"Config","current-context":"ctx",
"contexts":[{"name":"ctx","context":{"cluster":"c","user":"u"}}],
"clusters":[{"name":"c","cluster":{"server":%q}}],
"users":[{"name":"u","user":{"token":"canary-token"}}]}`, server)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// deadAddress is one on which nothing listens.
func deadAddress(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return "http://" + l.Addr().String()
}

// progressLine says what a command reads, on a busy machine.
var progressLine = regexp.MustCompile(`(?m)^reading:? .*…\n`)

// withoutProgress is what a command printed on stderr beside its progress.
func withoutProgress(stderr string) string { return progressLine.ReplaceAllString(stderr, "") }

func TestHeadlessExitCodes(t *testing.T) {
	t.Parallel()
	status := func(code int, reason string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(code)
			fmt.Fprintf(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":%q,"message":"no: %s","code":%d}`, reason, reason, code)
		}
	}
	const relogin = "hint: unauthorized: log in again (kubectl auth whoami shows the user), then run the command again"
	cases := []struct {
		name string
		hub  http.Handler // nil: nothing listens
		args []string
		code int
		most time.Duration
		hint string // the whole line; empty: any
	}{
		{name: "refused", code: exit.Unreachable, most: 30 * time.Second, hint: "hint: check the context, and that the API server is up, then run the command again"},
		{name: "no answer", hub: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }), args: []string{"--request-timeout", "1s"}, code: exit.Unreachable, most: 30 * time.Second},
		{
			name: "login expired", hub: status(401, "Unauthorized"), code: exit.Forbidden, most: 30 * time.Second,
			hint: relogin,
		},
		{name: "login expired, get --watch", hub: status(401, "Unauthorized"), args: []string{"get", "--watch"}, code: exit.Forbidden, most: 30 * time.Second, hint: relogin},
		{name: "login expired, explain", hub: status(401, "Unauthorized"), args: []string{"explain", "web-r1"}, code: exit.Forbidden, most: 30 * time.Second, hint: relogin},
		{name: "login expired, plan", hub: status(401, "Unauthorized"), args: []string{"plan", "web-r1"}, code: exit.Forbidden, most: 30 * time.Second, hint: relogin},
		{name: "login expired, timeline", hub: status(401, "Unauthorized"), args: []string{"timeline", "web-r1"}, code: exit.Forbidden, most: 30 * time.Second, hint: relogin},
		{name: "login expired, wait", hub: status(401, "Unauthorized"), args: []string{"wait", "web-r1", "--timeout", "20s"}, code: exit.Forbidden, most: 30 * time.Second, hint: relogin},
		{name: "not allowed", hub: status(403, "Forbidden"), code: exit.Forbidden, most: 30 * time.Second},
		{name: "no KubeFleet", hub: status(404, "NotFound"), code: exit.NotFound, most: 30 * time.Second},
		{name: "no KubeFleet, explain", hub: status(404, "NotFound"), args: []string{"explain", "web-r1"}, code: exit.NotFound, most: 30 * time.Second},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			server := deadAddress(t)
			if c.hub != nil {
				hub := httptest.NewServer(c.hub)
				t.Cleanup(hub.Close)
				server = hub.URL
			}
			var out, errs bytes.Buffer
			began := time.Now()
			cmd := exec.CommandContext(t.Context(), stagewatch(t), append([]string{"--kubeconfig", configFor(t, server)}, c.args...)...)
			cmd.Stdout, cmd.Stderr = &out, &errs
			if err := cmd.Run(); cmd.ProcessState.ExitCode() != c.code {
				t.Errorf("%v, want exit code %d", err, c.code)
			}
			if took := time.Since(began); took > c.most {
				t.Errorf("took %s, at most %s", took, c.most)
			}
			lines := strings.Split(strings.TrimSuffix(withoutProgress(errs.String()), "\n"), "\n")
			if len(lines) != 2 || !strings.HasPrefix(lines[0], "error: ") || !strings.HasPrefix(lines[1], "hint: ") {
				t.Errorf("want one line and a hint, got:\n%s", errs.String())
			}
			if c.hint != "" && lines[len(lines)-1] != c.hint {
				t.Errorf("%q, want %q", lines[len(lines)-1], c.hint)
			}
			if c.hint == relogin && !strings.HasPrefix(lines[0], "error: not permitted: ") {
				t.Errorf("%q does not say that it is not permitted", lines[0])
			}
			// The command has ended: it retries nothing.
			if strings.Contains(errs.String(), "retries") {
				t.Errorf("promises a retry:\n%s", errs.String())
			}
			if out.Len() > 0 {
				t.Errorf("stdout: %s", out.String())
			}
			if strings.Contains(errs.String(), "canary") {
				t.Error("the token is on stderr")
			}
		})
	}
}

// A signal ends a command that waits for a hub, with the code of its own.
func TestHeadlessIsInterrupted(t *testing.T) {
	t.Parallel()
	asked := make(chan struct{}, 100)
	hub := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		<-r.Context().Done()
	}))
	t.Cleanup(hub.Close)
	cmd := exec.CommandContext(t.Context(), stagewatch(t), "--kubeconfig", configFor(t, hub.URL))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	<-asked
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != exit.Interrupted {
		t.Errorf("exit code %d, %v", cmd.ProcessState.ExitCode(), err)
	}
}

// Keys cannot come from a pipe, and a screen without keys is a trap.
func TestAScreenNeedsKeys(t *testing.T) {
	ptm, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer ptm.Close()
	defer tty.Close()
	var errs bytes.Buffer
	if code := cli.Main([]string{"--kubeconfig", configFor(t, deadAddress(t))}, strings.NewReader(""), tty, &errs); code != exit.Usage {
		t.Errorf("exit code %d: %s", code, errs.String())
	}
	if !strings.Contains(errs.String(), "-o table") {
		t.Errorf("no way out is named: %s", errs.String())
	}
}

// The terminal's own selection works until the mouse is asked for, and again
// after the program.
func TestTheMouseIsGivenBack(t *testing.T) {
	t.Parallel()
	on, off := "\x1b[?1002h", "\x1b[?1002l"
	config := configFor(t, deadAddress(t))
	s := start(t, 120, 36, nil, stagewatch(t), "--kubeconfig", config)
	s.see(`RECONNECTING`)
	if strings.Contains(s.wroteRaw(), on) {
		t.Error("the mouse is taken without being asked for")
	}
	s.keys("%")
	s.see(`The mouse is on`)
	s.keys("%")
	s.see(`The mouse is off`)
	if raw := s.wroteRaw(); strings.LastIndex(raw, off) < strings.LastIndex(raw, on) {
		t.Error("the mouse is not given back")
	}
	s.keys("q")
	s.ended(patience)
	s.restored()

	s = start(t, 120, 36, nil, stagewatch(t), "--kubeconfig", config, "--mouse")
	s.see(`RECONNECTING`)
	if !strings.Contains(s.wroteRaw(), on) {
		t.Error("--mouse does not take the mouse")
	}
	s.keys("\x1b[<0;3;36M\x1b[<0;3;36m") // a click on the bar does no harm
	s.keys("q")
	if code := s.ended(patience); code != exit.OK {
		t.Errorf("exit code %d", code)
	}
	s.restored()
}

// An unreachable hub is no reason to give up: the screen opens, says so, and
// goes on trying.
func TestTheScreenOpensWithoutAHub(t *testing.T) {
	t.Parallel()
	s := start(t, 120, 36, nil, stagewatch(t), "--kubeconfig", configFor(t, deadAddress(t)))
	s.see(`RECONNECTING`)
	s.resize(80, 24)
	s.see(`RECONNECTING`)
	s.keys("A")
	s.keys("?")
	s.see(`help for the list of runs`)
	s.keys("\x1b")
	s.gone(`help for the list of runs`)
	s.keys("q")
	if code := s.ended(patience); code != exit.OK {
		t.Errorf("exit code %d", code)
	}
	s.restored()
	if s.stderr.Len() > 0 {
		t.Errorf("stderr: %s", s.stderr.String())
	}
	if strings.Contains(s.wroteRaw(), "canary") {
		t.Error("the token is on the screen")
	}
}
