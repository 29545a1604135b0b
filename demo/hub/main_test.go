package hub_test

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/yaml"

	"github.com/stagewatch/stagewatch/demo/hub"
)

// shared is the hub of all tests that do not stop, restart or disturb one.
var shared *hub.Hub

func TestMain(m *testing.M) {
	hub.Silence()
	if role := os.Getenv(childRole); role != "" {
		os.Exit(child(role))
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	h, err := hub.Start(ctx, hub.Options{KeepRequests: 1000, Users: hub.DefaultUsers("team")})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() {
		if err := h.Stop(); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}()
	if err := prepare(ctx, h); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	shared = h
	return m.Run()
}

// prepare installs the test's own kind and makes the namespace team.
func prepare(ctx context.Context, h *hub.Hub) error {
	if err := h.InstallCRDs(ctx, widgetCRD); err != nil {
		return err
	}
	client, err := dynamic.NewForConfig(h.AdminConfig())
	if err != nil {
		return err
	}
	team := object(`{apiVersion: v1, kind: Namespace, metadata: {name: team}}`)
	_, err = client.Resource(namespaces).Create(ctx, team, metav1.CreateOptions{})
	return err
}

var (
	namespaces  = schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}
	events      = schema.GroupVersionResource{Version: "v1", Resource: "events"}
	configMaps  = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
	secrets     = schema.GroupVersionResource{Version: "v1", Resource: "secrets"}
	services    = schema.GroupVersionResource{Version: "v1", Resource: "services"}
	deployments = schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}
	widgets     = schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"}
)

// widgetCRD has what our own kinds have: a default, an enum, a CEL rule, a
// column, a status subresource.
var widgetCRD = []byte(`
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget, listKind: WidgetList, shortNames: [wd]}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    additionalPrinterColumns:
    - {name: Size, type: string, jsonPath: .spec.size}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            x-kubernetes-validations:
            - {rule: "self.size == oldSelf.size", message: "size is immutable"}
            properties:
              size: {type: string, enum: [small, large], default: small}
              note: {type: string}
          status:
            type: object
            properties:
              phase: {type: string}
`)

// object reads an object from YAML.
func object(text string) *unstructured.Unstructured {
	u := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(text), &u.Object); err != nil {
		panic(err) // a mistake in the test itself
	}
	return u
}

// client logs in at the hub.
func client(t *testing.T, h *hub.Hub, user string) dynamic.Interface {
	t.Helper()
	c, err := dynamic.NewForConfig(h.Config(user))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// started is a hub of the test's own.
func started(t *testing.T, options hub.Options) *hub.Hub {
	t.Helper()
	h, err := hub.Start(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Stop(); err != nil {
			t.Error(err)
		}
	})
	return h
}

// create creates an object in the namespace it names and removes it when the
// test ends.
func create(t *testing.T, c dynamic.Interface, r schema.GroupVersionResource, text string) *unstructured.Unstructured {
	t.Helper()
	o := object(text)
	in := c.Resource(r).Namespace(o.GetNamespace())
	made, err := in.Create(t.Context(), o, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := in.Delete(context.Background(), made.GetName(), metav1.DeleteOptions{}); err != nil && !gone(err) {
			t.Error(err)
		}
	})
	return made
}

// eventually polls until the condition holds or ten seconds have passed.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	deadline := time.Now().Add(10 * time.Second)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		if time.Now().After(deadline) {
			t.Fatalf("%s: not within 10 s", what)
		}
		<-tick.C
	}
}
