package applystrategy

import (
	"testing"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
)

// Only the partial comparison has a degraded mode.
func TestAFullComparisonReportsDifferences(t *testing.T) {
	cause, full := engine.Cause("diff-failed"), &placement.ApplyStrategy{ComparisonOption: placement.CompareFull}
	if got := Cures(cause, &placement.ApplyStrategy{}, full).String(); got != "comparisonOption FullComparison" {
		t.Errorf("got %q", got)
	}
	if got := Cures(cause, full, full); !got.IsZero() {
		t.Errorf("unchanged: %q", got)
	}
}
