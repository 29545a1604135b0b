package world

import (
	"reflect"
	"testing"

	"github.com/stagewatch/stagewatch/engine"
)

// TestTrouble tables which pods speak for a workload that is not ready.
func TestTrouble(t *testing.T) {
	bad := func(name, reason, message string) MemberPod {
		return MemberPod{Name: name, Phase: "Pending", Reason: reason, Message: message}
	}
	good := MemberPod{Phase: "Running", Ready: true}
	web := func(pods ...MemberPod) MemberWorkload {
		return MemberWorkload{Kind: "Deployment", Namespace: "shop", Name: "web", Desired: len(pods), Replicas: len(pods), Pods: pods}
	}
	short := web(good)
	short.Desired = 3
	logged := web(bad("a", "CrashLoopBackOff", "back-off"))
	logged.LogOf, logged.Log = "a", []string{"panic", " \t"}
	for _, tt := range []struct {
		name     string
		workload MemberWorkload
		want     *PodTrouble
	}{
		{"ready", web(good, good), nil},
		{"none wanted", MemberWorkload{}, &PodTrouble{Reason: PodsNone}},
		{"what most wait for", web(bad("a", "Unschedulable", ""), bad("b", "OOMKilled", "x"), bad("c", "OOMKilled", "")), &PodTrouble{Reason: "OOMKilled", Message: "x", Count: 2, Total: 3, Other: 1, Pod: "b"}},
		{"reasons that alternate", web(bad("a", "ErrImagePull", "rpc error"), bad("b", "Hexed", ""), bad("c", "ImagePullBackOff", "")), &PodTrouble{Reason: "ErrImagePull", Message: "rpc error", Count: 2, Total: 3, Other: 1, Pod: "a"}},
		{"no scheduler", web(bad("a", "", "")), &PodTrouble{Reason: PodNotAssigned, Count: 1, Total: 1, Pod: "a"}},
		{"phase", web(MemberPod{Name: "a", Phase: "Pending", Node: "n1"}), &PodTrouble{Reason: "Pending", Count: 1, Total: 1, Pod: "a"}},
		{"log", logged, &PodTrouble{Reason: "CrashLoopBackOff", Message: "back-off", Count: 1, Total: 1, Pod: "a", Log: "panic"}},
		{"missing", MemberWorkload{Missing: true}, &PodTrouble{Reason: PodsMissing}},
		{"none seen", MemberWorkload{Replicas: 2, Desired: 2}, nil},
		{"too few, no word why", short, nil},
		{"not read", MemberWorkload{Why: engine.Lit("no"), Missing: true}, nil},
		{"timed out", MemberWorkload{Setbacks: []MemberSetback{{"Progressing", "False", "ProgressDeadlineExceeded", "m"}}}, &PodTrouble{Reason: "ProgressDeadlineExceeded", Message: "m"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.workload.Trouble(); !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got  %+v\nwant %+v", got, tt.want)
			}
		})
	}
}
