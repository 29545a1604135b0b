package applystrategy_test

import (
	"testing"

	"github.com/stagewatch/stagewatch/engine/applystrategy"
)

// A message says which fields differ, the same each time it is made; others stay as they are.
func TestReadable(t *testing.T) {
	const before = "cannot continue the updateRun: the applyStrategy in the updateRun is outdated"
	for message, want := range map[string]string{
		before + ", latest: &{PartialComparison Always ClientSideApply true <nil> Always}, recorded: &{FullComparison Always ClientSideApply false <nil> Always}":                   before + ": comparisonOption PartialComparison (was FullComparison); allowCoOwnership true (was false)",
		before + ", latest: &{PartialComparison Always ServerSideApply false 0xc000123450 Always}, recorded: &{PartialComparison Always ServerSideApply false <nil> Always}":        before + ": serverSideApplyConfig set (was not set)",
		before + ", latest: &{PartialComparison Always ServerSideApply false 0xc000123450 Always}, recorded: &{PartialComparison Always ServerSideApply false 0xc000999990 Always}": before,
		before + ", latest: <nil>, recorded: &{PartialComparison Always ClientSideApply false <nil> Always}":                                                                        before,
		before: before,
		"the policy snapshot index used in the updateRun is outdated, latest: 1, recorded: 0": "the policy snapshot index used in the updateRun is outdated, latest: 1, recorded: 0",
	} {
		if got := applystrategy.Readable(message); got != want {
			t.Errorf("%q\nis %q\nwant %q", message, got, want)
		}
	}
}
