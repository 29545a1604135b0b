package watch

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/page"
)

// The plan of a run and its page on the screen use the stuck threshold of the
// session: a cluster that is STUCK has no estimate beside it, and the reason is the cause
// in the diagnosis.
func TestPlanUsesTheStuckThresholdOfTheSession(t *testing.T) {
	t.Parallel()
	p := somebody(t, shared)
	const place = "plan-stuck"
	p.ground("", place)
	run := updatingRun(t, place)
	p.make(run)
	admin := shared.AdminConfig()
	const cause = "Member " + place + "-a1 has not joined the fleet (stage a, since "
	says := func(text string) bool {
		return strings.Contains(text, cause) && strings.Contains(text, "Also stuck: "+place+"-a2.")
	}
	for _, tt := range []struct {
		after time.Duration
		stuck bool
	}{{30 * time.Second, true}, {time.Hour, false}} {
		settings := engine.Settings{StuckAfter: tt.after}
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		got, err := Plan(ctx, Config{REST: admin, Settings: settings}, PlanRequest{Run: ref("csur/" + place + "-r1")})
		cancel()
		if err != nil {
			t.Fatal(err)
		}
		if never := got.Forecast.Never.String(); says(never) != tt.stuck {
			t.Errorf("stuck after %s: no estimate because %q", tt.after, never)
		}
		s := openSession(t, Config{REST: admin, Settings: settings})
		about := until(t, s, "the run", func(s *engine.Snapshot) bool {
			return s.Complete && named(s, engine.KindClusterStagedUpdateRun, "", place+"-r1") != nil
		})
		id := named(about, engine.KindClusterStagedUpdateRun, "", place+"-r1").ID
		if shown := words(s.Ask(t.Context(), page.PlanQuestion{Run: id})); says(shown) != tt.stuck {
			t.Errorf("stuck after %s: the page says\n%s", tt.after, shown)
		}
	}
}

// updatingRun is a cluster run of the ground of a placement, with snapshot 0 and two clusters
// that started two minutes ago.
func updatingRun(t *testing.T, place string) map[string]any {
	started := time.Now().Add(-2 * time.Minute).UTC().Format(time.RFC3339)
	return fromYAML(t, `
apiVersion: %[1]s
kind: ClusterStagedUpdateRun
metadata: {name: %[2]s-r1}
spec: {placementName: %[2]s, stagedRolloutStrategyName: %[2]s-s, resourceSnapshotIndex: "0", state: Run}
status:
  policySnapshotIndexUsed: "0"
  appliedStrategy: {type: ClientSideApply, comparisonOption: PartialComparison, whenToApply: Always, whenToTakeOver: Always}
  policyObservedClusterCount: 3
  resourceSnapshotIndexUsed: "0"
  conditions:
  - {type: Initialized, status: "True", reason: r, message: m, observedGeneration: 1, lastTransitionTime: "%[3]s"}
  - {type: Progressing, status: "True", reason: UpdateRunProgressing, message: m, observedGeneration: 1, lastTransitionTime: "%[3]s"}
  stagedUpdateStrategySnapshot:
    stages:
    - {name: a, maxConcurrency: 2, labelSelector: {matchLabels: {%[2]s-ring: a}}}
    - {name: b, maxConcurrency: 1, labelSelector: {matchLabels: {%[2]s-ring: b}}}
  stagesStatus:
  - stageName: a
    startTime: "%[3]s"
    conditions: [{type: Progressing, status: "True", reason: StageUpdatingStarted, message: m, observedGeneration: 1, lastTransitionTime: "%[3]s"}]
    clusters:
    - {clusterName: %[2]s-a1, conditions: [{type: Started, status: "True", reason: ClusterUpdatingStarted, message: m, observedGeneration: 1, lastTransitionTime: "%[3]s"}]}
    - {clusterName: %[2]s-a2, conditions: [{type: Started, status: "True", reason: ClusterUpdatingStarted, message: m, observedGeneration: 1, lastTransitionTime: "%[3]s"}]}
  - stageName: b
    clusters: [{clusterName: %[2]s-b1}]
  deletionStageStatus: {stageName: kubernetes-fleet.io/deleteStage, clusters: []}
`, apiVersion, place, started)
}

// What the plan of a run that has begun says of another run that is not initialized yet holds
// for the snapshot of that one, whichever this run uses.
func TestPlanReadsTheSnapshotOfACompetingRun(t *testing.T) {
	p := somebody(t, shared)
	const place = "plan-beside"
	p.ground("", place)
	p.make(updatingRun(t, place))
	for _, index := range []string{"1", "9"} {
		other := aRun(t, "", place+"-to-"+index, place, "Run", "")
		delete(other, "status")
		other["spec"].(map[string]any)["resourceSnapshotIndex"] = index
		p.make(other)
	}
	got := mustPlan(t, shared.AdminConfig(), PlanRequest{Run: ref("csur/" + place + "-r1")})
	if len(got.CompetingRuns) != 2 || len(got.Unknown) > 0 {
		t.Fatalf("competing runs %v, unknown %v", got.CompetingRuns, got.Unknown)
	}
	for i, fails := range []string{"", "no resourceSnapshots with index `9` found for placement `/" + place + "`"} {
		if c := got.CompetingRuns[i]; c.Fails.String() != fails || len(c.MayTake) == 0 != (fails != "") {
			t.Errorf("%s: fails %q, may take %v", c.Run.Title(), c.Fails, c.MayTake)
		}
	}
}
