package watch

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stagewatch/stagewatch/engine"
)

// aSuccess is a run that has succeeded.
func aSuccess(t *testing.T, ns, name, place string) map[string]any {
	o := aRun(t, ns, name, place, "Run", "UpdateRunSucceeded")
	yes := func(kind, reason string) any {
		return map[string]any{"type": kind, "status": "True", "reason": reason, "message": "m", "observedGeneration": 1, "lastTransitionTime": "2026-11-20T10:00:00Z"}
	}
	status := o["status"].(map[string]any)
	status["conditions"] = append(status["conditions"].([]any), yes("Succeeded", "UpdateRunSucceeded"))
	for _, c := range status["stagesStatus"].([]any)[0].(map[string]any)["clusters"].([]any) {
		c.(map[string]any)["conditions"] = []any{yes("Started", "ClusterUpdatingStarted"), yes("Succeeded", "ClusterUpdatingSucceeded")}
	}
	return o
}

// reads are the requests for runs that a hub answered: their names, and "list" and "rows".
type reads struct {
	mu    sync.Mutex
	names []string
	// refuses answers requests for one run with 403.
	refuses bool
	// holds makes lists wait for their end, so that rows come first.
	holds bool
}

// taken returns what was requested since the last time, sorted.
func (r *reads) taken() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := r.names
	r.names = nil
	slices.Sort(out)
	return out
}

func (r *reads) intercept(kind string) func(next http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
			at, name, of := strings.Cut(q.URL.Path, "/"+kind)
			accept := q.Header.Get("Accept")
			if !strings.HasPrefix(q.UserAgent(), "stagewatch") || q.Method != http.MethodGet || !strings.Contains(at, "/apis/placement.") || !of || q.URL.Query().Has("watch") || strings.Contains(accept, "as=PartialObjectMetadata") {
				next.ServeHTTP(w, q)
				return
			}
			what := strings.TrimPrefix(name, "/")
			switch {
			case strings.Contains(accept, "as=Table"):
				what = "rows"
			case what == "":
				what = "list"
			}
			r.mu.Lock()
			r.names = append(r.names, what)
			refuses, holds := r.refuses && name != "", r.holds && what == "list"
			r.mu.Unlock()
			switch {
			case refuses:
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(http.StatusForbidden)
				fmt.Fprint(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","message":"no","code":403}`)
			case holds:
				<-q.Context().Done()
			default:
				next.ServeHTTP(w, q)
			}
		})
	}
}

// TestSucceededRunsAreRows checks what is read of a hub with many runs that have succeeded: their rows, and the other
// runs; of the former the ones that something on the screen depends on. Near and far, and in both scopes.
func TestSucceededRunsAreRows(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, ns string
		far      bool
	}{{"near", "", false}, {"far", "", true}, {"far, namespaced", "team", true}} {
		t.Run(tt.name, func(t *testing.T) {
			h := emptyHub(t)
			p := somebody(t, h)
			if tt.ns != "" {
				p.namespace(tt.ns)
			}
			runs, all := "clusterstagedupdateruns", map[string]map[string]any{}
			if tt.ns != "" {
				runs = "stagedupdateruns"
			}
			make := func(o map[string]any, name string) { all[name] = p.make(o) }
			for name, place := range map[string]string{"before": "waits", "a-pair": "pair", "b-pair": "pair"} {
				make(aSuccess(t, tt.ns, name, place), name)
			}
			for n := range 30 { // the last one is the youngest, or has the last name
				name := fmt.Sprintf("done-%02d", n)
				make(aSuccess(t, tt.ns, name, name), name)
			}
			make(aRun(t, tt.ns, "waits", "waits", "Run", "UpdateRunWaiting"), "waits")
			p.cached(all["waits"])
			asked := &reads{holds: !tt.far}
			h.SetIntercept(asked.intercept(runs))
			config := h.AdminConfig()
			if tt.far {
				config.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
					time.Sleep(20 * time.Millisecond)
					return (&net.Dialer{}).DialContext(ctx, network, address)
				}
			}
			s := openSession(t, Config{REST: config})
			id := func(name string) engine.ID {
				o := all[name]["metadata"].(map[string]any)
				kind := engine.KindClusterStagedUpdateRun
				if tt.ns != "" {
					kind = engine.KindStagedUpdateRun
				}
				return s.hub.Name().ID(kind, tt.ns, name, o["uid"].(string))
			}
			rowOnly := func(s *engine.Snapshot) (n int) {
				for _, v := range s.Runs {
					if v.RowOnly {
						n++
					}
				}
				return n
			}
			reads := func(what string, want ...string) {
				t.Helper()
				got := slices.DeleteFunc(asked.taken(), func(name string) bool { return name == "list" && !tt.far })
				if !slices.Equal(got, want) {
					t.Errorf("%s: reads %v, want %v", what, got, want)
				}
			}
			snap := until(t, s, "the first runs", func(s *engine.Snapshot) bool {
				v := s.Find(id("before")) // of the placement of the run that waits
				return live(s) && v != nil && !v.Partial
			})
			reads("at first", "before", "done-29", "rows", "waits")
			if rowOnly(snap) != 31 || snap.Scope.Runs[0].State != engine.CoverComplete && snap.Scope.Runs[1].State != engine.CoverComplete {
				t.Errorf("%d rows of %d, %v", rowOnly(snap), len(snap.Runs), snap.Scope.Runs)
			}
			v := snap.Find(id("done-00"))
			if v.Word != engine.WordDone || !v.Terminal || !v.Partial || v.Total != 0 || v.Placement.Name() != engine.Lit("done-00") || v.Strategy != engine.Lit("s") || v.Created.IsZero() {
				t.Errorf("a row is %+v", v)
			}
			if gaps := snap.Missing[v.ID]; len(gaps) > 0 {
				t.Errorf("missing: %v", gaps)
			}

			s.Want(engine.Focus{Rows: []engine.ID{id("done-03"), id("done-04")}})
			snap = until(t, s, "rows on the screen", func(s *engine.Snapshot) bool { return !s.Find(id("done-03")).Partial && !s.Find(id("done-04")).Partial })
			reads("on the screen", "done-03", "done-04")
			if v := snap.Find(id("done-03")); v.RowOnly || v.Total != 2 || v.Done != 2 || len(v.Stages) != 1 {
				t.Errorf("a run that was read is %+v", v)
			}
			s.Want(engine.Focus{Run: id("done-05"), Cursor: id("done-06")})
			until(t, s, "the opened run", func(s *engine.Snapshot) bool {
				return s.Detail != nil && s.Detail.Run.ID == id("done-05") && len(s.Detail.Clusters) == 1 && !s.Find(id("done-06")).Partial
			})
			reads("opened, and under the cursor", "done-05", "done-06")
			s.Want(engine.Focus{Run: id("a-pair")})
			until(t, s, "the other runs of its placement", func(s *engine.Snapshot) bool { return !s.Find(id("a-pair")).Partial && !s.Find(id("b-pair")).Partial })
			reads("of the placement of the opened run", "a-pair", "b-pair")

			p.put(p.refresh(all["done-07"], func(o map[string]any) {
				o["metadata"].(map[string]any)["labels"] = map[string]any{"changed": "yes"}
			}))
			p.remove(all["done-08"])
			snap = until(t, s, "a changed run, and a deleted one", func(s *engine.Snapshot) bool { return !s.Find(id("done-07")).Partial && s.Find(id("done-08")) == nil })
			if rowOnly(snap) != 23 {
				t.Errorf("%d rows are left", rowOnly(snap))
			}
			reads("by the watch")

			s.Want(engine.Focus{AllRows: true})
			until(t, s, "all runs", func(s *engine.Snapshot) bool { return rowOnly(s) == 0 })
			if got := asked.taken(); len(got) != 23 || slices.Contains(got, "list") {
				t.Errorf("all: reads %v", got)
			}
		})
	}
}

// TestOpenLiveReadsRows checks that a live session of a hub with many runs that have succeeded is opened when their rows and
// the other runs are read, and that OpenRun reads a run that it opens, with the others of its placement.
func TestOpenLiveReadsRows(t *testing.T) {
	t.Parallel()
	h := emptyHub(t)
	p := somebody(t, h)
	for n := range 30 {
		p.make(aSuccess(t, "", fmt.Sprintf("done-%02d", n), fmt.Sprintf("place-%02d", n/2)))
	}
	p.cached(p.make(aRun(t, "", "waits", "waits", "Run", "UpdateRunWaiting")))
	asked := &reads{holds: true}
	h.SetIntercept(asked.intercept("clusterstagedupdateruns"))
	s, snap, err := OpenLive(t.Context(), Config{REST: h.AdminConfig()}, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	of := func(name string) *engine.RunView { return named(snap, engine.KindClusterStagedUpdateRun, "", name) }
	taken := func() []string {
		return slices.DeleteFunc(asked.taken(), func(name string) bool { return name == "list" })
	}
	if v := of("done-07"); !snap.Complete || !live(snap) || len(snap.Runs) != 31 || !v.RowOnly || v.Word != engine.WordDone || of("waits").Partial {
		t.Errorf("%d runs, %s, a row is %+v", len(snap.Runs), describe(snap), v)
	}
	if got := taken(); !slices.Equal(got, []string{"done-29", "rows", "waits"}) {
		t.Errorf("at first: reads %v", got)
	}
	if snap, err = s.OpenRun(t.Context(), snap, of("done-07").ID); err != nil || !read(snap, of("done-07").ID) || of("done-07").Partial || of("done-07").Done != 2 {
		t.Errorf("opened: %v, %+v", err, of("done-07"))
	}
	eventually(t, "the other run of its placement", func() bool { return slices.Contains(taken(), "done-06") })
}

// TestRunsThatCannotBeReadOneByOneAreListed checks that a list takes the place of rows where it is permitted to list runs,
// and not to get them.
func TestRunsThatCannotBeReadOneByOneAreListed(t *testing.T) {
	t.Parallel()
	for name, unfinished := range map[string]bool{"at first": true, "later": false} {
		t.Run(name, func(t *testing.T) {
			h := emptyHub(t)
			p := somebody(t, h)
			var last map[string]any
			for n := range 30 {
				last = p.make(aSuccess(t, "", fmt.Sprintf("done-%02d", n), "done"))
			}
			if unfinished {
				last = p.make(aRun(t, "", "waits", "waits", "Run", "UpdateRunWaiting"))
			}
			p.cached(last)
			asked := &reads{refuses: unfinished}
			h.SetIntercept(asked.intercept("clusterstagedupdateruns"))
			config := h.AdminConfig()
			config.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
				time.Sleep(20 * time.Millisecond)
				return (&net.Dialer{}).DialContext(ctx, network, address)
			}
			s := openSession(t, Config{REST: config})
			if !unfinished {
				snap := until(t, s, "the rows", live)
				at := slices.IndexFunc(snap.Runs, func(v *engine.RunView) bool { return v.RowOnly })
				if at < 0 {
					t.Fatal("all runs were read")
				}
				asked.mu.Lock()
				asked.refuses = true
				asked.mu.Unlock()
				s.Want(engine.Focus{Run: snap.Runs[at].ID})
			}
			until(t, s, "whole runs", func(s *engine.Snapshot) bool {
				return live(s) && !slices.ContainsFunc(s.Runs, func(v *engine.RunView) bool { return v.Partial })
			})
			if got := asked.taken(); !slices.Contains(got, "list") {
				t.Errorf("reads %v", got)
			}
		})
	}
}

// TestListsWithoutAScreenReadAllRuns checks that who does not say which runs are shown gets all of them whole.
func TestListsWithoutAScreenReadAllRuns(t *testing.T) {
	t.Parallel()
	h := emptyHub(t)
	p := somebody(t, h)
	var last map[string]any
	for n := range 30 {
		last = p.make(aSuccess(t, "", fmt.Sprintf("done-%02d", n), "done"))
	}
	p.cached(last)
	config := h.AdminConfig()
	config.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		time.Sleep(20 * time.Millisecond)
		return (&net.Dialer{}).DialContext(ctx, network, address)
	}
	for _, causes := range []bool{false, true} {
		s, err := FollowList(t.Context(), Config{REST: config}, causes)
		if err != nil {
			t.Fatal(err)
		}
		snap := until(t, s, "the list", live)
		if partial := slices.IndexFunc(snap.Runs, func(v *engine.RunView) bool { return v.Partial }); partial >= 0 || len(snap.Runs) != 30 {
			t.Errorf("causes %v: %d runs, %d is not whole", causes, len(snap.Runs), partial)
		}
		s.Close()
	}
}
