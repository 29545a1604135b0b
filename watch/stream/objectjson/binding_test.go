package objectjson

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// bindingJSON is a binding as a hub stores it: 3 KB.
func bindingJSON(t testing.TB) []byte {
	t.Helper()
	var conditions, fields []string
	for i, kind := range []string{"RolloutStarted", "Overridden", "WorkSynchronized", "Applied", "Available"} {
		conditions = append(conditions, fmt.Sprintf(`{"lastTransitionTime":"2026-11-20T10:00:0%dZ","message":"All corresponding work objects are %s","observedGeneration":2,"reason":"AllWork%s","status":"True","type":%q}`, i, kind, kind, kind))
		fields = append(fields, fmt.Sprintf(`"k:{\"type\":\"%s\"}":{".":{},"f:lastTransitionTime":{},"f:message":{},"f:observedGeneration":{},"f:reason":{},"f:status":{},"f:type":{}}`, kind))
	}
	return fmt.Appendf(nil, `{"apiVersion":"placement.kubernetes-fleet.io/v1beta1","kind":"ClusterResourceBinding","metadata":{"creationTimestamp":"2026-11-20T09:00:00Z",
		"finalizers":["kubernetes-fleet.io/work-cleanup"],"generation":2,"labels":{"kubernetes-fleet.io/parent-CRP":"web"},
		"managedFields":[{"apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:status":{"f:conditions":{%[2]s}}},"manager":"hub-agent","operation":"Update"},
			{"apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:status":{"f:conditions":{%[2]s}}},"manager":"scheduler","operation":"Update"}],
		"name":"web-member-0001-abcdef","resourceVersion":"123456","uid":"2f5b7c1a-0000-4000-8000-000000000001"},
		"spec":{"applyStrategy":{"comparisonOption":"PartialComparison","type":"ClientSideApply","whenToApply":"Always","whenToTakeOver":"Always"},
			"clusterDecision":{"clusterName":"member-0001","reason":"picked by the policy","selected":true},
			"resourceSnapshotName":"web-1-snapshot","schedulingPolicySnapshotName":"web-0","state":"Bound","targetCluster":"member-0001"},
		"status":{"conditions":[%[1]s]}}`, strings.Join(conditions, ","), strings.Join(fields, ","))
}

// memberJSON is a member cluster as a hub stores it: 3 KB.
func memberJSON(t testing.TB) []byte {
	t.Helper()
	const conditions = `[{"lastTransitionTime":"2026-11-20T10:00:00Z","message":"","observedGeneration":1,"reason":"AgentJoined","status":"True","type":"Joined"},
		{"lastTransitionTime":"2026-11-20T10:00:01Z","message":"","observedGeneration":1,"reason":"AgentHealthy","status":"True","type":"Healthy"}]`
	return fmt.Appendf(nil, `{"apiVersion":"cluster.kubernetes-fleet.io/v1beta1","kind":"MemberCluster","metadata":{"creationTimestamp":"2026-11-01T09:00:00Z","finalizers":["work.fleet.azure.com/membercluster-finalizer"],
		"generation":1,"labels":{"env":"prod","region":"eu-west","fleet.azure.com/location":"westeurope"},"managedFields":[{"apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:status":{%s}},"manager":"hub-agent"}],
		"name":"member-0001","resourceVersion":"123456","uid":"2f5b7c1a-0000-4000-8000-000000000002"},
		"spec":{"heartbeatPeriodSeconds":15,"identity":{"kind":"ServiceAccount","name":"member-0001","namespace":"fleet-system"},"taints":[{"key":"a","value":"b","effect":"NoSchedule"}]},
		"status":{"agentStatus":[{"conditions":%[2]s,"lastReceivedHeartbeat":"2026-11-20T10:05:00Z","type":"MemberAgent"},{"type":"ServiceExportImportAgent"},null],"conditions":%[2]s,
			"properties":{"kubernetes-fleet.io/node-count":{"observationTime":"2026-11-20T10:05:00Z","value":"12"}},"resourceUsage":{"allocatable":{"cpu":"96","memory":"384Gi"},"observationTime":"2026-11-20T10:05:00Z"}}}`,
		strings.TrimSuffix(strings.Repeat(`"f:conditions":{},`, 40), ","), conditions)
}

// oddBindings have what is rare in a binding, a placement or a member.
func oddBindings(t testing.TB) [][]byte {
	t.Helper()
	out := [][]byte{bindingJSON(t), memberJSON(t)}
	for _, s := range []string{
		`{"metadata":{"labels":null},"spec":{"taints":[]},"status":{"agentStatus":[{"type":"MemberAgent","lastReceivedHeartbeat":null,"conditions":null,"more":[1]}]}}`,
		`{"metadata":{"labels":{"a":null,"b":"\\u00e9"},"deletionTimestamp":null},"status":{"agentStatus":[]}}`, `{"metadata":{"labels":{}},"status":{"agentStatus":null}}`,
		`{}`, `{"metadata":null,"spec":null,"status":null}`, `{"spec":{"applyStrategy":null,"clusterResourceOverrideSnapshots":[]},"status":{"conditions":[]}}`,
		`{"metadata":{"name":"b\u00e9","deletionTimestamp":"2026-11-20T10:00:00Z","finalizers":[],"generation":3,"annotations":{"a":"{\"x\":1}"}},
		  "spec":{"resourceOverrideSnapshots":[{"name":"n","namespace":"ns"}],"clusterResourceOverrideSnapshots":["a","b"],"applyStrategy":{"type":"ReportDiff"},"strategy":{"type":"External","applyStrategy":{},"deleteStrategy":{"propagationPolicy":"Abandon"}}},
		  "status":{"failedPlacements":[{"kind":"Deployment","name":"web","condition":{"type":"Applied","status":"False"}}],"driftedPlacements":[{"x":[1,2]}],"diffedPlacements":[],
		    "observedResourceIndex":"4","placementStatuses":[{"clusterName":"a","conditions":[{"type":"x"}]},{"clusterName":""},{},null,{"failedPlacements":[{}],"clusterName":"b"}]}}`,
	} {
		out = append(out, []byte(s))
	}
	return out
}

// plainPlacement is a placement as encoding/json reads it.
func plainPlacement(raw []byte) (*Placement, error) {
	o := &Placement{}
	var more struct {
		Status struct {
			PlacementStatuses []struct {
				ClusterName string `json:"clusterName"`
			} `json:"placementStatuses"`
		} `json:"status"`
	}
	if err := unmarshal(raw, o); err != nil {
		return nil, err
	}
	if err := unmarshal(raw, &more); err != nil {
		return nil, err
	}
	for _, s := range more.Status.PlacementStatuses {
		if s.ClusterName != "" {
			o.Status.Clusters++
		}
	}
	return o, nil
}

// compareDecoders holds the hand-written readers to encoding/json wherever that reads
// without an error.
func compareDecoders(t *testing.T, raw []byte) {
	t.Helper()
	want := &Binding{}
	if err := unmarshal(raw, want); err == nil {
		if got, err := DecodeBinding(raw); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("binding %q: %v\nread %+v\nwant %+v", raw, err, got, want)
		}
	}
	member := &Member{}
	if err := unmarshal(raw, member); err == nil {
		if got, err := DecodeMember(raw); err != nil || !reflect.DeepEqual(got, member) {
			t.Errorf("member %q: %v\nread %+v\nwant %+v", raw, err, got, member)
		}
	}
	if want, err := plainPlacement(raw); err == nil {
		if got, err := DecodePlacement(raw); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("placement %q: %v\nread %+v\nwant %+v", raw, err, got, want)
		}
	}
}

func TestRowsAreWhatTheirTypesSay(t *testing.T) {
	for _, raw := range oddBindings(t) {
		for range 2 { // the second time the apply strategy is known
			compareDecoders(t, raw)
		}
	}
}

func TestRowsRefuseWrongTypes(t *testing.T) {
	for _, raw := range []string{
		``, `[]`, `{`, `{"metadata":{"name":7}}`, `{"metadata":{"finalizers":[1]}}`, `{"metadata":{"deletionTimestamp":"now"}}`,
		`{"status":{"conditions":[7]}}`, `{"spec":7}`,
	} {
		if m, err := DecodeMember([]byte(raw)); err == nil {
			t.Errorf("%s was read as %+v", raw, m)
		}
		if b, err := DecodeBinding([]byte(raw)); err == nil {
			t.Errorf("%s was read as %+v", raw, b)
		}
		if p, err := DecodePlacement([]byte(raw)); err == nil {
			t.Errorf("%s was read as %+v", raw, p)
		}
	}
	for _, raw := range []string{`{"metadata":{"labels":{"a":1}}}`, `{"spec":{"heartbeatPeriodSeconds":"1"}}`, `{"status":{"agentStatus":{}}}`, `{"status":{"agentStatus":[{"lastReceivedHeartbeat":""}]}}`} {
		if m, err := DecodeMember([]byte(raw)); err == nil {
			t.Errorf("%s was read as %+v", raw, m)
		}
	}
	if b, err := DecodeBinding([]byte(`{"spec":{"applyStrategy":{"type":7}}}`)); err == nil {
		t.Errorf("read as %+v", b.Spec.ApplyStrategy)
	}
}

func FuzzRows(f *testing.F) {
	for _, raw := range oddBindings(f) {
		f.Add(raw)
	}
	f.Fuzz(compareDecoders)
}

func BenchmarkDecodeMember(b *testing.B) {
	raw := memberJSON(b)
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := DecodeMember(raw); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecodeBinding(b *testing.B) {
	raw := bindingJSON(b)
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := DecodeBinding(raw); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkDecodePlacement is the cost of a placement of 1.1 MB: 1,000 clusters with the
// conditions of each.
func BenchmarkDecodePlacement(b *testing.B) {
	var o struct {
		Status struct {
			Conditions json.RawMessage `json:"conditions"`
		} `json:"status"`
	}
	if err := json.Unmarshal(bindingJSON(b), &o); err != nil {
		b.Fatal(err)
	}
	var statuses []string
	for i := range 1000 {
		statuses = append(statuses, fmt.Sprintf(`{"clusterName":"member-%04d","conditions":%s,"reason":"picked"}`, i, o.Status.Conditions))
	}
	raw := fmt.Appendf(nil, `{"metadata":{"name":"web"},"spec":{"strategy":{"type":"External"}},"status":{"placementStatuses":[%s]}}`, strings.Join(statuses, ","))
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		if p, err := DecodePlacement(raw); err != nil || p.Status.Clusters != 1000 {
			b.Fatal(err)
		}
	}
}
