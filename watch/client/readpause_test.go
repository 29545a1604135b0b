package client

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/client-go/rest"

	"github.com/stagewatch/stagewatch/engine"
)

// pausing is a connection whose reads can pause, and when each read returned.
type pausing struct {
	hub  *Client
	conn *connection
	peer net.Conn
	got  chan time.Time
}

// newPausing returns a connection of a client, which is read until the test ends.
func newPausing(t *testing.T, hub *Client) *pausing {
	t.Helper()
	ours, peer := net.Pipe()
	hub.conns.dialer = func(context.Context, string, string) (net.Conn, error) { return ours, nil }
	dialed, err := hub.conns.dial(t.Context(), "tcp", "hub")
	if err != nil {
		t.Fatal(err)
	}
	p := &pausing{hub: hub, conn: dialed.(*connection), peer: peer, got: make(chan time.Time, 100)}
	go func() {
		defer close(p.got)
		for buf := make([]byte, ahead); ; {
			if _, err := dialed.Read(buf); err != nil {
				return
			}
			p.got <- time.Now()
		}
	}()
	t.Cleanup(func() {
		if err := errors.Join(peer.Close(), dialed.Close()); err != nil {
			t.Error(err)
		}
	})
	synctest.Wait()
	return p
}

func newPausingHub() *Client { return &Client{conns: newConnections(nil)} }

// after sends so many bytes and returns how long they took to be received.
func (p *pausing) after(t *testing.T, bytes int) time.Duration {
	t.Helper()
	began := time.Now()
	if _, err := p.peer.Write(make([]byte, bytes)); err != nil {
		t.Fatal(err)
	}
	return (<-p.got).Sub(began)
}

// TestReadsPause: a read that is already blocked returns the next data, the read after it waits until
// the pause ends, once.
func TestReadsPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPausing(t, newPausingHub())
		p.hub.PauseReads(time.Now().Add(40 * time.Millisecond))
		for i, want := range []time.Duration{0, 40 * time.Millisecond, 0, 0} {
			if got := p.after(t, 10); got != want {
				t.Errorf("read %d took %v, want %v", i+1, got, want)
			}
		}
		p.hub.PauseReads(time.Now().Add(-time.Second))
		for i := range 2 {
			if got := p.after(t, 10); got != 0 {
				t.Errorf("read %d after a pause that has ended took %v", i+1, got)
			}
		}
		p.hub.PauseReads(time.Now().Add(time.Hour))
		p.after(t, 10)
		if got := p.after(t, 10); got != longestPause {
			t.Errorf("a pause of an hour took %v, want %v", got, longestPause)
		}
	})
}

// TestNoPauseWhileAnAnswerIsAwaited: a request ends the pause of every connection, and reads do not
// pause until it is answered.
func TestNoPauseWhileAnAnswerIsAwaited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hub := newPausingHub()
		p, other := newPausing(t, hub), newPausing(t, hub)
		hub.PauseReads(time.Now().Add(40 * time.Millisecond))
		p.after(t, 10)
		other.after(t, 10)
		synctest.Wait()
		time.AfterFunc(15*time.Millisecond, hub.conns.pause.requestSent)
		began := time.Now()
		go func() {
			if _, err := other.peer.Write(make([]byte, 10)); err != nil {
				t.Error(err)
			}
		}()
		if got := p.after(t, 10); got != 15*time.Millisecond {
			t.Errorf("data was read %v after the pause began, want 15ms, when the request was sent", got)
		}
		if got := (<-other.got).Sub(began); got != 15*time.Millisecond {
			t.Errorf("the other connection read after %v, want 15ms", got)
		}
		for i := range 3 {
			hub.PauseReads(time.Now().Add(time.Duration(40+i) * time.Millisecond))
			if got := p.after(t, 10); got != 0 {
				t.Errorf("while a request waits for its answer, a read took %v", got)
			}
		}
		hub.conns.pause.answered()
		hub.PauseReads(time.Now().Add(50 * time.Millisecond))
		p.after(t, 10)
		if got := p.after(t, 10); got != 50*time.Millisecond {
			t.Errorf("after the answer, a read took %v, want 50ms", got)
		}
	})
}

// TestNoPauseAfterManyBytes: a longer pause would fill the HTTP/2 window, and the hub would stop sending.
func TestNoPauseAfterManyBytes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPausing(t, newPausingHub())
		p.after(t, ahead-20)
		for i, step := range []struct {
			bytes int
			want  time.Duration
		}{{10, 40 * time.Millisecond}, {ahead, 40 * time.Millisecond}, {10, 0}, {10, 40 * time.Millisecond}} {
			p.hub.PauseReads(time.Now().Add(40 * time.Millisecond))
			p.after(t, 1)
			if got := p.after(t, step.bytes); got != step.want {
				t.Errorf("step %d: %d bytes took %v, want %v", i+1, step.bytes, got, step.want)
			}
		}
	})
}

// TestAClosedConnectionDoesNotPause: its reader ends at once.
func TestAClosedConnectionDoesNotPause(t *testing.T) {
	for name, end := range map[string]func(p *pausing) error{
		"closed": func(p *pausing) error { return p.conn.Close() },
		"cut": func(p *pausing) error {
			p.hub.conns.cut()
			return nil
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			p := newPausing(t, newPausingHub())
			p.hub.PauseReads(time.Now().Add(40 * time.Millisecond))
			p.after(t, 10)
			synctest.Wait()
			began := time.Now()
			if err := end(p); err != nil {
				t.Fatal(err)
			}
			if _, more := <-p.got; more || time.Since(began) > 0 {
				t.Errorf("%s: the reader ended after %v (read more: %v)", name, time.Since(began), more)
			}
		})
	}
}

// answering calls a function for every request and answers with a status, or not at all.
type answering struct {
	meanwhile func()
	status    int
}

// RoundTrip implements http.RoundTripper.
func (a *answering) RoundTrip(r *http.Request) (*http.Response, error) {
	a.meanwhile()
	if a.status == 0 {
		return nil, errors.New("no connection")
	}
	return &http.Response{
		StatusCode: a.status, Header: http.Header{"Content-Type": {"application/json"}}, Request: r,
		Body: io.NopCloser(strings.NewReader(`{"kind":"Status","status":"Failure"}`)),
	}, nil
}

// TestAwaitedAnswers: an answer is awaited until it is there, the head of a watch or a log until the
// head is there, and a list until it is closed.
func TestAwaitedAnswers(t *testing.T) {
	for status, kept := range map[int]int32{http.StatusOK: 1, http.StatusForbidden: 0, 0: 0} {
		way := &answering{status: status}
		h, err := New(engine.HubName{}, &rest.Config{Host: "http://hub.example", Transport: way})
		if err != nil {
			t.Fatal(err)
		}
		awaited := &h.conns.pause.awaited
		way.meanwhile = func() {
			if n := awaited.Load(); n != 1 {
				t.Errorf("%d: during a request, %d answers are awaited", status, n)
			}
		}
		request := func() *rest.Request {
			return h.At(http.MethodGet, engine.KindClusterStagedUpdateRun, "", "")
		}
		if _, err := h.Do(t.Context(), request()); (err == nil) != (status == http.StatusOK) {
			t.Errorf("%d: %v", status, err)
		}
		if n := awaited.Load(); n != 0 {
			t.Errorf("%d: after a request, %d answers are awaited", status, n)
		}
		for progress, want := range map[time.Duration]int32{0: 0, time.Minute: kept} {
			body, err := h.Stream(t.Context(), request(), Limits{Progress: progress})
			if (err == nil) != (status == http.StatusOK) {
				t.Errorf("%d: %v", status, err)
			}
			if n := awaited.Load(); n != want {
				t.Errorf("%d: after the head of an answer with limit %v, %d are awaited, want %d", status, progress, n, want)
			}
			if err == nil {
				if err := errors.Join(body.Close(), body.Close()); err != nil { // again, it counts nothing
					t.Error(err)
				}
			}
			if n := awaited.Load(); n != 0 {
				t.Errorf("%d: at the end, %d answers are awaited", status, n)
			}
		}
	}
}
