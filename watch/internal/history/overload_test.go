package history

import (
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stagewatch/stagewatch/watch/faults"
)

// slice is how long an overloaded server works on a request before it turns to another one.
const slice = 5 * time.Millisecond

// overloaded is a server for which each request is work, and which shares its time among those
// that wait. It notices after its slice that one is cancelled.
type overloaded struct {
	next http.Handler
	work time.Duration
	turn chan struct{}
}

// ServeHTTP implements http.Handler.
func (o *overloaded) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for worked := time.Duration(0); worked < o.work; worked += slice {
		o.turn <- struct{}{}
		time.Sleep(slice)
		<-o.turn
		if r.Context().Err() != nil {
			return
		}
	}
	o.next.ServeHTTP(w, r)
}

// TestRecoversOnAnOverloadedHub checks that a session with many sets stays live on a hub that
// answers few requests in a second, and is live again after it lost all its connections: it must
// not ask for so much at the same time that nothing is answered before its deadline.
func TestRecoversOnAnOverloadedHub(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := start(t)
		for i := range 30 {
			for j := range 2 { // unfinished runs of one placement: its bindings are watched
				s.server.Put(runs, aRun(fmt.Sprintf("run-%d-%d", i, j), fmt.Sprint("web-", i)))
			}
		}
		s.open()
		s.within(20*time.Second, "live", isLive)
		time.Sleep(time.Minute)
		// Six requests in a second keep the sets current; this hub answers twenty.
		s.proxy.SetServer(&overloaded{next: s.server, work: 50 * time.Millisecond, turn: make(chan struct{}, 1)})
		time.Sleep(time.Minute)
		if s.drain(); !isLive(s.last) {
			t.Errorf("not live: %s", describe(s.last))
		}
		s.proxy.Set(faults.Rule{Kind: faults.Cut})
		time.Sleep(time.Second)
		s.proxy.Set()
		s.server.Put(runs, aRun("later", "web-1"))
		t.Logf("recovered after %v", s.within(10*time.Second, "the change", has("later")))
		s.session.Close()
		time.Sleep(time.Minute) // the server is done with what was cancelled
	})
}
