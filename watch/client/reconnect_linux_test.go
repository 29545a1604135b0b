package client

import (
	"encoding/pem"
	"flag"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"runtime"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/watch/faults"
)

// reconnects is how many connections TestReconnectsLeaveNothing loses with each version of HTTP.
var reconnects = flag.Int("reconnects", 100, "lose this many connections")

// TestReconnectsLeaveNothing loses the TCP connection under an open watch again and again, and
// compares descriptors, goroutines and heap with those after the first ones (docs/promises.md#i22).
func TestReconnectsLeaveNothing(t *testing.T) {
	for _, http2 := range []bool{false, true} {
		t.Run(fmt.Sprintf("http2 %v", http2), func(t *testing.T) {
			srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if http.NewResponseController(w).Flush() == nil { // else the client is gone already
					<-r.Context().Done()
				}
			}))
			srv.EnableHTTP2, srv.Config.ErrorLog = http2, log.New(io.Discard, "", 0)
			srv.StartTLS()
			defer srv.Close()
			c, err := New(engine.NewHubName("hub", ""), &rest.Config{Host: srv.URL, TLSClientConfig: rest.TLSClientConfig{
				CAData: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: srv.Certificate().Raw}),
			}})
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			const settled = 20
			var early left
			for n := range *reconnects {
				body, err := c.Stream(t.Context(), c.At(http.MethodGet, engine.KindClusterStagedUpdateRun, "", ""), Limits{})
				if err != nil {
					t.Fatal(err)
				}
				c.Cut()
				if _, err := body.Read(make([]byte, 1)); err == nil {
					t.Fatal("the connection was not lost")
				}
				if err := body.Close(); err != nil {
					t.Fatal(err)
				}
				if n == settled {
					early = whatIsLeft()
				}
			}
			// The server notices a moment later, and net/http keeps 20 KB of a connection of HTTP/2
			// for 90 seconds.
			for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
				now := whatIsLeft()
				says := fmt.Sprintf("%+v after %d connections, %+v after %d", early, settled, now, *reconnects)
				if now.descriptors <= early.descriptors+settled && now.goroutines <= early.goroutines+settled && now.heapKiB <= early.heapKiB+mostHeapKiB {
					t.Log(says)
					return
				}
				if time.Since(began) > 2*time.Minute {
					t.Fatal(says)
				}
			}
		})
	}
}

// mostHeapKiB is how much larger the heap may be after lost connections.
const mostHeapKiB = 4096

// left is what lost connections may leave behind.
type left struct{ descriptors, goroutines, heapKiB int }

func whatIsLeft() left {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return left{faults.Descriptors(), runtime.NumGoroutine(), int(m.HeapAlloc >> 10)}
}
