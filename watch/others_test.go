package watch

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/watch/ask"
	"github.com/stagewatch/stagewatch/watch/client"
)

// A plan depends on the other runs of its placement: these are read one by one, and not the runs of
// all placements, unless the hub's table does not name placements.
func TestAPlanReadsTheRunsOfItsPlacement(t *testing.T) {
	t.Parallel()
	h := emptyHub(t)
	p := somebody(t, h)
	const place = "near"
	p.ground("", place)
	run := p.make(aRun(t, "", place+"-r2", place, "Run", "UpdateRunWaiting"))
	p.make(aRun(t, "", place+"-r1", place, "Stop", "UpdateRunStopped"))
	for n := range 3 {
		p.make(aRun(t, "", fmt.Sprintf("far-r%d", n), "far", "Run", "UpdateRunWaiting"))
	}
	p.cached(run)

	var mu sync.Mutex
	var reads []string
	withoutColumn := false
	h.SetIntercept(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			defer mu.Unlock()
			if _, path, ok := strings.Cut(r.URL.Path, "/clusterstagedupdateruns"); ok {
				if withoutColumn {
					r.Header.Set("Accept", "application/json")
				}
				if strings.Contains(r.Header.Get("Accept"), "as=Table") {
					path = " table"
				}
				reads = append(reads, path)
			}
			next.ServeHTTP(w, r)
		})
	})
	c, err := client.New(engine.NewHubName("near", ""), h.AdminConfig())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	id := c.Name().ID(engine.KindClusterStagedUpdateRun, "", place+"-r2", "")
	for _, tt := range []struct {
		without bool
		want    []string
	}{
		{false, []string{" table", "/near-r1", "/near-r2"}},
		{true, []string{"", "", "/near-r2"}}, // the table, and the list instead of it
	} {
		mu.Lock()
		reads, withoutColumn = nil, tt.without
		mu.Unlock()
		made := ask.NewReader(c).PlanOf(t.Context(), id, ask.Assumptions{})
		if len(made.CompetingRuns) != 1 || made.CompetingRuns[0].Run.Name() != engine.Lit(place+"-r1") {
			t.Errorf("without the column %v: competing runs %+v, unknown %v", tt.without, made.CompetingRuns, made.Unknown)
		}
		mu.Lock()
		slices.Sort(reads)
		if !slices.Equal(reads, tt.want) {
			t.Errorf("without the column %v: reads %q, want %q", tt.without, reads, tt.want)
		}
		mu.Unlock()
	}
}

// What is printed and ends reads each set once, and watches none.
func TestReadsWithoutAScreenWatchNothing(t *testing.T) {
	t.Parallel()
	h := emptyHub(t)
	p := somebody(t, h)
	p.make(aBinding(t, "", "brief", "brief-a", "brief-r1"))
	p.cached(p.make(aRun(t, "", "brief-r1", "brief", "Run", "UpdateRunStuck")))
	var mu sync.Mutex
	lists := map[string]int{}
	h.SetIntercept(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			query := r.URL.Query()
			if query.Get("watch") != "" {
				t.Errorf("watches %s", r.URL)
			}
			r.Header.Del("Accept-Encoding")
			answer := httptest.NewRecorder()
			next.ServeHTTP(answer, r)
			// Else it is the table, a proof of life or a page of a plan, or was given up by a reader
			// that a busy machine kept waiting, and comes again.
			if !query.Has("limit") && r.Context().Err() == nil {
				mu.Lock()
				lists[r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]]++
				mu.Unlock()
			}
			maps.Copy(w.Header(), answer.Header())
			w.WriteHeader(answer.Code)
			w.Write(answer.Body.Bytes())
		})
	})
	pick := func(s *engine.Snapshot) (*engine.RunView, error) {
		return named(s, engine.KindClusterStagedUpdateRun, "", "brief-r1"), nil
	}
	for name, read := range map[string]func(cfg Config) error{
		"list": func(cfg Config) error { _, err := Once(t.Context(), cfg, Reading{}); return err },
		"one":  func(cfg Config) error { _, _, err := OnceRun(t.Context(), cfg, pick); return err },
	} {
		mu.Lock()
		clear(lists)
		mu.Unlock()
		if err := read(Config{REST: h.AdminConfig()}); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		mu.Lock()
		for _, set := range []string{"clusterstagedupdateruns", "stagedupdateruns", "clusterapprovalrequests", "clusterresourcebindings"} {
			if lists[set] != 1 {
				t.Errorf("%s: lists %s %d times", name, set, lists[set])
			}
		}
		mu.Unlock()
	}
}
