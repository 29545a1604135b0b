package watch

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/stagewatch/stagewatch/engine"
)

// deadline is a context whose deadline passes when a test says so.
type deadline struct {
	context.Context
	passed chan struct{}
}

// Done implements context.Context.
func (d *deadline) Done() <-chan struct{} { return d.passed }

// Err implements context.Context.
func (d *deadline) Err() error {
	select {
	case <-d.passed:
		return context.DeadlineExceeded
	default:
		return nil
	}
}

// A list without a screen reads the bindings of every run in trouble, a few
// placements at a time, and says of which runs it could not.
func TestOnceReadsTheBindingsOfAllRunsInTrouble(t *testing.T) { // alone: a reader gives up what brings nothing for five seconds
	notRaced(t)
	const runs = 26 // that need their bindings
	h := emptyHub(t)
	p := somebody(t, h)
	for i := range runs - 1 {
		place := fmt.Sprintf("many-%02d", i)
		p.make(aRun(t, "", place+"-r1", place, "Run", "UpdateRunStuck"))
		p.make(aBinding(t, "", place, place+"-a", place+"-r1"))
	}
	// A run that waits needs them too: the controller may fail it when it continues.
	p.make(aRun(t, "", "waits-r1", "waits", "Run", "UpdateRunWaiting"))
	done := aRun(t, "", "fine-r1", "fine", "Run", "UpdateRunProgressing")
	status := done["status"].(map[string]any)
	status["conditions"] = append(status["conditions"].([]any), map[string]any{
		"type": "Succeeded", "status": "True", "reason": "UpdateRunSucceeded", "message": "m", "observedGeneration": int64(1), "lastTransitionTime": "2026-11-20T10:00:00Z",
	})
	p.cached(p.make(done)) // else the last run may come without its status first

	var atOnce, most atomic.Int32
	// refuse, when set, answers requests for bindings of the placement many-07, or
	// of all.
	var refuse, refuseAll atomic.Pointer[http.HandlerFunc]
	h.SetIntercept(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !strings.HasSuffix(r.URL.Path, "/clusterresourcebindings") || r.URL.Query().Has("watch") {
				next.ServeHTTP(w, r)
				return
			}
			for now := atOnce.Add(1); ; {
				if was := most.Load(); now <= was || most.CompareAndSwap(was, now) {
					break
				}
			}
			time.Sleep(20 * time.Millisecond)
			atOnce.Add(-1) // before the answer, after which the next one is asked for
			answer := refuseAll.Load()
			if answer == nil && strings.HasSuffix(r.URL.Query().Get("labelSelector"), "=many-07") {
				answer = refuse.Load()
			}
			if answer != nil {
				(*answer)(w, r)
				return
			}
			next.ServeHTTP(w, r)
		})
	})
	once := func(ctx context.Context, cfg Config, r Reading) (*engine.Snapshot, error) {
		s, err := Once(ctx, cfg, r)
		if err == nil && (!s.Complete || len(s.Runs) != runs+1) {
			err = fmt.Errorf("lists %d runs, complete %v", len(s.Runs), s.Complete)
		}
		return s, err
	}
	read := func(ctx context.Context, progress func(engine.Text)) *engine.Snapshot {
		t.Helper()
		s, err := once(ctx, Config{REST: h.AdminConfig(), Progress: progress}, Reading{})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	// bindings makes a read, and returns its requests for bindings.
	bindings := func(how Reading, progress func(engine.Text)) (s *engine.Snapshot, sent []*http.Request) {
		t.Helper()
		for _, r := range inTime(t, h.AdminConfig(), func(config *rest.Config) (err error) {
			for atOnce.Load() > 0 { // of the read before
				time.Sleep(time.Millisecond)
			}
			most.Store(0)
			s, err = once(t.Context(), Config{REST: config, Progress: progress}, how)
			return err
		}) {
			if lastOf(r) == "clusterresourcebindings" {
				sent = append(sent, r)
			}
		}
		return s, sent
	}

	steps := 0
	s, sent := bindings(Reading{}, func(what engine.Text) {
		var read, total int
		var size string
		if n, _ := fmt.Sscanf(what.String(), "reading: %d objects, %s", &read, &size); n == 2 {
			return // the runs themselves
		}
		if strings.HasPrefix(what.String(), "waiting for the hub: ") {
			return // which is busy
		}
		if _, err := fmt.Sscanf(what.String(), "reading details: %d of %d placement", &read, &total); err != nil || read > total || total > runs {
			t.Errorf("progress %q: %v", what, err)
		}
		steps++
	})
	if len(s.Missing) != 0 || steps == 0 {
		t.Errorf("missing %v after %d steps", s.Missing, steps)
	}
	for _, v := range s.Runs {
		if strings.Contains(v.Why.What.String(), "binding") {
			t.Errorf("%s: %s", v.ID.Title(), v.Why.What)
		}
	}
	for _, r := range sent {
		if !isList(r) {
			t.Errorf("no list: %s", r.URL)
		}
	}
	if len(sent) != runs || most.Load() > 8 {
		t.Errorf("%d lists, %d at once", len(sent), most.Load())
	}
	if s, sent := bindings(Reading{NamesOnly: true}, nil); len(sent) != 0 || len(s.Missing) != runs {
		t.Errorf("names alone: %d lists, %d runs with something missing", len(sent), len(s.Missing))
	}

	forbidden := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprintf(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":%q,"message":"no right","code":403}`, metav1.StatusReasonForbidden)
	})
	refuseAll.Store(&forbidden)
	s = read(t.Context(), nil)
	for _, v := range s.Runs {
		gaps := s.Missing[v.ID]
		if v.ID.Name() == engine.Lit("fine-r1") {
			if len(gaps) > 0 {
				t.Errorf("a run that needs no bindings: %v", gaps)
			}
			continue
		}
		if len(gaps) != 1 || !gaps[0].Forbidden || gaps[0].What != engine.Textf("bindings of placement %s", v.Placement.Name()) || gaps[0].Why != engine.Lit("forbidden: no right") {
			t.Errorf("%s: %+v", v.ID.Title(), gaps)
		}
	}
	refuseAll.Store(nil)

	// One placement whose bindings never come keeps nobody waiting for ever.
	hang := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	refuse.Store(&hang)
	limited := &deadline{Context: t.Context(), passed: make(chan struct{})}
	var passed time.Time
	s = read(limited, func(what engine.Text) {
		if passed.IsZero() && what == engine.Textf("reading details: %d of %s", runs-1, engine.Count(runs, "placement")) {
			passed = time.Now()
			close(limited.passed)
		}
	})
	if len(s.Missing) != 1 || passed.IsZero() || time.Since(passed) > onceWait/2 {
		t.Errorf("missing %v after a deadline at %v", s.Missing, passed)
	}
	for id, gaps := range s.Missing {
		if id.Name() != engine.Lit("many-07-r1") || len(gaps) != 1 || gaps[0].Why != engine.Lit("not read in time") {
			t.Errorf("%s: %+v", id.Title(), gaps)
		}
	}
	if s := read(t.Context(), nil); len(s.Missing) != 1 {
		t.Errorf("without a deadline: missing %v", s.Missing)
	}
}
