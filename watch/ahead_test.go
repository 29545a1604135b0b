package watch

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/stagewatch/stagewatch/engine"
)

// The opened run does not wait for a list that takes long: it is read ahead. The list, which may
// have an older version of it, and the watch, which brings that version again, do not take the
// screen back.
func TestTheOpenedRunIsReadAheadOfTheList(t *testing.T) {
	t.Parallel()
	h := emptyHub(t)
	p := somebody(t, h)
	p.make(aRun(t, "", "ahead-a", "ahead-a", "Run", "UpdateRunWaiting"))
	run := p.make(aRun(t, "", "ahead-z", "ahead-z", "Run", "UpdateRunWaiting"))
	p.cached(run)
	set := func(state string) {
		run = p.put(p.refresh(run, func(o map[string]any) { o["spec"].(map[string]any)["state"] = state }))
	}

	var once sync.Once
	ends := make(chan struct{})
	h.SetIntercept(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			list := false
			if strings.HasSuffix(r.URL.Path, "/clusterstagedupdateruns") && r.Header.Get("Accept") == "application/json" && !r.URL.Query().Has("watch") {
				once.Do(func() { list = true })
			}
			if !list {
				next.ServeHTTP(w, r)
				return
			}
			r.Header.Del("Accept-Encoding")
			whole := httptest.NewRecorder()
			next.ServeHTTP(whole, r)
			set("Stop") // after the list, before the run is read ahead
			w.Header().Set("Content-Type", "application/json")
			body := whole.Body.Bytes()
			for piece := range slices.Chunk(body[:len(body)/2], 100) {
				w.Write(piece)
				w.(http.Flusher).Flush()
				select {
				case <-ends:
				case <-time.After(500 * time.Millisecond):
				}
			}
			<-ends
			w.Write(body[len(body)/2:])
		})
	})

	s := openSession(t, Config{REST: h.AdminConfig()})
	id := s.hub.Name().ID(engine.KindClusterStagedUpdateRun, "", "ahead-z", string((&unstructured.Unstructured{Object: run}).GetUID()))
	s.Want(engine.Focus{Cursor: id, Run: id})
	snap := within(t, s, 10*time.Second, "the opened run", func(s *engine.Snapshot) bool {
		v := s.Find(id)
		return v != nil && !v.Partial
	})
	if v := snap.Find(id); snap.Complete || v.State != engine.Lit("Stop") || len(v.Stages) == 0 {
		t.Errorf("read ahead: complete %v, state %v, %d stages", snap.Complete, v.State, len(v.Stages))
	}
	close(ends)
	var states []string
	until(t, s, "the whole list", func(s *engine.Snapshot) bool {
		states = append(states, s.Find(id).State.String())
		return live(s)
	})
	if states = slices.Compact(states); !slices.Equal(states, []string{"Stop"}) {
		t.Errorf("the run read ahead is shown as %v", states)
	}
	// What comes later is shown.
	set("Run")
	until(t, s, "the next change", func(s *engine.Snapshot) bool { return s.Find(id).State == engine.Lit("Run") })
}
