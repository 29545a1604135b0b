//go:build linux || darwin

package cli_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stagewatch/stagewatch/watch/faults"
)

// memoryHub is an API server in memory, behind a proxy with faults, and the program on it.
type memoryHub struct {
	*session
	server *faults.APIServer
	proxy  *faults.Proxy
}

// onMemoryHub starts the program on a hub with the run alpha. Every frame of the terminal is
// checked from then on, and what is wrong with it reported.
func onMemoryHub(t *testing.T, check func(screen string) string) *memoryHub {
	t.Helper()
	server := faults.NewAPIServer()
	h := &memoryHub{server: server, proxy: faults.NewProxy(server)}
	h.put("alpha")
	h.session = start(t, 120, 30, nil, stagewatch(t), "--kubeconfig", serveFaults(t, h.proxy, "canary"))
	h.see(liveWith("alpha"))
	var once sync.Once
	stop := eachFrame(h.session, func(_ time.Time, screen string) {
		if wrong := check(screen); wrong != "" {
			once.Do(func() { t.Errorf("%s:\n%s", wrong, screen) })
		}
	})
	t.Cleanup(func() {
		stop()
		leave(t, h.session)
	})
	return h
}

// put makes a run on the hub.
func (h *memoryHub) put(name string) {
	h.server.Put("clusterstagedupdateruns", map[string]any{
		"apiVersion": "placement.kubernetes-fleet.io/v1beta1", "kind": "ClusterStagedUpdateRun",
		"metadata": map[string]any{"name": name, "generation": 1},
		"spec":     map[string]any{"placementName": "web", "stagedRolloutStrategyName": "rings", "state": "Run"},
		"status": map[string]any{"conditions": []any{map[string]any{
			"type": "Initialized", "status": "True", "reason": "UpdateRunInitializedSuccessfully", "message": "m",
			"observedGeneration": 1, "lastTransitionTime": "2026-03-02T10:00:00Z",
		}}},
	})
}

// liveWith matches a screen that says live and shows a run.
func liveWith(run string) string { return `(?s)^ \S[^\n]*● live \d+s.* ` + run + ` ` }

func shows(screen, run string) bool { return strings.Contains(screen, " "+run+" ") }

const resetLine = "the hub was reset"

// TestARejectedLoginIsShown checks that a hub that rejects the login is not called live, that what
// is shown stays, and that the program goes on by itself when the login is accepted again.
func TestARejectedLoginIsShown(t *testing.T) {
	t.Parallel()
	h := onMemoryHub(t, func(screen string) string {
		if !shows(screen, "alpha") {
			return "a run that the hub has is not shown"
		}
		return ""
	})
	h.proxy.Set(faults.Rule{Kind: faults.Cut})
	h.proxy.Set(faults.Rule{Kind: faults.Status, Code: 401})
	h.put("bravo")
	h.see(`(?s)^ \S[^\n]*NO ACCESS .*writes are off.* alpha `)
	h.proxy.Set()
	h.see(liveWith("bravo"))
}

// TestARestoredHubIsShown checks that no run disappears because the hub was restored from a backup
// without the word that it was, and that the screen is right afterwards.
func TestARestoredHubIsShown(t *testing.T) {
	t.Parallel()
	var seen bool
	h := onMemoryHub(t, func(screen string) string {
		if shows(screen, "charlie") {
			seen = true
		} else if seen && !strings.Contains(screen, resetLine) {
			return "a run is gone, and nothing says that the hub was reset"
		}
		return ""
	})
	backup := h.server.Backup()
	h.put("bravo")
	h.put("charlie")
	h.see(liveWith("charlie"))
	h.proxy.Set(faults.Rule{Kind: faults.Cut})
	h.see(`RECONNECTING`)
	h.server.Restore(backup, "")
	h.put("delta")
	h.proxy.Set()
	screen := h.see(`(?s)^ \S[^\n]*● live \d+s.*` + resetLine + `.* delta `)
	if shows(screen, "charlie") || !shows(screen, "alpha") {
		t.Errorf("after the reset:\n%s", screen)
	}
}

// TestARestartedHubIsShown checks that a hub that restarts with its data is not called reset, that
// no run disappears meanwhile, and that what it did meanwhile is shown.
func TestARestartedHubIsShown(t *testing.T) {
	t.Parallel()
	h := onMemoryHub(t, func(screen string) string {
		switch {
		case strings.Contains(screen, resetLine):
			return "a restart is called a reset"
		case !shows(screen, "alpha"):
			return "a run that the hub has is not shown"
		}
		return ""
	})
	for _, next := range []string{"bravo", "charlie"} {
		h.proxy.Set(faults.Rule{Kind: faults.Cut})
		h.see(`RECONNECTING`)
		h.put(next)
		h.server.Restart() // watches from before it expire
		h.proxy.Set()
		h.see(liveWith(next))
	}
}

// TestAFailedLoginKeepsTheRows checks that a login on the terminal that fails, and one that the hub
// rejects, leave the rows on the screen, stale, with the failure named.
func TestAFailedLoginKeepsTheRows(t *testing.T) {
	t.Parallel()
	server := faults.NewAPIServer()
	h := &memoryHub{server: server, proxy: faults.NewProxy(server)}
	h.put("alpha")
	hub := httptest.NewTLSServer(h.proxy)
	t.Cleanup(hub.Close)
	config := loginConfig(t, t.TempDir(), hub.URL, `#!/bin/sh
echo "type the code" > /dev/tty
read code
[ "$code" = none ] && exit 4
echo '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"canary-'"$code"'"}}'
`)
	h.session = start(t, 120, 30, nil, stagewatch(t), "--kubeconfig", config)
	h.see(`type the code`)
	h.keys("blue\n")
	h.see(liveWith("alpha"))
	h.proxy.Set(faults.Rule{Kind: faults.Cut})
	h.proxy.Set(faults.Rule{Kind: faults.Status, Code: 401})
	h.see(`(?s)^ \S[^\n]*NO ACCESS .*writes are off.* alpha `)
	for n, login := range []struct{ code, want string }{
		{"none", `(?s)^ \S[^\n]*NO ACCESS .*data is \d+s old, writes are off.* alpha .*Cannot log in again: .*exit status 4`},
		{"red", `(?s)^ \S[^\n]*NO ACCESS .*data is \d+s old, writes are off.*:login retries now.* alpha `},
	} {
		h.keys(":login\r")
		// Below the prompts of the logins before.
		h.see(fmt.Sprintf(`(?s)(type the code\n.*){%d}`, n+2))
		h.keys(login.code + "\n")
		h.see(login.want)
	}
	h.proxy.Set()
	h.put("bravo")
	h.see(liveWith("bravo"))
	leave(t, h.session)
}

// TestTheSameContextIsOpenedAgain checks that :ctx with the context that is shown reads the kubeconfig
// again when its hub does not answer, and shows the rows of before until a hub does.
func TestTheSameContextIsOpenedAgain(t *testing.T) {
	t.Parallel()
	hub := func(run string) (*memoryHub, *httptest.Server) {
		server := faults.NewAPIServer()
		h := &memoryHub{server: server, proxy: faults.NewProxy(server)}
		h.put(run)
		at := httptest.NewTLSServer(h.proxy)
		t.Cleanup(at.Close)
		return h, at
	}
	was, first := hub("alpha")
	_, second := hub("bravo")
	dir := t.TempDir()
	const login = `#!/bin/sh
echo "type the code" > /dev/tty
read code
echo '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"canary-'"$code"'"}}'
`
	config := loginConfig(t, dir, first.URL, login)
	s := start(t, 120, 30, nil, stagewatch(t), "--kubeconfig", config)
	logins := 0
	logsIn := func() { // which says that a screen opens
		logins++
		s.see(fmt.Sprintf(`(?s)(type the code\n.*){%d}`, logins))
		s.keys("blue\n")
	}
	logsIn()
	s.see(liveWith("alpha"))
	s.keys(":ctx ctx\r")
	s.see("ctx is already on the screen")
	was.proxy.Set(faults.Rule{Kind: faults.Cut})
	was.proxy.Set(faults.Rule{Kind: faults.Status, Code: http.StatusBadGateway})
	s.see(`(?s)^ \S[^\n]*RECONNECTING .* alpha `)
	s.keys(":ctx ctx\r")
	logsIn()
	s.see(`(?s)^ \S[^\n]*RECONNECTING .*data is \d+s old, writes are off.* alpha `)
	loginConfig(t, dir, second.URL, login)
	s.keys(":ctx ctx\r")
	logsIn()
	s.see(liveWith("bravo"))
	leave(t, s)
}
