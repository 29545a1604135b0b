package act

import (
	"fmt"
	"strings"
	"testing"
	"time"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/world"
)

func TestStarting(t *testing.T) {
	stage := func(coming, more, flying, atOnce int) *engine.StageView {
		s := &engine.StageView{Name: engine.Lit("prod"), Updating: flying, AtOnce: atOnce, ComingMore: more, Total: coming + more + flying}
		for i := range coming {
			s.Coming = append(s.Coming, engine.Textf("c%d", i+1))
		}
		return s
	}
	tests := []struct {
		name string
		in   *engine.StageView
		want string
	}{
		{"one", stage(1, 0, 0, 1), "Stage prod starts c1."},
		{"one of several", stage(3, 0, 0, 1), "Stage prod starts c1, then 2 more (max 1)."},
		{"beside one in flight", stage(3, 0, 1, 3), "Stage prod starts c1 and c2, then 1 more (max 3)."},
		{"no room", stage(3, 0, 2, 2), "Stage prod starts 3 more clusters when updating clusters finish (max 2)."},
		{"none left", stage(0, 0, 2, 2), "Stage prod: all clusters are started already."},
		{"many", stage(10, 90, 0, 25), "Stage prod starts c1, c2, c3, c4, c5 and 20 more, then 75 more (max 25)."},
		{"all of many", stage(10, 90, 0, 100), "Stage prod starts c1, c2, c3, c4, c5 and 95 more."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := starting(tt.in).String(); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestNames checks that every value of every enumeration has a name of its own.
func TestNames(t *testing.T) {
	names := func(kind string, n int, name func(i int) string) {
		t.Helper()
		seen := map[string]bool{}
		for i := range n {
			s := name(i)
			if s == "" || s == "unknown" || seen[s] {
				t.Errorf("%s %d is %q", kind, i, s)
			}
			seen[s] = true
		}
		if s := name(n + 100); seen[s] && kind != "kind" {
			t.Errorf("%s %d passes for %q", kind, n+100, s)
		}
	}
	names("link", 5, func(i int) string { return engine.LinkState(i).String() })
	names("stage", 9, func(i int) string { return engine.StageState(i).String() })
	names("gate", 7, func(i int) string { return engine.GateState(i).String() })
	names("cluster", 9, func(i int) string { return engine.ClusterState(i).String() })
	names("cover", 6, func(i int) string { return engine.CoverState(i).String() })
	names("act", 7, func(i int) string { return engine.Act(i).String() })
	names("result", 3, func(i int) string { return Result(i + 1).String() }) // unknown is the name of one
	names("kind", int(engine.KindWork)+1, func(i int) string { return engine.Kind(i).String() })
	id := engine.NewID(engine.KindStagedUpdateRun, "team\x1b", "web", "u")
	if b, err := id.MarshalText(); err != nil || string(b) != `sur/team\x1b/web` || fmt.Sprint(id.Namespace()) != `team\x1b` {
		t.Errorf("an ID is written as %q, %v", b, err)
	}
}

// TestEffectOfAResumeAfterTheDeletions checks that nothing in progress is announced.
func TestEffectOfAResumeAfterTheDeletions(t *testing.T) {
	for done, want := range []string{"The run finishes when the deletions in progress are done.", "Nothing is left to delete; the run finishes."} {
		v := &engine.RunView{Stages: []engine.StageView{{Deletion: true, State: engine.StageStopped, Total: 1, Done: done}}}
		if got := engine.Join(runEffect(v, time.Time{}), " ").String(); got != want {
			t.Errorf("%d of 1 deleted: %s", done, got)
		}
	}
}

// TestEffectOfARunThatOnlyReports checks that the effects of continuing it say that no resource
// is changed, as long as a cluster is left.
func TestEffectOfARunThatOnlyReports(t *testing.T) {
	const says = "Clusters only report differences: no resource is changed there (ReportDiff)."
	for _, reports := range []bool{false, true} {
		for done := range 2 {
			gate := engine.GateView{State: engine.GateOpen, Before: true}
			v := &engine.RunView{ReportDiff: reports, Stages: []engine.StageView{{Name: engine.Lit("prod"), Total: 1, Done: done, Before: []engine.GateView{gate}}}}
			for name, effect := range map[string][]engine.Text{"run": runEffect(v, time.Time{}), "approve": ApproveEffect(v, &gate, time.Time{})} {
				if got := strings.Contains(engine.Join(effect, " ").String(), says); got != (reports && done == 0) {
					t.Errorf("%s, ReportDiff %t, %d of 1 done: %v", name, reports, done, effect)
				}
			}
		}
	}
}

// TestUndoOfARunThatOnlyReports checks that no dialog promises, or takes back, a rollout where
// clusters only report differences, and that a run that is done has nothing to continue.
func TestUndoOfARunThatOnlyReports(t *testing.T) {
	apply := &placement.ApplyStrategy{Type: placement.ApplyReportDiff}
	for _, reports := range []bool{false, true} {
		for name, tt := range map[string]struct {
			situation string
			act       engine.Act
			want      [2]string // of a run that rolls out, of one that only reports
		}{
			"clone":           {"stopped", engine.ActClone, [2]string{"Delete the new run. Started clusters keep its snapshot.", "Delete the new run."}},
			"resume":          {"stopped", engine.ActRun, [2]string{"Stop the run: no new cluster is started. Started clusters keep snapshot 3.", "Stop the run: no new cluster is started."}},
			"delete":          {"stopped", engine.ActDelete, [2]string{"A deletion cannot be undone. A new run can continue the rollout.", "A deletion cannot be undone. A new run can compare the clusters again."}},
			"delete, done":    {"done", engine.ActDelete, [2]string{"A deletion cannot be undone.", "A deletion cannot be undone."}},
			"stop":            {"updating", engine.ActStop, [2]string{"keeps its version", "not compared"}},
			"delete, pending": {"stopped", engine.ActDelete, [2]string{"keep their version", "not compared"}},
			"delete, updates": {"stuck", engine.ActDelete, [2]string{"what was rolled out stays there", "no run checks what is reported there"}},
		} {
			s, id, at := look(t, tt.situation, "", func(w *world.World, id engine.ID) {
				if reports {
					run := w.Runs[id].DeepCopy()
					run.Status.AppliedStrategy, w.Runs[id] = apply, run
				}
			})
			i, no := Propose(s, tt.act, id, at)
			if tt.act == engine.ActClone {
				i, no = ProposeClone(s, id, Choice{})
			}
			want := tt.want[0]
			if reports {
				want = tt.want[1]
			}
			effect := engine.Join(i.Effect, " ").String()
			if no.Refused() || i.Undo.String() != want && !strings.Contains(effect, want) {
				t.Errorf("%s, reports %t: %s undo %q, effect %q, want %q", name, reports, no.Why, i.Undo, effect, want)
			}
			if tt.act == engine.ActClone && strings.Contains(effect, "As in this run, clusters only report differences (ReportDiff)") != reports {
				t.Errorf("%s, reports %t: %q", name, reports, effect)
			}
		}
	}
}

// An approval of a run in state Initialize of which stages have started has the effect that the
// diagnosis names: a controller before v0.2 does not read the state.
func TestAnApprovalInInitializeDependsOnTheController(t *testing.T) {
	stage := engine.StageView{Name: engine.Lit("prod"), Total: 1, AtOnce: 1, Coming: []engine.Text{engine.Lit("c1")}, Before: []engine.GateView{{Before: true, State: engine.GateOpen}}}
	for _, begun := range []bool{false, true} {
		v := &engine.RunView{State: engine.Lit("Initialize"), Stages: []engine.StageView{stage}}
		if begun {
			v.Started = time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)
		}
		g := &v.Stages[0].Before[0]
		effect, brief := engine.Join(ApproveEffect(v, g, v.Started), " ").String(), ApproveBrief(v, g, v.Started).String()
		if depends := strings.Contains(effect, "One before v0.2 continues immediately."); depends != begun || strings.HasPrefix(effect, "Nothing until the run is started") == begun {
			t.Errorf("begun %v: %s", begun, effect)
		}
		if strings.HasSuffix(brief, ", except with a controller before v0.2") != begun {
			t.Errorf("begun %v: %s", begun, brief)
		}
	}
}
