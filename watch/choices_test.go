package watch

import (
	"slices"
	"strings"
	"testing"

	"github.com/stagewatch/stagewatch/demo/hub"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/page"
)

// TestChoices lists what a clone can be made of, and plans one that would take
// clusters from a run.
func TestChoices(t *testing.T) {
	for _, sc := range scopes {
		t.Run(sc.name, func(t *testing.T) {
			p := somebody(t, shared)
			p.namespace("team")
			make := func(kind, format string, args ...any) {
				o := fromYAML(t, format, args...)
				o["apiVersion"], o["kind"] = apiVersion, kind
				if sc.ns != "" {
					o["metadata"].(map[string]any)["namespace"] = sc.ns
				} else {
					o["kind"] = "Cluster" + kind
				}
				p.make(o)
			}
			make("ResourcePlacement", "{metadata: {name: choose}, spec: {strategy: {type: External}, resourceSelectors: [{group: '', version: v1, kind: Namespace, name: x}]}}")
			make("StagedUpdateStrategy", "{metadata: {name: choose-slow}, spec: {stages: [{name: canary, labelSelector: {}}, {name: prod, afterStageTasks: [{type: Approval}]}]}}")
			for i, latest := range []string{"false", "true"} {
				make("ResourceSnapshot", `
metadata:
  name: choose-%d-snapshot
  labels: {kubernetes-fleet.io/parent-CRP: choose, kubernetes-fleet.io/resource-index: "%[1]d", kubernetes-fleet.io/is-latest-snapshot: %[2]q}
  annotations: {kubernetes-fleet.io/resource-hash: h%[1]d, kubernetes-fleet.io/number-of-resource-snapshots: "1"}
spec: {selectedResources: [{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {v: "%[1]d"}}]}`, i+1, latest)
			}
			p.make(aBinding(t, sc.ns, "choose", "a", "choose"))
			s := openSession(t, Config{REST: shared.AdminConfig()})
			about := engine.NewID(sc.runKind().InScope(engine.KindClusterResourcePlacement, engine.KindResourcePlacement), sc.ns, "choose", "")
			q := page.ChoicesQuestion{Placement: about}
			a := s.Ask(t.Context(), q)
			if !a.Err.IsZero() || a.Question != q || len(a.Choices.Gaps) > 0 {
				t.Fatalf("%v, gaps %v", a.Err, a.Choices.Gaps)
			}
			has := func(all []engine.Option, want string) {
				t.Helper()
				if !slices.ContainsFunc(all, func(o engine.Option) bool {
					return engine.Textf("%s: %s, %d, %v, %v", o.Name, o.About, o.Clusters, o.Latest, o.Odd).String() == want
				}) {
					t.Errorf("no %q among %+v", want, all)
				}
			}
			has(a.Choices.Placements, "choose: every cluster (no policy), 0, false, false")
			has(a.Choices.Strategies, "choose-slow: canary and prod; 1 approval, 0, false, false")
			has(a.Choices.Snapshots, "2: 1 resource, 0, true, false")
			has(a.Choices.Snapshots, "1: 1 resource, 1, false, false")

			none := openSession(t, Config{REST: shared.Config(hub.StrangerUser)})
			a = none.Ask(t.Context(), q)
			if len(a.Choices.Gaps) != 4 || !a.Choices.Gaps[0].Forbidden || a.Choices.Lacks(engine.Lit("x"), engine.Lit("x"), engine.Lit("7")).Refused() {
				t.Errorf("without rights: %+v", a.Choices)
			}
			for _, g := range a.Choices.Gaps {
				if !strings.Contains(g.Why.String(), "forbidden") {
					t.Errorf("%s: %s", g.What, g.Why)
				}
			}
		})
	}
}
