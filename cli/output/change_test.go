package output

import (
	"strings"
	"testing"

	"github.com/stagewatch/stagewatch/engine"
)

// TestOnlyRunsAreNamed checks that changes with -o name name runs, as the list does: the row of a
// placement without a run has no name that a command takes.
func TestOnlyRunsAreNamed(t *testing.T) {
	run := &engine.RunView{ID: engine.NewID(engine.KindClusterStagedUpdateRun, "", "web-r4", "u"), Word: engine.WordRunning}
	bare := &engine.RunView{ID: engine.NewID(engine.KindClusterResourcePlacement, "", "billing", "u"), Word: engine.WordNoRun}
	s := &engine.Snapshot{Runs: []*engine.RunView{run, bare}}
	var changes, list strings.Builder
	l := &Lines{W: &changes, Form: Name}
	for _, v := range s.Runs {
		if err := l.Write(s, v, "added"); err != nil {
			t.Fatal(err)
		}
	}
	if err := WriteList(&list, s, l.Scope, s.Runs, nil, Name, false); err != nil {
		t.Fatal(err)
	}
	if changes.String() != list.String() || strings.Count(list.String(), "\n") != 1 {
		t.Errorf("changes name %q, the list %q", changes.String(), list.String())
	}
}
