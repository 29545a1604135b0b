package client

import (
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

// pausing is a connection whose reads can pause, with what was received and when.
type pausing struct {
	hub  *Client
	peer net.Conn
	got  chan time.Time
}

// newPausing returns one in a bubble; it reads until the test ends.
func newPausing(t *testing.T) *pausing {
	t.Helper()
	ours, peer := net.Pipe()
	p := &pausing{hub: &Client{conns: newConnections(nil)}, peer: peer, got: make(chan time.Time, 100)}
	conn := &connection{Conn: ours, all: p.hub.conns}
	go func() {
		for buf := make([]byte, ahead); ; {
			if _, err := conn.Read(buf); err != nil {
				return
			}
			p.got <- time.Now()
		}
	}()
	t.Cleanup(func() {
		if err := peer.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// after sends so many bytes and returns how long they took to be received.
func (p *pausing) after(t *testing.T, bytes int) time.Duration {
	t.Helper()
	began := time.Now()
	if _, err := p.peer.Write(make([]byte, bytes)); err != nil {
		t.Fatal(err)
	}
	return (<-p.got).Sub(began)
}

// TestReadsPause: the read that waits already takes what comes, the next one waits until the time that
// was set, once.
func TestReadsPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPausing(t)
		synctest.Wait()
		p.hub.PauseReads(time.Now().Add(40 * time.Millisecond))
		for i, want := range []time.Duration{0, 40 * time.Millisecond, 0, 0} {
			if got := p.after(t, 10); got != want {
				t.Errorf("read %d took %v, want %v", i+1, got, want)
			}
		}
		p.hub.PauseReads(time.Now().Add(-time.Second))
		for i := range 2 {
			if got := p.after(t, 10); got != 0 {
				t.Errorf("read %d after a pause that is over took %v", i+1, got)
			}
		}
	})
}

// TestNoPauseWhileAnAnswerIsAwaited: a request ends the pause, and there is none until it is answered.
func TestNoPauseWhileAnAnswerIsAwaited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPausing(t)
		synctest.Wait()
		p.hub.PauseReads(time.Now().Add(40 * time.Millisecond))
		p.after(t, 10)
		time.AfterFunc(15*time.Millisecond, p.hub.conns.pause.begin)
		if got := p.after(t, 10); got != 15*time.Millisecond {
			t.Errorf("what came before the request was received after %v, want 15ms", got)
		}
		for range 3 {
			p.hub.PauseReads(time.Now().Add(40 * time.Millisecond))
			if got := p.after(t, 10); got != 0 {
				t.Errorf("during a request, a read took %v", got)
			}
		}
		p.hub.conns.pause.end()
		p.hub.PauseReads(time.Now().Add(50 * time.Millisecond))
		p.after(t, 10)
		if got := p.after(t, 10); got != 50*time.Millisecond {
			t.Errorf("after the answer, a read took %v, want 50ms", got)
		}
	})
}

// TestNoPauseAfterManyBytes: the hub must not have to wait until there is room.
func TestNoPauseAfterManyBytes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPausing(t)
		synctest.Wait()
		p.after(t, ahead-20)
		for _, step := range []struct {
			bytes int
			want  time.Duration
		}{{10, 40 * time.Millisecond}, {ahead, 40 * time.Millisecond}, {10, 0}} {
			p.hub.PauseReads(time.Now().Add(40 * time.Millisecond))
			p.after(t, 1)
			if got := p.after(t, step.bytes); got != step.want {
				t.Errorf("%d bytes took %v, want %v", step.bytes, got, step.want)
			}
		}
	})
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
		awaited := &h.conns.pause.answers
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
			for range 2 {
				if err == nil {
					err = body.Close()
				}
			}
			if n := awaited.Load(); n != 0 {
				t.Errorf("%d: at the end, %d answers are awaited", status, n)
			}
		}
	}
}
