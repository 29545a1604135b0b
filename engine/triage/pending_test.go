package triage_test

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/observe"
	"github.com/stagewatch/stagewatch/engine/plan"
	"github.com/stagewatch/stagewatch/engine/triage"
	"github.com/stagewatch/stagewatch/engine/world"
)

// TestPendingSaysWhy holds that a run which is not initialized for 30 s says why
// the controller retries it, and that a controller which does not run can still
// be told from that.
func TestPendingSaysWhy(t *testing.T) {
	now := time.Date(2026, 3, 2, 10, 30, 0, 0, time.UTC)
	for _, ns := range []string{"", "team"} {
		id := engine.NewID(engine.KindClusterStagedUpdateRun, "", "web-r1", "u")
		if ns != "" {
			id = engine.NewID(engine.KindStagedUpdateRun, ns, "web-r1", "u")
		}
		old := &plan.Plan{Run: id, Refusals: []plan.Refusal{{Message: engine.Lit("binding `web-a` with old policy snapshot `web-0` has state Bound, we might observe a transient state, need retry")}}}
		for _, tt := range []struct {
			name              string
			age, seen         time.Duration
			plan              *plan.Plan
			word, cause, what string
		}{
			{"a young one", 20 * time.Second, time.Second, old, "PENDING", "initializing", "is not initialized yet"},
			{"retried", 31 * time.Second, time.Second, old, "PENDING", "initialization-retried", "The bindings have policy snapshot web-0, not the latest. The controller retries initialization and writes no condition meanwhile (none since "},
			{"retried, seen for long", 3 * time.Minute, time.Minute, old, "NOT OBSERVED", "initialization-retried", "The bindings have policy snapshot web-0"},
			{"retried, not observed", 20 * time.Second, 15 * time.Second, old, "NOT OBSERVED", "initialization-retried", "The bindings have policy snapshot web-0"},
			{"no reason", 3 * time.Minute, time.Second, &plan.Plan{Run: id}, "PENDING", "run-not-observed", "The plan finds no reason: check the hub agent."},
			{"no reason, seen for long", 3 * time.Minute, time.Minute, &plan.Plan{Run: id}, "NOT OBSERVED", "run-not-observed", "The plan finds no reason: check the hub agent."},
			{"not read", time.Minute, time.Second, &plan.Plan{Run: id, Unknown: []engine.Gap{{What: engine.Lit("bindings"), Why: engine.Lit("forbidden")}}}, "PENDING", "run-not-observed", "The plan is incomplete"},
			{"a version that is not preferred", time.Minute, time.Second, &plan.Plan{Run: id, Delays: []engine.Text{engine.Lit("autoscaling/v1 is retried for up to 30 s")}}, "PENDING", "version-not-watched", "autoscaling/v1 is retried"},
			{"a version that is not preferred, not watched for long", 2 * time.Hour, time.Hour, &plan.Plan{Run: id, Delays: []engine.Text{engine.Lit("autoscaling/v1 is retried for up to 30 s")}}, "NOT OBSERVED", "run-not-observed", "The plan finds no reason: check the hub agent."},
			{"a final error, no controller", time.Minute, time.Second, &plan.Plan{Run: id, Refusals: []plan.Refusal{{Message: engine.Lit("parent placement not found"), Final: true, Hint: engine.Lit("Name another.")}}}, "PENDING", "initialization-will-fail", "Placement web does not exist. Initialization will fail; the controller has not tried it yet (run created at"},
			{"a final error, at once", 5 * time.Second, time.Second, &plan.Plan{Run: id, Refusals: []plan.Refusal{{Message: engine.Lit("referenced updateStrategy not found: `/rings`"), Final: true}}}, "PENDING", "initialization-will-fail", "Strategy rings does not exist."},
			{"a strategy that does not exist", time.Minute, time.Second, &plan.Plan{Run: id, Refusals: []plan.Refusal{
				{Message: engine.Lit("referenced updateStrategy not found: `/rings`"), Final: true, Hint: engine.Lit("Use one that exists: a.")},
				{Message: old.Refusals[0].Message, Hint: engine.Lit("Hint of another check.")},
			}}, "PENDING", "initialization-will-fail", "Strategy rings does not exist. Initialization will fail"},
			{"a strategy that does not exist, and a check that is not known", time.Minute, time.Second, &plan.Plan{Run: id, Refusals: []plan.Refusal{
				{Message: engine.Lit("referenced updateStrategy not found: `/rings`"), Final: true}, {Message: engine.Lit("a check of tomorrow"), Final: true},
			}}, "PENDING", "initialization-will-fail", "Strategy rings does not exist. Initialization will fail"},
			{"retried, then final", time.Minute, time.Second, &plan.Plan{Run: id, Refusals: []plan.Refusal{
				old.Refusals[0], {Message: engine.Lit("referenced updateStrategy not found: `/rings`"), Final: true},
			}}, "PENDING", "initialization-retried", "The bindings have policy snapshot web-0, not the latest."},
			{"retried for two bindings", time.Minute, time.Second, &plan.Plan{Run: id, Refusals: []plan.Refusal{
				old.Refusals[0], {Message: engine.Lit("binding `web-b` with old policy snapshot `web-0` has state Bound, we might observe a transient state, need retry")},
			}}, "PENDING", "initialization-retried", "The bindings have policy snapshot web-0, not the latest."},
			{"retried, then an index that no snapshot has", time.Minute, time.Second, &plan.Plan{Run: id, Refusals: []plan.Refusal{
				old.Refusals[0], {Message: engine.Lit("no resourceSnapshots with index `0` found for placement `/web`"), Final: true},
			}}, "PENDING", "initialization-retried", "The bindings have policy snapshot web-0, not the latest."},
			{"neither placement nor snapshot 0", time.Minute, time.Second, &plan.Plan{Run: id, Refusals: []plan.Refusal{
				{Message: engine.Lit("parent placement not found"), Final: true},
				{Message: engine.Lit("no resourceSnapshots with index `0` found for placement `/web`"), Final: true},
			}}, "PENDING", "initialization-will-fail", "Placement web does not exist."},
			{"neither placement nor strategy", time.Minute, time.Second, &plan.Plan{Run: id, Refusals: []plan.Refusal{
				{Message: engine.Lit("parent placement not found"), Final: true},
				{Message: engine.Lit("no latest policy snapshot found for placement /web"), Final: true},
				{Message: engine.Lit("referenced updateStrategy not found: `/rings`"), Final: true},
			}}, "PENDING", "initialization-will-fail", "Placement web does not exist."},
			{"neither placement nor snapshot", time.Minute, time.Second, &plan.Plan{Run: id, Refusals: []plan.Refusal{
				{Message: engine.Lit("parent placement not found"), Final: true},
				{Message: engine.Lit("no resourceSnapshots with index `9` found for placement `/web`"), Final: true},
			}}, "PENDING", "initialization-will-fail", "Placement web does not exist."},
			{"a label that is no number", time.Minute, time.Second, &plan.Plan{Run: id, Refusals: []plan.Refusal{
				{Message: engine.Lit("the sorting label `region:eu` on cluster `web-a` is not valid"), Final: true},
			}}, "PENDING", "initialization-will-fail", "Initialization will fail"},
			{"a placement that is not External", time.Minute, time.Second, &plan.Plan{Run: id, Refusals: []plan.Refusal{{Message: engine.Lit("parent placement does not have an external rollout strategy, current strategy: RollingUpdate"), Final: true}}}, "PENDING", "initialization-will-fail", "The strategy type of placement web is not External."},
			{"a selector that is not valid", time.Minute, time.Second, &plan.Plan{Run: id, Refusals: []plan.Refusal{{Message: engine.Lit("the stage label selector is invalid, updateStrategy: `/rings`, stage: canary, err: x is no operator"), Final: true}}}, "PENDING", "initialization-will-fail", "The label selector of stage canary is not valid (x is no operator)."},
			{"a placement that is not scheduled", time.Minute, time.Second, &plan.Plan{Run: id, Refusals: []plan.Refusal{{Message: engine.Lit("policy snapshot `web-0` not fully scheduled yet"), Final: true}}}, "PENDING", "initialization-will-fail", "ot fully scheduled"},
			{"no policy snapshot", time.Minute, time.Second, &plan.Plan{Run: id, Refusals: []plan.Refusal{{Message: engine.Lit("no latest policy snapshot found for placement /web"), Final: true}}}, "PENDING", "initialization-will-fail", "No scheduling policy snapshot is labelled latest."},
			{"a snapshot without its first part", time.Minute, time.Second, &plan.Plan{Run: id, Refusals: []plan.Refusal{{Message: engine.Lit("no master resourceSnapshot found for placement /web"), Final: true}}}, "PENDING", "initialization-will-fail", "The resource snapshot is incomplete."},
			{"a binding that is missing", time.Minute, time.Second, &plan.Plan{Run: id, Refusals: []plan.Refusal{{Message: engine.Lit("the number of selected bindings 1 is not equal to the observed cluster count 2"), Final: true}}}, "PENDING", "initialization-will-fail", "Placement web picks 1 cluster, and its policy requires 2."},
			{"a strategy that does not exist, and an index", time.Minute, time.Second, &plan.Plan{Run: id, Refusals: []plan.Refusal{
				{Message: engine.Lit("referenced updateStrategy not found: `/rings`"), Final: true}, {Message: engine.Lit("no resourceSnapshots with index `9` found for placement `/web`"), Final: true},
			}}, "PENDING", "initialization-will-fail", "Strategy rings does not exist. Initialization will fail"},
			{"an index that no snapshot has", time.Minute, time.Second, &plan.Plan{Run: id, Refusals: []plan.Refusal{{Message: engine.Lit("no resourceSnapshots with index `9` found for placement `/web`"), Final: true, Hint: engine.Lit("Existing snapshots: 2, 1.")}}}, "PENDING", "initialization-will-fail", "Resource snapshot 9 does not exist. Initialization will fail"},
			{"no plan, that of another spec", time.Minute, time.Second, nil, "PENDING", "controller-overdue", "has not initialized the run"},
		} {
			w := world.NewWorld(engine.Settings{})
			w.Triage = triage.Catalogue{}
			run := &placement.StagedUpdateRun{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "web-r1", UID: "u", Generation: 1, CreationTimestamp: metav1.NewTime(now.Add(-tt.age))}}
			run.Spec.PlacementName, run.Spec.StagedRolloutStrategyName = "web", "rings"
			w.Runs[id] = run
			w.FirstSeen[id] = world.Seen{Generation: 1, At: now.Add(-tt.seen)}
			place := engine.NewID(engine.KindClusterResourcePlacement, "", "web", "")
			if ns != "" {
				place = engine.NewID(engine.KindResourcePlacement, ns, "web", "")
			}
			near := &world.Nearby{Placement: place, Plans: map[engine.PlanSpec]*plan.Plan{{Index: engine.Lit("7"), Strategy: engine.Lit("rings")}: old}}
			switch tt.name { // that it does not exist is read twice: for the plan, and beside it
			case "a final error, no controller":
				w.Covered[world.CoverAll(place.Kind())] = engine.Coverage{State: engine.CoverComplete}
			case "a strategy that does not exist":
				near.Strategies = []*placement.StagedUpdateStrategy{{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "ring"}}}
			}
			if tt.plan != nil {
				near.Plans[engine.PlanSpec{Strategy: engine.Lit("rings")}] = tt.plan
			}
			w.Nearby = map[engine.ID]*world.Nearby{place: near}
			s, _ := observe.Observe(nil, w, world.Changed{}, now)
			v := s.Find(id)
			if v.Word.String() != tt.word || v.Why.Cause.String() != tt.cause || !strings.Contains(v.Why.What.String(), tt.what) {
				t.Errorf("ns=%q %s: %s, %s: %s", ns, tt.name, v.Word, v.Why.Cause, v.Why.What)
			}
			if steps := engine.Join(v.Why.Steps, "\n").String(); tt.name == "retried for two bindings" && strings.Contains(steps, "Fix this too") {
				t.Errorf("ns=%q %s: the same fix twice: %s", ns, tt.name, steps)
			}
			if short := v.Why.Short.String(); tt.cause == "initializing" && short != "not initialized yet" {
				t.Errorf("ns=%q %s: in short %q", ns, tt.name, short)
			}
			for name, want := range map[string]string{
				"a final error, no controller":                                  "Create placement web with strategy type External",
				"a strategy that does not exist":                                "Create strategy rings, and fix the other failed checks (stagewatch plan), before the controller tries.",
				"a strategy that does not exist, and a check that is not known": "Create strategy rings, and fix the other failed checks (stagewatch plan), before the controller tries.",
				"a strategy that does not exist, and an index":                  "Create a new run (stagewatch clone) with a strategy and a snapshot that exist, then delete this run (stagewatch delete).",
				"retried, then final":                                           "Fix this too, or initialization fails: strategy rings does not exist.",
				"retried, then an index that no snapshot has":                   "Create a new run (stagewatch clone) with the index of a complete snapshot, then delete this run (stagewatch delete).",
				"neither placement nor snapshot 0":                              "Create a new run (stagewatch clone) with a placement and a snapshot that exist, then delete this run (stagewatch delete).",
				"neither placement nor strategy":                                "Create placement web with strategy type External, and fix the other failed checks (stagewatch plan), before the controller tries.",
				"neither placement nor snapshot":                                "Create a new run (stagewatch clone) with a placement and a snapshot that exist, then delete this run (stagewatch delete).",
				"a label that is no number":                                     `Correct sortingLabelKey "region" in strategy rings: it must name a label whose values are numbers.`,
				"a placement that is not External":                              "Set the placement's strategy type to External (this cannot be undone). Then check that the hub agent is running",
				"a selector that is not valid":                                  "Correct the label selector in the strategy. Then check",
				"a placement that is not scheduled":                             "Fix labels, taints or the join state of clusters until the placement is scheduled: status.targetClusters",
				"no policy snapshot":                                            "Wait until the placement is scheduled and has a policy snapshot. If no policy snapshot is labelled latest",
				"a snapshot without its first part":                             "Create a new run (stagewatch clone) with the index of a complete snapshot, then delete this run (stagewatch delete).",
				"a binding that is missing":                                     "Compare the bindings (run the first command) with the clusters that the policy snapshot picks (status.targetClusters), and wait until the hub agent has created the missing binding. Then check",
				"an index that no snapshot has":                                 "Existing snapshots: 2, 1.",
			} {
				all := strings.ReplaceAll(engine.Join(v.Why.Steps, " ").String(), " in namespace team", "")
				if tt.name == name && (!strings.HasPrefix(all, want) || strings.Contains(all, "Before you create a new run") || strings.Contains(all, "of another check")) {
					t.Errorf("%s: steps %s", name, all)
				}
			}
			if tt.name == "a version that is not preferred" && (v.Why.Recovery != engine.RecoveryAutomatic || !strings.HasPrefix(v.Why.Next.String(), "Wait until the run is 2 minutes old.")) {
				t.Errorf("%s: %s, %s", tt.name, v.Why.RecoveryText, v.Why.Next)
			}
			if tt.name == "a label that is no number" && !strings.Contains(engine.Join(v.Why.Commands, " ").String(), "strateg") {
				t.Errorf("no command shows the strategy: %v", v.Why.Commands)
			}
			if tt.name == "an index that no snapshot has" {
				// The spec is immutable: fixing the cause takes another run.
				if v.Why.Recovery != engine.RecoveryByNewRun || v.Why.RecoveryText.String() != "Needs a new run: the index of this run cannot be changed." || !strings.Contains(v.Why.Steps[1].String(), "delete this run (stagewatch delete)") {
					t.Errorf("%s: %s, %v", v.Why.Recovery, v.Why.RecoveryText, v.Why.Steps)
				}
			}
			if strings.HasPrefix(v.Why.Cause.String(), "initialization-") && tt.plan.Refusals != nil && (!v.Why.Quote.IsZero() || v.Why.Evidence[0].Value != tt.plan.Refusals[0].Message) {
				t.Errorf("no condition has a message yet, quoted is %q; the evidence is %v", v.Why.Quote, v.Why.Evidence)
			}
			if strings.Contains(v.Why.What.String(), "moment") {
				t.Error("wait until it is loaded")
			}
		}
	}
}
