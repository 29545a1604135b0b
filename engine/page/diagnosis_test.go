package page_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/engine/plan"
)

// diagnosisFacts are of a run that has everything a diagnosis can tell.
func diagnosisFacts() page.DiagnosisFacts {
	snap := pageSnapshot("")
	v := snap.Runs[1]
	snap.Runs[0].Terminal, snap.Runs[0].Word = false, engine.WordStopped
	at := pageNow.Add(-10 * time.Minute)
	v.Since, v.At = at, 0
	v.Stages = []engine.StageView{{
		Name: engine.Lit("prod"), State: engine.StageStuck, Total: 3, Stuck: 1, AtOnce: 2,
		Coming: []engine.Text{engine.Lit("eu-2"), engine.Lit("eu-3")}, ComingMore: 4,
		Before: []engine.GateView{
			{State: engine.GateNotAccepted, Before: true, Name: engine.Lit("web-r7-before-prod"), Generation: 1, Since: at},
			{State: engine.GatePassed, Before: true, Name: engine.Lit("passed")},
		},
		After: []engine.GateView{{Timed: true, Wait: time.Hour, State: engine.GateRunning, Since: at, Until: pageNow.Add(50 * time.Minute)}, {State: engine.GateComing, Name: engine.Lit("to-come")}},
	}}
	why := engine.Diagnosis{
		Cause: "workload-not-ready", What: engine.Lit("eu-1 in stage prod has not finished."), RecoveryText: engine.Lit("Yes, on the member."),
		Recovery: engine.RecoveryOnMember, Quote: engine.Clean("not available \x1b[31m"), Next: engine.Lit("Look at the pods."), Steps: []engine.Text{engine.Lit("Look at the pods."), engine.Lit("Fix the member.")},
		Path: []engine.Hop{
			{Level: engine.Lit("run"), Name: engine.Lit("web-r7"), State: engine.Lit("STUCK"), Since: at},
			{Level: engine.Lit("cluster"), Name: engine.Lit("eu-1"), State: engine.Lit("STUCK"), Since: at},
		},
		Evidence: []engine.Evidence{{Object: engine.Lit("ClusterResourceBinding web-eu-1"), Field: engine.Lit("status.conditions[Available]"), Value: engine.Lit("False: not yet"), Since: at}},
		Commands: []engine.Text{engine.Lit("kubectl get pods -n web")}, Also: []engine.Finding{{Cause: "member-no-heartbeat", Title: engine.Lit("No heartbeat from the member")}},
	}
	v.Why = why
	member := engine.NewID(engine.KindMemberCluster, "", "eu-1", "")
	own := engine.Diagnosis{Cause: "workload-not-ready", What: engine.Lit("eu-1: Deployment web is not Available.")}
	return page.DiagnosisFacts{
		Snapshot: snap, Run: v, Now: pageNow,
		Detail: &engine.Detail{Run: v, Bindings: engine.Coverage{State: engine.CoverComplete}, Clusters: [][]engine.ClusterView{{
			{Name: engine.Lit("eu-0"), State: engine.ClusterDone},
			{Name: engine.Lit("eu-1"), Member: member, State: engine.ClusterStuck, Started: at, Why: engine.Lit("Deployment web is not Available"), Diagnosis: own},
		}}},
		Plan: &plan.Plan{Refusals: []plan.Refusal{{Message: engine.Lit("a refusal"), Final: true}}, Unknown: []engine.Gap{{What: engine.Lit("member clusters"), Why: engine.Lit("you may not list them")}}},
	}
}

// A stopping run is not preempted: the page says that the other run holds clusters.
func TestPreemptedByOnADiagnosis(t *testing.T) {
	for _, stopping := range []bool{false, true} {
		f := diagnosisFacts()
		f.Run.PreemptedBy, f.Run.StopWanted = f.Snapshot.Runs[0].ID, stopping
		if !stopping {
			f.Run.Word = engine.WordPreempted
		}
		got := flat(page.DiagnosisPage(f))
		if strings.Contains(got, "clusters held by") != stopping || strings.Contains(got, "preempted by") == stopping {
			t.Errorf("stopping %v:\n%s", stopping, got)
		}
	}
}

func TestDiagnosisPage(t *testing.T) {
	f := diagnosisFacts()
	whole := page.DiagnosisPage(f)
	checkPage(t, "diagnosis", flat(whole))
	for _, s := range whole.Sections {
		for i := range s.Rows {
			if s.Commands && s.Rows[i].Copied() != f.Run.Why.Commands[i] {
				t.Errorf("copying command %d gives %q", i, s.Rows[i].Copied())
			}
		}
	}

	f.Member = engine.NewID(engine.KindMemberCluster, "", "eu-1", "")
	one := flat(page.DiagnosisPage(f))
	if !strings.Contains(one, "eu-1: Deployment web is not Available.") || strings.Contains(one, "has not finished") || strings.Contains(one, "clusters in trouble") {
		t.Errorf("the page of a cluster says:\n%s", one)
	}
	f.Member = engine.NewID(engine.KindMemberCluster, "", "gone", "")
	if got := flat(page.DiagnosisPage(f)); !strings.Contains(got, "has not finished") {
		t.Errorf("the page of a cluster that is not there says:\n%s", got)
	}
}

// What is not known is said: silence would look like health.
func TestDiagnosisPageNamesWhatIsNotKnown(t *testing.T) {
	for _, tt := range []struct {
		name string
		do   func(*page.DiagnosisFacts)
		want string
	}{
		{"bindings forbidden", func(f *page.DiagnosisFacts) {
			f.Detail.Bindings = engine.Coverage{State: engine.CoverForbidden, Why: engine.Lit("no right")}
		}, "not permitted: no right"},
		{"bindings loading", func(f *page.DiagnosisFacts) { f.Detail.Bindings = engine.Coverage{State: engine.CoverLoading} }, "bindings | loading"},
		{"not opened", func(f *page.DiagnosisFacts) { f.Detail = nil }, "its clusters | the run is not open"},
		{"only its printed row", func(f *page.DiagnosisFacts) { f.Detail, f.Run.Partial = nil, true }, "the run | its details are still loading"},
		{"other runs loading", func(f *page.DiagnosisFacts) { f.Snapshot.Complete = false }, "other runs | still loading"},
		{"other runs hidden", func(f *page.DiagnosisFacts) { f.Snapshot.Scope.Hidden = true }, "other runs | those of some namespaces"},
		{"a gap of the plan", func(*page.DiagnosisFacts) {}, "member clusters | you may not list them"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := diagnosisFacts()
			tt.do(&f)
			if got := strings.Join(strings.Fields(flat(page.DiagnosisPage(f))), " "); !strings.Contains(got, tt.want) {
				t.Errorf("no %q in:\n%s", tt.want, got)
			}
		})
	}
}
