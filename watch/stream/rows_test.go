package stream

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/client-go/rest"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/watch/client"
	"github.com/stagewatch/stagewatch/watch/faults"
	"github.com/stagewatch/stagewatch/watch/internal/task"
	"github.com/stagewatch/stagewatch/watch/link"
	"github.com/stagewatch/stagewatch/watch/store"
)

// connecting is a transport that says when it has a connection, as those of Go do.
type connecting struct{ http.RoundTripper }

func (c connecting) RoundTrip(r *http.Request) (*http.Response, error) {
	if trace := httptrace.ContextClientTrace(r.Context()); trace != nil && trace.GotConn != nil {
		trace.GotConn(httptrace.GotConnInfo{})
	}
	return c.RoundTripper.RoundTrip(r)
}

// slowHub is a server that serves one version and prints tables. It takes a while for the
// versions that it serves, and a second for each list.
type slowHub struct {
	http.Handler
	version string
	takes   time.Duration
	began   time.Time

	mu  sync.Mutex
	log []string // what came, and when
}

func (h *slowHub) note(what string) {
	h.mu.Lock()
	h.log = append(h.log, fmt.Sprintf("%s %s", time.Since(h.began), what))
	h.mu.Unlock()
}

func (h *slowHub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	say := func(code int, o map[string]any) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		json.NewEncoder(w).Encode(o)
	}
	switch {
	case len(parts) == 2:
		h.note("versions")
		time.Sleep(h.takes)
		say(http.StatusOK, map[string]any{"kind": "APIGroup", "versions": []any{map[string]any{"version": h.version}}})
	case parts[2] != h.version:
		h.note("not served: " + parts[2] + " " + parts[3])
		say(http.StatusNotFound, map[string]any{"kind": "Status", "reason": "NotFound"})
	case strings.Contains(r.Header.Get("Accept"), "as=Table"):
		h.note("rows")
		say(http.StatusOK, map[string]any{"kind": "Table", "rows": []any{}})
	case faults.Lists(r):
		if h.note("list of " + parts[3]); r.URL.Query().Get("limit") == "" {
			time.Sleep(time.Second)
		}
		fallthrough
	default:
		h.Handler.ServeHTTP(w, r)
	}
}

// The rows are asked for before the hub has said which versions it serves, and again if that
// failed or is old. Nothing else goes before the lists that the screen waits for.
func TestRowsAreAskedForFirst(t *testing.T) {
	const runs, approvals = "list of clusterstagedupdateruns", "list of clusterapprovalrequests"
	for _, tt := range []struct {
		version string
		takes   time.Duration
		want    []string
	}{
		{"v1beta1", time.Second, []string{"0s rows", "0s versions", "1s " + approvals, "1s " + runs, "1s started", "2s loaded"}},
		{"v1", time.Second, []string{"0s not served: v1beta1 clusterstagedupdateruns", "0s versions", "1s " + approvals, "1s " + runs, "1s rows", "1s started", "2s loaded"}},
		{"v1beta1", 3 * time.Second, []string{"0s rows", "0s versions", "3s " + approvals, "3s " + runs, "3s rows", "3s started", "4s loaded"}},
	} {
		synctest.Test(t, func(t *testing.T) {
			h := &slowHub{Handler: faults.NewAPIServer(), version: tt.version, takes: tt.takes, began: time.Now()}
			hub, err := client.New(engine.NewHubName("hub", ""), &rest.Config{Host: "http://hub.example", Transport: connecting{&faults.Transport{Handler: h}}})
			if err != nil {
				t.Fatal(err)
			}
			var work task.Group
			defer work.Wait()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			k := New(Config{
				Hub: hub, Link: link.New(time.Now(), true, func() {}), In: store.NewInbox(), Work: &work,
				Settings: engine.Settings{ClusterRuns: true},
				Started:  func() { h.note("started") }, Loaded: func() { h.note("loaded") },
			})
			work.Go(func() { k.Run(ctx) })
			time.Sleep(tt.takes + time.Second - time.Millisecond)
			synctest.Wait()
			h.mu.Lock()
			got := slices.Clone(h.log)
			h.mu.Unlock()
			time.Sleep(time.Minute)
			synctest.Wait()
			h.mu.Lock()
			for _, l := range h.log {
				if strings.HasSuffix(l, " loaded") {
					got = append(got, l)
				}
			}
			h.mu.Unlock()
			slices.Sort(got)
			if !slices.Equal(got, tt.want) {
				t.Errorf("%s, after %s:\n%s\nwant\n%s", tt.version, tt.takes, strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
		})
	}
}

// A session begins with one connection: what is asked for early waits for that of the first request.
func TestASessionBeginsWithOneConnection(t *testing.T) {
	var connections atomic.Int64
	s := httptest.NewUnstartedServer(faults.NewAPIServer())
	s.EnableHTTP2 = true
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	s.StartTLS()
	defer s.Close()
	hub, err := client.New(engine.NewHubName("hub", ""), &rest.Config{Host: s.URL, TLSClientConfig: rest.TLSClientConfig{Insecure: true}})
	if err != nil {
		t.Fatal(err)
	}
	var work task.Group
	ctx, cancel := context.WithCancel(t.Context())
	loaded := make(chan struct{})
	k := New(Config{
		Hub: hub, Link: link.New(time.Now(), true, func() {}), In: store.NewInbox(), Work: &work,
		Settings: engine.Settings{ClusterRuns: true, NamespacedRuns: true},
		Started:  func() {}, Loaded: func() { close(loaded) },
	})
	work.Go(func() { k.Run(ctx) })
	<-loaded
	cancel()
	hub.Close()
	work.Wait()
	if n := connections.Load(); n != 1 {
		t.Errorf("%d connections", n)
	}
}
