package output

import (
	"testing"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/watch"
)

// What a run has not started when it ends is "not started" in JSON, as on the screen, and not pending.
func TestNothingIsPendingInARunThatHasEnded(t *testing.T) {
	for _, ended := range []bool{false, true} {
		want := "pending"
		if ended {
			want = "not-started"
		}
		v := &engine.RunView{
			ID: engine.NewID(engine.KindClusterStagedUpdateRun, "", "web-r4", "u"), Word: engine.WordFailed, Terminal: ended,
			Stages: []engine.StageView{{Name: engine.Lit("prod"), Total: 1}},
		}
		c := engine.ClusterView{Name: engine.Lit("prod-1"), Diagnosis: engine.Diagnosis{What: engine.Lit("The cluster is pending.")}}
		s := &engine.Snapshot{At: time.Unix(1e9, 0), Runs: []*engine.RunView{v}}
		d := ExplainDocumentOf(&watch.Explained{Snapshot: s, Run: v, Detail: &engine.Detail{Clusters: [][]engine.ClusterView{{c}}}})
		if d.Run.Stages[0].State != want || d.Clusters[0].State != want {
			t.Errorf("ended %v: stage %s, cluster %s, want %s", ended, d.Run.Stages[0].State, d.Clusters[0].State, want)
		}
	}
}
