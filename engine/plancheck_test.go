package engine

import (
	"fmt"
	"slices"
	"testing"
)

func TestChecksOfAPlan(t *testing.T) {
	many := make([]PlanRefusal, 22)
	for i := range many {
		many[i] = PlanRefusal{Message: Textf("m%d", i), Final: true}
	}
	stages := []PlanStage{{Name: Lit("canary"), AtOnce: 1, Clusters: []PlanCluster{{Name: Lit("a")}}}}
	for _, tt := range []struct {
		name string
		plan Plan
		want []string // the first ones
		of   int
	}{
		{"a new snapshot in parts", Plan{Refusals: []PlanRefusal{{Message: Lit("parts"), Final: true, Hint: Lit("Create a second run.")}}}, []string{
			"failed the run fails initialization: parts (final)", "warning Create a second run.",
		}, 2},
		{"retried", Plan{Refusals: []PlanRefusal{{Message: Lit("old binding")}}}, []string{"failed the controller retries initialization: old binding (retried automatically)"}, 1},
		{"a version that is not preferred", Plan{Stages: stages, Warnings: []Text{Lit("retried for up to 30 s")}}, []string{
			"passed possible: 1 cluster in 1 stage", "passed it starts with a in stage canary", "warning retried for up to 30 s",
		}, 3},
		{"more than anybody reads", Plan{Refusals: many, Unknown: []PlanGap{{What: Lit("members"), Why: Lit("no")}}}, []string{
			"failed the run fails initialization, 1 of 22: m0 (final)", "failed 2 of 22: m1 (final)",
		}, 22},
		{"not read", Plan{Unknown: []PlanGap{{What: Lit("members"), Why: Lit("no")}, {What: Lit("bindings")}}}, []string{
			"unknown members not read, so reasons to fail may be missing: no",
		}, 1},
	} {
		var got []string
		for _, c := range tt.plan.Checks() {
			state := map[CheckState]string{CheckPassed: "passed", CheckFailed: "failed", CheckWarning: "warning", CheckUnknown: "unknown"}[c.State]
			got = append(got, fmt.Sprintf("%s %s", state, c.What))
		}
		if len(got) != tt.of || !slices.Equal(got[:min(len(got), len(tt.want))], tt.want) {
			t.Errorf("%s: %d checks: %q", tt.name, len(got), got)
		}
	}
}
