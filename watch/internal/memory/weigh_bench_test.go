package memory

import (
	"fmt"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
)

// BenchmarkWeigh weighs a run of a thousand clusters.
func BenchmarkWeigh(b *testing.B) {
	run := &placement.StagedUpdateRun{}
	stage := placement.StageStatus{StageName: "all"}
	for i := range 1000 {
		stage.Clusters = append(stage.Clusters, placement.ClusterStatus{ClusterName: fmt.Sprint("cluster-", i), Conditions: []metav1.Condition{{Type: "Started", Reason: "ClusterUpdatingStarted"}, {Type: "Succeeded", Reason: "ClusterUpdatingSucceeded"}}})
	}
	run.Status.StagesStatus = []placement.StageStatus{stage}
	id := engine.NewID(engine.KindClusterStagedUpdateRun, "", "web", "u")
	var s Scale
	b.ReportMetric(float64(s.Weigh(id, run, 0)), "weight")
	for b.Loop() {
		s.Weigh(id, run, 0)
	}
}
