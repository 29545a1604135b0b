package member

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"sync"
	"time"

	"k8s.io/client-go/rest"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/watch/client/plugin"
)

const (
	// LoginDeadline bounds the credential plugin of an automatic member query.
	LoginDeadline = 6 * time.Second
	// loginPause is how long no automatic query starts a credential plugin that failed.
	loginPause = time.Minute
	// loginKept is how long a credential without an expiration time is used.
	loginKept = 5 * time.Minute
)

// Logins executes the credential plugins of automatic member queries, each of them not
// twice at a time. client-go runs such a program without a deadline and with the terminal
// of this one.
type Logins struct {
	mu    sync.Mutex
	known map[string]login
	// running has the plugins that are running; a channel is closed at the end.
	running map[string]chan struct{}
}

// login is what a credential plugin returned, and until when that is used.
type login struct {
	context string
	plugin.Credential
	err   error
	until time.Time
}

// Reject forgets the credential that a member refused to a client of a context, so that
// the next query starts the credential plugin again, at the earliest after loginPause. A
// newer credential of the context stays.
func (l *Logins) Reject(name string, c *Client) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	for key, known := range l.known {
		if known.context == name && known.err == nil && credentialOf(known.Token, []byte(known.Cert)) == c.credential {
			known.err = errors.New("the member rejected its credential (401)")
			known.Credential, known.until = plugin.Credential{}, now.Add(loginPause)
			l.known[key] = known
		}
	}
}

// Config returns the configuration of a context with the credential that its
// credential plugin prints. It starts no program that may ask a person.
func (l *Logins) Config(ctx context.Context, found Context) (*rest.Config, engine.Text) {
	p := found.Config.ExecProvider
	if p == nil {
		return found.Config, engine.Text{}
	}
	program := engine.Clean(filepath.Base(p.Command))
	if !plugin.Unattended(p) {
		return nil, engine.Textf("credential plugin %s of context %s may prompt for input; m on the screen reads the member", program, engine.Clean(found.Name))
	}
	known := l.login(ctx, fmt.Sprintf("%q %q %q %q %q", found.Name, found.Config.Host, p.Command, p.Args, p.Env), found)
	if known.err != nil {
		return nil, engine.Textf("credential plugin %s of context %s failed: %s", program, engine.Clean(found.Name), engine.Clean(known.err.Error()))
	}
	cfg := rest.CopyConfig(found.Config)
	cfg.ExecProvider = nil
	cfg.BearerToken = known.Token
	if known.Cert != "" {
		cfg.CertFile, cfg.CertData = "", []byte(known.Cert)
		cfg.KeyFile, cfg.KeyData = "", []byte(known.Key)
	}
	return cfg, engine.Text{}
}

// login returns what is known of a credential plugin, after a run of it if that is due.
// It waits for another run of it, and no longer than until ctx ends.
func (l *Logins) login(ctx context.Context, key string, found Context) login {
	for {
		l.mu.Lock()
		now := time.Now()
		if known := l.known[key]; now.Before(known.until) {
			l.mu.Unlock()
			return known
		}
		running := l.running[key]
		if running == nil {
			break
		}
		l.mu.Unlock()
		select {
		case <-running:
		case <-ctx.Done():
			return login{err: plugin.ErrNoAnswer}
		}
	}
	if l.known == nil {
		l.known, l.running = map[string]login{}, map[string]chan struct{}{}
	}
	done := make(chan struct{})
	l.running[key] = done
	l.mu.Unlock()
	began := time.Now()
	known := login{context: found.Name}
	known.Credential, known.err = plugin.Run(ctx, found.Config, LoginDeadline, nil)
	switch {
	case known.err != nil:
		known.until = began.Add(loginPause)
	case known.Until.IsZero():
		known.until = began.Add(loginKept)
	default:
		known.until = known.Until
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.running, key)
	close(done)
	maps.DeleteFunc(l.known, func(_ string, m login) bool { return !began.Before(m.until) })
	if known.err == nil || ctx.Err() == nil { // the program is not to blame for the end of its query
		l.known[key] = known
	}
	return known
}
