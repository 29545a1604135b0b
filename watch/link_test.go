package watch

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/stagewatch/stagewatch/engine"
)

func TestLinkStates(t *testing.T) {
	at := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	down := failure{kind: failUnreachable, err: engine.Lit("down"), hint: engine.Lit("wait")}
	steps := []struct {
		after time.Duration
		do    func(l *link, now time.Time)
		want  engine.LinkState
		err   string
	}{
		{0, func(*link, time.Time) {}, engine.LinkLoading, ""},
		{1, func(l *link, now time.Time) { l.fail("a", down, now) }, engine.LinkReconnecting, "down"},
		{2, func(l *link, now time.Time) { l.ok("a", now) }, engine.LinkLoading, ""},
		{3, func(l *link, _ time.Time) { l.load() }, engine.LinkLive, ""},
		{11, func(*link, time.Time) {}, engine.LinkLive, ""},
		{13, func(*link, time.Time) {}, engine.LinkStale, "not answered"},
		{14, func(l *link, now time.Time) { l.proved(now) }, engine.LinkLive, ""},
		{15, func(l *link, now time.Time) { l.fail("a", down, now) }, engine.LinkReconnecting, "down"},
		{16, func(l *link, now time.Time) { l.proved(now) }, engine.LinkReconnecting, "down"}, // another stream is fine, this one is not
		{17, func(l *link, now time.Time) {
			l.fail("b", failure{kind: failUnauthenticated, err: engine.Lit("who?")}, now)
		}, engine.LinkRefused, "who?"},
		{18, func(l *link, now time.Time) { l.fail("a", down, now) }, engine.LinkRefused, "who?"},
		{19, func(l *link, now time.Time) { l.ok("b", now) }, engine.LinkReconnecting, "down"},
		{20, func(l *link, _ time.Time) { l.gone("a") }, engine.LinkLive, ""},
	}
	changes := 0
	l := newLink(at, func() { changes++ })
	var since time.Time
	state := engine.LinkState(99)
	for _, s := range steps {
		now := at.Add(s.after * time.Second)
		s.do(l, now)
		v, next := l.view(now, time.Hour)
		if v.State != s.want || !strings.Contains(v.Err.String(), s.err) || (s.err == "") != v.Err.IsZero() {
			t.Errorf("after %d s: %v %q, want %v %q", s.after, v.State, v.Err, s.want, s.err)
		}
		if v.State != state {
			state, since = v.State, now.Add(time.Hour)
		}
		if !v.Since.Equal(since) {
			t.Errorf("after %d s: since %v, want %v", s.after, v.Since, since)
		}
		if (v.State == engine.LinkLive) == next.IsZero() {
			t.Errorf("after %d s: %v changes by itself at %v", s.after, v.State, next)
		}
	}
	if changes == 0 {
		t.Error("nobody was told")
	}
}

// A laptop that slept has an old heard time on the wall and none that moved on
// the monotonic clock.
func TestLinkUsesTheWallClock(t *testing.T) {
	l := newLink(time.Now(), func() {})
	l.load()
	asleep := time.Now()
	l.proved(asleep)
	if v, _ := l.view(asleep.Round(0).Add(time.Hour), 0); v.State != engine.LinkStale {
		t.Errorf("after an hour of sleep the link is %v", v.State)
	}
}

func TestSkewClock(t *testing.T) {
	at := time.Date(2026, 11, 20, 10, 0, 0, 400e6, time.UTC)
	ms := time.Millisecond
	date := func(t time.Time) string { return t.UTC().Format(http.TimeFormat) }
	t.Run("no skew is none", func(t *testing.T) {
		var c skewClock
		for i := range 20 {
			now := at.Add(time.Duration(i) * 137 * ms)
			c.learn(date(now), now.Add(-5*ms), now.Add(5*ms))
		}
		if got := c.offset(); got != 0 {
			t.Errorf("offset %v", got)
		}
	})
	for _, skew := range []time.Duration{90 * time.Second, -time.Hour, 3 * time.Second} {
		t.Run(fmt.Sprint(skew), func(t *testing.T) {
			var c skewClock
			for i := range 40 {
				now := at.Add(time.Duration(i) * 137 * ms)
				c.learn(date(now.Add(skew)), now.Add(-5*ms), now.Add(5*ms))
			}
			if off := c.offset() - skew; off < -60*ms || off > 60*ms {
				t.Errorf("offset %v, want %v", c.offset(), skew)
			}
		})
	}
	t.Run("the hub's clock is set", func(t *testing.T) {
		var c skewClock
		c.learn(date(at.Add(time.Minute)), at, at)
		c.learn(date(at), at, at)
		if got := c.offset(); got != 0 {
			t.Errorf("offset %v", got)
		}
	})
	t.Run("no date", func(t *testing.T) {
		var c skewClock
		c.learn("", at, at)
		c.learn("yesterday", at, at)
		if got := c.offset(); got != 0 {
			t.Errorf("offset %v", got)
		}
	})
}

func TestSortError(t *testing.T) {
	runs := schema.GroupResource{Group: placementGroup, Resource: "clusterstagedupdateruns"}
	tests := []struct {
		name string
		err  error
		want failureKind
		says string
	}{
		{"none", nil, failNone, ""},
		{"deadline", fmt.Errorf("get: %w", context.DeadlineExceeded), failUnreachable, "no answer in time"},
		{"unauthorized", apierrors.NewUnauthorized("no"), failUnauthenticated, "no"},
		{"login program", errors.New("getting credentials: exec: no such file"), failUnauthenticated, "no such file"},
		{"forbidden", apierrors.NewForbidden(runs, "a", errors.New("rule")), failForbidden, "forbidden"},
		{"not found", apierrors.NewNotFound(runs, "a"), failNotFound, "not found"},
		{"gone", apierrors.NewResourceExpired("too old"), failExpired, "too old"},
		{"busy", apierrors.NewTooManyRequests("slow down", 3), failBusy, "slow down"},
		{"conflict", apierrors.NewConflict(runs, "a", errors.New("changed")), failRefused, "changed"},
		{"internal", apierrors.NewInternalError(errors.New("etcd")), failServer, "etcd"},
		{"torn", fmt.Errorf("read list: %w", errNoJSON), failBroken, "JSON"},
		{"hostile", &apierrors.StatusError{ErrStatus: metav1.Status{Code: 500, Message: "\x1b[2Jowned"}}, failServer, `\x1b[2Jowned`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := sortError(tt.err, "https://hub")
			if f.kind != tt.want || !strings.Contains(f.err.String(), tt.says) {
				t.Errorf("sorted as %v %q, want %v %q", f.kind, f.err, tt.want, tt.says)
			}
		})
	}
}
