package client

import (
	"encoding/pem"
	"flag"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"github.com/stagewatch/stagewatch/engine"
)

// reconnects is how many connections TestReconnectsLeaveNothing loses with each version of HTTP.
var reconnects = flag.Int("reconnects", 100, "lose this many connections")

// TestReconnectsLeaveNothing loses the TCP connection under an open watch again and again, and
// compares descriptors and goroutines with those after the first ones (docs/promises.md#i22).
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
			files, routines := 0, 0
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
					files, routines = descriptors(t), runtime.NumGoroutine()
				}
			}
			// The server notices a moment later.
			for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
				now, goroutines := descriptors(t), runtime.NumGoroutine()
				if now <= files+settled && goroutines <= routines+settled {
					t.Logf("%d descriptors and %d goroutines after %d connections, %d and %d after %d", files, routines, settled, now, goroutines, *reconnects)
					return
				}
				if time.Since(began) > 10*time.Second {
					t.Fatalf("%d descriptors and %d goroutines after %d connections, %d and %d after %d", files, routines, settled, now, goroutines, *reconnects)
				}
			}
		})
	}
}

// descriptors counts the open ones of the process.
func descriptors(t *testing.T) int {
	t.Helper()
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(files)
}
