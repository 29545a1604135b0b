//go:build linux || darwin

package cli_test

import (
	"bytes"
	"crypto/tls"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"sigs.k8s.io/yaml"
)

// checkpoint stands between a program and a hub: it notes every request that
// would change something, lets rehearsals through and refuses all else, so that
// the hub stays as it is whatever the program does.
type checkpoint struct {
	kubeconfig string

	mu                 sync.Mutex
	rehearsed, written []string
	// holds, if not nil, gets a value for each write, which is never answered.
	holds chan struct{}
}

func newCheckpoint(t *testing.T, d *served) *checkpoint {
	t.Helper()
	w := newWitness(t, d.kubeconfig)
	hub, err := url.Parse(w.server)
	if err != nil {
		t.Fatal(err)
	}
	c := &checkpoint{}
	way := &httputil.ReverseProxy{
		FlushInterval: -1,
		Transport:     w.client.Transport,
		Rewrite:       func(r *httputil.ProxyRequest) { r.SetURL(hub) },
		ErrorHandler:  func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) },
	}
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c.pass(w, r) {
			way.ServeHTTP(w, r)
		}
	}))
	srv.EnableHTTP2 = true
	srv.TLS = &tls.Config{MinVersion: tls.VersionTLS12}
	srv.StartTLS()
	t.Cleanup(func() {
		srv.CloseClientConnections()
		srv.Close()
	})
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: srv.Certificate().Raw})
	raw, err := yaml.Marshal(map[string]any{
		"apiVersion": "v1", "kind": "Config", "current-context": "checkpoint",
		"contexts": []any{map[string]any{"name": "checkpoint", "context": map[string]any{"cluster": "c", "user": "u"}}},
		"clusters": []any{map[string]any{"name": "c", "cluster": map[string]any{"server": srv.URL, "certificate-authority-data": ca}}},
		"users":    []any{map[string]any{"name": "u", "user": map[string]any{"token": w.token}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	c.kubeconfig = filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(c.kubeconfig, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	return c
}

// pass notes a request and reports whether it may go on.
func (c *checkpoint) pass(w http.ResponseWriter, r *http.Request) bool {
	if r.Method == http.MethodGet || strings.Contains(r.URL.Path, "/selfsubject") {
		return true
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return false
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	what := r.Method + " " + strings.TrimPrefix(r.URL.Path, fleetAPI)
	c.mu.Lock()
	defer c.mu.Unlock()
	if r.URL.Query().Get("dryRun") == "All" || r.Method == http.MethodDelete && strings.Contains(string(body), `"dryRun":["All"]`) {
		c.rehearsed = append(c.rehearsed, what)
		return true
	}
	c.written = append(c.written, what)
	if c.holds != nil {
		c.mu.Unlock() // a second write is noted, too
		select {
		case c.holds <- struct{}{}:
		case <-r.Context().Done():
		}
		<-r.Context().Done()
		c.mu.Lock()
		return false
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusForbidden)
	fmt.Fprint(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","message":"stopped at the checkpoint","code":403}`)
	return false
}

func (c *checkpoint) noted() (rehearsed, written []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.rehearsed), slices.Clone(c.written)
}

// forget drops what was written.
func (c *checkpoint) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.written = nil
}

// TestCarelessHands lets keys be held, repeated and pasted, and rows move, while
// dialogs open and stand: nothing is written until a person answers the question
// that stands there, and then once, to what the dialog names (docs/promises.md#i7, #i8).
func TestCarelessHands(t *testing.T) {
	t.Parallel()
	d := tour(t)
	paste := func(text string) string { return "\x1b[200~" + text + "\x1b[201~" }
	// A key that is held repeats without a pause. When the machine stops this process for
	// so long that the dialog may take the pause for a release (400 ms), the test has not
	// held it: that case is played again, at most three times in all.
	const longest, plays = 300 * time.Millisecond, 3
	var pause time.Duration // the longest between two keys
	hold := func(s *session, key string, n int) {
		t.Helper()
		tick := time.NewTicker(30 * time.Millisecond) // a keyboard's repeat
		defer tick.Stop()
		for last := time.Now(); n > 0; n-- {
			<-tick.C
			s.keys(key)
			pause = max(pause, time.Since(last))
			last = time.Now()
		}
	}
	const (
		stuck   = "PATCH /clusterstagedupdateruns/search-r12"
		waiting = "PUT /clusterapprovalrequests/payments-api-r18-before-prod/status"
	)
	tests := []struct {
		name, run, dialog string
		careless          func(s *session)
	}{
		{"y\\n pasted a hundred times", "search-r12", "S", func(s *session) { s.keys(paste(strings.Repeat("y\n", 100))) }},
		{"y held from before the dialog listens", "search-r12", "", func(s *session) {
			s.keys("S")
			hold(s, "y", 40)
		}},
		{"the opening key held", "search-r12", "", func(s *session) { hold(s, "S", 40) }},
		{"enter held", "search-r12", "S", func(s *session) { hold(s, "\r", 20) }},
		{"the stage's name pasted", "payments-api-r18", "A", func(s *session) {
			s.keys(paste("prod"))
			s.keys("\r")
		}},
		{"the stage's name and enter pasted", "payments-api-r18", "A", func(s *session) { s.keys(paste(strings.Repeat("prod\n", 20))) }},
		{"y held", "payments-api-r18", "A", func(s *session) { hold(s, "y", 20); hold(s, "\r", 5) }},
		{"the name typed ahead", "payments-api-r18", "", func(s *session) { s.keys("Aprod\r") }},
		{"approve held", "payments-api-r18", "", func(s *session) { hold(s, "A", 40) }},
		{"everything pasted on the page", "payments-api-r18", "", func(s *session) { s.keys(paste(strings.Repeat("A\nprod\nSyRyXy\n", 20))) }},
	}
	c := newCheckpoint(t, d)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			play := 1
		again:
			pause = 0
			s := start(t, 138, 50, nil, stagewatch(t), "--kubeconfig", c.kubeconfig, tt.run)
			s.see(`live +\d+s`)
			s.see(`Runs › .*` + tt.run)
			if tt.run == "payments-api-r18" {
				s.see(`APPROVAL`)
			}
			before, _ := c.noted()
			if tt.dialog != "" {
				s.keys(tt.dialog)
				s.see(`server dry run passed`)
				settled(s)
				if rehearsed, _ := c.noted(); len(rehearsed) == len(before) {
					t.Error("no rehearsal passed the checkpoint")
				}
			}
			tt.careless(s)
			settled(s)
			leave(t, s)
			_, written := c.noted()
			if len(written) > 0 && pause > longest && play < plays {
				t.Logf("play %d: %v was written, but this process paused for %s", play, written, pause)
				c.forget()
				play++
				goto again
			}
			if len(written) > 0 {
				t.Errorf("written: %v; the longest pause between two keys was %s", written, pause)
			}
		})
	}

	t.Run("rows move under the dialog", func(t *testing.T) {
		s := start(t, 138, 50, nil, stagewatch(t), "--kubeconfig", c.kubeconfig)
		s.see(`live +\d+s +\d+ runs`)
		s.keys("/search-r12\r")
		s.see(`(?m)^.*search-r12`)
		s.keys("S")
		s.see(`Stop search-r12`)
		s.see(`server dry run passed`)
		w := newWitness(t, d.kubeconfig)
		for n := range 3 {
			w.send(http.MethodPost, "/clusterstagedupdateruns", fmt.Sprintf(`{"apiVersion":"placement.kubernetes-fleet.io/v1beta1","kind":"ClusterStagedUpdateRun",
				"metadata":{"name":"a-search-r12-%d"},"spec":{"placementName":"nowhere","stagedRolloutStrategyName":"none","state":"Run"}}`, n))
			defer w.send(http.MethodDelete, fmt.Sprintf("/clusterstagedupdateruns/a-search-r12-%d", n), "")
			w.eventually(fmt.Sprintf("/clusterstagedupdateruns/a-search-r12-%d", n), "a failed run", func(o *object) bool { return len(o.Status.Conditions) > 0 })
		}
		s.see(`4 of \d+ runs`)
		settled(s)
		s.keys("yyyy")
		s.see(`stopped at the checkpoint`)
		hold(s, "y", 20)
		leave(t, s)
		if _, written := c.noted(); !slices.Equal(written, []string{stuck}) {
			t.Errorf("written: %v", written)
		}
	})
	t.Run("a person answers", func(t *testing.T) {
		_, before := c.noted()
		s := start(t, 138, 50, nil, stagewatch(t), "--kubeconfig", c.kubeconfig, "payments-api-r18")
		s.see(`live +\d+s`)
		s.see(`(?s)Runs › payments-api-r18.*APPROVAL`)
		confirmByName(s, "A", "prod")
		s.see(`stopped at the checkpoint`)
		s.keys("\r\r\rprod\r")
		leave(t, s)
		if _, written := c.noted(); !slices.Equal(written[len(before):], []string{waiting}) {
			t.Errorf("written: %v", written)
		}
	})
}

// send changes something on the hub.
func (w *witness) send(method, path, body string) {
	w.t.Helper()
	req, err := http.NewRequest(method, w.server+fleetAPI+path, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+w.token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := w.client.Do(req)
	if err != nil {
		w.t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 300 {
		text, err := io.ReadAll(resp.Body)
		w.t.Errorf("%s %s: %s %s %v", method, path, resp.Status, text, err)
	}
}
