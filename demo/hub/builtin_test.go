package hub_test

import (
	"context"
	"encoding/base64"
	"slices"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/stagewatch/stagewatch/demo/hub"
)

func TestNamespaces(t *testing.T) {
	admin := client(t, shared, hub.AdminUser)
	for _, name := range []string{"default", "kube-system", "team"} {
		ns, err := admin.Resource(namespaces).Get(t.Context(), name, metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if field(ns, "status", "phase") != "Active" || ns.GetLabels()["kubernetes.io/metadata.name"] != name {
			t.Errorf("%s: %v", name, ns.Object)
		}
	}
	// A snapshot of a namespace holds its finalizers: they are a real hub's.
	team, err := admin.Resource(namespaces).Get(t.Context(), "team", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	unstructured.RemoveNestedField(team.Object, "spec")
	if team, err = admin.Resource(namespaces).Update(t.Context(), team, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	if finalizers, _, err := unstructured.NestedStringSlice(team.Object, "spec", "finalizers"); err != nil || !slices.Equal(finalizers, []string{"kubernetes"}) {
		t.Errorf("finalizers: %v, %v", finalizers, err)
	}
	_, err = admin.Resource(namespaces).Create(t.Context(), object(`{apiVersion: v1, kind: Namespace, metadata: {name: Not.A.Label}}`), metav1.CreateOptions{})
	if !apierrors.IsInvalid(err) {
		t.Errorf("a bad name: %v", err)
	}
	active, err := admin.Resource(namespaces).List(t.Context(), metav1.ListOptions{FieldSelector: "status.phase=Active,metadata.name=team"})
	if err != nil || len(active.Items) != 1 {
		t.Errorf("field selector: %d, %v", len(active.Items), err)
	}
}

func TestNothingIsCreatedInANamespaceThatIsNotThere(t *testing.T) {
	admin := client(t, shared, hub.AdminUser)
	w := object(`{apiVersion: example.com/v1, kind: Widget, metadata: {name: lost, namespace: nowhere}}`)
	_, err := admin.Resource(widgets).Namespace("nowhere").Create(t.Context(), w, metav1.CreateOptions{})
	if !apierrors.IsNotFound(err) || err.Error() != `namespaces "nowhere" not found` {
		t.Errorf("created in no namespace: %v", err)
	}
}

func TestEventsAreFoundByWhatTheyAreAbout(t *testing.T) {
	admin := client(t, shared, hub.AdminUser)
	for _, e := range []string{
		`{name: e1, namespace: team}, involvedObject: {kind: Widget, name: one, namespace: team, uid: u-1}, reason: Made, type: Normal`,
		`{name: e2, namespace: team}, involvedObject: {kind: Widget, name: two, namespace: team, uid: u-2}, reason: Broken, type: Warning`,
		`{name: e3, namespace: team}, involvedObject: {kind: Gadget, name: one, namespace: team, uid: u-3}, reason: Made, type: Normal`,
	} {
		create(t, admin, events, `{apiVersion: v1, kind: Event, metadata: `+e+`}`)
	}
	tests := []struct{ selector, want string }{
		{"involvedObject.kind=Widget", "e1 e2"},
		{"involvedObject.name=one", "e1 e3"},
		{"involvedObject.uid=u-2", "e2"},
		{"involvedObject.namespace=team,involvedObject.kind=Widget,involvedObject.name=one,involvedObject.uid=u-1", "e1"},
		{"type=Warning", "e2"},
		{"reason!=Made", "e2"},
		{"metadata.name=e3", "e3"},
	}
	for _, tt := range tests {
		t.Run(tt.selector, func(t *testing.T) {
			list, err := admin.Resource(events).List(t.Context(), metav1.ListOptions{FieldSelector: tt.selector})
			if err != nil {
				t.Fatal(err)
			}
			if got := names(list); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
	if _, err := admin.Resource(events).List(t.Context(), metav1.ListOptions{FieldSelector: "message=x"}); !apierrors.IsBadRequest(err) {
		t.Errorf("an unknown field: %v", err)
	}
	stream, err := admin.Resource(events).Namespace("team").Watch(t.Context(), metav1.ListOptions{FieldSelector: "involvedObject.name=two"})
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Stop()
	if e := <-stream.ResultChan(); e.Object.(*unstructured.Unstructured).GetName() != "e2" {
		t.Errorf("watch said %v", e)
	}
}

func TestDeploymentsCountTheirGenerations(t *testing.T) {
	admin := client(t, shared, hub.AdminUser)
	made := create(t, admin, deployments, `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: team}
spec: {selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: nginx}]}}}
status: {readyReplicas: 7}`)
	if made.GetGeneration() != 1 || field(made, "status", "readyReplicas") != "" {
		t.Errorf("created: %v", made.Object)
	}
	c := admin.Resource(deployments).Namespace("team")
	steps := []struct {
		name, patch, subresource string
		kind                     types.PatchType
		generation               int64
		ready                    int64
		image                    string
	}{
		{"a label", `{"metadata":{"labels":{"a":"b"}}}`, "", types.MergePatchType, 1, 0, "nginx"},
		{"an image, by strategic merge", `{"spec":{"template":{"spec":{"containers":[{"name":"web","image":"nginx:2"}]}}}}`, "", types.StrategicMergePatchType, 2, 0, "nginx:2"},
		{"a status", `{"spec":{"replicas":9},"metadata":{"labels":{"a":"c"}},"status":{"readyReplicas":1}}`, "status", types.MergePatchType, 2, 1, "nginx:2"},
		{"a status where it does not belong", `{"status":{"readyReplicas":5}}`, "", types.MergePatchType, 2, 1, "nginx:2"},
	}
	for _, s := range steps {
		var subresources []string
		if s.subresource != "" {
			subresources = []string{s.subresource}
		}
		got, err := c.Patch(t.Context(), "web", s.kind, []byte(s.patch), metav1.PatchOptions{}, subresources...)
		if err != nil {
			t.Fatalf("%s: %v", s.name, err)
		}
		ready, _, err := unstructured.NestedInt64(got.Object, "status", "readyReplicas")
		if err != nil {
			t.Fatal(err)
		}
		containers, _, err := unstructured.NestedSlice(got.Object, "spec", "template", "spec", "containers")
		if err != nil {
			t.Fatal(err)
		}
		image := containers[0].(map[string]any)["image"]
		replicas, _, err := unstructured.NestedInt64(got.Object, "spec", "replicas")
		if err != nil {
			t.Fatal(err)
		}
		if got.GetGeneration() != s.generation || ready != s.ready || image != s.image || replicas != 1 || got.GetLabels()["a"] != "b" {
			t.Errorf("%s made generation %d, ready %d, image %v, replicas %d, labels %v", s.name, got.GetGeneration(), ready, image, replicas, got.GetLabels())
		}
	}
}

func TestServicesAndSecretsAreDefaulted(t *testing.T) {
	admin := client(t, shared, hub.AdminUser)
	service := create(t, admin, services, `{apiVersion: v1, kind: Service, metadata: {name: web, namespace: team}, spec: {ports: [{port: 80}]}}`)
	ports, _, err := unstructured.NestedSlice(service.Object, "spec", "ports")
	if err != nil {
		t.Fatal(err)
	}
	port := ports[0].(map[string]any)
	if field(service, "spec", "type") != "ClusterIP" || port["protocol"] != "TCP" || port["targetPort"] != int64(80) {
		t.Errorf("service: %v", service.Object)
	}
	secret := create(t, admin, secrets, `{apiVersion: v1, kind: Secret, metadata: {name: key, namespace: team}, stringData: {a: hidden}}`)
	if field(secret, "type") != "Opaque" || field(secret, "data", "a") != base64.StdEncoding.EncodeToString([]byte("hidden")) || secret.Object["stringData"] != nil {
		t.Errorf("secret: %v", secret.Object)
	}
}

func TestServerSideApplyKnowsOwners(t *testing.T) {
	admin := client(t, shared, hub.AdminUser)
	tests := []struct {
		name         string
		mine, theirs string
	}{
		{
			"configmaps", `{apiVersion: v1, kind: ConfigMap, metadata: {name: owned, namespace: team}, data: {a: "1"}}`,
			`{apiVersion: v1, kind: ConfigMap, metadata: {name: owned, namespace: team}, data: {a: "2"}}`,
		},
		{
			"services", `{apiVersion: v1, kind: Service, metadata: {name: owned, namespace: team}, spec: {ports: [{port: 80, targetPort: web}], type: ClusterIP}}`,
			`{apiVersion: v1, kind: Service, metadata: {name: owned, namespace: team}, spec: {type: NodePort}}`,
		},
		{
			"deployments", `{apiVersion: apps/v1, kind: Deployment, metadata: {name: owned, namespace: team}, spec: {replicas: 1}}`,
			`{apiVersion: apps/v1, kind: Deployment, metadata: {name: owned, namespace: team}, spec: {replicas: 2}}`,
		},
		{
			"widgets", `{apiVersion: example.com/v1, kind: Widget, metadata: {name: owned, namespace: team}, spec: {note: a}}`,
			`{apiVersion: example.com/v1, kind: Widget, metadata: {name: owned, namespace: team}, spec: {note: b}}`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := configMaps
			switch tt.name {
			case "services":
				r = services
			case "deployments":
				r = deployments
			case "widgets":
				r = widgets
			}
			c := admin.Resource(r).Namespace("team")
			t.Cleanup(func() {
				if err := c.Delete(context.Background(), "owned", metav1.DeleteOptions{}); err != nil {
					t.Error(err)
				}
			})
			for range 2 {
				if _, err := c.Apply(t.Context(), "owned", object(tt.mine), metav1.ApplyOptions{FieldManager: "me"}); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := c.Apply(t.Context(), "owned", object(tt.theirs), metav1.ApplyOptions{FieldManager: "they"}); !apierrors.IsConflict(err) {
				t.Errorf("somebody else's field: %v, want a conflict", err)
			}
			if _, err := c.Apply(t.Context(), "owned", object(tt.theirs), metav1.ApplyOptions{FieldManager: "they", Force: true}); err != nil {
				t.Errorf("by force: %v", err)
			}
		})
	}
}

func names(list *unstructured.UnstructuredList) string {
	var out []string
	for _, o := range list.Items {
		out = append(out, o.GetName())
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}
