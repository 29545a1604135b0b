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
)

// A read of one run reads the runs of its placement and that placement, not all of the hub; unless
// nothing says which run is meant, or a hint names the placements there are.
func TestAReadOfOneRunReadsItsPlacementOnly(t *testing.T) {
	t.Parallel()
	h := emptyHub(t)
	p := somebody(t, h)
	p.ground("", "own")
	p.make(aRun(t, "", "own-r1", "own", "Stop", "UpdateRunStopped"))
	p.make(aRun(t, "", "own-r2", "own", "Run", "UpdateRunWaiting"))
	p.make(aRun(t, "", "lost-r1", "lost", "Run", "UpdateRunWaiting")) // its placement does not exist
	for n := range 2 {
		p.make(aRun(t, "", fmt.Sprintf("other-r%d", n), "other", "Run", "UpdateRunWaiting"))
	}
	var refuses atomic.Bool
	h.SetIntercept(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if refuses.Load() && strings.HasPrefix(lastOf(r), "own-r") { // lists are permitted
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(http.StatusForbidden)
				fmt.Fprint(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","message":"no","code":403}`)
				return
			}
			next.ServeHTTP(w, r)
		})
	})
	for _, tt := range []struct {
		run    string
		known  bool // Named selects the run
		refuse bool // to read one run
		runs   []string
		listed []string
	}{
		{"own-r2", true, false, []string{"own-r1", "own-r2"}, nil},
		{"lost-r1", true, false, []string{"lost-r1"}, []string{"clusterresourceplacements"}},
		{"own-r2", false, false, []string{"lost-r1", "other-r0", "other-r1", "own-r1", "own-r2"}, []string{"clusterresourceplacements", "clusterstagedupdateruns"}},
		{"own-r2", true, true, []string{"lost-r1", "other-r0", "other-r1", "own-r1", "own-r2"}, []string{"clusterstagedupdateruns"}},
	} {
		refuses.Store(tt.refuse)
		cfg := Config{Named: func(ids []engine.ID) (engine.ID, bool) {
			at := slices.IndexFunc(ids, func(id engine.ID) bool { return id.RawName() == tt.run })
			if len(ids) != 5 || at < 0 {
				t.Errorf("%s: selects from %v", tt.run, ids)
				return engine.ID{}, false
			}
			return ids[at], tt.known
		}}
		var s *engine.Snapshot
		var v *engine.RunView
		sent := inTime(t, h.AdminConfig(), func(config *rest.Config) (err error) {
			cfg.REST = config
			s, v, err = OnceRun(t.Context(), cfg, func(s *engine.Snapshot) (*engine.RunView, error) {
				return named(s, engine.KindClusterStagedUpdateRun, "", tt.run), nil
			})
			return err
		})
		var runs []string
		for _, r := range s.Runs {
			if engine.IsRun(r.ID.Kind()) {
				runs = append(runs, r.ID.RawName())
			}
		}
		slices.Sort(runs)
		if !s.Complete || v.Partial || len(v.Stages) == 0 || !slices.Equal(runs, tt.runs) {
			t.Errorf("%s: complete %v, partial %v, runs %v, want %v", tt.run, s.Complete, v.Partial, runs, tt.runs)
		}
		var listed []string
		for _, r := range sent {
			if set := lastOf(r); isList(r) && (set == "clusterstagedupdateruns" || set == "clusterresourceplacements") {
				listed = append(listed, set)
			}
		}
		if slices.Sort(listed); !slices.Equal(slices.Compact(listed), tt.listed) {
			t.Errorf("%s: lists %v, want %v", tt.run, listed, tt.listed)
		}
	}
}

// A session about one run is live without the other runs of the hub, and sees what changes of its own.
func TestALiveSessionOfOneRun(t *testing.T) {
	t.Parallel()
	h := emptyHub(t)
	p := somebody(t, h)
	p.ground("", "own")
	old := p.make(aRun(t, "", "own-r1", "own", "Stop", "UpdateRunStopped"))
	run := p.make(aRun(t, "", "own-r2", "own", "Run", "UpdateRunWaiting"))
	p.cached(p.make(aRun(t, "", "other-r1", "other", "Run", "UpdateRunWaiting")))
	cfg := Config{REST: h.AdminConfig(), Named: func(ids []engine.ID) (engine.ID, bool) {
		at := slices.IndexFunc(ids, func(id engine.ID) bool { return id.RawName() == "own-r2" })
		return ids[max(at, 0)], at >= 0
	}}
	open := func(cfg Config) (*Session, *engine.Snapshot, error) { return OpenLive(t.Context(), cfg, 0) }
	for _, r := range inTime(t, h.AdminConfig(), func(config *rest.Config) error {
		cfg := cfg
		cfg.REST = config
		s, snap, err := open(cfg)
		if err == nil {
			defer s.Close()
			if named(snap, engine.KindClusterStagedUpdateRun, "", "other-r1") != nil || snap.Link.State != engine.LinkLive || !snap.Complete {
				t.Errorf("live %v, complete %v, runs %v", snap.Link.State, snap.Complete, snap.Runs)
			}
		}
		return err
	}) {
		if set := lastOf(r); isList(r) && (set == "clusterstagedupdateruns" || set == "clusterresourceplacements") {
			t.Errorf("all %s were listed", set)
		}
	}
	s, snap, err := open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, step := range []struct {
		what string
		do   func()
		seen func() bool
	}{
		{"a change", func() {
			p.put(p.refresh(run, func(o map[string]any) { o["spec"].(map[string]any)["state"] = "Stop" }))
		}, func() bool {
			return named(snap, engine.KindClusterStagedUpdateRun, "", "own-r2").State.String() == "Stop"
		}},
		{"a new run of the placement", func() { p.make(aRun(t, "", "own-r3", "own", "Run", "UpdateRunWaiting")) }, func() bool {
			return named(snap, engine.KindClusterStagedUpdateRun, "", "own-r3") != nil
		}},
		{"a deletion", func() { p.remove(old) }, func() bool {
			return named(snap, engine.KindClusterStagedUpdateRun, "", "own-r1") == nil
		}},
	} {
		step.do()
		for !step.seen() {
			if snap, err = s.Next(t.Context()); err != nil {
				t.Fatalf("%s: %v", step.what, err)
			}
		}
	}
	if snap.Link.State != engine.LinkLive {
		t.Errorf("the link is %v", snap.Link.State)
	}
}

// A session about one run reads all runs if those of its placement cannot be chosen again.
func TestALiveSessionThatCannotChooseAgain(t *testing.T) {
	t.Parallel()
	h := ownHub(t)
	p := somebody(t, h)
	p.ground("", "chosen")
	p.make(aRun(t, "", "chosen-r1", "chosen", "Run", "UpdateRunWaiting"))
	p.make(aRun(t, "", "chosen-r2", "chosen", "Run", "UpdateRunWaiting"))
	cfg := Config{REST: h.AdminConfig(), Named: func(ids []engine.ID) (engine.ID, bool) {
		at := slices.IndexFunc(ids, func(id engine.ID) bool { return id.RawName() == "chosen-r2" })
		return ids[max(at, 0)], at >= 0
	}}
	s, _, err := OpenLive(t.Context(), cfg, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	h.SetIntercept(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.Contains(r.Header.Get("Accept"), "as=Table") {
				<-r.Context().Done()
				return
			}
			next.ServeHTTP(w, r)
		})
	})
	p.make(aRun(t, "", "chosen-r3", "chosen", "Run", "UpdateRunWaiting"))
	until(t, s, "a run that no row names", func(s *engine.Snapshot) bool {
		return named(s, engine.KindClusterStagedUpdateRun, "", "chosen-r3") != nil && s.Link.State == engine.LinkLive
	})
}
