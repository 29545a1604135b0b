package recheck_test

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine/recheck"
)

// A pass that starts a cluster while another one updates may have met its errors; one that
// starts it when the others have finished has not.
func TestSince(t *testing.T) {
	zero := time.Date(2026, 11, 24, 10, 0, 0, 0, time.UTC)
	const open = -1
	for name, tt := range map[string]struct {
		updates [][2]int // start and end of each cluster, in seconds; open: it still updates
		want    int
	}{
		"none has started":         {nil, open},
		"one":                      {[][2]int{{0, open}}, 0},
		"one after the other":      {[][2]int{{0, 100}, {100, 260}, {260, open}}, 260},
		"within the same pass":     {[][2]int{{0, 100}, {101, open}}, 101},
		"two at a time":            {[][2]int{{0, 100}, {0, 160}, {100, 260}, {160, open}}, 0},
		"both finished together":   {[][2]int{{0, 100}, {0, 100}, {100, open}, {100, open}}, 100},
		"a slow one goes on":       {[][2]int{{0, open}, {0, 100}, {100, 200}, {200, open}}, 0},
		"not in the order of time": {[][2]int{{100, open}, {0, 100}}, 100},
		"all have finished":        {[][2]int{{0, 100}, {100, 200}}, 100},
	} {
		stage := &placement.StageStatus{}
		for _, u := range tt.updates {
			at := func(s int) metav1.Time { return metav1.NewTime(zero.Add(time.Duration(s) * time.Second)) }
			c := placement.ClusterStatus{Conditions: []metav1.Condition{{Type: placement.ClusterStarted, Status: metav1.ConditionTrue, LastTransitionTime: at(u[0])}}}
			if u[1] != open {
				c.Conditions = append(c.Conditions, metav1.Condition{Type: placement.ClusterSucceeded, Status: metav1.ConditionTrue, LastTransitionTime: at(u[1])})
			}
			stage.Clusters = append(stage.Clusters, c)
		}
		stage.Clusters = append(stage.Clusters, placement.ClusterStatus{}) // one that has not started
		want := time.Time{}
		if tt.want != open {
			want = zero.Add(time.Duration(tt.want) * time.Second)
		}
		if got := recheck.Since(stage); !got.Equal(want) {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}
