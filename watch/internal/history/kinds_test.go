package history

import (
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
