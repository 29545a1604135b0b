package act

import (
	"slices"
	"strings"
	"testing"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/world"
)

// In the deletion stage stop and delete say what is deleted already, what continues and
// what stays; nothing is updated there.
func TestStopAndDeleteInTheDeletionStage(t *testing.T) {
	waiting := func(w *world.World, id engine.ID) { // no deletion has started
		run := w.Runs[id].DeepCopy()
		d := run.Status.DeletionStageStatus
		for i := range d.Clusters {
			d.Clusters[i].Conditions = nil
		}
		w.Runs[id] = run
	}
	for _, tt := range []struct {
		name, situation, now string
		change               func(w *world.World, id engine.ID)
		stop, stopWarn       []string
		remove, removeWarn   []string
	}{
		{
			name: "one of two deleted", situation: "removing",
			stop:   []string{"All clusters are updated; the run is in its deletion stage.", "The deletion of resources from 1 cluster continues: it has started and cannot be stopped.", "Resources are deleted from 1 cluster already; they are not restored."},
			remove: []string{"The run and its approval requests are deleted. Bindings are not changed.", "The deletion of resources from 1 cluster continues, but no run checks the result.", "Resources are deleted from 1 cluster already; they are not restored."}, removeWarn: []string{"The run is unfinished (RUNNING)."},
		},
		{
			name: "not started", situation: "removing", change: waiting,
			stop: []string{"All clusters are updated; the run is in its deletion stage.", "No new deletion starts: resources stay on 2 clusters that the placement no longer picks: old-1 and old-2."}, stopWarn: []string{"A run that is stopped before its deletion stage starts stays STOPPING until it is resumed."},
			remove: []string{"The run and its approval requests are deleted. Bindings are not changed.", "The resources stay on 2 clusters that the placement no longer picks: old-1 and old-2."}, removeWarn: []string{"The run is unfinished (RUNNING). Stop is reversible."},
		},
		{
			name: "stuck", situation: "removing-takes-long", change: func(w *world.World, _ engine.ID) { w.Settings.StuckAfter = 1 },
			stop: []string{"All clusters are updated; the run is in its deletion stage.", "The deletion of resources from 1 cluster continues: it has started and cannot be stopped.", "Resources are deleted from 1 cluster already; they are not restored."}, stopWarn: []string{"A stuck deletion keeps the run from stopping: it stays STUCK until the deletion finishes."},
			remove: []string{"The run and its approval requests are deleted. Bindings are not changed.", "The deletion of resources from 1 cluster continues, but no run checks the result.", "Resources are deleted from 1 cluster already; they are not restored."}, removeWarn: []string{"The run is unfinished (STUCK)."},
		},
	} {
		s, id, now := look(t, tt.situation, "", tt.change)
		for act, want := range map[engine.Act][2][]string{engine.ActStop: {tt.stop, tt.stopWarn}, engine.ActDelete: {tt.remove, tt.removeWarn}} {
			i, r := Propose(s, act, id, now)
			if r.Refused() {
				t.Fatalf("%s: %s", tt.name, r.Why)
			}
			if got := lines(i.Effect); !slices.Equal(got, want[0]) {
				t.Errorf("%s, act %d: effect\n%s\nwant\n%s", tt.name, act, strings.Join(got, "\n"), strings.Join(want[0], "\n"))
			}
			if got := lines(i.Warn); !slices.Equal(got, want[1]) {
				t.Errorf("%s, act %d: warnings\n%s\nwant\n%s", tt.name, act, strings.Join(got, "\n"), strings.Join(want[1], "\n"))
			}
		}
	}
}

func lines(all []engine.Text) []string {
	var out []string
	for _, x := range all {
		out = append(out, x.String())
	}
	return out
}
