package engine

import (
	"strings"
	"testing"
	"time"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

// TestFirstRun makes a run for a placement that none names.
func TestFirstRun(t *testing.T) {
	for _, ns := range []string{"", "team-a"} {
		run, place := KindClusterStagedUpdateRun, KindClusterResourcePlacement
		if ns != "" {
			run, place = KindStagedUpdateRun, KindResourcePlacement
		}
		id := NewID(place, ns, "web", "u")
		look := func(change func(*World)) *Snapshot {
			w := NewWorld(Settings{ClusterRuns: true, NamespacedRuns: true})
			w.Placements[id] = &Placement{ID: id, External: true, Clusters: 3, ObservedIndex: "4", Created: time.Unix(1000, 0)}
			coverAll(w, "", CoverComplete, place, run)
			change(w)
			s, _ := Observe(nil, w, Changed{}, time.Unix(2000, 0))
			s.WritesOff = Text{}
			return s
		}
		other := func(w *World, name string, state placement.State) {
			w.Runs[small(w, run, ns, name, "else")].Spec.State = state
		}
		for _, tt := range []struct {
			name   string
			change func(*World)
			c      Choice
			made   string // name, index and state
			why    string
			choose bool
		}{
			{name: "no strategy", change: func(*World) {}, why: "needs a strategy", choose: true},
			{name: "by a strategy", change: func(*World) {}, c: Choice{Strategy: Lit("slow")}, made: "web-r1  Initialize"},
			{name: "at once, pinned", change: func(*World) {}, c: Choice{Strategy: Lit("slow"), Start: true, Snapshot: Lit("4")}, made: "web-r1 4 Run"},
			{name: "the name is taken", change: func(w *World) { other(w, "web-r1", "Run") }, c: Choice{Strategy: Lit("slow")}, made: "web-r2  Initialize"},
			{name: "a hub without states", change: func(w *World) { other(w, "old", "") }, c: Choice{Strategy: Lit("slow")}, made: "web-r1  "},
			{name: "no right", change: func(w *World) {
				w.Access = w.Access.With(Needs(ActClone, run, ns), GrantNo)
			}, c: Choice{Strategy: Lit("slow")}, why: "you may not create " + run.Plural()},
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
				if i.Target != NewID(run, ns, name, "") || i.Run != id || i.Confirm.String() != name || !strings.Contains(i.Title.String(), "of placement") || !strings.Contains(i.Twin.String(), `"kind":"`+run.String()+`"`) {
					t.Errorf("%+v", i)
				}
				if text := Join(append(i.Effect, i.Warn...), " ").String(); strings.Contains(text, "this run") || strings.Contains(text, "This run") {
					t.Errorf("speaks of a run that is not there: %s", text)
				}
			})
		}
		for _, act := range []Act{ActApprove, ActRun, ActStop, ActDelete} {
			if _, r := Propose(look(func(*World) {}), act, id, time.Unix(2000, 0)); !r.Refused() || r.Choose {
				t.Errorf("%s is possible: %+v", act, r)
			}
		}
	}
}
