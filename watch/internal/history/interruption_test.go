package history

import (
	"fmt"
	"net/http"
	"path"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/watch/faults"
)

// interruption is a way in which a line is interrupted.
type interruption struct {
	name  string
	by    []faults.Rule
	lasts time.Duration // after the screen has noticed it
	// unknown is how long after the interruption a set may still look slow, until a probe is answered.
	unknown time.Duration
}

var (
	broken = interruption{"connections are lost", []faults.Rule{{Kind: faults.Cut}, {Kind: faults.Hang}}, 3 * time.Second, 0}
	held   = interruption{"nothing passes", []faults.Rule{{Kind: faults.FreezeUp}, {Kind: faults.Freeze}}, 9 * time.Second, time.Second}
)

// TestChangesAreReadAfterAnInterruption checks that a slow line does not bring all runs again when it was
// interrupted, but those that have changed meanwhile, unless one was deleted, many have changed or the
// hub has gone back: then the runs are listed.
func TestChangesAreReadAfterAnInterruption(t *testing.T) {
	large := func(name, state string) map[string]any {
		run := aRun(name, "web")
		run["long"] = strings.Repeat("x", 20<<10)
		run["spec"].(map[string]any)["state"] = state
		return run
	}
	state := func(s *engine.Snapshot, name string) string {
		if v := find(s, name); v != nil {
			return v.State.String()
		}
		return "none"
	}
	for _, tt := range []struct {
		name   string
		happen func(s *faults.APIServer, b faults.Backup)
		want   map[string]string // the states of runs
		listed bool
	}{
		{"nothing", func(*faults.APIServer, faults.Backup) {}, map[string]string{"run-3": "Run"}, false},
		{"one changes and one is new", func(s *faults.APIServer, _ faults.Backup) {
			s.Put(runs, large("run-3", "Stop"))
			s.Put(runs, large("new", "Run"))
		}, map[string]string{"run-3": "Stop", "new": "Run", "run-4": "Run"}, false},
		{"one is deleted", func(s *faults.APIServer, _ faults.Backup) { s.Delete(runs, "", "run-3") }, map[string]string{"run-3": "none", "run-4": "Run"}, true},
		{"many change", func(s *faults.APIServer, _ faults.Backup) {
			for i := range 40 {
				s.Put(runs, large(fmt.Sprint("run-", i), "Stop"))
			}
		}, map[string]string{"run-3": "Stop", "run-39": "Stop"}, true},
		{"the hub goes back", func(s *faults.APIServer, b faults.Backup) {
			s.Restore(b, "")
			s.Put(runs, large("other", "Run"))
		}, map[string]string{"run-3": "Run", "later": "none", "other": "Run"}, true},
	} {
		for _, interrupted := range []interruption{broken, held} {
			t.Run(fmt.Sprint(tt.name, ", ", interrupted.name), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := start(t)
					for i := range 40 {
						s.server.Put(runs, large(fmt.Sprint("run-", i), "Run"))
					}
					backup := s.server.Backup()
					s.server.Put(runs, large("later", "Run"))
					line := &slowLine{perSecond: 250e3, delay: 150 * time.Millisecond}
					s.config = overHTTP1(t, s.proxy)
					s.config.Dial = line.through(s.config.Dial)
					s.open()
					s.within(time.Minute, "the runs", has("later"))
					time.Sleep(time.Minute)
					s.drain()
					s.proxy.Set(interrupted.by...)
					s.within(time.Minute, "an end of being live", func(s *engine.Snapshot) bool { return !isLive(s) })
					tt.happen(s.server, backup)
					time.Sleep(interrupted.lasts)
					lists, pages, read, again := 0, 0, false, time.Now()
					s.proxy.Observe(func(r *http.Request) {
						if path.Base(r.URL.Path) == "run-3" && !read { // it changes again before it is read, and the watch brings both
							read = true
							s.server.Put(runs, large("run-3", "Run"))
							s.server.Put(runs, large("run-3", "Stop"))
						}
						size, _ := strconv.Atoi(r.URL.Query().Get("limit"))
						ofRuns := faults.Lists(r) && strings.HasSuffix(r.URL.Path, "/"+runs) && !strings.Contains(r.Header.Get("Accept"), "as=")
						switch {
						case size > 0 && time.Since(again) < interrupted.unknown:
						case ofRuns:
							lists++
							fallthrough
						case size > 2: // else it asks whether lists are answered
							pages++
						}
					})
					s.proxy.Set()
					most := 10 * time.Second
					if tt.listed {
						most = time.Minute
					}
					s.within(most, "live", isLive)
					for name, want := range tt.want {
						if got := state(s.last, name); got != want {
							t.Errorf("run %s is %s, want %s", name, got, want)
						}
					}
					for end := time.Now().Add(5 * time.Second); time.Until(end) > 0; {
						ctx, cancel := timeout(t, time.Until(end))
						if snap, err := s.session.Next(ctx); err == nil && state(snap, "run-3") != tt.want["run-3"] {
							t.Errorf("run-3 is %s after it was %s", state(snap, "run-3"), tt.want["run-3"])
						}
						cancel()
					}
					if pages > lists && !tt.listed {
						t.Errorf("%d pages were requested, but the sets are small", pages)
					}
					if lists > 0 && !tt.listed || lists == 0 && tt.listed && interrupted.unknown == 0 { // else a list was on its way
						t.Errorf("the runs were listed %d times", lists)
					}
				})
			})
		}
	}
}
