package triage

import (
	"strings"
	"testing"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/observe"
	"github.com/stagewatch/stagewatch/engine/world"
)

// TestAPolicyThatTheHubAgentHasNotHandled: a run that a person would continue fails as soon as the
// policy snapshot of the changed policy exists, and continues when the policy is set back before.
func TestAPolicyThatTheHubAgentHasNotHandled(t *testing.T) {
	six, seven := int32(6), int32(7) // the placement picks 6
	pickN := func(n *int32) *placement.PlacementPolicy {
		return &placement.PlacementPolicy{PlacementType: placement.PickN, NumberOfClusters: n}
	}
	fixed := func(names ...string) *placement.PlacementPolicy {
		return &placement.PlacementPolicy{PlacementType: placement.PickFixed, ClusterNames: names}
	}
	for base, step := range map[string]string{
		"ready": "Do not start this run yet: the run would fail. ", "stopped": "Do not resume this run yet: the run would fail. ",
		"approval-before": "Do not approve the stage yet: the run would fail. ", "timed-wait": "",
	} {
		for _, tt := range []struct {
			name, count string
			now, was    *placement.PlacementPolicy
			says, undo  string
		}{
			{
				"clusters", "", fixed("a", "b", "c", "d", "e", "f", "g"), fixed("a", "b", "c", "d", "e", "f"),
				"The scheduling policy of placement shop was changed, but policy snapshot shop-0 still has the previous policy: the run fails as soon as the hub agent handles the change.",
				"Set spec.policy of placement shop back to that of policy snapshot shop-0.",
			},
			{
				"number", "6", pickN(&seven), pickN(nil),
				"Placement shop was changed to 7 clusters (spec.policy.numberOfClusters), but policy snapshot shop-0 still has 6: the run fails as soon",
				"Set spec.policy.numberOfClusters of placement shop back to 6.",
			},
			{"number as scheduled", "6", pickN(&six), pickN(nil), "", ""},
			{"clusters as scheduled", "", fixed("a", "b", "c", "d", "e", "f"), fixed("a", "b", "c", "d", "e", "f"), "", ""},
		} {
			for scope, ns := range scopes {
				t.Run(base+"/"+tt.name+"/"+scope, func(t *testing.T) {
					s := load(t, "../internal/situation/testdata", 50)[base]
					s.surrounded(t)
					p := &s.Nearby.Policies[0]
					s.Nearby.Policy, p.Spec.Policy = tt.now, tt.was
					s.Run.Status.PolicyObservedClusterCount = 6
					if tt.count != "" {
						p.Annotations = map[string]string{placement.AnnotationNumberOfClusters: tt.count}
					}
					w, id := s.world(t, ns)
					snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
					d := snap.Find(id).Why
					if tt.says == "" {
						if strings.Contains(d.What.String(), "hub agent") {
							t.Errorf("%s: %s", d.Cause, d.What)
						}
						return
					}
					if d.Cause.String() != "run-will-fail" && !strings.Contains(d.What.String(), "was changed") || !strings.HasPrefix(d.What.String(), tt.says) {
						t.Errorf("%s: %s", d.Cause, d.What)
					}
					// What continues the run has its effect before the run fails: a dialog warns.
					if warns := engine.Join(d.Warnings, " ").String(); d.Fails || !strings.Contains(warns, tt.says) || len(d.Evidence) == 0 || d.Evidence[0].Field.String() != "spec.policy" {
						t.Errorf("fails %v, warnings %q, evidence %v", d.Fails, warns, d.Evidence)
					}
					if d.Next.String() != step+tt.undo || d.Recovery != engine.RecoveryOnHub || !strings.Contains(d.RecoveryText.String(), "before the hub agent has handled the change") {
						t.Errorf("%s: %s (%s)", d.Cause, d.Next, d.RecoveryText)
					}
				})
			}
		}
	}
}
