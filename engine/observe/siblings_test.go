package observe

import (
	"fmt"
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/internal/situation"
	"github.com/stagewatch/stagewatch/engine/world"
)

// TestSiblings checks how the runs of a placement are grouped, and that nothing is left of what the room had in a pass before.
func TestSiblings(t *testing.T) {
	t0 := time.Unix(100_000, 0)
	room := &room{}
	for pass := range 4 {
		w := situation.Live(engine.Settings{ClusterRuns: true})
		want := map[engine.ID]string{}
		for p := range 3 + 2*(pass%2) {
			name := fmt.Sprintf("p%d-%d", pass, p)
			place := engine.NewID(engine.KindClusterResourcePlacement, "", name, "u")
			w.Placements[place] = &world.Placement{ID: place}
			add := func(run string, created time.Duration, deleting bool, conditions ...metav1.Condition) {
				r := w.Runs[situation.Small(w, engine.KindClusterStagedUpdateRun, "", name+run, name, conditions...)]
				if r.CreationTimestamp = metav1.NewTime(t0.Add(created)); deleting {
					r.DeletionTimestamp = &r.CreationTimestamp
				}
			}
			initialized := situation.Is(placement.RunInitialized, metav1.ConditionTrue, t0)
			switch p {
			case 0:
				want[place.Key()] = "true [] named false, failed [], youngest "
			case 1:
				add("-bad", 9*time.Hour, false, situation.Is(placement.RunInitialized, metav1.ConditionFalse, t0))
				want[place.Key()] = "true [] named false, failed [" + name + "-bad], youngest "
			default:
				add("-b", time.Hour, false, initialized)
				add("-a", 2*time.Hour, false, initialized)
				add("-done", 3*time.Hour, false, initialized, situation.Is(placement.RunSucceeded, metav1.ConditionTrue, t0))
				add("-last", 3*time.Hour, false, initialized, situation.Is(placement.RunSucceeded, metav1.ConditionTrue, t0))
				add("-failed", 4*time.Hour, false, initialized, situation.Is(placement.RunSucceeded, metav1.ConditionFalse, t0))
				add("-deleted", 5*time.Hour, true, initialized)
				add("-new", -time.Hour, false)
				want[place.Key()] = fmt.Sprintf("true [%s-a %[1]s-b] named true, failed [], youngest %[1]s-last", name)
			}
		}
		o := &observation{w: w, now: t0, room: room}
		o.group()
		names := func(ids []engine.ID) (out []string) {
			for _, id := range ids {
				out = append(out, id.RawName())
			}
			return out
		}
		for key, says := range want {
			s := room.family.of(key)
			if got := fmt.Sprintf("%v %v named %v, failed %v, youngest %s", s.place != nil, names(s.unfinished), s.named, names(s.initFailed), s.youngest.RawName()); got != says {
				t.Errorf("pass %d: %s, want %s", pass, got, says)
			}
		}
		if unknown := room.family.of(engine.NewID(engine.KindClusterResourcePlacement, "", "none", "")); unknown.place != nil || unknown.named || len(slices.Concat(unknown.unfinished, unknown.initFailed)) > 0 || !unknown.youngest.IsZero() {
			t.Errorf("pass %d: an unknown placement has %+v", pass, unknown)
		}
	}
}
