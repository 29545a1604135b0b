package objectjson

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

// sampleRuns are runs as JSON, with all that the hand-written reader reads.
func sampleRuns(t testing.TB) [][]byte {
	t.Helper()
	var out [][]byte
	for _, s := range []string{
		`{}`,
		`{"metadata":{"name":"a","managedFields":[{"manager":"x"}],"labels":{"k":"v \" \\ é \u00e9"}},"status":{}}`,
		`{"metadata":{"managedFields":[{"manager":"kubectl","time":"2026-11-20T10:00:00Z","fieldsV1":{"f:spec":{}}},{"manager":"hub-agent","subresource":"status","time":"2026-11-20T11:00:00Z"},
		  {"manager":"old","time":"2026-11-19T10:00:00Z"},{"time":null,"subresource":null}],"name":"a"}}`,
		`{"metadata":null,"spec":null,"status":null}`,
		`{"metadata":{"name":"a","namespace":"n","uid":"u","resourceVersion":"7","generation":3,"creationTimestamp":"2026-11-20T10:00:00Z","deletionTimestamp":"2026-11-20T11:00:00Z",
		  "finalizers":["f"],"labels":{"k":"v"},"annotations":{"a":"x\n"},"ownerReferences":[{"name":"o","uid":"u"}],"generateName":"g-"},
		  "spec":{"placementName":"p","resourceSnapshotIndex":"1","stagedRolloutStrategyName":"s","state":"Stop","future":1}}`,
		`{"metadata":{"name":null,"generation":null,"creationTimestamp":null,"finalizers":[],"labels":{}},"spec":{"state":null},"status":{"policyObservedClusterCount":null,"appliedStrategy":null,"stagedUpdateStrategySnapshot":null}}`,
		`{"kind":"k","kind":null,"metadata":{"name":"a","name":null,"uid":"u","uid":null,"generation":3,"generation":null,"managedFields":[{"time":"2026-11-20T10:00:00Z","subresource":"status","subresource":null}]},
		  "spec":{"state":"Run","state":null},"status":{"policyObservedClusterCount":3,"policyObservedClusterCount":null,"stagesStatus":[{"stageName":"s","stageName":null}]}}`,
		`{"status":{"policySnapshotIndexUsed":"4","appliedStrategy":{"type":"ServerSideApply"},"stagedUpdateStrategySnapshot":{"stages":[{"name":"s","maxConcurrency":"20%",
		  "labelSelector":{"matchLabels":{"ring":"canary"}},"sortingLabelKey":"order","afterStageTasks":[{"type":"TimedWait","waitTime":"1h"}]}]}}}`,
		`{"apiVersion":"v1","kind":"K","spec":{"state":"Run"},"status":{"conditions":[],"stagesStatus":[]}}`,
		`{"status":{"stagesStatus":[{"stageName":"s","clusters":[],"startTime":"2026-11-20T10:00:00Z","endTime":null}],"deletionStageStatus":{"stageName":"d","clusters":null}}}`,
		`{"status":{"stagesStatus":[{"stageName":"s","beforeStageTaskStatus":[{"type":"Approval","approvalRequestName":"n","conditions":[{"type":"t"}]}],
		  "clusters":[{"clusterName":"c","resourceOverrideSnapshots":[{"name":"n","namespace":"ns"}],"clusterResourceOverrideSnapshots":["o"],
		  "conditions":[{"type":"Started","status":"True","observedGeneration":2,"lastTransitionTime":"2026-11-20T10:00:00Z","reason":"r","message":"m\n\u202e","future":{"x":[1]}}]},
		  {"clusterName":"d","conditions":null,"future":1.5e3}]}],"resourceSnapshotIndexUsed":"1","policyObservedClusterCount":3}}`,
	} {
		out = append(out, []byte(s))
	}
	big, err := json.Marshal(bigRun("big", 300))
	if err != nil {
		t.Fatal(err)
	}
	return append(out, big)
}

func plainRun(raw []byte) (*placement.StagedUpdateRun, error) {
	run := &placement.StagedUpdateRun{}
	err := unmarshal(raw, run)
	var newest metav1.Time
	for _, e := range run.ManagedFields {
		if e.Subresource == "" && e.Time != nil && newest.Before(e.Time) {
			newest = *e.Time
		}
	}
	if run.ManagedFields = nil; !newest.IsZero() {
		run.ManagedFields = []metav1.ManagedFieldsEntry{{Time: &newest}}
	}
	return run, err
}

func TestDecodeIsWhatTheTypeSays(t *testing.T) {
	for _, raw := range sampleRuns(t) {
		want, err := plainRun(raw)
		if err != nil {
			t.Fatal(err)
		}
		got, err := DecodeRun(raw)
		if err != nil {
			t.Errorf("%.80s: %v", raw, err)
			continue
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%.80s:\nread %+v\nwant %+v", raw, got, want)
		}
	}
}

func TestDecodeRefusesWrongTypes(t *testing.T) {
	for _, raw := range []string{
		``, `7`, `[]`, `{`, `{"status":{"stagesStatus":{}}}`, `{"status":{"stagesStatus":[7]}}`, `{"status":{"conditions":"no"}}`,
		`{"status":{"conditions":[{"type":7}]}}`, `{"status":{"conditions":[{"observedGeneration":"1"}]}}`,
		`{"status":{"conditions":[{"observedGeneration":1.5}]}}`, `{"status":{"conditions":[{"lastTransitionTime":"yesterday"}]}}`,
		`{"status":{"stagesStatus":[{"clusters":[{"clusterName":[]}]}]}}`, `{"spec":{"state":1}}`, `{"spec":7}`, `{"metadata":{"name":7}}`, `{"metadata":{"labels":[]}}`,
		`{"metadata":{"finalizers":{}}}`, `{"status":{"policyObservedClusterCount":"3"}}`, `{"status":{"stagedUpdateStrategySnapshot":[]}}`, `{"metadata":{"managedFields":[{"time":"soon"}]}}`, `{"metadata":{"uid":1}}`, `{"metadata":{"creationTimestamp":"soon"}}`, `{"metadata":{"labels":{"a":1}}}`,
		`{"status":{"appliedStrategy":7}}`, `{"status":{"stagesStatus":[{"startTime":"soon"}]}}`, `{"status":{"stagesStatus":[{"endTime":7}]}}`, `{"status":{"conditions":[{"type":"a"}`,
		`{"metadata":{"generation":"x"}}`, `{"a" 1}`, `{"status":{"conditions":[{"type":"a" "status":"b"}]}}`, `{"kind":"\uZZZZ"}`,
	} {
		if run, err := DecodeRun([]byte(raw)); err == nil {
			t.Errorf("%s was read as %+v", raw, run)
		}
	}
}

// FuzzDecode holds the hand-written reader to encoding/json wherever that
// reads without an error.
func FuzzDecode(f *testing.F) {
	for _, raw := range sampleRuns(f)[:10] {
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		want, err := plainRun(raw)
		got, gotErr := DecodeRun(raw)
		if err != nil {
			return // malformed: reading it or not, it must only not panic
		}
		if gotErr != nil {
			t.Fatalf("%q: %v, encoding/json reads it", raw, gotErr)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%q:\nread %+v\nwant %+v", raw, got, want)
		}
	})
}

// bigRun is a run with many clusters that are done, as a hub stores it.
func bigRun(name string, clusters int) map[string]any {
	cond := func(kind, reason, message string) map[string]any {
		return map[string]any{
			"type": kind, "status": "True", "reason": reason, "message": message,
			"observedGeneration": 1, "lastTransitionTime": "2026-11-20T10:00:00Z",
		}
	}
	at := func(c map[string]any, minutes, seconds int) map[string]any {
		c["lastTransitionTime"] = fmt.Sprintf("2026-11-20T%02d:%02d:%02dZ", 10+minutes/60, minutes%60, seconds)
		return c
	}
	list := make([]any, clusters)
	for i := range list {
		// Twenty are started at a time; the controller checks them every 15 seconds.
		list[i] = map[string]any{
			"clusterName": fmt.Sprintf("member-%04d", i),
			"conditions": []any{
				at(cond("Started", "ClusterUpdatingStarted", "Cluster update started"), i/20, 0),
				at(cond("Succeeded", "ClusterUpdatingSucceeded", "Cluster update completed successfully"), i/20, 15+15*(i%3)),
			},
		}
	}
	return map[string]any{
		"apiVersion": "placement.kubernetes-fleet.io/v1beta1", "kind": "ClusterStagedUpdateRun",
		"metadata": map[string]any{"name": name},
		"spec":     map[string]any{"placementName": name, "stagedRolloutStrategyName": "s", "state": "Run"},
		"status": map[string]any{
			"stagedUpdateStrategySnapshot": map[string]any{"stages": []any{map[string]any{"name": "prod", "maxConcurrency": 1}}},
			"stagesStatus":                 []any{map[string]any{"stageName": "prod", "clusters": list}},
			"conditions": []any{
				cond("Initialized", "UpdateRunInitializedSuccessfully", "m"),
				cond("Progressing", "UpdateRunProgressing", "The update run is making progress"),
			},
		},
	}
}

// A name is not taken for that of a cluster before it because both look the same as JSON.
func TestLikelyNames(t *testing.T) {
	for _, names := range [][2]string{
		{`a\\\\b`, `a\\b`}, {`a\\b`, `a\u005cb`}, {`member-1`, `member-10`}, {`member-10`, `member-1`}, {`é`, `é`}, {`a`, `b`}, {`same`, `same`},
	} {
		for _, name := range names {
			raw := []byte(`{"status":{"stagesStatus":[{"clusters":[{"clusterName":"` + name + `"}]}]}}`)
			var want placement.StagedUpdateRun
			if err := unmarshal(raw, &want); err != nil {
				t.Fatal(err)
			}
			if got, err := DecodeRun(raw); err != nil || !reflect.DeepEqual(got, &want) {
				t.Errorf("after another, %s is read as %+v, %v", raw, got, err)
			}
		}
	}
}

// TestConditionsThatDifferInTheirTimes: whatever the next list of conditions has in common with
// those before, it is read as its type says.
func TestConditionsThatDifferInTheirTimes(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	pick := func(from ...string) string { return from[random.IntN(len(from))] }
	condition := func() string {
		at := fmt.Sprintf(`"2026-11-20T10:%02d:%02dZ"`, random.IntN(60), random.IntN(60))
		members := []string{
			`"lastTransitionTime":` + pick(at, at, at, at, at, `null`, `"2026-11-20T10:00:00+01:00"`, `"2026-11-20T10:00:00.5Z"`, `"2026-11-20T10:00:01\u005a"`),
			`"message":` + pick(`"m"`, `"m"`, `"2026-11-20T10:00:00Z"`, `"other"`),
			`"status":` + pick(`"True"`, `"True"`, `"False"`),
			`"type":` + pick(`"Started"`, `"Started"`, `"Succeeded"`),
		}
		switch random.IntN(12) {
		case 0:
			members = members[1:]
		case 1:
			members = append(members, `"lastTransitionTime":`+at)
		case 2:
			members = slices.Insert(members, random.IntN(4), `"future":[`+at+`]`)
		}
		return "{" + strings.Join(members, ",") + "}"
	}
	for range 300 {
		var clusters []string
		for n := range 60 {
			var list []string
			for range pick("1", "22", "22", "22", "333", "55555", "") {
				list = append(list, condition())
			}
			clusters = append(clusters, fmt.Sprintf(`{"clusterName":"c-%d","conditions":[%s]}`, n, strings.Join(list, pick(",", ",", " , "))))
		}
		raw := []byte(`{"status":{"stagesStatus":[{"clusters":[` + strings.Join(clusters, ",") + `]}]}}`)
		want, err := plainRun(raw)
		if err != nil {
			t.Fatal(err)
		}
		got, err := DecodeRun(raw)
		if err != nil {
			t.Fatal(err)
		}
		for i := range want.Status.StagesStatus[0].Clusters {
			got, want := got.Status.StagesStatus[0].Clusters[i], want.Status.StagesStatus[0].Clusters[i]
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("%s is read as\n%+v\nwant\n%+v", clusters[i], got, want)
			}
		}
	}
	// What is cut off is an error, and a time that is none, also where a time is likely.
	good := `{"lastTransitionTime":"2026-11-20T10:00:00Z","type":"t"}`
	twice := fmt.Sprintf(`{"status":{"stagesStatus":[{"clusters":[{"conditions":[%s]},{"conditions":[%s]}]}]}}`, good, good)
	for n := range twice {
		if run, err := DecodeRun([]byte(twice[:n])); err == nil {
			t.Errorf("%s is read as %+v", twice[:n], run.Status)
		}
	}
	for _, bad := range []string{"2026-13-20T10:00:00Z", "2026-11-20T10:00:0xZ", `2026-11-20T10:00:0"Z`} {
		raw := fmt.Sprintf(`{"status":{"stagesStatus":[{"clusters":[{"conditions":[%s]},{"conditions":[%s]}]}]}}`, good, strings.Replace(good, "2026-11-20T10:00:00Z", bad, 1))
		if run, err := DecodeRun([]byte(raw)); err == nil {
			t.Errorf("%s is read as %+v", bad, run.Status)
		}
	}
}
