package stream

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/watch/client"
	"github.com/stagewatch/stagewatch/watch/faults"
)

// TestPagesThatAreAnswered checks that a set is read whole, each object once, where only short
// answers end: a longer one stops within an object, whole or not.
func TestPagesThatAreAnswered(t *testing.T) {
	keep(t, func(k *kept) {
		for n := range 299 {
			put(k.server, fmt.Sprint("run-", n))
		}
		const short = 20 // objects
		var mu sync.Mutex
		var sizes []int
		k.proxy.SetServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			limit, err := strconv.Atoi(r.URL.Query().Get("limit"))
			if faults.LongLists(r) {
				mu.Lock()
				sizes = append(sizes, limit)
				mu.Unlock()
			}
			if !faults.Lists(r) || err == nil && limit <= short {
				k.server.ServeHTTP(w, r)
				return
			}
			whole := httptest.NewRecorder()
			k.server.ServeHTTP(whole, r)
			w.Write(whole.Body.Bytes()[:whole.Body.Len()/2])
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}))
		last := put(k.server, "last")
		k.stream.listAgain()
		time.Sleep(15 * time.Second) // the watch may bring the last object before the list does
		k.reaches(last, time.Second)
		h := k.stream.held
		if h.Objects() != 301 || k.room.Used() != h.Weight() {
			k.t.Errorf("%d objects, %d bytes taken for %d, want 301 objects", h.Objects(), k.room.Used(), h.Weight())
		}
		mu.Lock()
		defer mu.Unlock()
		if want := []int{0, 6, 18, 54, 18, 18}; len(sizes) < len(want) || !slices.Equal(sizes[:len(want)], want) || len(sizes) > 25 {
			k.t.Errorf("lists of %v objects, want %v and further ones of 18", sizes, want)
		}
	})
}

// slowToEnd is a transport whose first request is answered at once, and whose others end a while
// after they were given up.
type slowToEnd struct {
	http.RoundTripper
	requests, open atomic.Int64
}

// RoundTrip implements http.RoundTripper.
func (s *slowToEnd) RoundTrip(r *http.Request) (*http.Response, error) {
	if s.requests.Add(1) == 1 {
		time.Sleep(time.Millisecond) // until the other is under way
		return s.RoundTripper.RoundTrip(r)
	}
	s.open.Add(1)
	defer s.open.Add(-1)
	<-r.Context().Done()
	time.Sleep(time.Minute)
	return nil, r.Context().Err()
}

// TestAnsweredLeavesNoRequest checks that no request of two is under way any more once one of
// them is answered: its failure would be reported after the list that follows was taken.
func TestAnsweredLeavesNoRequest(t *testing.T) {
	keep(t, func(k *kept) {
		transport := &slowToEnd{RoundTripper: &faults.Transport{Handler: k.server}}
		hub, err := client.New(engine.NewHubName("hub", ""), &rest.Config{Host: "http://hub.example", Transport: transport})
		if err != nil {
			k.t.Fatal(err)
		}
		s := &stream{hub: hub, link: k.link, key: k.stream.key, all: k.stream.all, gates: newGates()}
		if _, err := s.answered(k.t.Context()); err != nil || transport.requests.Load() != 2 || transport.open.Load() != 0 {
			k.t.Errorf("%v after %d requests, %d of them under way, want none of two", err, transport.requests.Load(), transport.open.Load())
		}
	})
}
