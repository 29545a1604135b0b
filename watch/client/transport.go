package client

import (
	"crypto/sha256"
	"crypto/tls"
	"net/http"
	"os"
	"strconv"
	"sync"
	"time"

	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/rest"
	clienttransport "k8s.io/client-go/transport"
)

const (
	// A dead peer is noticed within seconds; with the times of client-go it takes 45.
	pingAfter   = 5 * time.Second
	pingTimeout = 3 * time.Second
	// filesEvery is the time between two looks at the certificates of a configuration.
	filesEvery = time.Minute
	// handshakeTimeout and idleConnections are those of client-go.
	handshakeTimeout = 10 * time.Second
	idleConnections  = 25
	// ahead is how many bytes of one answer may be on their way: over a slow line, with room on the
	// way for as much as is sent, every other answer is queued behind them. With the 4 MiB of net/http
	// that is 16 s at 2 Mbit/s; with this, an answer comes with 1.7 MB/s at most over a line of 150 ms.
	// All answers together have no bound: some are not read until another one is there.
	ahead = 256 << 10
)

// transport replaces rest.TransportFor and uses the HTTP/2 of net/http: client-go links a second
// one, which makes the program 0.6 MB larger. Changed certificate files are read again and used for
// new requests: an API server checks the certificate of the connection on every request. An open
// watch keeps its connection.
type transport struct {
	config *clienttransport.Config

	looking sync.Mutex // held by the request that looks at the files
	looked  time.Time
	files   [sha256.Size]byte // hash of the files that now was built from

	mu  sync.Mutex
	now *http.Transport
}

// newTransport returns a transport with the credentials of cfg, whose Dial must be set.
func newTransport(cfg *rest.Config) (http.RoundTripper, error) {
	config, err := cfg.TransportConfig()
	if err != nil {
		return nil, err
	}
	rt := config.Transport
	if rt == nil {
		t := &transport{config: config, looked: time.Now()}
		t.files, _ = filesOf(&config.TLS)
		if t.now, _, err = t.build(); err != nil {
			return nil, err
		}
		rt = t
	}
	return clienttransport.HTTPWrappersForConfig(config, rt)
}

// filesOf hashes the certificate files of a configuration. complete is false if one is missing or
// empty: it may be half written.
func filesOf(c *clienttransport.TLSConfig) (sum [sha256.Size]byte, complete bool) {
	complete = true
	for _, f := range []struct {
		path string
		data []byte // counts instead of the file
	}{{c.CAFile, c.CAData}, {c.CertFile, c.CertData}, {c.KeyFile, c.KeyData}} {
		if f.path == "" || len(f.data) > 0 {
			continue
		}
		content, err := os.ReadFile(f.path) //nolint:gosec // the kubeconfig names it
		complete = complete && err == nil && len(content) > 0
		sum = sha256.Sum256(append(sum[:], content...))
	}
	return sum, complete
}

// build makes a transport with the certificates that the files have now, and returns what they have.
func (t *transport) build() (*http.Transport, *clienttransport.TLSConfig, error) {
	config := *t.config // what is read from files is kept in the copy
	tlsConfig, err := clienttransport.TLSConfigFor(&config)
	if err != nil {
		return nil, nil, err
	}
	return utilnet.SetOldTransportDefaults(&http.Transport{
		Proxy:               config.Proxy,
		DialContext:         config.DialHolder.Dial,
		TLSClientConfig:     tlsConfig,
		TLSHandshakeTimeout: handshakeTimeout,
		MaxIdleConnsPerHost: idleConnections,
		DisableCompression:  config.DisableCompression,
		ForceAttemptHTTP2:   os.Getenv("DISABLE_HTTP2") == "",
		HTTP2: &http.HTTP2Config{
			MaxReceiveBufferPerStream: ahead,
			SendPingTimeout:           seconds("HTTP2_READ_IDLE_TIMEOUT_SECONDS", pingAfter),
			PingTimeout:               seconds("HTTP2_PING_TIMEOUT_SECONDS", pingTimeout),
		},
	}), &config.TLS, nil
}

// seconds reads a duration from a variable of client-go.
func seconds(variable string, otherwise time.Duration) time.Duration {
	n, err := strconv.Atoi(os.Getenv(variable))
	if err != nil {
		return otherwise
	}
	return time.Duration(n) * time.Second
}

// RoundTrip implements http.RoundTripper.
func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	return t.current(time.Now()).RoundTrip(r)
}

// CloseIdleConnections closes the connections that no request uses.
func (t *transport) CloseIdleConnections() {
	t.using().CloseIdleConnections()
}

func (t *transport) using() *http.Transport {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.now
}

// current returns the transport for new requests. Once a minute, one request checks the files
// first; the others do not wait for it, because a network file system may hang.
func (t *transport) current(now time.Time) *http.Transport {
	if t.looking.TryLock() {
		defer t.looking.Unlock()
		t.look(now)
	}
	return t.using()
}

// look builds another transport if the files have changed. looking is held.
func (t *transport) look(now time.Time) {
	if now.Sub(t.looked) < filesEvery {
		return
	}
	t.looked = now
	files, complete := filesOf(&t.config.TLS)
	if !complete || files == t.files {
		return
	}
	next, has, err := t.build()
	if err == nil && len(has.CertData) > 0 {
		_, err = tls.X509KeyPair(has.CertData, has.KeyData)
	}
	if err != nil {
		return // keep the transport that works
	}
	t.mu.Lock()
	old := t.now
	t.now = next
	t.mu.Unlock()
	t.files = files
	old.CloseIdleConnections()
}
