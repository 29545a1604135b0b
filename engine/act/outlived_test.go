package act

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/internal/situation"
	"github.com/stagewatch/stagewatch/engine/observe"
	"github.com/stagewatch/stagewatch/engine/world"
)

// TestOutlivedApproval checks that a new run whose name an approved request was left for is
// warned of, and that no such name is proposed.
func TestOutlivedApproval(t *testing.T) {
	for _, ns := range []string{"", "team-a"} {
		run, place, request := engine.KindClusterStagedUpdateRun, engine.KindClusterResourcePlacement, engine.KindClusterApprovalRequest
		if ns != "" {
			run, place, request = engine.KindStagedUpdateRun, engine.KindResourcePlacement, engine.KindApprovalRequest
		}
		for _, tt := range []struct {
			name       string
			conditions []metav1.Condition
			change     func(*world.World, *placement.ApprovalRequest)
			warned     bool
		}{
			{name: "approved", conditions: []metav1.Condition{{Type: "Approved", Status: "True", ObservedGeneration: 1}}, warned: true},
			{name: "accepted", conditions: []metav1.Condition{{Type: "Approved", Status: "False", ObservedGeneration: 1}, {Type: "ApprovalAccepted", Status: "True", ObservedGeneration: 1}}, warned: true},
			{name: "open"},
			{name: "not accepted", conditions: []metav1.Condition{{Type: "Approved", Status: "True"}}},
			{name: "of a run that exists", conditions: []metav1.Condition{{Type: "Approved", Status: "True", ObservedGeneration: 1}}, change: func(w *world.World, _ *placement.ApprovalRequest) {
				situation.Small(w, run, ns, "web-r2", "web")
			}},
			{name: "of no gate", conditions: []metav1.Condition{{Type: "Approved", Status: "True", ObservedGeneration: 1}}, change: func(_ *world.World, a *placement.ApprovalRequest) {
				a.Spec.TargetStage = "canary"
			}},
			{name: "goes", conditions: []metav1.Condition{{Type: "Approved", Status: "True", ObservedGeneration: 1}}, change: func(_ *world.World, a *placement.ApprovalRequest) {
				a.DeletionTimestamp = &metav1.Time{Time: time.Unix(1500, 0)}
			}},
			{name: "runs not read", conditions: []metav1.Condition{{Type: "Approved", Status: "True", ObservedGeneration: 1}}, change: func(w *world.World, _ *placement.ApprovalRequest) {
				situation.CoverAll(w, "", engine.CoverLoading, run)
			}},
		} {
			t.Run(tt.name+"/"+ns, func(t *testing.T) {
				w := world.NewWorld(engine.Settings{ClusterRuns: true, NamespacedRuns: true})
				situation.CoverAll(w, "", engine.CoverComplete, engine.KindClusterStagedUpdateRun, engine.KindStagedUpdateRun, place, request)
				first := situation.Small(w, run, ns, "web-r1", "web")
				before, _ := observe.Observe(nil, w, world.Changed{}, time.Unix(2000, 0))
				a := &placement.ApprovalRequest{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "web-r2-before-prod", Generation: 1}}
				a.Spec.ParentStageRollout, a.Spec.TargetStage, a.Status.Conditions = "web-r2", "prod", tt.conditions
				w.Approvals[engine.NewID(request, ns, a.Name, "r")] = a
				if tt.change != nil {
					tt.change(w, a)
				}
				s, _ := observe.Observe(before, w, world.Changed{Requests: true}, time.Unix(2000, 0))
				s, _ = observe.Observe(s, w, world.Changed{}, time.Unix(2001, 0)) // kept where nothing moved
				s.WritesOff = engine.Text{}
				chosen, r := ProposeClone(s, first, Choice{Name: engine.Lit("web-r2"), Strategy: engine.Lit("slow")})
				const warning = "Approval request web-r2-before-prod exists and is approved, although no run is called web-r2. The new run uses it: stage prod needs no other approval."
				if got := strings.Contains(engine.Join(chosen.Warn, "\n").String(), warning); got != tt.warned {
					t.Errorf("warned: %v, want %v: %v, refused: %v", got, tt.warned, chosen.Warn, r.Why)
				}
				free, _ := ProposeClone(s, first, Choice{Strategy: engine.Lit("slow")})
				if name, _, _, _, _ := free.Create(); (name == "web-r3") != (tt.warned || r.Refused()) {
					t.Errorf("proposes %s", name)
				}
			})
		}
	}
}
