//go:build linux || darwin

package cli_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

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
echo "type the code" > /dev/tty
read code || exit 3
[ "$code" = none ] && exit 4
echo '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"canary-'"$code"'"}}'
`
	if err := os.WriteFile(filepath.Join(dir, "login"), []byte(login), 0o700); err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(dir, "config")
	if err := os.WriteFile(config, fmt.Appendf(nil, `{"apiVersion":"v1","kind":"Config","current-context":"ctx",
"contexts":[{"name":"ctx","context":{"cluster":"c","user":"u"}}],
"clusters":[{"name":"c","cluster":{"server":%q,"insecure-skip-tls-verify":true}}],
"users":[{"name":"u","user":{"exec":{"apiVersion":"client.authentication.k8s.io/v1","command":%q,"interactiveMode":"Always"}}}]}`, hub.URL, filepath.Join(dir, "login")), 0o600); err != nil {
		t.Fatal(err)
	}
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
