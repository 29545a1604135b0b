package scenario

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/yaml"

	"github.com/stagewatch/stagewatch/demo/controller"
	"github.com/stagewatch/stagewatch/demo/store"
)

// The objects around a run, as their owners make them: two clusters that the
// placement wants, one that it leaves, and a snapshot from before.
const storedSeed = `
{kind: MemberCluster, metadata: {name: m-1, labels: {ring: a}}, spec: {identity: {kind: User, name: x}}}
---
{kind: MemberCluster, metadata: {name: m-2, labels: {ring: a}}, spec: {identity: {kind: User, name: x}}}
---
{kind: StagedUpdateStrategy, metadata: {name: plan}, spec: {stages: [
  {name: a, labelSelector: {matchLabels: {ring: a}}, beforeStageTasks: [{type: Approval}], afterStageTasks: [{type: TimedWait, waitTime: 90s}]},
  {name: none, labelSelector: {matchLabels: {ring: z}}}]}}
---
{kind: ResourcePlacement, metadata: {name: web}, spec: {strategy: {type: External}, resourceSelectors: [SELECTOR]}}
---
{kind: SchedulingPolicySnapshot, metadata: {name: web-0, labels: {kubernetes-fleet.io/parent-CRP: web, kubernetes-fleet.io/is-latest-snapshot: "true", kubernetes-fleet.io/policy-index: "0"}},
  spec: {policyHash: aGFzaA==}, status: {observedCRPGeneration: 1, conditions: [
    {type: Scheduled, status: "True", reason: Ok, message: "", observedGeneration: 1, lastTransitionTime: "2026-03-01T10:00:00Z"}]}}
---
{kind: ResourceBinding, metadata: {name: web-m-1, labels: {kubernetes-fleet.io/parent-CRP: web}}, spec: {state: Scheduled, resourceSnapshotName: "",
  schedulingPolicySnapshotName: web-0, targetCluster: m-1, clusterDecision: {clusterName: m-1, selected: true, reason: r}}}
---
{kind: ResourceBinding, metadata: {name: web-m-2, labels: {kubernetes-fleet.io/parent-CRP: web}}, spec: {state: Scheduled, resourceSnapshotName: "",
  schedulingPolicySnapshotName: web-0, targetCluster: m-2, clusterDecision: {clusterName: m-2, selected: true, reason: r}}}
---
{kind: ResourceBinding, metadata: {name: web-gone, labels: {kubernetes-fleet.io/parent-CRP: web}}, spec: {state: Unscheduled, resourceSnapshotName: "",
  schedulingPolicySnapshotName: web-0, targetCluster: gone, clusterDecision: {clusterName: gone, selected: true, reason: r}}}
---
{kind: ResourceSnapshot, metadata: {name: web-0-snapshot, labels: {kubernetes-fleet.io/parent-CRP: web, kubernetes-fleet.io/is-latest-snapshot: "true", kubernetes-fleet.io/resource-index: "0"},
  annotations: {kubernetes-fleet.io/resource-hash: before, kubernetes-fleet.io/number-of-resource-snapshots: "1"}}, spec: {selectedResources: []}}
---
{kind: StagedUpdateRun, metadata: {name: r}, spec: {placementName: web, stagedRolloutStrategyName: plan, state: Run}}
`

// What the hub holds once the first approval was given: every field that the
// engine writes, and none that it leaves out (docs/kubefleet.md#initialize,
// #conditions, #new-snapshot, G, #approval).
const storedWant = `
{kind: StagedUpdateRun, metadata: {name: r, generation: 2, finalizers: [kubernetes-fleet.io/stagedupdaterun-finalizer]},
  spec: {placementName: web, resourceSnapshotIndex: "", stagedRolloutStrategyName: plan, state: Run},
  status: {policySnapshotIndexUsed: "0", policyObservedClusterCount: 2, resourceSnapshotIndexUsed: "1",
    appliedStrategy: {comparisonOption: PartialComparison, type: ClientSideApply, whenToApply: Always, whenToTakeOver: Always},
    stagedUpdateStrategySnapshot: {stages: [
      {name: a, labelSelector: {matchLabels: {ring: a}}, maxConcurrency: 1, beforeStageTasks: [{type: Approval}], afterStageTasks: [{type: TimedWait, waitTime: 1m30s}]},
      {name: none, labelSelector: {matchLabels: {ring: z}}, maxConcurrency: 1}]},
    stagesStatus: [
      {stageName: a, startTime: T, clusters: [
          {clusterName: m-1, conditions: [{type: Started, status: "True", reason: ClusterUpdatingStarted, message: Cluster update started, observedGeneration: 2, lastTransitionTime: T}]},
          {clusterName: m-2}],
        beforeStageTaskStatus: [{type: Approval, approvalRequestName: r-before-a, conditions: [
          {type: ApprovalRequestCreated, status: "True", reason: StageTaskApprovalRequestCreated, message: ApprovalRequest object is created, observedGeneration: 2, lastTransitionTime: T},
          {type: ApprovalRequestApproved, status: "True", reason: StageTaskApprovalRequestApproved, message: ApprovalRequest object is approved, observedGeneration: 2, lastTransitionTime: T}]}],
        afterStageTaskStatus: [{type: TimedWait}],
        conditions: [{type: Progressing, status: "True", reason: StageUpdatingStarted, message: Clusters in the stage started updating, observedGeneration: 2, lastTransitionTime: T}]},
      {stageName: none, clusters: []}],
    deletionStageStatus: {stageName: kubernetes-fleet.io/deleteStage, clusters: [{clusterName: gone}]},
    conditions: [
      {type: Initialized, status: "True", reason: UpdateRunInitializedSuccessfully, message: The UpdateRun initialized successfully, observedGeneration: 2, lastTransitionTime: T},
      {type: Progressing, status: "True", reason: UpdateRunProgressing, message: The update run is making progress, observedGeneration: 2, lastTransitionTime: T}]}}
---
{kind: ApprovalRequest, metadata: {name: r-before-a, generation: 1, labels: {kubernetes-fleet.io/targetUpdateRun: r, kubernetes-fleet.io/targetUpdatingStage: a,
    kubernetes-fleet.io/taskType: beforeStage, kubernetes-fleet.io/isLatestUpdateRunApproval: "true"}},
  spec: {parentStageRollout: r, targetStage: a}, status: {conditions: [
    {type: Approved, status: "True", reason: approved, message: go, observedGeneration: 1, lastTransitionTime: T},
    {type: ApprovalAccepted, status: "True", reason: ApprovalRequestApprovalAccepted, message: The approval request has been approved and cannot be reverted, observedGeneration: 1, lastTransitionTime: T}]}}
---
{kind: ResourceBinding, metadata: {name: web-m-1, generation: 2, labels: {kubernetes-fleet.io/parent-CRP: web}}, spec: {state: Bound, resourceSnapshotName: web-1-snapshot,
    schedulingPolicySnapshotName: web-0, targetCluster: m-1, clusterDecision: {clusterName: m-1, selected: true, reason: r},
    applyStrategy: {comparisonOption: PartialComparison, type: ClientSideApply, whenToApply: Always, whenToTakeOver: Always}},
  status: {conditions: [{type: RolloutStarted, status: "True", reason: RolloutStarted, observedGeneration: 2, lastTransitionTime: T,
    message: "Detected the new changes on the resources and started the rollout process, resourceSnapshotIndex: , updateRun: r"}]}}
---
{kind: ResourceSnapshot, metadata: {name: web-0-snapshot, generation: 1, labels: {kubernetes-fleet.io/parent-CRP: web, kubernetes-fleet.io/is-latest-snapshot: "false", kubernetes-fleet.io/resource-index: "0"},
  annotations: {kubernetes-fleet.io/resource-hash: before, kubernetes-fleet.io/number-of-resource-snapshots: "1"}}, spec: {selectedResources: []}}
---
{kind: ResourceSnapshot, metadata: {name: web-1-snapshot, generation: 1, labels: {kubernetes-fleet.io/parent-CRP: web, kubernetes-fleet.io/is-latest-snapshot: "true", kubernetes-fleet.io/resource-index: "1"},
  annotations: {kubernetes-fleet.io/number-of-enveloped-object: "0", kubernetes-fleet.io/number-of-resource-snapshots: "1",
    kubernetes-fleet.io/resource-hash: 83ff749c5d8eb5a0b62d714175bcbaef1409b371fc5a229a002db6fcc1f144e1},
  ownerReferences: [{apiVersion: placement.kubernetes-fleet.io/v1beta1, kind: PLACEMENT, name: web, uid: UID, controller: true, blockOwnerDeletion: true}]}, spec: {selectedResources: []}}
`

// TestStoredObjects compares what the engine leaves on the hub with what an
// integration test of the controller would want to read there: whole objects,
// with what is absent and what is an empty list.
func TestStoredObjects(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	installed(t, h)
	o := lookAt(t, h)
	space := &unstructured.Unstructured{Object: object(t, `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"team"}}`)}
	if _, err := o.Hub.Resource(o.Kinds.Space.GVR).Create(t.Context(), space, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	defer engineAt(t, h.AdminConfig(), controller.RealTiming())() // nothing gets stuck meanwhile
	for _, scope := range []struct{ name, namespace, selector string }{
		{"cluster", "", `{group: "", version: v1, kind: Namespace, name: nothing}`},
		{"namespaced", "team", `{group: "", version: v1, kind: ConfigMap, name: nothing}`},
	} {
		t.Run(scope.name, func(t *testing.T) {
			for _, text := range strings.Split(strings.ReplaceAll(storedSeed, "SELECTOR", scope.selector), "---\n") {
				o.seed(t, scope.namespace, stored(t, text))
			}
			o.await("a request", func() string {
				_, err := o.Approvals.Read(t.Context(), store.Key{Namespace: scope.namespace, Name: "r-before-a"})
				if err != nil {
					return err.Error()
				}
				return ""
			})
			o.approve(scope.namespace, "r-before-a")
			text := strings.ReplaceAll(storedWant, "PLACEMENT", map[bool]string{true: "Cluster"}[scope.namespace == ""]+"ResourcePlacement")
			for _, text := range strings.Split(text, "---\n") {
				want := stored(t, text)
				o.await(want.GetKind()+" "+want.GetName(), func() string {
					return o.differs(t, scope.namespace, want)
				})
			}
		})
	}
}

func stored(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	raw, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	u := &unstructured.Unstructured{}
	u.Object = object(t, string(raw))
	return u
}

// Of finds where the objects of a kind live; the kind is the namespaced one.
func (o outside) Of(t *testing.T, namespace, kind string) (store.Kind, dynamic.ResourceInterface) {
	t.Helper()
	k := o.Kinds
	for _, pair := range []store.Pair{k.Runs, k.Strategies, k.Approvals, k.Placements, k.Bindings, k.ResourceSnapshots, k.PolicySnapshots, {Cluster: k.Members, Namespaced: k.Members}} {
		if pair.Namespaced.Kind == kind {
			return pair.In(namespace), store.Client(o.Hub, pair.In(namespace), namespace)
		}
	}
	t.Fatalf("no kind %s", kind)
	return store.Kind{}, nil
}

// seed makes an object, and then its status.
func (o outside) seed(t *testing.T, namespace string, u *unstructured.Unstructured) {
	t.Helper()
	kind, at := o.Of(t, namespace, u.GetKind())
	u.SetGroupVersionKind(kind.GVK())
	made, err := at.Create(t.Context(), u, metav1.CreateOptions{})
	if kind == o.Kinds.Members && apierrors.IsAlreadyExists(err) {
		return // both scopes share the members
	}
	if err != nil {
		t.Fatal(err)
	}
	if status, ok := u.Object["status"]; ok {
		made.Object["status"] = status
		if _, err := at.UpdateStatus(t.Context(), made, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
}

// differs says how what the hub holds is not what was wanted. Times are T, UIDs
// UID.
func (o outside) differs(t *testing.T, namespace string, want *unstructured.Unstructured) string {
	t.Helper()
	kind, at := o.Of(t, namespace, want.GetKind())
	got, err := at.Get(t.Context(), want.GetName(), metav1.GetOptions{})
	if err != nil {
		return err.Error()
	}
	want = want.DeepCopy()
	want.SetGroupVersionKind(kind.GVK())
	if namespace != "" && kind.Namespaced {
		want.SetNamespace(namespace)
	}
	for _, field := range []string{"uid", "resourceVersion", "creationTimestamp", "managedFields"} {
		unstructured.RemoveNestedField(got.Object, "metadata", field)
	}
	if g, w := timeless(got.Object), timeless(want.Object); !reflect.DeepEqual(g, w) {
		return "got\n" + show(t, g) + "want\n" + show(t, w)
	}
	return ""
}

func timeless(value any) any {
	switch value := value.(type) {
	case map[string]any:
		for name, inner := range value {
			switch name {
			case "lastTransitionTime", "startTime", "endTime":
				value[name] = "T"
			case "uid":
				value[name] = "UID"
			default:
				value[name] = timeless(inner)
			}
		}
	case []any:
		for i := range value {
			value[i] = timeless(value[i])
		}
	case int64:
		return float64(value)
	}
	return value
}

func show(t *testing.T, value any) string {
	t.Helper()
	text, err := yaml.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func object(t *testing.T, text string) map[string]any {
	t.Helper()
	var fields map[string]any
	if err := json.Unmarshal([]byte(text), &fields); err != nil {
		t.Fatal(err)
	}
	return fields
}
