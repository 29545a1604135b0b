package stream

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/client-go/rest"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/watch/client"
	"github.com/stagewatch/stagewatch/watch/faults"
	"github.com/stagewatch/stagewatch/watch/internal/task"
	"github.com/stagewatch/stagewatch/watch/link"
	"github.com/stagewatch/stagewatch/watch/store"
	"github.com/stagewatch/stagewatch/watch/stream/wanted"
)

// lookedThrough is a server that takes a while for each list of bindings, and notes which
// placements they were of and how many it had at the same time.
type lookedThrough struct {
	http.Handler
	takes func(placement string) time.Duration // called one at a time
	slow  bool                                 // the line

	mu        sync.Mutex
	now, most int
	asked     []string // in the order of their first lists
	limits    map[string][]string
	versions  map[string][]string // resourceVersions, as limits
	// states are those of the link in each second.
	states []engine.LinkState
}

func (l *lookedThrough) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if of, ok := strings.CutPrefix(r.URL.Query().Get("labelSelector"), "kubernetes-fleet.io/parent-CRP="); ok && faults.Lists(r) && !r.URL.Query().Has("fieldSelector") {
		l.mu.Lock()
		if l.limits == nil {
			l.limits, l.versions = map[string][]string{}, map[string][]string{}
		}
		l.versions[of] = append(l.versions[of], r.URL.Query().Get("resourceVersion"))
		l.limits[of] = append(l.limits[of], r.URL.Query().Get("limit"))
		l.now++
		l.most = max(l.most, l.now)
		if !slices.Contains(l.asked, of) {
			l.asked = append(l.asked, of)
		}
		takes := l.takes(of)
		l.mu.Unlock()
		select {
		case <-time.After(takes):
		case <-r.Context().Done():
		}
		l.mu.Lock()
		l.now--
		l.mu.Unlock()
	}
	l.Handler.ServeHTTP(w, r)
}

// readBindings wants the bindings of ten placements from a server, and then those that next
// returns, for a minute.
func readBindings(t *testing.T, server *lookedThrough, reach wanted.Reach, next func() []engine.ID) {
	t.Helper()
	var then func() wanted.Wants
	if next != nil {
		then = func() wanted.Wants { return wanted.Wants{Placements: next(), Opened: true} }
	}
	readWanted(t, server, reach, wanted.Wants{Placements: places(10), Opened: true}, then)
}

// readWanted wants one thing from a server, and then what next returns, for a minute.
func readWanted(t *testing.T, server *lookedThrough, reach wanted.Reach, first wanted.Wants, next func() wanted.Wants) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		server.Handler = faults.NewAPIServer()
		hub, err := client.New(engine.NewHubName("hub", ""), &rest.Config{Host: "http://hub.example", Transport: &faults.Transport{Handler: server}})
		if err != nil {
			t.Fatal(err)
		}
		var work task.Group
		defer work.Wait()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		l := link.New(time.Now(), true, func() {})
		k := New(Config{
			Hub: hub, Link: l, In: store.NewInbox(), Work: &work, Reach: reach,
			Started: func() {}, Loaded: func() {},
			Settings: engine.Settings{ClusterRuns: true},
		})
		k.slow = server.slow
		work.Go(func() { k.Run(ctx) })
		time.Sleep(time.Second)
		k.wantedc <- first
		if next != nil {
			time.Sleep(500 * time.Millisecond)
			k.wantedc <- next()
		}
		time.Sleep(500 * time.Millisecond)
		for range 60 {
			v, _ := l.View(time.Now(), 0)
			server.states = append(server.states, v.State)
			time.Sleep(time.Second)
		}
	})
}

func place(n int) engine.ID {
	return engine.NewID(engine.KindClusterResourcePlacement, "", fmt.Sprint("p", n), "")
}

func places(n int) []engine.ID {
	var all []engine.ID
	for i := range n {
		all = append(all, place(i))
	}
	return all
}

// TestFewSetsOfBindingsAreReadAtOnce checks how many lists of bindings a hub has at the same
// time, and that all of them are read, in the order in which they are wanted.
func TestFewSetsOfBindingsAreReadAtOnce(t *testing.T) {
	for _, tt := range []struct {
		reach wanted.Reach
		slow  bool
		most  int
	}{{wanted.ReachScreen, false, 3}, {wanted.ReachScreen, true, 1}, {wanted.ReachTrouble, false, 8}, {wanted.ReachTrouble, true, 8}} {
		server := &lookedThrough{slow: tt.slow, takes: func(string) time.Duration { return 2 * time.Second }}
		readBindings(t, server, tt.reach, nil)
		if server.most != tt.most {
			t.Errorf("reach %d: %d lists of bindings at the same time, want %d", tt.reach, server.most, tt.most)
		}
		if want := strings.Fields("p0 p1 p2 p3 p4 p5 p6 p7 p8 p9"); !slices.Equal(slices.Sorted(slices.Values(server.asked)), want) {
			t.Errorf("reach %d: read %v", tt.reach, server.asked)
		}
	}
}

// TestOutdatedBindingsAreReadAgain checks that bindings that a Snapshot shows as older than a
// run before it is noted that they were read are read again, and once only.
func TestOutdatedBindingsAreReadAgain(t *testing.T) {
	for made, want := range map[time.Duration]int{0: 2, time.Hour: 1} { // ago: before the read began
		server := &lookedThrough{takes: func(string) time.Duration { return 2 * time.Second }}
		old := func() wanted.Wants {
			return wanted.Wants{Placements: places(2), Again: places(1), Made: time.Now().Add(-made), Opened: true}
		}
		readWanted(t, server, wanted.ReachTrouble, wanted.Wants{Placements: places(2), Opened: true}, old)
		if again, once := len(server.limits["p0"]), len(server.limits["p1"]); again != want || once != 1 {
			t.Errorf("a Snapshot made %v before: read %d times, want %d; the other one %d times", made, again, want, once)
		}
	}
}

// TestTheMostWantedBindingsDoNotWait checks that the set of the run that a person opens is
// read at once, and the others after it in the new order, without those that nobody wants now. Over
// a slow line, the next one is asked for when one is there, or has not begun to arrive for slowTurn.
func TestTheMostWantedBindingsDoNotWait(t *testing.T) {
	for _, tt := range []struct {
		slow  bool
		order [][]string // each in any order
	}{
		{false, [][]string{{"p0", "p1", "p2"}, {"p8"}, {"p5", "p7"}}},
		{true, [][]string{{"p0"}, {"p8"}, {"p1"}, {"p2"}, {"p7"}, {"p5"}}},
	} {
		server := &lookedThrough{slow: tt.slow, takes: func(string) time.Duration { return 2 * time.Second }}
		readBindings(t, server, wanted.ReachScreen, func() []engine.ID {
			return []engine.ID{place(8), place(0), place(1), place(2), place(7), place(5)}
		})
		asked := server.asked
		for _, want := range tt.order {
			n := min(len(want), len(asked))
			if got := slices.Sorted(slices.Values(asked[:n])); !slices.Equal(got, want) {
				t.Errorf("slow %v: read %v, want %v", tt.slow, server.asked, tt.order)
				break
			}
			asked = asked[n:]
		}
		if len(server.asked) != 6 {
			t.Errorf("slow %v: read %v", tt.slow, server.asked)
		}
	}
}

// TestHangingBindingsKeepNoOthersWaiting checks that sets whose lists are not answered give up
// their turns.
func TestHangingBindingsKeepNoOthersWaiting(t *testing.T) {
	server := &lookedThrough{takes: func(of string) time.Duration {
		if of < "p4" {
			return time.Hour
		}
		return 0
	}}
	readBindings(t, server, wanted.ReachScreen, nil)
	if len(server.asked) != 10 {
		t.Errorf("while the lists of p0 to p3 hang, only %v are read", server.asked)
	}
}

// TestASlowListOfBindingsIsReadWhole checks that a list of bindings that is answered late, while
// others are answered at once, is read whole: in pages, an API server would look through all
// bindings for each. The screen is live meanwhile. Where it is never answered, pages are read.
func TestASlowListOfBindingsIsReadWhole(t *testing.T) {
	for takes, want := range map[time.Duration][]string{
		9 * time.Second: {"", ""},
		time.Hour:       {"", "", "2"},
	} {
		server := &lookedThrough{takes: func(of string) time.Duration {
			if of == "p0" {
				return takes
			}
			return 0
		}}
		readBindings(t, server, wanted.ReachScreen, nil)
		if got := server.limits["p0"]; !slices.Equal(got[:min(len(got), len(want))], want) || takes < time.Hour && len(got) > len(want) {
			t.Errorf("lists that take %v: limits %q, want %q", takes, got, want)
		}
		// Until then it is not answered in three seconds, and is read in nine more.
		if read := server.states[:12]; takes < time.Hour && slices.ContainsFunc(read, func(s engine.LinkState) bool { return s != engine.LinkLive }) {
			t.Errorf("lists that take %v: the link is %v", takes, read)
		}
		if len(server.asked) != 10 {
			t.Errorf("read %v, want all", server.asked)
		}
	}
}

// TestBindingsThatWereReadAreNotWaitedFor checks that a list of bindings that is not answered
// when the set was read before is read in pages at once: what is shown meanwhile is old.
func TestBindingsThatWereReadAreNotWaitedFor(t *testing.T) {
	lists := map[string]int{}
	server := &lookedThrough{takes: func(of string) time.Duration {
		if lists[of]++; lists[of] == 2 {
			return time.Hour
		}
		return 0
	}}
	readBindings(t, server, wanted.ReachScreen, func() []engine.ID {
		hub := server.Handler.(*faults.APIServer)
		hub.Compact()
		hub.Restart()
		return places(10)
	})
	if got := server.limits["p0"]; !slices.Equal(got, []string{"", "", "2"}) {
		t.Errorf("limits %q, want a list, one that is not answered, and a page", got)
	}
}

// TestBindingsAreNotOlderThanTheirRun checks that the first list of bindings asks for the version of
// the run that they are compared with, which costs no other request; and that all later ones ask for
// any version once an API server did not have that one in time.
func TestBindingsAreNotOlderThanTheirRun(t *testing.T) {
	for since, lists := range map[string][2][]string{"1": {{"1"}, {"1"}}, "1000": {{"1000", "0"}, {"0"}}} {
		server := &lookedThrough{takes: func(string) time.Duration { return 0 }}
		versions := map[engine.ID]string{place(0).Key(): since, place(2).Key(): since}
		next := func() wanted.Wants { return wanted.Wants{Placements: places(3), Since: versions, Opened: true} }
		readWanted(t, server, wanted.ReachScreen, wanted.Wants{Placements: places(2), Since: versions, Opened: true}, next)
		for of, want := range map[string][]string{"p0": lists[0], "p1": {"0"}, "p2": lists[1]} {
			if got := server.versions[of]; !slices.Equal(got, want) {
				t.Errorf("run of version %s, %s: lists of versions %v, want %v", since, of, got, want)
			}
		}
	}
}
