package faults

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// Transport sends requests to a handler in this process. Unlike a connection it blocks
// on nothing but channels, so it works in compressed time (testing/synctest).
type Transport struct {
	Handler http.Handler
	// Certificate, if not nil, is that of the server which answers now.
	Certificate func() *x509.Certificate
}

// RoundTrip implements http.RoundTripper.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(r.Context())
	pr, pw := io.Pipe()
	w := &answer{header: http.Header{}, body: pw, headed: make(chan struct{})}
	req := r.Clone(ctx)
	if req.Body == nil {
		req.Body = http.NoBody
	}
	stop := context.AfterFunc(r.Context(), func() { pw.CloseWithError(r.Context().Err()) }) // reads fail with it
	failed := make(chan error, 1)
	go func() {
		defer func() {
			err := io.EOF
			if v := recover(); v != nil {
				if v != http.ErrAbortHandler { //nolint:errorlint // as net/http compares it
					panic(v)
				}
				err = io.ErrUnexpectedEOF
			} else {
				w.WriteHeader(http.StatusOK)
				if r.Context().Err() != nil {
					err = r.Context().Err()
				}
			}
			failed <- err
			pw.CloseWithError(err)
		}()
		t.Handler.ServeHTTP(w, req)
	}()
	select {
	case <-w.headed:
	case err := <-failed:
		if errors.Is(err, io.ErrUnexpectedEOF) {
			cancel()
			return nil, err
		}
	case <-r.Context().Done():
		cancel()
		return nil, r.Context().Err()
	}
	var connection *tls.ConnectionState
	if t.Certificate != nil {
		connection = &tls.ConnectionState{PeerCertificates: []*x509.Certificate{t.Certificate()}}
	}
	return &http.Response{
		TLS: connection, Status: fmt.Sprintf("%d %s", w.code, http.StatusText(w.code)), StatusCode: w.code, Proto: "HTTP/2.0", ProtoMajor: 2,
		Header: w.sent, Body: &answerBody{PipeReader: pr, end: func() { stop(); cancel() }}, ContentLength: -1, Request: r,
	}, nil
}

// answer is the server's side of an answer.
type answer struct {
	header, sent http.Header
	code         int
	body         *io.PipeWriter
	once         sync.Once
	headed       chan struct{}
}

// Header implements http.ResponseWriter.
func (a *answer) Header() http.Header { return a.header }

// WriteHeader implements http.ResponseWriter.
func (a *answer) WriteHeader(code int) {
	a.once.Do(func() {
		a.code, a.sent = code, a.header.Clone()
		if a.sent.Get("Date") == "" {
			a.sent.Set("Date", time.Now().UTC().Format(http.TimeFormat))
		}
		close(a.headed)
	})
}

// Write implements http.ResponseWriter.
func (a *answer) Write(b []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.body.Write(b)
}

// Flush implements http.Flusher.
func (a *answer) Flush() { a.WriteHeader(http.StatusOK) }

// answerBody is the client's side of an answer.
type answerBody struct {
	*io.PipeReader
	end func()
}

// Close implements io.Closer.
func (b *answerBody) Close() error {
	b.end()
	return b.PipeReader.Close()
}

// seconds reads a parameter of a request that is a number.
func seconds(r *http.Request, name string) int {
	n, err := strconv.Atoi(r.URL.Query().Get(name))
	if err != nil {
		return 0
	}
	return n
}
