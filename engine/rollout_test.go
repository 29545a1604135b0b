package engine

import (
	"testing"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

// Two runs give a cluster the same when snapshot, overrides and apply strategy are equal.
func TestSameRollout(t *testing.T) {
	run := func(index string, apply placement.WhenToApply) *placement.UpdateRunStatus {
		return &placement.UpdateRunStatus{ResourceSnapshotIndexUsed: index, AppliedStrategy: &placement.ApplyStrategy{WhenToApply: apply}}
	}
	cluster := func(overrides ...string) *placement.ClusterStatus {
		return &placement.ClusterStatus{ClusterResourceOverrideSnapshots: overrides}
	}
	a := run("3", placement.ApplyAlways)
	for _, tt := range []struct {
		name   string
		b      *placement.UpdateRunStatus
		in, on *placement.ClusterStatus
		want   bool
	}{
		{"all is equal", run("3", placement.ApplyAlways), cluster("o-1"), cluster("o-1"), true},
		{"whatever the cluster", run("3", placement.ApplyAlways), nil, nil, true},
		{"another snapshot", run("4", placement.ApplyAlways), nil, nil, false},
		{"another apply strategy", run("3", placement.ApplyIfNotDrifted), nil, nil, false},
		{"other overrides", run("3", placement.ApplyAlways), cluster("o-1"), cluster("o-2"), false},
		{"no apply strategy recorded", &placement.UpdateRunStatus{ResourceSnapshotIndexUsed: "3"}, nil, nil, true},
	} {
		if got := SameRollout(a, tt.in, tt.b, tt.on); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
	if SameRollout(run("", placement.ApplyAlways), nil, run("", placement.ApplyAlways), nil) {
		t.Error("runs without a snapshot are equal")
	}
}

// The page of a placement calls the conditions of an updating cluster foreign exactly when
// the row does: when the binding is not in sync with the run.
func TestForeignToFollowsTheBinding(t *testing.T) {
	b := &placement.ResourceBinding{}
	b.Spec.TargetCluster, b.Spec.ResourceSnapshotName = "a", "web-3-snapshot"
	for _, synced := range []bool{true, false} {
		v := &RunView{ID: NewID(KindStagedUpdateRun, "shop", "r1", "u"), Index: Lit("3"), Stages: make([]StageView, 1)}
		s := &Snapshot{Detail: &Detail{Run: v, Clusters: [][]ClusterView{{{Name: Lit("a"), State: ClusterUpdating, Bound: true, InSync: synced}}}}}
		if foreign := ForeignTo(b, v, s); foreign.IsZero() != synced {
			t.Errorf("in sync %v: foreign %q", synced, foreign)
		}
	}
}
