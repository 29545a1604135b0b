package history

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/client-go/rest"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/watch"
	"github.com/stagewatch/stagewatch/watch/faults"
)

// TestClosedSessionsLeaveNothing checks that a session that is closed, as when a person goes to
// another context, leaves neither its rows nor goroutines behind (docs/promises.md#i22).
func TestClosedSessionsLeaveNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := start(t)
		const rows = 200
		for i := range rows {
			o := aRun(fmt.Sprint("run-", i), "web")
			o["metadata"].(map[string]any)["annotations"] = map[string]any{"note": strings.Repeat(fmt.Sprint(i, " "), 500)}
			s.server.Put(runs, o)
		}
		once := func() (heap, goroutines int) {
			session, err := watch.Open(t.Context(), watch.Config{Context: "hub", REST: &rest.Config{Host: "http://hub.example", Transport: &faults.Transport{Handler: s.proxy}}})
			if err != nil {
				t.Fatal(err)
			}
			s.session = session
			s.within(time.Minute, "all rows", func(snap *engine.Snapshot) bool { return isLive(snap) && len(snap.Runs) == rows })
			session.Close()
			s.last, s.session = nil, nil
			time.Sleep(time.Second) // the runtime keeps a timer that was stopped, and what it refers to, until time goes on
			synctest.Wait()
			runtime.GC()
			runtime.GC() // pools drop what they hold in two collections
			var stats runtime.MemStats
			runtime.ReadMemStats(&stats)
			return int(stats.HeapAlloc), runtime.NumGoroutine()
		}
		once()
		heap, goroutines := once()
		for range 6 { // what a session leaves behind adds up
			heapAfter, goroutinesAfter := once()
			if heapAfter > heap+2<<20 || goroutinesAfter > goroutines {
				t.Fatalf("%d KiB and %d goroutines after another session, was %d KiB and %d", heapAfter>>10, goroutinesAfter, heap>>10, goroutines)
			}
		}
	})
}
