package history

import (
	"fmt"
	"net/http"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/watch/faults"
)

// moreThan selects the lists of more objects than that.
func moreThan(objects int) func(*http.Request) bool {
	return func(r *http.Request) bool {
		limit, err := strconv.Atoi(r.URL.Query().Get("limit"))
		return faults.WholeLists(r) && (err != nil || limit > objects)
	}
}

// TestLongListsHang checks that a set is right in time where its lists are not answered
// although shorter ones, or those of metadata, are: after such a fault at whatever moment it
// ends, and during it where pages of some size are answered.
func TestLongListsHang(t *testing.T) {
	t.Parallel()
	onRuns := faults.Resource(runs)
	for name, tt := range map[string]struct {
		lists func(*http.Request) bool
		paged bool // short pages are answered
	}{
		"more than two":    {faults.LongLists, true},
		"more than ten":    {moreThan(10), true},
		"of whole objects": {faults.ObjectLists, false},
		"all":              {faults.WholeLists, false},
	} {
		hang := faults.Rule{Kind: faults.Hang, Of: faults.Both(tt.lists, onRuns)}
		for watches, code := range map[string]int{"expired": 410, "forbidden": 403} {
			t.Run(name+", watches "+watches, func(t *testing.T) {
				compressed(t, func(s *situation) {
					var longest time.Duration
					for round := range 12 {
						if raceEnabled && round%4 != 0 {
							continue // all of them are played without the detector
						}
						s.proxy.Set(faults.Rule{Kind: faults.Cut, Of: faults.Watches})
						s.proxy.Set(faults.Rule{Kind: faults.Status, Code: code, Of: faults.Both(faults.Watches, onRuns)}, hang)
						time.Sleep(30 * time.Second)
						run := fmt.Sprint("round-", round)
						s.server.Put(runs, aRun(run, "web"))
						time.Sleep(mostAge + time.Duration(round)*370*time.Millisecond)
						if s.drain(); has(run)(s.last) != tt.paged {
							s.t.Errorf("%v after a change: %s", mostAge, describe(s.last))
						}
						s.proxy.Set()
						s.server.Put(runs, aRun(run+"-healed", "web"))
						longest = max(longest, s.within(time.Minute, "the change", has(run+"-healed")))
						time.Sleep(30 * time.Second)
					}
					if s.t.Logf("recovered after %v at most", longest); longest > aim {
						s.t.Errorf("recovered %v after the fault, at most %v are allowed", longest, aim)
					}
					if n := s.proxy.MostLists(); n > 1 {
						s.t.Errorf("%d lists of one set at the same time", n)
					}
				})
			})
		}
		t.Run(name+", first list", func(t *testing.T) {
			var longest time.Duration
			for round := range 12 {
				if raceEnabled && round%4 != 0 {
					continue
				}
				synctest.Test(t, func(t *testing.T) {
					s := start(t)
					for i := range 30 {
						s.server.Put(runs, aRun(fmt.Sprint("run-", i), "web"))
					}
					complete := func(snap *engine.Snapshot) bool { return isLive(snap) && len(snap.Runs) == 30 }
					s.proxy.Set(hang)
					s.open()
					time.Sleep(time.Minute + time.Duration(round)*370*time.Millisecond)
					if s.drain(); complete(s.last) != tt.paged {
						t.Errorf("after a minute: %s", describe(s.last))
					}
					s.proxy.Set()
					longest = max(longest, s.within(time.Minute, "the runs", complete))
				})
			}
			if t.Logf("recovered after %v at most", longest); longest > aim {
				t.Errorf("recovered %v after the fault, at most %v are allowed", longest, aim)
			}
		})
	}
}

// TestLateHub checks that a set is read from a hub that answers late after one list was not
// answered at all.
func TestLateHub(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := start(t)
		s.server.Put(runs, aRun("first", "web"))
		s.proxy.Set(faults.Rule{Kind: faults.Hang, Of: faults.Lists})
		s.open()
		time.Sleep(20 * time.Second)
		s.proxy.Set(faults.Rule{Kind: faults.Delay, For: 1300 * time.Millisecond})
		took := s.within(time.Minute, "the run", func(snap *engine.Snapshot) bool { return snap.Complete && find(snap, "first") != nil })
		t.Logf("read after %v", took)
		time.Sleep(time.Minute)
		if s.drain(); !isLive(s.last) {
			t.Errorf("a minute later: %s", describe(s.last))
		}
	})
}
