package history

import (
	"context"
	"fmt"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/watch/faults"
)

func timeout(t *testing.T, d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(t.Context(), d)
}

// aim is how long after one fault the screen equals the hub.
const aim = 2 * time.Second

// TestIdleRequests checks what a session costs that nothing happens to: each set is
// confirmed by requests of its own, one in six seconds, and the connection by one in five.
func TestIdleRequests(t *testing.T) {
	compressed(t, func(s *situation) {
		var requests, checks atomic.Int64
		var mu sync.Mutex
		moments := map[time.Time]bool{}
		s.proxy.Observe(func(r *http.Request) {
			requests.Add(1)
			if faults.Checks(r) {
				checks.Add(1)
				mu.Lock()
				moments[time.Now().Truncate(100*time.Millisecond)] = true
				mu.Unlock()
			}
		})
		const minutes = 10
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		time.Sleep(minutes * time.Minute)
		runtime.ReadMemStats(&after)
		s.drain()
		mu.Lock()
		defer mu.Unlock()
		each := (after.TotalAlloc - before.TotalAlloc) / uint64(checks.Load())
		t.Logf("%d requests in %d minutes, %d of them checks at %d moments, %d bytes allocated for each", requests.Load(), minutes, checks.Load(), len(moments), each)
		if most := int64(minutes * 100); requests.Load() > most || !isLive(s.last) {
			s.t.Errorf("%d requests in %d minutes, at most %d are allowed: %s", requests.Load(), minutes, most, describe(s.last))
		}
		if most := minutes * 60 / 6 * 3 / 2; len(moments) > most {
			s.t.Errorf("the checks of all sets come at %d moments, at most %d are allowed", len(moments), most)
		}
		if most := uint64(150 << 10); each > most {
			s.t.Errorf("%d bytes are allocated for each check, by the API server too; at most %d are allowed", each, most)
		}
	})
}

// TestRecovers checks that a session recovers in time at whatever moment a fault ends.
func TestRecovers(t *testing.T) {
	t.Parallel()
	ofRuns := faults.Both(faults.Watches, faults.Resource(runs))
	for name, rule := range map[string]faults.Rule{
		"everything hangs":       {Kind: faults.Hang},
		"watches of runs fail":   {Kind: faults.Status, Code: 502, Of: ofRuns},
		"watches of runs hang":   {Kind: faults.Hang, Of: ofRuns},
		"watches of runs silent": {Kind: faults.Silence, Of: ofRuns},
	} {
		t.Run(name, func(t *testing.T) {
			compressed(t, func(s *situation) {
				var longest time.Duration
				for round := range 12 {
					s.proxy.Set(faults.Rule{Kind: faults.Cut})
					s.proxy.Set(rule)
					time.Sleep(20*time.Second + time.Duration(round)*350*time.Millisecond)
					s.drain()
					s.proxy.Set()
					run := fmt.Sprint("round-", round)
					s.server.Put(runs, aRun(run, "web"))
					longest = max(longest, s.within(time.Minute, "the change", has(run)))
					time.Sleep(30 * time.Second)
				}
				if s.t.Logf("recovered after %v at most", longest); longest > aim {
					s.t.Errorf("recovered %v after the fault, at most %v are allowed", longest, aim)
				}
			})
		})
	}
}

// TestNeverLiveWithOldRows checks, for every fault that leaves a part of the requests
// answered, that no Snapshot says live ten seconds after a change that it does not have,
// and that the session recovers once the fault is gone (docs/promises.md#i1, #i17).
func TestNeverLiveWithOldRows(t *testing.T) {
	t.Parallel()
	onRuns := faults.Resource(runs)
	listsOfRuns, watchesOfRuns := faults.Both(faults.Lists, onRuns), faults.Both(faults.Watches, onRuns)
	wholeLists := faults.Both(faults.WholeLists, onRuns)
	for name, rules := range map[string][]faults.Rule{
		"watches muted":                     {{Kind: faults.Mute, Of: faults.Watches}},
		"watches of runs muted":             {{Kind: faults.Mute, Of: watchesOfRuns}},
		"long watches of runs muted":        {{Kind: faults.Mute, Of: faults.Both(faults.LongWatches, onRuns)}},
		"watches cut, then no headers":      {{Kind: faults.Hang, Of: faults.Watches}},
		"watches cut, then silent":          {{Kind: faults.Silence, Of: faults.Watches}},
		"watches of runs forbidden, hang":   {{Kind: faults.Status, Code: 403, Of: watchesOfRuns}, {Kind: faults.Hang, Of: wholeLists}},
		"watches of runs expired, hang":     {{Kind: faults.Status, Code: 410, Of: watchesOfRuns}, {Kind: faults.Hang, Of: wholeLists}},
		"watches of runs expired, all hang": {{Kind: faults.Status, Code: 410, Of: watchesOfRuns}, {Kind: faults.Hang, Of: listsOfRuns}},
		"frozen":                            {{Kind: faults.Freeze}},
		"requests frozen":                   {{Kind: faults.FreezeUp}},
		"everything hangs":                  {{Kind: faults.Hang}},
		"server errors":                     {{Kind: faults.Status, Code: 500}},
		"busy":                              {{Kind: faults.Status, Code: 429, RetryAfter: 1}},
		"watches of runs fail":              {{Kind: faults.Status, Code: 502, Of: watchesOfRuns}},
		"watches of runs busy":              {{Kind: faults.Status, Code: 429, RetryAfter: 1, Of: watchesOfRuns}},
		"watches of runs empty":             {{Kind: faults.Empty, Of: watchesOfRuns}},
		"watches of runs html":              {{Kind: faults.HTML, Of: watchesOfRuns}},
		"watches of runs poisoned":          {{Kind: faults.Poison, Of: watchesOfRuns}},
		"checks fail":                       {{Kind: faults.Status, Code: 500, Of: faults.Checks}},
		"torn":                              {{Kind: faults.Torn}},
	} {
		t.Run(name, func(t *testing.T) {
			compressed(t, func(s *situation) {
				for _, rule := range rules {
					// What only new requests meet begins with the end of the open watches.
					if !slices.Contains([]faults.Kind{faults.Mute, faults.Freeze, faults.FreezeUp, faults.Torn}, rule.Kind) {
						s.proxy.Set(faults.Rule{Kind: faults.Cut, Of: faults.Watches})
					}
				}
				s.proxy.Set(rules...)
				var requests, lists atomic.Int64
				s.proxy.Observe(func(r *http.Request) {
					if onRuns(r) {
						requests.Add(1)
						if ofStream(r) && !faults.Watches(r) {
							lists.Add(1)
						}
					}
				})
				s.server.Put(runs, aRun("second", "web"))
				changed := time.Now()
				for time.Since(changed) < 100*time.Second {
					ctx, cancel := timeout(s.t, time.Second)
					snap, err := s.session.Next(ctx)
					cancel()
					if err == nil {
						s.last = snap
					}
					if age := time.Since(changed); age > mostAge && s.last.Link.State == engine.LinkLive && find(s.last, "second") == nil {
						s.t.Fatalf("live %v after a change that it does not have: %s", age, describe(s.last))
					} else if first := find(s.last, "first"); age > mostAge && find(s.last, "second") == nil && !s.last.Link.StaleFor(first) {
						s.t.Fatalf("%v after a change that it does not have its set is not stale: %s", age, describe(s.last))
					}
				}
				switch watchesAlone := strings.HasPrefix(name, "watches of runs") && rules[len(rules)-1].Kind != faults.Hang; {
				case requests.Load() > 450 || lists.Load() > 90, watchesAlone && lists.Load() > 60:
					s.t.Errorf("%d requests of the runs in 100 s, %d of them lists", requests.Load(), lists.Load())
				case watchesAlone && find(s.last, "second") == nil:
					s.t.Errorf("watches fail, lists do not, and the change never came: %s", describe(s.last))
				}
				s.server.Put(runs, aRun("third", "web"))
				s.proxy.Set()
				took := s.within(3*time.Minute, "all runs", func(snap *engine.Snapshot) bool {
					return has("second")(snap) && has("third")(snap)
				})
				s.t.Logf("recovered after %v", took)
				if took > aim {
					s.t.Errorf("recovered %v after the fault, at most %v are allowed", took, aim)
				}
				if n := s.proxy.MostLists(); n > 1 {
					s.t.Errorf("%d lists of one set at the same time", n)
				}
			})
		})
	}
}

// TestLostChange checks that a change that a watch has lost on the way, which goes on with the
// next one, is shown within five seconds, whether changes follow seldom or all the
// time, within ten where checks are not answered; and that one list each is all that it costs.
func TestLostChange(t *testing.T) {
	t.Parallel()
	rejected := []faults.Rule{{Kind: faults.Status, Code: 429, RetryAfter: 1, Of: faults.Checks}}
	hangs := []faults.Rule{{Kind: faults.Hang, Of: faults.Checks}}
	for name, tt := range map[string]struct {
		every time.Duration // between two changes
		stay  []faults.Rule
		lists int64 // at most
	}{
		"seldom":                         {time.Hour, nil, 5},
		"all the time":                   {500 * time.Millisecond, nil, 5},
		"all the time, checks rejected":  {500 * time.Millisecond, rejected, 50},
		"all the time, checks unheard":   {500 * time.Millisecond, hangs, 50},
		"more often than it is compared": {30 * time.Millisecond, nil, 5},
	} {
		t.Run(name, func(t *testing.T) {
			compressed(t, func(s *situation) {
				var lists atomic.Int64
				s.proxy.Observe(func(r *http.Request) {
					if faults.Resource(runs)(r) && ofStream(r) && !faults.Watches(r) {
						lists.Add(1)
					}
				})
				change := func(until time.Time, shown func(*engine.Snapshot) bool) {
					for busy := 0; time.Now().Before(until); busy++ {
						if tt.every < time.Hour {
							s.server.Put(runs, aRun(fmt.Sprint("busy-", busy%3), "web"))
						}
						time.Sleep(min(tt.every, 500*time.Millisecond))
						if s.drain(); shown(s.last) {
							return
						}
					}
				}
				never := func(*engine.Snapshot) bool { return false }
				s.proxy.Set(tt.stay...)
				for round := range 5 {
					change(time.Now().Add(10*time.Second+time.Duration(round)*700*time.Millisecond), never)
					lost, next := fmt.Sprint("lost-", round), fmt.Sprint("next-", round)
					s.proxy.Set(append(slices.Clone(tt.stay), faults.Rule{Kind: faults.Drop, Of: faults.LongWatches})...)
					s.server.Put(runs, aRun(lost, "web"))
					began := time.Now()
					time.Sleep(200 * time.Millisecond)
					s.proxy.Set(tt.stay...)
					s.server.Put(runs, aRun(next, "web"))
					s.within(time.Second, "the next change", has(next))
					if find(s.last, lost) != nil && tt.stay == nil {
						s.t.Fatal("the change was not lost")
					}
					change(began.Add(mostAge), has(lost))
					most := recovery
					if tt.stay != nil {
						most = mostAge
					}
					if took := time.Since(began); !has(lost)(s.last) || took > most {
						s.t.Errorf("%v after a change was lost: %s", took, describe(s.last))
					}
				}
				if n := lists.Load(); n > tt.lists {
					s.t.Errorf("%d lists, at most %d are allowed", n, tt.lists)
				}
				if !s.last.Link.Reset.IsZero() {
					s.t.Errorf("a lost change is taken for a reset: %s", describe(s.last))
				}
			})
		})
	}
}

// TestRejectedChecks checks that sets whose checks are rejected, those of member clusters
// included, are listed before they are stale.
func TestRejectedChecks(t *testing.T) {
	compressed(t, func(s *situation) {
		s.proxy.Set(faults.Rule{Kind: faults.Delay, For: 100 * time.Millisecond}, faults.Rule{Kind: faults.Status, Code: 500, Of: faults.Checks})
		for began := time.Now(); time.Since(began) < 5*time.Minute; {
			time.Sleep(500 * time.Millisecond)
			if s.drain(); !isLive(s.last) {
				s.t.Fatalf("%v after checks were rejected: %s", time.Since(began), describe(s.last))
			}
		}
	})
}

// TestRestoredHub checks that a session shows what the hub has after it went back to an
// older state, and says that the hub was reset (docs/promises.md#i3).
func TestRestoredHub(t *testing.T) {
	for name, system := range map[string]string{"from a backup": "", "replaced": "system-1"} {
		t.Run(name, func(t *testing.T) {
			compressed(t, func(s *situation) {
				backup := s.server.Backup()
				for _, run := range []string{"second", "third", "fourth"} {
					s.server.Put(runs, aRun(run, "web"))
				}
				s.within(time.Second, "the new runs", has("fourth"))
				if !s.last.Link.Reset.IsZero() {
					s.t.Errorf("reset before anything happened: %s", describe(s.last))
				}
				s.server.Restore(backup, system)
				s.server.Put(runs, aRun("fifth", "web"))
				s.within(mostAge, "the state of the backup", func(snap *engine.Snapshot) bool {
					if find(snap, "fourth") == nil && snap.Link.Reset.IsZero() {
						s.t.Errorf("older rows without a reset: %s", describe(snap))
					}
					return isLive(snap) && find(snap, "fourth") == nil && find(snap, "fifth") != nil
				})
				if s.last.Link.Reset.IsZero() {
					s.t.Errorf("no word of the reset: %s", describe(s.last))
				}
				s.server.Put(runs, aRun("sixth", "web"))
				s.within(time.Second, "what comes after it", has("sixth"))
				time.Sleep(15 * time.Minute)
				s.drain()
				if !s.last.Link.Reset.IsZero() || !isLive(s.last) {
					s.t.Errorf("a quarter of an hour later: %s", describe(s.last))
				}
			})
		})
	}
}

// TestAnotherHub checks that another cluster at the same address is found although its
// resourceVersions are not lower.
func TestAnotherHub(t *testing.T) {
	compressed(t, func(s *situation) {
		s.server.Restore(s.server.Backup(), "system-1")
		s.within(time.Minute, "word of the other hub", func(snap *engine.Snapshot) bool { return !snap.Link.Reset.IsZero() })
	})
}

// TestRestartIsNoReset checks that a hub that comes back with its data is not called
// reset, whatever was missed meanwhile.
func TestRestartIsNoReset(t *testing.T) {
	compressed(t, func(s *situation) {
		s.proxy.Set(faults.Rule{Kind: faults.Cut})
		s.server.Restart()
		s.server.Put(runs, aRun("second", "web"))
		time.Sleep(20 * time.Second)
		s.proxy.Set()
		if took := s.within(recovery, "what was missed", has("second")); took > 2*time.Second {
			s.t.Errorf("recovered after %v", took)
		}
		time.Sleep(time.Minute)
		s.drain()
		if !s.last.Link.Reset.IsZero() || !isLive(s.last) {
			s.t.Errorf("after a restart: %s", describe(s.last))
		}
	})
}

// TestOldEventsAreIgnored checks that events which come again, or late, do not bring an
// older state back (docs/promises.md#i3).
func TestOldEventsAreIgnored(t *testing.T) {
	for _, kind := range []faults.Kind{faults.Duplicate, faults.Old} {
		t.Run(string(kind), func(t *testing.T) {
			compressed(t, func(s *situation) {
				s.proxy.Set(faults.Rule{Kind: kind})
				for generation := range 5 {
					o := aRun("first", "web")
					o["metadata"].(map[string]any)["generation"] = generation + 2
					s.server.Put(runs, o)
				}
				s.server.Put(runs, aRun("second", "web"))
				s.server.Put(runs, aRun("first", "web"))
				s.server.Delete(runs, "", "first") // a late event would bring it back
				time.Sleep(time.Second)
				s.drain()
				if !isLive(s.last) || find(s.last, "first") != nil || find(s.last, "second") == nil {
					s.t.Errorf("after events that came again: %s", describe(s.last))
				}
			})
		})
	}
}

// TestRetryAfterIsHonoured checks that a set whose lists are rejected with a Retry-After
// header is not requested before, whatever else is answered (docs/promises.md#i17).
func TestRetryAfterIsHonoured(t *testing.T) {
	for _, code := range []int{http.StatusTooManyRequests, http.StatusServiceUnavailable} {
		compressed(t, func(s *situation) {
			of := faults.Both(faults.Resource(runs), ofStream)
			var sent atomic.Int64
			s.proxy.Observe(func(r *http.Request) {
				if of(r) && !faults.Watches(r) {
					sent.Add(1)
				}
			})
			s.proxy.Set(faults.Rule{Kind: faults.Cut, Of: faults.Watches})
			s.proxy.Set(faults.Rule{Kind: faults.Status, Code: code, RetryAfter: 25, Of: faults.Both(faults.Resource(runs), func(r *http.Request) bool { return r.URL.Query().Get("limit") != "1" })})
			time.Sleep(100 * time.Second)
			if n := sent.Load(); n > 6 {
				s.t.Errorf("code %d: %d lists in 100 s", code, n)
			}
		})
	}
}
