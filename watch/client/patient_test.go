package client

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/client-go/rest"

	"github.com/stagewatch/stagewatch/engine"
)

// restarting is a hub that refuses connections until it is up, and refuses what it will give until
// it has started.
type restarting struct {
	conns       *connections // that note it
	up, started time.Time
	code        int

	mu       sync.Mutex
	requests int
}

// RoundTrip implements http.RoundTripper.
func (h *restarting) RoundTrip(r *http.Request) (*http.Response, error) {
	h.mu.Lock()
	h.requests++
	h.mu.Unlock()
	now := time.Now()
	if now.Before(h.up) {
		h.conns.refused.Store(now.UnixNano())
		return nil, syscall.ECONNREFUSED
	}
	answer := &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Request: r, Body: io.NopCloser(strings.NewReader(`{"kind":"x"}`))}
	if now.Before(h.started) {
		answer.StatusCode, answer.Body = h.code, io.NopCloser(strings.NewReader("404 page not found"))
	}
	return answer, nil
}

// CloseIdleConnections implements what client-go closes a transport with.
func (h *restarting) CloseIdleConnections() {}

// TestPatientReads says how long a read of a client that is patient is repeated, for a hub that
// restarts.
func TestPatientReads(t *testing.T) {
	const most = 30 * time.Second
	for _, tt := range []struct {
		name        string
		patient     bool
		up, started time.Duration
		code        int
		timeout     time.Duration // of the command; zero for none
		want        time.Duration
		err         FailureKind
	}{
		{"not patient", false, time.Minute, time.Minute, 0, 0, 0, Unreachable},
		{"restarts", true, 8 * time.Second, 8 * time.Second, 0, 0, 8 * time.Second, NoFailure},
		{"stays away", true, time.Hour, time.Hour, 0, 0, most, Unreachable},
		{"stays away, with a longer timeout", true, 50 * time.Second, 0, 0, time.Minute, 50 * time.Second, NoFailure},
		{"does not know its CRDs at first", true, 2 * time.Second, 9 * time.Second, 404, 0, 9 * time.Second, NoFailure},
		{"does not know its roles at first", true, 2 * time.Second, 9 * time.Second, 403, 0, 9 * time.Second, NoFailure},
		{"has no such kind", true, 0, time.Hour, 404, 0, 0, NotServed},
		{"has no such kind after a restart", true, 2 * time.Second, time.Hour, 404, 0, 2*time.Second + startsFor, NotServed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				hub := &restarting{up: began.Add(tt.up), started: began.Add(tt.started), code: tt.code}
				h, err := New(engine.HubName{}, &rest.Config{Host: "http://hub.example", Transport: hub})
				if err != nil {
					t.Fatal(err)
				}
				hub.conns = h.conns
				waits := 0
				if tt.patient {
					h.BePatient(most, func(error) { waits++ })
				}
				ctx := t.Context()
				if tt.timeout > 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, tt.timeout)
					defer cancel()
				}
				ctx, cancel := h.Patiently(ctx, 5*time.Second)
				defer cancel()
				_, err = h.Do(ctx, h.At(http.MethodGet, engine.KindApprovalRequest, "", "").MaxRetries(0))
				if took := time.Since(began); KindOf(err) != tt.err || took < tt.want-time.Second || took > tt.want+2*time.Second {
					t.Errorf("%v after %v, want %v after %v", err, took, tt.err, tt.want)
				}
				if hub.requests > int(tt.want/time.Second)+3 || (waits > 0) != (tt.patient && tt.up+tt.want > 0) {
					t.Errorf("%d requests, %d pauses", hub.requests, waits)
				}
			})
		})
	}
}

// A read that is not answered in time is not repeated, nor is one of another client.
func TestPatientReadsAreNotRepeatedForever(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, err := New(engine.HubName{}, &rest.Config{Host: "http://hub.example", Transport: dripping{}})
		if err != nil {
			t.Fatal(err)
		}
		h.BePatient(time.Minute, func(err error) { t.Errorf("waits: %v", err) })
		began := time.Now()
		ctx, cancel := h.Patiently(t.Context(), 5*time.Second)
		defer cancel()
		if _, err := h.Do(ctx, h.At(http.MethodGet, engine.KindApprovalRequest, "", "")); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != 5*time.Second {
			t.Errorf("not answered: %v after %v", err, time.Since(began))
		}
		member, err := New(engine.HubName{}, &rest.Config{Host: "http://member.example", Transport: &restarting{conns: h.conns, up: began.Add(time.Hour)}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := member.Do(ctx, member.At(http.MethodGet, engine.KindApprovalRequest, "", "").MaxRetries(0)); KindOf(err) != Unreachable || time.Since(began) != 5*time.Second {
			t.Errorf("of a member: %v after %v", err, time.Since(began))
		}
	})
}
