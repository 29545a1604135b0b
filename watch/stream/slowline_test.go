package stream

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"path"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/client-go/rest"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/world"
	"github.com/stagewatch/stagewatch/watch/client"
	"github.com/stagewatch/stagewatch/watch/faults"
	"github.com/stagewatch/stagewatch/watch/internal/task"
	"github.com/stagewatch/stagewatch/watch/link"
	"github.com/stagewatch/stagewatch/watch/store"
	"github.com/stagewatch/stagewatch/watch/stream/wanted"
)

// slowLine is a transport that delivers the list of one kind slowly, in equal pieces, and delays
// all other answers until its end.
type slowLine struct {
	http.RoundTripper
	of     string
	takes  time.Duration
	pieces int
	gap    time.Duration // twice, in which nothing of it comes
	after  time.Duration // how much later the other answers come
	shared bool          // fairly: the other answers are not delayed
	events time.Duration // that each event of the watch of runs takes
	behind bool          // an event comes first in the answer of that watch
	fails  func(*http.Request) bool

	mu      sync.Mutex
	free    time.Time            // when the list that is under way will have come
	sent    int                  // requests meanwhile
	lists   map[string]int       // whole ones, by path
	asked   map[string]time.Time // for the first of them
	checked time.Time            // when a check of runs was sent last
}

// pieceByPiece brings a body in pieces.
type pieceByPiece struct {
	*bytes.Reader
	every, gap  time.Duration
	piece, read int
}

// Read implements io.Reader.
func (p *pieceByPiece) Read(b []byte) (int, error) {
	time.Sleep(p.every)
	before := p.read
	p.read += min(len(b), p.piece)
	for _, third := range []int64{1, 2} {
		if at := int(third * p.Size() / 3); before < at && p.read >= at {
			time.Sleep(p.gap)
		}
	}
	return p.Reader.Read(b[:min(len(b), p.piece)])
}

// Close implements io.Closer.
func (p *pieceByPiece) Close() error { return nil }

// RoundTrip implements http.RoundTripper.
func (s *slowLine) RoundTrip(r *http.Request) (*http.Response, error) {
	if s.fails != nil && s.fails(r) {
		return nil, fmt.Errorf("dial: %w", syscall.ECONNREFUSED)
	}
	whole := faults.Lists(r) && !r.URL.Query().Has("limit") && !strings.Contains(r.Header.Get("Accept"), "as=")
	s.mu.Lock()
	wait := time.Until(s.free)
	if wait > 0 {
		s.sent++
		wait += s.after
	}
	if whole {
		if s.lists[r.URL.Path]++; s.lists[r.URL.Path] == 1 {
			s.asked[path.Base(r.URL.Path)] = time.Now()
		}
	}
	if whole = whole && strings.HasSuffix(r.URL.Path, "/"+s.of); whole {
		s.free = time.Now().Add(s.takes + 2*s.gap)
	}
	if s.shared {
		wait = 0
	}
	if faults.Checks(r) && strings.HasSuffix(r.URL.Path, "/"+runs) {
		s.checked = time.Now()
	}
	s.mu.Unlock()
	answer, err := s.RoundTripper.RoundTrip(r)
	if err == nil && s.events > 0 && faults.LongWatches(r) && strings.HasSuffix(r.URL.Path, "/"+runs) {
		answer.Body = &slowEvents{ReadCloser: answer.Body, line: s}
		if s.behind {
			s.mu.Lock()
			s.free = time.Now().Add(s.events)
			s.mu.Unlock()
			return answer, nil
		}
	}
	if err != nil || !whole {
		select {
		case <-time.After(wait):
		case <-r.Context().Done():
			if err == nil {
				err = answer.Body.Close()
			}
			return nil, fmt.Errorf("%w, %w", r.Context().Err(), err)
		}
		return answer, err
	}
	all, err := io.ReadAll(answer.Body)
	piece := len(all)/s.pieces + 1
	answer.Body = &pieceByPiece{Reader: bytes.NewReader(all), piece: piece, gap: s.gap, every: s.takes * time.Duration(piece) / time.Duration(len(all))}
	return answer, err
}

// slowEvents brings the events of a watch slowly, each in pieces.
type slowEvents struct {
	io.ReadCloser
	line *slowLine
	rest []byte // of what came
	part int    // that comes at a time
}

// Read implements io.Reader.
func (s *slowEvents) Read(b []byte) (int, error) {
	if len(s.rest) == 0 {
		came := make([]byte, 64<<10)
		n, err := s.ReadCloser.Read(came)
		if err != nil {
			return 0, err
		}
		s.rest, s.part = came[:n], n/100+1
		s.line.mu.Lock()
		s.line.free = time.Now().Add(s.line.events * time.Duration((n+s.part-1)/s.part) / 100)
		s.line.mu.Unlock()
	}
	time.Sleep(s.line.events / 100)
	n := copy(b, s.rest[:min(s.part, len(s.rest))])
	s.rest = s.rest[n:]
	return n, nil
}

// listed returns how often the set of the slow list was listed; of other sets it fails for those
// that were listed more than once.
func (s *slowLine) listed(t *testing.T) (n int) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	for path, times := range s.lists {
		switch {
		case strings.HasSuffix(path, "/"+s.of):
			n = times
		case times != 1:
			t.Errorf("behind a list of %v, %s was listed %d times", s.takes, path, times)
		}
	}
	return n
}

// over runs a test with streams over a slow line to a server with 200 runs.
func (s *slowLine) over(t *testing.T, test func(t *testing.T, server *faults.APIServer, proxy *faults.Proxy, k *Streams)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		server := faults.NewAPIServer()
		for i := range 200 {
			put(server, fmt.Sprint("run-", i))
		}
		proxy := faults.NewProxy(server)
		s.RoundTripper, s.lists = &faults.Transport{Handler: proxy}, map[string]int{}
		s.asked = map[string]time.Time{}
		if s.pieces == 0 {
			s.pieces = 100
		}
		hub, err := client.New(engine.NewHubName("hub", ""), &rest.Config{Host: "http://hub.example", Transport: s})
		if err != nil {
			t.Fatal(err)
		}
		var work task.Group
		defer work.Wait()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		k := New(Config{
			Hub: hub, Link: link.New(time.Now(), true, func() {}), In: store.NewInbox(), Work: &work, Reach: wanted.ReachScreen,
			Started: func() {}, Loaded: func() {}, Settings: engine.Settings{ClusterRuns: true, NamespacedRuns: true},
		})
		work.Go(func() { k.Run(ctx) })
		work.Go(func() { k.Link.Probe(ctx, hub, link.ProbeConfig{}) })
		test(t, server, proxy, k)
	})
}

// isLive checks that the link is live.
func isLive(t *testing.T, k *Streams, when string) {
	t.Helper()
	if v, _ := k.Link.View(time.Now(), 0); v.State != engine.LinkLive {
		t.Errorf("%s: %v, %v", when, v.State, v.Err)
	}
}

// TestFirstListsOverASlowLine checks that the screen says what has come while a list takes long
// over a slow line, behind which all else waits, and that no set is read a second time.
func TestFirstListsOverASlowLine(t *testing.T) {
	for _, line := range []*slowLine{
		{takes: 5 * time.Second},
		{takes: 12 * time.Second},
		{takes: 40 * time.Second},
		{takes: 150 * time.Second},
		{takes: 5 * time.Second, after: 100 * time.Millisecond},
		{takes: 8300 * time.Millisecond, after: 400 * time.Millisecond},
		{takes: 12700 * time.Millisecond, after: 200 * time.Millisecond},
		{takes: 40 * time.Second, gap: 1200 * time.Millisecond},
		{takes: 40 * time.Second, gap: 2500 * time.Millisecond},
	} {
		line.of = runs
		line.over(t, func(t *testing.T, _ *faults.APIServer, _ *faults.Proxy, k *Streams) {
			began, all := time.Now(), line.takes+2*line.gap
			for time.Since(began) < all-time.Second {
				time.Sleep(500 * time.Millisecond)
				v, _ := k.Link.View(time.Now(), 0)
				objects := 0
				_, err := fmt.Sscan(v.Loading.String(), &objects)
				if least := int((time.Since(began)-2*line.gap)*200/line.takes) - 20; v.State != engine.LinkLoading || err != nil && least > 0 || objects < least || objects > 200 {
					t.Fatalf("after %v of %v: %v %v, %q, want at least %d objects", time.Since(began), all, v.State, v.Err, v.Loading, least)
				}
			}
			line.mu.Lock()
			if most := 1 + int(all/(1500*time.Millisecond)); line.sent > most {
				t.Errorf("%d requests during a list of %v, want %d at most", line.sent, all, most)
			}
			line.mu.Unlock()
			if all+line.after < provesWithin-time.Second {
				time.Sleep(all + line.after - time.Since(began) + 200*time.Millisecond)
				isLive(t, k, fmt.Sprintf("at the end of a list of %v", all)) // it is the proof
			}
			for end := all + line.after + 2*time.Second; time.Since(began) < end; time.Sleep(100 * time.Millisecond) {
				if v, _ := k.Link.View(time.Now(), 0); v.State != engine.LinkLoading && v.State != engine.LinkLive {
					t.Fatalf("%v after a list of %v: %v %v", time.Since(began)-all, all, v.State, v.Err)
				}
			}
			line.mu.Lock()
			if pause := line.asked["clusterresourceplacements"].Sub(began) - all; pause < confirmFirst {
				t.Errorf("%v after a list of %v, the next set was requested", pause, all)
			}
			line.mu.Unlock()
			isLive(t, k, fmt.Sprintf("2 s after a list of %v (gaps of %v, answers %v later)", line.takes, line.gap, line.after))
			time.Sleep(2 * line.takes)
			isLive(t, k, "in the end")
			if all > time.Minute {
				return // what waited for longer was sent again
			}
			if n := line.listed(t); n != 1 {
				t.Errorf("runs were listed %d times", n)
			}
		})
	}
}

// TestBindingsOverASlowLine checks that what waits behind a long list of bindings is neither a
// failure nor read again, and that what was not confirmed meanwhile is, right after it.
func TestBindingsOverASlowLine(t *testing.T) {
	for _, takes := range []time.Duration{8 * time.Second, 30 * time.Second} {
		line := &slowLine{of: "clusterresourcebindings", takes: takes}
		line.over(t, func(t *testing.T, _ *faults.APIServer, _ *faults.Proxy, k *Streams) {
			time.Sleep(10 * time.Second)
			isLive(t, k, "before")
			k.wantedc <- wanted.Wants{Placements: places(1), Opened: true}
			for began := time.Now(); time.Since(began) < takes; time.Sleep(500 * time.Millisecond) {
				v, _ := k.Link.View(time.Now(), 0)
				if v.State == engine.LinkReconnecting || v.State == engine.LinkStale && time.Since(began) < link.StaleAfter-checkEvery {
					t.Fatalf("after %v of %v: %v %v", time.Since(began), takes, v.State, v.Err)
				}
			}
			time.Sleep(2500 * time.Millisecond)
			isLive(t, k, fmt.Sprint("right after a list of ", takes))
			time.Sleep(time.Minute)
			isLive(t, k, "in the end")
			if n := line.listed(t); n != 1 {
				t.Errorf("bindings were listed %d times", n)
			}
		})
	}
}

// TestBindingsWaitForRuns checks that no bindings are read while runs arrive over a slow line, and
// that bindings which take long are not reported as stale when they are there.
func TestBindingsWaitForRuns(t *testing.T) {
	for _, takes := range []time.Duration{9 * time.Second, 30 * time.Second} {
		line := &slowLine{of: runs, takes: 12 * time.Second, shared: true}
		line.over(t, func(t *testing.T, _ *faults.APIServer, _ *faults.Proxy, k *Streams) {
			began := time.Now()
			time.Sleep(time.Second)
			k.wantedc <- wanted.Wants{Placements: places(2), Opened: true}
			time.Sleep(8 * time.Second)
			line.mu.Lock()
			line.of, line.takes = "clusterresourcebindings", takes // of those that are requested later
			line.mu.Unlock()
			for ; time.Since(began) < 100*time.Second; time.Sleep(100 * time.Millisecond) {
				if v, _ := k.Link.View(time.Now(), 0); v.State != engine.LinkLive && time.Since(began) > 14*time.Second {
					t.Fatalf("bindings that take %v, after %v: %v %v", takes, time.Since(began), v.State, v.Err)
				}
			}
			n := line.listed(t)
			line.mu.Lock()
			defer line.mu.Unlock()
			if asked := line.asked["clusterresourcebindings"].Sub(began); asked < 12*time.Second+confirmFirst || asked > 15*time.Second || n != 2 {
				t.Errorf("bindings were requested after %v, %d times", asked, n)
			}
		})
	}
}

// TestAnEventThatTakesLong checks that a watch is not taken for a silent one while an event arrives
// over a slow line, which a check has the news of, nor the hub for one that does not answer if its
// answers wait behind the event.
func TestAnEventThatTakesLong(t *testing.T) {
	for _, line := range []*slowLine{
		{of: runs, events: 7 * time.Second, shared: true},
		{of: runs, events: 5 * time.Second},
	} {
		line.over(t, func(t *testing.T, server *faults.APIServer, _ *faults.Proxy, k *Streams) {
			time.Sleep(5 * time.Second)
			for range 5 {
				put(server, "run-0")
				for range 100 {
					time.Sleep(100 * time.Millisecond)
					isLive(t, k, fmt.Sprintf("while an event of %v arrives", line.events))
				}
			}
			if n := line.listed(t); n != 1 {
				t.Errorf("runs were listed %d times", n)
			}
		})
	}
}

// TestAnEventThatComesFirst checks that a hub is live whose watch begins with an event that takes long: behind it, the
// answers to all other requests are late.
func TestAnEventThatComesFirst(t *testing.T) {
	line := &slowLine{of: runs, events: 4 * time.Second, behind: true}
	line.over(t, func(t *testing.T, server *faults.APIServer, proxy *faults.Proxy, k *Streams) {
		proxy.Observe(func(r *http.Request) {
			if faults.LongWatches(r) && strings.HasSuffix(r.URL.Path, "/"+runs) {
				put(server, "run-0") // after the list
			}
		})
		for began := time.Now(); time.Since(began) < 20*time.Second; time.Sleep(50 * time.Millisecond) {
			if v, _ := k.Link.View(time.Now(), 0); v.State != engine.LinkLive && v.State != engine.LinkLoading {
				t.Fatalf("after %s: %v, %v", time.Since(began), v.State, v.Err)
			}
		}
		isLive(t, k, "behind an event")
	})
}

// TestBindingsDoNotWaitForever checks that sets of bindings are read, one in turnFor, while another
// list takes long over a slow line.
func TestBindingsDoNotWaitForever(t *testing.T) {
	line := &slowLine{of: runs, takes: 12 * time.Second, shared: true}
	line.over(t, func(t *testing.T, _ *faults.APIServer, _ *faults.Proxy, k *Streams) {
		time.Sleep(5 * time.Second)
		line.mu.Lock()
		line.of, line.takes = "clusterresourceplacements", 2*time.Minute
		line.mu.Unlock()
		time.Sleep(15 * time.Second)
		k.wantedc <- wanted.Wants{Placements: places(4), Opened: true}
		for n := 1; n <= 4; n++ {
			time.Sleep(time.Second)
			line.mu.Lock()
			got := 0
			for of, times := range line.lists {
				if strings.HasSuffix(of, "/clusterresourcebindings") {
					got = times
				}
			}
			line.mu.Unlock()
			if got != n {
				t.Errorf("%v later, %d sets were read, want %d", time.Duration(n-1)*turnFor, got, n)
			}
			time.Sleep(turnFor)
		}
	})
}

// TestAfterAnInterruptionRunsComeFirst checks that bindings are read again after the runs, one set
// after the other, when a slow line was interrupted, and that the link does not wait for them.
func TestAfterAnInterruptionRunsComeFirst(t *testing.T) {
	const takes = 12 * time.Second
	line := &slowLine{of: runs, takes: takes, shared: true}
	line.over(t, func(t *testing.T, server *faults.APIServer, proxy *faults.Proxy, k *Streams) {
		time.Sleep(takes + 3*time.Second)
		k.wantedc <- wanted.Wants{Placements: places(3), Opened: true}
		time.Sleep(30 * time.Second)
		isLive(t, k, "before")
		proxy.Set(faults.Rule{Kind: faults.Cut}, faults.Rule{Kind: faults.Hang})
		server.Delete(runs, "", "run-0") // else the runs are not listed again
		time.Sleep(12 * time.Second)
		line.mu.Lock()
		line.asked, line.lists = map[string]time.Time{}, map[string]int{}
		line.mu.Unlock()
		proxy.Set()
		began := time.Now()
		time.Sleep(takes + 5*time.Second)
		isLive(t, k, "after the runs were read again")
		time.Sleep(30 * time.Second)
		isLive(t, k, "in the end")
		line.mu.Lock()
		defer line.mu.Unlock()
		listed, bindings := line.asked[runs].Sub(began), line.asked["clusterresourcebindings"].Sub(began)
		if listed < 0 || listed > 3*time.Second || bindings < listed+takes {
			t.Errorf("runs were listed after %v, bindings after %v", listed, bindings)
		}
		if n := line.lists["/apis/placement.kubernetes-fleet.io/v1beta1/clusterresourcebindings"]; n != 3 {
			t.Errorf("%d sets of bindings were listed again, want 3", n)
		}
	})
}

// TestWhetherALineIsSlow checks that it is judged by the lists that take long, as they come.
func TestWhetherALineIsSlow(t *testing.T) {
	key := world.CoverBindings(place(0))
	k := New(Config{})
	k.open[key] = &opened{read: true}
	for _, tt := range []struct {
		took    time.Duration
		size    int64
		slow    bool
		longest time.Duration
	}{
		{lineEvery / 2, 1 << 10, false, 0},
		{time.Second, slowRate * 2, false, 0},
		{time.Second, slowRate / 2, true, time.Second},
		{lineEvery / 2, 1 << 10, true, time.Second},
		{3 * time.Second, slowRate, true, 3 * time.Second},
		{time.Second, slowRate * 2, false, 3 * time.Second},
	} {
		k.settle(t.Context(), outcome{key: key, took: tt.took, size: tt.size})
		if k.slow != tt.slow || k.longest != tt.longest {
			t.Errorf("%d bytes in %v: slow %v, longest %v; want %v", tt.size, tt.took, k.slow, k.longest, tt)
		}
	}
}

// TestChecksOverASlowLine checks that the answer to a check of a doubtful watch may take as long as
// others over a slow line: it waits behind the lists that are read again after an interruption.
func TestChecksOverASlowLine(t *testing.T) {
	for _, tt := range []struct{ doubtful, slow bool }{{false, false}, {false, true}, {true, false}, {true, true}} {
		s := &stream{link: link.New(time.Now(), true, func() {}), gates: newGates(), pace: checkRarely}
		s.gates.slow.Store(tt.slow)
		wantLast, wantSlack := checkFor, checkSlack
		if tt.doubtful {
			wantLast = doubtWatch
		}
		if tt.doubtful && !tt.slow {
			wantSlack = doubtSlack
		}
		if last, slack := s.checkTakes(tt.doubtful); last != wantLast || slack != wantSlack {
			t.Errorf("%+v: watches for %v, answered within %v more; want %v, %v", tt, last, slack, wantLast, wantSlack)
		}
	}
}

// A check that begins late is short enough for its answer to come before the set is stale, also of a hub that answers late: its
// watch may have ended just when the check was due, and takes as long to begin.
func TestACheckThatBeginsLate(t *testing.T) {
	for _, tt := range []struct{ latency, unproved, want time.Duration }{
		{0, 3 * time.Second, checkFor},
		{0, 5 * time.Second, checkFor},
		{0, 6 * time.Second, doubtWatch},
		{2 * time.Second, 3 * time.Second, checkFor},
		{2 * time.Second, 5 * time.Second, doubtWatch},
	} {
		synctest.Test(t, func(t *testing.T) {
			key := world.CoverAll(engine.KindClusterStagedUpdateRun)
			s := &stream{link: link.New(time.Now(), true, func() {}), gates: newGates(), pace: checkEvery, key: key}
			s.link.Open(s.source(), key, time.Now(), func(bool, time.Time) {})
			s.link.Proves(s.source(), time.Now())
			s.latency.Store(int64(tt.latency))
			time.Sleep(tt.unproved)
			if last, slack := s.checkTakes(false); last != tt.want || tt.unproved+last+tt.latency > link.StaleAfter-time.Second {
				t.Errorf("%+v: watches for %v, answered within %v more", tt, last, slack)
			}
		})
	}
}

// TestAProofIsNoNewerThanItsCheck checks that a check proves nothing about the time its answer was
// queued behind a list: the watch lost a change then.
func TestAProofIsNoNewerThanItsCheck(t *testing.T) {
	line := &slowLine{of: "clusterresourcebindings", takes: 30 * time.Second}
	line.over(t, func(t *testing.T, server *faults.APIServer, proxy *faults.Proxy, k *Streams) {
		time.Sleep(10 * time.Second)
		k.wantedc <- wanted.Wants{Placements: places(1), Opened: true}
		time.Sleep(9 * time.Second)
		proxy.Set(faults.Rule{Kind: faults.Mute, Of: faults.LongWatches})
		time.Sleep(time.Second)
		changed := time.Now()
		version := put(server, "run-0")
		key := world.CoverAll(engine.KindClusterStagedUpdateRun)
		for ; time.Since(changed) < 40*time.Second; time.Sleep(50 * time.Millisecond) {
			line.mu.Lock()
			latest, read := line.checked.Add(checkFor), line.lists["/apis/placement.kubernetes-fleet.io/v1beta1/"+runs] > 1
			line.mu.Unlock()
			for _, set := range k.Link.Sets() {
				if set.Key == key && !read && set.Proved.After(latest) {
					t.Fatalf("%v after a change that the watch lost, the runs are proved until %v after it, by a check until %v", time.Since(changed), set.Proved.Sub(changed), latest.Sub(changed))
				}
			}
		}
		isLive(t, k, "in the end")
		if n := line.lists["/apis/placement.kubernetes-fleet.io/v1beta1/"+runs]; n != 2 {
			t.Errorf("runs were listed %d times, want again for version %s", n, version)
		}
	})
}

// TestArrivingListIsNotRequestedAgain checks that a list still arriving is not requested again when
// the hub recovers, even if its pieces are large.
func TestArrivingListIsNotRequestedAgain(t *testing.T) {
	for _, pieces := range []int{100, 12} {
		line := &slowLine{of: runs, takes: 5 * time.Second, pieces: pieces}
		line.over(t, func(t *testing.T, _ *faults.APIServer, _ *faults.Proxy, k *Streams) {
			time.Sleep(4 * time.Second)
			k.Link.Recovered(time.Now().Add(-time.Minute), time.Now())
			time.Sleep(line.takes)
			isLive(t, k, "in the end")
			line.mu.Lock()
			defer line.mu.Unlock()
			if n := line.lists["/apis/placement.kubernetes-fleet.io/v1beta1/"+runs]; n != 1 {
				t.Errorf("a list of %d pieces was sent %d times", pieces, n)
			}
		})
	}
}

// TestRefusedWhileAListArrives checks that a refused connection is reported while a list still
// arrives over an open one.
func TestRefusedWhileAListArrives(t *testing.T) {
	line := &slowLine{of: runs, takes: 40 * time.Second, fails: func(r *http.Request) bool { return r.URL.Query().Get("limit") == "1" }}
	line.over(t, func(t *testing.T, _ *faults.APIServer, _ *faults.Proxy, k *Streams) {
		time.Sleep(link.ProbeEvery + time.Second)
		if v, _ := k.Link.View(time.Now(), 0); v.State != engine.LinkReconnecting || !strings.Contains(v.Err.String(), "refused") {
			t.Errorf("%v, %v", v.State, v.Err)
		}
	})
}
