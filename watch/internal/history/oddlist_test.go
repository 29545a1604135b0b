package history

import (
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/watch/faults"
)

// TestOddLists checks that a list without a resourceVersion, or of items that are not
// objects, is no state of its set: what it has is not shown, and the header names it.
func TestOddLists(t *testing.T) {
	for list, want := range map[string]string{
		`{"metadata":{},"items":[{"metadata":{"name":"odd"}}]}`:                                                         "no resourceVersion",
		`{"metadata":{"resourceVersion":"200"},"items":[` + strings.Repeat(`{"metadata":{"name":"odd"}},`, 200) + `7]}`: "an item is not an object",
		`{"metadata":{"resourceVersion":"200"}}`:                                                                        "no items",
	} {
		t.Run(want, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := start(t)
				s.server.Put(runs, aRun("first", "web"))
				var odd atomic.Bool
				odd.Store(true)
				lists := faults.Both(faults.Resource(runs), ofStream)
				s.proxy.SetServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if !lists(r) || !odd.Load() {
						s.server.ServeHTTP(w, r)
						return
					}
					w.Header().Set("Content-Type", "application/json")
					io.WriteString(w, list)
				}))
				s.open()
				named := func(snap *engine.Snapshot) bool {
					return snap.Link.State == engine.LinkReconnecting && !snap.Complete && len(snap.Runs) == 0 &&
						strings.Contains(snap.Link.Err.String(), "read list of "+runs+": "+want)
				}
				s.within(time.Minute, "the error", named)
				for began := time.Now(); time.Since(began) < 20*time.Second; time.Sleep(10 * time.Millisecond) {
					if s.drain(); !named(s.last) {
						t.Fatalf("%v later: %s", time.Since(began), describe(s.last))
					}
				}
				odd.Store(false)
				s.within(2*time.Second, "the runs", has("first"))
			})
		})
	}
}
