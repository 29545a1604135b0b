package notify

import (
	"testing"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/ui/scene"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// TestEveryStateIsASentence reports a change to each state: the sentence says what the run does
// or needs, and names the state before as the list shows it.
func TestEveryStateIsASentence(t *testing.T) {
	id := engine.NewID(engine.KindClusterStagedUpdateRun, "", "zz1", "u")
	for _, tt := range []struct {
		to   state
		want string
	}{
		{state{word: engine.WordDeleting}, "zz1 is being deleted (was WAITING)"},
		{state{word: engine.WordDeleting, late: true}, "zz1 is being deleted, deletion overdue (was WAITING)"},
		{state{word: engine.WordInitFailed}, "zz1 failed initialization (was WAITING)"},
		{state{word: engine.WordPreempted}, "zz1 is preempted (was WAITING)"},
		{state{word: engine.WordFailed}, "zz1 failed (was WAITING)"},
		{state{word: engine.WordDone}, "zz1 is done (was WAITING)"},
		{state{word: engine.WordNotObserved}, "zz1 is not observed by the controller (was WAITING)"},
		{state{word: engine.WordPending}, "zz1 is pending (was WAITING)"},
		{state{word: engine.WordNotAccepted}, "zz1 needs approval again (was WAITING)"},
		{state{word: engine.WordStuck}, "zz1 is stuck (was WAITING)"},
		{state{word: engine.WordStopping}, "zz1 is stopping (was WAITING)"},
		{state{word: engine.WordStopped}, "zz1 is stopped (was WAITING)"},
		{state{word: engine.WordApproval}, "zz1 needs approval (was WAITING)"},
		{state{word: engine.WordWaiting, late: true}, "zz1 is waiting, next step overdue (was WAITING)"},
		{state{word: engine.WordReady}, "zz1 is ready to start (was WAITING)"},
		{state{word: engine.WordRunning}, "zz1 is running (was WAITING)"},
		{state{word: engine.WordNoRun}, "zz1 has no run (was WAITING)"},
		{state{word: engine.WordUnreadable}, "zz1 cannot be read (was WAITING)"},
	} {
		hub := &engine.Snapshot{Runs: []*engine.RunView{{ID: id, Word: engine.WordWaiting}}}
		n := New(t.Context(), &scene.Scene{Theme: theme.New(true, false, false), Snap: hub}, Means{}, nil, nil, true)
		n.Toggle(id)
		changed := &engine.Snapshot{Runs: []*engine.RunView{{ID: id, Word: tt.to.word, Late: tt.to.late}}}
		n.scene.Snap = changed
		news := n.compare(changed, map[engine.ID]state{})
		if len(news) != 1 || news[0].Text.String() != tt.want || news[0].Was.String() != "WAITING" {
			t.Errorf("%+v, want %q", news, tt.want)
		}
	}
}
