package history

import (
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/watch/faults"
)

// TestDelayedHub checks that a hub which answers late, but in time, is live all the while.
func TestDelayedHub(t *testing.T) {
	compressed(t, func(s *situation) {
		s.proxy.Set(faults.Rule{Kind: faults.Cut, Of: faults.Watches})
		s.proxy.Set(faults.Rule{Kind: faults.Delay, For: 400 * time.Millisecond})
		s.within(aim, "the cut", func(snap *engine.Snapshot) bool { return !isLive(snap) })
		s.within(2*aim, "live again", isLive)
		for began := time.Now(); time.Since(began) < 2*time.Minute; time.Sleep(100 * time.Millisecond) {
			if s.drain(); !isLive(s.last) {
				t.Fatalf("%v later: %s", time.Since(began), describe(s.last))
			}
		}
	})
}

// TestASlowHubIsWatched checks that a hub whose answers take up to two seconds is watched again
// after its connections were lost, and not read by list after list.
func TestASlowHubIsWatched(t *testing.T) {
	for _, latency := range []time.Duration{800 * time.Millisecond, 1300 * time.Millisecond, 2 * time.Second} {
		compressed(t, func(s *situation) {
			s.proxy.Set(faults.Rule{Kind: faults.Cut, Of: faults.Watches})
			s.proxy.Set(faults.Rule{Kind: faults.Delay, For: latency})
			time.Sleep(time.Minute)
			var lists atomic.Int64
			s.proxy.Observe(func(r *http.Request) {
				if ofStream(r) && !faults.Watches(r) {
					lists.Add(1)
				}
			})
			for began := time.Now(); time.Since(began) < 5*time.Minute; time.Sleep(time.Second) {
				if s.drain(); !isLive(s.last) || !s.last.Link.Polled.IsZero() {
					s.t.Fatalf("%v, %v later: polled %q, %s", latency, time.Since(began), s.last.Link.Polled, describe(s.last))
				}
			}
			if lists.Load() > 0 {
				s.t.Errorf("%v: %d lists in five minutes", latency, lists.Load())
			}
		})
	}
}

// TestExpiredVersion checks that a set is listed whose version the hub has compacted before it
// is watched from there again (410).
func TestExpiredVersion(t *testing.T) {
	compressed(t, func(s *situation) {
		s.server.Restart() // ends the watches
		s.server.Put(runs, aRun("second", "web"))
		s.server.Compact()
		if took := s.within(time.Minute, "the change", has("second")); took > aim {
			t.Errorf("after %v, at most %v are allowed", took, aim)
		}
		if !s.last.Link.Reset.IsZero() {
			t.Errorf("a compaction is no reset: %s", describe(s.last))
		}
	})
}

// TestLostLists checks that a list whose answer is lost is requested again, and that the set is
// complete only with one that arrives.
func TestLostLists(t *testing.T) {
	compressed(t, func(s *situation) {
		s.proxy.Set(faults.Rule{Kind: faults.Cut})
		s.proxy.Set(faults.Rule{Kind: faults.Lost, Of: faults.Both(faults.WholeLists, faults.Resource(runs))})
		s.server.Delete(runs, "", "first")
		s.server.Put(runs, aRun("second", "web"))
		s.server.Compact()
		changed := time.Now()
		for time.Since(changed) < time.Minute {
			time.Sleep(100 * time.Millisecond)
			if s.drain(); time.Since(changed) > mostAge && isLive(s.last) {
				t.Fatalf("live %v after a change, without a list: %s", time.Since(changed), describe(s.last))
			}
		}
		s.proxy.Set()
		if took := s.within(time.Minute, "the change", has("second")); took > aim || find(s.last, "first") != nil {
			t.Errorf("after %v, at most %v are allowed: %s", took, aim, describe(s.last))
		}
	})
}

// TestSkewedHub checks that the clock of the hub is followed when it moves, and that nothing
// turns stale by it.
func TestSkewedHub(t *testing.T) {
	compressed(t, func(s *situation) {
		s.proxy.Set(faults.Rule{Kind: faults.Skew, For: time.Hour})
		for began := time.Now(); time.Since(began) < time.Minute; time.Sleep(100 * time.Millisecond) {
			if s.drain(); !isLive(s.last) {
				t.Fatalf("%v later: %s", time.Since(began), describe(s.last))
			}
		}
		s.server.Put(runs, aRun("second", "web"))
		s.within(aim, "the change", has("second"))
		if off := s.last.Skew - time.Hour; off < -2*time.Second || off > 2*time.Second {
			t.Errorf("the clock of the hub is %v ahead, want 1 h", s.last.Skew)
		}
		if age := s.last.At.Sub(s.last.Link.Heard); age < 0 || age > mostAge {
			t.Errorf("the data is %v old", age)
		}
	})
}
