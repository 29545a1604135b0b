package hub_test

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/stagewatch/stagewatch/demo/hub"
)

// shared is the hub of all tests that do not stop or restart one.
var shared *hub.Hub

func TestMain(m *testing.M) {
	hub.Silence()
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
	if err := h.InstallCRDs(ctx, widgets); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	shared = h
	return m.Run()
}

// widgets is a CustomResourceDefinition with what ours have: a default, an
// enum, a CEL rule, a column, a status subresource.
var widgets = []byte(`
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
