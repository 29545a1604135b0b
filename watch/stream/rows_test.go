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
	"github.com/stagewatch/stagewatch/watch/stream/printed"
)

// connecting is a transport that says when it has a connection, as those of Go do, and takes a while
// for the first one.
type connecting struct {
	http.RoundTripper
	takes time.Duration
}

func (c *connecting) RoundTrip(r *http.Request) (*http.Response, error) {
	if trace := httptrace.ContextClientTrace(r.Context()); trace != nil && trace.GotConn != nil {
		trace.GetConn("hub.example:80")
		time.Sleep(c.takes)
		trace.GotConn(httptrace.GotConnInfo{Reused: c.takes == 0})
		c.takes = 0
	}
	return c.RoundTripper.RoundTrip(r)
}

// slowHub is a server that serves one version and prints tables. It takes a while for the
// versions that it serves, and for each list.
type slowHub struct {
	http.Handler
	version string
	takes   time.Duration
	lists   time.Duration
	began   time.Time

	mu  sync.Mutex
	log []string // what came, and when

	watched sync.Once
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
	case parts[3] == "clusterstagedupdateruns" && r.URL.Query().Get("watch") == "true":
		h.watched.Do(func() { h.note("watched") })
		h.Handler.ServeHTTP(w, r)
	case faults.Lists(r):
		if h.note("list of " + parts[3]); r.URL.Query().Get("limit") == "" {
			time.Sleep(h.lists)
		}
		fallthrough
	default:
		h.Handler.ServeHTTP(w, r)
	}
}

// The rows are asked for before the hub has said which versions it serves, and again if that
// failed or is old. Nothing else goes before the lists that the screen waits for. A near hub gets a
// request for rows only if it is still loading after rowsAfter. What is read is shown before it is
// watched.
func TestRowsAreAskedForFirst(t *testing.T) {
	const runs, approvals = "list of clusterstagedupdateruns", "list of clusterapprovalrequests"
	for _, tt := range []struct {
		version                string
		connects, takes, lists time.Duration
		want                   []string
	}{
		{"v1beta1", 0, time.Second, time.Second, []string{"0s rows", "0s versions", "1s " + approvals, "1s " + runs, "1s started", "2.015s loaded", "2.015s watched"}},
		{"v1", 0, time.Second, time.Second, []string{"0s not served: v1beta1 clusterstagedupdateruns", "0s versions", "1s " + approvals, "1s " + runs, "1s rows", "1s started", "2.015s loaded", "2.015s watched"}},
		{"v1beta1", 0, 3 * time.Second, time.Second, []string{"0s rows", "0s versions", "3s " + approvals, "3s " + runs, "3s rows", "3s started", "4.015s loaded", "4.015s watched"}},
		{"v1beta1", printed.NearWithin, time.Second, time.Second, []string{"6ms rows", "6ms versions", "1.006s " + approvals, "1.006s " + runs, "1.006s started", "2.021s loaded", "2.021s watched"}},
		{"v1beta1", printed.NearWithin / 6, time.Second, time.Second, []string{"11ms rows", "1ms versions", "1.001s " + approvals, "1.001s " + runs, "1.001s started", "2.016s loaded", "2.016s watched"}},
		{"v1beta1", printed.NearWithin / 6, 2 * time.Millisecond, time.Second, []string{"11ms rows", "1ms versions", "3ms " + approvals, "3ms " + runs, "3ms started", "1.018s loaded", "1.018s watched"}},
		{"v1beta1", printed.NearWithin / 6, 2 * time.Millisecond, 2 * time.Millisecond, []string{"1ms versions", "3ms " + approvals, "3ms " + runs, "3ms started", "20ms loaded", "20ms watched"}},
	} {
		synctest.Test(t, func(t *testing.T) {
			h := &slowHub{Handler: faults.NewAPIServer(), version: tt.version, takes: tt.takes, lists: tt.lists, began: time.Now()}
			hub, err := client.New(engine.NewHubName("hub", ""), &rest.Config{Host: "http://hub.example", Transport: &connecting{&faults.Transport{Handler: h}, tt.connects}})
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
			time.Sleep(tt.connects + tt.takes + tt.lists - time.Millisecond)
			synctest.Wait()
			h.mu.Lock()
			got, seen := slices.Clone(h.log), len(h.log)
			h.mu.Unlock()
			time.Sleep(time.Minute)
			synctest.Wait()
			h.mu.Lock()
			for _, l := range h.log[seen:] {
				if strings.HasSuffix(l, " loaded") || strings.HasSuffix(l, " rows") || strings.HasSuffix(l, " watched") {
					got = append(got, l)
				}
			}
			h.mu.Unlock()
			slices.Sort(got)
			slices.Sort(tt.want)
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
