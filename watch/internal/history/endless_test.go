package history

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/watch/faults"
)

// TestEndlessList checks that a list whose pages never end is cut off, is not called
// complete, and is named (docs/promises.md#i15).
func TestEndlessList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := start(t)
		var pages atomic.Int64
		lists := faults.Both(faults.Resource(runs), ofStream)
		s.proxy.SetServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !lists(r) {
				s.server.ServeHTTP(w, r)
				return
			}
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"metadata":{"resourceVersion":"100","continue":"more"},"items":[{"metadata":{"name":"run-%d"}}]}`, pages.Add(1))
		}))
		s.open()
		named := func(snap *engine.Snapshot) bool {
			return !snap.Complete && len(snap.Scope.Notes) > 0 && strings.Contains(fmt.Sprint(snap.Scope.Notes), "truncated at 2000 objects")
		}
		s.within(time.Minute, "a note", named)
		time.Sleep(time.Minute)
		s.drain()
		if n := pages.Load(); n > 2000 || !named(s.last) {
			t.Errorf("%d pages were read: %s", n, describe(s.last))
		}
	})
}
