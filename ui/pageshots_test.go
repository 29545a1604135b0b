package ui

import (
	"fmt"
	"os"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	cluster "github.com/stagewatch/stagewatch/api/cluster/v1beta1"
	placementapi "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	enginepage "github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/engine/page/inbox"
	"github.com/stagewatch/stagewatch/engine/page/snapshots"
	"github.com/stagewatch/stagewatch/engine/page/timeline"
	"github.com/stagewatch/stagewatch/engine/plan"
)

// pageObjects are the objects of the tests of engine/page.
type pageObjects struct {
	Binding          placementapi.ResourceBinding
	More             []placementapi.ResourceBinding
	Works            []placementapi.Work
	Member           cluster.MemberCluster
	Overrides        []placementapi.ResourceOverrideSnapshot
	ClusterOverrides []placementapi.ClusterResourceOverrideSnapshot
	Placement        placementapi.ResourcePlacement
	Resources        []placementapi.ResourceSnapshot
	Policies         []placementapi.SchedulingPolicySnapshot
}

// pageShots are the detail pages, as engine/page makes them.
func pageShots(t *testing.T) []shot {
	t.Helper()
	raw, err := os.ReadFile("../engine/page/testdata/pages/objects.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var o pageObjects
	if err := yaml.UnmarshalStrict(raw, &o); err != nil {
		t.Fatal(err)
	}
	s := sample()
	v := find(s, "example-run")
	web := placement("", "web")
	bindings := append(o.More, o.Binding)
	mask := func(s string) engine.Text { return engine.Textf("masked, %d", len(s)) }
	at := func(age time.Duration) string { return ago(age).UTC().Format(time.RFC3339) }
	condition := func(kind, reason string, age time.Duration) string {
		return fmt.Sprintf(`{type: %s, status: "True", reason: %s, observedGeneration: 1, lastTransitionTime: "%s"}`, kind, reason, at(age))
	}
	run := &placementapi.StagedUpdateRun{}
	if err := yaml.Unmarshal(fmt.Appendf(nil, `
metadata: {name: example-run, generation: 1, creationTimestamp: "%s"}
status:
  conditions: [%s]
  stagesStatus:
  - stageName: staging
    conditions: [%s]
    clusters: [{clusterName: member1, conditions: [%s, %s]}]
`, at(time.Hour), condition("Initialized", "UpdateRunInitializedSuccessfully", time.Hour), condition("Progressing", "StageUpdatingStarted", 58*time.Minute),
		condition("Started", "ClusterUpdatingStarted", 57*time.Minute), condition("Succeeded", "ClusterUpdatingSucceeded", 50*time.Minute)), run); err != nil {
		t.Fatal(err)
	}
	facts := inbox.Facts{Snapshot: s, Now: t0, Bindings: map[engine.ID][]placementapi.ResourceBinding{}, BindingsWhy: map[engine.ID]engine.Text{}}
	for i, p := range inbox.Awaited(s, engine.ID{}) {
		if facts.Bindings[p] = bindings; i == 0 {
			facts.BindingsWhy[p] = txt("forbidden")
		}
	}
	object := engine.Lines("apiVersion: placement.kubernetes-fleet.io/v1beta1\nkind: ClusterStagedUpdateRun\nmetadata:\n  generation: 2\n  managedFields:\n  - manager: hub-agent\n    operation: Update\n    subresource: status\n  name: example-run\nspec:\n  placementName: example\n  state: Run\nstatus:\n  conditions:\n  - type: Initialized\n    status: \"True\"\n    observedGeneration: 2")
	opened := []string{"enter"}
	page := func(name, key string, a enginepage.Answer) shot {
		return shot{name: "page-" + name, snap: s, keys: opened, after: func(m *Model) {
			withDetail(m, s)
			press(m, key)
			if sheet := m.sheet(); sheet != nil {
				a.Question = sheet.Question()
				m.Update(pageMsg{n: sheet.Number(), answer: a})
				return
			}
			a.Question = m.page.Question()
			m.Update(answeredMsg{answer: a})
		}}
	}
	changes := page("changes", "=", snapshots.Page(snapshots.Facts{Question: enginepage.SnapshotsQuestion{Placement: web, From: 6, To: 7}, Now: t0, Resources: o.Resources, Mask: func(map[string]any) {}}))
	changes.keys = []string{"j", "j", "enter"} // a run that is not on the first snapshot
	return []shot{
		changes,
		page("approvals", "a", inbox.Page(facts)),
		page("diagnosis", "d", enginepage.DiagnosisPage(enginepage.DiagnosisFacts{Snapshot: s, Run: v, Detail: detail(s, v), Now: t0})),
		page("cluster", "c", enginepage.ClusterPage(enginepage.ClusterFacts{
			Question: enginepage.ClusterQuestion{Placement: web, Run: v.ID, Member: engine.NewID(engine.KindMemberCluster, "", "prod-2", "")},
			Snapshot: s, Now: t0, Binding: &o.Binding, Works: o.Works, Member: &o.Member, Overrides: o.Overrides, ClusterOverrides: o.ClusterOverrides, Mask: mask,
		})),
		page("member", "m", samplePage(nil)),
		page("owners", "o", enginepage.OwnersPage(enginepage.PlacementFacts{Question: enginepage.PlacementQuestion{Placement: web, Run: v.ID}, Snapshot: s, Now: t0, Bindings: bindings, Unread: 1})),
		page("placement", "p", enginepage.PlacementPage(enginepage.PlacementFacts{Question: enginepage.PlacementQuestion{Placement: web}, Snapshot: s, Now: t0, Placement: &o.Placement, Bindings: bindings, Resources: o.Resources, Policies: o.Policies})),
		page("timeline", "t", timeline.Page(timeline.Facts{Question: enginepage.TimelineQuestion{Run: v.ID}, Now: t0, StuckAfter: engine.StuckDefault, Run: run})),
		page("events", "e", enginepage.EventsPage(enginepage.EventsFacts{Now: t0, Events: []enginepage.EventsOf{{About: v.ID}, {About: v.Placement, Events: []enginepage.Event{
			{Type: "Normal", Reason: "PlacementRolloutStarted", Message: "Started rolling out the latest resources", From: "placement-controller", Count: 2, Last: ago(time.Hour)},
		}}}})),
		page("log", "L", enginepage.LogsPage(enginepage.LogsFacts{Question: enginepage.LogsQuestion{Run: v.ID}, Now: t0, Pods: []enginepage.LogOf{{Pod: "hub-agent-7d9", Read: 500, Lines: []string{
			`I1120 09:50:00.000000 1 controller.go:107] "Reconciling the updateRun" updateRun="example-run"`, `E1120 09:55:00.000000 1 execution.go:272] "The updateRun is stuck" updateRun="example-run" cluster="member1"`,
		}}}})),
		page("yaml", "Y", enginepage.Answer{Lines: object}),
		page("plan", "i", enginepage.PlanPage(&plan.Plan{
			Run: v.ID, At: t0, Placement: txt("example"), Strategy: txt("example-strategy"), State: txt("Run"), Initialized: true,
			Stages: []plan.Stage{
				{Name: txt("staging"), AtOnce: 1, Succeeded: true, Clusters: []plan.Cluster{{Name: txt("member1"), Now: txt("1"), Started: true, Succeeded: true}}},
				{Name: txt("prod"), AtOnce: 2, Clusters: []plan.Cluster{{Name: txt("member2"), Now: txt("0")}, {Name: txt("member3"), Now: txt("0")}}},
			},
			Refusals: []plan.Refusal{{Message: txt("parent placement not found"), Final: true}},
		})),
	}
}
