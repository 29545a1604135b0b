package hub_test

import (
	"context"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"github.com/stagewatch/stagewatch/api/crds"
	"github.com/stagewatch/stagewatch/demo/hub"
	"github.com/stagewatch/stagewatch/deploy/rbac"
)

const (
	onlyViewer   = "only-viewer"
	onlyApprover = "only-approver"
)

// TestDeployedRoles sends every kind of request on every kind of object with the
// rights of deploy/rbac and nothing else.
func TestDeployedRoles(t *testing.T) {
	view, err := hub.RulesOfRoles(rbac.Viewer)
	if err != nil {
		t.Fatal(err)
	}
	approve, err := hub.RulesOfRoles(rbac.Approver)
	if err != nil {
		t.Fatal(err)
	}
	h := started(t, hub.Options{Users: []hub.User{
		{Name: onlyViewer, Rules: view},
		{Name: onlyApprover, Rules: append(view[:len(view):len(view)], approve...)},
	}})
	manifests, err := crds.All()
	if err != nil {
		t.Fatal(err)
	}
	if err := h.InstallCRDs(t.Context(), manifests...); err != nil {
		t.Fatal(err)
	}
	admin := client(t, h, hub.AdminUser)
	for _, name := range []string{"team", "fleet-system"} {
		ns := object(`{apiVersion: v1, kind: Namespace, metadata: {name: ` + name + `}}`)
		if _, err := admin.Resource(namespaces).Create(t.Context(), ns, metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
			t.Fatal(err)
		}
	}
	for _, user := range []string{onlyViewer, onlyApprover} {
		c := client(t, h, user)
		for _, target := range targetsOf(manifests) {
			for _, verb := range verbs {
				t.Run(user+" "+verb.name+" "+target.String(), func(t *testing.T) {
					err := verb.send(t.Context(), target.in(c))
					if got, want := !apierrors.IsForbidden(err), mayRole(user, verb.name, target); got != want {
						t.Errorf("allowed: %v, want %v (%v)", got, want, err)
					}
				})
			}
		}
	}
	t.Run("approve", func(t *testing.T) { approveAs(t, h) })
}

// target is a resource, in a namespace or of the cluster scope.
type target struct {
	schema.GroupVersionResource
	namespace string
}

func (g target) String() string { return g.namespace + "/" + g.Resource }

func (g target) in(c dynamic.Interface) dynamic.ResourceInterface {
	if g.namespace == "" {
		return c.Resource(g.GroupVersionResource)
	}
	return c.Resource(g.GroupVersionResource).Namespace(g.namespace)
}

func targetsOf(manifests [][]byte) []target {
	out := []target{
		{namespaces, ""},
		{events, "team"},
		{secrets, "team"},
		{configMaps, "team"},
		{deployments, "team"},
		{schema.GroupVersionResource{Version: "v1", Resource: "pods"}, "team"},
		{schema.GroupVersionResource{Version: "v1", Resource: "pods"}, "fleet-system"},
	}
	for _, m := range manifests {
		u := object(string(m))
		group, _, _ := unstructured.NestedString(u.Object, "spec", "group")
		plural, _, _ := unstructured.NestedString(u.Object, "spec", "names", "plural")
		scope, _, _ := unstructured.NestedString(u.Object, "spec", "scope")
		g := target{GroupVersionResource: schema.GroupVersionResource{Group: group, Version: "v1beta1", Resource: plural}}
		if scope == "Namespaced" {
			g.namespace = "team"
		}
		out = append(out, g)
	}
	return out
}

var verbs = []struct {
	name string
	send func(context.Context, dynamic.ResourceInterface) error
}{
	{"get", func(ctx context.Context, c dynamic.ResourceInterface) error {
		_, err := c.Get(ctx, "x", metav1.GetOptions{})
		return err
	}},
	{"list", func(ctx context.Context, c dynamic.ResourceInterface) error {
		_, err := c.List(ctx, metav1.ListOptions{})
		return err
	}},
	{"watch", func(ctx context.Context, c dynamic.ResourceInterface) error {
		w, err := c.Watch(ctx, metav1.ListOptions{})
		if err == nil {
			w.Stop()
		}
		return err
	}},
	{"create", func(ctx context.Context, c dynamic.ResourceInterface) error {
		_, err := c.Create(ctx, named("x"), metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		return err
	}},
	{"update", func(ctx context.Context, c dynamic.ResourceInterface) error {
		_, err := c.Update(ctx, named("x"), metav1.UpdateOptions{})
		return err
	}},
	{"patch", func(ctx context.Context, c dynamic.ResourceInterface) error {
		_, err := c.Patch(ctx, "x", types.MergePatchType, []byte(`{}`), metav1.PatchOptions{})
		return err
	}},
	{"update status", func(ctx context.Context, c dynamic.ResourceInterface) error {
		_, err := c.UpdateStatus(ctx, named("x"), metav1.UpdateOptions{})
		return err
	}},
	{"patch status", func(ctx context.Context, c dynamic.ResourceInterface) error {
		_, err := c.Patch(ctx, "x", types.MergePatchType, []byte(`{}`), metav1.PatchOptions{}, "status")
		return err
	}},
	{"delete", func(ctx context.Context, c dynamic.ResourceInterface) error {
		return c.Delete(ctx, "x", metav1.DeleteOptions{})
	}},
	{"deletecollection", func(ctx context.Context, c dynamic.ResourceInterface) error {
		return c.DeleteCollection(ctx, metav1.DeleteOptions{DryRun: []string{metav1.DryRunAll}}, metav1.ListOptions{})
	}},
}

func named(name string) *unstructured.Unstructured {
	return object(`{apiVersion: v1, kind: Any, metadata: {name: ` + name + `}}`)
}

// mayRole is what the roles promise.
func mayRole(user, verb string, g target) bool {
	fleetObject := strings.HasSuffix(g.Group, "kubernetes-fleet.io")
	switch verb {
	case "get", "list":
		return verb == "get" && g.Resource == "deployments" || fleetObject || g.Resource == "namespaces" || g.Resource == "events" || g.Resource == "pods" && g.namespace == "fleet-system"
	case "watch":
		return fleetObject || g.Resource == "namespaces" || g.Resource == "events"
	case "update status", "patch status":
		return user == onlyApprover && strings.HasSuffix(g.Resource, "approvalrequests")
	}
	return false
}

// approveAs approves a stage as the approver, which the viewer cannot.
func approveAs(t *testing.T, h *hub.Hub) {
	requests := schema.GroupVersionResource{Group: fleet, Version: "v1beta1", Resource: "clusterapprovalrequests"}
	request := object(`{apiVersion: placement.kubernetes-fleet.io/v1beta1, kind: ClusterApprovalRequest, metadata: {name: web-before-prod},
		spec: {parentStageRollout: web, targetStage: prod}}`)
	if _, err := client(t, h, hub.AdminUser).Resource(requests).Create(t.Context(), request, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	patch := []byte(`{"status":{"conditions":[{"type":"Approved","status":"True","reason":"test","message":"","observedGeneration":1,"lastTransitionTime":"2026-01-01T00:00:00Z"}]}}`)
	if _, err := client(t, h, onlyViewer).Resource(requests).Patch(t.Context(), "web-before-prod", types.MergePatchType, patch, metav1.PatchOptions{}, "status"); !apierrors.IsForbidden(err) {
		t.Errorf("the viewer approves: %v, want 403", err)
	}
	got, err := client(t, h, onlyApprover).Resource(requests).Patch(t.Context(), "web-before-prod", types.MergePatchType, patch, metav1.PatchOptions{}, "status")
	if err != nil {
		t.Fatal(err)
	}
	if conditions, _, _ := unstructured.NestedSlice(got.Object, "status", "conditions"); len(conditions) != 1 {
		t.Errorf("conditions after the approval: %v", conditions)
	}
}
