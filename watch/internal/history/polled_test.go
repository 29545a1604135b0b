package history

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/watch/faults"
)

// TestListsAloneAreLive checks that a hub whose watches fail while its lists are answered is
// live without a break, with rows that are a few seconds old, that the screen says which watches
// fail and why, and that it stops saying so once they bring something again.
func TestListsAloneAreLive(t *testing.T) {
	t.Parallel()
	const settled = 20 * time.Second
	ofRuns := faults.Both(faults.Watches, faults.Resource(runs))
	for name, tt := range map[string]struct {
		rule faults.Rule
		want string
	}{
		"hang":         {faults.Rule{Kind: faults.Hang, Of: faults.Watches}, "all watches fail: no answer in time"},
		"hang, one":    {faults.Rule{Kind: faults.Hang, Of: ofRuns}, "watches of " + runs + " fail: no answer in time"},
		"silent":       {faults.Rule{Kind: faults.Silence, Of: faults.Watches}, "all watches fail: they bring nothing"},
		"muted":        {faults.Rule{Kind: faults.Mute, Of: faults.Watches}, "all watches fail: they bring nothing"},
		"cut":          {faults.Rule{Kind: faults.Cut, Of: faults.Watches}, "all watches fail: the connection was closed"},
		"bad gateway":  {faults.Rule{Kind: faults.Status, Code: 502, Of: faults.Watches}, "all watches fail: a fault"},
		"busy":         {faults.Rule{Kind: faults.Status, Code: 429, RetryAfter: 1, Of: faults.Watches}, "all watches fail: a fault"},
		"forbidden":    {faults.Rule{Kind: faults.Status, Code: 403, Of: faults.Watches}, "all watches fail: a fault"},
		"unauthorized": {faults.Rule{Kind: faults.Status, Code: 401, Of: ofRuns}, "watches of " + runs + " fail: a fault"},
		"empty":        {faults.Rule{Kind: faults.Empty, Of: faults.Watches}, "all watches fail: they end at once"},
		"html":         {faults.Rule{Kind: faults.HTML, Of: faults.Watches}, "all watches fail: read event: read '<'"},
		"poisoned":     {faults.Rule{Kind: faults.Poison, Of: faults.Watches}, "all watches fail: a fault"},
	} {
		t.Run(name, func(t *testing.T) {
			compressed(t, func(s *situation) {
				s.proxy.Set(faults.Rule{Kind: faults.Cut, Of: faults.Watches})
				s.proxy.Set(tt.rule)
				for began := time.Now(); time.Since(began) < 2*time.Minute; {
					time.Sleep(100 * time.Millisecond)
					s.drain()
					if time.Since(began) > settled && (!isLive(s.last) || !strings.HasPrefix(s.last.Link.Polled.String(), tt.want)) {
						t.Fatalf("%v after watches failed: polled %q, %s", time.Since(began), s.last.Link.Polled, describe(s.last))
					}
				}
				s.proxy.Set()
				s.server.Put(runs, aRun("second", "web"))
				s.within(time.Minute, "the change", has("second"))
				if tt.rule.Kind != faults.Mute { // of which the open watches stay muted
					for n := range 50 { // with changes all the time no check is without news
						s.server.Put(runs, aRun(fmt.Sprint("busy-", n%3), "web"))
						time.Sleep(100 * time.Millisecond)
					}
					if s.drain(); strings.Contains(s.last.Link.Polled.String(), runs) {
						t.Errorf("while changes come: polled %q", s.last.Link.Polled)
					}
				}
				time.Sleep(4 * time.Minute) // muted watches have ended, and each set has a bookmark
				if s.drain(); !s.last.Link.Polled.IsZero() || !isLive(s.last) {
					t.Errorf("after the fault: polled %q, %s", s.last.Link.Polled, describe(s.last))
				}
			})
		})
	}
}

// TestListsThatFailTooAreNotLive checks that a set which lists kept current is not called live
// when they are not answered any more, and that the lists are named.
func TestListsThatFailTooAreNotLive(t *testing.T) {
	compressed(t, func(s *situation) {
		ofRuns := faults.Resource(runs)
		s.proxy.Set(faults.Rule{Kind: faults.Cut, Of: faults.Watches})
		s.proxy.Set(faults.Rule{Kind: faults.Hang, Of: faults.Both(faults.Watches, ofRuns)})
		time.Sleep(30 * time.Second)
		s.proxy.Set(faults.Rule{Kind: faults.Hang, Of: func(r *http.Request) bool { return ofRuns(r) && (faults.Watches(r) || faults.WholeLists(r)) }})
		time.Sleep(mostAge)
		for began := time.Now(); time.Since(began) < time.Minute; {
			time.Sleep(100 * time.Millisecond)
			if s.drain(); s.last.Link.State != engine.LinkReconnecting || !s.last.Link.Answers || !s.last.Link.Polled.IsZero() {
				t.Fatalf("polled %q, %s", s.last.Link.Polled, describe(s.last))
			}
		}
	})
}
