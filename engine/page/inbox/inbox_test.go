package inbox

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/page"
)

// TestInboxHealth checks what the inbox says of the bindings of a run's snapshot.
func TestInboxHealth(t *testing.T) {
	key := engine.NewID(engine.KindClusterResourcePlacement, "", "shop", "")
	bound := func(snapshot, available string, failed int) placement.ResourceBinding {
		b := placement.ResourceBinding{}
		b.Spec.ResourceSnapshotName, b.Spec.State, b.Generation = snapshot, placement.BindingBound, 1
		for _, typ := range []string{"RolloutStarted", "Overridden", "WorkSynchronized", "Applied"} {
			b.Status.Conditions = append(b.Status.Conditions, metav1.Condition{Type: typ, Status: "True", ObservedGeneration: 1})
		}
		b.Status.Conditions = append(b.Status.Conditions, metav1.Condition{Type: "Available", Status: metav1.ConditionStatus(available), ObservedGeneration: 1})
		b.Status.FailedPlacements = make([]placement.FailedResourcePlacement, failed)
		return b
	}
	compared := func(reported string, different int) placement.ResourceBinding {
		b := bound("shop-3-snapshot", "True", 0)
		b.Spec.ApplyStrategy = &placement.ApplyStrategy{Type: "ReportDiff"}
		b.Status.Conditions = append(b.Status.Conditions[:3], metav1.Condition{Type: "DiffReported", Status: metav1.ConditionStatus(reported), ObservedGeneration: 1})
		b.Status.DiffedPlacements = make([]placement.DiffedResourcePlacement, different)
		return b
	}
	good, bad, old := bound("shop-3-snapshot", "True", 0), bound("shop-3-snapshot", "False", 2), bound("shop-2-snapshot", "True", 0)
	moved := bound("shop-3-snapshot", "True", 0) // to another policy snapshot, and nothing is reported since
	moved.Generation = 2
	for _, tt := range []struct {
		name string
		in   []placement.ResourceBinding
		done int
		want string
		cell string
	}{
		{"none yet", []placement.ResourceBinding{old}, 0, "No cluster has snapshot 3 yet.", "not on any cluster"},
		{"taken back", []placement.ResourceBinding{old}, 1, "No cluster has snapshot 3 any more.", "not on any cluster"},
		{"well", []placement.ResourceBinding{good, old, good}, 2, "Snapshot 3 is available on 2 clusters. No manifest is failing, drifted or different.", "all available"},
		{"compared, the same", []placement.ResourceBinding{compared("True", 0), compared("True", 0)}, 2, "Snapshot 3 is compared on 2 clusters (ReportDiff, nothing is applied). No manifest is failing or different.", "no difference"},
		{"compared, different", []placement.ResourceBinding{compared("True", 3), compared("False", 0)}, 1, "Snapshot 3 is compared on 2 clusters (ReportDiff, nothing is applied); 3 manifests different and 1 cluster not compared yet.", "3 different, 1 not compared yet"},
		{"no report since a change", []placement.ResourceBinding{good, moved}, 2, "Snapshot 3 is on 2 clusters; 1 cluster without a report yet.", "1 not reported yet"},
		{"not well", []placement.ResourceBinding{good, bad}, 1, "Snapshot 3 is on 2 clusters; 2 manifests failing and 1 cluster not available.", "2 failing, 1 not available"},
	} {
		f := Facts{Bindings: map[engine.ID][]placement.ResourceBinding{key: tt.in}}
		v := &engine.RunView{Placement: key, Index: engine.Lit("3"), Done: tt.done}
		h := f.healthOf(v)
		if got := h.sentence(v).String(); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
		if got := h.cell().Text.String(); got != tt.cell {
			t.Errorf("%s: the cell is %q, want %q", tt.name, got, tt.cell)
		}
	}
}

// TestInboxOfOneRun checks that the approvals of one run leave the others out.
func TestInboxOfOneRun(t *testing.T) {
	run := func(name string) *engine.RunView {
		return &engine.RunView{
			ID:        engine.NewID(engine.KindClusterStagedUpdateRun, "", name, ""),
			Placement: engine.NewID(engine.KindClusterResourcePlacement, "", name, ""),
			Stages:    []engine.StageView{{Name: engine.Lit("prod"), Before: []engine.GateView{{State: engine.GateOpen, Before: true}}}},
		}
	}
	one, other := run("one"), run("other")
	s := &engine.Snapshot{Complete: true, Runs: []*engine.RunView{one, other}}
	if got := Awaited(s, one.ID); len(got) != 1 || got[0].RawName() != "one" {
		t.Errorf("the placements of one run are %v", got)
	}
	for _, tt := range []struct {
		run  engine.ID
		rows int
	}{{one.ID, 1}, {engine.ID{}, 2}} {
		a := Page(Facts{Snapshot: s, Run: tt.run})
		if len(a.Sections) != 1 || len(a.Sections[0].Rows) != tt.rows || a.Sections[0].Rows[0].Run != one.ID {
			t.Errorf("approvals of %q: %+v", tt.run.Title(), a.Sections)
		}
	}
	one.Stages = nil
	a := Page(Facts{Snapshot: s, Run: one.ID})
	if got := a.Sections[0].Rows[0].Cells[0].Text.String(); got != "one does not wait for an approval." {
		t.Errorf("without an approval: %q", got)
	}
}

// TestInboxSaysWhatAnApprovalStarts checks that the column names what an approval does not
// start by itself: a run that is not in state Run, a timed wait beside the approval.
func TestInboxSaysWhatAnApprovalStarts(t *testing.T) {
	now := time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		state string
		wait  engine.GateView
		want  string
	}{
		{"Run", engine.GateView{}, "the run finishes"},
		{"Run", engine.GateView{Timed: true, State: engine.GateRunning, Until: now.Add(time.Hour)}, "stage canary ends after its timed wait, at 11:00:00 UTC; then the run finishes"},
		{"Run", engine.GateView{Timed: true, State: engine.GatePassed}, "the run finishes"},
		{"Stop", engine.GateView{}, "nothing until the run is resumed"},
		{"Initialize", engine.GateView{Timed: true, State: engine.GateRunning, Until: now.Add(time.Hour)}, "nothing until the run is started"},
	} {
		gate := engine.GateView{State: engine.GateOpen, Request: engine.NewID(engine.KindClusterApprovalRequest, "", "r1-after-canary", "u"), Seen: &engine.RequestSeen{}}
		v := &engine.RunView{
			ID: engine.NewID(engine.KindClusterStagedUpdateRun, "", "r1", ""), Placement: engine.NewID(engine.KindClusterResourcePlacement, "", "shop", ""),
			State: engine.Clean(tt.state), Stages: []engine.StageView{{Name: engine.Lit("canary"), Total: 1, Done: 1, After: []engine.GateView{gate, tt.wait}}},
		}
		f := Facts{Snapshot: &engine.Snapshot{Complete: true, Runs: []*engine.RunView{v}}, Now: now}
		r := f.row(pending{v: v, stage: &v.Stages[0], gate: &v.Stages[0].After[0]}, page.MarkAsk, engine.RoleAsk, true)
		if got := r.Cells[len(r.Cells)-1].Text.String(); !strings.EqualFold(got, tt.want) {
			t.Errorf("%s, %v: %q, want %q", tt.state, tt.wait.State, got, tt.want)
		}
	}
}

// TestInboxNamesOtherRuns checks what the evidence says of other runs of the placement.
func TestInboxNamesOtherRuns(t *testing.T) {
	run := func(name, index string, word engine.Word) *engine.RunView {
		return &engine.RunView{
			ID: engine.NewID(engine.KindClusterStagedUpdateRun, "", name, ""), Placement: engine.NewID(engine.KindClusterResourcePlacement, "", "shop", ""),
			Index: engine.Clean(index), Word: word, State: engine.Lit("Initialize"),
		}
	}
	v := run("r1", "3", engine.WordApproval)
	same := run("r2", "3", engine.WordApproval)
	same.State, same.Started = engine.Lit("Run"), time.Unix(1, 0)
	partial, unreadable, namespaced := run("r2", "", engine.WordRunning), run("r2", "", engine.WordUnreadable), run("r2", "", engine.WordUnreadable)
	partial.Partial, unreadable.Partial, unreadable.Placement = true, true, engine.ID{}
	namespaced.ID, namespaced.Partial, namespaced.Placement = engine.NewID(engine.KindStagedUpdateRun, "team", "r2", ""), true, engine.ID{}
	const unknown, none = "Not all runs have been read: another run of the placement may compete.", "No other unfinished run of the placement."
	cluster, team := engine.NewID(engine.KindClusterStagedUpdateRun, "", "", ""), engine.NewID(engine.KindStagedUpdateRun, "", "", "")
	for _, tt := range []struct {
		other      *engine.RunView
		incomplete bool
		forbidden  engine.ID
		want       string
	}{
		{other: run("r2", "4", engine.WordReady), want: "Run r2 (READY, snapshot 4) of this placement competes when it is started."},
		{other: run("r2", "3", engine.WordReady), want: "Run r2 (READY) of this placement may compete when it is started."},
		{other: run("r2", "", engine.WordPending), want: "Run r2 (PENDING) of this placement may compete when it is started."},
		{other: same, want: "No other run of the placement competes."},
		{other: v, want: none},
		{other: v, incomplete: true, want: unknown},
		{other: v, forbidden: cluster, want: unknown},
		{other: v, forbidden: team, want: none},
		{other: partial, want: unknown},
		{other: unreadable, want: unknown},
		{other: namespaced, want: none},
	} {
		s := &engine.Snapshot{Complete: !tt.incomplete, Runs: []*engine.RunView{v, tt.other}}
		if !tt.forbidden.IsZero() {
			s.Scope.Runs = []engine.RunSet{{ID: tt.forbidden, State: engine.CoverForbidden}}
		}
		f := Facts{Snapshot: s}
		if got := engine.Join(f.others(v), " ").String(); got != tt.want {
			t.Errorf("beside %s %s: got %q, want %q", tt.other.ID.Title(), tt.other.Word, got, tt.want)
		}
	}
}

// An approval that starts nothing, or after which something else comes first, does not look
// like one to give.
func TestInboxWarnsOfRunsThatDoNotContinue(t *testing.T) {
	gate := engine.GateView{State: engine.GateOpen, Request: engine.NewID(engine.KindClusterApprovalRequest, "", "r1-after-canary", "u"), Seen: &engine.RequestSeen{}}
	view := func(change func(*engine.RunView)) *engine.RunView {
		v := &engine.RunView{
			ID: engine.NewID(engine.KindClusterStagedUpdateRun, "", "r1", ""), Placement: engine.NewID(engine.KindClusterResourcePlacement, "", "shop", ""),
			Word: engine.WordApproval, State: engine.Lit("Run"), Stages: []engine.StageView{{Name: engine.Lit("canary"), Total: 1, Done: 1, After: []engine.GateView{gate}}},
		}
		v.Why = engine.Diagnosis{What: engine.Lit("The approval is open."), Next: engine.Lit("First look at it."), NextActions: []engine.NextAction{engine.NextApprove}}
		change(v)
		return v
	}
	for _, tt := range []struct {
		name, title, starts, says string
		change                    func(*engine.RunView)
	}{
		{"well", "open 1", "the run finishes", "Stage canary: 1 of 1 done.", func(*engine.RunView) {}},
		{"it will fail", "do not approve 1", "nothing: the run will fail", "The run fails at the next check. First look at it.", func(v *engine.RunView) {
			v.Why.Fails, v.Why.What = true, engine.Lit("The run fails at the next check.")
		}},
		{"only a new run helps", "do not approve 1", "the run finishes", "The approval is open. First look at it.", func(v *engine.RunView) { v.Why.Recovery = engine.RecoveryByNewRun }},
		{"the request is missing", "not approvable 1", "-", "The approval is open. First look at it.", func(v *engine.RunView) {
			v.Stages[0].After[0].Request, v.Stages[0].After[0].Seen = engine.ID{}, nil
		}},
		{"something comes first", "open 1", "the run finishes", "The approval is open. First look at it.", func(v *engine.RunView) { v.Why.NextActions = nil }},
		{"it is being deleted", "not approvable 1", "-", "The run is being deleted.", func(v *engine.RunView) { v.Word = engine.WordDeleting }},
	} {
		v := view(tt.change)
		a := Page(Facts{Snapshot: &engine.Snapshot{Complete: true, Runs: []*engine.RunView{v}}})
		s := a.Sections[0]
		if got := s.Rows[0].Cells[len(s.Rows[0].Cells)-1].Text.String(); s.Title.String() != tt.title || !strings.EqualFold(got, tt.starts) || !strings.HasPrefix(engine.Join(s.Rows[0].Aside, " ").String(), tt.says) {
			t.Errorf("%s: %q, starts %q, says %q", tt.name, s.Title, got, s.Rows[0].Aside)
		}
	}
}
