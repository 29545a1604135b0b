package triage

import (
	"testing"
	"time"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/observe"
	"github.com/stagewatch/stagewatch/engine/world"
)

// A run that the controller will fail needs attention in every state, counts, and is a
// problem to jump to: with what is read beside the opened run, and in a row of which only
// the streams are known.
func TestARunThatWillFailNeedsAttention(t *testing.T) {
	for _, base := range []string{"timed-wait", "approval-before", "ready", "stopped"} {
		for _, tt := range []struct {
			name, also string
			fails      bool
			change     func(*situation, *world.Placement)
		}{
			{"nothing was changed", "", false, func(*situation, *world.Placement) {}},
			{"a cluster was relabelled", "stage-clusters-changed", true, func(s *situation, _ *world.Placement) { relabel(s, "prod-4", map[string]string{"ring": "dev"}) }},
			{"the apply strategy was changed", "apply-strategy-changed", true, func(s *situation, p *world.Placement) {
				p.Apply = &placement.ApplyStrategy{WhenToApply: placement.ApplyIfNotDrifted}
				s.Nearby.Apply = p.Apply
			}},
			{"the strategy type was changed", "placement-not-external", true, func(_ *situation, p *world.Placement) { p.External = false }},
		} {
			for scope, ns := range scopes {
				for _, read := range []bool{true, false} {
					s := load(t, "../internal/situation/testdata", 50)[base]
					s.surrounded(t)
					place := world.Placement{External: true, ApplyRead: true}
					tt.change(&s, &place)
					if !read { // a row that nobody looks at: neither bindings nor what is beside it
						s.Nearby, s.Bindings = nil, nil
					}
					w, id := s.world(t, ns)
					for _, p := range w.Placements {
						p.Apply, p.ApplyRead, p.External = place.Apply, true, place.External
					}
					snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now).Add(time.Second))
					v := snap.Find(id)
					at := tt.name + "/" + base + "/" + scope
					if v.Why.Fails != tt.fails {
						t.Fatalf("%s, read %v: fails %v: %s %s", at, read, v.Why.Fails, v.Why.Cause, v.Why.What)
					}
					if !tt.fails {
						continue
					}
					found := false
					for _, f := range v.Why.Also {
						found = found || f.Cause.String() == tt.also
					}
					if v.Why.Cause.String() != "run-will-fail" || !found || v.Why.Recovery != engine.RecoveryOnHub {
						t.Errorf("%s, read %v: %s %v (%s)", at, read, v.Why.Cause, v.Why.Also, v.Why.Recovery)
					}
					if !v.NeedsAttention() || !v.InTrouble() || v.Attention() > engine.WordFailed.Attention() || len(snap.Need) != 1 || !snap.Need[0].Fails {
						t.Errorf("%s, read %v: needs attention %v, ails %v, rank %d, %v", at, read, v.NeedsAttention(), v.InTrouble(), v.Attention(), snap.Need)
					}
				}
			}
		}
	}
}
