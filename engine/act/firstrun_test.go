package act

import (
	"strings"
	"testing"
	"time"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/internal/situation"
	"github.com/stagewatch/stagewatch/engine/observe"
	"github.com/stagewatch/stagewatch/engine/world"
)

// TestFirstRun makes a run for a placement that none names.
func TestFirstRun(t *testing.T) {
	for _, ns := range []string{"", "team-a"} {
		run, place := engine.KindClusterStagedUpdateRun, engine.KindClusterResourcePlacement
		if ns != "" {
			run, place = engine.KindStagedUpdateRun, engine.KindResourcePlacement
		}
		id := engine.NewID(place, ns, "web", "u")
		look := func(change func(*world.World)) *engine.Snapshot {
			w := world.NewWorld(engine.Settings{ClusterRuns: true, NamespacedRuns: true})
			w.Placements[id] = &world.Placement{ID: id, External: true, Clusters: 3, ObservedIndex: "4", Created: time.Unix(1000, 0)}
			situation.CoverAll(w, "", engine.CoverComplete, place, run)
			change(w)
			s, _ := observe.Observe(nil, w, world.Changed{}, time.Unix(2000, 0))
			s.WritesOff = engine.Text{}
			return s
		}
		other := func(w *world.World, name string, state placement.State) {
			w.Runs[situation.Small(w, run, ns, name, "else")].Spec.State = state
		}
		for _, tt := range []struct {
			name   string
			change func(*world.World)
			c      Choice
			made   string // name, index and state
			why    string
			choose bool
		}{
			{name: "no strategy", change: func(*world.World) {}, why: "needs a strategy", choose: true},
			{name: "by a strategy", change: func(*world.World) {}, c: Choice{Strategy: engine.Lit("slow")}, made: "web-r1  Initialize"},
			{name: "at once, pinned", change: func(*world.World) {}, c: Choice{Strategy: engine.Lit("slow"), Start: true, Snapshot: engine.Lit("4")}, made: "web-r1 4 Run"},
			{name: "the name is taken", change: func(w *world.World) { other(w, "web-r1", "Run") }, c: Choice{Strategy: engine.Lit("slow")}, made: "web-r2  Initialize"},
			{name: "a hub without states", change: func(w *world.World) { other(w, "old", "") }, c: Choice{Strategy: engine.Lit("slow")}, made: "web-r1  "},
			{name: "no right", change: func(w *world.World) {
				w.Access = w.Access.With(engine.Needs(engine.ActClone, run, ns), engine.GrantNo)
			}, c: Choice{Strategy: engine.Lit("slow")}, why: "you may not create " + run.Plural()},
		} {
			t.Run(tt.name+"/"+ns, func(t *testing.T) {
				i, r := ProposeClone(look(tt.change), id, tt.c)
				if !strings.Contains(r.Why.String(), tt.why) || r.Refused() != (tt.why != "") || r.Choose != tt.choose {
					t.Fatalf("refused with %+v, want %q", r, tt.why)
				}
				if r.Refused() {
					return
				}
				name, of, strategy, index, state := i.Create()
				if got := name + " " + index + " " + state; got != tt.made || of != "web" || strategy != "slow" {
					t.Errorf("creates %v", i.create)
				}
				if i.Target != engine.NewID(run, ns, name, "") || i.Run != id || i.Confirm.String() != name || !strings.Contains(i.Title.String(), "of placement") || !strings.Contains(i.Kubectl.String(), `"kind":"`+run.String()+`"`) {
					t.Errorf("%+v", i)
				}
				if text := engine.Join(append(i.Effect, i.Warn...), " ").String(); strings.Contains(text, "this run") || strings.Contains(text, "This run") {
					t.Errorf("speaks of a run that is not there: %s", text)
				}
			})
		}
		for _, act := range []engine.Act{engine.ActApprove, engine.ActRun, engine.ActStop, engine.ActDelete} {
			if _, r := Propose(look(func(*world.World) {}), act, id, time.Unix(2000, 0)); !r.Refused() || r.Choose {
				t.Errorf("%s is possible: %+v", act, r)
			}
		}
	}
}
