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

func TestMemberPage(t *testing.T) {
	q := page.MemberQuestion{Member: engine.NewID(engine.KindMemberCluster, "", "eu-1", "")}
	f := workload.Facts{
		Question: q, Context: "aks-eu-1", Now: pageNow, Identity: engine.Identity{Why: engine.Lit("it has no AppliedWork")},
		Failing: []engine.ManifestView{{What: engine.Lit("Deployment shop/web"), Cond: engine.Lit("Available"), Reason: engine.Lit("ManifestNotAvailableYet")}},
		Workloads: []world.MemberWorkload{
			{
				Kind: "Deployment", Namespace: "shop", Name: "web", Replicas: 4, Updated: 1, Ready: 3, Available: 3,
				Pods: []world.MemberPod{
					{Name: "web-new", Phase: "Pending", Reason: "InvalidImageName", Message: "couldn't parse\n\x1b[31m", Restarts: 2, Created: pageNow.Add(-time.Minute), Node: "n1"},
					{Name: "web-old", Phase: "Running", Ready: true, Created: pageNow.Add(-time.Hour)},
				},
				Events: []world.MemberEvent{
					{Object: "Pod web-new", Type: "Normal", Reason: "Scheduled", Count: 1, Last: pageNow.Add(-time.Minute)},
					{Object: "Pod web-new", Type: "Warning", Reason: "Failed", Message: "Error:\n  InvalidImageName", Count: 12, Last: pageNow.Add(-time.Second)},
				},
				Log: []string{"starting", "panic: \x1b]0;owned\x07"}, LogOf: "web-new",
			},
			{Kind: "StatefulSet", Namespace: "shop", Name: "gone", Missing: true},
			{Kind: "DaemonSet", Namespace: "shop", Name: "empty", Setbacks: []world.MemberSetback{{Type: "ReplicaFailure", Status: "True", Reason: "FailedCreate", Message: "exceeded\nquota \x1b[2J"}}, LogOf: "x", LogWhy: engine.Lit("waiting to start")},
		},
	}
	checkPage(t, "member-unverified", flat(workload.Page(f)))
	f.Identity = engine.Identity{Verdict: engine.Verified, Why: engine.Lit("its AppliedWork web is of Work fleet-member-eu-1/web")}
	answer := workload.Page(f)
	checkPage(t, "member", flat(answer))
	for _, s := range answer.Sections { // an error stands out, as on the page of the log
		for i, want := range []engine.Role{engine.RoleText, engine.RoleBad} {
			if s.Log && s.Rows[i].Cells[0].Role != want {
				t.Errorf("line %d of the log has role %d, want %d", i, s.Rows[i].Cells[0].Role, want)
			}
		}
	}

	for _, tt := range []struct {
		name string
		f    workload.Facts
		want string
	}{
		{"no context", workload.Facts{Question: q, ContextWhy: engine.Lit("none is called eu-1"), Commands: []engine.Text{engine.Lit("kubectl get pods")}}, "kubectl get pods"},
		{"not read", workload.Facts{Question: q, Context: "c", Why: engine.Lit("no answer in time")}, "no answer in time"},
		{"binding not read", workload.Facts{Question: q, Context: "c", BindingWhy: engine.Lit("forbidden")}, "forbidden"},
		{
			"another member",
			workload.Facts{Question: q, Context: "c", Identity: engine.Identity{Verdict: engine.Mismatch, Other: engine.Lit("us-1"), Why: engine.Lit("its AppliedWorks are of Works in fleet-member-us-1")}},
			"wrong context | x context c is of member us-1, not of eu-1: its AppliedWorks are of Works in fleet-member-us-1",
		},
		{"nothing with pods", workload.Facts{Question: q, Context: "c"}, "has none with pods"},
	} {
		if got := flat(workload.Page(tt.f)); !strings.Contains(got, tt.want) {
			t.Errorf("%s: no %q in\n%s", tt.name, tt.want, got)
		}
	}
	for notMember, want := range map[bool]string{false: "member eu-1 was not read: x", true: "member eu-1: x"} {
		if got := workload.Page(workload.Facts{Question: q, Context: "c", Why: engine.Lit("x"), NotMember: notMember}).Unread.String(); got != want {
			t.Errorf("not the member %v: %q, want %q", notMember, got, want)
		}
	}
}
