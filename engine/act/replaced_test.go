package act

import (
	"strings"
	"testing"
	"time"

	"github.com/stagewatch/stagewatch/engine"
)

// The dialogs that continue a run warn of done clusters that another run has updated
// since, and of pending clusters that the run moves back.
func TestWarningsOfReplacedAndMovedBackClusters(t *testing.T) {
	v := &engine.RunView{Word: engine.WordApproval, Index: engine.Lit("3"), Done: 5, Total: 9, Replaced: 2, ReplacedBy: engine.NewID(engine.KindStagedUpdateRun, "shop", "r2", "u")}
	v.Stages = []engine.StageView{{Back: []engine.Text{engine.Lit("a"), engine.Lit("b"), engine.Lit("c")}, BackMore: 4}, {Back: []engine.Text{engine.Lit("d")}}}
	for name, warnings := range map[string][]engine.Text{"approve": ApproveWarnings(&engine.Snapshot{}, v), "run": runWarnings(&engine.Snapshot{}, v)} {
		all := engine.Join(warnings, "\n").String()
		for _, want := range []string{
			"The run moves 8 pending clusters back to the older snapshot 3: a, b, c and 5 more.",
			"Clusters: 5 of 9 done, 2 of them updated by r2 since. This run does not update these again.",
		} {
			if !strings.Contains(all, want) {
				t.Errorf("%s: %q lacks %q", name, all, want)
			}
		}
	}
}

// The dialog that resumes a run names the run that holds a cluster, and says what may have
// happened when none is known: a person may have changed the binding.
func TestResumeWarnsOfHeldClusters(t *testing.T) {
	other := engine.NewID(engine.KindStagedUpdateRun, "shop", "r2", "u2")
	for _, tt := range []struct {
		name string
		v    engine.RunView
		want string
	}{
		{
			"stopping, a run",
			engine.RunView{Word: engine.WordStopped, StopWanted: true, Held: 1, PreemptedBy: other},
			"Run shop/r2 holds a cluster that is still updating: this run fails when it resumes, unless that cluster finishes first.",
		},
		{
			"stopping, nobody is named",
			engine.RunView{Word: engine.WordStopped, StopWanted: true, Held: 1},
			"The binding of a cluster that is still updating was changed, by another run or by hand: this run fails when it resumes, unless that cluster finishes first.",
		},
		{"stopping, finished since", engine.RunView{Word: engine.WordStopped, StopWanted: true, PreemptedBy: other}, ""},
		{"preempted by a run", engine.RunView{Word: engine.WordPreempted, Preempted: 1, PreemptedBy: other}, "Run shop/r2 preempted this run on a cluster: this run fails when it resumes."},
		{"preempted, nobody is named", engine.RunView{Word: engine.WordPreempted, Preempted: 1}, "The binding of a cluster was changed, by another run or by hand: this run fails when it resumes."},
	} {
		if got := engine.Join(runWarnings(&engine.Snapshot{}, &tt.v), "\n").String(); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// A run of the same snapshot competes when overrides or apply strategy differ.
func TestRivalsOfTheSameSnapshot(t *testing.T) {
	place := engine.NewID(engine.KindResourcePlacement, "shop", "web", "")
	other := &engine.RunView{ID: engine.NewID(engine.KindStagedUpdateRun, "shop", "r2", "u2"), Word: engine.WordRunning, State: engine.Lit("Run"), Index: engine.Lit("3"), Placement: place}
	v := &engine.RunView{ID: engine.NewID(engine.KindStagedUpdateRun, "shop", "r1", "u1"), Word: engine.WordApproval, Index: engine.Lit("3"), Placement: place}
	s := &engine.Snapshot{Runs: []*engine.RunView{v, other}}
	if got := ApproveWarnings(s, v); len(got) != 0 {
		t.Errorf("warned of a run that gives the same: %q", got)
	}
	v.Competes = []engine.ID{other.ID}
	for name, got := range map[string][]engine.Text{"approve": ApproveWarnings(s, v), "run": runWarnings(s, v)} {
		if len(got) != 1 || !strings.Contains(got[0].String(), "r2 (RUNNING) of this placement has snapshot 3 too, with other overrides or another apply strategy") {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// A run that was created later and has finished may be undone: the dialogs that continue the
// older one say so.
func TestWarningsOfALaterRun(t *testing.T) {
	place, began := engine.NewID(engine.KindResourcePlacement, "shop", "web", ""), time.Unix(0, 0)
	v := &engine.RunView{ID: engine.NewID(engine.KindStagedUpdateRun, "shop", "r1", "u1"), Word: engine.WordStopped, Index: engine.Lit("9"), Placement: place, Created: began}
	later := &engine.RunView{ID: engine.NewID(engine.KindStagedUpdateRun, "shop", "r2", "u2"), Word: engine.WordDone, Terminal: true, Index: engine.Lit("8"), Placement: place, Created: began.Add(time.Minute)}
	for _, tt := range []struct {
		index   string
		created time.Duration
		want    string
	}{
		{"", time.Minute, "Run shop/r2, created later, has finished with snapshot unknown: this run gives its pending clusters snapshot 9."},
		{"8", time.Minute, "Run shop/r2, created later, has finished with snapshot 8: this run gives its pending clusters snapshot 9."},
		{"9", time.Minute, "Run shop/r2, created later, has finished with snapshot 9, too: check that this run still changes anything."},
		{"8", -time.Minute, ""},
	} {
		later.Index, later.Created = engine.Clean(tt.index), began.Add(tt.created)
		s := &engine.Snapshot{Runs: []*engine.RunView{v, later}}
		for name, got := range map[string][]engine.Text{"approve": ApproveWarnings(s, v), "run": runWarnings(s, v)} {
			if all := engine.Join(got, "\n").String(); all != tt.want {
				t.Errorf("%s, snapshot %s: %q, want %q", name, tt.index, all, tt.want)
			}
		}
	}
	v.Index, v.IndexAsked, later.Index, later.Created = engine.Text{}, engine.Lit("12"), engine.Text{}, began.Add(time.Minute)
	for asked, want := range map[string]string{"12": "snapshot 12.", "": "snapshot unknown."} {
		v.IndexAsked = engine.Clean(asked)
		got := engine.Join(ApproveWarnings(&engine.Snapshot{Runs: []*engine.RunView{v, later}}, v), "\n").String()
		if !strings.Contains(got, "with snapshot unknown: this run gives its pending clusters "+want) {
			t.Errorf("a run that asks for snapshot %q: %q", asked, got)
		}
	}
}

// A run that has done all its clusters, and waits for an approval after them, competes with
// no other.
func TestARunWithoutClustersLeftDoesNotCompete(t *testing.T) {
	place := engine.NewID(engine.KindResourcePlacement, "shop", "web", "")
	for done, warned := range map[int]bool{3: true, 4: false} {
		v := &engine.RunView{
			ID: engine.NewID(engine.KindStagedUpdateRun, "shop", "r1", "u1"), Word: engine.WordApproval, State: engine.Lit("Run"), Index: engine.Lit("3"), Placement: place,
			PlacementRaw: engine.NewRaw("web"), Started: time.Unix(1, 0), Stages: []engine.StageView{{Total: 4, Done: done}},
		}
		other := &engine.RunView{ID: engine.NewID(engine.KindStagedUpdateRun, "shop", "r2", "u2"), Index: engine.Lit("4"), Placement: place}
		s := &engine.Snapshot{Runs: []*engine.RunView{v, other}}
		if got := runWarnings(s, other); (len(got) > 0) != warned {
			t.Errorf("%d of 4 done: %q", done, got)
		}
		if got := engine.Join(cloneWarnings(s, v, made{placement: "web", index: "4"}), "\n").String(); strings.Contains(got, "the run that updates a cluster later preempts the other") != warned {
			t.Errorf("%d of 4 done, clone: %q", done, got)
		}
	}
}

// TestWhatANewRunDoesToThisOne checks that the dialog of a new run says of an unfinished one that
// it is preempted only where its clusters are in progress, and not while it is stopping.
func TestWhatANewRunDoesToThisOne(t *testing.T) {
	const unless = ", unless both have snapshot 3, the same overrides and the same apply strategy"
	for _, tt := range []struct {
		word     engine.Word
		updating int
		stop     bool
		index    string
		want     string
	}{
		{engine.WordStuck, 2, false, "", "This run (STUCK) is unfinished. The new run preempts it when it starts" + unless + "."},
		{engine.WordStuck, 2, false, "4", "This run (STUCK) is unfinished. The new run preempts it when it starts."},
		{engine.WordStuck, 2, false, "3", "This run (STUCK) is unfinished. The new run preempts it only if the overrides or the apply strategy differ: both have the same snapshot."},
		{engine.WordStuck, 2, true, "4", "This run (STUCK) is unfinished. The new run also updates its clusters in progress. This run stops when they have finished, and fails if it is resumed earlier."},
		{engine.WordStopping, 2, true, "", "This run (STOPPING) is unfinished. The new run also updates its clusters in progress" + unless + ". This run stops when they have finished, and fails if it is resumed earlier."},
		{engine.WordStopped, 0, true, "4", "This run (STOPPED) is unfinished: if it is resumed, it gives its pending clusters snapshot 3."},
		{engine.WordApproval, 0, false, "4", "This run (APPROVAL) is unfinished and competes: the run that updates a cluster later preempts the other."},
		{engine.WordApproval, 0, false, "3", "This run (APPROVAL) is unfinished. The run that updates a cluster later preempts the other only if the overrides or the apply strategy differ: both have the same snapshot."},
	} {
		v := &engine.RunView{
			ID: engine.NewID(engine.KindStagedUpdateRun, "shop", "r1", "u1"), Word: tt.word, Index: engine.Lit("3"), PlacementRaw: engine.NewRaw("web"),
			Started: time.Unix(1, 0), StopWanted: tt.stop, Updating: tt.updating, Stages: []engine.StageView{{Total: 4, Done: 1}},
		}
		got := cloneWarnings(&engine.Snapshot{Runs: []*engine.RunView{v}}, v, made{placement: "web", index: tt.index})
		if len(got) == 0 || got[0].String() != tt.want {
			t.Errorf("%s, snapshot %q: %q, want %q", tt.word, tt.index, got, tt.want)
		}
	}
}

// A stopped run beside the one that is started competes only if somebody resumes it.
func TestAStoppedRunBesideTheStartedOne(t *testing.T) {
	place := engine.NewID(engine.KindResourcePlacement, "shop", "web", "")
	v := &engine.RunView{ID: engine.NewID(engine.KindStagedUpdateRun, "shop", "r1", "u1"), Word: engine.WordReady, Index: engine.Lit("3"), Placement: place}
	for updating, want := range map[int]string{
		0: "Run shop/r2 (STOPPED, snapshot 4) of this placement is unfinished: it competes if it is resumed.",
		1: "Run shop/r2 (STOPPED, snapshot 4) of this placement is unfinished and competes: the run that updates a cluster later preempts the other.",
	} {
		other := &engine.RunView{ID: engine.NewID(engine.KindStagedUpdateRun, "shop", "r2", "u2"), Word: engine.WordStopped, StopWanted: true, Updating: updating, Index: engine.Lit("4"), Placement: place, Started: time.Unix(1, 0)}
		if got := engine.Join(runWarnings(&engine.Snapshot{Runs: []*engine.RunView{v, other}}, v), "\n").String(); got != want {
			t.Errorf("%d updating: %q, want %q", updating, got, want)
		}
	}
}
