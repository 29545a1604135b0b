package applystrategy

import (
	"cmp"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
)

// Cures is what the present apply strategy of a placement has, and that of a run has not, when that
// removes the cause of a manifest that fails: a new run uses the present one. Empty when it does not.
func Cures(cause engine.Cause, was, now *placement.ApplyStrategy) engine.Text {
	if was == nil {
		return engine.Text{}
	}
	if now == nil {
		now = &placement.ApplyStrategy{}
	}
	switch cause.String() {
	case "drift-blocks-apply":
		if cmp.Or(now.WhenToApply, placement.ApplyAlways) == placement.ApplyAlways && was.WhenToApply == placement.ApplyIfNotDrifted {
			return engine.Lit("whenToApply Always")
		}
	case "not-taken-over", "takeover-blocked-by-differences":
		if cmp.Or(now.WhenToTakeOver, placement.TakeOverAlways) == placement.TakeOverAlways && cmp.Or(was.WhenToTakeOver, placement.TakeOverAlways) != placement.TakeOverAlways {
			return engine.Lit("whenToTakeOver Always")
		}
	case "field-conflict":
		if forces(now) && !forces(was) {
			return engine.Lit("serverSideApplyConfig.force true")
		}
	case "diff-failed":
		if now.ComparisonOption == placement.CompareFull && was.ComparisonOption != placement.CompareFull {
			return engine.Lit("comparisonOption FullComparison")
		}
	case "owned-by-others":
		if now.AllowCoOwnership && !was.AllowCoOwnership {
			return engine.Lit("allowCoOwnership true")
		}
	}
	return engine.Text{}
}

// forces reports whether server-side apply takes fields over from other managers.
func forces(a *placement.ApplyStrategy) bool {
	return a.ServerSideApplyConfig != nil && a.ServerSideApplyConfig.Force
}
