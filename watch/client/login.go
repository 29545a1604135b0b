package client

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/rest"

	"github.com/stagewatch/stagewatch/watch/client/plugin"
)

// login is the transport of a client, which a new login replaces.
type login struct {
	mu      sync.Mutex
	now     http.RoundTripper
	renewed chan struct{} // closed and replaced by Wake
}

// RoundTrip implements http.RoundTripper.
func (l *login) RoundTrip(r *http.Request) (*http.Response, error) {
	return l.WrappedRoundTripper().RoundTrip(r)
}

// WrappedRoundTripper lets client-go find the transport inside.
func (l *login) WrappedRoundTripper() http.RoundTripper {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.now
}

// end ends a credential plugin that is running.
func (l *login) end() { endPlugin(l.WrappedRoundTripper()) }

func endPlugin(rt http.RoundTripper) {
	if p, ok := rt.(*plugin.Transport); ok {
		p.Close()
	}
}

// LogInFirst runs the credential plugin of a configuration if it may ask a person, on a
// terminal and before anything else uses that. It returns nil if there is nothing to ask.
func LogInFirst(ctx context.Context, config *rest.Config, t plugin.Terminal) (*plugin.Credential, error) {
	if !asksPlugin(config) {
		return nil, nil
	}
	return plugin.LogIn(ctx, config, t)
}

// AsksPerson reports whether the login of a configuration may ask a person, on a terminal or
// in a browser.
func AsksPerson(config *rest.Config) bool {
	return asksPlugin(config) && !plugin.Unattended(config.ExecProvider)
}

// Credential returns what the credential plugin has returned; nil if there is none.
func (h *Client) Credential() *plugin.Credential {
	if p, ok := h.login.WrappedRoundTripper().(*plugin.Transport); ok {
		return p.Credential()
	}
	return nil
}

// LogIn sends every request from now on with another login. known, if not nil, is what its
// credential plugin has returned already.
func (h *Client) LogIn(cfg *rest.Config, known *plugin.Credential) error {
	h.known = known
	next, err := h.transport(cfg)
	if err != nil {
		return fmt.Errorf("prepare connection to %s: %w", WithoutUser(cfg.Host), err)
	}
	l := h.login
	l.mu.Lock()
	old := l.now
	l.now = next
	l.mu.Unlock()
	endPlugin(old)
	utilnet.CloseIdleConnectionsFor(old)
	h.Wake()
	return nil
}

// Wake ends every Pause: what failed may pass now.
func (h *Client) Wake() {
	l := h.login
	l.mu.Lock()
	defer l.mu.Unlock()
	close(l.renewed)
	l.renewed = make(chan struct{})
}

// Pause waits before the next try; a new login and Wake end it. It reports false when
// ctx ended first.
func (h *Client) Pause(ctx context.Context, d time.Duration) bool {
	h.login.mu.Lock()
	renewed := h.login.renewed
	h.login.mu.Unlock()
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-renewed:
	case <-ctx.Done():
		return false
	}
	return true
}
