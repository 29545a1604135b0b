package engine

import (
	"strings"
	"testing"
	"time"
)

func TestMemberPage(t *testing.T) {
	member := Question{Kind: QuestionMember, Member: NewID(KindMemberCluster, "", "eu-1", "")}
	f := MemberFacts{
		Question: member, Context: "aks-eu-1", Now: pageNow, Identity: Identity{Why: Lit("it has no AppliedWork")},
		Failing: []ManifestView{{What: Lit("Deployment shop/web"), Cond: Lit("Available"), Reason: Lit("ManifestNotAvailableYet")}},
		Workloads: []MemberWorkload{
			{
				Kind: "Deployment", Namespace: "shop", Name: "web", Replicas: 4, Updated: 1, Ready: 3, Available: 3,
				Pods: []MemberPod{
					{Name: "web-new", Phase: "Pending", Reason: "InvalidImageName", Message: "couldn't parse \x1b[31m", Restarts: 2, Created: pageNow.Add(-time.Minute), Node: "n1"},
					{Name: "web-old", Phase: "Running", Ready: true, Created: pageNow.Add(-time.Hour)},
				},
				Events: []MemberEvent{
					{Object: "Pod web-new", Type: "Normal", Reason: "Scheduled", Count: 1, Last: pageNow.Add(-time.Minute)},
					{Object: "Pod web-new", Type: "Warning", Reason: "Failed", Message: "Error: InvalidImageName", Count: 12, Last: pageNow.Add(-time.Second)},
				},
				Log: []string{"starting", "panic: \x1b]0;owned\x07"}, LogOf: "web-new",
			},
			{Kind: "StatefulSet", Namespace: "shop", Name: "gone", Missing: true},
			{Kind: "DaemonSet", Namespace: "shop", Name: "empty", Setbacks: []MemberSetback{{"ReplicaFailure", "True", "FailedCreate", "exceeded quota \x1b[2J"}}, LogOf: "x", LogWhy: Lit("waiting to start")},
		},
	}
	checkPage(t, "member-unverified", flat(MemberPage(f)))
	f.Identity = Identity{Verdict: Verified, Why: Lit("its AppliedWork web is of Work fleet-member-eu-1/web")}
	checkPage(t, "member", flat(MemberPage(f)))

	for _, tt := range []struct {
		name string
		f    MemberFacts
		want string
	}{
		{"no context", MemberFacts{Question: member, ContextWhy: Lit("none is called eu-1"), Commands: []Text{Lit("kubectl get pods")}}, "kubectl get pods"},
		{"not read", MemberFacts{Question: member, Context: "c", Why: Lit("no answer in time")}, "no answer in time"},
		{"binding not read", MemberFacts{Question: member, Context: "c", BindingWhy: Lit("forbidden")}, "forbidden"},
		{
			"another member",
			MemberFacts{Question: member, Context: "c", Identity: Identity{Verdict: Mismatch, Other: Lit("us-1"), Why: Lit("its AppliedWorks are of Works in fleet-member-us-1")}},
			"refused | x context c is of member us-1, not of eu-1: its AppliedWorks are of Works in fleet-member-us-1",
		},
		{"nothing with pods", MemberFacts{Question: member, Context: "c"}, "has none with pods"},
	} {
		if got := flat(MemberPage(tt.f)); !strings.Contains(got, tt.want) {
			t.Errorf("%s: no %q in\n%s", tt.name, tt.want, got)
		}
	}
}
