package cli

import (
	"testing"
	"time"

	"github.com/stagewatch/stagewatch/engine"
)

// Every act on a run that has begun reads its bindings first: the list alone may call a run stuck
// that another one has preempted. A clone of a run that is done reads it again only if nothing but its row is known.
func TestActsReadTheBindings(t *testing.T) {
	v := &engine.RunView{ID: engine.NewID(engine.KindClusterStagedUpdateRun, "", "web-r1", "u"), Word: engine.WordStuck, Started: time.Unix(1, 0)}
	ready := &engine.RunView{ID: v.ID, Word: engine.WordReady}
	if (&actOptions{act: engine.ActRun}).looksAt(ready) == nil {
		t.Error("the start of a run does not read which clusters it moves back")
	}
	done := &engine.RunView{ID: v.ID, Word: engine.WordDone, Terminal: true}
	if (&actOptions{act: engine.ActClone}).looksAt(done) != nil {
		t.Error("a clone of a run that is done, and was read, reads it again")
	}
	if done.RowOnly = true; (&actOptions{act: engine.ActClone}).looksAt(done) == nil {
		t.Error("a clone of a run of which only the row was read does not read the run")
	}
	for _, act := range []engine.Act{engine.ActRun, engine.ActStop, engine.ActApprove, engine.ActDelete, engine.ActClone} {
		if (&actOptions{act: act}).looksAt(v) == nil {
			t.Errorf("act %v does not read the bindings", act)
		}
	}
}
