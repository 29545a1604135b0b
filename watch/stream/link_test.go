package stream

import (
	"strings"
	"testing"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/watch/client"
)

func TestLinkStates(t *testing.T) {
	at := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	down := client.Failure{Kind: client.Unreachable, Err: engine.Lit("down"), Hint: engine.Lit("wait")}
	steps := []struct {
		after time.Duration
		do    func(l *Link, now time.Time)
		want  engine.LinkState
		err   string
	}{
		{0, func(*Link, time.Time) {}, engine.LinkLoading, ""},
		{1, func(l *Link, now time.Time) { l.fail("a", down, now) }, engine.LinkReconnecting, "down"},
		{2, func(l *Link, now time.Time) { l.ok("a", now) }, engine.LinkLoading, ""},
		{3, func(l *Link, _ time.Time) { l.load() }, engine.LinkLive, ""},
		{11, func(*Link, time.Time) {}, engine.LinkLive, ""},
		{13, func(*Link, time.Time) {}, engine.LinkStale, "not answered"},
		{14, func(l *Link, now time.Time) { l.ok("fine", now) }, engine.LinkLive, ""},
		{15, func(l *Link, now time.Time) { l.fail("a", down, now) }, engine.LinkReconnecting, "down"},
		{16, func(l *Link, now time.Time) { l.ok("fine", now) }, engine.LinkReconnecting, "down"}, // another stream is fine, this one is not
		{17, func(l *Link, now time.Time) {
			l.fail("b", client.Failure{Kind: client.Unauthenticated, Err: engine.Lit("who?")}, now)
		}, engine.LinkRefused, "who?"},
		{18, func(l *Link, now time.Time) { l.fail("a", down, now) }, engine.LinkRefused, "who?"},
		{19, func(l *Link, now time.Time) { l.ok("b", now) }, engine.LinkReconnecting, "down"},
		{20, func(l *Link, _ time.Time) { l.gone("a") }, engine.LinkLive, ""},
	}
	changes := 0
	l := NewLink(at, true, func() { changes++ })
	var since time.Time
	state := engine.LinkState(99)
	for _, s := range steps {
		now := at.Add(s.after * time.Second)
		s.do(l, now)
		v, next := l.View(now, time.Hour)
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
	l := NewLink(time.Now(), true, func() {})
	l.load()
	asleep := time.Now()
	l.ok(sourceProbe, asleep)
	if v, _ := l.View(asleep.Round(0).Add(time.Hour), 0); v.State != engine.LinkStale {
		t.Errorf("after an hour of sleep the link is %v", v.State)
	}
}
