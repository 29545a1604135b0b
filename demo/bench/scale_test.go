package bench

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

// A run of a hub of a size updates one cluster at a time, since the moment at which that one was
// started, however long the hub runs.
func TestProgressOfAScale(t *testing.T) {
	t.Parallel()
	began := time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)
	s := &seeder{size: Size{Runs: 2, Clusters: 30}, now: began}
	now := began.Add(10 * time.Minute)
	run := s.progress(0, 5, now)
	updating := 0
	for i, c := range run.Status.StagesStatus[0].Clusters {
		started, done := meta.FindStatusCondition(c.Conditions, placement.ClusterStarted), meta.IsStatusConditionTrue(c.Conditions, placement.ClusterSucceeded)
		if started != nil && !done {
			if updating++; !started.LastTransitionTime.Time.Equal(now) {
				t.Errorf("cluster %d is updated since %v", i, started.LastTransitionTime)
			}
		}
		if done != (i < 5) {
			t.Errorf("cluster %d is done: %v", i, done)
		}
	}
	if updating != 1 || !run.CreationTimestamp.Time.Equal(began.Add(-time.Minute)) {
		t.Errorf("%d clusters are updated, created %v", updating, run.CreationTimestamp)
	}
}
