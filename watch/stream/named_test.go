package stream

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/watch/faults"
	"github.com/stagewatch/stagewatch/watch/stream/printed"
)

// TestNamedObjectsAreReadAgain checks that objects which are read one by one are read again and again, and that the
// set is listed and watched instead if that takes so long that they would be stale.
func TestNamedObjectsAreReadAgain(t *testing.T) {
	for delay, listed := range map[time.Duration]bool{time.Second: false, 4500 * time.Millisecond: true} {
		keep(t, func(k *kept) {
			settle()
			k.stream.names = &printed.Chosen{Names: []printed.Name{{Name: "first"}}}
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

// TestTheListAfterNamedObjects checks that the list of a set whose objects take too long is not older than these were, and
// is given as much time.
func TestTheListAfterNamedObjects(t *testing.T) {
	slowly := func(k *kept, reads, lists time.Duration) {
		k.proxy.Set(faults.Rule{Kind: faults.Delay, For: reads, Of: func(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, "/first") }},
			faults.Rule{Kind: faults.Delay, For: lists, Of: func(r *http.Request) bool { return faults.Lists(r) && !r.URL.Query().Has("limit") }})
	}
	compareOf(t, engine.KindClusterStagedUpdateRun, "", func(c *compared) {
		replica := c.api.Replica()
		c.proxy.SetServer(replica)
		replica.SetLag(20 * time.Second)
		time.Sleep(30 * time.Second)
		c.version, c.loaded, c.took, c.names = "", false, 0, &printed.Chosen{Names: []printed.Name{{Name: "first"}}}
		version := c.put("first", "changed")
		if err := c.listOrNamed(c.ctx); err != nil || c.shown("first") != version {
			t.Fatal(err)
		}
		slowly(c.kept, namedWithin+time.Second, 1500*time.Millisecond)
		if err := c.listOrNamed(c.ctx); err != nil || c.names != nil || !c.slow.IsZero() {
			t.Errorf("%v; names %v; the list was given up: %v", err, c.names, !c.slow.IsZero())
		}
		if got := c.shown("first"); got != version {
			t.Errorf("the list shows version %s after %s", got, version)
		}
	})
}
