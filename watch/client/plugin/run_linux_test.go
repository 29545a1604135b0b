package plugin

import (
	"errors"
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

// executes is a configuration with a plugin of this shell code.
func executes(t *testing.T, code string) *rest.Config {
	t.Helper()
	path := filepath.Join(t.TempDir(), "login")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+code), 0o700); err != nil {
		t.Fatal(err)
	}
	return &rest.Config{ExecProvider: &clientcmdapi.ExecConfig{APIVersion: "client.authentication.k8s.io/v1", Command: path}}
}

// printed is shell code that prints a credential.
func printed(token string) string {
	return `echo '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"` + token + `"}}'`
}

// TestRunEndsWithItsChildren checks that a plugin that hangs is killed when its time is over,
// with what it has started, and that what it wrote is named.
func TestRunEndsWithItsChildren(t *testing.T) {
	t.Parallel()
	pid := filepath.Join(t.TempDir(), "pid")
	began := time.Now()
	_, err := Run(t.Context(), executes(t, `echo "waits for the server" >&2; sleep 1000 & echo $! > `+pid+`.new; mv `+pid+`.new `+pid+`; wait`), 2*time.Second, nil)
	if !errors.Is(err, ErrNoAnswer) || !strings.Contains(err.Error(), "waits for the server") {
		t.Errorf("after %v: %v", time.Since(began), err)
	}
	raw, err := os.ReadFile(pid)
	if err != nil {
		t.Fatal(err)
	}
	child, err := strconv.Atoi(strings.TrimSpace(string(raw)))
	if err != nil {
		t.Fatal(err)
	}
	// Without its parent the child is left to whoever reaps orphans, maybe nobody here: a
	// zombie is dead, too.
	for deadline := time.Now().Add(10 * time.Second); syscall.Kill(child, 0) == nil; time.Sleep(10 * time.Millisecond) {
		stat, err := os.ReadFile("/proc/" + strconv.Itoa(child) + "/stat")
		if err != nil || strings.Contains(string(stat), ") Z ") {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the child of the plugin is still there")
		}
	}
}

// TestRunApart checks that a plugin that no person asked for has neither stdin nor the
// terminal: it is in a session of its own.
func TestRunApart(t *testing.T) {
	c, err := Run(t.Context(), executes(t, `read line && exit 3
[ "$(cut -d' ' -f6 /proc/$$/stat)" = $$ ] || exit 4
`+printed("apart")), time.Minute, nil)
	if err != nil || c.Token != "apart" {
		t.Errorf("%+v, %v", c, err)
	}
}

// TestRunIsBounded checks that a plugin that prints too much is named, and not kept, also on the
// terminal of a person, and if it ignores that nobody reads.
func TestRunIsBounded(t *testing.T) {
	for _, to := range []string{"", " >&2"} {
		for _, before := range []string{"", "trap '' PIPE; "} {
			var said strings.Builder
			for _, terminal := range []*Terminal{nil, {In: strings.NewReader(""), Err: &said}} {
				if _, err := Run(t.Context(), executes(t, before+`while :; do echo noise`+to+`; done`), time.Minute, terminal); err == nil || err.Error() != "it printed more than 1 MiB" {
					t.Errorf("endless output%s, terminal %t: %v", to, terminal != nil, err)
				}
			}
			if said.Len() > mostOutput {
				t.Errorf("a terminal got %d bytes", said.Len())
			}
		}
	}
}

// TestRunOnATerminal checks that a plugin that a person asked for has stdin and stderr.
func TestRunOnATerminal(t *testing.T) {
	var said strings.Builder
	c, err := Run(t.Context(), executes(t, `echo "enter the code" >&2; read code; `+strings.Replace(printed("CODE"), "CODE", `'"$code"'`, 1)), time.Minute, &Terminal{In: strings.NewReader("blue\n"), Err: &said})
	if err != nil || c.Token != "blue" || said.String() != "enter the code\n" {
		t.Errorf("%+v, %v; it said %q", c, err, said.String())
	}
}
