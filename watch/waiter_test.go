package watch

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"net/http"
)

// waitHeader names a request to the way, which has its wait ended.
const waitHeader = "X-Test-Wait"

// waiter is where a client waits for answers. The time that a client gives a
// request is over when the way says so, and never before.
type waiter struct {
	th   *theater
	next http.RoundTripper
}

func (w *waiter) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, end := context.WithCancelCause(r.Context())
	name := rand.Text()
	w.th.waiting.Store(name, end)
	r = r.Clone(ctx)
	r.Header.Set(waitHeader, name)
	resp, err := w.next.RoundTrip(r)
	if err != nil {
		w.th.waiting.Delete(name)
		if errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
			err = context.DeadlineExceeded
		}
		end(nil)
		return nil, err
	}
	resp.Body = &awaited{ReadCloser: resp.Body, done: func() { w.th.waiting.Delete(name); end(nil) }}
	return resp, nil
}

// awaited is the body of an answer that came.
type awaited struct {
	io.ReadCloser
	done func()
}

func (a *awaited) Close() error {
	defer a.done()
	return a.ReadCloser.Close()
}

// expire has the client's time for a request be over, and returns when the
// client has left.
func (th *theater) expire(r *http.Request) {
	if end, ok := th.waiting.Load(r.Header.Get(waitHeader)); ok {
		end.(context.CancelCauseFunc)(context.DeadlineExceeded)
	}
	<-r.Context().Done()
}
