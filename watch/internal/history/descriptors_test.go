//go:build linux

package history

import (
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"github.com/stagewatch/stagewatch/watch"
	"github.com/stagewatch/stagewatch/watch/faults"
)

// TestDescriptorsStayFlat checks that lost connections leave no file descriptors behind, with
// both versions of HTTP at the same time (docs/promises.md#i22). With -history it goes on for longer.
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
			for began := time.Now(); len(open) < 14 || time.Since(began) < *long; {
				srv.CloseClientConnections()
				name := fmt.Sprint("run-", len(open))
				s.server.Delete(runs, "", fmt.Sprint("run-", len(open)-1))
				s.server.Put(runs, aRun(name, "web"))
				s.within(20*time.Second, name, has(name))
				open = append(open, faults.Descriptors())
			}
			// How many connections are open varies with what is under way.
			if t.Logf("descriptors: %v", open); slices.Max(open) > 100 {
				t.Errorf("descriptors are left behind: %v", open)
			}
		})
	}
}
