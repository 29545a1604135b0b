package watch

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"github.com/stagewatch/stagewatch/engine"
)

// A hub may return bindings that are older than the run. A command that reads once reads
// them again before it says that the run is not preempted, and says what it does not know when
// the hub returns no newer ones.
func TestOutdatedBindingsAreReadAgain(t *testing.T) {
	t.Parallel()
	h := emptyHub(t)
	p := somebody(t, h)
	const place = "outdated"
	p.ground("", place)
	p.put(p.refresh(aBinding(t, "", place, place+"-a1", ""), func(o map[string]any) {
		o["spec"].(map[string]any)["resourceSnapshotName"] = place + "-1-snapshot"
	}))
	p.cached(p.make(updatingRun(t, place))) // to snapshot 0; else it may come without its status first

	always := atomic.Bool{}
	h.SetIntercept(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !strings.HasSuffix(r.URL.Path, "/clusterresourcebindings") || r.URL.Query().Get("watch") != "" || r.URL.Query().Get("fieldSelector") != "" {
				next.ServeHTTP(w, r)
				return
			}
			older := r.URL.Query().Get("resourceVersion") != "" || always.Load() // else the newest
			r.Header.Del("Accept-Encoding")
			answer := httptest.NewRecorder()
			next.ServeHTTP(answer, r)
			body := answer.Body.Bytes()
			if older {
				body = withVersion(t, body, "1")
			}
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(answer.Code)
			w.Write(body)
		})
	})
	defer h.SetIntercept(nil)
	cfg := Config{REST: h.AdminConfig(), Settings: engine.Settings{StuckAfter: 3 * time.Minute}}
	run := func(s *engine.Snapshot) *engine.RunView {
		return named(s, engine.KindClusterStagedUpdateRun, "", place+"-r1")
	}
	var s *engine.Snapshot
	lists := 0
	for _, r := range inTime(t, h.AdminConfig(), func(config *rest.Config) (err error) {
		s, err = Once(t.Context(), Config{REST: config, Settings: cfg.Settings}, Reading{})
		return err
	}) {
		if isList(r) && lastOf(r) == "clusterresourcebindings" {
			lists++
		}
	}
	if v := run(s); v.Word != engine.WordPreempted || len(s.Missing[v.ID]) > 0 || lists != 2 {
		t.Errorf("list: %s, missing %v, after %d lists", v.Word, s.Missing[v.ID], lists)
	}
	_, v, err := OnceRun(t.Context(), cfg, func(s *engine.Snapshot) (*engine.RunView, error) { return run(s), nil })
	if err != nil {
		t.Fatal(err)
	}
	if v.Word != engine.WordPreempted {
		t.Errorf("one run: %s", v.Word)
	}
	always.Store(true)
	s, err = Once(t.Context(), cfg, Reading{})
	if err != nil {
		t.Fatal(err)
	}
	v = run(s)
	gaps := s.Missing[v.ID]
	if len(gaps) == 0 || gaps[0].Why.String() != "read before the latest change of the run: whether it is preempted is not known" {
		t.Errorf("bindings that stay old: %s, missing %v", v.Word, gaps)
	}
	e, err := Explain(t.Context(), cfg, func(s *engine.Snapshot) (*engine.RunView, error) { return run(s), nil })
	if err != nil {
		t.Fatal(err)
	}
	facts := e.Facts()
	missing := e.Snapshot.Missing[e.Run.ID]
	if len(missing) == 0 || !slices.Contains(facts.Gaps(), missing[0]) || missing[0] != gaps[0] {
		t.Errorf("explain: %s, gaps %v, missing %v", e.Run.Word, facts.Gaps(), missing)
	}
}

// withVersion returns a list with another resourceVersion.
func withVersion(t *testing.T, list []byte, version string) []byte {
	var l map[string]any
	if err := json.Unmarshal(list, &l); err != nil {
		t.Error(err)
		return list
	}
	l["metadata"].(map[string]any)["resourceVersion"] = version
	list, err := json.Marshal(l)
	if err != nil {
		t.Error(err)
	}
	return list
}
