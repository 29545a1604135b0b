package objectjson

import (
	"fmt"
	"testing"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

// TestApplyStrategiesAreShared by the bindings of a placement, and bounded.
func TestApplyStrategiesAreShared(t *testing.T) {
	read := func(comparison string) *Binding {
		b, err := DecodeBinding(fmt.Appendf(nil, `{"spec":{"applyStrategy":{"comparisonOption":%q}}}`, comparison))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	if a, b := read("shared"), read("shared"); a.Spec.ApplyStrategy != b.Spec.ApplyStrategy {
		t.Error("two copies of one strategy")
	}
	for i := range 3 * mostKnown {
		read(fmt.Sprint(i))
	}
	applyStrategies.mu.Lock()
	defer applyStrategies.mu.Unlock()
	if n := len(applyStrategies.values); n > mostKnown {
		t.Errorf("%d strategies are kept", n)
	}
}

// TestUpdateStrategiesAreShared by the runs of a strategy.
func TestUpdateStrategiesAreShared(t *testing.T) {
	read := func(stage string) *placement.StagedUpdateRun {
		run, err := DecodeRun(fmt.Appendf(nil, `{"status":{"stagedUpdateStrategySnapshot":{"stages":[{"name":%q}]}}}`, stage))
		if err != nil {
			t.Fatal(err)
		}
		return run
	}
	a, b, c := read("shared"), read("shared"), read("other")
	if a.Status.StagedUpdateStrategySnapshot != b.Status.StagedUpdateStrategySnapshot {
		t.Error("two copies of one strategy")
	}
	if got := c.Status.StagedUpdateStrategySnapshot.Stages[0].Name; got != "other" {
		t.Errorf("the stage is %q", got)
	}
}
