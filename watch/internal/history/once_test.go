package history

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/client-go/rest"

	"github.com/stagewatch/stagewatch/watch"
	"github.com/stagewatch/stagewatch/watch/faults"
)

// TestOnceRetries checks how long a command waits for the runs: while the API server answers
// that it cannot give them yet, or answers only other requests, for half a minute; without
// any answer for five seconds.
func TestOnceRetries(t *testing.T) {
	for name, c := range map[string]struct {
		rule  faults.Rule
		lasts time.Duration
		fails string // empty for a success
		most  time.Duration
	}{
		"storage initializes":         {faults.Rule{Kind: faults.Status, Code: 429, RetryAfter: 1}, 20 * time.Second, "", 25 * time.Second},
		"storage initializes forever": {faults.Rule{Kind: faults.Status, Code: 429, RetryAfter: 1}, time.Hour, "a fault", 50 * time.Second},
		"lists hang":                  {faults.Rule{Kind: faults.Hang, Of: ofStream}, 20 * time.Second, "", 30 * time.Second},
		"lists hang forever":          {faults.Rule{Kind: faults.Hang, Of: ofStream}, time.Hour, "no answer in time", 50 * time.Second},
		"nothing is answered":         {faults.Rule{Kind: faults.Hang}, time.Hour, "no answer in time", 6 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := start(t)
				s.server.Put(runs, aRun("first", "web"))
				s.proxy.Set(c.rule)
				end := time.AfterFunc(c.lasts, func() { s.proxy.Set() })
				defer end.Stop()
				began := time.Now()
				snap, err := watch.Once(t.Context(), watch.Config{
					Context: "hub", REST: &rest.Config{Host: "http://hub.example", Transport: &faults.Transport{Handler: s.proxy}},
				}, watch.Reading{})
				took := time.Since(began)
				t.Logf("after %v: %v", took, err)
				switch {
				case took > c.most:
					t.Errorf("took %v, at most %v are allowed", took, c.most)
				case c.fails == "" && (err != nil || len(snap.Runs) != 1):
					t.Errorf("no run: %v", err)
				case c.fails != "" && (err == nil || !strings.Contains(err.Error(), c.fails)):
					t.Errorf("%v, want %q", err, c.fails)
				}
			})
		})
	}
}
