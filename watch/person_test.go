package watch

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"github.com/stagewatch/stagewatch/demo/hub"
	"github.com/stagewatch/stagewatch/engine"
)

// person is somebody else at the hub: the one who makes and changes objects.
type person struct {
	t *testing.T
	h *hub.Hub
	c rest.Interface
}

// elseUser is who somebody is: what the hub's log says of every other user, a
// session has asked for.
const elseUser = "somebody-else"

func somebody(t *testing.T, h *hub.Hub) person {
	t.Helper()
	c, err := plainClient(h.Config(elseUser))
	if err != nil {
		t.Fatal(err)
	}
	return person{t: t, h: h, c: c}
}

// plainClient is a client that has nothing of the one that is tested.
func plainClient(config *rest.Config) (rest.Interface, error) {
	cfg := rest.CopyConfig(config)
	cfg.QPS = -1
	cfg.GroupVersion = &schema.GroupVersion{}
	scheme := runtime.NewScheme()
	metav1.AddToGroupVersion(scheme, schema.GroupVersion{Version: "v1"}) // Status, for errors
	cfg.NegotiatedSerializer = serializer.NewCodecFactory(scheme).WithoutConversion()
	return rest.UnversionedRESTClientFor(cfg)
}

// answer is the body of an answer, or the error that the hub returned.
func answer(r rest.Result) ([]byte, error) {
	if err := r.Error(); err != nil {
		return nil, err
	}
	return r.Raw()
}

func (p person) path(o map[string]any) string {
	u := unstructured.Unstructured{Object: o}
	plural := strings.ToLower(u.GetKind()) + "s"
	if stem, ok := strings.CutSuffix(plural, "ys"); ok {
		plural = stem + "ies"
	}
	if u.GetKind() == "Namespace" {
		return "/api/v1/namespaces"
	}
	path := "/apis/" + u.GetAPIVersion()
	if ns := u.GetNamespace(); ns != "" {
		path += "/namespaces/" + ns
	}
	return path + "/" + plural
}

// make creates an object with its status and returns it as stored.
func (p person) make(o map[string]any) map[string]any {
	p.t.Helper()
	status := o["status"]
	stored := p.send(p.c.Post().AbsPath(p.path(o)), o)
	if status == nil {
		return stored
	}
	stored["status"] = status
	return p.putStatus(stored)
}

// cached waits until the API server's watch cache, from which lists are answered, has a version of
// an object.
func (p person) cached(o map[string]any) {
	p.t.Helper()
	u := unstructured.Unstructured{Object: o}
	if err := p.c.Get().AbsPath(p.path(o)).Param("resourceVersion", u.GetResourceVersion()).Do(p.t.Context()).Error(); err != nil {
		p.t.Fatal(err)
	}
}

func (p person) putStatus(o map[string]any) map[string]any {
	p.t.Helper()
	u := unstructured.Unstructured{Object: o}
	return p.send(p.c.Put().AbsPath(p.path(o), u.GetName(), "status"), o)
}

func (p person) put(o map[string]any) map[string]any {
	p.t.Helper()
	u := unstructured.Unstructured{Object: o}
	return p.send(p.c.Put().AbsPath(p.path(o), u.GetName()), o)
}

func (p person) get(o map[string]any) map[string]any {
	p.t.Helper()
	u := unstructured.Unstructured{Object: o}
	return p.send(p.c.Get().AbsPath(p.path(o), u.GetName()), nil)
}

// refresh returns the object as it is now, changed.
func (p person) refresh(o map[string]any, change func(map[string]any)) map[string]any {
	p.t.Helper()
	o = p.get(o)
	change(o)
	return o
}

func (p person) remove(o map[string]any) {
	p.t.Helper()
	u := unstructured.Unstructured{Object: o}
	p.send(p.c.Delete().AbsPath(p.path(o), u.GetName()), nil)
}

// removeAll deletes every object of KubeFleet, whatever finalizer holds it.
func (p person) removeAll() {
	p.t.Helper()
	for _, version := range []string{apiVersion, "cluster.kubernetes-fleet.io/v1beta1"} {
		served := p.send(p.c.Get().AbsPath("/apis", version), nil)
		for _, r := range served["resources"].([]any) {
			plural := r.(map[string]any)["name"].(string)
			if strings.Contains(plural, "/") {
				continue
			}
			for _, o := range p.send(p.c.Get().AbsPath("/apis", version, plural), nil)["items"].([]any) {
				object := o.(map[string]any)
				p.remove(object)
				if object["metadata"].(map[string]any)["finalizers"] != nil {
					p.put(p.refresh(object, func(o map[string]any) { delete(o["metadata"].(map[string]any), "finalizers") }))
				}
			}
		}
	}
}

func (p person) send(r *rest.Request, body map[string]any) map[string]any {
	p.t.Helper()
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			p.t.Fatal(err)
		}
		r = r.Body(raw).SetHeader("Content-Type", "application/json")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	raw, err := answer(r.Do(ctx))
	if err != nil {
		p.t.Fatal(err)
	}
	var out map[string]any
	if err := json.Unmarshal(raw, &out); err != nil {
		p.t.Fatal(err)
	}
	return out
}

// namespace makes a namespace unless it is there.
func (p person) namespace(name string) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	body := fmt.Appendf(nil, `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":%q}}`, name)
	err := p.c.Post().AbsPath("/api/v1/namespaces").Body(body).SetHeader("Content-Type", "application/json").Do(ctx).Error()
	if err != nil && !apierrors.IsAlreadyExists(err) {
		p.t.Fatal(err)
	}
}

// fromYAML reads YAML with printf verbs in it.
func fromYAML(t testing.TB, format string, args ...any) map[string]any {
	t.Helper()
	var o map[string]any
	if err := yaml.Unmarshal(fmt.Appendf(nil, format, args...), &o); err != nil {
		t.Fatal(err)
	}
	return o
}

const apiVersion = "placement.kubernetes-fleet.io/v1beta1"

// aRun is a run of one stage, called prod, that is at the given reason of its
// Progressing condition.
func aRun(t testing.TB, ns, name, place, state, reason string) map[string]any {
	kind := "ClusterStagedUpdateRun"
	if ns != "" {
		kind = "StagedUpdateRun"
	}
	status := "True"
	if reason != "UpdateRunProgressing" {
		status = "False"
	}
	o := fromYAML(t, `
apiVersion: %s
kind: %s
metadata: {name: %s}
spec: {placementName: %s, stagedRolloutStrategyName: s, state: %s}
status:
  resourceSnapshotIndexUsed: "1"
  stagedUpdateStrategySnapshot:
    stages: [{name: prod, maxConcurrency: 1, beforeStageTasks: [{type: Approval}]}]
  stagesStatus:
  - stageName: prod
    clusters: [{clusterName: a}, {clusterName: b}]
    beforeStageTaskStatus:
    - type: Approval
      approvalRequestName: %[3]s-before-prod
      conditions:
      - {type: ApprovalRequestCreated, status: "True", reason: StageTaskApprovalRequestCreated, message: m, observedGeneration: 1, lastTransitionTime: "2026-11-20T10:00:00Z"}
    conditions:
    - {type: Progressing, status: "False", reason: StageUpdatingWaiting, message: "Not all before-stage tasks are completed, waiting for approval", observedGeneration: 1, lastTransitionTime: "2026-11-20T10:00:00Z"}
  conditions:
  - {type: Initialized, status: "True", reason: UpdateRunInitializedSuccessfully, message: m, observedGeneration: 1, lastTransitionTime: "2026-11-20T10:00:00Z"}
  - {type: Progressing, status: %[6]q, reason: %[7]s, message: m, observedGeneration: 1, lastTransitionTime: "2026-11-20T10:00:00Z"}
`, apiVersion, kind, name, place, state, status, reason)
	if ns != "" {
		o["metadata"].(map[string]any)["namespace"] = ns
	}
	return o
}

func anApproval(t *testing.T, ns, run, stage string) map[string]any {
	kind := "ClusterApprovalRequest"
	if ns != "" {
		kind = "ApprovalRequest"
	}
	o := fromYAML(t, `
apiVersion: %s
kind: %s
metadata: {name: %s-before-%s}
spec: {parentStageRollout: %[3]s, targetStage: %[4]s}
`, apiVersion, kind, run, stage)
	if ns != "" {
		o["metadata"].(map[string]any)["namespace"] = ns
	}
	return o
}

func aBinding(t *testing.T, ns, place, cluster, byRun string) map[string]any {
	kind := "ClusterResourceBinding"
	if ns != "" {
		kind = "ResourceBinding"
	}
	o := fromYAML(t, `
apiVersion: %s
kind: %s
metadata:
  name: %s-%s
  labels: {kubernetes-fleet.io/parent-CRP: %[3]s}
spec:
  state: Bound
  resourceSnapshotName: %[3]s-1-snapshot
  schedulingPolicySnapshotName: %[3]s-0
  targetCluster: %[4]s
  clusterDecision: {clusterName: %[4]s, selected: true, reason: r}
status:
  conditions:
  - {type: RolloutStarted, status: "True", reason: RolloutStarted, message: "Detected the new changes on the resources and started the rollout process, resourceSnapshotIndex: 1, updateRun: %s", observedGeneration: 1, lastTransitionTime: "2026-11-20T10:00:00Z"}
`, apiVersion, kind, place, cluster, byRun)
	if ns != "" {
		o["metadata"].(map[string]any)["namespace"] = ns
	}
	return o
}

// openSession opens a session that is closed with the test.
func openSession(t *testing.T, cfg Config) *Session {
	t.Helper()
	s, err := Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// until reads Snapshots until one is as wanted.
func until(t *testing.T, s *Session, what string, ok func(*engine.Snapshot) bool) *engine.Snapshot {
	t.Helper()
	return within(t, s, time.Minute, what, ok)
}

func within(t *testing.T, s *Session, d time.Duration, what string, ok func(*engine.Snapshot) bool) *engine.Snapshot {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	defer cancel()
	var last *engine.Snapshot
	for {
		snapshot, err := s.Next(ctx)
		if err != nil {
			t.Fatalf("waited %v for %s: %v\nlast: %s", d, what, err, describe(last))
		}
		last = snapshot
		if ok(snapshot) {
			return snapshot
		}
	}
}

func describe(s *engine.Snapshot) string {
	if s == nil {
		return "no snapshot"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "link %v %v (%v) complete %v scope %v notes %v off %q\n", s.Link.State, s.Link.Err, s.Link.Hint, s.Complete,
		s.Scope.Namespaces, s.Scope.Notes, s.WritesOff)
	for _, r := range s.Runs {
		fmt.Fprintf(&b, "  %v %v %v partial %v\n", r.ID.Kind(), r.ID.Title(), r.Word, r.Partial)
	}
	return b.String()
}

func named(s *engine.Snapshot, kind engine.Kind, ns, name string) *engine.RunView {
	for _, r := range s.Runs {
		if n, m, _ := r.ID.Raw(); r.ID.Kind() == kind && n == ns && m == name {
			return r
		}
	}
	return nil
}

func live(s *engine.Snapshot) bool { return s.Link.State == engine.LinkLive && s.Complete }
