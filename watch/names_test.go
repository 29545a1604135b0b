package watch

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/stagewatch/stagewatch/demo/hub"
	"github.com/stagewatch/stagewatch/engine"
)

// TestNames reads the names that a completion offers; a snapshot of several objects has one.
func TestNames(t *testing.T) {
	p := somebody(t, shared)
	p.namespace("names")
	for _, name := range []string{"named-4-snapshot", "named-4-1", "named-5-snapshot", "other-6-snapshot"} {
		of, index := name[:5], name[6:7]
		p.make(fromYAML(t, `
apiVersion: %s
kind: ResourceSnapshot
metadata:
  name: %s
  namespace: names
  labels: {kubernetes-fleet.io/parent-CRP: %s, kubernetes-fleet.io/resource-index: %q}
spec: {selectedResources: []}`, apiVersion, name, of, index))
	}
	cfg := Config{REST: shared.AdminConfig()}
	got, err := Named(t.Context(), cfg, NamesOfSnapshots, "names", "named")
	slices.SortFunc(got, func(a, b engine.Text) int { return strings.Compare(a.String(), b.String()) })
	if want := []engine.Text{engine.Lit("4"), engine.Lit("5")}; err != nil || !slices.Equal(got, want) {
		t.Errorf("snapshots: %v, %v, want %v", got, err, want)
	}
	if got, err = Namespaces(t.Context(), cfg); err != nil || !slices.Contains(got, engine.Lit("names")) {
		t.Errorf("namespaces: %v, %v", got, err)
	}
	limited := openSession(t, Config{REST: shared.AdminConfig(), Context: "names", Namespace: "names"})
	eventually(t, "the namespaces of the hub while a screen shows one", func() bool { return slices.Contains(limited.Namespaces(), engine.Lit("default")) })
	if _, err = Namespaces(t.Context(), Config{REST: shared.Config(hub.StrangerUser)}); err == nil {
		t.Error("somebody without rights lists namespaces")
	}
}

// TestManyNames: a completion has two seconds for all that it does.
func TestManyNames(t *testing.T) {
	items := make([]metav1.PartialObjectMetadata, 100_000)
	for i := range items {
		items[i].Name = "name-" + strconv.Itoa(i/2)
	}
	began := time.Now()
	names := namesOf(items, func(m *metav1.PartialObjectMetadata) string { return m.Name })
	if took := time.Since(began); len(names) != len(items)/2 || names[1].String() != "name-1" || took > 2*time.Second {
		t.Errorf("%d names after %v", len(names), took)
	}
}
