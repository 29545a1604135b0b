package hub_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/duration"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"

	"github.com/stagewatch/stagewatch/api/crds"
	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/demo/hub"
)

func TestDiscovery(t *testing.T) {
	want := []string{
		"v1/namespaces", "v1/events", "v1/configmaps", "v1/secrets", "v1/services", "apps/v1/deployments",
		"authorization.k8s.io/v1/selfsubjectaccessreviews", "authorization.k8s.io/v1/selfsubjectrulesreviews",
		"authentication.k8s.io/v1/selfsubjectreviews", "apiextensions.k8s.io/v1/customresourcedefinitions",
		"example.com/v1/widgets", "example.com/v1/widgets/status",
	}
	tests := []struct {
		name  string
		older bool
	}{{"aggregated", false}, {"one document per version", true}}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, err := discovery.NewDiscoveryClientForConfig(shared.Config(hub.StrangerUser))
			if err != nil {
				t.Fatal(err)
			}
			c.UseLegacyDiscovery = tt.older
			groups, lists, err := c.ServerGroupsAndResources()
			if err != nil {
				t.Fatal(err)
			}
			if len(groups) < 5 {
				t.Errorf("groups: %v", groups)
			}
			var got []string
			for _, l := range lists {
				for _, r := range l.APIResources {
					got = append(got, l.GroupVersion+"/"+r.Name)
				}
			}
			for _, w := range want {
				if !slices.Contains(got, w) {
					t.Errorf("%s is not there", w)
				}
			}
		})
	}
}

func TestVersionCanBeRead(t *testing.T) {
	c, err := discovery.NewDiscoveryClientForConfig(shared.Config(hub.StrangerUser))
	if err != nil {
		t.Fatal(err)
	}
	v, err := c.ServerVersion()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(v.GitVersion, "v1.") || strings.Contains(v.GitVersion, "$") {
		t.Errorf("version %q", v.GitVersion)
	}
}

func TestOpenAPIDescribesEverything(t *testing.T) {
	c, err := discovery.NewDiscoveryClientForConfig(shared.Config(hub.StrangerUser))
	if err != nil {
		t.Fatal(err)
	}
	doc, err := c.OpenAPISchema()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, d := range doc.GetDefinitions().GetAdditionalProperties() {
		names = append(names, d.GetName())
	}
	for _, want := range []string{"io.k8s.api.core.v1.Namespace", "io.k8s.api.core.v1.PodSpec", "io.k8s.api.apps.v1.Deployment"} {
		if !slices.Contains(names, want) {
			t.Errorf("OpenAPI v2 lacks %s", want)
		}
	}
	eventually(t, "OpenAPI v3 of every group", func() bool {
		paths, err := c.OpenAPIV3().Paths()
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"api/v1", "apis/apps/v1", "apis/example.com/v1", "apis/authorization.k8s.io/v1"} {
			if paths[want] == nil {
				return false
			}
			if _, err := paths[want].Schema("application/json"); err != nil {
				t.Fatal(err)
			}
		}
		return true
	})
}

func TestCustomResourcesBehaveAsOnARealHub(t *testing.T) {
	c := client(t, shared, hub.AdminUser).Resource(widgets).Namespace("team")
	made := create(t, client(t, shared, hub.AdminUser), widgets,
		`{apiVersion: example.com/v1, kind: Widget, metadata: {name: one, namespace: team}, spec: {note: a}, status: {phase: x}}`)
	if size := field(made, "spec", "size"); size != "small" {
		t.Errorf("default size %q", size)
	}
	if _, there := made.Object["status"]; there {
		t.Error("a status was accepted at creation")
	}
	patch := func(body string, subresources ...string) (*unstructured.Unstructured, error) {
		return c.Patch(t.Context(), "one", types.MergePatchType, []byte(body), metav1.PatchOptions{}, subresources...)
	}
	if _, err := patch(`{"spec":{"size":"large"}}`); !apierrors.IsInvalid(err) || !strings.Contains(err.Error(), "size is immutable") {
		t.Errorf("CEL rule: %v", err)
	}
	if _, err := patch(`{"metadata":{"resourceVersion":"1"},"spec":{"note":"b"}}`); !apierrors.IsConflict(err) {
		t.Errorf("old resourceVersion: %v, want a conflict", err)
	}
	specced, err := patch(`{"spec":{"note":"b"}}`)
	if err != nil || specced.GetGeneration() != 2 {
		t.Fatalf("spec patch: generation %d, %v", specced.GetGeneration(), err)
	}
	stated, err := patch(`{"spec":{"note":"c"},"status":{"phase":"y"}}`, "status")
	if err != nil {
		t.Fatal(err)
	}
	if stated.GetGeneration() != 2 || field(stated, "spec", "note") != "b" || field(stated, "status", "phase") != "y" {
		t.Errorf("status patch made %v", stated.Object)
	}
}

func TestStrictValidation(t *testing.T) {
	tests := []struct{ name, text string }{
		{"custom resource", `{apiVersion: example.com/v1, kind: Widget, metadata: {name: strict, namespace: team}, spec: {colour: red}}`},
		{"built-in kind", `{apiVersion: v1, kind: ConfigMap, metadata: {name: strict, namespace: team}, dada: {a: b}}`},
	}
	for i, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := widgets
			if i == 1 {
				r = configMaps
			}
			_, err := client(t, shared, hub.AdminUser).Resource(r).Namespace("team").Create(t.Context(), object(tt.text),
				metav1.CreateOptions{FieldValidation: metav1.FieldValidationStrict, DryRun: []string{metav1.DryRunAll}})
			if !apierrors.IsBadRequest(err) || !strings.Contains(err.Error(), "unknown field") {
				t.Errorf("unknown field: %v", err)
			}
		})
	}
}

func TestDryRunStoresNothing(t *testing.T) {
	c := client(t, shared, hub.AdminUser)
	dry := metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}
	w := object(`{apiVersion: example.com/v1, kind: Widget, metadata: {name: dry, namespace: team}}`)
	if _, err := c.Resource(widgets).Namespace("team").Create(t.Context(), w, dry); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Resource(namespaces).Create(t.Context(), object(`{apiVersion: v1, kind: Namespace, metadata: {name: dry}}`), dry); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Resource(widgets).Namespace("team").Get(t.Context(), "dry", metav1.GetOptions{}); !gone(err) {
		t.Errorf("widget: %v", err)
	}
	if _, err := c.Resource(namespaces).Get(t.Context(), "dry", metav1.GetOptions{}); !gone(err) {
		t.Errorf("namespace: %v", err)
	}
}

func TestListsPageAndWatchesFollow(t *testing.T) {
	admin := client(t, shared, hub.AdminUser)
	c := admin.Resource(widgets).Namespace("team")
	for _, name := range []string{"p1", "p2", "p3"} {
		create(t, admin, widgets, `{apiVersion: example.com/v1, kind: Widget, metadata: {name: `+name+`, namespace: team, labels: {paged: "yes"}}}`)
	}
	page, err := c.List(t.Context(), metav1.ListOptions{LabelSelector: "paged=yes", Limit: 2})
	if err != nil {
		t.Fatal(err)
	}
	if len(page.Items) != 2 || page.GetContinue() == "" {
		t.Errorf("first page has %d, continue %q", len(page.Items), page.GetContinue())
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	stream, err := c.Watch(ctx, metav1.ListOptions{LabelSelector: "paged=yes", ResourceVersion: page.GetResourceVersion()})
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Stop()
	if err := c.Delete(ctx, "p2", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	if e := <-stream.ResultChan(); e.Type != watch.Deleted {
		t.Errorf("watch said %v %v", e.Type, e.Object)
	}
}

func TestDeletionWaitsForFinalizersOnly(t *testing.T) {
	admin := client(t, shared, hub.AdminUser)
	c := admin.Resource(widgets).Namespace("team")
	for _, policy := range []metav1.DeletionPropagation{metav1.DeletePropagationForeground, metav1.DeletePropagationOrphan, metav1.DeletePropagationBackground} {
		create(t, admin, widgets, `{apiVersion: example.com/v1, kind: Widget, metadata: {name: held, namespace: team, finalizers: [example.com/hold]}}`)
		if err := c.Delete(t.Context(), "held", metav1.DeleteOptions{PropagationPolicy: &policy}); err != nil {
			t.Fatal(err)
		}
		if w, err := c.Get(t.Context(), "held", metav1.GetOptions{}); err != nil || w.GetDeletionTimestamp() == nil {
			t.Fatalf("%s: with a finalizer: %v", policy, err)
		}
		if _, err := c.Patch(t.Context(), "held", types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{}); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Get(t.Context(), "held", metav1.GetOptions{}); !gone(err) {
			t.Errorf("%s: without finalizers: %v, want it gone", policy, err)
		}
	}
}

func TestBuiltinTables(t *testing.T) {
	admin := client(t, shared, hub.AdminUser)
	create(t, admin, configMaps, `{apiVersion: v1, kind: ConfigMap, metadata: {name: printed, namespace: team}, data: {a: b, c: d}}`)
	create(t, admin, deployments, `{apiVersion: apps/v1, kind: Deployment, metadata: {name: printed, namespace: team}, spec: {replicas: 3}}`)
	create(t, admin, secrets, `{apiVersion: v1, kind: Secret, metadata: {name: printed, namespace: team}, stringData: {a: b}}`)
	create(t, admin, services, `{apiVersion: v1, kind: Service, metadata: {name: printed, namespace: team}, spec: {ports: [{port: 80, name: a}, {port: 53, protocol: UDP, name: b}]}}`)
	create(t, admin, services, `{apiVersion: v1, kind: Service, metadata: {name: bare, namespace: team}, spec: {clusterIP: 10.0.0.1}}`)
	create(t, admin, events, `{apiVersion: v1, kind: Event, metadata: {name: printed, namespace: team}, involvedObject: {kind: Widget, name: one, namespace: team},
		type: Normal, reason: Made, message: " it is made ", lastTimestamp: "2000-01-01T00:00:00Z"}`)
	create(t, admin, events, `{apiVersion: v1, kind: Event, metadata: {name: timeless, namespace: team}, involvedObject: {kind: Widget, name: one, namespace: team}}`)
	tests := []struct {
		path    string
		columns string
		row     string
	}{
		{"/api/v1/namespaces/team", "Name Status Age", "team Active"},
		{"/api/v1/namespaces/team/configmaps/printed", "Name Data Age", "printed 2"},
		{"/apis/apps/v1/namespaces/team/deployments/printed", "Name Ready Up-to-date Available Age", "printed 0/3 0 0"},
		{"/api/v1/namespaces/team/secrets/printed", "Name Type Data Age", "printed Opaque 1"},
		{"/api/v1/namespaces/team/services/printed", "Name Type Cluster-IP Port(s) Age", "printed ClusterIP <none> 80/TCP,53/UDP"},
		{"/api/v1/namespaces/team/services/bare", "Name Type Cluster-IP Port(s) Age", "bare ClusterIP 10.0.0.1 <none>"},
		{"/api/v1/namespaces/team/events/printed", "Last Seen Type Reason Object Message", age(2000) + " Normal Made widget/one it is made"},
		{"/api/v1/namespaces/team/events/timeless", "Last Seen Type Reason Object Message", "<unknown>   widget/one"},
		{"/api/v1/namespaces/default/events", "Last Seen Type Reason Object Message", ""},
	}
	c, err := rest.HTTPClientFor(shared.AdminConfig())
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range tests {
		t.Run(tt.path, func(t *testing.T) {
			ask, err := http.NewRequestWithContext(t.Context(), http.MethodGet, shared.URL()+tt.path, nil)
			if err != nil {
				t.Fatal(err)
			}
			ask.Header.Set("Accept", "application/json;as=Table;v=v1;g=meta.k8s.io")
			answer, err := c.Do(ask)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(answer.Body)
			if err != nil {
				t.Fatal(err)
			}
			if err := answer.Body.Close(); err != nil {
				t.Fatal(err)
			}
			var table metav1.Table
			if err := json.Unmarshal(body, &table); err != nil {
				t.Fatal(err)
			}
			var columns []string
			for _, d := range table.ColumnDefinitions {
				columns = append(columns, d.Name)
			}
			if got := strings.Join(columns, " "); got != tt.columns {
				t.Errorf("columns %q, want %q", got, tt.columns)
			}
			if tt.row == "" {
				return
			}
			var cells []string
			for _, c := range table.Rows[0].Cells {
				cells = append(cells, fmt.Sprint(c))
			}
			if got := strings.Join(cells, " "); !strings.HasPrefix(got, tt.row) {
				t.Errorf("row %q, want %q", got, tt.row)
			}
		})
	}
}

// age is what kubectl prints for something of the first day of a year.
func age(year int) string {
	return duration.HumanDuration(time.Since(time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC)))
}

// field is a string at a path of an object, "" when it is not there.
func field(o *unstructured.Unstructured, path ...string) string {
	s, _, err := unstructured.NestedString(o.Object, path...)
	if err != nil {
		return err.Error()
	}
	return s
}

// Lists and watches of a version without a watch cache have the same objects.
func TestTheOtherVersionIsServed(t *testing.T) {
	h := started(t, hub.Options{})
	manifests, err := crds.All()
	if err != nil {
		t.Fatal(err)
	}
	if err := h.InstallCRDs(t.Context(), manifests...); err != nil {
		t.Fatal(err)
	}
	c := client(t, h, hub.AdminUser)
	v1 := c.Resource(schema.GroupVersionResource{Group: placement.GroupVersion.Group, Version: "v1", Resource: "clusterstagedupdateruns"})
	run := func(name string) {
		t.Helper()
		create(t, c, placement.GroupVersion.WithResource("clusterstagedupdateruns"), `{"apiVersion":"`+placement.GroupVersion.String()+
			`","kind":"ClusterStagedUpdateRun","metadata":{"name":"`+name+`"},"spec":{"placementName":"p","stagedRolloutStrategyName":"s"}}`)
	}
	run("first")
	list, err := v1.List(t.Context(), metav1.ListOptions{})
	if err != nil || len(list.Items) != 1 || !strings.HasSuffix(list.Items[0].GetAPIVersion(), "/v1") {
		t.Fatalf("list: %v, %v", list, err)
	}
	w, err := v1.Watch(t.Context(), metav1.ListOptions{ResourceVersion: list.GetResourceVersion()})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Stop()
	run("second")
	event := <-w.ResultChan()
	if u, ok := event.Object.(*unstructured.Unstructured); !ok || u.GetName() != "second" || !strings.HasSuffix(u.GetAPIVersion(), "/v1") {
		t.Errorf("event %s: %v", event.Type, event.Object)
	}
}
