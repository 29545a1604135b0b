package engine

import "testing"

func TestPodsThatHoldARunUp(t *testing.T) {
	bad := func(reason, message, image string, restarts int) MemberPod {
		return MemberPod{Phase: "Pending", Reason: reason, Message: message, Image: image, Restarts: restarts}
	}
	good := MemberPod{Phase: "Running", Ready: true}
	web := func(pods ...MemberPod) MemberWorkload {
		return MemberWorkload{Kind: "Deployment", Namespace: "shop", Name: "web", Replicas: len(pods), Pods: pods}
	}
	long := "0/3 nodes are available: 3 Insufficient cpu, 2 node(s) had untolerated taint {dedicated}"
	for _, tt := range []struct {
		name      string
		workloads []MemberWorkload
		want      string
	}{
		{"none", nil, ""},
		{"ready", []MemberWorkload{web(good, good)}, ""},
		{"image", []MemberWorkload{web(bad("InvalidImageName", "couldn't parse", "web:1!", 0), bad("InvalidImageName", "", "web:1!", 0), good)}, "2 of 3 pods InvalidImageName, image web:1!"},
		{"restarts", []MemberWorkload{web(bad("CrashLoopBackOff", "", "web:2", 7))}, "1 of 1 pods CrashLoopBackOff, image web:2, 7 restarts"},
		{"no room", []MemberWorkload{web(bad("Unschedulable", long, "", 0))}, "1 of 1 pods Unschedulable, " + long[:70] + "…"},
		{"what most wait for", []MemberWorkload{web(bad("", "", "", 0), bad("OOMKilled", "", "", 0), bad("OOMKilled", "", "", 0))}, "2 of 3 pods OOMKilled; 1 more not ready"},
		{"phase", []MemberWorkload{web(bad("", "", "", 0))}, "1 of 1 pods Pending"},
		{"missing", []MemberWorkload{{Kind: "Deployment", Namespace: "shop", Name: "web", Missing: true}}, "it is not there"},
		{"no pods", []MemberWorkload{web()}, "it has no pods"},
		{"none seen", []MemberWorkload{{Kind: "Deployment", Namespace: "shop", Name: "web", Replicas: 2}}, ""},
		{"not read", []MemberWorkload{{Kind: "Deployment", Namespace: "shop", Name: "web", Why: Lit("no"), Missing: true}}, ""},
		{"another workload", []MemberWorkload{web(good), {Kind: "StatefulSet", Namespace: "shop", Name: "db", Missing: true}}, "StatefulSet shop/db: it is not there"},
		{
			"no pod can be made",
			[]MemberWorkload{{Kind: "Deployment", Namespace: "shop", Name: "web", Setbacks: []MemberSetback{{"ReplicaFailure", "True", "FailedCreate", "exceeded quota"}}}},
			"it has no pods, FailedCreate: exceeded quota",
		},
		{"hostile", []MemberWorkload{web(bad("\x1b[31mBad", "", "", 0))}, `1 of 1 pods \x1b[31mBad`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := MemberFacts{Context: "ctx", Failing: []ManifestView{{What: Lit("Deployment shop/web")}}, Workloads: tt.workloads}
			if a := MemberPage(f); a.Pods.String() != tt.want || a.PodsContext.String() != "ctx" {
				t.Errorf("got  %s (%s)\nwant %s", a.Pods, a.PodsContext, tt.want)
			}
		})
	}
}
