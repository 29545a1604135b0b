package triage

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/observe"
	"github.com/stagewatch/stagewatch/engine/world"
)

// A person who changes the apply strategy as a step says ends the run on purpose: a new run removes
// the cause, and neither the cluster nor the strategy is to be repaired before it.
func TestTheApplyStrategyRemovesTheCause(t *testing.T) {
	for _, tt := range []struct {
		cause, reason, message string
		was, now               placement.ApplyStrategy
		cure                   string
	}{
		{"drift-blocks-apply", "FoundDrifts", "drifts are found between the manifest and the object", placement.ApplyStrategy{WhenToApply: placement.ApplyIfNotDrifted}, placement.ApplyStrategy{WhenToApply: placement.ApplyAlways}, "whenToApply Always"},
		{"not-taken-over", "NotTakenOver", "takeover is needed", placement.ApplyStrategy{WhenToTakeOver: placement.TakeOverNever}, placement.ApplyStrategy{}, "whenToTakeOver Always"},
		{"takeover-blocked-by-differences", "FailedToTakeOver", "configuration differences are found between the manifest object and the object", placement.ApplyStrategy{WhenToTakeOver: placement.TakeOverIfNoDiff}, placement.ApplyStrategy{}, "whenToTakeOver Always"},
		{"field-conflict", "ManifestApplyFailed", `failed to apply the manifest: Apply failed with 1 conflict: conflict with "kubectl-edit" using apps/v1: .spec.replicas`, placement.ApplyStrategy{Type: placement.ApplyServerSide}, placement.ApplyStrategy{Type: placement.ApplyServerSide, ServerSideApplyConfig: &placement.ServerSideApplyConfig{Force: true}}, "serverSideApplyConfig.force true"},
		{"owned-by-others", "FailedToTakeOver", "already owned by some other source(s)", placement.ApplyStrategy{}, placement.ApplyStrategy{AllowCoOwnership: true}, "allowCoOwnership true"},
		{"drift-blocks-apply", "FoundDrifts", "drifts are found between the manifest and the object", placement.ApplyStrategy{WhenToApply: placement.ApplyIfNotDrifted}, placement.ApplyStrategy{WhenToApply: placement.ApplyIfNotDrifted, AllowCoOwnership: true}, ""},
		{"drift-blocks-apply", "FoundDriftsInDegradedMode", "drifts are found between the manifest and the object in degraded mode", placement.ApplyStrategy{WhenToApply: placement.ApplyIfNotDrifted}, placement.ApplyStrategy{WhenToApply: placement.ApplyAlways}, ""},
	} {
		for _, failed := range []bool{false, true} {
			for scope, ns := range scopes {
				s := load(t, "../internal/situation/testdata", 50)["stuck-with-binding"]
				s.surrounded(t)
				s.rolling(t)
				s.Run.Status.AppliedStrategy, s.Nearby.Apply = &tt.was, &tt.now
				for i := range s.Bindings {
					b := &s.Bindings[i]
					b.SnapshotName = "shop-3-snapshot"
					for j := range b.Failed {
						b.Failed[j].Condition = metav1.Condition{Type: placement.BindingApplied, Status: metav1.ConditionFalse, Reason: tt.reason, Message: tt.message}
					}
				}
				if failed {
					failedBy(&s, "cannot continue the updateRun: failed to process the request due to a client error: the applyStrategy in the updateRun is outdated, latest: x, recorded: y")
				}
				w, id := s.world(t, ns)
				snap, _ := observe.Observe(nil, w, world.Changed{}, moment(t, s.Now))
				d := snap.Find(id).Why
				steps, cured := engine.Join(d.Steps, "\n").String(), tt.cure != ""
				if says := strings.Contains(d.What.String()+steps, "the placement has "+tt.cure); says != cured {
					t.Errorf("%s, %s, failed %v: %s\n%s", tt.cause, scope, failed, d.What, steps)
				}
				if cured && (d.Recovery != engine.RecoveryByNewRun || !d.LeftFailing.IsZero() || !strings.HasPrefix(d.Next.String(), "Create a new run (stagewatch clone)") || strings.Contains(steps, "Set the apply strategy") || strings.Contains(steps, "To keep the old value") || strings.Contains(steps, "First fix")) {
					t.Errorf("%s, %s, failed %v: %s\n%s", tt.cause, scope, failed, d.Recovery, steps)
				}
			}
		}
	}
}
