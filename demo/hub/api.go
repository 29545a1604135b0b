package hub

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"k8s.io/apiextensions-apiserver/pkg/apiserver"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/client-go/rest"
)

const (
	// drainTime is what requests in flight get before their connections are
	// closed when the API stops.
	drainTime = 300 * time.Millisecond
	// insideDrainTime is the same for the hub's own connections, on which
	// nothing is left to finish.
	insideDrainTime = 20 * time.Millisecond
	// readyTimeout bounds the start of the API if the caller's context doesn't.
	readyTimeout = 60 * time.Second
	pollEvery    = 5 * time.Millisecond
)

// apiServer is one run of the API on the store: from StartAPI to StopAPI.
type apiServer struct {
	listener *brittleListener
	public   *http.Server
	server   *apiserver.CustomResourceDefinitions
	// inside is how the hub asks itself: over a unix socket in its directory,
	// so that no fault put in front of clients reaches it.
	inside *rest.Config
	socket string

	cancel context.CancelFunc
	// ended gets the result of the API's own loop, then is closed.
	ended chan error
	// served is closed when the public server has returned.
	served chan struct{}
}

// running is the API if it is up.
func (h *Hub) running() *apiServer {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.api
}

// StartAPI starts the API on the data of the store, at the same address as
// before. It does nothing when the API is up. It returns once every resource
// answers watches.
func (h *Hub) StartAPI(ctx context.Context) error {
	h.life.Lock()
	defer h.life.Unlock()
	if h.stopped {
		return errors.New("start API: the hub is stopped")
	}
	if h.running() != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	api, err := h.launch(ctx)
	if err != nil {
		return fmt.Errorf("start API: %w", err)
	}
	h.mu.Lock()
	h.api = api
	h.mu.Unlock()
	return nil
}

// StopAPI takes the API away: connections are closed, new ones are refused, the
// data stays. It does nothing when the API is down.
func (h *Hub) StopAPI() error {
	h.life.Lock()
	defer h.life.Unlock()
	h.mu.Lock()
	api := h.api
	h.api = nil
	h.mu.Unlock()
	if api == nil {
		return nil
	}
	if err := api.stop(); err != nil {
		return fmt.Errorf("stop API: %w", err)
	}
	return nil
}

// RestartAPI is StopAPI followed by StartAPI. Watches from an older
// resourceVersion then fail with 410 Expired, since the new watch cache does
// not contain it.
func (h *Hub) RestartAPI(ctx context.Context) error {
	if err := h.StopAPI(); err != nil {
		return err
	}
	return h.StartAPI(ctx)
}

// launch brings up one run of the API; what it has begun ends when it fails.
func (h *Hub) launch(ctx context.Context) (*apiServer, error) {
	h.mu.Lock()
	address := h.address
	h.mu.Unlock()
	var listen net.ListenConfig
	tcp, err := listen.Listen(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	api := &apiServer{
		listener: newBrittleListener(tcp),
		socket:   filepath.Join(h.dir.path, "api.sock"),
		ended:    make(chan error, 1),
		served:   make(chan struct{}),
	}
	h.mu.Lock()
	h.address = tcp.Addr().String()
	h.mu.Unlock()
	unix, err := listen.Listen(ctx, "unix", api.socket)
	if err != nil {
		return nil, errors.Join(err, tcp.Close())
	}
	api.inside = h.insideConfig(api.socket)
	built, err := h.build(api.inside, unix, tcp.Addr().String())
	if err != nil {
		return nil, errors.Join(err, unix.Close(), tcp.Close())
	}
	api.server = built.server
	api.server.GenericAPIServer.ShutdownTimeout = insideDrainTime
	if err := built.guard.Seed(ctx); err != nil {
		api.server.GenericAPIServer.Destroy()
		return nil, errors.Join(fmt.Errorf("make first namespaces: %w", err), unix.Close(), tcp.Close())
	}
	prepared := api.server.GenericAPIServer.PrepareRun()
	runCtx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	api.cancel = cancel
	go func() {
		api.ended <- prepared.RunWithContext(runCtx)
		close(api.ended)
	}()
	api.public = h.publicServer(prepared.Handler)
	go func() {
		defer close(api.served)
		// It returns when stop closes it; nothing else ends it.
		if err := api.public.ServeTLS(api.listener, "", ""); !errors.Is(err, http.ErrServerClosed) {
			cancel()
		}
	}()
	if err := api.waitReady(ctx); err != nil {
		return nil, errors.Join(err, api.stop())
	}
	return api, nil
}

// publicServer serves clients: the API behind whatever SetIntercept put there.
func (h *Hub) publicServer(api http.Handler) *http.Server {
	return &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if middleware := h.intercept.Load(); middleware != nil {
				(*middleware)(api).ServeHTTP(w, r)
				return
			}
			api.ServeHTTP(w, r)
		}),
		TLSConfig:         &tls.Config{Certificates: []tls.Certificate{h.tlsCert}, MinVersion: tls.VersionTLS12},
		HTTP2:             &http.HTTP2Config{MaxConcurrentStreams: 1000},
		ReadHeaderTimeout: 30 * time.Second,
		ErrorLog:          log.New(io.Discard, "", 0), // broken handshakes, aborted replies
	}
}

// insideConfig is how the hub asks itself.
func (h *Hub) insideConfig(socket string) *rest.Config {
	return &rest.Config{
		Host:        "https://" + genericapiserver.LoopbackClientServerNameOverride,
		BearerToken: rand.Text(),
		TLSClientConfig: rest.TLSClientConfig{
			CAData: h.cert.certPEM, ServerName: genericapiserver.LoopbackClientServerNameOverride,
		},
		Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
			var d net.Dialer
			return d.DialContext(ctx, "unix", socket)
		},
		QPS: -1,
	}
}

func (a *apiServer) waitReady(ctx context.Context) error {
	client, err := rest.HTTPClientFor(a.inside)
	if err != nil {
		return err
	}
	defer client.CloseIdleConnections()
	for {
		code, err := status(ctx, client, a.inside.Host+"/readyz")
		if err == nil && code == http.StatusOK {
			break
		}
		select {
		case err := <-a.ended:
			return fmt.Errorf("it ended: %w", err)
		case <-ctx.Done():
			return fmt.Errorf("wait until it is ready: %w", ctx.Err())
		case <-time.After(pollEvery):
		}
	}
	return a.warmAll(ctx)
}

// status is the code that answers a GET; the body is thrown away.
func status(ctx context.Context, client *http.Client, url string) (int, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, err
	}
	response, err := client.Do(request)
	if err != nil {
		return 0, err
	}
	return response.StatusCode, response.Body.Close()
}

// stop ends this run and waits for its goroutines.
func (a *apiServer) stop() error {
	closing := a.listener.Close()
	a.cancel()
	var err error
	select {
	case err = <-a.ended:
	case <-time.After(drainTime):
	}
	// Cut first: closing a TLS connection writes to it, which takes for ever when
	// it is frozen.
	a.listener.cut()
	closing = errors.Join(closing, a.public.Close())
	<-a.served
	if ended := <-a.ended; err == nil {
		err = ended
	}
	if removed := os.Remove(a.socket); removed != nil && !errors.Is(removed, os.ErrNotExist) {
		closing = errors.Join(closing, removed)
	}
	if errors.Is(closing, net.ErrClosed) {
		closing = nil // the server closed the listener too
	}
	return errors.Join(err, closing)
}
