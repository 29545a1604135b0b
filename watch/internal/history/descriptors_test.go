//go:build linux

package history

import (
	"encoding/pem"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/stagewatch/stagewatch/watch"
	"github.com/stagewatch/stagewatch/watch/faults"
)

var (
	// losses is how often each session loses all its connections.
	losses = flag.Int("losses", 14, "times that a session loses all its connections")
	// every is the time between two losses; without it, each waits for the recovery before.
	every = flag.Duration("every", 0, "lose all connections at this interval, recovered or not; each hundredth time is recovered from")
	// behind is the kubeconfig of the API server, for example that of the demo with --serve;
	// without it, one in memory.
	behind = flag.String("behind", "", "kubeconfig of the hub whose connections are lost")
)

// forgotten is when nothing is left of a lost connection.
const forgotten = 2 * time.Minute

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

// exceeds reports whether f is more than what two sessions on an idle connection differ by.
func (f figures) exceeds(other figures) bool {
	return f.descriptors > other.descriptors+3 || f.goroutines > other.goroutines+5 || f.heap > other.heap+2<<10
}

// TestDescriptorsStayFlat checks that lost connections leave no file descriptors behind, with
// both versions of HTTP at the same time, nor goroutines or memory (docs/promises.md#i22). With
// -losses it goes on for longer, with -behind on an API server of another process.
func TestDescriptorsStayFlat(t *testing.T) {
	if os.Getenv(aloneEnv) == "" {
		t.Parallel() // it waits for connections for most of its time
		playAlone(t)
		return
	}
	before := measured()
	t.Run("connections", loseConnections)
	// What is left of a lost connection stays when its session is closed. Sockets close a
	// moment later, and net/http keeps 20 KB of a lost HTTP/2 connection for 90 s.
	after := measured()
	for began := time.Now(); after.exceeds(before); after = measured() {
		if took := time.Since(began); took > forgotten || took > 10*time.Second && after.descriptors > before.descriptors+3 {
			t.Fatalf("%+v before the sessions, %+v after them", before, after)
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Logf("%+v before the sessions, %+v after them", before, after)
}

// aloneEnv tells this test binary that a test has the process for itself.
const aloneEnv = "STAGEWATCH_TEST_ALONE"

// playAlone runs the test in a process of its own, with the flags of this one.
func playAlone(t *testing.T) {
	t.Helper()
	args := []string{"-test.run=^" + t.Name() + "$", "-test.v"}
	flag.Visit(func(f *flag.Flag) {
		if f.Name == "test.timeout" || !strings.HasPrefix(f.Name, "test.") {
			args = append(args, "-"+f.Name+"="+f.Value.String())
		}
	})
	alone := exec.CommandContext(t.Context(), os.Args[0], args...)
	alone.Env = append(os.Environ(), aloneEnv+"=1")
	out, err := alone.CombinedOutput()
	t.Logf("%s", out)
	if err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()) {
		t.Errorf("alone: %v", err)
	}
}

// loseConnections has sessions that lose all their connections again and again.
func loseConnections(t *testing.T) {
	for _, http2 := range []bool{false, true} {
		t.Run(fmt.Sprintf("http2 %v", http2), func(t *testing.T) {
			t.Parallel() // with the other one only: descriptors are those of the process
			s := start(t)
			replace := s.replaceRun
			if *behind != "" {
				replace = s.passOn(*behind, fmt.Sprintf("http%v", http2))
			}
			most := 100
			if *behind != "" { // more sets
				most = 200
			}
			var connections, watches atomic.Int64
			s.proxy.Observe(func(r *http.Request) {
				if faults.LongWatches(r) {
					watches.Add(1)
				}
			})
			srv := httptest.NewUnstartedServer(s.proxy)
			srv.EnableHTTP2, srv.Config.ErrorLog = http2, log.New(io.Discard, "", 0)
			srv.Config.ConnState = func(_ net.Conn, state http.ConnState) {
				if state == http.StateNew {
					connections.Add(1)
				}
			}
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
			began := time.Now()
			for i := range *losses {
				last := i == *losses-1
				srv.CloseClientConnections()
				if *every > 0 && i%100 != 99 && !last {
					s.readFor(*every)
					continue
				}
				name := replace(i)
				s.within(20*time.Second, name, has(name))
				now := measured()
				open = append(open, now.descriptors)
				if settled.goroutines == 0 && i >= min(*losses, 50)/2 {
					settled = now
				}
				if last || i%1000 == 999 {
					t.Logf("after %d losses of all connections in %v: %+v, was %+v; %d connections, %d watches", i+1, time.Since(began).Round(time.Second), now, settled, connections.Load(), watches.Load())
				}
				if last && (now.goroutines > settled.goroutines+100 || now.heap > settled.heap+32<<10) {
					t.Errorf("%+v after %d losses, was %+v", now, *losses, settled)
				}
			}
			// How many connections are open varies with what is under way, and with the sets.
			if t.Logf("%d to %d descriptors", slices.Min(open), slices.Max(open)); slices.Max(open) > most {
				t.Errorf("descriptors are left behind: %v", open)
			}
		})
	}
}

// readFor reads Snapshots for a time.
func (s *situation) readFor(d time.Duration) {
	ctx, cancel := timeout(s.t, d)
	defer cancel()
	for {
		snap, err := s.session.Next(ctx)
		if err != nil {
			return
		}
		s.last = snap
	}
}

// replaceRun creates a run on the server in memory, deletes the one before, and returns its name.
func (s *situation) replaceRun(i int) string {
	name := fmt.Sprint("run-", i)
	s.server.Delete(runs, "", fmt.Sprint("run-", i-1))
	s.server.Put(runs, aRun(name, "web"))
	return name
}

// passOn passes requests on to the API server of a kubeconfig. It returns what replaces a run
// there.
func (s *situation) passOn(kubeconfig, prefix string) (replace func(i int) string) {
	s.t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		s.t.Fatal(err)
	}
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		s.t.Fatal(err)
	}
	hub, err := url.Parse(config.Host)
	if err != nil {
		s.t.Fatal(err)
	}
	s.proxy.SetServer(&httputil.ReverseProxy{
		FlushInterval: -1, Transport: client.Transport,
		Rewrite:      func(r *httputil.ProxyRequest) { r.SetURL(hub) },
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) },
	})
	last := ""
	send := func(method, path, body string, code int) {
		req, err := http.NewRequestWithContext(s.t.Context(), method, config.Host+"/apis/placement.kubernetes-fleet.io/v1beta1/"+runs+path, strings.NewReader(body))
		if err != nil {
			s.t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		resp, err := client.Do(req)
		if err != nil {
			s.t.Fatal(err)
		}
		defer resp.Body.Close()
		if answer, _ := io.ReadAll(resp.Body); resp.StatusCode != code {
			s.t.Fatalf("%s %s: %s %s", method, path, resp.Status, answer)
		}
	}
	return func(i int) string {
		if last != "" {
			send(http.MethodDelete, "/"+last, "", http.StatusOK)
		}
		last = fmt.Sprintf("%s-%d-%d", prefix, time.Now().Unix(), i)
		send(http.MethodPost, "", fmt.Sprintf(`{"apiVersion":"placement.kubernetes-fleet.io/v1beta1","kind":"ClusterStagedUpdateRun","metadata":{"name":%q},
			"spec":{"placementName":"web","stagedRolloutStrategyName":"rings"}}`, last), http.StatusCreated)
		return last
	}
}
