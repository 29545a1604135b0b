// Package hub runs a Kubernetes API server inside this process: etcd and
// apiextensions-apiserver, on the loopback interface, in a temporary directory.
//
// It is the hub of the demo and of the integration tests. Custom resources behave
// as on a real hub, because the same code serves them: defaults, CEL rules,
// generations, the status subresource, conflicts, watch cache, dry run,
// server-side apply. It also serves what the program and kubectl request from a
// hub: discovery, OpenAPI v2 and v3, Namespaces, Events, ConfigMaps, Secrets,
// Services, Deployments, and the three self reviews.
//
// There are no controllers: no Deployment gets pods, dependents of a deleted owner
// are not collected, a deleted Namespace is not emptied, and a Service gets no
// address. Only shape and names of the built-in kinds are validated.
//
// Typical use:
//
//	hub.Silence()                       // once per program, before a screen
//	h, err := hub.Start(ctx, hub.Options{})
//	defer h.Stop()
//	err = h.InstallCRDs(ctx, manifests...)
//	cfg := h.AdminConfig()              // or h.Config(hub.ViewerUser)
//	err = h.WriteKubeconfig(path, h.DefaultContexts()...)
//
// For tests, StopAPI, StartAPI and RestartAPI make the API server unavailable while
// the data is kept; SetIntercept, SetFaults, Freeze, Thaw and CutConnections
// disturb the connections of clients; Requests returns the requests received.
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

	"github.com/stagewatch/stagewatch/demo/hub/builtin"
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
	// KeepRequests is the number of latest requests that Requests returns; 0
	// records none.
	KeepRequests int
	// Heard, if set, is called for every request after its answer (for a watch,
	// after its start), one call at a time; the API server waits for it.
	Heard func(Request)
	// PodLogs, when it is set, makes the hub serve pods, and their logs from it. A
	// managed hub, and one without it, serves none.
	PodLogs builtin.PodLogs
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

// Start starts the store and the API server and returns when it answers. ctx
// bounds the start only; Stop ends the hub. Directories that killed hubs of
// this user left behind are removed.
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

// Stop ends the API server and the store and removes the hub's directory. Open
// watches end, requests in progress get a moment to finish. Further calls have
// no effect.
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

// Config returns a client configuration with the bearer token of the user, over
// HTTPS, without rate limits. For an unknown name it is that of
// system:anonymous.
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

// SetIntercept installs a middleware in front of the API server, which can
// reject, delay or drop requests and replies of clients. Requests that it does
// not pass on are not in Requests. To lose a reply after the request was
// executed, call next with a recorder and panic with http.ErrAbortHandler. A
// call replaces the middleware, nil removes it. Requests of the hub itself
// bypass it.
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
