package page

import (
	"testing"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

// TestTheApplyStrategyIsNamed checks the words for how resources are applied: a value that says
// nothing alone has the field before it, and a field that is not set is left out.
func TestTheApplyStrategyIsNamed(t *testing.T) {
	for want, a := range map[string]placement.ApplyStrategy{
		"": {},
		"ServerSideApply, PartialComparison, whenToApply IfNotDrifted, whenToTakeOver Never": {
			Type: placement.ApplyServerSide, ComparisonOption: "PartialComparison", WhenToApply: "IfNotDrifted", WhenToTakeOver: "Never",
		},
		"whenToTakeOver IfNoDiff": {WhenToTakeOver: "IfNoDiff"},
	} {
		if got := applyWords(&a).String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
