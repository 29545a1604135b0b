package client

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/rest"

	cluster "github.com/stagewatch/stagewatch/api/cluster/v1beta1"
	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/watch/client/plugin"
)

const (
	// Deadline bounds a question that a person waits for.
	Deadline    = 5 * time.Second
	dialTimeout = 5 * time.Second
	// HelloDeadline bounds the first request to a hub. What waits for a first
	// answer waits longer, so that it gets the error.
	HelloDeadline = 4 * time.Second
)

// ErrNoVersion is the error of a hub that serves the placement group in no version
// that can be used.
var ErrNoVersion = errors.New("the hub serves neither v1beta1 nor v1 of placement.kubernetes-fleet.io")

// Client is the way to one API server: every request of a session goes through it.
type Client struct {
	name     engine.HubName
	server   string
	api      rest.Interface
	http     *http.Client
	conns    *connections
	skew     skewClock
	login    *login
	arrivals arrivals
	known    *plugin.Credential // used before the first run of a credential plugin; may be nil
	patience patience

	mu      sync.Mutex
	version string // of the placement group; empty until known
}

// WithoutUser takes a user and password out of a URL, which is shown and written
// to the audit. A host and port alone has none; of what could have one and cannot
// be read nothing is shown.
func WithoutUser(server string) string {
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

// New prepares requests to the API server of a hub, or of a member; it sends none. The zero
// name is replaced by the address.
func New(name engine.HubName, config *rest.Config) (*Client, error) {
	return NewKnown(name, config, nil)
}

// NewKnown is New with a credential that the credential plugin of the configuration has
// returned already; nil if it has not.
func NewKnown(name engine.HubName, config *rest.Config, known *plugin.Credential) (*Client, error) {
	server := WithoutUser(config.Host)
	h := &Client{name: cmp.Or(name, engine.NewHubName(server, "")), server: server, conns: newConnections(config.Dial), known: known, login: &login{renewed: make(chan struct{})}}
	var err error
	if h.login.now, err = h.transport(config); err != nil {
		return nil, fmt.Errorf("prepare connection to %s: %w", h.server, err)
	}
	h.http = &http.Client{Transport: &retryAfter{next: &bounded{next: h.login, arrivals: &h.arrivals}}, CheckRedirect: checkRedirect}
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
func (h *Client) config(config *rest.Config) *rest.Config {
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
func (h *Client) transport(config *rest.Config) (http.RoundTripper, error) {
	cfg := h.config(config)
	if asksPlugin(cfg) {
		return plugin.New(cfg, h.known, terminal(), func(cert, key string) (http.RoundTripper, error) {
			own := rest.CopyConfig(cfg)
			own.ExecProvider = nil
			own.CertData, own.KeyData = []byte(cert), []byte(key)
			return newTransport(own)
		})
	}
	rt, err := newTransport(cfg)
	if err == nil && cfg.AuthProvider != nil {
		rt = &cancelable{next: rt}
	}
	return rt, err
}

// asksPlugin reports whether a configuration logs in with a credential plugin alone: as in
// kubectl, a token, a password or a certificate of the configuration comes first.
func asksPlugin(cfg *rest.Config) bool {
	tls := cfg.TLSClientConfig
	return cfg.ExecProvider != nil && cfg.BearerToken == "" && cfg.BearerTokenFile == "" && cfg.Username == "" &&
		len(tls.CertData) == 0 && tls.CertFile == ""
}

// terminal is where a credential plugin may ask; nil if stdin is no terminal.
func terminal() *plugin.Terminal {
	info, err := os.Stdin.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return nil
	}
	return &plugin.Terminal{In: os.Stdin, Err: os.Stderr}
}

// Offset is the clock of the API server minus the local one.
func (h *Client) Offset() time.Duration { return h.skew.offset() }

// Now is the present by the clock of the API server.
func (h *Client) Now() time.Time { return time.Now().Add(h.Offset()) }

// Name is the hub in the IDs of what is read: the name of the kubeconfig context, or
// the URL of the API server if it has none.
func (h *Client) Name() engine.HubName { return h.name }

// Server is the URL of the API server, without a user.
func (h *Client) Server() string { return h.server }

// Cut closes the open connections: what hangs on them fails.
func (h *Client) Cut() { h.conns.cut() }

// Close ends all connections.
func (h *Client) Close() {
	h.Cut()
	h.login.end()
	utilnet.CloseIdleConnectionsFor(h.http.Transport)
}

// Request starts a request; what it addresses is up to the caller.
func (h *Client) Request(verb string) *rest.Request { return h.api.Verb(verb) }

// At addresses a request to a set, or to one object in it when name is not
// empty. Names are checked by client-go before they become part of a path.
func (h *Client) At(verb string, kind engine.Kind, namespace, name string) *rest.Request {
	// client-go would repeat a request after a 429, a write as well.
	return h.Set(verb, kind.Plural(), namespace, name).MaxRetries(0)
}

// Set addresses a request to a set of the hub's own kinds by its resource, or to
// one object in it.
func (h *Client) Set(verb, resource, namespace, name string) *rest.Request {
	group := placement.Group
	if resource == cluster.ResourceMemberClusters {
		group = cluster.Group
	}
	r := h.Request(verb).AbsPath("/apis", group, h.ServedVersion()).Resource(resource)
	if namespace != "" {
		r = r.Namespace(namespace)
	}
	if name != "" {
		r = r.Name(name)
	}
	return r
}

// Do sends a request and returns the body of the answer. Every request with one
// answer passes here, every other one through stream.
func (h *Client) Do(ctx context.Context, r *rest.Request) ([]byte, error) {
	if read, ok := ctx.Value(patientKey{}).(patientRead); ok && read.hub == h {
		return h.doPatiently(ctx, r, read.timeout)
	}
	return h.do(ctx, r)
}

func (h *Client) do(ctx context.Context, r *rest.Request) ([]byte, error) {
	h.conns.pause.requestSent()
	defer h.conns.pause.answered()
	answer := r.Do(asWhole(ctx))
	// Raw has only the HTTP status, Error what the hub says about it.
	if err := answer.Error(); err != nil {
		return nil, limited(ctx, err)
	}
	raw, err := answer.Raw()
	if err == nil {
		err = checkShape(raw, maxAnswerValues)
	}
	return raw, err
}

// Read reads the object that an ID names, whole.
func (h *Client) Read(ctx context.Context, id engine.ID) (*unstructured.Unstructured, error) {
	ns, name, _ := id.Raw()
	raw, err := h.Do(ctx, h.At(http.MethodGet, id.Kind(), ns, name))
	if err != nil {
		return nil, err
	}
	return Decode(raw)
}

// ServedVersion is the version of the placement group that requests use.
func (h *Client) ServedVersion() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.version == "" {
		return "v1beta1"
	}
	return h.version
}

// Discover asks which version of the placement group the hub serves. v1beta1 is
// what every hub stores; v1 only where that is not served; v1alpha1 never: it
// drops fields (docs/kubefleet.md#observed, 10.8).
func (h *Client) Discover(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, HelloDeadline)
	defer cancel()
	raw, err := h.Do(ctx, h.Request(http.MethodGet).AbsPath("/apis", placement.Group).MaxRetries(0))
	if err != nil {
		return err
	}
	var group metav1.APIGroup
	if err := json.Unmarshal(raw, &group); err != nil {
		return fmt.Errorf("read API group: %w: %w", ErrNotJSON, err)
	}
	version := ""
	for _, v := range group.Versions {
		if v.Version == "v1beta1" || (v.Version == "v1" && version == "") {
			version = v.Version
		}
	}
	if version == "" {
		return ErrNoVersion
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.version = version
	return nil
}

// SelfReview asks the hub who we are.
func (h *Client) SelfReview(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, Deadline)
	defer cancel()
	body := []byte(`{"apiVersion":"authentication.k8s.io/v1","kind":"SelfSubjectReview"}`)
	raw, err := h.Do(ctx, h.Request(http.MethodPost).AbsPath("/apis/authentication.k8s.io/v1/selfsubjectreviews").
		MaxRetries(0).Body(body).SetHeader("Content-Type", "application/json"))
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
		return "", fmt.Errorf("read self review: %w: %w", ErrNotJSON, err)
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
		noteServer(r.Context(), resp.TLS)
	}
	return resp, err
}

// WrappedRoundTripper lets client-go find the transport inside.
func (d *dateReader) WrappedRoundTripper() http.RoundTripper { return d.next }

// Probe asks for something small that only a hub with a working store can
// answer: one run's metadata. It returns the newest resourceVersion of the hub.
func (h *Client) Probe(ctx context.Context, deadline time.Duration) (string, error) {
	ctx, cancel := h.Within(ctx, deadline)
	defer cancel()
	raw, err := h.Do(ctx, h.At(http.MethodGet, engine.KindClusterStagedUpdateRun, "", "").
		SetHeader("Accept", "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io").
		Param("limit", "1"))
	if err != nil {
		return "", err
	}
	var list metav1.PartialObjectMetadataList
	if err := json.Unmarshal(raw, &list); err != nil {
		return "", fmt.Errorf("read probe: %w: %w", ErrNotJSON, err)
	}
	return list.ResourceVersion, nil
}

// Identity returns the UID of the hub's kube-system namespace, which another cluster at
// the same address does not have, empty when it cannot be read; and whether the API server
// answered.
func (h *Client) Identity(ctx context.Context, deadline time.Duration) (uid string, answered bool) {
	ctx, cancel := h.Within(ctx, deadline)
	defer cancel()
	raw, err := h.Do(ctx, h.Request(http.MethodGet).AbsPath("/api/v1/namespaces/kube-system").MaxRetries(0))
	if err != nil {
		return "", IsAnswer(KindOf(err))
	}
	var namespace metav1.PartialObjectMetadata
	if err := json.Unmarshal(raw, &namespace); err != nil {
		return "", false
	}
	return string(namespace.UID), true
}
