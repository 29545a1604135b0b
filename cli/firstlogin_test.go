//go:build linux || darwin

package cli_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stagewatch/stagewatch/cli/exit"
)

// A credential plugin asks a person on the terminal before the screen opens, and is not run
// again for it; a login that fails ends the program.
func TestTheLoginComesBeforeTheScreen(t *testing.T) {
	t.Parallel()
	hub := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		code := http.StatusNotFound // no KubeFleet: the login is all that matters here
		if r.Header.Get("Authorization") != "Bearer canary-blue" {
			code = http.StatusUnauthorized
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		fmt.Fprintf(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"answer %d","code":%[1]d}`, code)
	}))
	t.Cleanup(hub.Close)
	dir := t.TempDir()
	login := `#!/bin/sh
echo run >> "$(dirname "$0")/runs"
echo "type the code ($(grep -c run "$(dirname "$0")/runs"))" > /dev/tty
read code || exit 3
[ "$code" = none ] && exit 4
echo '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"canary-'"$code"'"}}'
`
	config := loginConfig(t, dir, hub.URL, login)
	s := start(t, 120, 36, nil, stagewatch(t), "--kubeconfig", config)
	s.see(`type the code`)
	s.keys("blue\n")
	s.see(`no KubeFleet hub API`)
	s.keys("q")
	if code := s.ended(patience); code != exit.OK {
		t.Errorf("exit code %d", code)
	}
	s.restored()
	if runs, err := os.ReadFile(filepath.Join(dir, "runs")); err != nil || string(runs) != "run\n" {
		t.Errorf("runs of the plugin: %q, %v", runs, err)
	}

	// A person who logs in again waits for no pause between two runs; one who fails to sees
	// the screen again, and is not asked a second time.
	s = start(t, 120, 36, nil, stagewatch(t), "--kubeconfig", config)
	s.see(`type the code`)
	s.keys("red\n")
	s.see(`(?s):login retries now.* answer 401`)
	logInAgain := func(run int, code string) {
		t.Helper()
		s.keys(":login\r")
		s.see(fmt.Sprintf(`type the code \(%d\)`, run))
		s.keys(code)
	}
	logInAgain(3, "none\n")
	s.see(`Cannot log in again: .*credential plugin login: exit status 4`)
	s.see(`answer 401`)
	logInAgain(4, "blue\n")
	s.see(`no KubeFleet hub API`)
	s.keys("q")
	if code := s.ended(patience); code != exit.OK {
		t.Errorf("exit code %d", code)
	}
	s.restored()
	if runs, err := os.ReadFile(filepath.Join(dir, "runs")); err != nil || strings.Count(string(runs), "run") != 4 {
		t.Errorf("runs of the plugin: %q, %v", runs, err)
	}

	s = start(t, 120, 36, nil, stagewatch(t), "--kubeconfig", config)
	s.see(`type the code`)
	s.keys("none\n")
	if code := s.ended(patience); code != exit.Forbidden {
		t.Errorf("exit code %d", code)
	}
	if got := s.stderr.String(); !strings.Contains(got, "credential plugin login: exit status 4") {
		t.Errorf("stderr: %q", got)
	}
	if strings.Contains(s.wroteRaw(), "1049h") {
		t.Error("a screen was opened")
	}
	s.restored()
}

// loginConfig writes a credential plugin, and returns the path of a kubeconfig that runs it
// on a terminal.
func loginConfig(t *testing.T, dir, server, login string) string {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "login"), []byte(login), 0o700); err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(dir, "config")
	if err := os.WriteFile(config, fmt.Appendf(nil, `{"apiVersion":"v1","kind":"Config","current-context":"ctx",
"contexts":[{"name":"ctx","context":{"cluster":"c","user":"u"}}],
"clusters":[{"name":"c","cluster":{"server":%q,"insecure-skip-tls-verify":true}}],
"users":[{"name":"u","user":{"exec":{"apiVersion":"client.authentication.k8s.io/v1","command":%q,"interactiveMode":"Always"}}}]}`, server, filepath.Join(dir, "login")), 0o600); err != nil {
		t.Fatal(err)
	}
	return config
}

// With several hubs, a new login is asked for where the present one is rejected, and a changed
// configuration asks for none.
func TestANewLoginWhereItIsRejected(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var clusters, contexts, users []string
	for _, name := range []string{"hub-a", "hub-b"} {
		hub := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			code := http.StatusNotFound // no KubeFleet: the login is all that matters here
			if name == "hub-b" && r.Header.Get("Authorization") != "Bearer canary-blue" {
				code = http.StatusUnauthorized
			}
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(code)
			fmt.Fprintf(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"%s answers %d","code":%[2]d}`, name, code)
		}))
		t.Cleanup(hub.Close)
		clusters = append(clusters, fmt.Sprintf(`{"name":%q,"cluster":{"server":%q,"insecure-skip-tls-verify":true}}`, name, hub.URL))
		contexts = append(contexts, fmt.Sprintf(`{"name":%[1]q,"context":{"cluster":%[1]q,"user":%[1]q}}`, name))
		users = append(users, fmt.Sprintf(`{"name":%q,"user":{"exec":{"apiVersion":"client.authentication.k8s.io/v1","command":%q,"args":[%[1]q],"interactiveMode":"Always"}}}`, name, filepath.Join(dir, "login")))
	}
	for name, content := range map[string]string{
		"login": `#!/bin/sh
echo $1 >> "$(dirname "$0")/runs"
echo "type the code of $1 ($(wc -l < "$(dirname "$0")/runs" | tr -d ' '))" > /dev/tty
read code || exit 3
echo '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"canary-'"$code"'"}}'
`,
		"config": fmt.Sprintf(`{"apiVersion":"v1","kind":"Config","contexts":[%s],"clusters":[%s],"users":[%s]}`, strings.Join(contexts, ","), strings.Join(clusters, ","), strings.Join(users, ",")),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	s := start(t, 120, 36, append(os.Environ(), "XDG_CONFIG_HOME="+dir, "XDG_STATE_HOME="+dir), stagewatch(t), "--kubeconfig", filepath.Join(dir, "config"), "--context", "hub-a,hub-b")
	for _, hub := range []string{`hub-a \(1\)`, `hub-b \(2\)`} {
		s.see(`type the code of ` + hub)
		s.keys("red\n")
	}
	s.see(`hub-b answers 401`)
	s.keys(":login\r")
	s.see(`type the code of hub-b \(3\)`)
	s.keys("blue\n")
	s.see(`hub-b NOT A HUB`)
	if err := os.Mkdir(filepath.Join(dir, "stagewatch"), 0o700); err != nil && !os.IsExist(err) {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "stagewatch", "config.yaml"), []byte("members: {a: b}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.see(`The changed configuration is applied`)
	s.keys("q")
	if code := s.ended(patience); code != exit.OK {
		t.Errorf("exit code %d", code)
	}
	if runs, err := os.ReadFile(filepath.Join(dir, "runs")); err != nil || string(runs) != "hub-a\nhub-b\nhub-b\n" {
		t.Errorf("runs of the plugin: %q, %v", runs, err)
	}
}

// A login ends with the signal that ends stagewatch, whatever the plugin does with the
// terminal and with signals; the terminal is as it was.
func TestALoginIsInterrupted(t *testing.T) {
	t.Parallel()
	const login = `#!/bin/sh
trap '' INT TERM HUP QUIT
stty -echo -icanon < /dev/tty
echo $$ > "$(dirname "$0")/pid"
echo "type the password" > /dev/tty
while :; do read line < /dev/tty; done
`
	for name, end := range map[string]func(s *session){
		"ctrl-c":  func(s *session) { s.keys("\x03") },
		"SIGTERM": func(s *session) { s.signal(syscall.SIGTERM) },
		"SIGHUP":  func(s *session) { s.signal(syscall.SIGHUP) },
		"SIGQUIT": func(s *session) { s.signal(syscall.SIGQUIT) },
		"twice": func(s *session) {
			s.signal(syscall.SIGTERM)
			if err := s.cmd.Process.Signal(syscall.SIGINT); err != nil && !errors.Is(err, os.ErrProcessDone) { // it may have ended already
				s.t.Error(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s := start(t, 120, 36, nil, stagewatch(t), "--kubeconfig", loginConfig(t, dir, "https://127.0.0.1:1", login))
			s.see(`type the password`)
			end(s)
			if code := s.ended(time.Second); code != exit.Interrupted {
				t.Errorf("exit code %d; stderr %q", code, s.stderr.String())
			}
			s.restored()
			raw, err := os.ReadFile(filepath.Join(dir, "pid"))
			if err != nil {
				t.Fatal(err)
			}
			pid, err := strconv.Atoi(strings.TrimSpace(string(raw)))
			if err != nil {
				t.Fatal(err)
			}
			if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
				t.Errorf("the plugin is still there: %v", err)
			}
		})
	}
}
