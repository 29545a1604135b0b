//go:build linux

package history

import (
	"encoding/pem"
	"flag"
	"fmt"
	"io"
	"log"
	"net/http/httptest"
	"runtime"
	"slices"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"github.com/stagewatch/stagewatch/watch"
	"github.com/stagewatch/stagewatch/watch/faults"
)

// losses is how often each session loses all its connections.
var losses = flag.Int("losses", 14, "times that a session loses all its connections")

// figures are what a process uses.
type figures struct {
	descriptors, goroutines int
	heap                    uint64 // KiB
}

func measured() figures {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return figures{faults.Descriptors(), runtime.NumGoroutine(), stats.HeapAlloc >> 10}
}

// TestDescriptorsStayFlat checks that lost connections leave no file descriptors behind, with
// both versions of HTTP at the same time, nor goroutines or memory (docs/promises.md#i22). With
// -losses it goes on for longer.
func TestDescriptorsStayFlat(t *testing.T) {
	before := faults.Descriptors()
	t.Run("connections", loseConnections)
	// What is left of a lost connection stays when its session is closed. Sockets close a
	// moment later.
	for began := time.Now(); faults.Descriptors() > before+3; time.Sleep(10 * time.Millisecond) {
		if time.Since(began) > 10*time.Second {
			t.Fatalf("%d descriptors before the sessions, %d after them", before, faults.Descriptors())
		}
	}
}

// loseConnections has sessions that lose all their connections again and again.
func loseConnections(t *testing.T) {
	for _, http2 := range []bool{false, true} {
		t.Run(fmt.Sprintf("http2 %v", http2), func(t *testing.T) {
			t.Parallel() // with the other one only: descriptors are those of the process
			s := start(t)
			srv := httptest.NewUnstartedServer(s.proxy)
			srv.EnableHTTP2, srv.Config.ErrorLog = http2, log.New(io.Discard, "", 0)
			srv.StartTLS()
			session, err := watch.Open(t.Context(), watch.Config{Context: "hub", REST: &rest.Config{Host: srv.URL, TLSClientConfig: rest.TLSClientConfig{
				CAData: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: srv.Certificate().Raw}),
			}}})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				session.Close()
				srv.CloseClientConnections()
				srv.Close()
			})
			s.session = session
			s.within(20*time.Second, "live", isLive)
			var open []int
			var settled figures // after the first losses
			for began := time.Now(); len(open) < *losses; {
				if len(open) == min(*losses, 50)/2 {
					settled = measured()
				}
				if len(open) == *losses-1 {
					t.Logf("after %d losses of all connections in %v: %+v, was %+v", *losses, time.Since(began).Round(time.Second), measured(), settled)
				}
				srv.CloseClientConnections()
				name := fmt.Sprint("run-", len(open))
				s.server.Delete(runs, "", fmt.Sprint("run-", len(open)-1))
				s.server.Put(runs, aRun(name, "web"))
				s.within(20*time.Second, name, has(name))
				open = append(open, faults.Descriptors())
			}
			// How many connections are open varies with what is under way.
			if t.Logf("%d to %d descriptors", slices.Min(open), slices.Max(open)); slices.Max(open) > 100 {
				t.Errorf("descriptors are left behind: %v", open)
			}
			if now := measured(); now.goroutines > settled.goroutines+100 || now.heap > settled.heap+32<<10 {
				t.Errorf("%+v, was %+v after %d losses", now, settled, min(*losses, 50)/2)
			}
		})
	}
}
