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
	"time"

	"github.com/stagewatch/stagewatch/cli/exit"
)

// A login program that hangs is told of and keeps nobody from leaving; a login
// that is renewed in the kubeconfig is taken.
func TestTheScreenOutlivesItsLogin(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path+"~", []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(path+"~", path); err != nil {
			t.Fatal(err)
		}
		return path
	}
	config := func(server, user string) string {
		return write("config", fmt.Sprintf(`{"apiVersion":"v1","kind":"Config","current-context":"ctx",
"contexts":[{"name":"ctx","context":{"cluster":"c","user":"u"}}],
"clusters":[{"name":"c","cluster":{"server":%q,"insecure-skip-tls-verify":true}}],
"users":[{"name":"u","user":%s}]}`, server, user), 0o600)
	}
	login := write("login", "#!/bin/sh\nexec sleep 60\n", 0o700)
	exec := fmt.Sprintf(`{"exec":{"apiVersion":"client.authentication.k8s.io/v1","command":%q,"interactiveMode":"Never"}}`, login)
	s := start(t, 120, 36, nil, stagewatch(t), "--kubeconfig", config(strings.Replace(deadAddress(t), "http:", "https:", 1), exec))
	s.see(`credential plugin`)
	began := time.Now()
	s.keys("q")
	if code := s.ended(patience); code != exit.OK {
		t.Errorf("exit code %d", code)
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("it ended after %s", took)
	}
	s.restored()

	hub := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		code := http.StatusNotFound // no KubeFleet: the login is all that matters here
		if r.Header.Get("Authorization") != "Bearer new-canary" {
			code = http.StatusUnauthorized
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		fmt.Fprintf(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"answer %d","code":%[1]d}`, code)
	}))
	t.Cleanup(hub.Close)
	s = start(t, 120, 36, nil, stagewatch(t), "--kubeconfig", config(hub.URL, `{"token":"old-canary"}`))
	s.see(`answer 401`)
	config(hub.URL, `{"token":"new-canary"}`)
	s.gone(`answer 401`)
	s.see(`no KubeFleet hub API`)
	s.keys("q")
	if code := s.ended(patience); code != exit.OK {
		t.Errorf("exit code %d", code)
	}
	if strings.Contains(s.wroteRaw(), "canary") {
		t.Error("a token is on the screen")
	}
}
