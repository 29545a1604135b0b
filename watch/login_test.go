package watch

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/client-go/rest"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/stagewatch/stagewatch/demo/hub"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/watch/link"
)

// credentialPlugin is a configuration that logs in with a program: a shell script.
func credentialPlugin(t *testing.T, script string) *rest.Config {
	t.Helper()
	path := filepath.Join(t.TempDir(), "login")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	cfg := shared.AdminConfig()
	cfg.BearerToken = ""
	cfg.ExecProvider = &clientcmdapi.ExecConfig{
		APIVersion: "client.authentication.k8s.io/v1", Command: path, InteractiveMode: clientcmdapi.NeverExecInteractiveMode,
	}
	return cfg
}

// credential is what a login program prints.
func credential(token string) string {
	return `echo '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"` + token + `"}}'`
}

// TestCredentialPluginHangs checks that a login program that hangs is named, does not
// delay the end of the session, and is not run in a loop (docs/promises.md#i18).
func TestCredentialPluginHangs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	gate, runs := filepath.Join(dir, "gate"), filepath.Join(dir, "runs")
	cfg := credentialPlugin(t, "echo run >>"+runs+"\nwhile [ ! -e "+gate+" ]; do sleep 0.1; done\n"+credential(shared.AdminConfig().BearerToken))
	ran := func() int {
		raw, err := os.ReadFile(runs)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		return strings.Count(string(raw), "run")
	}

	s, other := openSession(t, Config{REST: cfg}), openSession(t, Config{REST: cfg})
	began := time.Now()
	_, err := Once(t.Context(), Config{REST: credentialPlugin(t, "while [ ! -e "+gate+" ]; do sleep 0.1; done")}, Reading{})
	var once *OnceError
	if !errors.As(err, &once) || !strings.Contains(once.Err.String(), "credential plugin of the kubeconfig does not answer") || !errors.Is(err, ErrForbidden) {
		t.Errorf("error %v", err)
	}
	if took := time.Since(began); took > 2*onceWait {
		t.Errorf("took %v", took)
	}
	for _, s := range []*Session{s, other} {
		snap := until(t, s, "word of it", func(s *engine.Snapshot) bool { return s.Link.State == engine.LinkRefused })
		if !strings.Contains(snap.Link.Err.String(), "does not answer") || snap.WritesOff.IsZero() || ran() > 2 { // one for each session
			t.Errorf("%d runs, %s", ran(), describe(snap))
		}
	}
	began = time.Now()
	other.Close()
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("Close took %v", took)
	}
	if err := os.WriteFile(gate, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	until(t, s, "live after the login", live)
	if n := ran(); n > 2 {
		t.Errorf("the login program ran %d times", n)
	}
}

// TestLoginExpires takes the login away from a session and gives it a new one in
// the kubeconfig.
func TestLoginExpires(t *testing.T) {
	t.Parallel()
	config := func(token string) *rest.Config {
		cfg := shared.AdminConfig()
		cfg.BearerToken, cfg.UserAgent = token, t.Name()
		return cfg
	}
	good := shared.AdminConfig().BearerToken
	var valid atomic.Pointer[string] // the token that counts as the admin's
	valid.Store(new("first"))
	var busy atomic.Bool // the API server cannot say who somebody is
	onWay(t, t.Name(), func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if busy.Load() && strings.HasSuffix(r.URL.Path, "/selfsubjectreviews") {
				w.WriteHeader(http.StatusServiceUnavailable)
				return
			}
			if r.Header.Get("Authorization") == "Bearer "+*valid.Load() {
				r.Header.Set("Authorization", "Bearer "+good)
			}
			next.ServeHTTP(w, r)
		})
	})

	var file atomic.Pointer[rest.Config] // what the kubeconfig says
	file.Store(config("first"))
	p := somebody(t, shared)
	p.make(aRun(t, "", "kept", "kept", "Run", "UpdateRunWaiting"))
	s, err := open(t.Context(), Config{REST: config("first"), Renew: func() (*rest.Config, error) { return file.Load(), nil }}, options{probing: link.ProbeConfig{Every: 300 * time.Millisecond}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	until(t, s, "live", func(s *engine.Snapshot) bool { return live(s) && s.Hub.User.String() == hub.AdminUser })

	valid.Store(new("second"))
	snap := until(t, s, "NO ACCESS", func(s *engine.Snapshot) bool { return s.Link.State == engine.LinkRefused })
	if snap.WritesOff.IsZero() || snap.Link.Hint.IsZero() || named(snap, engine.KindClusterStagedUpdateRun, "", "kept") == nil {
		t.Errorf("refused without words, or nothing left: %s", describe(snap))
	}
	// Neither another person nor another hub is taken.
	file.Store(shared.Config(hub.ViewerUser))
	until(t, s, "word of the other person", func(s *engine.Snapshot) bool {
		return strings.Contains(s.Link.Err.String(), "user is now viewer, not admin")
	})
	elsewhere := config("second")
	elsewhere.Host = "https://127.0.0.1:1"
	file.Store(elsewhere)
	until(t, s, "word of the other hub", func(s *engine.Snapshot) bool {
		return strings.Contains(s.Link.Err.String(), "now has another server") && strings.Contains(s.Link.Hint.String(), "restart stagewatch")
	})
	// A new login that could not be checked is checked again.
	busy.Store(true)
	file.Store(config("second"))
	until(t, s, "word of the check", func(s *engine.Snapshot) bool {
		return strings.Contains(s.Link.Err.String(), "cannot check the new login") && strings.Contains(s.Link.Hint.String(), "the API server returned an error; stagewatch retries automatically")
	})
	busy.Store(false)
	began := time.Now()
	p.make(aRun(t, "", "renewed", "renewed", "Run", "UpdateRunWaiting"))
	until(t, s, "live with the new login", func(s *engine.Snapshot) bool {
		return live(s) && s.WritesOff.IsZero() && named(s, engine.KindClusterStagedUpdateRun, "", "renewed") != nil
	})
	t.Logf("back after %v", time.Since(began))
}
