package client

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/rest"
	clienttransport "k8s.io/client-go/transport"

	"github.com/stagewatch/stagewatch/engine"
)

// signedBySelf returns the PEM of a certificate of 127.0.0.1 and of its key.
func signedBySelf(t *testing.T, name string) (cert, key []byte) {
	t.Helper()
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Unix(0, 0), NotAfter: time.Now().AddDate(1, 0, 0), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &k.PublicKey, k)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(k)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER})
}

// whoServer is a server with a certificate; it answers with the name in the client's certificate,
// and the version of HTTP.
func whoServer(t *testing.T, cert, key []byte) *httptest.Server {
	t.Helper()
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := "nobody"
		if len(r.TLS.PeerCertificates) > 0 {
			name = r.TLS.PeerCertificates[0].Subject.CommonName
		}
		if _, err := io.WriteString(w, name+" "+r.Proto); err != nil {
			t.Log(err)
		}
	}))
	srv.TLS = &tls.Config{Certificates: []tls.Certificate{pair}, ClientAuth: tls.RequestClientCert}
	srv.EnableHTTP2, srv.Config.ErrorLog = true, log.New(io.Discard, "", 0)
	srv.StartTLS()
	t.Cleanup(srv.Close)
	return srv
}

// transportOf is the transport of a client inside its wrappers.
func transportOf(t *testing.T, c *Client) *transport {
	t.Helper()
	for rt := c.login.WrappedRoundTripper(); ; {
		if own, ok := rt.(*transport); ok {
			return own
		}
		w, ok := rt.(utilnet.RoundTripperWrapper)
		if !ok {
			t.Fatalf("no transport in %T", rt)
		}
		rt = w.WrappedRoundTripper()
	}
}

// TestCertificatesInFilesAreReadAgain changes the files that a configuration names: new connections
// use what they have a minute later, unless it cannot be used.
func TestCertificatesInFilesAreReadAgain(t *testing.T) {
	ca, serverKey := signedBySelf(t, "hub")
	other, _ := signedBySelf(t, "another hub")
	srv := whoServer(t, ca, serverKey)
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	write := func(name string, content []byte) {
		t.Helper()
		if err := os.WriteFile(path(name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	login := func(name string) {
		t.Helper()
		cert, key := signedBySelf(t, name)
		write("cert", cert)
		write("key", key)
	}
	write("ca", other)
	login("first")
	c, err := New(engine.HubName{}, &rest.Config{Host: srv.URL, TLSClientConfig: rest.TLSClientConfig{CAFile: path("ca"), CertFile: path("cert"), KeyFile: path("key")}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	own := transportOf(t, c)
	ask := func() string {
		raw, err := c.Do(t.Context(), c.Request(http.MethodGet).AbsPath("/who").MaxRetries(0))
		if err != nil {
			return c.Failure(err).Err.String()
		}
		return string(raw)
	}
	const untrusted = "tls: failed to verify certificate: x509: certificate signed by unknown authority"
	now := time.Now()
	for _, step := range []struct {
		what   string
		change func()
		later  time.Duration
		want   string
	}{
		{"a CA that did not sign", func() {}, 0, untrusted},
		{"the right CA, at once", func() { write("ca", ca) }, filesEvery - time.Second, untrusted},
		{"the right CA", func() {}, filesEvery, "first HTTP/2.0"},
		{"another certificate", func() { login("second") }, filesEvery, "second HTTP/2.0"},
		{"a certificate without its key", func() { cert, _ := signedBySelf(t, "third"); write("cert", cert) }, filesEvery, "second HTTP/2.0"},
		{"half of a certificate", func() { write("cert", []byte("-----BEGIN CERT")) }, filesEvery, "second HTTP/2.0"},
		{"a certificate with its key", func() { login("fourth") }, filesEvery, "fourth HTTP/2.0"},
		{"an empty CA", func() { write("ca", nil) }, filesEvery, "fourth HTTP/2.0"},
		{"no certificate", func() { write("ca", []byte("half of a certi")) }, filesEvery, "fourth HTTP/2.0"},
		{"no file", func() { remove(t, path("ca")) }, filesEvery, "fourth HTTP/2.0"},
		{"another CA", func() { write("ca", other) }, filesEvery, untrusted},
	} {
		step.change()
		now = now.Add(step.later)
		own.current(now)
		if got := ask(); got != step.want {
			t.Errorf("%s: %q, want %q", step.what, got, step.want)
		}
	}
	if last := own.current(now); own.current(now.Add(filesEvery)) != last {
		t.Error("files that have not changed made another transport")
	}
	// A look that hangs holds up nobody else.
	own.looking.Lock()
	defer own.looking.Unlock()
	if got := ask(); got != untrusted {
		t.Errorf("while the files are looked at: %q", got)
	}
}

// TestDataCountsInsteadOfFiles reads no file beside which the configuration has the data.
func TestDataCountsInsteadOfFiles(t *testing.T) {
	ca := filepath.Join(t.TempDir(), "ca")
	if err := os.WriteFile(ca, []byte("ca"), 0o600); err != nil {
		t.Fatal(err)
	}
	alone, complete := filesOf(&clienttransport.TLSConfig{CAFile: ca})
	if sum, ok := filesOf(&clienttransport.TLSConfig{CAFile: ca, KeyFile: "missing", KeyData: []byte("key")}); !complete || !ok || sum != alone {
		t.Errorf("complete %v and %v, the same %v", complete, ok, sum == alone)
	}
	if _, complete := filesOf(&clienttransport.TLSConfig{CAFile: ca, KeyFile: "missing"}); complete {
		t.Error("a missing file is complete")
	}
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}

// TestHTTP1 leaves HTTP/2 out where the environment says so, as client-go does.
func TestHTTP1(t *testing.T) {
	t.Setenv("DISABLE_HTTP2", "1")
	ca, key := signedBySelf(t, "hub")
	c, err := New(engine.HubName{}, &rest.Config{Host: whoServer(t, ca, key).URL, TLSClientConfig: rest.TLSClientConfig{CAData: ca}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	raw, err := c.Do(t.Context(), c.Request(http.MethodGet).AbsPath("/who"))
	if got := string(raw); err != nil || got != "nobody HTTP/1.1" {
		t.Errorf("got %q, %v", got, err)
	}
}

// pipes are the connections to a server in memory, which carry nothing while they are silent.
type pipes struct {
	accepted chan net.Conn
	silent   atomic.Bool
}

func (p *pipes) Accept() (net.Conn, error) {
	if c, ok := <-p.accepted; ok {
		return c, nil
	}
	return nil, net.ErrClosed
}

func (p *pipes) Close() error   { close(p.accepted); return nil }
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }

// dial connects to the server.
func (p *pipes) dial(context.Context, string, string) (net.Conn, error) {
	near, far := net.Pipe()
	in, server := net.Pipe()
	carry := func(to, from net.Conn) {
		defer to.Close()
		part := make([]byte, 1<<16)
		for {
			n, err := from.Read(part)
			if err != nil {
				return
			}
			if p.silent.Load() {
				continue
			}
			if _, err := to.Write(part[:n]); err != nil {
				return
			}
		}
	}
	go carry(in, far)
	go carry(far, in)
	p.accepted <- server
	return near, nil
}

// TestSilentConnection ends an open answer when its connection carries nothing any more, as soon as
// the pings of HTTP/2 say, and as the variables of client-go say where they are set.
func TestSilentConnection(t *testing.T) {
	for _, x := range []struct {
		set  map[string]string
		want time.Duration
	}{
		{nil, pingAfter + pingTimeout},
		{map[string]string{"HTTP2_READ_IDLE_TIMEOUT_SECONDS": "20", "HTTP2_PING_TIMEOUT_SECONDS": "7"}, 27 * time.Second},
		{map[string]string{"HTTP2_READ_IDLE_TIMEOUT_SECONDS": "soon"}, pingAfter + pingTimeout},
	} {
		for _, name := range []string{"HTTP2_READ_IDLE_TIMEOUT_SECONDS", "HTTP2_PING_TIMEOUT_SECONDS"} {
			t.Setenv(name, x.set[name])
		}
		synctest.Test(t, func(t *testing.T) {
			ca, key := signedBySelf(t, "hub")
			pair, err := tls.X509KeyPair(ca, key)
			if err != nil {
				t.Fatal(err)
			}
			p := &pipes{accepted: make(chan net.Conn)}
			srv := &http.Server{
				TLSConfig: &tls.Config{Certificates: []tls.Certificate{pair}}, ErrorLog: log.New(io.Discard, "", 0), ReadHeaderTimeout: time.Hour,
				Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if http.NewResponseController(w).Flush() == nil {
						<-r.Context().Done()
					}
				}),
			}
			served := make(chan error)
			go func() { served <- srv.ServeTLS(p, "", "") }()
			c, err := New(engine.HubName{}, &rest.Config{Host: "https://127.0.0.1", Dial: p.dial, TLSClientConfig: rest.TLSClientConfig{CAData: ca}})
			if err != nil {
				t.Fatal(err)
			}
			body, err := c.Stream(t.Context(), c.At(http.MethodGet, engine.KindClusterStagedUpdateRun, "", ""), Limits{})
			if err != nil {
				t.Fatal(err)
			}
			p.silent.Store(true)
			began := time.Now()
			_, err = body.Read(make([]byte, 1))
			if took := time.Since(began); err == nil || took != x.want {
				t.Errorf("with %v: %v after %v, want an error after %v", x.set, err, took, x.want)
			}
			if err := body.Close(); err != nil {
				t.Error(err)
			}
			c.Close()
			if err := srv.Close(); err != nil {
				t.Error(err)
			}
			<-served
		})
	}
}

// TestLittleIsSentAhead checks that a server sends no more of an answer that is not read yet than
// ahead, while it answers other requests on the same connection, however many are not read.
func TestLittleIsSentAhead(t *testing.T) {
	var sent atomic.Int64
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for part := make([]byte, 16<<10); r.URL.RawQuery == ""; sent.Add(int64(len(part))) {
			if _, err := w.Write(part); err != nil {
				return
			}
		}
	}))
	srv.EnableHTTP2 = true
	srv.StartTLS()
	defer srv.Close()
	h, err := New(engine.HubName{}, &rest.Config{Host: srv.URL, TLSClientConfig: rest.TLSClientConfig{Insecure: true}})
	if err != nil {
		t.Fatal(err)
	}
	const unread = 5
	for range unread {
		list, err := h.Stream(t.Context(), h.At(http.MethodGet, engine.KindClusterStagedUpdateRun, "", ""), Limits{})
		if err != nil {
			t.Fatal(err)
		}
		defer list.Close()
	}
	for since := int64(-1); since < sent.Load(); {
		since = sent.Load()
		for range 20 {
			if _, err := h.Do(t.Context(), h.At(http.MethodGet, engine.KindApprovalRequest, "", "").Param("limit", "1")); err != nil {
				t.Fatal(err)
			}
		}
	}
	if n, least, most := sent.Load(), int64(unread*(ahead-16<<10)), int64(unread*(ahead+64<<10)); n < least || n > most {
		t.Errorf("%d bytes were sent ahead, want %d to %d", n, least, most)
	}
}
