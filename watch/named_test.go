package watch

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/stagewatch/stagewatch/engine"
)

// A read of one run reads the runs of its placement and that placement, not all of the hub; unless one of them may not
// be read, or a hint names the placements there are.
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
		refuse bool // to read one run
		runs   []string
		listed []string
	}{
		{"own-r2", false, []string{"own-r1", "own-r2"}, nil},
		{"lost-r1", false, []string{"lost-r1"}, []string{"clusterresourceplacements"}},
		{"own-r2", true, []string{"lost-r1", "other-r0", "other-r1", "own-r1", "own-r2"}, []string{"clusterstagedupdateruns"}},
	} {
		refuses.Store(tt.refuse)
		cfg := Config{Named: func(ids []engine.ID) []engine.ID {
			at := slices.IndexFunc(ids, func(id engine.ID) bool { return id.RawName() == tt.run })
			if len(ids) != 5 || at < 0 {
				t.Errorf("%s: selects from %v", tt.run, ids)
				return nil
			}
			return ids[at : at+1]
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

// A list of some runs reads the runs of their placements and those placements, in both scopes.
func TestAListOfSomeRunsReadsTheirPlacementsOnly(t *testing.T) {
	t.Parallel()
	h := emptyHub(t)
	p := somebody(t, h)
	for _, ns := range []string{"", "team"} {
		p.ground(ns, "own"+ns)
		p.ground(ns, "more"+ns)
		p.make(aRun(t, ns, "own-r1", "own"+ns, "Stop", "UpdateRunStopped"))
		p.make(aRun(t, ns, "own-r2", "own"+ns, "Run", "UpdateRunWaiting"))
		p.make(aRun(t, ns, "more-r1", "more"+ns, "Run", "UpdateRunWaiting"))
		p.make(aRun(t, ns, "other-r1", "other", "Run", "UpdateRunWaiting"))
	}
	var rows []string
	sent := inTime(t, h.AdminConfig(), func(config *rest.Config) error {
		s, list, err := List(t.Context(), Config{REST: config}, Reading{Named: func(ids []engine.ID) []engine.ID {
			return slices.DeleteFunc(slices.Clone(ids), func(id engine.ID) bool {
				return id.RawName() != "own-r2" && (id.RawName() != "more-r1" || id.RawNamespace() == "")
			})
		}})
		if err != nil {
			return err
		}
		rows = nil
		for _, r := range list {
			if rows = append(rows, r.ID.RawNamespace()+"/"+r.ID.RawName()); r.Partial || len(r.Stages) == 0 {
				t.Errorf("%s was not read whole", r.ID.RawName())
			}
		}
		if !s.Complete {
			t.Error("it is not complete")
		}
		return nil
	})
	if slices.Sort(rows); !slices.Equal(rows, []string{"/own-r1", "/own-r2", "team/more-r1", "team/own-r1", "team/own-r2"}) {
		t.Errorf("reads %v", rows)
	}
	for _, r := range sent {
		if set := lastOf(r); isList(r) && (strings.HasSuffix(set, "stagedupdateruns") || strings.HasSuffix(set, "resourceplacements")) {
			t.Errorf("all %s were listed", set)
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
	cfg := Config{REST: h.AdminConfig(), Named: func(ids []engine.ID) []engine.ID {
		at := slices.IndexFunc(ids, func(id engine.ID) bool { return id.RawName() == "own-r2" })
		return ids[max(at, 0) : at+1]
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
	cfg := Config{REST: h.AdminConfig(), Named: func(ids []engine.ID) []engine.ID {
		at := slices.IndexFunc(ids, func(id engine.ID) bool { return id.RawName() == "chosen-r2" })
		return ids[max(at, 0) : at+1]
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

// TestNoRunIsSelected checks that a read of a run that does not exist reads the rows alone: they name all runs. An
// explanation reads the placements, too: one of them may be meant. The hub may serve only one of the two kinds of runs.
func TestNoRunIsSelected(t *testing.T) {
	t.Parallel()
	h := emptyHub(t)
	p := somebody(t, h)
	p.ground("", "own")
	p.ground("", "alone")
	p.make(aSuccess(t, "", "done", "own"))
	p.cached(p.make(aRun(t, "", "waits", "own", "Run", "UpdateRunWaiting")))
	asked := &reads{}
	h.SetIntercept(asked.intercept("clusterstagedupdateruns"))
	type picks = func(*engine.Snapshot) (*engine.RunView, error)
	for _, tt := range []struct {
		what    string
		oneKind bool
		read    func(Config, picks) error
		want    []string
	}{
		{"a read", false, func(cfg Config, pick picks) error {
			_, _, err := OnceRun(t.Context(), cfg, pick)
			return err
		}, []string{"done", "waits"}},
		{"a read of a hub with one kind", true, func(cfg Config, pick picks) error {
			_, _, err := OnceRun(t.Context(), cfg, pick)
			return err
		}, []string{"alone", "done", "waits"}},
		{"a list", false, func(cfg Config, pick picks) error {
			s, err := Once(t.Context(), cfg, Reading{Named: cfg.Named})
			if err != nil {
				return err
			}
			_, err = pick(s)
			return err
		}, []string{"done", "waits"}},
		{"a live session", false, func(cfg Config, pick picks) error {
			s, snap, err := OpenLive(t.Context(), cfg, 0)
			if err != nil {
				return err
			}
			defer s.Close()
			_, err = pick(snap)
			return err
		}, []string{"done", "waits"}},
		{"an explanation", false, func(cfg Config, pick picks) error {
			_, err := Explain(t.Context(), cfg, pick)
			return err
		}, []string{"alone", "done", "waits"}},
	} {
		var names []string
		inTime(t, h.AdminConfig(), func(config *rest.Config) error {
			names = nil
			asked.taken()
			if tt.oneKind {
				config.Wrap(func(next http.RoundTripper) http.RoundTripper {
					return roundTripper(func(r *http.Request) (*http.Response, error) {
						if strings.HasSuffix(r.URL.Path, "/stagedupdateruns") {
							return &http.Response{StatusCode: http.StatusNotFound, Request: r, Header: http.Header{"Content-Type": {"text/plain"}}, Body: io.NopCloser(strings.NewReader("404 page not found\n"))}, nil
						}
						return next.RoundTrip(r)
					})
				})
			}
			err := tt.read(Config{REST: config, Named: func([]engine.ID) []engine.ID { return nil }}, func(s *engine.Snapshot) (*engine.RunView, error) {
				for _, r := range s.Runs {
					if r.RowOnly || r.Word == engine.WordNoRun {
						names = append(names, r.ID.RawName())
					}
				}
				return nil, ErrNotFound
			})
			if !errors.Is(err, ErrNotFound) {
				return fmt.Errorf("a run that does not exist: %w", err)
			}
			return nil
		})
		if slices.Sort(names); !slices.Equal(names, tt.want) {
			t.Errorf("%s: finds %v, want %v", tt.what, names, tt.want)
		}
		if read := asked.taken(); !slices.Equal(read, []string{"rows"}) {
			t.Errorf("%s: reads %v", tt.what, read)
		}
	}
}
