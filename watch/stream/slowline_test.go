package stream

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
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
)

// slowLine is a transport on which the list of one kind takes so long, in equal pieces, and the
// answers to all requests that are sent meanwhile come after it.
type slowLine struct {
	http.RoundTripper
	of    string
	takes time.Duration

	mu    sync.Mutex
	free  time.Time      // when the list that is under way will have come
	sent  int            // requests meanwhile
	lists map[string]int // whole ones, by path
}

// pieces are those of the list, at most.
const pieces = 100

// pieceByPiece brings a body in pieces.
type pieceByPiece struct {
	*bytes.Reader
	piece int
	every time.Duration
}

// Read implements io.Reader.
func (p *pieceByPiece) Read(b []byte) (int, error) {
	time.Sleep(p.every)
	return p.Reader.Read(b[:min(len(b), p.piece)])
}

// Close implements io.Closer.
func (p *pieceByPiece) Close() error { return nil }

// RoundTrip implements http.RoundTripper.
func (s *slowLine) RoundTrip(r *http.Request) (*http.Response, error) {
	whole := faults.Lists(r) && !r.URL.Query().Has("limit") && !strings.Contains(r.Header.Get("Accept"), "as=")
	s.mu.Lock()
	wait := time.Until(s.free)
	if wait > 0 {
		s.sent++
	}
	if whole {
		s.lists[r.URL.Path]++
	}
	if whole = whole && strings.HasSuffix(r.URL.Path, "/"+s.of); whole {
		s.free = time.Now().Add(s.takes)
	}
	s.mu.Unlock()
	answer, err := s.RoundTripper.RoundTrip(r)
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
	piece := len(all)/pieces + 1
	answer.Body = &pieceByPiece{bytes.NewReader(all), piece, s.takes * time.Duration(piece) / time.Duration(len(all))}
	return answer, err
}

// overSlowLine runs a test with streams over a slow line.
func overSlowLine(t *testing.T, of string, takes time.Duration, test func(t *testing.T, line *slowLine, k *Streams)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		server := faults.NewAPIServer()
		for i := range 200 {
			put(server, fmt.Sprint("run-", i))
		}
		line := &slowLine{RoundTripper: &faults.Transport{Handler: server}, of: of, takes: takes, lists: map[string]int{}}
		hub, err := client.New(engine.NewHubName("hub", ""), &rest.Config{Host: "http://hub.example", Transport: line})
		if err != nil {
			t.Fatal(err)
		}
		var work task.Group
		defer work.Wait()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		k := New(Config{
			Hub: hub, Link: link.New(time.Now(), true, func() {}), In: store.NewInbox(), Work: &work, Reach: ReachScreen,
			Started: func() {}, Loaded: func() {}, Settings: engine.Settings{ClusterRuns: true, NamespacedRuns: true},
		})
		work.Go(func() { k.Run(ctx) })
		work.Go(func() { k.Link.Probe(ctx, hub, link.ProbeConfig{}) })
		test(t, line, k)
		line.mu.Lock()
		defer line.mu.Unlock()
		for path, n := range line.lists {
			if n != 1 {
				t.Errorf("with a list of %v, %s was listed %d times", takes, path, n)
			}
		}
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
	for _, takes := range []time.Duration{5 * time.Second, 12 * time.Second, 40 * time.Second} {
		overSlowLine(t, runs, takes, func(t *testing.T, line *slowLine, k *Streams) {
			began := time.Now()
			for time.Since(began) < takes-time.Second {
				time.Sleep(500 * time.Millisecond)
				v, _ := k.Link.View(time.Now(), 0)
				objects := 0
				_, err := fmt.Sscan(v.Loading.String(), &objects)
				if least := int(time.Since(began)*200/takes) - 20; v.State != engine.LinkLoading || err != nil || objects < least {
					t.Fatalf("after %v of %v: %v %v, %q, want at least %d objects", time.Since(began), takes, v.State, v.Err, v.Loading, least)
				}
			}
			line.mu.Lock()
			if most := 1 + int(takes/(1500*time.Millisecond)); line.sent > most {
				t.Errorf("%d requests during a list of %v, want %d at most", line.sent, takes, most)
			}
			line.mu.Unlock()
			time.Sleep(takes - time.Since(began) + 2*time.Second)
			isLive(t, k, fmt.Sprint("2 s after a list of ", takes))
			time.Sleep(2 * takes)
			isLive(t, k, "in the end")
		})
	}
}

// TestBindingsOverASlowLine checks that what waits behind a long list of bindings is neither a
// failure nor read again, and that what was not confirmed meanwhile is, right after it.
func TestBindingsOverASlowLine(t *testing.T) {
	for _, takes := range []time.Duration{8 * time.Second, 30 * time.Second} {
		overSlowLine(t, "clusterresourcebindings", takes, func(t *testing.T, line *slowLine, k *Streams) {
			time.Sleep(10 * time.Second)
			isLive(t, k, "before")
			k.wantedc <- wanted{placements: places(1), opened: true}
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
		})
	}
}

// TestAListThatComesIsNotSentAgain checks that a hub which answers again after it did not has not
// lost the list that is coming.
func TestAListThatComesIsNotSentAgain(t *testing.T) {
	const takes = 5 * time.Second
	overSlowLine(t, runs, takes, func(t *testing.T, line *slowLine, k *Streams) {
		time.Sleep(4 * time.Second)
		k.Link.Recovered()
		time.Sleep(takes)
		isLive(t, k, "in the end")
		line.mu.Lock()
		defer line.mu.Unlock()
		for path := range line.lists { // of the others, the watches were
			if !strings.HasSuffix(path, "/"+runs) {
				delete(line.lists, path)
			}
		}
	})
}
