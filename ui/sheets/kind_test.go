package sheets

import (
	"testing"

	enginepage "github.com/stagewatch/stagewatch/engine/page"
)

// TestOf finds the entry of a page by the type of its question, even when the
// names in the question are empty.
func TestOf(t *testing.T) {
	for _, q := range []enginepage.Question{enginepage.ClusterQuestion{}, enginepage.PlanQuestion{}, enginepage.NewRunQuestion{}, enginepage.DiagnosisQuestion{}} {
		k := Of(q)
		if k == nil {
			t.Errorf("%T has no page", q)
			continue
		}
		if !k.is(q) {
			t.Errorf("%T opens another page", q)
		}
	}
	if k := Of(enginepage.DryRunQuestion{}); k != nil {
		t.Error("a dry run is no page")
	}
}
