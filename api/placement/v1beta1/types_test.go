package v1beta1_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"github.com/stagewatch/stagewatch/api/crds"
	"github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

// TestSchemeHasEveryKind finds each generated definition of the group, and its
// list, in the scheme.
func TestSchemeHasEveryKind(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := v1beta1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	all, err := crds.All()
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, raw := range all {
		var crd struct {
			Spec struct {
				Group string
				Names struct{ Kind, ListKind string }
			}
		}
		if err := yaml.Unmarshal(raw, &crd); err != nil {
			t.Fatal(err)
		}
		if crd.Spec.Group != v1beta1.Group {
			continue
		}
		found++
		for _, kind := range []string{crd.Spec.Names.Kind, crd.Spec.Names.ListKind} {
			if _, err := scheme.New(v1beta1.GroupVersion.WithKind(kind)); err != nil {
				t.Errorf("new %s: %v", kind, err)
			}
		}
	}
	if found != 17 {
		t.Errorf("%d definitions, want 17", found)
	}
}

// TestScopesConvert holds that both scopes of a kind are one type underneath,
// which lets a rule be written once.
func TestScopesConvert(t *testing.T) {
	meta := metav1.ObjectMeta{Name: "a", Namespace: "b"}
	for _, name := range []string{
		v1beta1.ClusterStagedUpdateRun(v1beta1.StagedUpdateRun{ObjectMeta: meta}).Name,
		v1beta1.ClusterStagedUpdateStrategy(v1beta1.StagedUpdateStrategy{ObjectMeta: meta}).Name,
		v1beta1.ClusterApprovalRequest(v1beta1.ApprovalRequest{ObjectMeta: meta}).Name,
		v1beta1.ClusterResourcePlacement(v1beta1.ResourcePlacement{ObjectMeta: meta}).Name,
		v1beta1.ClusterResourceBinding(v1beta1.ResourceBinding{ObjectMeta: meta}).Name,
		v1beta1.ClusterResourceSnapshot(v1beta1.ResourceSnapshot{ObjectMeta: meta}).Name,
		v1beta1.ClusterSchedulingPolicySnapshot(v1beta1.SchedulingPolicySnapshot{ObjectMeta: meta}).Name,
	} {
		if name != "a" {
			t.Errorf("name = %q after conversion", name)
		}
	}
}

// TestSerialised holds the fields that are there even when they are empty,
// because the hub requires them or upstream's clients send them
// (docs/kubefleet.md#kinds).
func TestSerialised(t *testing.T) {
	tests := []struct {
		name string
		in   any
		want string
	}{
		{
			name: "run without a snapshot index",
			in:   v1beta1.UpdateRunSpec{PlacementName: "p", StagedRolloutStrategyName: "s"},
			want: `{"placementName":"p","resourceSnapshotIndex":"","stagedRolloutStrategyName":"s"}`,
		},
		{
			name: "stage without clusters",
			in:   v1beta1.StageStatus{StageName: "s", Clusters: []v1beta1.ClusterStatus{}},
			want: `{"stageName":"s","clusters":[]}`,
		},
		{
			name: "fresh binding",
			in:   v1beta1.BindingSpec{State: v1beta1.BindingScheduled, TargetCluster: "c"},
			want: `{"state":"Scheduled","resourceSnapshotName":"","schedulingPolicySnapshotName":"","targetCluster":"c",` +
				`"clusterDecision":{"clusterName":"","selected":false,"reason":""}}`,
		},
		{
			name: "snapshot of nothing",
			in:   v1beta1.ResourceSnapshotSpec{SelectedResources: []v1beta1.ResourceContent{}},
			want: `{"selectedResources":[]}`,
		},
		{
			name: "snapshot of an object",
			in:   v1beta1.ResourceSnapshotSpec{SelectedResources: []v1beta1.ResourceContent{{RawExtension: runtime.RawExtension{Raw: []byte(`{"a":1}`)}}}},
			want: `{"selectedResources":[{"a":1}]}`,
		},
		{
			name: "apply strategy of a server-side apply",
			in:   v1beta1.ApplyStrategy{Type: v1beta1.ApplyServerSide, ServerSideApplyConfig: &v1beta1.ServerSideApplyConfig{}},
			want: `{"type":"ServerSideApply","serverSideApplyConfig":{"force":false}}`,
		},
		{
			name: "patch that sets null",
			in:   v1beta1.JSONPatchOverride{Op: "add", Path: "/a", Value: json.RawMessage("null")},
			want: `{"op":"add","path":"/a","value":null}`,
		},
		{
			name: "patch that removes",
			in:   v1beta1.JSONPatchOverride{Op: "remove", Path: "/a"},
			want: `{"op":"remove","path":"/a"}`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := json.Marshal(tt.in)
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// wholeRun has every field that a run can have.
const wholeRun = `
apiVersion: placement.kubernetes-fleet.io/v1beta1
kind: StagedUpdateRun
metadata: {name: web-r1, namespace: shop}
spec: {placementName: web, resourceSnapshotIndex: "3", stagedRolloutStrategyName: slow, state: Run}
status:
  policySnapshotIndexUsed: "0"
  policyObservedClusterCount: 2
  resourceSnapshotIndexUsed: "3"
  appliedStrategy: {comparisonOption: FullComparison, whenToApply: IfNotDrifted, type: ServerSideApply, allowCoOwnership: true, serverSideApplyConfig: {force: true}, whenToTakeOver: Never}
  stagedUpdateStrategySnapshot:
    stages:
    - name: canary
      labelSelector: {matchLabels: {ring: canary}, matchExpressions: [{key: a, operator: In, values: [b]}]}
      sortingLabelKey: order
      maxConcurrency: 50%
      beforeStageTasks: [{type: Approval}]
      afterStageTasks: [{type: TimedWait, waitTime: 1h30m0s}, {type: Approval}]
    - {name: rest, maxConcurrency: 2}
  stagesStatus:
  - stageName: canary
    clusters:
    - clusterName: c-1
      resourceOverrideSnapshots: [{name: ro-0, namespace: shop}]
      clusterResourceOverrideSnapshots: [cro-0]
      conditions: [{type: Started, status: "True", observedGeneration: 2, reason: ClusterUpdatingStarted, message: Cluster update started, lastTransitionTime: "2026-03-01T10:00:00Z"}]
    beforeStageTaskStatus: [{type: Approval, approvalRequestName: web-r1-before-canary, conditions: [{type: ApprovalRequestApproved, status: "True", reason: r, message: "", lastTransitionTime: "2026-03-01T10:00:00Z"}]}]
    afterStageTaskStatus: [{type: TimedWait}, {type: Approval, approvalRequestName: web-r1-after-canary}]
    startTime: "2026-03-01T10:00:00Z"
    endTime: "2026-03-01T11:00:00Z"
    conditions: [{type: Progressing, status: "True", reason: StageUpdatingStarted, message: m, lastTransitionTime: "2026-03-01T10:00:00Z"}]
  - {stageName: rest, clusters: []}
  deletionStageStatus: {stageName: kubernetes-fleet.io/deleteStage, clusters: []}
  conditions: [{type: Initialized, status: "True", reason: UpdateRunInitializedSuccessfully, message: m, lastTransitionTime: "2026-03-01T10:00:00Z"}]
`

// TestRunKeepsEveryField reads and writes a whole run: what the type forgot
// would be missing afterwards.
func TestRunKeepsEveryField(t *testing.T) {
	var run v1beta1.StagedUpdateRun
	if err := yaml.UnmarshalStrict([]byte(wholeRun), &run); err != nil {
		t.Fatal(err)
	}
	var want, got map[string]any
	if err := yaml.Unmarshal([]byte(wholeRun), &want); err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(run.DeepCopy())
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &got); err != nil {
		t.Fatal(err)
	}
	wantJSON, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	gotJSON, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	if string(gotJSON) != string(wantJSON) {
		t.Errorf("got  %s\nwant %s", gotJSON, wantJSON)
	}
}

// TestNames holds the name formats of docs/kubefleet.md#names.
func TestNames(t *testing.T) {
	long := strings.Repeat("p", 30)
	got := []string{
		v1beta1.BeforeApprovalName("r", "canary"),
		v1beta1.AfterApprovalName("r", "canary"),
		v1beta1.MasterSnapshotName("web", "3"),
		v1beta1.PartSnapshotName("web", "3", 0),
		v1beta1.PolicySnapshotName("web", "0"),
		v1beta1.BindingName("web", "c-1", "0011aabb"),
		v1beta1.BindingName(long, long, "0011aabb"),
		v1beta1.WorkName("", "web"),
		v1beta1.WorkName("shop", "web"),
		v1beta1.PartWorkName("shop", "web", 1),
		v1beta1.MemberNamespace("c-1"),
		v1beta1.DeletionStageName,
	}
	want := []string{
		"r-before-canary", "r-after-canary", "web-3-snapshot", "web-3-0", "web-0", "web-c-1-0011aabb",
		long[:26] + "-" + long[:27] + "-0011aabb",
		"web-work", "shop.web-work", "shop.web-1", "fleet-member-c-1", "kubernetes-fleet.io/deleteStage",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
