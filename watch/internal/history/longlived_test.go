package history

import (
	"flag"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stagewatch/stagewatch/watch/faults"
)

// events is how many events TestLongSession sends, a hundred of them in each watch.
var events = flag.Int64("events", 20_000, "events that a long session gets")

// TestLongSession checks that events and reconnects leave neither memory nor goroutines
// behind (docs/promises.md#i22).
func TestLongSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := start(t)
		var version, reconnects atomic.Int64
		version.Store(1000)
		of := faults.Resource(runs)
		run := func(n int64) string {
			return fmt.Sprintf(`{"metadata":{"name":"run-%d","uid":"u-%d","resourceVersion":"%d"},"spec":{"placementName":"web","state":"Run"},"status":{"conditions":[{"type":"Progressing","status":"True","reason":"r-%d"}]}}`, n%50, n%50, n, n%7)
		}
		s.proxy.SetServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch {
			case !of(r) || strings.Contains(r.Header.Get("Accept"), "as=Table"):
				s.server.ServeHTTP(w, r)
			case faults.LongWatches(r) && version.Load() < 1000+*events:
				reconnects.Add(1)
				for range 100 {
					if _, err := fmt.Fprintf(w, `{"type":"MODIFIED","object":%s}`, run(version.Add(1))); err != nil {
						return
					}
				}
			case faults.Watches(r):
				w.(http.Flusher).Flush()
				select {
				case <-time.After(3 * time.Second):
				case <-r.Context().Done():
				}
			default:
				w.Header().Set("Content-Type", "application/json")
				fmt.Fprintf(w, `{"metadata":{"resourceVersion":"%d"},"items":[%s]}`, version.Load(), run(version.Load()))
			}
		}))
		s.open()
		figures := func() (heap, goroutines int64) {
			synctest.Wait()
			runtime.GC()
			var stats runtime.MemStats
			runtime.ReadMemStats(&stats)
			return int64(stats.HeapAlloc), int64(runtime.NumGoroutine())
		}
		until := func(n int64) {
			for version.Load() < 1000+n {
				time.Sleep(time.Second)
				s.drain()
			}
		}
		until(*events / 2)
		heap, goroutines := figures()
		until(*events)
		heapAfter, goroutinesAfter := figures()
		t.Logf("%d events, %d reconnects: heap %d KiB, then %d KiB; goroutines %d, then %d", *events, reconnects.Load(), heap>>10, heapAfter>>10, goroutines, goroutinesAfter)
		if reconnects.Load() < *events/100 || heapAfter > heap+4<<20 || goroutinesAfter > goroutines+10 {
			t.Errorf("after %d events and %d reconnects: heap %d KiB, was %d KiB; %d goroutines, were %d", *events, reconnects.Load(), heapAfter>>10, heap>>10, goroutinesAfter, goroutines)
		}
	})
}
