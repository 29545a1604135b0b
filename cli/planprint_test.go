package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stagewatch/stagewatch/cli/exit"
	"github.com/stagewatch/stagewatch/cli/output"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/engine/plan"
)

func textsOf(names ...string) []engine.Text {
	out := make([]engine.Text, len(names))
	for i, n := range names {
		out[i] = engine.Clean(n)
	}
	return out
}

// samplePlan is the plan of a run that exists, half way, with everything that a
// plan can tell.
func samplePlan() plan.Plan {
	return plan.Plan{
		Run: engine.NewHubName("prod", "").ID(engine.KindClusterStagedUpdateRun, "", "web-r5", "u"), Placement: engine.Lit("web"), Strategy: engine.Lit("slow"),
		State: engine.Lit("Run"), Initialized: true, Snapshot: plan.Snapshot{Index: engine.Lit("5")},
		Stages: []plan.Stage{
			{
				Name: engine.Lit("canary"), AtOnce: 2,
				Clusters: []plan.Cluster{
					{Name: engine.Lit("eu-1"), Now: engine.Lit("web-5-snapshot"), Started: true, Succeeded: true, SortLabel: engine.Lit("1")},
					{Name: engine.Lit("us-east-1"), Now: engine.Lit("web-5-snapshot"), Started: true, SortLabel: engine.Lit("2"), Overrides: textsOf("image-0", "team/replicas-1")},
				},
				Before: []plan.Task{{Request: engine.Lit("web-r5-before-canary"), Passed: true}},
				After:  []plan.Task{{Wait: 90 * time.Minute}, {Request: engine.Lit("web-r5-after-canary")}},
			},
			{Name: engine.Lit("prod"), AtOnce: 1, Clusters: []plan.Cluster{{Name: engine.Clean("eu-\x1b[31m2"), Now: engine.Lit("web-4-snapshot")}, {Name: engine.Lit("eu-3")}}},
			{Name: engine.Lit("none"), Skipped: true, Before: []plan.Task{{Request: engine.Lit("web-r5-before-none")}}},
		},
		Deletions: textsOf("old-1"),
		CompetingRuns: []plan.CompetingRun{
			{Run: engine.NewHubName("prod", "").ID(engine.KindClusterStagedUpdateRun, "", "web-r4", "u4"), State: engine.Lit("Run"), Index: engine.Lit("4"), WillLose: textsOf("eu-3"), MayTake: textsOf("eu-2")},
			{Run: engine.NewHubName("prod", "").ID(engine.KindClusterStagedUpdateRun, "", "web-r3", "u3"), State: engine.Lit("Stop"), Same: true, Index: engine.Lit("5")},
		},
	}
}

// forecastOf is one of a run whose first stage is done.
func forecastOf() *plan.Forecast {
	at := time.Date(2026, 3, 2, 22, 30, 0, 0, time.UTC)
	about := func(minutes int) plan.Estimate {
		likely := at.Add(time.Duration(minutes) * time.Minute)
		return plan.Estimate{Earliest: likely.Add(-time.Minute), Likely: likely, Latest: likely.Add(90 * time.Second)}
	}
	return &plan.Forecast{
		At: at, Assumed: true, Seen: 12, Runs: 2, Finish: about(130), Next: textsOf("eu-2"), NextStage: engine.Lit("prod"), NextMore: 1,
		Stages: []plan.StageForecast{
			{Name: engine.Lit("canary"), Updated: about(3), Asked: about(3), Finish: about(93), Wait: 90 * time.Minute, Approvals: textsOf("web-r5-after-canary")},
			{Name: engine.Lit("prod"), Updated: about(110), Finish: about(110)},
			{Name: engine.Lit("none"), Finish: about(110)},
			{Name: engine.Lit("deletion stage"), Deletion: true, Finish: about(130)},
		},
	}
}

// refusedPlan is the plan of a run that does not exist and never will get far.
func refusedPlan() plan.Plan {
	return plan.Plan{
		Run: engine.NewHubName("prod", "").ID(engine.KindStagedUpdateRun, "shop", "", ""), Placement: engine.Lit("pay"), Strategy: engine.Lit("fast"), State: engine.Lit("Run"),
		Snapshot: plan.Snapshot{Newest: true},
		Refusals: []plan.Refusal{
			{Message: engine.Lit("cannot continue the updateRun: parent placement not found"), Final: true, Hint: engine.Lit("Correct the name, then create a new run.")},
			{Message: engine.Clean("binding `a` with \u202eold policy"), Final: false},
		},
		Warnings:    []engine.Text{engine.Lit("autoscaling/v1 is retried for up to 30 s.")},
		Unknown:     []engine.Gap{{What: engine.Lit("member clusters"), Why: engine.Lit("you may not list them"), Forbidden: true}, {What: engine.Lit("bindings"), Why: engine.Lit("no answer in time")}},
		Unplaced:    []plan.StageMismatch{{Cluster: engine.Lit("lost"), Labels: textsOf("env=nowhere", "ring")}, {Cluster: engine.Lit("gone"), Missing: true}},
		Overlapping: []plan.StageMismatch{{Cluster: engine.Lit("twice"), Labels: textsOf("env=a"), Stages: textsOf("one", "two")}},
		Stages: []plan.Stage{
			{Name: engine.Lit("one"), AtOnce: 3, Clusters: []plan.Cluster{{Name: engine.Lit("a")}, {Name: engine.Lit("b")}, {Name: engine.Lit("twice")}}, Before: []plan.Task{{Request: engine.Lit("-before-one")}}},
			{Name: engine.Lit("two"), Clusters: []plan.Cluster{{Name: engine.Lit("twice")}}},
		},
	}
}

func TestPrintedPlans(t *testing.T) {
	whole, refused := samplePlan(), refusedPlan()
	fresh := samplePlan()
	fresh.Run = engine.NewHubName("prod", "").ID(engine.KindClusterStagedUpdateRun, "", "", "")
	fresh.Stages[0].Before[0].Passed = false
	fresh.Initialized, fresh.CompetingRuns, fresh.Deletions = false, nil, nil
	fresh.Stages = fresh.Stages[:2]
	fresh.Stages[0].Clusters[0].Started, fresh.Stages[0].Clusters[0].Succeeded, fresh.Stages[0].Clusters[1].Started = false, false, false
	fresh.Snapshot = plan.Snapshot{Index: engine.Lit("6"), Newest: true, Made: true}
	ended := samplePlan()
	ended.Finished = true
	unread := samplePlan()
	unread.Unknown = refused.Unknown[1:]
	whole.Forecast = forecastOf()
	behind, stuck := fresh, samplePlan()
	behind.Forecast = forecastOf()
	behind.Forecast.Starts, behind.Forecast.Assumed, behind.Forecast.Finish, behind.Forecast.Awaits = true, false, plan.Estimate{}, engine.Lit("web-r5-after-canary")
	for i := range behind.Forecast.Stages {
		behind.Forecast.Stages[i].Finish = plan.Estimate{}
	}
	stuck.Forecast = &plan.Forecast{Never: engine.Lit("stuck on eu-1: the run goes on when that recovers")}
	again, retried := refusedPlan(), samplePlan()
	again.Run, again.Finished, again.Again = whole.Run, true, true
	again.Unknown = nil
	retried.Finished, retried.Again, retried.Initialized, retried.Forecast = true, true, false, fresh.Forecast
	retried.Stages[0].Before[0].Passed = false
	goes := fresh
	goes.Deleting, goes.Warnings = true, []engine.Text{engine.Lit("Placement web is being deleted (requested at 22:20:00): its resources are removed from the clusters.")}
	for _, c := range []struct {
		name string
		plan plan.Plan
		code int
	}{
		{"plan-run", whole, exit.OK},
		{"plan-refused", refused, exit.Failed},
		{"plan-imagined", fresh, exit.OK},
		{"plan-behind", behind, exit.OK},
		{"plan-stuck", stuck, exit.OK},
		{"plan-again", retried, exit.OK},
		{"plan-again-refused", again, exit.Failed},
		{"plan-ended", ended, exit.OK},
		{"plan-placement-deleted", goes, exit.Failed},
		{"plan-unread", unread, exit.Unreachable},
	} {
		t.Run(c.name, func(t *testing.T) {
			var text, document bytes.Buffer
			c.plan.At = time.Date(2026, 3, 2, 22, 30, 0, 0, time.UTC)
			a := page.PlanPage(&c.plan)
			if err := output.WriteSections(&text, &a); err != nil {
				t.Fatal(err)
			}
			golden(t, c.name+".golden", text.String())
			enc := json.NewEncoder(&document)
			enc.SetEscapeHTML(false)
			enc.SetIndent("", "  ")
			if err := enc.Encode(output.PlanDocumentOf("prod", &c.plan)); err != nil {
				t.Fatal(err)
			}
			golden(t, c.name+".json.golden", document.String())
			for _, out := range []string{text.String(), document.String()} {
				if strings.ContainsAny(out, "\x1b\u202e") {
					t.Error("a terminal would be steered by this")
				}
				if strings.Contains(out, ": null") {
					t.Error("a list is null")
				}
			}
			err := judgePlan(&c.plan)
			var f *exit.Failure
			switch {
			case c.code == exit.OK && err != nil:
				t.Errorf("got %v", err)
			case c.code != exit.OK && (!errors.As(err, &f) || f.Code != c.code):
				t.Errorf("got %v, want code %d", err, c.code)
			}
		})
	}
}

// TestPlanSaysWhatAFailedCheckDoes: a check that the controller repeats does not fail the run.
func TestPlanSaysWhatAFailedCheckDoes(t *testing.T) {
	final := plan.Refusal{Message: engine.Lit("a"), Final: true}
	for _, c := range []struct {
		plan plan.Plan
		want string
	}{
		{plan.Plan{Refusals: []plan.Refusal{final}}, "the run will fail"},
		{plan.Plan{Refusals: []plan.Refusal{final, final}, Again: true}, "a new run with the same spec will fail: 2 failed checks"},
		{plan.Plan{Refusals: []plan.Refusal{{Message: engine.Lit("a")}}}, "the run is not initialized until the failed check passes"},
		{plan.Plan{Refusals: []plan.Refusal{{Message: engine.Lit("a")}, final}, Initialized: true}, "the run does not continue until the failed check passes: 2 failed checks"},
	} {
		if err := judgePlan(&c.plan); err == nil || err.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

func TestPlanArguments(t *testing.T) {
	for _, c := range []struct {
		name string
		args []string
		says string
	}{
		{"nothing", []string{"plan"}, "required: RUN"},
		{"half of an imagined run", []string{"plan", "--placement", "p"}, "must be used together"},
		{"a snapshot alone", []string{"plan", "--snapshot", "1"}, "must be used together"},
		{"both", []string{"plan", "r", "--placement", "p", "--strategy", "s"}, "RUN cannot be combined"},
		{"two runs", []string{"plan", "r", "q"}, "accepts at most 1 argument, got 2"},
		{"form", []string{"plan", "r", "-o", "wide"}, "invalid --output"},
		{"flag", []string{"plan", "r", "--bogus"}, "unknown flag"},
		{"a bad name", []string{"plan", "a/b/c"}, "invalid run"},
		{"other namespace", []string{"plan", "a/b", "-n", "c"}, "is not in namespace \"c\""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("KUBECONFIG", "/nowhere")
			var out, errs bytes.Buffer
			if code := Main(c.args, strings.NewReader(""), &out, &errs); code != exit.Usage || !strings.Contains(errs.String(), c.says) || !strings.Contains(errs.String(), "hint: ") && !strings.Contains(errs.String(), "usage: ") {
				t.Errorf("code %d, stderr %q", code, errs.String())
			}
			if out.Len() > 0 {
				t.Errorf("stdout %q", out.String())
			}
		})
	}
}
