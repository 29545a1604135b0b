package triage

import (
	"fmt"
	"testing"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine/observe"
	"github.com/stagewatch/stagewatch/engine/world"
)

// One event of an opened run that waits for an approval, with 1,000 clusters: its diagnosis
// makes the run's plan, once for its row and its detail.
func BenchmarkOpenedRun(b *testing.B) {
	s := load(b, "../internal/situation/testdata", 50)["approval-before"]
	s.surrounded(b)
	stage := &s.Run.Status.StagesStatus[1]
	for i := range 1000 {
		name := fmt.Sprintf("more-%04d", i)
		stage.Clusters = append(stage.Clusters, placement.ClusterStatus{ClusterName: name})
		s.Bindings = append(s.Bindings, bindingData{Cluster: name, State: "Bound", PolicyName: "shop-0", SnapshotName: "shop-2-snapshot"})
		s.Members = append(s.Members, memberData{Name: name, Labels: map[string]string{"ring": "prod"}})
	}
	w, id := s.world(b, "")
	w.Focus.Run = id
	at := moment(b, s.Now)
	snap, _ := observe.Observe(nil, w, world.Changed{}, at)
	b.ReportAllocs()
	for b.Loop() {
		snap, _ = observe.Observe(snap, w, world.Changed{All: true}, at)
	}
	if snap.Detail == nil {
		b.Fatal("no run is open")
	}
}
