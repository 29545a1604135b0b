package client

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/client-go/rest"

	"github.com/stagewatch/stagewatch/engine"
)

// drip is a body that brings a byte every 200 ms until its end, and nothing more then.
type drip struct {
	end     time.Time
	stopped chan struct{}
}

// Read implements io.Reader.
func (d *drip) Read(p []byte) (int, error) {
	time.Sleep(200 * time.Millisecond)
	if time.Now().After(d.end) {
		<-d.stopped
		return 0, io.ErrUnexpectedEOF
	}
	return copy(p, "x"), nil
}

// Close implements io.Closer.
func (d *drip) Close() error {
	close(d.stopped)
	return nil
}

// dripping answers lists with a drip and nothing else.
type dripping struct{ of time.Duration }

// RoundTrip implements http.RoundTripper.
func (d dripping) RoundTrip(r *http.Request) (*http.Response, error) {
	if strings.HasSuffix(r.URL.Path, "/clusterstagedupdateruns") && r.URL.RawQuery == "" {
		return &http.Response{StatusCode: http.StatusOK, Body: &drip{time.Now().Add(d.of), make(chan struct{})}, Request: r}, nil
	}
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// TestDeadlinesWhileAListArrives checks that a read which waits behind a list is not given up
// while the list arrives, and for how long.
func TestDeadlinesWhileAListArrives(t *testing.T) {
	const deadline = 3 * time.Second
	for _, tt := range []struct {
		of       time.Duration // that a list arrives
		progress time.Duration // of its limits; zero is that of a watch
		least    time.Duration
	}{
		{0, time.Minute, deadline},
		{time.Second, time.Minute, deadline},
		{2500 * time.Millisecond, time.Minute, deadline + arrivingFor},
		{8 * time.Second, time.Minute, 8*time.Second + arrivingFor},
		{5 * time.Minute, time.Minute, deadline + extendMost},
		{5 * time.Minute, 0, deadline}, // watches bring bytes all the time
	} {
		for name, send := range map[string]func(ctx context.Context, h *Client) error{
			"probe": func(ctx context.Context, h *Client) error {
				_, err := h.Probe(ctx, deadline)
				return err
			},
			"head": func(ctx context.Context, h *Client) error {
				_, err := h.Stream(ctx, h.At(http.MethodGet, engine.KindApprovalRequest, "", ""), Limits{Head: deadline})
				return err
			},
			"within": func(ctx context.Context, h *Client) error {
				ctx, end := h.Within(ctx, deadline)
				defer end()
				_, err := h.Do(ctx, h.At(http.MethodGet, engine.KindApprovalRequest, "", ""))
				return err
			},
		} {
			synctest.Test(t, func(t *testing.T) {
				h, err := New(engine.HubName{}, &rest.Config{Host: "http://hub.example", Transport: dripping{tt.of}})
				if err != nil {
					t.Fatal(err)
				}
				list, err := h.Stream(t.Context(), h.At(http.MethodGet, engine.KindClusterStagedUpdateRun, "", ""), Limits{Head: time.Second, Progress: tt.progress})
				if err != nil {
					t.Fatal(err)
				}
				read := make(chan error)
				go func() {
					_, err := io.Copy(io.Discard, list)
					read <- err
				}()
				began := time.Now()
				err = send(t.Context(), h)
				if took := time.Since(began); !errors.Is(err, context.DeadlineExceeded) || took < tt.least || took > tt.least+arrivingFor {
					t.Errorf("%s while a list arrives for %v (limit %v): %v after %v, want no answer in time after %v", name, tt.of, tt.progress, err, took, tt.least)
				}
				if err := list.Close(); err != nil {
					t.Error(err)
				}
				<-read
			})
		}
	}
}

// TestDeadlinesWhileAnEventArrives checks that a read which waits behind a large event of a watch is
// not given up while the event arrives, nor because of events that are there at once.
func TestDeadlinesWhileAnEventArrives(t *testing.T) {
	const deadline = 3 * time.Second
	for _, tt := range []struct {
		name  string
		event time.Duration // that each takes to arrive, the first one if it is negative
		least time.Duration
	}{
		{"one", time.Hour, deadline + extendMost},
		{"several", 400 * time.Millisecond, deadline + extendMost},
		{"each at once", 200 * time.Millisecond, deadline},
		{"one, then each at once", -600 * time.Millisecond, deadline},
	} {
		synctest.Test(t, func(t *testing.T) {
			h, err := New(engine.HubName{}, &rest.Config{Host: "http://hub.example", Transport: dripping{time.Hour}})
			if err != nil {
				t.Fatal(err)
			}
			watch, err := h.Stream(t.Context(), h.At(http.MethodGet, engine.KindClusterStagedUpdateRun, "", ""), Limits{Head: time.Second})
			if err != nil {
				t.Fatal(err)
			}
			read, began := make(chan error), time.Now()
			go func() {
				var err error
				for err == nil {
					takes := max(tt.event, -tt.event)
					if tt.event < 0 && time.Since(began) > takes {
						takes = 200 * time.Millisecond
					}
					watch.Inside(true)
					for event := time.Now(); err == nil && time.Since(event) < takes; {
						_, err = watch.Read(make([]byte, 1))
					}
					watch.Inside(false)
				}
				read <- err
			}()
			ctx, end := h.Within(t.Context(), deadline)
			defer end()
			<-ctx.Done()
			if took := time.Since(began); took < tt.least || took > tt.least+arrivingFor {
				t.Errorf("%s: given up after %v, want %v", tt.name, took, tt.least)
			}
			if err := watch.Close(); err != nil || h.IsArriving() {
				t.Errorf("after the watch was closed, something arrives (%v)", err)
			}
			<-read
		})
	}
}

// TestAListThatJustBegan checks that a request is not extended for a list that began to arrive just
// before its time was up: that list delays nothing.
func TestAListThatJustBegan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, err := New(engine.HubName{}, &rest.Config{Host: "http://hub.example", Transport: dripping{time.Hour}})
		if err != nil {
			t.Fatal(err)
		}
		const deadline = 3 * time.Second
		ctx, end := h.Within(t.Context(), deadline)
		defer end()
		began := time.Now()
		time.Sleep(deadline - 300*time.Millisecond)
		list, err := h.Stream(t.Context(), h.At(http.MethodGet, engine.KindClusterStagedUpdateRun, "", ""), Limits{Progress: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := list.Read(make([]byte, 1)); err != nil || !h.IsArriving() {
			t.Fatalf("no list arrives (%v)", err)
		}
		<-ctx.Done()
		if took := time.Since(began); took != deadline {
			t.Errorf("given up after %v, want %v", took, deadline)
		}
		if err := list.Close(); err != nil {
			t.Error(err)
		}
	})
}

// TestStoppedDeadline checks that a deadline whose time is up while it is stopped ends nothing:
// the body of an answer whose head came in time is still read.
func TestStoppedDeadline(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	d := &deadline{hub: &Client{}, cancel: cancel, timer: time.NewTimer(time.Hour)}
	d.stop()
	d.pass()
	if ctx.Err() != nil {
		t.Errorf("ended by %v", context.Cause(ctx))
	}
}

// TestClosedLists checks that a list arrives until it is closed, and not longer.
func TestClosedLists(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, err := New(engine.HubName{}, &rest.Config{Host: "http://hub.example", Transport: dripping{time.Hour}})
		if err != nil {
			t.Fatal(err)
		}
		list, err := h.Stream(t.Context(), h.At(http.MethodGet, engine.KindClusterStagedUpdateRun, "", ""), Limits{Progress: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		if h.IsArriving() {
			t.Error("a list arrives before its first byte")
		}
		if _, err := list.Read(make([]byte, 1)); err != nil || !h.IsArriving() {
			t.Errorf("no list arrives after a byte (%v)", err)
		}
		if err := list.Close(); err != nil || h.IsArriving() || len(h.arrivals.bodies) != 0 {
			t.Errorf("a list arrives after it was closed (%v)", err)
		}
	})
}
