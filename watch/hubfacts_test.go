package watch

import (
	"slices"
	"testing"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/watch/ask"
)

// TestHubFacts reads the overrides and the Works that a diagnosis needs.
func TestHubFacts(t *testing.T) {
	p := somebody(t, shared)
	p.namespace("fleet-member-facts-a")
	override := func(name, latest string) map[string]any {
		return fromYAML(t, `
apiVersion: %s
kind: ClusterResourceOverrideSnapshot
metadata:
  name: %s
  labels: {kubernetes-fleet.io/is-latest-snapshot: %q}
spec:
  overrideHash: aGE=
  overrideSpec:
    clusterResourceSelectors: [{group: "", version: v1, kind: Namespace, name: shop}]
    policy: {overrideRules: [{overrideType: Delete}]}
`, apiVersion, name, latest)
	}
	for name, latest := range map[string]string{"facts-cro-0": "false", "facts-cro-1": "true", "facts-cro-x-0": "true"} {
		p.make(override(name, latest))
	}
	bound := aBinding(t, "", "facts", "facts-a", "facts-r1")
	bound["spec"].(map[string]any)["clusterResourceOverrideSnapshots"] = []any{"facts-cro-0", "facts-cro-x-0", "facts-gone-4"}
	p.make(bound)
	leaving := aBinding(t, "", "facts-left", "facts-a", "facts-r1")
	leaving["metadata"].(map[string]any)["finalizers"] = []any{"kubernetes-fleet.io/work-cleanup"}
	p.make(leaving)
	p.remove(leaving)
	work := fromYAML(t, `
apiVersion: %s
kind: Work
metadata:
  name: facts-left-work
  namespace: fleet-member-facts-a
  labels: {kubernetes-fleet.io/parent-CRP: facts-left}
  finalizers: [backup.example/hold]
spec: {workload: {manifests: [{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: shop}}]}}
`, apiVersion)
	p.make(work)
	p.remove(work)

	s := openSession(t, Config{REST: shared.AdminConfig()})
	until(t, s, "live", live)
	read := func(place string, reads engine.HubRead) *page.HubFacts {
		v := &engine.RunView{Placement: engine.NewID(engine.KindClusterResourcePlacement, "", place, "")}
		v.Why = engine.Diagnosis{Reads: reads, Member: engine.NewID(engine.KindMemberCluster, "", "facts-a", "")}
		return ask.NewReader(s.hub).HubFacts(t.Context(), &page.DiagnosisFacts{Run: v})
	}
	if f := read("facts", engine.ReadNothing); f != nil {
		t.Errorf("reads %+v for nothing", f)
	}
	f := read("facts", engine.ReadOverrides)
	var got []string
	for _, o := range f.Overrides {
		got = append(got, o.Name()+": "+o.Used+" "+o.Latest)
	}
	if want := []string{"facts-cro: facts-cro-0 facts-cro-1", "facts-cro-x: facts-cro-x-0 facts-cro-x-0", "facts-gone: facts-gone-4 "}; !f.Why.IsZero() || !slices.Equal(got, want) {
		t.Errorf("overrides %q (%s), want %q", got, f.Why, want)
	}
	held := read("facts-left", engine.ReadWorks).Held()
	if len(held) != 1 || held[0].Since.IsZero() || held[0].Work.String() != "fleet-member-facts-a/facts-left-work" ||
		len(held[0].Foreign) != 1 || held[0].Objects[0].String() != "ConfigMap shop/c" {
		t.Errorf("works %+v", held)
	}
}
