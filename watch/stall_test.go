package watch

import (
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stagewatch/stagewatch/engine"
)

// halfDead is a proxy that loses its ways to the hub and keeps those to us:
// requests that are under way when it is struck bring nothing any more and do
// not end; new ones are answered.
type halfDead struct {
	agent string
	// always strikes every long watch as it begins: a proxy that holds back
	// what has no end.
	always bool

	// reported is closed when a Snapshot has named the stalled watch; no list is
	// answered before: a Snapshot that another replaces in time is never seen.
	reported chan struct{}

	mu   sync.Mutex
	open map[*atomic.Bool]bool
	held bool
}

func (p *halfDead) handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		long := r.URL.Query().Get("watch") == "true" && r.URL.Query().Get("timeoutSeconds") != "1"
		if r.UserAgent() != p.agent || !long {
			if r.UserAgent() == p.agent && p.holds(r) {
				select {
				case <-p.reported:
				case <-r.Context().Done():
				}
			}
			next.ServeHTTP(w, r)
			return
		}
		dead := &atomic.Bool{}
		p.mu.Lock()
		p.open[dead] = true
		p.mu.Unlock()
		next.ServeHTTP(&muted{ResponseWriter: w, dead: dead, late: p.always}, r)
		if dead.Load() {
			<-r.Context().Done()
		}
	})
}

func (p *halfDead) strike() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.held = true
	for dead := range p.open {
		dead.Store(true)
	}
}

// holds reports whether a request lists the runs after the strike.
func (p *halfDead) holds(r *http.Request) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.held && strings.HasSuffix(r.URL.Path, "/clusterstagedupdateruns") && !r.URL.Query().Has("watch")
}

// muted passes nothing on once it is dead.
type muted struct {
	http.ResponseWriter
	dead *atomic.Bool
	// late lets only the head of the answer through.
	late bool
}

func (m *muted) Write(b []byte) (int, error) {
	if m.late {
		m.dead.Store(true)
	}
	if m.dead.Load() {
		return len(b), nil
	}
	return m.ResponseWriter.Write(b)
}

func (m *muted) Flush() {
	if f, ok := m.ResponseWriter.(http.Flusher); ok {
		f.Flush()
	}
}

// CloseNotify is what the API asks of a watch's writer.
func (m *muted) CloseNotify() <-chan bool { return nil }

func (m *muted) Unwrap() http.ResponseWriter { return m.ResponseWriter }

// TestHalfDeadProxy checks that a change of the hub is in a Snapshot within ten
// seconds when a proxy answers pings and probes but holds back watches
// (docs/promises.md#i1).
func TestHalfDeadProxy(t *testing.T) {
	for _, always := range []bool{false, true} {
		name := map[bool]string{false: "struck", true: "holds-back"}[always]
		t.Run(name, func(t *testing.T) {
			p := somebody(t, shared)
			proxy := &halfDead{agent: "behind-" + name, always: always, open: map[*atomic.Bool]bool{}, reported: make(chan struct{})}
			shared.SetIntercept(proxy.handler)
			defer shared.SetIntercept(nil)
			cfg := shared.AdminConfig()
			cfg.UserAgent = proxy.agent
			o := options{}
			if always {
				o.checkEvery = 500 * time.Millisecond
			}
			s, err := open(t.Context(), Config{REST: cfg}, o)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(s.Close)
			until(t, s, "live", live)
			proxy.strike()
			reported := false
			for n, run := range []string{"-one", "-two"} {
				p.make(aRun(t, "", name+run, name, "Run", "UpdateRunWaiting"))
				began := time.Now()
				until(t, s, "the news", func(s *engine.Snapshot) bool {
					if !reported && s.Link.State == engine.LinkReconnecting && strings.Contains(s.Link.Err.String(), "the watch of clusterstagedupdateruns is stalled") {
						reported = true
						close(proxy.reported)
					}
					return live(s) && named(s, engine.KindClusterStagedUpdateRun, "", name+run) != nil
				})
				t.Logf("after %v", time.Since(began))
				if n == 0 && !reported {
					t.Error("no snapshot names the stalled watch")
				}
			}
		})
	}
}
