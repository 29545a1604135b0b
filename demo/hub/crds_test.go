package hub_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"github.com/stagewatch/stagewatch/api/crds"
	"github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

// stagedScope is one of the two scopes that every staged update kind has.
type stagedScope struct{ name, kindPrefix, resourcePrefix, namespace string }

// stagedScopes are both.
var stagedScopes = []stagedScope{
	{name: "cluster scope", kindPrefix: "Cluster", resourcePrefix: "cluster"},
	{name: "namespaced", namespace: "staged"},
}

// stagedKind is a staged update kind without its scope.
type stagedKind struct{ kind, resource string }

var (
	stagedRuns       = stagedKind{"StagedUpdateRun", "stagedupdateruns"}
	stagedStrategies = stagedKind{"StagedUpdateStrategy", "stagedupdatestrategies"}
	stagedApprovals  = stagedKind{"ApprovalRequest", "approvalrequests"}
)

// installed adds our own CustomResourceDefinitions, and a namespace to use them
// in, to the shared hub, once.
var installed = sync.OnceValue(func() error {
	manifests, err := crds.All()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := shared.InstallCRDs(ctx, manifests...); err != nil {
		return err
	}
	client, err := dynamic.NewForConfig(shared.AdminConfig())
	if err != nil {
		return err
	}
	namespace := &unstructured.Unstructured{Object: map[string]any{}}
	namespace.SetAPIVersion("v1")
	namespace.SetKind("Namespace")
	namespace.SetName("staged")
	_, err = client.Resource(schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}).Create(ctx, namespace, metav1.CreateOptions{})
	return err
})

// crdHub returns the administrator's configuration for a hub with our own
// CustomResourceDefinitions.
func crdHub(t *testing.T) *rest.Config {
	t.Helper()
	if err := installed(); err != nil {
		t.Fatal(err)
	}
	return shared.AdminConfig()
}

// client returns a client for the kind in the scope.
func (s stagedScope) client(t *testing.T, cfg *rest.Config, kind stagedKind) dynamic.ResourceInterface {
	t.Helper()
	c, err := dynamic.NewForConfig(cfg)
	if err != nil {
		t.Fatal(err)
	}
	resource := c.Resource(v1beta1.GroupVersion.WithResource(s.resourcePrefix + kind.resource))
	if s.namespace == "" {
		return resource
	}
	return resource.Namespace(s.namespace)
}

// object returns an object of the kind in the scope; spec is JSON, and left out
// when empty.
func (s stagedScope) object(t *testing.T, kind stagedKind, name, spec string) *unstructured.Unstructured {
	t.Helper()
	u := &unstructured.Unstructured{Object: map[string]any{}}
	u.SetAPIVersion(v1beta1.GroupVersion.String())
	u.SetKind(s.kindPrefix + kind.kind)
	u.SetName(name)
	u.SetNamespace(s.namespace)
	if spec != "" {
		var content map[string]any
		if err := json.Unmarshal([]byte(spec), &content); err != nil {
			t.Fatalf("parse spec: %v\n%s", err, spec)
		}
		u.Object["spec"] = content
	}
	return u
}

// Specs that the hub accepts.
const (
	goodRun      = `{"placementName":"p","resourceSnapshotIndex":"1","stagedRolloutStrategyName":"s"}`
	goodApproval = `{"parentStageRollout":"r","targetStage":"canary"}`
	goodStrategy = `{"stages":[{"name":"canary"}]}`
)

// oneStage returns a strategy spec with one stage that has these further fields.
func oneStage(fields string) string { return `{"stages":[{"name":"canary",` + fields + `}]}` }

// runIn returns a run spec in that state.
func runIn(state string) string {
	return strings.TrimSuffix(goodRun, "}") + `,"state":"` + state + `"}`
}

// manyStages returns n stages of a strategy spec or of a run's status.
func manyStages(n int) string {
	return strings.TrimSuffix(strings.Repeat(`{"name":"canary"},`, n), ",")
}

// statusPatch returns a merge patch of a run's status.
func statusPatch(fields string) string { return `{"status":{` + fields + `}}` }

// conditionJSON returns a condition with these fields beside a message and a time.
func conditionJSON(kind, status, reason string) string {
	return fmt.Sprintf(`{"type":%q,"status":%q,"reason":%q,"message":"","lastTransitionTime":"2026-03-01T10:00:00Z"}`, kind, status, reason)
}

const (
	approvalWithWait = "AfterStageTaskType is Approval, waitTime is not allowed"
	tooFew           = "maxConcurrency must be at least 1"
)

// schemaCases has a case for each rule of the six staged update kinds
// (docs/kubefleet.md#run, #approval-request): required fields, enums, patterns,
// maxima, CEL rules. The object is created with spec and, if that works,
// patched. want is part of the refusal; empty means that all is accepted.
var schemaCases = []struct {
	name   string
	kind   stagedKind
	object string // the object's name, made up when empty
	spec   string
	patch  string // merge patch, none when empty
	status bool   // the patch goes to the status subresource
	want   string
}{
	{name: "run", kind: stagedRuns, spec: goodRun},
	{name: "run created in state Initialize", kind: stagedRuns, spec: runIn("Initialize")},
	{name: "run created in state Run", kind: stagedRuns, spec: runIn("Run")},
	{name: "run created in state Stop", kind: stagedRuns, spec: runIn("Stop")},
	{name: "run with a name of 63 characters", kind: stagedRuns, object: strings.Repeat("a", 63), spec: goodRun},
	{name: "run with a name of 64 characters", kind: stagedRuns, object: strings.Repeat("a", 64), spec: goodRun, want: "metadata.name max length is 63"},
	{name: "run without a spec", kind: stagedRuns, want: "spec: Required value"},
	{name: "run without a placement", kind: stagedRuns, spec: `{"stagedRolloutStrategyName":"s"}`, want: "spec.placementName: Required value"},
	{name: "run without a strategy", kind: stagedRuns, spec: `{"placementName":"p"}`, want: "spec.stagedRolloutStrategyName: Required value"},
	{name: "run without an index", kind: stagedRuns, spec: `{"placementName":"p","stagedRolloutStrategyName":"s"}`},
	{name: "run with a placement name of 255 characters", kind: stagedRuns, spec: `{"placementName":"` + strings.Repeat("p", 255) + `","stagedRolloutStrategyName":"s"}`},
	{name: "run with a placement name of 256 characters", kind: stagedRuns, spec: `{"placementName":"` + strings.Repeat("p", 256) + `","stagedRolloutStrategyName":"s"}`, want: "spec.placementName: Too long"},
	{name: "run in an unknown state", kind: stagedRuns, spec: runIn("Pause"), want: `spec.state: Unsupported value: "Pause": supported values: "Initialize", "Run", "Stop"`},

	{name: "state Initialize to Run", kind: stagedRuns, spec: runIn("Initialize"), patch: `{"spec":{"state":"Run"}}`},
	{name: "state Run to Stop", kind: stagedRuns, spec: runIn("Run"), patch: `{"spec":{"state":"Stop"}}`},
	{name: "state Stop to Run", kind: stagedRuns, spec: runIn("Stop"), patch: `{"spec":{"state":"Run"}}`},
	{name: "state Initialize to Stop", kind: stagedRuns, spec: runIn("Initialize"), patch: `{"spec":{"state":"Stop"}}`, want: "invalid state transition: cannot transition from Initialize to Stop"},
	{name: "state Run to Initialize", kind: stagedRuns, spec: runIn("Run"), patch: `{"spec":{"state":"Initialize"}}`, want: "invalid state transition: cannot transition from Run to Initialize"},
	{name: "state Stop to Initialize", kind: stagedRuns, spec: runIn("Stop"), patch: `{"spec":{"state":"Initialize"}}`, want: "invalid state transition: cannot transition from Stop to Initialize"},
	{name: "state Run removed and so defaulted", kind: stagedRuns, spec: runIn("Run"), patch: `{"spec":{"state":null}}`, want: "invalid state transition: cannot transition from Run to Initialize"},
	{name: "placement changed", kind: stagedRuns, spec: goodRun, patch: `{"spec":{"placementName":"q"}}`, want: "placementName is immutable"},
	{name: "index changed", kind: stagedRuns, spec: goodRun, patch: `{"spec":{"resourceSnapshotIndex":"2"}}`, want: "resourceSnapshotIndex is immutable"},
	{name: "index filled in where it was empty", kind: stagedRuns, spec: `{"placementName":"p","resourceSnapshotIndex":"","stagedRolloutStrategyName":"s"}`, patch: `{"spec":{"resourceSnapshotIndex":"2"}}`, want: "resourceSnapshotIndex is immutable"},
	{name: "index filled in where it was absent", kind: stagedRuns, spec: `{"placementName":"p","stagedRolloutStrategyName":"s"}`, patch: `{"spec":{"resourceSnapshotIndex":"2"}}`},
	{name: "strategy changed", kind: stagedRuns, spec: goodRun, patch: `{"spec":{"stagedRolloutStrategyName":"t"}}`, want: "stagedRolloutStrategyName is immutable"},

	{name: "status with an unknown apply type", kind: stagedRuns, spec: goodRun, status: true, patch: statusPatch(`"appliedStrategy":{"type":"Magic"}`), want: `supported values: "ClientSideApply", "ServerSideApply", "ReportDiff"`},
	{name: "status with an unknown comparison", kind: stagedRuns, spec: goodRun, status: true, patch: statusPatch(`"appliedStrategy":{"comparisonOption":"Half"}`), want: `supported values: "PartialComparison", "FullComparison"`},
	{name: "status with an unknown time to apply", kind: stagedRuns, spec: goodRun, status: true, patch: statusPatch(`"appliedStrategy":{"whenToApply":"Never"}`), want: `supported values: "Always", "IfNotDrifted"`},
	{name: "status with an unknown time to take over", kind: stagedRuns, spec: goodRun, status: true, patch: statusPatch(`"appliedStrategy":{"whenToTakeOver":"Soon"}`), want: `supported values: "Always", "IfNoDiff", "Never"`},
	{name: "status with 31 stages in the snapshot", kind: stagedRuns, spec: goodRun, status: true, patch: statusPatch(`"stagedUpdateStrategySnapshot":{"stages":[` + manyStages(31) + `]}`)},
	{name: "status with 32 stages in the snapshot", kind: stagedRuns, spec: goodRun, status: true, patch: statusPatch(`"stagedUpdateStrategySnapshot":{"stages":[` + manyStages(32) + `]}`), want: "stages: Too many: 32: must have at most 31 items"},
	{name: "status with a wait in a snapshot's approval", kind: stagedRuns, spec: goodRun, status: true, patch: statusPatch(`"stagedUpdateStrategySnapshot":` + oneStage(`"afterStageTasks":[{"type":"Approval","waitTime":"1s"}]`)), want: approvalWithWait},
	{name: "status of a stage without clusters", kind: stagedRuns, spec: goodRun, status: true, patch: statusPatch(`"stagesStatus":[{"stageName":"a","clusters":[]}]`)},
	{name: "status of a stage with no list of clusters", kind: stagedRuns, spec: goodRun, status: true, patch: statusPatch(`"stagesStatus":[{"stageName":"a"}]`), want: "clusters: Required value"},
	{name: "status of a stage without a name", kind: stagedRuns, spec: goodRun, status: true, patch: statusPatch(`"stagesStatus":[{"clusters":[]}]`), want: "stageName: Required value"},
	{name: "status of a cluster without a name", kind: stagedRuns, spec: goodRun, status: true, patch: statusPatch(`"stagesStatus":[{"stageName":"a","clusters":[{}]}]`), want: "clusterName: Required value"},
	{name: "status of an override without a namespace", kind: stagedRuns, spec: goodRun, status: true, patch: statusPatch(`"stagesStatus":[{"stageName":"a","clusters":[{"clusterName":"c","resourceOverrideSnapshots":[{"name":"o"}]}]}]`), want: "namespace: Required value"},
	{name: "status of two before-stage tasks", kind: stagedRuns, spec: goodRun, status: true, patch: statusPatch(`"stagesStatus":[{"stageName":"a","clusters":[],"beforeStageTaskStatus":[{"type":"Approval"},{"type":"Approval"}]}]`), want: "must have at most 1 item"},
	{name: "status of three after-stage tasks", kind: stagedRuns, spec: goodRun, status: true, patch: statusPatch(`"deletionStageStatus":{"stageName":"a","clusters":[],"afterStageTaskStatus":[{"type":"Approval"},{"type":"Approval"},{"type":"Approval"}]}`), want: "must have at most 2 items"},
	{name: "status of an unknown task", kind: stagedRuns, spec: goodRun, status: true, patch: statusPatch(`"stagesStatus":[{"stageName":"a","clusters":[],"afterStageTaskStatus":[{"type":"Vote"}]}]`), want: `supported values: "TimedWait", "Approval"`},
	{name: "status with a start that is no time", kind: stagedRuns, spec: goodRun, status: true, patch: statusPatch(`"stagesStatus":[{"stageName":"a","clusters":[],"startTime":"noon"}]`), want: "startTime"},
	{name: "status with a condition twice", kind: stagedRuns, spec: goodRun, status: true, patch: statusPatch(`"conditions":[` + conditionJSON("Initialized", "True", "A") + `,` + conditionJSON("Initialized", "False", "B") + `]`), want: "Duplicate value"},
	{name: "status with a condition that may be", kind: stagedRuns, spec: goodRun, status: true, patch: statusPatch(`"conditions":[` + conditionJSON("Initialized", "Maybe", "A") + `]`), want: `supported values: "True", "False", "Unknown"`},

	{name: "strategy", kind: stagedStrategies, spec: goodStrategy},
	{name: "strategy without a spec", kind: stagedStrategies, want: "spec: Required value"},
	{name: "strategy without stages", kind: stagedStrategies, spec: `{}`, want: "spec.stages: Required value"},
	{name: "strategy with an empty list of stages", kind: stagedStrategies, spec: `{"stages":[]}`},
	{name: "strategy with 31 stages of one name", kind: stagedStrategies, spec: `{"stages":[` + manyStages(31) + `]}`},
	{name: "strategy with 32 stages", kind: stagedStrategies, spec: `{"stages":[` + manyStages(32) + `]}`, want: "spec.stages: Too many: 32: must have at most 31 items"},
	{name: "stage without a name", kind: stagedStrategies, spec: `{"stages":[{}]}`, want: "spec.stages[0].name: Required value"},
	{name: "stage with a name of 63 characters", kind: stagedStrategies, spec: `{"stages":[{"name":"` + strings.Repeat("a", 63) + `"}]}`},
	{name: "stage with a name of 64 characters", kind: stagedStrategies, spec: `{"stages":[{"name":"` + strings.Repeat("a", 64) + `"}]}`, want: "spec.stages[0].name: Too long"},
	{name: "stage with a dash in its name", kind: stagedStrategies, spec: `{"stages":[{"name":"a-b"}]}`, want: "should match '^[a-z0-9]+$'"},
	{name: "stage with a capital in its name", kind: stagedStrategies, spec: `{"stages":[{"name":"A"}]}`, want: "should match '^[a-z0-9]+$'"},
	{name: "stage with an empty name", kind: stagedStrategies, spec: `{"stages":[{"name":""}]}`, want: "should match '^[a-z0-9]+$'"},
	{name: "stage renamed", kind: stagedStrategies, spec: goodStrategy, patch: `{"spec":{"stages":[{"name":"prod"}]}}`},

	{name: "maxConcurrency 1", kind: stagedStrategies, spec: oneStage(`"maxConcurrency":1`)},
	{name: "maxConcurrency 1000", kind: stagedStrategies, spec: oneStage(`"maxConcurrency":1000`)},
	{name: "maxConcurrency 0", kind: stagedStrategies, spec: oneStage(`"maxConcurrency":0`), want: tooFew},
	{name: "maxConcurrency -1", kind: stagedStrategies, spec: oneStage(`"maxConcurrency":-1`), want: tooFew},
	{name: "maxConcurrency 1%", kind: stagedStrategies, spec: oneStage(`"maxConcurrency":"1%"`)},
	{name: "maxConcurrency 100%", kind: stagedStrategies, spec: oneStage(`"maxConcurrency":"100%"`)},
	{name: "maxConcurrency 0%", kind: stagedStrategies, spec: oneStage(`"maxConcurrency":"0%"`), want: "should match '^(100|[1-9][0-9]?)%$'"},
	{name: "maxConcurrency 101%", kind: stagedStrategies, spec: oneStage(`"maxConcurrency":"101%"`), want: "should match '^(100|[1-9][0-9]?)%$'"},
	{name: "maxConcurrency as text without a percent sign", kind: stagedStrategies, spec: oneStage(`"maxConcurrency":"5"`), want: "should match '^(100|[1-9][0-9]?)%$'"},
	{name: "maxConcurrency true", kind: stagedStrategies, spec: oneStage(`"maxConcurrency":true`), want: "maxConcurrency"},

	{name: "before: approval", kind: stagedStrategies, spec: oneStage(`"beforeStageTasks":[{"type":"Approval"}]`)},
	{name: "before: two tasks", kind: stagedStrategies, spec: oneStage(`"beforeStageTasks":[{"type":"Approval"},{"type":"Approval"}]`), want: "beforeStageTasks: Too many: 2: must have at most 1 item"},
	{name: "before: approval with a wait", kind: stagedStrategies, spec: oneStage(`"beforeStageTasks":[{"type":"Approval","waitTime":"1m"}]`), want: approvalWithWait},
	{name: "before: timed wait", kind: stagedStrategies, spec: oneStage(`"beforeStageTasks":[{"type":"TimedWait","waitTime":"1m"}]`), want: "BeforeStageTaskType cannot be TimedWait"},
	{name: "before: task without a type", kind: stagedStrategies, spec: oneStage(`"beforeStageTasks":[{}]`), want: "type: Required value"},
	{name: "before: unknown task", kind: stagedStrategies, spec: oneStage(`"beforeStageTasks":[{"type":"Vote"}]`), want: `supported values: "TimedWait", "Approval"`},
	{name: "after: approval and wait", kind: stagedStrategies, spec: oneStage(`"afterStageTasks":[{"type":"Approval"},{"type":"TimedWait","waitTime":"1h30m"}]`)},
	{name: "after: two tasks of one type", kind: stagedStrategies, spec: oneStage(`"afterStageTasks":[{"type":"Approval"},{"type":"Approval"}]`)},
	{name: "after: three tasks", kind: stagedStrategies, spec: oneStage(`"afterStageTasks":[{"type":"Approval"},{"type":"Approval"},{"type":"Approval"}]`), want: "afterStageTasks: Too many: 3: must have at most 2 items"},
	{name: "after: approval with a wait", kind: stagedStrategies, spec: oneStage(`"afterStageTasks":[{"type":"Approval","waitTime":"1m"}]`), want: approvalWithWait},
	{name: "after: timed wait without a time", kind: stagedStrategies, spec: oneStage(`"afterStageTasks":[{"type":"TimedWait"}]`), want: "AfterStageTaskType is TimedWait, waitTime is required"},
	{name: "after: task without a type", kind: stagedStrategies, spec: oneStage(`"afterStageTasks":[{}]`), want: "type: Required value"},
	{name: "after: unknown task", kind: stagedStrategies, spec: oneStage(`"afterStageTasks":[{"type":"Vote"}]`), want: `supported values: "TimedWait", "Approval"`},
	{name: "wait of no time", kind: stagedStrategies, spec: oneStage(`"afterStageTasks":[{"type":"TimedWait","waitTime":"0s"}]`)},
	{name: "wait of one and a half hours", kind: stagedStrategies, spec: oneStage(`"afterStageTasks":[{"type":"TimedWait","waitTime":"1.5h"}]`)},
	{name: "wait in days", kind: stagedStrategies, spec: oneStage(`"afterStageTasks":[{"type":"TimedWait","waitTime":"1d"}]`), want: "waitTime"},
	{name: "wait in milliseconds", kind: stagedStrategies, spec: oneStage(`"afterStageTasks":[{"type":"TimedWait","waitTime":"100ms"}]`), want: "waitTime"},
	{name: "wait without a unit", kind: stagedStrategies, spec: oneStage(`"afterStageTasks":[{"type":"TimedWait","waitTime":"0"}]`), want: "waitTime"},
	{name: "wait with a leading zero", kind: stagedStrategies, spec: oneStage(`"afterStageTasks":[{"type":"TimedWait","waitTime":"01s"}]`), want: "waitTime"},
	{name: "wait of less than no time", kind: stagedStrategies, spec: oneStage(`"afterStageTasks":[{"type":"TimedWait","waitTime":"-1s"}]`), want: "waitTime"},
	{name: "selector without an operator", kind: stagedStrategies, spec: oneStage(`"labelSelector":{"matchExpressions":[{"key":"a"}]}`), want: "operator: Required value"},

	{name: "approval request", kind: stagedApprovals, spec: goodApproval},
	{name: "approval request without a spec", kind: stagedApprovals, want: "spec: Required value"},
	{name: "approval request without a run", kind: stagedApprovals, spec: `{"targetStage":"canary"}`, want: "spec.parentStageRollout: Required value"},
	{name: "approval request without a stage", kind: stagedApprovals, spec: `{"parentStageRollout":"r"}`, want: "spec.targetStage: Required value"},
	{name: "approval request for another run", kind: stagedApprovals, spec: goodApproval, patch: `{"spec":{"parentStageRollout":"q"}}`, want: "The spec field is immutable"},
	{name: "approval request for another stage", kind: stagedApprovals, spec: goodApproval, patch: `{"spec":{"targetStage":"prod"}}`, want: "The spec field is immutable"},
	{name: "approval", kind: stagedApprovals, spec: goodApproval, status: true, patch: statusPatch(`"conditions":[` + conditionJSON("Approved", "True", "Approved") + `]`)},
	{name: "approval with a blank in its reason", kind: stagedApprovals, spec: goodApproval, status: true, patch: statusPatch(`"conditions":[` + conditionJSON("Approved", "True", "looks good") + `]`), want: "reason"},
	{name: "approval without a reason", kind: stagedApprovals, spec: goodApproval, status: true, patch: statusPatch(`"conditions":[` + conditionJSON("Approved", "True", "") + `]`), want: "reason"},
	{name: "approval without a time", kind: stagedApprovals, spec: goodApproval, status: true, patch: statusPatch(`"conditions":[{"type":"Approved","status":"True","reason":"A","message":""}]`), want: "lastTransitionTime: Required value"},
	{name: "approval without a message", kind: stagedApprovals, spec: goodApproval, status: true, patch: statusPatch(`"conditions":[{"type":"Approved","status":"True","reason":"A","lastTransitionTime":"2026-03-01T10:00:00Z"}]`), want: "message: Required value"},
	{name: "approval of a generation below zero", kind: stagedApprovals, spec: goodApproval, status: true, patch: statusPatch(`"conditions":[{"type":"Approved","status":"True","reason":"A","message":"","observedGeneration":-1,"lastTransitionTime":"2026-03-01T10:00:00Z"}]`), want: "observedGeneration"},
	{name: "approval twice", kind: stagedApprovals, spec: goodApproval, status: true, patch: statusPatch(`"conditions":[` + conditionJSON("Approved", "True", "A") + `,` + conditionJSON("Approved", "False", "B") + `]`), want: "Duplicate value"},
}

// TestSchemasRefuse sends each case to the hub, in both scopes.
func TestSchemasRefuse(t *testing.T) {
	cfg := crdHub(t)
	for _, s := range stagedScopes {
		t.Run(s.name, func(t *testing.T) {
			for i, tt := range schemaCases {
				t.Run(tt.name, func(t *testing.T) {
					client := s.client(t, cfg, tt.kind)
					name := tt.object
					if name == "" {
						name = fmt.Sprintf("case-%d", i)
					}
					_, err := client.Create(t.Context(), s.object(t, tt.kind, name, tt.spec), metav1.CreateOptions{})
					if tt.patch != "" {
						if err != nil {
							t.Fatalf("create: %v", err)
						}
						var sub []string
						if tt.status {
							sub = []string{"status"}
						}
						_, err = client.Patch(t.Context(), name, types.MergePatchType, []byte(tt.patch), metav1.PatchOptions{}, sub...)
					}
					switch {
					case tt.want == "" && err != nil:
						t.Errorf("refused: %v", err)
					case tt.want != "" && err == nil:
						t.Errorf("accepted, want a refusal with %q", tt.want)
					case tt.want != "" && (!apierrors.IsInvalid(err) || !strings.Contains(err.Error(), tt.want)):
						t.Errorf("refused with %v, want Invalid with %q", err, tt.want)
					}
				})
			}
		})
	}
}

// TestSchemasDefault holds what the hub fills in (docs/kubefleet.md#run,
// #strategy).
func TestSchemasDefault(t *testing.T) {
	cfg := crdHub(t)
	tests := []struct {
		name              string
		kind              stagedKind
		spec, patch, want string
	}{
		{
			name: "run", kind: stagedRuns,
			spec: `{"placementName":"p","stagedRolloutStrategyName":"s"}`,
			want: `{"spec":{"placementName":"p","stagedRolloutStrategyName":"s","state":"Initialize"}}`,
		},
		{
			name: "strategy", kind: stagedStrategies,
			spec: goodStrategy,
			want: `{"spec":{"stages":[{"maxConcurrency":1,"name":"canary"}]}}`,
		},
		{
			name: "status of a run", kind: stagedRuns,
			spec:  goodRun,
			patch: statusPatch(`"appliedStrategy":{},"stagedUpdateStrategySnapshot":` + goodStrategy),
			want: `{"spec":{"placementName":"p","resourceSnapshotIndex":"1","stagedRolloutStrategyName":"s","state":"Initialize"},` +
				`"status":{"appliedStrategy":{"comparisonOption":"PartialComparison","type":"ClientSideApply","whenToApply":"Always","whenToTakeOver":"Always"},` +
				`"stagedUpdateStrategySnapshot":{"stages":[{"maxConcurrency":1,"name":"canary"}]}}}`,
		},
	}
	for _, s := range stagedScopes {
		for i, tt := range tests {
			t.Run(s.name+"/"+tt.name, func(t *testing.T) {
				client := s.client(t, cfg, tt.kind)
				name := fmt.Sprintf("default-%d", i)
				u, err := client.Create(t.Context(), s.object(t, tt.kind, name, tt.spec), metav1.CreateOptions{})
				if err == nil && tt.patch != "" {
					u, err = client.Patch(t.Context(), name, types.MergePatchType, []byte(tt.patch), metav1.PatchOptions{}, "status")
				}
				if err != nil {
					t.Fatal(err)
				}
				content := map[string]any{"spec": u.Object["spec"]}
				if status, ok := u.Object["status"]; ok {
					content["status"] = status
				}
				got, err := json.Marshal(content)
				if err != nil {
					t.Fatal(err)
				}
				if string(got) != tt.want {
					t.Errorf("got  %s\nwant %s", got, tt.want)
				}
			})
		}
	}
}

// TestStatusSubresource holds that spec and status are written apart, that only
// a change of the spec makes a new generation, and which kinds have a status
// subresource (docs/kubefleet.md#kinds).
func TestStatusSubresource(t *testing.T) {
	cfg := crdHub(t)
	patch := func(t *testing.T, client dynamic.ResourceInterface, body string, sub ...string) *unstructured.Unstructured {
		t.Helper()
		u, err := client.Patch(t.Context(), "status", types.MergePatchType, []byte(body), metav1.PatchOptions{}, sub...)
		if err != nil {
			t.Fatalf("patch %s: %v", body, err)
		}
		return u
	}
	for _, s := range stagedScopes {
		t.Run(s.name+"/run", func(t *testing.T) {
			client := s.client(t, cfg, stagedRuns)
			run := s.object(t, stagedRuns, "status", goodRun)
			run.Object["status"] = map[string]any{"policySnapshotIndexUsed": "0"}
			u, err := client.Create(t.Context(), run, metav1.CreateOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if _, ok := u.Object["status"]; ok {
				t.Error("create kept the status")
			}
			u = patch(t, client, `{"spec":{"state":"Run"},"status":{"policySnapshotIndexUsed":"0"}}`)
			if _, ok := u.Object["status"]; ok || u.GetGeneration() != 2 {
				t.Errorf("after a patch of the spec: generation %d, status %v", u.GetGeneration(), u.Object["status"])
			}
			u = patch(t, client, `{"spec":{"state":"Stop"},"status":{"policySnapshotIndexUsed":"0"}}`, "status")
			state, _, err := unstructured.NestedString(u.Object, "spec", "state")
			if err != nil {
				t.Fatal(err)
			}
			used, _, err := unstructured.NestedString(u.Object, "status", "policySnapshotIndexUsed")
			if err != nil {
				t.Fatal(err)
			}
			if state != "Run" || used != "0" || u.GetGeneration() != 2 {
				t.Errorf("after a patch of the status: generation %d, state %s, index %q", u.GetGeneration(), state, used)
			}
		})
		t.Run(s.name+"/approval", func(t *testing.T) {
			client := s.client(t, cfg, stagedApprovals)
			if _, err := client.Create(t.Context(), s.object(t, stagedApprovals, "status", goodApproval), metav1.CreateOptions{}); err != nil {
				t.Fatal(err)
			}
			approve := statusPatch(`"conditions":[` + conditionJSON("Approved", "True", "A") + `]`)
			if u := patch(t, client, approve); u.Object["status"] != nil {
				t.Errorf("a patch without the subresource wrote %v", u.Object["status"])
			}
			if u := patch(t, client, approve, "status"); u.Object["status"] == nil || u.GetGeneration() != 1 {
				t.Errorf("after a patch of the status: generation %d, status %v", u.GetGeneration(), u.Object["status"])
			}
		})
		t.Run(s.name+"/strategy", func(t *testing.T) {
			client := s.client(t, cfg, stagedStrategies)
			if _, err := client.Create(t.Context(), s.object(t, stagedStrategies, "status", goodStrategy), metav1.CreateOptions{}); err != nil {
				t.Fatal(err)
			}
			_, err := client.Get(t.Context(), "status", metav1.GetOptions{}, "status")
			if got, want := apierrors.IsNotFound(err), s.namespace != ""; got != want {
				t.Errorf("get of the status subresource: %v", err)
			}
		})
	}
}

// TestTables asks for the lists that kubectl get prints (docs/kubefleet.md#run,
// #approval-request).
func TestTables(t *testing.T) {
	cfg := crdHub(t)
	httpClient, err := rest.HTTPClientFor(cfg)
	if err != nil {
		t.Fatal(err)
	}
	run := []string{"Name", "Placement", "Resource-Snapshot-Index", "Policy-Snapshot-Index", "Initialized", "Progressing", "Succeeded", "Age", "Strategy+"}
	approval := []string{"Name", "Update-Run", "Stage", "Approved", "Age"}
	tests := []struct {
		kind          stagedKind
		spec, status  string
		columns, want []string // want leaves the last columns of the row out: they have the age
	}{
		{
			kind: stagedRuns, spec: goodRun, status: statusPatch(`"policySnapshotIndexUsed":"4","conditions":[` + conditionJSON("Initialized", "True", "A") + `,` + conditionJSON("Progressing", "Unknown", "B") + `]`),
			columns: run, want: []string{"table", "p", "1", "4", "True", "Unknown", "<nil>"},
		},
		{
			kind: stagedApprovals, spec: goodApproval, status: statusPatch(`"conditions":[` + conditionJSON("Approved", "True", "A") + `]`),
			columns: approval, want: []string{"table", "r", "canary", "True"},
		},
		{kind: stagedStrategies, spec: goodStrategy, columns: []string{"Name", "Age"}, want: []string{"table"}},
	}
	for _, s := range stagedScopes {
		for _, tt := range tests {
			client := s.client(t, cfg, tt.kind)
			if _, err := client.Create(t.Context(), s.object(t, tt.kind, "table", tt.spec), metav1.CreateOptions{}); err != nil {
				t.Fatal(err)
			}
			if tt.status != "" {
				if _, err := client.Patch(t.Context(), "table", types.MergePatchType, []byte(tt.status), metav1.PatchOptions{}, "status"); err != nil {
					t.Fatal(err)
				}
			}
			for _, version := range []string{v1beta1.VersionV1, v1beta1.Version} {
				t.Run(s.name+"/"+tt.kind.kind+"/"+version, func(t *testing.T) {
					path := "/apis/" + v1beta1.Group + "/" + version + "/"
					if s.namespace != "" {
						path += "namespaces/" + s.namespace + "/"
					}
					table := getTable(t, httpClient, cfg.Host+path+s.resourcePrefix+tt.kind.resource+"/table")
					var columns []string
					for _, c := range table.ColumnDefinitions {
						name := c.Name
						if c.Priority > 0 {
							name += "+"
						}
						columns = append(columns, name)
					}
					if !slices.Equal(columns, tt.columns) {
						t.Errorf("columns %q, want %q", columns, tt.columns)
					}
					if len(table.Rows) != 1 {
						t.Fatalf("%d rows", len(table.Rows))
					}
					var cells []string
					for _, cell := range table.Rows[0].Cells[:len(tt.want)] {
						cells = append(cells, fmt.Sprint(cell))
					}
					if !slices.Equal(cells, tt.want) {
						t.Errorf("cells %q, want %q", cells, tt.want)
					}
				})
			}
		}
	}
}

// getTable asks for the object as a Table.
func getTable(t *testing.T, client *http.Client, url string) metav1.Table {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Accept", "application/json;as=Table;v=v1;g=meta.k8s.io")
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	if err := response.Body.Close(); err != nil {
		t.Fatal(err)
	}
	if response.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s\n%s", url, response.Status, body)
	}
	var table metav1.Table
	if err := json.Unmarshal(body, &table); err != nil {
		t.Fatalf("parse table: %v\n%s", err, body)
	}
	return table
}
