package watch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"
	"k8s.io/client-go/rest"

	"github.com/stagewatch/stagewatch/demo/hub"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/act"
	"github.com/stagewatch/stagewatch/watch/link"
)

// freshRows are the hub's runs as a fresh session sees them.
func freshRows(t *testing.T, h *hub.Hub) string {
	t.Helper()
	fresh, err := Once(t.Context(), Config{REST: h.AdminConfig()}, Reading{})
	if err != nil {
		t.Fatal(err)
	}
	return rows(fresh)
}

// rows says what runs there are and where they stand. Not their word: NOT OBSERVED
// counts from when a session saw a generation first.
func rows(s *engine.Snapshot) string {
	var b strings.Builder
	for _, v := range slices.SortedFunc(slices.Values(s.Runs), func(a, b *engine.RunView) int { return a.ID.Compare(b.ID) }) {
		fmt.Fprintln(&b, v.ID, v.State, v.Generation, v.Observed, v.Done, v.Total)
	}
	return b.String()
}

// TestRestart takes the API away from a session, changes everything meanwhile
// and gives it back: the session notices, and finds back by itself.
func TestRestart(t *testing.T) {
	t.Parallel()
	h := ownHub(t)
	p := somebody(t, h)
	keep := p.make(aRun(t, "", "keep", "keep", "Run", "UpdateRunWaiting"))
	gone := p.make(aRun(t, "", "gone", "gone", "Run", "UpdateRunWaiting"))
	s := openSession(t, Config{REST: h.AdminConfig()})
	snap := until(t, s, "both runs", func(s *engine.Snapshot) bool { return live(s) && len(s.Runs) == 2 })
	seen := named(snap, engine.KindClusterStagedUpdateRun, "", "keep").ID
	// A dialog that stays open all the while.
	asked, r := act.Propose(snap, engine.ActDelete, seen, snap.At)
	if r.Refused() {
		t.Fatal(r.Why)
	}

	for round := range 2 {
		if err := h.StopAPI(); err != nil {
			t.Fatal(err)
		}
		snap := until(t, s, "RECONNECTING", func(s *engine.Snapshot) bool { return s.Link.State == engine.LinkReconnecting })
		if snap.Link.Err.IsZero() || snap.Link.Hint.IsZero() || snap.WritesOff.IsZero() || len(snap.Runs) == 0 {
			t.Errorf("reconnecting without words or without what was known: %s", describe(snap))
		}
		if _, r := act.Propose(snap, engine.ActDelete, seen, snap.At); !r.Refused() {
			t.Error("the guard lets somebody act while reconnecting")
		}
		// A request that went into a connection which only then broke may have
		// arrived, for all that can be known.
		if out := s.Do(t.Context(), asked); out.Result != act.ResultNotApplied && out.Result != act.ResultUnknown {
			t.Errorf("confirmed without a hub: %v: %v", out.Result, out.What)
		}
		if err := h.StartAPI(t.Context()); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		// A restarted API answers an old resourceVersion with 410.
		p.make(aRun(t, "", fmt.Sprint("new-", round), "new", "Initialize", "UpdateRunWaiting"))
		if round == 0 {
			p.remove(gone)
			p.put(p.refresh(keep, func(o map[string]any) { o["spec"].(map[string]any)["state"] = "Stop" }))
		}
		want := freshRows(t, h)
		until(t, s, "what a fresh list has:\n"+want, func(s *engine.Snapshot) bool { return live(s) && rows(s) == want })
		t.Logf("back %v after the API", time.Since(began))
		// Somebody has set its state meanwhile: what was shown does not hold.
		if out := s.Do(t.Context(), asked); out.Result != act.ResultRefused || !strings.Contains(out.What.String(), "was changed to ") {
			t.Errorf("confirmed after the restart: %v: %v", out.Result, out.What)
		}
	}
	last := until(t, s, "rights", func(s *engine.Snapshot) bool {
		_, r := act.Propose(s, engine.ActDelete, seen, s.At)
		return !r.Refused()
	})
	again, _ := act.Propose(last, engine.ActDelete, seen, last.At)
	if out := s.Do(t.Context(), again); out.Result != act.ResultApplied {
		t.Errorf("decided again: %v: %v", out.Result, out.What)
	}
	var codes []int
	for _, r := range changed(t, h, hub.AdminUser, time.Time{}) {
		codes = append(codes, r.Code)
	}
	if want := []int{http.StatusConflict, http.StatusConflict, http.StatusOK}; !slices.Equal(codes, want) {
		t.Errorf("the hub answered writes with %v, want %v", codes, want)
	}
}

// TestFrozenPeer stops the listener from moving a byte; nobody closes anything.
func TestFrozenPeer(t *testing.T) {
	t.Parallel()
	h := ownHub(t)
	defer h.Thaw()
	p := somebody(t, h)
	p.make(aRun(t, "", "frozen", "frozen", "Run", "UpdateRunWaiting"))
	s := openSession(t, Config{REST: h.AdminConfig()})
	until(t, s, "live", live)
	h.Freeze()
	began := time.Now()
	snap := until(t, s, "not live", func(s *engine.Snapshot) bool { return s.Link.State != engine.LinkLive })
	t.Logf("%v after %v: %v", snap.Link.State, time.Since(began), snap.Link.Err)
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("a frozen peer was noticed after %v", took)
	}
	h.Thaw()
	began = time.Now()
	p.make(aRun(t, "", "thawed", "thawed", "Run", "UpdateRunWaiting"))
	until(t, s, "live again", func(s *engine.Snapshot) bool {
		return live(s) && named(s, engine.KindClusterStagedUpdateRun, "", "thawed") != nil
	})
	t.Logf("back after %v", time.Since(began))
}

// TestVanishedPeer lets the old connections lead nowhere while new ones work,
// as after a change of network: nobody tells the session.
func TestVanishedPeer(t *testing.T) {
	t.Parallel()
	p := somebody(t, shared)
	road := newRoad(t, strings.TrimPrefix(shared.URL(), "https://"))
	cfg := shared.AdminConfig()
	cfg.Dial = func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "tcp", road.addr)
	}
	s, err := open(t.Context(), Config{REST: cfg}, options{probing: link.ProbeConfig{Every: 200 * time.Millisecond, Deadline: 200 * time.Millisecond}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	until(t, s, "live", live)
	road.swallow()
	until(t, s, "not live", func(s *engine.Snapshot) bool { return s.Link.State != engine.LinkLive })
	p.make(aRun(t, "", "vanished", "vanished", "Run", "UpdateRunWaiting"))
	until(t, s, "live over a new connection", func(s *engine.Snapshot) bool {
		return live(s) && named(s, engine.KindClusterStagedUpdateRun, "", "vanished") != nil
	})
}

// road carries connections to a hub until it swallows what is on it.
type road struct {
	addr string

	mu    sync.Mutex
	conns []*lane
}

type lane struct {
	net.Conn
	swallowed atomic.Bool
}

func (l *lane) Write(b []byte) (int, error) {
	if l.swallowed.Load() {
		return len(b), nil
	}
	return l.Conn.Write(b)
}

func newRoad(t *testing.T, to string) *road {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &road{addr: l.Addr().String()}
	t.Cleanup(func() {
		l.Close()
		r.mu.Lock()
		defer r.mu.Unlock()
		for _, c := range r.conns {
			c.Close()
		}
	})
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("tcp", to)
			if err != nil {
				in.Close()
				return
			}
			there, back := &lane{Conn: out}, &lane{Conn: in}
			r.mu.Lock()
			r.conns = append(r.conns, there, back)
			r.mu.Unlock()
			go io.Copy(there, in)
			go io.Copy(back, out)
		}
	}()
	return r
}

func (r *road) swallow() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range r.conns {
		c.swallowed.Store(true)
	}
}

// closedPort is an address at which nobody listens.
func closedPort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func TestUnreachableFromTheStart(t *testing.T) {
	addr := closedPort(t)
	s := openSession(t, Config{REST: &rest.Config{Host: "http://" + addr}, Context: "demo", User: "me"})
	snap := until(t, s, "RECONNECTING", func(s *engine.Snapshot) bool { return s.Link.State == engine.LinkReconnecting })
	if want := "connection refused by " + addr; snap.Link.Err.String() != want {
		t.Errorf("error %q, want %q", snap.Link.Err, want)
	}
	if !strings.Contains(snap.Link.Hint.String(), "check the context, and that the API server is up") || snap.Hub.User.String() != "me" || snap.Complete {
		t.Errorf("snapshot %s", describe(snap))
	}
	// Somebody starts to listen: it is noticed.
	l, err := net.Listen("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	srv := &http.Server{Handler: http.NotFoundHandler()}
	go srv.Serve(l)
	defer srv.Close()
	until(t, s, "not served", func(s *engine.Snapshot) bool {
		return s.Link.State == engine.LinkLive && strings.Contains(engine.Join(s.Scope.Notes, ";").String(), "no KubeFleet hub API")
	})
}

func TestOnce(t *testing.T) {
	t.Parallel()
	p := somebody(t, shared)
	p.make(aRun(t, "", "once", "once", "Run", "UpdateRunWaiting"))
	p.make(aBinding(t, "", "once", "a", "once"))
	missing := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(missing.Close)
	hang := make(chan struct{})
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-hang:
		}
	}))
	t.Cleanup(silent.Close)
	t.Cleanup(func() { close(hang) })
	bad := shared.AdminConfig()
	bad.BearerToken = "nobody"
	tests := []struct {
		name string
		rest *rest.Config
		want error
	}{
		{"there", shared.Config(hub.ViewerUser), nil},
		{"nobody listens", &rest.Config{Host: "http://" + closedPort(t)}, ErrUnreachable},
		{"never answers", &rest.Config{Host: silent.URL}, ErrUnreachable},
		{"no CRDs", &rest.Config{Host: missing.URL}, ErrNotServed},
		{"login refused", bad, ErrForbidden},
		{"no rights", shared.Config(hub.StrangerUser), ErrForbidden},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			began := time.Now()
			snap, err := Once(t.Context(), Config{REST: tt.rest}, Reading{})
			t.Logf("after %v", time.Since(began))
			if !errors.Is(err, tt.want) {
				t.Fatalf("error %v, want %v", err, tt.want)
			}
			if tt.want != nil {
				var once *OnceError
				if !errors.As(err, &once) || once.Err.IsZero() || once.Hint.IsZero() {
					t.Errorf("error without words: %#v", err)
				}
				most := 2 * onceWait
				if tt.name == "nobody listens" {
					most = onceWait
				}
				if took := time.Since(began); took > most || most == onceWait && took < absentWait {
					t.Errorf("took %v", took)
				}
				return
			}
			if !snap.Complete || named(snap, engine.KindClusterStagedUpdateRun, "", "once") == nil || snap.Link.State != engine.LinkLive {
				t.Errorf("snapshot %s", describe(snap))
			}
		})
	}
}

// TestCloseEndsEverything leaves no goroutine behind, whatever the hub does.
func TestCloseEndsEverything(t *testing.T) {
	for name, cfg := range map[string]*rest.Config{
		"live":        shared.AdminConfig(),
		"refused":     shared.Config(hub.StrangerUser),
		"unreachable": {Host: "http://" + closedPort(t)},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := Open(context.Background(), Config{REST: cfg})
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			for {
				snap, err := s.Next(ctx)
				if err != nil {
					t.Fatal(err)
				}
				if snap.Link.State != engine.LinkLoading {
					break
				}
			}
			began := time.Now()
			s.Close()
			if took := time.Since(began); took > 5*time.Second {
				t.Errorf("Close took %v", took)
			}
			if _, err := s.Next(ctx); !errors.Is(err, ErrClosed) {
				t.Errorf("Next after Close: %v", err)
			}
			s.Close()
			eventually(t, "no goroutine of a session is left", func() bool { return !strings.Contains(stacks(), "watch.(*") })
		})
	}
}

// TestNextWithoutContext fails with a context that has ended although a Snapshot is ready, which the
// next call returns.
func TestNextWithoutContext(t *testing.T) {
	s := openSession(t, Config{REST: &rest.Config{Host: "http://" + closedPort(t)}})
	eventually(t, "a Snapshot is ready", func() bool { return len(s.feed.Snapshots()) > 0 })
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for range 50 {
		if snap, err := s.Next(ended); !errors.Is(err, context.Canceled) {
			t.Fatalf("got %v, %v", snap, err)
		}
	}
	if snap, err := s.Next(t.Context()); err != nil || snap.Link.State == engine.LinkLive {
		t.Errorf("got %v, %v", snap, err)
	}
}

// stacks is what all goroutines do that are not the test's own.
func stacks() string {
	buf := make([]byte, 4<<20)
	buf = buf[:runtime.Stack(buf, true)]
	var out []string
	for _, g := range strings.Split(string(buf), "\n\n") {
		if !strings.Contains(g, "testing.tRunner") && (strings.Contains(g, "stagewatch/watch.") || strings.Contains(g, "client-go/tools/cache.")) {
			out = append(out, g)
		}
	}
	return strings.Join(out, "\n\n")
}

// TestNoLeakWithoutHub counts every goroutine, those of the connections too. It
// does so in a process of its own: the shared hub starts some as it likes.
func TestNoLeakWithoutHub(t *testing.T) {
	if os.Getenv(aloneEnv) == "" {
		alone := exec.Command(os.Args[0], "-test.run=^TestNoLeakWithoutHub$", "-test.v")
		alone.Env = append(os.Environ(), aloneEnv+"=1")
		out, err := alone.CombinedOutput()
		if err != nil || !strings.Contains(string(out), "--- PASS: TestNoLeakWithoutHub") {
			t.Fatalf("alone: %v\n%s", err, out)
		}
		return
	}
	before := goleak.IgnoreCurrent()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/apis/placement.kubernetes-fleet.io" {
			fmt.Fprint(w, `{"kind":"APIGroup","versions":[{"version":"v1"},{"version":"v1beta1"}]}`)
			return
		}
		w.WriteHeader(http.StatusInternalServerError)
	}))
	s, err := Open(context.Background(), Config{REST: &rest.Config{Host: srv.URL}})
	if err != nil {
		t.Fatal(err)
	}
	until(t, s, "a hub with problems", func(s *engine.Snapshot) bool { return s.Link.State == engine.LinkReconnecting })
	s.Close()
	srv.Close()
	goleak.VerifyNone(t, before)
}
