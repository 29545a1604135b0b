package watch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/client-go/rest"
)

// inTimeAttempts is how often inTime makes a read, at most.
const inTimeAttempts = 8

// inTime makes a read of which the requests matter, and returns them in the order in which they were
// sent. A machine that is busy may keep the hub from answering in time. A request that timed out is sent
// again, possibly as another one: then the whole read is made again.
func inTime(t *testing.T, config *rest.Config, read func(*rest.Config) error) []*http.Request {
	t.Helper()
	var late error
	for range inTimeAttempts {
		a, began := &asked{}, time.Now()
		observed := rest.CopyConfig(config)
		observed.Wrap(func(next http.RoundTripper) http.RoundTripper {
			return roundTripper(func(r *http.Request) (*http.Response, error) { return a.send(next, r) })
		})
		err := read(observed)
		var all []*http.Request
		if all, late = a.taken(); late == nil && time.Since(began) > onceWait {
			late = fmt.Errorf("the read took %v", time.Since(began))
		}
		if late != nil {
			t.Logf("made again: %v", late)
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	t.Fatalf("the hub did not answer in time %d times, last: %v", inTimeAttempts, late)
	return nil
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// isList reports whether a request is for a list of whole objects in one piece.
func isList(r *http.Request) bool {
	return r.Method == http.MethodGet && r.Header.Get("Accept") == "application/json" && !r.URL.Query().Has("watch") && !r.URL.Query().Has("limit")
}

// lastOf is the last part of the path: of a list, its resource.
func lastOf(r *http.Request) string { return r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:] }

// asked notes the requests of a client.
type asked struct {
	mu   sync.Mutex
	all  []*http.Request
	late error // that a request was not answered in time
}

// send sends a request. One that is given up since the client has ended is not late.
func (a *asked) send(next http.RoundTripper, r *http.Request) (*http.Response, error) {
	a.mu.Lock()
	a.all = append(a.all, r)
	a.mu.Unlock()
	answer, err := next.RoundTrip(r)
	if err != nil {
		a.fails(r, err)
		return answer, err
	}
	if answer.StatusCode == http.StatusTooManyRequests || answer.StatusCode == http.StatusServiceUnavailable || answer.StatusCode == http.StatusGatewayTimeout {
		a.fails(r, errors.New(answer.Status))
	}
	answer.Body = &askedBody{answer.Body, a, r}
	return answer, nil
}

func (a *asked) fails(r *http.Request, err error) {
	if cause := context.Cause(r.Context()); cause != nil && !errors.Is(cause, context.DeadlineExceeded) {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.late = fmt.Errorf("%s %s: %w", r.Method, r.URL, err)
}

func (a *asked) taken() ([]*http.Request, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.all, a.late
}

// askedBody is the body of an answer.
type askedBody struct {
	io.ReadCloser
	asked *asked
	of    *http.Request
}

func (b *askedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		b.asked.fails(b.of, err)
	}
	return n, err
}
