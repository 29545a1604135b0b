package objectjson

import (
	"fmt"
	"strings"
	"testing"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

// TestApplyStrategiesAreShared: the bindings of a placement have one strategy, and a bounded number of
// strategies is kept.
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
	for i := range 3 * maxCached {
		read(fmt.Sprint(i))
	}
	if n := len(applyStrategies.values); n > maxCached {
		t.Errorf("%d strategies are kept", n)
	}
	long := strings.Repeat("x", maxCachedBytes)
	if a, b := read(long), read(long); a.Spec.ApplyStrategy == b.Spec.ApplyStrategy {
		t.Error("a long strategy is kept")
	}
}

// TestUpdateStrategiesAreShared: the runs of a strategy have one copy of it.
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
