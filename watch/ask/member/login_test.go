//go:build unix

package member

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"k8s.io/client-go/rest"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// scripted is a credential plugin that runs a shell script.
func scripted(t *testing.T, script string) *clientcmdapi.ExecConfig {
	t.Helper()
	path := filepath.Join(t.TempDir(), "login")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return &clientcmdapi.ExecConfig{
		APIVersion: "client.authentication.k8s.io/v1", Command: path, InteractiveMode: clientcmdapi.NeverExecInteractiveMode,
	}
}

// printed is the script of a plugin that prints a credential.
func printed(token string) string {
	return `echo '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"` + token + `"}}'`
}

// TestAutomaticLogin executes the credential plugin of a member's context as an
// automatic query does.
func TestAutomaticLogin(t *testing.T) {
	dir := t.TempDir()
	runs := filepath.Join(dir, "runs")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer secret-canary" {
			w.WriteHeader(http.StatusUnauthorized)
		}
	}))
	defer server.Close()
	login := func(mode clientcmdapi.ExecInteractiveMode, script string) Context {
		t.Helper()
		p := scripted(t, "echo run >>"+runs+"\n"+script)
		p.InteractiveMode = mode
		return Context{Name: "the-context", Config: &rest.Config{Host: server.URL, ExecProvider: p}}
	}
	const never = clientcmdapi.NeverExecInteractiveMode
	info := `case $KUBERNETES_EXEC_INFO in *'"interactive":false'*) ;; *) echo "told $KUBERNETES_EXEC_INFO" >&2; exit 2;; esac` + "\n"
	for _, tt := range []struct {
		name    string
		context Context
		runs    int    // of two queries
		why     string // empty: the member accepts the credential
	}{
		{"ok", login(never, info+printed("secret-canary")), 1, ""},
		{"reads stdin", login(never, "read line && exit 3\n"+printed("secret-canary")), 1, ""},
		{"fails", login(never, "echo secret; echo first >&2; echo 'the SSO session has expired' >&2; exit 1"), 1, "credential plugin login of context the-context failed: the SSO session has expired (exit status 1)"},
		{"prints something else", login(never, "echo secret-canary"), 1, "printed no ExecCredential"},
		{"prints nothing", login(never, strings.ReplaceAll(printed(""), "canary", "")), 1, "returned no credential"},
		{"prints no end", login(never, "yes"), 1, "printed more than 1 MiB"},
		{"leaves a child with its pipe", login(never, "sleep 60 &\n"+printed("secret-canary")), 1, ""},
		{"may ask a person", login(clientcmdapi.IfAvailableExecInteractiveMode, printed("secret-canary")), 0, "may prompt for input; m on the screen"},
		{"always asks a person", login(clientcmdapi.AlwaysExecInteractiveMode, printed("secret-canary")), 0, "may prompt for input; m on the screen"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if err := os.WriteFile(runs, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			var logins Logins
			for range 2 {
				cfg, why := logins.Config(t.Context(), tt.context)
				if !strings.Contains(why.String(), tt.why) || why.IsZero() != (tt.why == "") || strings.Contains(why.String(), "canary") {
					t.Fatalf("why %q", why)
				}
				if cfg == nil {
					continue
				}
				if cfg.ExecProvider != nil {
					t.Error("client-go would run the program, too")
				}
				c, err := Connect(cfg)
				if err != nil {
					t.Fatal(err)
				}
				defer c.Close()
				if _, err := c.Do(t.Context(), c.Request(http.MethodGet).AbsPath("/")); err != nil {
					t.Error(err)
				}
			}
			raw, err := os.ReadFile(runs)
			if err != nil {
				t.Fatal(err)
			}
			if n := strings.Count(string(raw), "run"); n != tt.runs {
				t.Errorf("the program ran %d times", n)
			}
		})
	}
}

// TestRejectedLogin checks that a credential that the member refuses is not used
// again, and that the credential plugin does not run in a loop because of it.
func TestRejectedLogin(t *testing.T) {
	runs := filepath.Join(t.TempDir(), "runs")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }))
	defer server.Close()
	found := Context{Name: "the-context", Config: &rest.Config{Host: server.URL, ExecProvider: scripted(t, "echo run >>"+runs+"\n"+printed("secret-canary"))}}
	var logins Logins
	cfg, why := logins.Config(t.Context(), found)
	if cfg == nil {
		t.Fatalf("why %q", why)
	}
	c, err := Connect(cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.Do(t.Context(), c.Request(http.MethodGet).AbsPath("/")); err == nil || !c.Unauthorized() {
		t.Fatalf("unauthorized %v, error %v", c.Unauthorized(), err)
	}
	newer, err := Connect(&rest.Config{Host: server.URL, BearerToken: "another"})
	if err != nil {
		t.Fatal(err)
	}
	defer newer.Close()
	logins.Reject(found.Name, newer)
	if cfg, why = logins.Config(t.Context(), found); cfg == nil {
		t.Fatalf("a refused credential discards another one: %q", why)
	}
	logins.Reject(found.Name, c)
	if cfg, why = logins.Config(t.Context(), found); cfg != nil || !strings.Contains(why.String(), "rejected its credential (401)") {
		t.Errorf("config %v, why %q", cfg, why)
	}
	raw, err := os.ReadFile(runs)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(raw), "run"); n != 1 {
		t.Errorf("the program ran %d times", n)
	}
}

// TestAutomaticLoginHangs checks that a credential plugin that hangs is killed with
// what it has started, and that what it said is shown.
func TestAutomaticLoginHangs(t *testing.T) {
	pids := filepath.Join(t.TempDir(), "pids")
	cfg := &rest.Config{Host: "https://member"}
	cfg.ExecProvider = scripted(t, "echo 'enter the code ABCD' >&2\nsleep 60 &\necho $$ $! >"+pids+"\nwait")
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	began := time.Now()
	var logins Logins
	_, why := logins.Config(ctx, Context{Name: "the-context", Config: cfg})
	if got := why.String(); !strings.Contains(got, "enter the code ABCD (no answer in time)") {
		t.Errorf("why %q", got)
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("took %s", took)
	}
	raw, err := os.ReadFile(pids)
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range strings.Fields(string(raw)) {
		pid, err := strconv.Atoi(word)
		if err != nil {
			t.Fatal(err)
		}
		for wait := time.Now().Add(5 * time.Second); alive(pid); time.Sleep(10 * time.Millisecond) {
			if time.Now().After(wait) {
				t.Fatalf("process %d is left", pid)
			}
		}
	}
}

// alive reports whether a process runs; one that has ended may still be listed.
func alive(pid int) bool {
	if stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat"); err == nil {
		return !strings.Contains(string(stat), ") Z ")
	}
	return syscall.Kill(pid, 0) == nil
}
