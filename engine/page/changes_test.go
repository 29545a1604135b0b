package page

import (
	"testing"

	"github.com/stagewatch/stagewatch/engine"
)

func TestChangesOf(t *testing.T) {
	place := engine.NewID(engine.KindClusterResourcePlacement, "", "shop", "")
	run := engine.NewID(engine.KindClusterStagedUpdateRun, "", "shop-r1", "")
	cluster := func(state engine.ClusterState, index engine.Text) engine.ClusterView {
		return engine.ClusterView{State: state, Index: index, Bound: true}
	}
	coming := cluster(engine.ClusterComing, engine.Lit("1"))
	for _, tt := range []struct {
		name     string
		index    engine.Text
		clusters []engine.ClusterView
		from, to int // 0, 0: nothing to compare
	}{
		{"the previous one", engine.Lit("3"), nil, 2, 3},
		{"that of a pending cluster", engine.Lit("3"), []engine.ClusterView{cluster(engine.ClusterDone, engine.Lit("3")), coming}, 1, 3},
		{"a rollback", engine.Lit("1"), []engine.ClusterView{cluster(engine.ClusterComing, engine.Lit("4"))}, 4, 1},
		{"a pending cluster with the snapshot of the run", engine.Lit("1"), []engine.ClusterView{coming}, 0, 1},
		{"the first", engine.Lit("0"), []engine.ClusterView{coming}, 0, 0},
		{"no snapshot yet", engine.Text{}, nil, 0, 0},
	} {
		v := &engine.RunView{ID: run, Placement: place, Index: tt.index}
		q, ok := ChangesOf(v, &engine.Detail{Run: v, Clusters: [][]engine.ClusterView{tt.clusters}})
		if ok != (tt.to > 0) || q.From != tt.from || q.To != tt.to || ok && q.Placement != place {
			t.Errorf("%s: got %+v, %v, want %d to %d", tt.name, q, ok, tt.from, tt.to)
		}
	}
}
