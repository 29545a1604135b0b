package page_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/engine/page/workload"
	"github.com/stagewatch/stagewatch/engine/world"
)

// podFacts are those of a pod with an init container that is done, a container that crashes, and one beside it.
func podFacts() workload.LogFacts {
	q := page.PodQuestion{
		On:        page.MemberQuestion{Member: engine.NewID(engine.KindMemberCluster, "", "eu-1", ""), Placement: engine.NewID(engine.KindClusterResourcePlacement, "", "web", "")},
		Namespace: engine.Lit("shop"), Pod: engine.Lit("web-new"),
	}
	f := workload.LogFacts{Container: "web"}
	f.PodFacts = workload.PodFacts{
		Facts: workload.Facts{Question: q.On, Context: "aks-eu-1", Now: pageNow, Identity: engine.Identity{Verdict: engine.Verified, Why: engine.Lit("its AppliedWork web is of Work fleet-member-eu-1/web")}},
		Of:    q, Phase: "Running", Node: "n1",
		Containers: []workload.Container{
			{Name: "migrate", Image: "web:2", Init: true, Ready: true, State: "Completed, exit code 0", Since: pageNow.Add(-time.Hour)},
			{Name: "web", Image: "web:2", Restarts: 7, State: "CrashLoopBackOff", Message: "back-off\n\x1b[31m", Ended: "OOMKilled, exit code 137", EndedAt: pageNow.Add(-time.Minute)},
			{Name: "proxy", Image: "proxy:1", Ready: true, State: "Running", Since: pageNow.Add(-time.Hour)},
		},
	}
	return f
}

// The page of a pod lists the log of each container, of the one before it, and the command for a shell.
func TestPodPage(t *testing.T) {
	f := podFacts()
	a := workload.PodPage(&f.PodFacts)
	checkPage(t, "pod", flat(a))
	logs := map[page.PodLogQuestion]bool{}
	for i := range a.Sections {
		for _, r := range a.Sections[i].Rows {
			if q, ok := r.Page.(page.PodLogQuestion); ok {
				logs[q] = true
			}
		}
	}
	for _, want := range []page.PodLogQuestion{
		{Of: f.Of, Container: engine.Lit("migrate")},
		{Of: f.Of, Container: engine.Lit("web")},
		{Of: f.Of, Container: engine.Lit("web"), Previous: true},
		{Of: f.Of, Container: engine.Lit("proxy")},
	} {
		if !logs[want] {
			t.Errorf("no row opens %+v", want)
		}
	}
	if len(logs) != 4 {
		t.Errorf("%d logs", len(logs))
	}
	f.Identity = engine.Identity{Verdict: engine.Mismatch, Other: engine.Lit("us-1"), Why: engine.Lit("its agent says so")}
	if got := flat(workload.PodPage(&f.PodFacts)); !strings.Contains(got, "wrong context") || strings.Contains(got, "kubectl") {
		t.Errorf("of another member:\n%s", got)
	}
}

func TestLogPage(t *testing.T) {
	f := podFacts()
	f.Lines = []string{"level=info msg=ready", "E0102 15:04:05.000000 1 x.go:1] no database \x1b[31m", `{"level":"warn","msg":"slow"}`, "\tat Main"}
	checkPage(t, "pod-log", flat(workload.LogPage(&f)))
	a := workload.LogPage(&f)
	for i, want := range []engine.Role{engine.RoleText, engine.RoleBad, engine.RoleWait, engine.RoleText} {
		if got := a.Sections[0].Rows[i].Cells[0].Role; got != want {
			t.Errorf("line %d has role %v, want %v", i, got, want)
		}
	}
	f.Identity.Verdict = engine.NotVerified
	if got := flat(workload.LogPage(&f)); !strings.Contains(got, "not verified") {
		t.Errorf("read through a context that is not verified:\n%s", got)
	}
	f.Lines, f.LogWhy = nil, engine.Lit("container web is waiting to start")
	if got := flat(workload.LogPage(&f)); !strings.Contains(got, "waiting to start") || !strings.Contains(got, "OOMKilled, exit code 137") {
		t.Errorf("without a log:\n%s", got)
	}
}

// The pods of a member's page, the events about one, and the pod of a chain of causes open the pod.
func TestRowsOpenThePod(t *testing.T) {
	f := podFacts()
	of := func(a page.Answer, title string) (out []page.Question) {
		for i := range a.Sections {
			if s := &a.Sections[i]; strings.HasPrefix(s.Heading().String(), title) {
				for _, r := range s.Rows {
					if _, ok := r.Page.(page.PodQuestion); ok {
						out = append(out, r.Page)
					}
				}
			}
		}
		return out
	}
	m := workload.Facts{Question: f.Of.On, Context: "c", Now: pageNow, Workloads: []world.MemberWorkload{{
		Kind: "Deployment", Namespace: "shop", Name: "web", Pods: []world.MemberPod{{Name: "web-new", Phase: "Running"}},
		Events: []world.MemberEvent{{Object: "Pod web-new", Reason: "BackOff"}, {Object: "ReplicaSet web-1", Reason: "FailedCreate"}},
	}}}
	for _, title := range []string{"Deployment", "events"} {
		if got := of(workload.Page(m), title); len(got) != 1 || got[0] != f.Of {
			t.Errorf("%s: %+v", title, got)
		}
	}
	v := &engine.RunView{ID: engine.NewID(engine.KindClusterStagedUpdateRun, "", "web-r2", ""), Placement: f.Of.On.Placement, Word: engine.WordStuck}
	want := f.Of
	want.On.Run, want.On.Member = v.ID, v.ID.Beside(engine.KindMemberCluster, "", "eu-1", "")
	v.Why = engine.Diagnosis{What: engine.Lit("x"), Member: want.On.Member, Path: []engine.Hop{{Level: engine.Lit("pod"), Name: engine.Lit("shop/web-new")}}}
	if got := of(page.DiagnosisPage(page.DiagnosisFacts{Run: v, Snapshot: &engine.Snapshot{Complete: true}, Now: pageNow}), "chain of causes"); len(got) != 1 || got[0] != want {
		t.Errorf("chain of causes: %+v", got)
	}
}

// TestNoPodSaysWhatWasNotRead checks that a workload that was not read is not said to have no pod.
func TestNoPodSaysWhatWasNotRead(t *testing.T) {
	slow := engine.Lit("no answer in time")
	for _, tt := range []struct {
		facts workload.Facts
		want  string
	}{
		{workload.Facts{}, "no workloads found for the placement"},
		{workload.Facts{Workloads: []world.MemberWorkload{{Kind: "Deployment", Name: "a"}}}, "the workloads that were read have no pods"},
		{workload.Facts{Workloads: []world.MemberWorkload{{Kind: "Deployment", Name: "a"}, {Kind: "StatefulSet", Namespace: "shop", Name: "b", Why: slow}}}, "StatefulSet shop/b was not read: no answer in time"},
		{workload.Facts{BindingWhy: slow}, "the bindings or Works of the placement were not read from the hub: no answer in time"},
	} {
		if got := tt.facts.NoPod().String(); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}
