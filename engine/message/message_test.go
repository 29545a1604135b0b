package message

import (
	"strings"
	"testing"
)

func TestPreemptedTexts(t *testing.T) {
	for _, in := range []string{
		"cannot continue the updateRun: failed to process the request due to a client error: the binding of the updating cluster `a` in the stage `b` is not up-to-date with the desired status, please check the status of binding `web-a` and see if there is a concurrent updateRun referencing the same placement and updating the same cluster",
		"the clusterResourceBinding of the updating cluster `a` in the stage `b` is not up-to-date with the desired status, please check the status of binding `web-a` and see if there is a concurrent clusterStagedUpdateRun",
		"the updating cluster `a` in the stage b does not match the cluster status: {}",
		"the binding of the updating cluster `a` in the stage `b` does not have expected status: binding spec diff: x; binding state (want Bound): Bound; binding RolloutStarted (want true): true, please check if there is concurrent run",
	} {
		if cluster, stage := PreemptedIn(in); !Preempted(in) || cluster != "a" || stage != "b" {
			t.Errorf("not read: %s", in)
		}
	}
}

func TestStuckTexts(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"one", "The updateRun is stuck waiting for a cluster(s) in stage b to finish updating, please check placement status for potential errors", "a"},
		{"three", "The updateRun is stuck waiting for a, b, c cluster(s) in stage d to finish updating, please check placement status for potential errors", "a b c"},
		{"more", "The updateRun is stuck waiting for a, b, c... cluster(s) in stage d to finish updating, please check placement status for potential errors", "a b c"},
		{"December 2025", "The updateRun is stuck waiting for cluster(s) a, b in stage d to finish updating, please check placement status for potential errors", "a b"},
		{"April 2025", "The updateRun is stuck waiting for cluster a in stage d to finish updating, please check crp status for potential errors", "a"},
		{"guides", "The updateRun is stuck waiting for 2 cluster(s) in stage d to finish updating, please check placement status for potential errors", ""},
		{"another text", "a cluster(s) in stage b", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := strings.Join(StuckNames(tt.in), " "); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestRolloutTexts(t *testing.T) {
	const begin = "Detected the new changes on the resources and started the rollout process"
	tests := []struct{ name, in, run, index string }{
		{"now", begin + ", resourceSnapshotIndex: 3, updateRun: r1", "r1", "3"},
		{"no index asked for", begin + ", resourceSnapshotIndex: , updateRun: r1", "r1", ""},
		{"2025", begin + ", resourceSnapshotIndex: 3, clusterStagedUpdateRun: r1", "r1", "3"},
		{"documents", begin + ", resourceSnapshotIndex: 3, stagedUpdateRun: r1", "r1", "3"},
		{"rolling update", begin, "", ""},
		{"another text", "started by hand, updateRun: r1", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if run, index := RolloutBy(tt.in); run != tt.run || index != tt.index {
				t.Errorf("got %q %q, want %q %q", run, index, tt.run, tt.index)
			}
		})
	}
}
