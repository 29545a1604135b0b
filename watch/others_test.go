package watch

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/plan"
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

	var withoutColumn atomic.Bool
	h.SetIntercept(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if withoutColumn.Load() && strings.HasSuffix(r.URL.Path, "/clusterstagedupdateruns") {
				r.Header.Set("Accept", "application/json")
			}
			next.ServeHTTP(w, r)
		})
	})
	for _, tt := range []struct {
		without bool
		want    []string
	}{
		{false, []string{" table", "/near-r1", "/near-r2"}},
		{true, []string{"", " table", "/near-r2"}}, // the list instead of the table
	} {
		withoutColumn.Store(tt.without)
		var made plan.Plan
		sent := inTime(t, h.AdminConfig(), func(config *rest.Config) error {
			c, err := client.New(engine.NewHubName("near", ""), config)
			if err != nil {
				return err
			}
			defer c.Close()
			made = ask.NewReader(c).PlanOf(t.Context(), c.Name().ID(engine.KindClusterStagedUpdateRun, "", place+"-r2", ""), ask.Assumptions{})
			return nil
		})
		if len(made.CompetingRuns) != 1 || made.CompetingRuns[0].Run.Name() != engine.Lit(place+"-r1") {
			t.Errorf("without the column %v: competing runs %+v, unknown %v", tt.without, made.CompetingRuns, made.Unknown)
		}
		var reads []string
		for _, r := range sent {
			_, path, ok := strings.Cut(r.URL.Path, "/clusterstagedupdateruns")
			if strings.Contains(r.Header.Get("Accept"), "as=Table") {
				path = " table"
			}
			if ok {
				reads = append(reads, path)
			}
		}
		slices.Sort(reads)
		if !slices.Equal(reads, tt.want) {
			t.Errorf("without the column %v: reads %q, want %q", tt.without, reads, tt.want)
		}
	}
}

// What is printed and ends reads each set once, and watches none.
func TestReadsWithoutAScreenWatchNothing(t *testing.T) {
	t.Parallel()
	h := emptyHub(t)
	p := somebody(t, h)
	p.make(aBinding(t, "", "brief", "brief-a", "brief-r1"))
	p.cached(p.make(aRun(t, "", "brief-r1", "brief", "Run", "UpdateRunStuck")))
	pick := func(s *engine.Snapshot) (*engine.RunView, error) {
		return named(s, engine.KindClusterStagedUpdateRun, "", "brief-r1"), nil
	}
	for name, read := range map[string]func(cfg Config) error{
		"list": func(cfg Config) error { _, err := Once(t.Context(), cfg, Reading{}); return err },
		"one":  func(cfg Config) error { _, _, err := OnceRun(t.Context(), cfg, pick); return err },
	} {
		lists := map[string]int{}
		for _, r := range inTime(t, h.AdminConfig(), func(config *rest.Config) error { return read(Config{REST: config}) }) {
			switch {
			case r.URL.Query().Has("watch"):
				t.Errorf("%s: watches %s", name, r.URL)
			case isList(r):
				lists[lastOf(r)]++
			}
		}
		for _, set := range []string{"clusterstagedupdateruns", "stagedupdateruns", "clusterapprovalrequests", "clusterresourcebindings"} {
			if lists[set] != 1 {
				t.Errorf("%s: lists %s %d times", name, set, lists[set])
			}
		}
	}
}
