package client

import (
	"context"
	"fmt"
	"io"
	"net/http"
)

const (
	// maxAnswer bounds the body of one answer, decompressed. An object in etcd has
	// 1.5 MiB at most, and lists of large objects come in pages of 50.
	maxAnswer = 128 << 20
	// maxErrorBody is how much of the body of an error is read.
	maxErrorBody = 1 << 20
)

// SizeError is the error of an answer that is larger than its bound.
type SizeError struct{ what string }

// Error says that nothing of the answer is used.
func (e *SizeError) Error() string { return "the answer " + e.what + " and was not read" }

// tooLarge is the error of an answer of more bytes than its bound.
func tooLarge(bound int64) *SizeError {
	return &SizeError{fmt.Sprintf("is larger than %d MiB", bound>>20)}
}

// wholeKey marks the context of a request whose answer is read as a whole.
type wholeKey struct{}

// bounded bounds the bodies that client-go reads as a whole: those of errors, and
// the answers to Do. The reader of a Stream bounds what it keeps of it.
type bounded struct {
	next http.RoundTripper
	// arrivals records the answers to Do.
	arrivals *arrivals
}

// RoundTrip implements http.RoundTripper.
func (b *bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := b.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	switch {
	case resp.StatusCode >= http.StatusBadRequest:
		// The start of an error is enough: its code says most.
		resp.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(resp.Body, maxErrorBody), resp.Body}
	case r.Context().Value(wholeKey{}) != nil:
		resp.Body = &boundedBody{ReadCloser: resp.Body, arrivals: b.arrivals, left: maxAnswer, bound: maxAnswer}
	}
	return resp, nil
}

// WrappedRoundTripper lets client-go find the transport inside.
func (b *bounded) WrappedRoundTripper() http.RoundTripper { return b.next }

// asWhole returns a context for a request whose answer is read as a whole.
func asWhole(ctx context.Context) context.Context { return context.WithValue(ctx, wholeKey{}, true) }

// boundedBody is a body that ends with a SizeError after its bound.
type boundedBody struct {
	io.ReadCloser
	arrivals    *arrivals
	left, bound int64
}

// Read implements io.Reader.
func (b *boundedBody) Read(p []byte) (int, error) {
	if b.left < 0 {
		return 0, tooLarge(b.bound)
	}
	// One byte more than the bound tells a body of just that size from a larger one.
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1]
	}
	n, err := b.ReadCloser.Read(p)
	if n > 0 {
		b.arrivals.came(b, whole)
	}
	if b.left -= int64(n); b.left < 0 {
		return n, tooLarge(b.bound)
	}
	return n, err
}

// Close implements io.Closer.
func (b *boundedBody) Close() error {
	b.arrivals.closed(b)
	return b.ReadCloser.Close()
}
