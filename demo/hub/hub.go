// Package hub runs a Kubernetes API inside this process: etcd and
// apiextensions-apiserver, on loopback, in a directory that is removed again.
//
// It is the hub of the demo and of the integration tests. Custom resources
// behave as on a real hub, because the same code serves them: defaults, CEL
// rules, generations, the status subresource, conflicts, watch cache, dry run,
// server-side apply. Beside them it serves what the program and kubectl ask a
// hub for: discovery, OpenAPI v2 and v3, Namespaces, Events, ConfigMaps,
// Secrets, Services, Deployments, and the three self reviews.
//
// What it is not: there are no controllers. Nothing runs a Deployment, collects
// the dependents of a deleted owner, empties a deleted Namespace, or allocates
// a Service's address; and the built-in kinds are checked for their shape and
// their names only.
//
// The usual life of a hub:
//
//	hub.Silence()                       // once per program, before a screen
//	h, err := hub.Start(ctx, hub.Options{})
//	defer h.Stop()
//	err = h.InstallCRDs(ctx, manifests...)
//	cfg := h.AdminConfig()              // or h.Config(hub.ViewerUser)
//	err = h.WriteKubeconfig(path, h.DefaultContexts()...)
//
// For tests, StopAPI, StartAPI and RestartAPI take the API away from its
// clients while the data stays; SetIntercept, SetFaults, Freeze, Thaw and
// CutConnections disturb what clients see; Requests tells what the API was asked.
package hub

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"

	"go.etcd.io/etcd/server/v3/embed"
	"k8s.io/client-go/rest"
)

// Options says how a hub is made. The zero value is a hub on a free loopback
// port with the default users.
type Options struct {
	// Listen is the loopback address of the API, "127.0.0.1:0" when empty. An
	// address that is not a loopback address is refused.
	Listen string
	// Users are the people who can log in, DefaultUsers("default") when nil.
	// A user named AdminUser in the group system:masters is added when absent.
	Users []User
	// KeepRequests is how many of the latest requests Requests can tell; none
	// are recorded when it is 0.
	KeepRequests int
	// Heard, when it is set, is told of every request once it is answered (of a
	// watch, once it begins), one call after the other; the API waits for it.
	Heard func(Request)
	// PodLogs, when it is set, makes the hub serve pods, and their logs from it. A
	// managed hub, and one without it, serves none.
	PodLogs PodLogs
	// Uncached turns the watch cache off, for sets of tens of thousands of
	// objects: a tenth of the memory, but watches never expire by a restart.
	Uncached bool
}

// Hub is a running API server with its store. Its methods may be called from
// any goroutine. The caller must call Stop.
type Hub struct {
	options Options
	users   *directory
	dir     *workDir
	store   *embed.Etcd
	cert    certificate
	tlsCert tls.Certificate
	audit   *requestLog

	intercept atomic.Pointer[func(http.Handler) http.Handler]
	faults    atomic.Pointer[func(http.Handler) http.Handler]
	members   atomic.Pointer[http.Handler]

	// life serialises starting and stopping; it is never held while serving.
	life    sync.Mutex
	stopped bool

	// mu guards api, which is nil while the API is down, and address, which is
	// chosen by the first start and kept.
	mu      sync.Mutex
	api     *apiServer
	address string
}

// Start starts the store and the API and returns once the API answers. ctx
// bounds the start only; the hub lives until Stop. Directories left behind by
// killed hubs of this user are removed on the way.
func Start(ctx context.Context, options Options) (*Hub, error) {
	if options.Listen == "" {
		options.Listen = "127.0.0.1:0"
	}
	if err := checkLoopback(options.Listen); err != nil {
		return nil, err
	}
	users, err := newDirectory(options.Users)
	if err != nil {
		return nil, err
	}
	h := &Hub{options: options, users: users, address: options.Listen}
	if options.KeepRequests > 0 || options.Heard != nil {
		h.audit = newRequestLog(options.KeepRequests, options.Heard)
	}
	if err := h.start(ctx); err != nil {
		return nil, errors.Join(err, h.Stop())
	}
	return h, nil
}

func (h *Hub) start(ctx context.Context) error {
	if err := sweep(); err != nil {
		return err
	}
	var err error
	if h.dir, err = newWorkDir(); err != nil {
		return err
	}
	if h.cert, err = newCertificate(); err != nil {
		return err
	}
	if h.tlsCert, err = tls.X509KeyPair(h.cert.certPEM, h.cert.keyPEM); err != nil {
		return fmt.Errorf("read serving certificate: %w", err)
	}
	if h.store, err = startStore(ctx, h.dir.path); err != nil {
		return err
	}
	return h.StartAPI(ctx)
}

// Stop ends the API and the store and removes the hub's directory. Open watches
// end, requests in flight get a moment to finish. It may be called again; later
// calls do nothing.
func (h *Hub) Stop() error {
	err := h.StopAPI()
	h.life.Lock()
	defer h.life.Unlock()
	h.stopped = true
	if h.store != nil {
		h.store.Close() // panics when called twice
		h.store = nil
	}
	if h.dir != nil {
		err = errors.Join(err, h.dir.remove())
		h.dir = nil
	}
	return err
}

// URL is the address of the API, such as https://127.0.0.1:34567. It stays the
// same when the API is restarted.
func (h *Hub) URL() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return "https://" + h.address
}

// Dir is the directory of the hub's data, which Stop removes.
func (h *Hub) Dir() string {
	h.life.Lock()
	defer h.life.Unlock()
	if h.dir == nil {
		return ""
	}
	return h.dir.path
}

// Config is a client configuration that logs in as the named user with a bearer
// token, over HTTPS, without rate limits. An unknown name gives a configuration
// that logs in as nobody (system:anonymous).
func (h *Hub) Config(user string) *rest.Config {
	return &rest.Config{
		Host:            h.URL(),
		BearerToken:     h.users.token(user),
		TLSClientConfig: rest.TLSClientConfig{CAData: h.cert.certPEM},
		QPS:             -1,
	}
}

// AdminConfig is the configuration of the user who may do everything.
func (h *Hub) AdminConfig() *rest.Config { return h.Config(AdminUser) }

// SetIntercept puts a middleware in front of the whole API: it can refuse,
// delay or lose requests and replies of clients. Requests it does not pass on
// never reach the API, and Requests does not tell them; a reply is lost after
// the API has acted by calling next with a recorder and panicking with
// http.ErrAbortHandler. It replaces the one before; nil removes it. The hub's
// own traffic does not pass through it.
func (h *Hub) SetIntercept(middleware func(next http.Handler) http.Handler) {
	if middleware == nil {
		h.intercept.Store(nil)
		return
	}
	h.intercept.Store(&middleware)
}

// HandleMembers serves requests below /members/ with handler; nil gives 404,
// which is also the state before the first call. The requests are authenticated
// and authorized before (Rule.Paths), the user is in the request's context, and
// no timeout is put on them.
func (h *Hub) HandleMembers(handler http.Handler) {
	if handler == nil {
		h.members.Store(nil)
		return
	}
	h.members.Store(&handler)
}
