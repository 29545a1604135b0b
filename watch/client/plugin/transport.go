package plugin

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"sync"
	"time"

	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/rest"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

const (
	// Every is the shortest time between two runs of a plugin for one client, whatever it
	// returned and however often the API server rejects it (docs/promises.md#i18).
	Every = 30 * time.Second
	// background bounds a plugin that has no terminal, asked one that a person may have to
	// answer.
	background = 30 * time.Second
	asked      = 5 * time.Minute
)

// ErrRunning is the error of a request that ended while the plugin was running.
var ErrRunning = errors.New("getting credentials: the credential plugin does not answer")

// Transport sends requests with the credential of a plugin. It replaces the plugin
// support of client-go, which runs a plugin inside a request, without a deadline, with the
// terminal of this program, and again after every 401.
type Transport struct {
	cfg *rest.Config
	// build makes the transport with a client certificate, or without one.
	build    func(cert, key string) (http.RoundTripper, error)
	terminal *Terminal
	ask      func(context.Context) (Credential, error) // runs the plugin

	mu       sync.Mutex
	now      Credential
	known    bool // now is set
	rejected bool // by the API server
	err      error
	began    time.Time     // of the last run
	running  chan struct{} // closed at its end; nil when none is running
	via      http.RoundTripper
	end      context.CancelFunc
}

// New returns a Transport for a configuration with a credential plugin. known, if not
// nil, is used first. With a terminal the plugin may ask on it.
func New(cfg *rest.Config, known *Credential, terminal *Terminal, build func(cert, key string) (http.RoundTripper, error)) (*Transport, error) {
	t := &Transport{cfg: cfg, build: build, terminal: terminal}
	t.ask = t.execute
	if !Permitted(cfg.ExecProvider) {
		return nil, errors.New("the policy for credential plugins of this machine is not supported: run kubectl, or use another user of the kubeconfig")
	}
	via, err := build("", "")
	if err != nil {
		return nil, err
	}
	t.via = via
	if known != nil {
		t.began = time.Now()
		return t, t.take(*known)
	}
	return t, nil
}

// Permitted reports whether the policy for credential plugins permits one.
func Permitted(p *clientcmdapi.ExecConfig) bool {
	return p.PluginPolicy.PolicyType == "" || p.PluginPolicy.PolicyType == clientcmdapi.PluginPolicyAllowAll
}

// Named is an error of a credential plugin with its name.
func Named(p *clientcmdapi.ExecConfig, err error) error {
	return fmt.Errorf("getting credentials: credential plugin %s: %w", filepath.Base(p.Command), err)
}

// take uses a credential from now on.
func (t *Transport) take(c Credential) error {
	via := t.via
	if c.Cert != t.now.Cert || c.Key != t.now.Key {
		var err error
		if via, err = t.build(c.Cert, c.Key); err != nil {
			return err
		}
		utilnet.CloseIdleConnectionsFor(t.via)
	}
	t.via, t.now, t.known, t.rejected, t.err = via, c, true, false, nil
	return nil
}

// RoundTrip implements http.RoundTripper.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	c, via, err := t.credential(r.Context())
	if err != nil {
		return nil, err
	}
	if c.Token != "" {
		r = r.Clone(r.Context())
		r.Header.Set("Authorization", "Bearer "+c.Token)
	}
	resp, err := via.RoundTrip(r)
	if err == nil && resp.StatusCode == http.StatusUnauthorized {
		t.mu.Lock()
		t.rejected = t.rejected || t.now == c
		t.mu.Unlock()
	}
	return resp, err
}

// credential returns the credential to use, after a run of the plugin if one is due.
func (t *Transport) credential(ctx context.Context) (Credential, http.RoundTripper, error) {
	for {
		t.mu.Lock()
		// A rejected credential that only a person can replace is used on: the API server may
		// accept it again.
		due := !t.known || t.rejected && !t.needsPerson() || !t.now.Until.IsZero() && !time.Now().Before(t.now.Until)
		if due && t.running == nil && (t.began.IsZero() || time.Since(t.began) >= Every) {
			t.run()
		}
		running := t.running
		if !due || running == nil {
			defer t.mu.Unlock()
			if !t.known {
				return Credential{}, nil, t.err
			}
			return t.now, t.via, nil
		}
		t.mu.Unlock()
		select {
		case <-running:
		case <-ctx.Done():
			return Credential{}, nil, fmt.Errorf("%w: %w", ErrRunning, ctx.Err())
		}
	}
}

// run starts the plugin, with the lock held.
func (t *Transport) run() {
	done := make(chan struct{})
	ctx, end := context.WithCancel(context.Background())
	t.began, t.running, t.end = time.Now(), done, end
	go func() {
		defer end()
		c, err := t.ask(ctx)
		t.mu.Lock()
		defer t.mu.Unlock()
		if err == nil {
			err = t.take(c)
		}
		if err != nil {
			t.err = Named(t.cfg.ExecProvider, err)
			t.known = false
		}
		t.running = nil
		close(done)
	}()
}

// execute runs the plugin, on the terminal only if the configuration permits that.
func (t *Transport) execute(ctx context.Context) (Credential, error) {
	p := t.cfg.ExecProvider
	terminal, limit := t.terminal, asked
	if p.StdinUnavailable || p.InteractiveMode == clientcmdapi.NeverExecInteractiveMode {
		terminal = nil
	}
	if t.needsPerson() {
		return Credential{}, errors.New("it requires a person (interactiveMode Always): log in first, then start stagewatch again")
	}
	if terminal == nil {
		limit = background
	}
	return Run(ctx, t.cfg, limit, terminal)
}

// needsPerson reports whether the plugin cannot run, since it would have to ask a person.
func (t *Transport) needsPerson() bool {
	p := t.cfg.ExecProvider
	return p.InteractiveMode == clientcmdapi.AlwaysExecInteractiveMode && (t.terminal == nil || p.StdinUnavailable)
}

// Credential returns what the plugin has returned; nil if it has not, or failed.
func (t *Transport) Credential() *Credential {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.known {
		return nil
	}
	c := t.now
	return &c
}

// Close ends a plugin that is running.
func (t *Transport) Close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.end != nil {
		t.end()
	}
}

// CloseIdleConnections implements what http.Client calls.
func (t *Transport) CloseIdleConnections() { utilnet.CloseIdleConnectionsFor(t.WrappedRoundTripper()) }

// WrappedRoundTripper lets client-go find the transport inside.
func (t *Transport) WrappedRoundTripper() http.RoundTripper {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.via
}
