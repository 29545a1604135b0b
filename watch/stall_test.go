package watch

import (
	"strings"
	"testing"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/watch/faults"
)

// TestHalfDeadProxy checks that a change of the hub is in a Snapshot within ten
// seconds when a proxy answers pings and probes but holds back watches
// (docs/promises.md#i1).
func TestHalfDeadProxy(t *testing.T) {
	t.Parallel()
	for _, always := range []bool{false, true} {
		name := map[bool]string{false: "struck", true: "holds-back"}[always]
		t.Run(name, func(t *testing.T) {
			p := somebody(t, shared)
			proxy := faults.NewProxy(nil)
			mute := faults.Rule{Kind: faults.Mute, Of: faults.LongWatches}
			// No list is answered before a Snapshot has named the stalled watch: one
			// that another replaces in time is never seen.
			unanswered := faults.Rule{Kind: faults.FreezeUp, Of: faults.Both(faults.ObjectLists, faults.Resource("clusterstagedupdateruns"))}
			var stays []faults.Rule
			if always {
				stays = []faults.Rule{mute}
			}
			proxy.Set(stays...)
			onWay(t, t.Name(), proxy.Before)
			cfg := shared.AdminConfig()
			cfg.UserAgent = t.Name()
			o := options{}
			if always {
				o.checkEvery = 500 * time.Millisecond
			}
			s, err := open(t.Context(), Config{REST: cfg}, o)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(s.Close)
			until(t, s, "live", live)
			proxy.Set(mute)
			proxy.Set(append(stays, unanswered)...)
			reported := false
			for n, run := range []string{"-one", "-two"} {
				p.make(aRun(t, "", name+run, name, "Run", "UpdateRunWaiting"))
				began := time.Now()
				until(t, s, "the news", func(s *engine.Snapshot) bool {
					if !reported && s.Link.State == engine.LinkReconnecting && strings.Contains(s.Link.Err.String(), "the watch of clusterstagedupdateruns is stalled") {
						reported = true
						proxy.Set(stays...)
					}
					return live(s) && named(s, engine.KindClusterStagedUpdateRun, "", name+run) != nil
				})
				t.Logf("after %v", time.Since(began))
				if n == 0 && !reported {
					t.Error("no snapshot names the stalled watch")
				}
			}
		})
	}
}
