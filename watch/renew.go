package watch

import (
	"context"
	"reflect"
	"time"

	"k8s.io/client-go/rest"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/watch/client"
)

// renewEvery is how often the kubeconfig is read while the hub refuses the login.
const renewEvery = time.Second

// renew reads the kubeconfig again while the API server rejects the credentials.
// New credentials are used only for the same server and only if a self review
// returns the same user (docs/promises.md#i21).
func (s *Session) renew(ctx context.Context) {
	used := s.cfg.REST
	for client.Sleep(ctx, renewEvery) {
		if !s.link.LoginRefused() {
			continue
		}
		cfg, err := s.cfg.Renew()
		if err != nil || cfg == nil || sameLogin(used, cfg) && sameHub(used, cfg) {
			continue // it may be in the middle of being written
		}
		why, hint, checked := s.take(ctx, cfg)
		if checked {
			used, hint = cfg, engine.Lit("restart stagewatch to use the current kubeconfig")
		}
		if !why.IsZero() {
			s.link.LoginRejected(why, hint, time.Now())
		}
	}
}

// take logs in anew, or says why not. checked is false where the API server has not decided
// on the new login, so that it is tried again; hint is what may help then.
func (s *Session) take(ctx context.Context, cfg *rest.Config) (why, hint engine.Text, checked bool) {
	no := engine.Text{}
	if !sameHub(s.cfg.REST, cfg) {
		return engine.Textf("the kubeconfig context now has another server: %s", engine.Clean(client.WithoutUser(cfg.Host))), no, true
	}
	trial, err := client.New(s.cfg.hub(), cfg)
	if err != nil {
		return engine.Clean(err.Error()), no, true
	}
	defer trial.Close()
	name, err := trial.SelfReview(ctx)
	switch client.KindOf(err) {
	case client.NoFailure:
		if known := s.user.Load(); known != nil && name != *known {
			return engine.Textf("the kubeconfig user is now %s, not %s", engine.Clean(name), engine.Clean(*known)), no, true
		}
	case client.Forbidden, client.Missing, client.NotServed, client.Rejected: // an older API server has no self review
	case client.Unauthenticated:
		return engine.Lit("unauthorized, also with the new login of the kubeconfig"), no, true
	default:
		f := s.hub.Failure(err)
		return engine.Textf("cannot check the new login of the kubeconfig: %s", f.Err), f.Hint, false
	}
	if err := s.hub.LogIn(cfg, trial.Credential()); err != nil {
		return engine.Clean(err.Error()), no, true
	}
	s.link.LoginAccepted()
	return no, no, true
}

// sameLogin reports whether two configurations log in alike.
func sameLogin(a, b *rest.Config) bool {
	at, bt := a.TLSClientConfig, b.TLSClientConfig
	return a.BearerToken == b.BearerToken && a.BearerTokenFile == b.BearerTokenFile &&
		a.Username == b.Username && a.Password == b.Password &&
		string(at.CertData) == string(bt.CertData) && string(at.KeyData) == string(bt.KeyData) &&
		at.CertFile == bt.CertFile && at.KeyFile == bt.KeyFile &&
		reflect.DeepEqual(a.Impersonate, b.Impersonate) && reflect.DeepEqual(a.AuthProvider, b.AuthProvider) &&
		sameProgram(a, b)
}

// sameProgram reports whether two configurations run the same login program.
func sameProgram(a, b *rest.Config) bool {
	x, y := a.ExecProvider, b.ExecProvider
	if x == nil || y == nil {
		return x == y
	}
	return x.Command == y.Command && reflect.DeepEqual(x.Args, y.Args) && reflect.DeepEqual(x.Env, y.Env) && x.APIVersion == y.APIVersion
}

// sameHub reports whether two configurations reach and trust the same server.
func sameHub(a, b *rest.Config) bool {
	at, bt := a.TLSClientConfig, b.TLSClientConfig
	return a.Host == b.Host && a.APIPath == b.APIPath && at.ServerName == bt.ServerName && at.Insecure == bt.Insecure &&
		string(at.CAData) == string(bt.CAData) && at.CAFile == bt.CAFile
}

// Login returns what the credential plugin of the session returned last, for Config.Known of one
// with another configuration; nil if that is not for the same hub with the same plugin, and while
// the hub rejects the login, which rejected reports.
func (s *Session) Login(next *rest.Config) (known *Credential, rejected bool) {
	if rejected = s.link.LoginRefused(); !rejected && sameHub(s.cfg.REST, next) && sameProgram(s.cfg.REST, next) {
		known = s.hub.Credential()
	}
	return known, rejected
}
