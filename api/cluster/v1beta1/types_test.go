package v1beta1_test

import (
	"encoding/json"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"github.com/stagewatch/stagewatch/api/cluster/v1beta1"
)

// wholeMember has every field that a MemberCluster can have.
const wholeMember = `
apiVersion: cluster.kubernetes-fleet.io/v1beta1
kind: MemberCluster
metadata: {name: c-1, labels: {ring: canary}}
spec:
  identity: {kind: ServiceAccount, name: agent, namespace: fleet-system, apiGroup: ""}
  heartbeatPeriodSeconds: 15
  taints: [{key: k, value: v, effect: NoSchedule}]
  deleteOptions: {validationMode: Skip}
status:
  conditions: [{type: Joined, status: "True", observedGeneration: 1, reason: MemberClusterJoined, message: m, lastTransitionTime: "2026-03-01T10:00:00Z"}]
  properties: {kubernetes-fleet.io/node-count: {value: "3", observationTime: "2026-03-01T10:00:00Z"}}
  namespaces: {shop: web}
  resourceUsage: {capacity: {cpu: "4"}, allocatable: {cpu: 3900m}, available: {memory: 2Gi}, observationTime: "2026-03-01T10:00:00Z"}
  agentStatus: [{type: MemberAgent, conditions: [{type: Healthy, status: "True", reason: r, message: m, lastTransitionTime: "2026-03-01T10:00:00Z"}], lastReceivedHeartbeat: "2026-03-01T10:00:00Z"}]
`

// TestMemberKeepsEveryField reads and writes a whole MemberCluster: what the
// type forgot would be missing afterwards.
func TestMemberKeepsEveryField(t *testing.T) {
	var member v1beta1.MemberCluster
	if err := yaml.UnmarshalStrict([]byte(wholeMember), &member); err != nil {
		t.Fatal(err)
	}
	var want map[string]any
	if err := yaml.Unmarshal([]byte(wholeMember), &want); err != nil {
		t.Fatal(err)
	}
	delete(want["spec"].(map[string]any)["identity"].(map[string]any), "apiGroup") // empty ones are left out
	raw, err := json.Marshal(member.DeepCopy())
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(raw, &got); err != nil {
		t.Fatal(err)
	}
	gotJSON, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	wantJSON, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	if string(gotJSON) != string(wantJSON) {
		t.Errorf("got  %s\nwant %s", gotJSON, wantJSON)
	}
}

// TestSchemeHasEveryKind makes an object of the kind and of its list.
func TestSchemeHasEveryKind(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := v1beta1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{v1beta1.KindMemberCluster, v1beta1.KindMemberCluster + "List"} {
		if _, err := scheme.New(v1beta1.GroupVersion.WithKind(kind)); err != nil {
			t.Errorf("new %s: %v", kind, err)
		}
	}
}
