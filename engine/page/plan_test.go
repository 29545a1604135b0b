package page_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/engine/plan"
)

// planned is a plan that tells everything a plan can.
func planned() plan.Plan {
	lit := engine.Clean
	return plan.Plan{
		Run: engine.NewID(engine.KindStagedUpdateRun, "shop", "pay-r5", "u"), Placement: lit("pay"), Strategy: lit("slow"), State: lit("Run"),
		Snapshot: plan.Snapshot{Index: lit("5"), Newest: true, Made: true},
		Stages: []plan.Stage{
			{
				Name: lit("canary"), AtOnce: 1, Before: []plan.Task{{Request: lit("pay-r5-before-canary")}}, After: []plan.Task{{Wait: 90 * time.Minute}},
				Clusters: []plan.Cluster{{Name: lit("a"), Now: lit("pay-4-snapshot"), SortLabel: lit("1"), Overrides: []engine.Text{lit("o-1")}}, {Name: lit("b")}},
			},
			{Name: lit("none"), Skipped: true},
		},
		Deletions:   []engine.Text{lit("old")},
		Refusals:    []plan.Refusal{{Message: lit("not fully scheduled"), Final: true}, {Message: lit("transient"), Hint: lit("Wait.")}},
		Warnings:    []engine.Text{lit("v1 is not the preferred version")},
		Unknown:     []engine.Gap{{What: lit("bindings"), Why: lit("forbidden"), Forbidden: true}},
		Unplaced:    []plan.StageMismatch{{Cluster: lit("lost"), Labels: []engine.Text{lit("env=x"), lit("ring")}}},
		Overlapping: []plan.StageMismatch{{Cluster: lit("twice"), Labels: []engine.Text{lit("env=a")}, Stages: []engine.Text{lit("one"), lit("two")}}},
		CompetingRuns: []plan.CompetingRun{
			{Run: engine.NewID(engine.KindStagedUpdateRun, "shop", "pay-r4", "u4"), State: lit("Run"), Index: lit("4"), WillLose: []engine.Text{lit("a")}, MayTake: []engine.Text{lit("b")}},
			{Run: engine.NewID(engine.KindStagedUpdateRun, "shop", "pay-r3", "u3"), State: lit("Stop"), Same: true},
		},
	}
}

// inLines tells a page as text.
func inLines(a page.Answer) string {
	var b strings.Builder
	for _, s := range a.Sections {
		fmt.Fprintf(&b, "# %s (%s)\n", s.Heading(), s.Note)
		if len(s.Head) > 0 {
			b.WriteString(engine.Join(s.Head, " | ").String() + "\n")
		}
		for _, r := range s.Rows {
			for i, c := range r.Cells {
				if i > 0 {
					b.WriteString(" | ")
				}
				b.WriteString(c.Text.String())
				if !c.At.IsZero() {
					b.WriteString(c.At.Format("15:04"))
				}
			}
			b.WriteString("\n")
			if !r.Note.IsZero() {
				b.WriteString("  " + r.Note.String() + "\n")
			}
		}
	}
	return b.String()
}

// forecastAfterFirstStage is a forecast of a run that has finished its first stage.
func forecastAfterFirstStage() *plan.Forecast {
	at := time.Date(2026, 3, 2, 22, 30, 0, 0, time.UTC)
	about := func(minutes int) plan.Estimate {
		likely := at.Add(time.Duration(minutes) * time.Minute)
		return plan.Estimate{Earliest: likely.Add(-time.Minute), Likely: likely, Latest: likely.Add(time.Minute)}
	}
	lit := engine.Clean
	return &plan.Forecast{
		At: at, Assumed: true, Starts: true, Seen: 3, Runs: 1, Finish: about(40), Next: []engine.Text{lit("b"), lit("c")}, NextStage: lit("prod"), NextMore: 4,
		Stages: []plan.StageForecast{
			{Name: lit("canary"), Done: true, Wait: time.Hour},
			{Name: lit("prod"), Asked: about(10), Updated: about(9), Finish: about(30), Wait: 20 * time.Minute, Approvals: []engine.Text{lit("x")}},
			{Name: lit("rest"), Finish: about(40), Updated: about(40), Approvals: []engine.Text{lit("y"), lit("z")}},
		},
	}
}

func TestPlanPageForecast(t *testing.T) {
	open := forecastAfterFirstStage()
	open.Assumed, open.Starts, open.Awaits, open.Finish, open.Runs = false, false, engine.Lit("x"), plan.Estimate{}, 2
	for i := range open.Stages {
		open.Stages[i].Finish = plan.Estimate{}
	}
	simple := &plan.Forecast{Finish: forecastAfterFirstStage().Finish, Stages: []plan.StageForecast{{Name: engine.Lit("deletion stage"), Deletion: true, Finish: forecastAfterFirstStage().Finish}}}
	for _, c := range []struct {
		name     string
		forecast *plan.Forecast
		want     string
	}{
		{"assumed", forecastAfterFirstStage(), `# forecast (estimated completion, UTC)
stage | estimated completion | earliest | latest | approval request | waits for
canary | done |  |  |  | 
prod | 23:00 | 22:59 | 23:01 | 22:40 | approval, wait 20m
rest | 23:10 | 23:09 | 23:11 |  | 2 approvals
the run | 23:10 | 23:09 | 23:11 |  | 
if it is started now, if approvals are granted immediately, based on 3 updates in 1 run
next to start in stage prod: b, c, then 4 more
`},
		{"open", open, `# forecast (estimated completion, UTC)
stage | estimated completion | earliest | latest | approval request | waits for
canary | done |  |  |  | 
prod | no estimate |  |  | 22:40 | approval, wait 20m
rest | no estimate |  |  |  | 2 approvals
the run | no estimate |  |  |  | 
no estimate after the first approval, based on 3 updates in 2 runs
next to start in stage prod: b, c, then 4 more
`},
		{"nothing but a deletion", simple, `# forecast (estimated completion, UTC)
stage | estimated completion | earliest | latest | waits for
deletion stage | 23:10 | 23:09 | 23:11 | 
the run | 23:10 | 23:09 | 23:11 | 
based on the controller's poll intervals
`},
		{"never", &plan.Forecast{Never: engine.Lit("the run is stopped")}, `# forecast (estimated completion, UTC)
no estimate: the run is stopped
`},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := plan.Plan{Forecast: c.forecast}
			a := page.PlanPage(&p)
			if got := inLines(page.Answer{Sections: a.Sections[1:]}); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
	for name, p := range map[string]plan.Plan{
		"finished": {Finished: true, Forecast: forecastAfterFirstStage()},
		"refused":  {Refusals: make([]plan.Refusal, 1), Forecast: forecastAfterFirstStage()},
		"not read": {Unknown: make([]engine.Gap, 1), Forecast: forecastAfterFirstStage()},
		"none":     {},
	} {
		if p.Forecasts() {
			t.Errorf("%s: a forecast is shown", name)
		}
	}
}

func TestPlanPage(t *testing.T) {
	p := planned()
	p.At = time.Date(2026, 3, 2, 22, 30, 0, 0, time.UTC)
	a := page.PlanPage(&p)
	want := `# namespaced run shop/pay-r5 (plan by the controller's rules)
placement | pay
strategy | slow
snapshot | 5   newest: created for this run
state | Run
verdict | blocked by 2 failed checks
# failed checks (the controller reports only the first; the others follow after a fix)
not fully scheduled (final)
transient (retried automatically)
  Wait.
# warning (what may delay the run)
v1 is not the preferred version
# not read (failed checks may be missing)
bindings | forbidden
# in no stage (with the labels that the stages select by)
lost | env=x, ring (not set) | 
# in several stages (with the labels that the stages select by)
twice | env=a | one and two
# other unfinished runs (of this placement)
shop/pay-r4 | state Run, snapshot 4 | fails when this run updates a; may update b, which makes this run fail
shop/pay-r3 | state Stop | same snapshot: neither run preempts the other
# stage 1/2 canary (2 clusters, max 1)
before: approval pay-r5-before-canary
1 | a | starts first | has snapshot 4   sorting label 1   overrides o-1
2 | b |  | 
after: wait 1h30m
# stage 2/2 none (no clusters: the stage and its tasks are skipped)
# deletion stage (after the last stage, resources are deleted from)
old
`
	if got := inLines(a); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if a.Object != p.Run || !a.At.Equal(p.At) {
		t.Errorf("answer %+v", a)
	}
	rows := map[string]page.Row{}
	for _, s := range a.Sections {
		for _, r := range s.Rows {
			if r.Key.IsZero() {
				continue
			}
			if _, twice := rows[r.Key.String()]; twice {
				t.Errorf("two rows have the key %s", r.Key)
			}
			rows[r.Key.String()] = r
		}
	}
	want2 := page.ClusterQuestion{
		Placement: engine.NewID(engine.KindResourcePlacement, "shop", "pay", ""), Run: p.Run,
		Member: engine.NewID(engine.KindMemberCluster, "", "a", ""),
	}
	if rows["cluster a"].Page != want2 {
		t.Errorf("the cluster's page is %+v", rows["cluster a"].Page)
	}
	if rows["competing shop/pay-r4"].Run != p.CompetingRuns[0].Run {
		t.Errorf("the competing run is %v", rows["competing shop/pay-r4"].Run)
	}
}

func TestPlanVerdicts(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*plan.Plan)
		want   string
	}{
		{"refused", func(*plan.Plan) {}, "blocked by 2 failed checks"},
		{"ended", func(p *plan.Plan) { p.Finished = true }, "nothing to plan: the run has ended or is being deleted"},
		{"one reason", func(p *plan.Plan) { p.Refusals = p.Refusals[:1] }, "blocked by 1 failed check"},
		{"no estimate", func(p *plan.Plan) { p.Refusals = nil }, "unknown: not everything was read"},
		{"possible", func(p *plan.Plan) { p.Refusals, p.Unknown = nil, nil }, "possible: 2 clusters in 2 stages"},
		{"goes on", func(p *plan.Plan) {
			p.Refusals, p.Unknown = nil, nil
			p.Stages[0].Clusters[0].Started, p.Stages[0].Clusters[0].Succeeded = true, true
		}, "continues: 1 of 2 clusters left in 1 stage, then deletion from 1 of 1 cluster left"},
		{"stuck", func(p *plan.Plan) {
			p.Refusals, p.Unknown = nil, nil
			p.Stages[0].Clusters[0].Started = true
			p.Forecast = &plan.Forecast{Never: engine.Clean("stuck on a"), Held: true}
		}, "on hold: 2 of 2 clusters left in 1 stage, then deletion from 1 of 1 cluster left"},
		{"stuck before its first cluster", func(p *plan.Plan) {
			p.Refusals, p.Unknown, p.Initialized, p.State = nil, nil, true, engine.Lit("Run")
			p.Forecast = &plan.Forecast{Never: engine.Clean("stuck on a"), Held: true}
		}, "on hold: 2 of 2 clusters left in 1 stage, then deletion from 1 of 1 cluster left"},
		{"not started", func(p *plan.Plan) {
			p.Refusals, p.Unknown, p.Initialized, p.State = nil, nil, true, engine.Lit("Initialize")
			p.Forecast = &plan.Forecast{Never: engine.Clean("waits"), Held: true}
		}, "possible: 2 clusters in 2 stages"},
		{"deletes", func(p *plan.Plan) {
			p.Refusals, p.Unknown, p.Deletions = nil, nil, []engine.Text{engine.Lit("old-1"), engine.Lit("old-2")}
			for i := range p.Stages {
				for j := range p.Stages[i].Clusters {
					p.Stages[i].Clusters[j].Started, p.Stages[i].Clusters[j].Succeeded = true, true
				}
			}
			p.Deleted = 1
		}, "continues: deletion from 1 of 2 clusters left"},
		{"will delete", func(p *plan.Plan) {
			p.Refusals, p.Unknown, p.Deletions = nil, nil, []engine.Text{engine.Lit("old-1")}
			p.Stages[0].Clusters[0].Started = true
		}, "continues: 2 of 2 clusters left in 1 stage, then deletion from 1 of 1 cluster left"},
		{"the end is no estimate", func(p *plan.Plan) {
			p.Refusals, p.Unknown = nil, nil
			p.Stages[0].Clusters[0].Started = true
			p.Forecast = &plan.Forecast{Never: engine.Clean("nothing tells how long one takes")}
		}, "continues: 2 of 2 clusters left in 1 stage, then deletion from 1 of 1 cluster left"},
		{"failed", func(p *plan.Plan) {
			p.Refusals, p.Unknown, p.Finished, p.Again = nil, nil, true, true
			p.Stages[0].Clusters[0].Started = true
		}, "failed; a new run with the same spec is possible: 2 clusters in 2 stages"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := planned()
			c.change(&p)
			if got := p.Verdict().String(); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// A plan of a run that is about to be made says what starts first.
func TestPlanBegins(t *testing.T) {
	stage := func(atOnce int, names ...string) plan.Stage {
		s := plan.Stage{Name: engine.Lit("canary"), AtOnce: atOnce, Skipped: len(names) == 0}
		for _, n := range names {
			s.Clusters = append(s.Clusters, plan.Cluster{Name: engine.Clean(n)})
		}
		return s
	}
	gated := stage(1, "a", "b")
	gated.Before = []plan.Task{{Request: engine.Lit("r-before-canary")}}
	for _, c := range []struct {
		name   string
		stages []plan.Stage
		want   string
	}{
		{"no stages are known", nil, ""},
		{"one of several", []plan.Stage{stage(1, "a", "b", "c")}, "it starts with a in stage canary, then 2 more (max 1)"},
		{"two at once", []plan.Stage{stage(2, "a", "b", "c")}, "it starts with a and b in stage canary, then 1 more (max 2)"},
		{"all at once", []plan.Stage{stage(5, "a", "b")}, "it starts with a and b in stage canary"},
		{"an empty stage is passed over", []plan.Stage{stage(1), stage(1, "a")}, "it starts with a in stage canary"},
		{"nothing at all", []plan.Stage{stage(1)}, "no cluster is updated"},
		{"an approval before", []plan.Stage{gated}, "it starts with the approval before stage canary (2 clusters)"},
		{"how many cannot be read", []plan.Stage{stage(0, "a")}, ""},
	} {
		p := plan.Plan{Stages: c.stages}
		if got := p.Begins().String(); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// A cluster of a run that only reports differences does not have what it is compared with.
func TestPlanOfARunThatReportsDifferences(t *testing.T) {
	for reports, want := range map[bool]string{false: "has snapshot 4", true: "compared with snapshot 4"} {
		p := planned()
		p.ReportDiff = reports
		a := page.PlanPage(&p)
		if got := inLines(a); strings.Contains(got, "has snapshot 4") == reports || !strings.Contains(got, want) {
			t.Errorf("reports %v: %s", reports, got)
		}
	}
}

// The binding of an updating cluster has the snapshot of the run, which the cluster may not have yet.
func TestPlanOfAnUpdatingCluster(t *testing.T) {
	for index, want := range map[string]string{"4": "to snapshot 4", "5": "has snapshot 4"} {
		p := planned()
		c := &p.Stages[0].Clusters[0]
		p.Snapshot.Index, c.Started = engine.Clean(index), true
		if got := inLines(page.PlanPage(&p)); !strings.Contains(got, "updating | "+want) {
			t.Errorf("run of snapshot %s: %s", index, got)
		}
		if c.Succeeded = true; !strings.Contains(inLines(page.PlanPage(&p)), "done | has snapshot 4") {
			t.Errorf("done: %s", inLines(page.PlanPage(&p)))
		}
	}
}

func TestPlanRefusalShort(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"cannot continue the updateRun: failed to validate the updateRun: failed to process the request due to a client error: parent placement not found", "parent placement not found"},
		{"cannot continue the updateRun: unexpected behavior which cannot be handled by the controller: the updateRun has nil stagesStatus", "the updateRun has nil stagesStatus"},
		{"binding `a` with old policy", "binding `a` with old policy"},
		{"cannot continue the updateRun: ", "cannot continue the updateRun: "},
		{"", ""},
	} {
		r := plan.Refusal{Message: engine.Clean(c.in)}
		if got := r.Short().String(); got != c.want {
			t.Errorf("%q: got %q, want %q", c.in, got, c.want)
		}
	}
}

func TestPlanDangerOfCompetingRuns(t *testing.T) {
	for _, c := range []struct {
		run  plan.CompetingRun
		want string
	}{
		{plan.CompetingRun{Same: true}, "[same snapshot: neither run preempts the other]"},
		{plan.CompetingRun{}, "[another version (snapshot, overrides or apply strategy), but no cluster is left to update in both runs]"},
		{plan.CompetingRun{BothStarted: []engine.Text{engine.Lit("a")}}, "[has also started a: one of the two runs fails there]"},
		{plan.CompetingRun{State: engine.Lit("Stop"), MayTake: []engine.Text{engine.Lit("b")}, BothStarted: []engine.Text{engine.Lit("a")}}, "[may update b when it is resumed, which makes this run fail has also started a: it fails there if it is resumed before it has stopped]"},
		{plan.CompetingRun{State: engine.Lit("Stop"), BothStarted: []engine.Text{engine.Lit("a")}, Holds: true}, "[has also started a: one of the two runs fails there]"},
		{plan.CompetingRun{State: engine.Lit("Stop"), WillLose: []engine.Text{engine.Lit("a")}}, "[has started a, which this run also updates: it stops when the update has finished, and fails if it is resumed earlier]"},
		{plan.CompetingRun{Moot: true}, "[neither run preempts the other: this run fails first]"},
		{plan.CompetingRun{Unknown: true}, "[competing clusters are unknown before this run has stages]"},
		{plan.CompetingRun{WillLose: []engine.Text{engine.Lit("a")}}, "[fails when this run updates a]"},
	} {
		if got := fmt.Sprint(c.run.Danger()); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}

// What the dialog of a new run says of a run that it takes clusters from.
func TestThreatOfCompetingRuns(t *testing.T) {
	other := engine.NewID(engine.KindStagedUpdateRun, "shop", "r2", "u2")
	a := []engine.Text{engine.Lit("a")}
	for _, c := range []struct {
		run  plan.CompetingRun
		want string
	}{
		{plan.CompetingRun{Run: other, State: engine.Lit("Run"), WillLose: a}, "it preempts shop/r2 on a; that run then fails"},
		{plan.CompetingRun{Run: other, State: engine.Lit("Stop"), WillLose: a}, "it also updates a, started by shop/r2, which is stopping: that run stops when the update has finished, and fails if it is resumed earlier"},
		{plan.CompetingRun{Run: other, State: engine.Lit("Run"), MayTake: a}, "shop/r2 (state Run) may preempt it: both want a"},
		{plan.CompetingRun{Run: other, State: engine.Lit("Stop"), MayTake: a}, "shop/r2 (state Stop) may preempt it when it is resumed: both want a"},
		{plan.CompetingRun{Run: other}, ""},
	} {
		if got := c.run.Threat().String(); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

func TestForecastAhead(t *testing.T) {
	asks := forecastAfterFirstStage()
	asks.Starts = false
	last := forecastAfterFirstStage()
	last.Starts, last.Stages[1].Asked = false, plan.Estimate{}
	for _, c := range []struct {
		name     string
		forecast *plan.Forecast
		want     plan.Moment
	}{
		{"an approval comes first", asks, plan.Moment{What: engine.Lit("next approval request"), When: asks.Stages[1].Asked}},
		{"the end", last, plan.Moment{What: engine.Lit("estimated completion"), When: last.Finish}},
		{"not started", forecastAfterFirstStage(), plan.Moment{}},
		{"never", &plan.Forecast{Never: engine.Lit("stopped")}, plan.Moment{}},
	} {
		if got := c.forecast.Ahead(); got != c.want {
			t.Errorf("%s: got %+v, want %+v", c.name, got, c.want)
		}
		p := plan.Plan{Forecast: c.forecast}
		if got := page.PlanPage(&p).Forecast; got != c.want {
			t.Errorf("%s: the page says %+v", c.name, got)
		}
	}
}
