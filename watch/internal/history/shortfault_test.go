package history

import (
	"fmt"
	"testing"
	"time"

	"github.com/stagewatch/stagewatch/watch/faults"
)

// doubtWatch is that of the streams: how long they check a watch after one that broke.
const doubtWatch = time.Second

// TestRecoversFromShortFaults checks that a session is live, with what has changed, two seconds
// after a fault that is over before the deadline of any request that it has swallowed.
func TestRecoversFromShortFaults(t *testing.T) {
	t.Parallel()
	ofRuns := faults.Both(faults.Watches, faults.Resource(runs))
	for name, rule := range map[string]faults.Rule{
		"everything hangs":     {Kind: faults.Hang},
		"everything is silent": {Kind: faults.Silence},
		"lists hang":           {Kind: faults.Hang, Of: faults.Lists},
		"lists are silent":     {Kind: faults.Silence, Of: faults.Lists},
		"long lists hang":      {Kind: faults.Hang, Of: faults.LongLists},
		"watches hang":         {Kind: faults.Hang, Of: faults.Watches},
		"watches of runs hang": {Kind: faults.Hang, Of: ofRuns},
		"watches are silent":   {Kind: faults.Silence, Of: faults.Watches},
	} {
		t.Run(name, func(t *testing.T) {
			compressed(t, func(s *situation) {
				var longest time.Duration
				at := ""
				for round := range 30 {
					if raceEnabled && round%6 != 0 {
						continue // all of them are played without the detector
					}
					lasts := time.Duration(round)*100*time.Millisecond + 50*time.Millisecond
					time.Sleep(30*time.Second + time.Duration(round)*370*time.Millisecond)
					s.drain()
					if !isLive(s.last) {
						t.Fatalf("round %d begins: %s", round, describe(s.last))
					}
					s.server.Restart() // watches from before it expire
					s.proxy.Set(faults.Rule{Kind: faults.Cut})
					s.proxy.Set(rule)
					time.Sleep(lasts)
					s.drain()
					s.proxy.Set()
					run := fmt.Sprint("round-", round)
					s.server.Put(runs, aRun(run, "web"))
					ended, last := time.Now(), time.Duration(0)
					for time.Since(ended) < 12*time.Second {
						time.Sleep(50 * time.Millisecond)
						if s.drain(); !has(run)(s.last) {
							last = time.Since(ended)
						}
					}
					if last > longest {
						longest, at = last, fmt.Sprintf("after %v, round %d", lasts, round)
					}
				}
				most := aim
				if name == "watches are silent" {
					most += doubtWatch // none of its requests is lost: a check finds it
				}
				if s.t.Logf("recovered after %v at most (%s)", longest, at); longest > most {
					s.t.Errorf("recovered %v after the fault (%s), at most %v are allowed", longest, at, most)
				}
			})
		})
	}
}
