package stream

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stagewatch/stagewatch/watch/faults"
	"github.com/stagewatch/stagewatch/watch/stream/printed"
)

// TestNamedObjectsAreReadAgain checks that objects which are read one by one are read again and again, and that the
// set is listed and watched instead if that takes so long that they would be stale.
func TestNamedObjectsAreReadAgain(t *testing.T) {
	for delay, listed := range map[time.Duration]bool{time.Second: false, 4500 * time.Millisecond: true} {
		keep(t, func(k *kept) {
			settle()
			k.stream.names = []printed.Name{{Name: "first"}}
			var reads atomic.Int64
			k.proxy.Set(faults.Rule{Kind: faults.Delay, For: delay, Of: func(r *http.Request) bool {
				named := strings.HasSuffix(r.URL.Path, "/first")
				if named {
					reads.Add(1)
				}
				return named
			}})
			at := time.Now()
			k.stream.listAgain()
			time.Sleep(30 * time.Second)
			settle()
			if lists, _ := k.since(at); (lists > 0) != listed || (k.stream.names == nil) != listed {
				k.t.Errorf("objects that take %v: %d lists, names %v", delay, lists, k.stream.names)
			}
			if n := reads.Load(); n < 8 && !listed || n != 1 && listed {
				k.t.Errorf("objects that take %v were read %d times in half a minute", delay, n)
			}
		})
	}
}
