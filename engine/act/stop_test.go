package act

import (
	"strings"
	"testing"
	"time"

	"github.com/stagewatch/stagewatch/engine"
)

// A stop does not wait for a cluster that the controller has not started because its
// binding fails.
func TestStopOfARunThatIsStartBlocked(t *testing.T) {
	for _, tt := range []struct {
		name                  string
		updating, stuck, held int
		want, warns           string
	}{
		{"blocked only", 1, 0, 1, "No new cluster is started.\n1 cluster is not started because the resources already fail; the run does not wait.\nNo cluster is updating, so the run stops immediately.", ""},
		{"blocked beyond the threshold", 0, 1, 1, "No new cluster is started.\n1 cluster is not started because the resources already fail; the run does not wait.\nNo cluster is updating, so the run stops immediately.", ""},
		{"beside one that was started", 2, 0, 1, "No new cluster is started.\n1 cluster is not started because the resources already fail; the run does not wait.\n1 cluster in progress finishes first; nothing is rolled back.", ""},
		{"stuck", 0, 1, 0, "No new cluster is started.\nThe run stops when its stuck cluster has finished; nothing is rolled back.", "A stuck cluster keeps the run from stopping: it stays STUCK until that cluster finishes."},
	} {
		v := &engine.RunView{Updating: tt.updating, Stuck: tt.stuck, Stages: []engine.StageView{{Name: engine.Lit("dev"), State: engine.StageUpdating, Updating: tt.updating, Stuck: tt.stuck, StartBlocked: tt.held}}}
		if got := engine.Join(stopEffect(v), "\n").String(); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
		if got := engine.Join(stopWarnings(v), "\n").String(); got != tt.warns {
			t.Errorf("%s: warns %q, want %q", tt.name, got, tt.warns)
		}
	}
}

// A stop waits for the clusters that another run has preempted, too, and the run does not fail
// for them before it is resumed.
func TestStopOfAPreemptedRun(t *testing.T) {
	v := &engine.RunView{Word: engine.WordPreempted, Preempted: 1, Stages: []engine.StageView{{Total: 1, Preempted: 1}}}
	want := "No new cluster is started.\nThe run stops when every started cluster has finished, also the 1 preempted one. It does not fail for the preemption before it is resumed."
	if got := engine.Join(stopEffect(v), "\n").String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestDialogsOfARunThatFails checks that nothing is promised for after a resume, or undone by a
// stop, that never comes.
func TestDialogsOfARunThatFails(t *testing.T) {
	for _, fails := range []bool{false, true} {
		s, id, at := look(t, "approval-before", "", nil)
		s.Find(id).Why.Fails = fails
		stop, _ := Propose(s, engine.ActStop, id, at)
		approve, _ := Propose(s, engine.ActApprove, id, at)
		if got := strings.Contains(engine.Join(stop.Warn, " ").String(), "takes effect when it is resumed"); got == fails {
			t.Errorf("fails %t: stop warns %q", fails, stop.Warn)
		}
		if got := approve.Undo.String() == "An approval cannot be undone."; got != fails {
			t.Errorf("fails %t: undo of an approval %q", fails, approve.Undo)
		}
	}
}

// A run that the controller fails at its next check waits for no stuck cluster, and is not resumed.
func TestStopOfARunThatFails(t *testing.T) {
	v := &engine.RunView{
		Word: engine.WordStuck, State: engine.Lit("Run"), Stuck: 1, Started: time.Unix(1, 0),
		Stages: []engine.StageView{{Name: engine.Lit("dev"), State: engine.StageStuck, Total: 1, Stuck: 1}},
	}
	for fails, undo := range map[bool]string{false: "Resume the run: it continues where it stopped.", true: "A run that has failed cannot be resumed."} {
		v.Why.Fails = fails
		i, no := proposeStop(&engine.Snapshot{Runs: []*engine.RunView{v}}, v)
		if warns := engine.Join(i.Warn, "\n").String(); no.Refused() || strings.Contains(warns, "keeps the run from stopping") == fails || i.Undo.String() != undo {
			t.Errorf("fails %v: %s, warns %q, undo %q", fails, no.Why, warns, i.Undo)
		}
	}
}
