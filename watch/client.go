package watch

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/rest"

	"github.com/stagewatch/stagewatch/engine"
)

const (
	placementGroup = "placement.kubernetes-fleet.io"
	clusterGroup   = "cluster.kubernetes-fleet.io"

	// askDeadline bounds a question that a person waits for.
	askDeadline = 5 * time.Second
	dialTimeout = 5 * time.Second
	// helloDeadline bounds the first question to a hub, so that there is word of
	// what is wrong before onceWait is over.
	helloDeadline = onceWait - time.Second
)

// client is the way to one API server: every request of a session goes through it.
type client struct {
	server string
	api    rest.Interface
	http   *http.Client
	conns  *connections
	skew   skewClock
	login  *login

	mu      sync.Mutex
	version string // of the placement group; empty until known
}

// withoutUser takes a user and password out of a URL, which is shown and written
// to the audit. A host and port alone has none; of what could have one and cannot
// be read nothing is shown.
func withoutUser(server string) string {
	u, err := url.Parse(server)
	switch {
	case !strings.Contains(server, "@"), err == nil && u.User == nil && u.Host != "":
		return server
	case err != nil || u.User == nil:
		return "the hub"
	}
	u.User = nil
	return u.String()
}

// newClient prepares requests; it sends none.
func newClient(config *rest.Config) (*client, error) {
	h := &client{server: withoutUser(config.Host), conns: newConnections(config.Dial), login: &login{renewed: make(chan struct{})}}
	var err error
	if h.login.now, err = h.transport(config); err != nil {
		return nil, fmt.Errorf("prepare connection to %s: %w", h.server, err)
	}
	h.http = &http.Client{Transport: h.login}
	cfg := h.config(config)
	scheme := runtime.NewScheme()
	metav1.AddToGroupVersion(scheme, schema.GroupVersion{Version: "v1"}) // Status, for errors
	cfg.NegotiatedSerializer = serializer.NewCodecFactory(scheme).WithoutConversion()
	cfg.GroupVersion = &schema.GroupVersion{}
	cfg.ContentType, cfg.AcceptContentTypes = runtime.ContentTypeJSON, runtime.ContentTypeJSON
	if h.api, err = rest.UnversionedRESTClientForConfigAndClient(cfg, h.http); err != nil {
		return nil, fmt.Errorf("prepare connection to %s: %w", h.server, err)
	}
	return h, nil
}

// config is a configuration as this client needs it.
func (h *client) config(config *rest.Config) *rest.Config {
	cfg := rest.CopyConfig(config)
	cfg.QPS = -1    // the server has flow control of its own; the default makes large loads crawl
	cfg.Timeout = 0 // it would cut watches
	cfg.Dial = h.conns.dial
	cfg.WarningHandler = rest.NoWarnings{}
	cfg.WarningHandlerWithContext = nil
	if cfg.UserAgent == "" {
		cfg.UserAgent = "stagewatch"
	}
	cfg.Wrap(func(rt http.RoundTripper) http.RoundTripper { return &dateReader{next: rt, skew: &h.skew} })
	return cfg
}

// transport prepares the way to the hub with the login of a configuration.
func (h *client) transport(config *rest.Config) (http.RoundTripper, error) {
	cfg := h.config(config)
	rt, err := rest.TransportFor(cfg)
	if err == nil && (cfg.ExecProvider != nil || cfg.AuthProvider != nil) {
		rt = &hurried{next: rt}
	}
	return rt, err
}

// close ends all connections.
func (h *client) close() {
	h.conns.cut()
	utilnet.CloseIdleConnectionsFor(h.http.Transport)
}

// at addresses a request to a set, or to one object in it when name is not
// empty. Names are checked by client-go before they become part of a path.
func (h *client) at(r *rest.Request, kind engine.Kind, namespace, name string) *rest.Request {
	group := placementGroup
	if kind == engine.KindMemberCluster {
		group = clusterGroup
	}
	// client-go would send again by itself after a 429, a write as well.
	r = r.AbsPath("/apis", group, h.servedVersion()).MaxRetries(0).Resource(kind.Plural())
	if namespace != "" {
		r = r.Namespace(namespace)
	}
	if name != "" {
		r = r.Name(name)
	}
	return r
}

// answer takes the body or the error out of a result. Result.Raw alone knows
// only the HTTP status, Error reads what the hub says about it.
func answer(r rest.Result) ([]byte, error) {
	if err := r.Error(); err != nil {
		return nil, err
	}
	return r.Raw()
}

func (h *client) servedVersion() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.version == "" {
		return "v1beta1"
	}
	return h.version
}

// discover asks which version of the placement group the hub serves. v1beta1 is
// what every hub stores; v1 only where that is not served; v1alpha1 never: it
// drops fields (docs/kubefleet.md#observed, 10.8).
func (h *client) discover(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, helloDeadline)
	defer cancel()
	raw, err := answer(h.api.Get().AbsPath("/apis", placementGroup).MaxRetries(0).Do(ctx))
	if err != nil {
		return err
	}
	var group metav1.APIGroup
	if err := json.Unmarshal(raw, &group); err != nil {
		return fmt.Errorf("read API group: %w: %w", errNoJSON, err)
	}
	version := ""
	for _, v := range group.Versions {
		if v.Version == "v1beta1" || (v.Version == "v1" && version == "") {
			version = v.Version
		}
	}
	if version == "" {
		return errNoVersion
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.version = version
	return nil
}

// selfReview asks the hub who we are.
func (h *client) selfReview(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, askDeadline)
	defer cancel()
	body := []byte(`{"apiVersion":"authentication.k8s.io/v1","kind":"SelfSubjectReview"}`)
	raw, err := answer(h.api.Post().AbsPath("/apis/authentication.k8s.io/v1/selfsubjectreviews").
		MaxRetries(0).Body(body).SetHeader("Content-Type", "application/json").Do(ctx))
	if err != nil {
		return "", err
	}
	var review struct {
		Status struct {
			UserInfo struct {
				Username string `json:"username"`
			} `json:"userInfo"`
		} `json:"status"`
	}
	if err := json.Unmarshal(raw, &review); err != nil {
		return "", fmt.Errorf("read self review: %w: %w", errNoJSON, err)
	}
	return review.Status.UserInfo.Username, nil
}

// dateReader learns the hub's clock from every answer.
type dateReader struct {
	next http.RoundTripper
	skew *skewClock
}

// RoundTrip implements http.RoundTripper.
func (d *dateReader) RoundTrip(r *http.Request) (*http.Response, error) {
	asked := time.Now()
	resp, err := d.next.RoundTrip(r)
	if err == nil {
		d.skew.learn(resp.Header.Get("Date"), asked, time.Now())
	}
	return resp, err
}

// WrappedRoundTripper lets client-go find the transport inside.
func (d *dateReader) WrappedRoundTripper() http.RoundTripper { return d.next }

// connections are the open connections of a session, so that dead ones can be
// cut: a peer that vanished is otherwise noticed after minutes, because HTTP/2
// multiplexes every new request onto the dead connection.
type connections struct {
	dialer func(ctx context.Context, network, address string) (net.Conn, error)

	mu   sync.Mutex
	open map[*connection]struct{}
}

func newConnections(dialer func(ctx context.Context, network, address string) (net.Conn, error)) *connections {
	if dialer == nil {
		dialer = (&net.Dialer{Timeout: dialTimeout, KeepAlive: 15 * time.Second}).DialContext
	}
	return &connections{dialer: dialer, open: map[*connection]struct{}{}}
}

func (c *connections) dial(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := c.dialer(ctx, network, address)
	if err != nil {
		return nil, err
	}
	tracked := &connection{Conn: conn, all: c}
	c.mu.Lock()
	c.open[tracked] = struct{}{}
	c.mu.Unlock()
	return tracked, nil
}

// cut closes every open connection.
func (c *connections) cut() {
	c.mu.Lock()
	open := c.open
	c.open = map[*connection]struct{}{}
	c.mu.Unlock()
	for conn := range open {
		// Closing is all that is wanted; a TLS goodbye to a dead peer may fail.
		if err := conn.Conn.Close(); err != nil {
			continue
		}
	}
}

// connection takes itself off the list when it is closed.
type connection struct {
	net.Conn
	all *connections
}

// Close implements net.Conn.
func (c *connection) Close() error {
	c.all.mu.Lock()
	delete(c.all.open, c)
	c.all.mu.Unlock()
	return c.Conn.Close()
}

// probe asks for something small that only a hub with a working store can
// answer: one run's metadata.
func (h *client) probe(ctx context.Context, deadline time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, deadline)
	defer cancel()
	_, err := answer(h.at(h.api.Get(), engine.KindClusterStagedUpdateRun, "", "").
		SetHeader("Accept", "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io").
		Param("limit", "1").Do(ctx))
	return err
}
