package watch

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"runtime/debug"
	"sync"
	"testing"
	"time"

	"github.com/stagewatch/stagewatch/api/crds"
	"github.com/stagewatch/stagewatch/demo/hub"
)

// shared is the hub of the tests that do not disturb theirs. Each test works in
// names of its own.
var shared *hub.Hub

func TestMain(m *testing.M) {
	hub.Silence()
	os.Exit(run(m))
}

// aloneEnv tells this test binary to run without a hub in its process.
const aloneEnv = "STAGEWATCH_TEST_ALONE"

func run(m *testing.M) int {
	if os.Getenv(aloneEnv) != "" {
		return m.Run()
	}
	if err := spareTime(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	h, err := startHub(context.Background())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() {
		if err := h.Stop(); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}()
	shared = h
	h.SetIntercept(byAgent)
	code := m.Run()
	if err := errors.Join(onlyAllowed(h), spare.stop()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// spareTime collects garbage less often, which is a third of the hub's processor time
// otherwise. Under the race detector fewer random histories are played; a flag on the
// command line wins. Without it, more tests than processors run at once, since most of
// them wait for deadlines.
func spareTime() error {
	debug.SetGCPercent(400)
	if raceEnabled {
		debug.SetMemoryLimit(4 << 30) // a hub takes three times as much as without the detector
		return flag.Set("rapid.checks", "25")
	}
	debug.SetMemoryLimit(2 << 30)
	return flag.Set("test.parallel", "10")
}

// notRaced skips a test of many runs in the race step, where they take a quarter of a minute to
// create. Other tests read in the same way.
func notRaced(t *testing.T) {
	t.Helper()
	if raceEnabled {
		t.Skip("reads many runs as others read one")
	}
}

func startHub(ctx context.Context) (*hub.Hub, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	users := append(hub.DefaultUsers("team"),
		hub.User{Name: elseUser, Groups: []string{"system:masters"}}, hub.User{Name: colleagueUser, Groups: []string{"system:masters"}})
	h, err := hub.Start(ctx, hub.Options{KeepRequests: 100000, Users: users})
	if err != nil {
		return nil, err
	}
	all, err := crds.All()
	if err == nil {
		err = h.InstallCRDs(ctx, all...)
	}
	if err != nil {
		return nil, errors.Join(err, h.Stop())
	}
	return h, nil
}

// ways are what happens to the requests of single clients on their way to the shared
// hub, by user agent: tests that disturb their own client only run at the same time.
var ways sync.Map

// onWay sends the requests of a user agent to the shared hub through way until the test
// ends.
func onWay(t *testing.T, agent string, way func(next http.Handler) http.Handler) {
	t.Helper()
	if _, taken := ways.LoadOrStore(agent, way); taken {
		t.Fatalf("the requests of %s have a way already", agent)
	}
	t.Cleanup(func() { ways.Delete(agent) })
}

// byAgent sends each request its way.
func byAgent(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		to := next
		if way, ok := ways.Load(r.UserAgent()); ok {
			to = way.(func(http.Handler) http.Handler)(next)
		}
		to.ServeHTTP(w, r)
	})
}

// ownHub starts a hub that the test may disturb.
func ownHub(t *testing.T) *hub.Hub {
	t.Helper()
	h, err := startHub(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := onlyAllowed(h); err != nil {
			t.Error(err)
		}
		if err := h.Stop(); err != nil {
			t.Error(err)
		}
	})
	return h
}

// spareHub is a hub for one test after another: to start one takes longer than most tests.
type spareHub struct {
	mu  sync.Mutex // held by the test that uses it
	hub *hub.Hub   // nil before the first use
}

var spare spareHub

func (s *spareHub) stop() error {
	if s.hub == nil {
		return nil
	}
	return errors.Join(onlyAllowed(s.hub), s.hub.Stop())
}

// emptyHub returns a hub without objects that is this test's alone until it ends. The test may
// intercept its requests, but must not stop it.
func emptyHub(t *testing.T) *hub.Hub {
	t.Helper()
	spare.mu.Lock()
	t.Cleanup(spare.mu.Unlock)
	if spare.hub == nil {
		h, err := startHub(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		spare.hub = h
	}
	t.Cleanup(func() {
		spare.hub.SetIntercept(nil)
		somebody(t, spare.hub).removeAll()
	})
	return spare.hub
}
