package stream

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
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

// slowHub is a server that serves one version and prints tables. It takes a second for the
// versions that it serves, and for each list.
type slowHub struct {
	http.Handler
	version string
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
		time.Sleep(time.Second)
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
// failed. Nothing else goes before the lists that the screen waits for.
func TestRowsAreAskedForFirst(t *testing.T) {
	const runs, approvals = "list of clusterstagedupdateruns", "list of clusterapprovalrequests"
	for version, want := range map[string][]string{
		"v1beta1": {"0s rows", "0s versions", "1s " + approvals, "1s " + runs, "1s started", "2s loaded"},
		"v1":      {"0s not served: v1beta1 clusterstagedupdateruns", "0s versions", "1s " + approvals, "1s " + runs, "1s rows", "1s started", "2s loaded"},
	} {
		synctest.Test(t, func(t *testing.T) {
			h := &slowHub{Handler: faults.NewAPIServer(), version: version, began: time.Now()}
			hub, err := client.New(engine.NewHubName("hub", ""), &rest.Config{Host: "http://hub.example", Transport: &faults.Transport{Handler: h}})
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
			time.Sleep(2*time.Second - time.Millisecond)
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
			if !slices.Equal(got, want) {
				t.Errorf("%s:\n%s\nwant\n%s", version, strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		})
	}
}
