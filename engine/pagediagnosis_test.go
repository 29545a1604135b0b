package engine

import (
	"strings"
	"testing"
	"time"
)

// diagnosisFacts are of a run that has everything a diagnosis can tell.
func diagnosisFacts() DiagnosisFacts {
	snap := pageSnapshot("")
	v := snap.Runs[1]
	snap.Runs[0].Terminal, snap.Runs[0].Word = false, WordStopped
	at := pageNow.Add(-10 * time.Minute)
	v.Since, v.At = at, 0
	v.Stages = []StageView{{
		Name: Lit("prod"), State: StageStuck, Total: 3, Stuck: 1, AtOnce: 2,
		Coming: []Text{Lit("eu-2"), Lit("eu-3")}, ComingMore: 4,
		Before: []GateView{
			{State: GateNotAccepted, Before: true, Name: Lit("web-r7-before-prod"), Generation: 1, Since: at},
			{State: GatePassed, Before: true, Name: Lit("passed")},
		},
		After: []GateView{{Timed: true, Wait: time.Hour, State: GateRunning, Since: at, Until: pageNow.Add(50 * time.Minute)}, {State: GateComing, Name: Lit("to-come")}},
	}}
	why := Diagnosis{
		Cause: NewCause("workload-not-ready"), What: Lit("eu-1 in stage prod has not finished."), Heal: Lit("Yes, on the member."),
		CanHeal: HealMember, Quote: Clean("not available \x1b[31m"), Next: Lit("Look at the pods."), Steps: []Text{Lit("Look at the pods."), Lit("Fix the member.")},
		Path: []Hop{
			{Level: Lit("run"), Name: Lit("web-r7"), State: Lit("STUCK"), Since: at},
			{Level: Lit("cluster"), Name: Lit("eu-1"), State: Lit("STUCK"), Since: at},
		},
		Evidence: []Evidence{{Object: Lit("ClusterResourceBinding web-eu-1"), Field: Lit("status.conditions[Available]"), Value: Lit("False: not yet"), Since: at}},
		Commands: []Text{Lit("kubectl get pods -n web")}, Also: []Cause{NewCause("member-silent")},
	}
	v.Why = why
	member := NewID(KindMemberCluster, "", "eu-1", "")
	own := Diagnosis{Cause: NewCause("workload-not-ready"), What: Lit("eu-1: Deployment web is not Available.")}
	return DiagnosisFacts{
		Question: Question{Kind: QuestionDiagnosis, About: v.ID}, Snapshot: snap, Run: v, Now: pageNow,
		Detail: &Detail{Run: v, Bindings: Coverage{State: CoverComplete}, Clusters: [][]ClusterView{{
			{Name: Lit("eu-0"), State: ClusterDone},
			{Name: Lit("eu-1"), Member: member, State: ClusterStuck, Started: at, Why: Lit("Deployment web is not Available"), Diagnosis: own},
		}}},
		Plan: &Plan{Refusals: []PlanRefusal{{Message: Lit("a refusal"), Final: true}}, Unknown: []PlanGap{{What: Lit("member clusters"), Why: Lit("you may not list them")}}},
	}
}

func TestDiagnosisPage(t *testing.T) {
	f := diagnosisFacts()
	whole := DiagnosisPage(f)
	checkPage(t, "diagnosis", flat(whole))
	for _, s := range whole.Sections {
		for i := range s.Rows {
			if s.Commands && s.Rows[i].Copied() != f.Run.Why.Commands[i] {
				t.Errorf("copying command %d gives %q", i, s.Rows[i].Copied())
			}
		}
	}

	f.Question.Member = NewID(KindMemberCluster, "", "eu-1", "")
	one := flat(DiagnosisPage(f))
	if !strings.Contains(one, "eu-1: Deployment web is not Available.") || strings.Contains(one, "has not finished") || strings.Contains(one, "clusters in trouble") {
		t.Errorf("the page of a cluster says:\n%s", one)
	}
	f.Question.Member = NewID(KindMemberCluster, "", "gone", "")
	if got := flat(DiagnosisPage(f)); !strings.Contains(got, "has not finished") {
		t.Errorf("the page of a cluster that is not there says:\n%s", got)
	}
}

// What is not known is said: silence would look like health.
func TestDiagnosisPageNamesWhatIsNotKnown(t *testing.T) {
	for _, tt := range []struct {
		name string
		do   func(*DiagnosisFacts)
		want string
	}{
		{"bindings forbidden", func(f *DiagnosisFacts) { f.Detail.Bindings = Coverage{State: CoverForbidden, Why: Lit("no right")} }, "not permitted: no right"},
		{"bindings loading", func(f *DiagnosisFacts) { f.Detail.Bindings = Coverage{State: CoverLoading} }, "bindings | loading"},
		{"not opened", func(f *DiagnosisFacts) { f.Detail = nil }, "its clusters | the run is not open"},
		{"only its printed row", func(f *DiagnosisFacts) { f.Detail, f.Run.Partial = nil, true }, "the run | its details are still loading"},
		{"other runs loading", func(f *DiagnosisFacts) { f.Snapshot.Complete = false }, "other runs | still loading"},
		{"other runs hidden", func(f *DiagnosisFacts) { f.Snapshot.Scope.Hidden = true }, "other runs | those of some namespaces"},
		{"a gap of the plan", func(*DiagnosisFacts) {}, "member clusters | you may not list them"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := diagnosisFacts()
			tt.do(&f)
			if got := strings.Join(strings.Fields(flat(DiagnosisPage(f))), " "); !strings.Contains(got, tt.want) {
				t.Errorf("no %q in:\n%s", tt.want, got)
			}
		})
	}
}
