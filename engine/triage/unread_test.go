package triage

import (
	"regexp"
	"testing"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/observe"
	"github.com/stagewatch/stagewatch/engine/world"
)

// What was not read is not said to be absent, in any situation: not in the cause, not in its steps, and
// not in the evidence.
func TestWhatIsNotReadIsNotAbsent(t *testing.T) {
	all := func(kinds ...engine.Kind) (keys []world.CoverKey) {
		for _, k := range kinds {
			keys = append(keys, world.CoverAll(k))
		}
		return keys
	}
	parts := []struct {
		name   string
		absent *regexp.Regexp
		// clear removes all objects of the part; least is how many texts say so if that is known.
		clear func(w *world.World) []world.CoverKey
		least int
	}{
		{"placements", regexp.MustCompile(`[Pp]lacement \S+ (in namespace \S+ )?(does not exist|no longer exists)`), func(w *world.World) []world.CoverKey {
			clear(w.Placements)
			return all(engine.KindClusterResourcePlacement, engine.KindResourcePlacement)
		}, 200},
		{"members", regexp.MustCompile(`[Mm]ember \S+ (does not exist|left the fleet)|no longer a member|no such member|left the fleet during`), func(w *world.World) []world.CoverKey {
			clear(w.Members)
			return all(engine.KindMemberCluster)
		}, 400},
		{"approval requests", regexp.MustCompile(`[Aa]pproval request \S+ (does not exist|no longer exists)|approval request \S+ metadata.name not found`), func(w *world.World) []world.CoverKey {
			clear(w.Approvals)
			return all(engine.KindClusterApprovalRequest, engine.KindApprovalRequest)
		}, 30},
		{"bindings", regexp.MustCompile(`has no binding|no binding any more|has a binding now|bindings none`), func(w *world.World) (keys []world.CoverKey) {
			clear(w.Bindings)
			for key := range w.Covered {
				if !key.Placement.IsZero() {
					keys = append(keys, key)
				}
			}
			return keys
		}, 300},
	}
	said := map[string]int{}
	for name, s := range allSituations(t) {
		for scope, ns := range scopes {
			texts := func(w *world.World, id engine.ID) (out []string) {
				snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
				d := &snap.Find(id).Why
				for _, x := range append([]engine.Text{d.What, d.RecoveryText}, d.Steps...) {
					out = append(out, x.String())
				}
				for _, e := range d.Evidence {
					out = append(out, engine.Textf("%s %s %s", e.Object, e.Field, e.Value).String())
				}
				return out
			}
			for i := range parts {
				p := &parts[i]
				states := []engine.CoverState{engine.CoverComplete, engine.CoverForbidden}
				if ns != "" {
					states = []engine.CoverState{engine.CoverNotAsked}
				}
				for _, state := range states {
					w, id := s.world(t, ns)
					for _, key := range p.clear(w) {
						w.Covered[key] = engine.Coverage{State: state}
					}
					for _, x := range texts(w, id) {
						switch {
						case !p.absent.MatchString(x):
						case state == engine.CoverComplete:
							said[p.name]++
						default:
							t.Errorf("%s/%s, %s %s: %s", name, scope, p.name, state, x)
						}
					}
				}
			}
		}
	}
	for _, p := range parts {
		if said[p.name] < p.least {
			t.Errorf("%s: only %d texts say that one is absent, where that is known", p.name, said[p.name])
		}
	}
}
