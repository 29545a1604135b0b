package plan

import (
	"testing"

	"github.com/stagewatch/stagewatch/engine"
)

// The next step of a run that is not started is not to start it while another run updates
// clusters that it wants, as the diagnosis says. One that is stuck or stopped may never finish.
func TestARunIsNotStartedBesideAnother(t *testing.T) {
	const start, wait = "Start the run (stagewatch run): stage canary, 1 cluster.", "Do not start the run before r2 has finished: the run that updates a cluster later preempts the other."
	wants := []engine.Text{engine.Lit("a")}
	for _, tt := range []struct {
		name  string
		other CompetingRun
		want  string
	}{
		{"it updates a cluster", CompetingRun{State: engine.Lit("Run"), WillLose: wants}, wait},
		{"it will update a cluster", CompetingRun{State: engine.Lit("Run"), MayTake: wants}, wait},
		{"it is stuck", CompetingRun{State: engine.Lit("Run"), MayTake: wants, Stuck: true}, start},
		{"it is stopped", CompetingRun{State: engine.Lit("Stop"), MayTake: wants}, start},
		{"it is not started", CompetingRun{State: engine.Lit("Initialize"), MayTake: wants}, start},
		{"no cluster is left in both", CompetingRun{State: engine.Lit("Run")}, start},
	} {
		tt.other.Run = engine.NewID(engine.KindClusterStagedUpdateRun, "", "r2", "u-r2")
		p := Plan{
			State: engine.Lit("Initialize"), Initialized: true, CompetingRuns: []CompetingRun{tt.other},
			Stages: []Stage{{Name: engine.Lit("canary"), AtOnce: 1, Clusters: []Cluster{{Name: engine.Lit("a")}}}},
		}
		if got := p.Next().String(); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

// A run that gets stuck on clusters that fail already is not started before they are looked at; a
// plan of a run that only reports differences says so.
func TestTheNextStepAndTheVerdictOfAPlan(t *testing.T) {
	p := Plan{State: engine.Lit("Initialize"), Initialized: true, Stages: []Stage{{Name: engine.Lit("canary"), AtOnce: 1, Clusters: []Cluster{{Name: engine.Lit("a")}}}}}
	const possible, reports = "possible: 1 cluster in 1 stage", "; clusters only report differences (ReportDiff)"
	if got := p.Verdict().String(); got != possible {
		t.Errorf("verdict %s, want %s", got, possible)
	}
	p.ReportDiff, p.Failing = true, []engine.Text{engine.Lit("a (Applied False)")}
	if got := p.Verdict().String(); got != possible+reports {
		t.Errorf("verdict %s, want %s", got, possible+reports)
	}
	const next = "Do not start the run yet: first find out what fails on a (Applied False), or the run gets stuck there."
	if got := p.Next().String(); got != next {
		t.Errorf("next %s, want %s", got, next)
	}
	p.Refusals = []Refusal{{Message: engine.Lit("x"), Final: true}}
	if got := p.Verdict().String(); got != "blocked by 1 failed check" {
		t.Errorf("verdict %s", got)
	}
}

// A run that is stuck after a stop was requested is not only to be resumed: what blocks its updating
// clusters comes first, and the forecast has the cause and what the stop does.
func TestThePlanOfAStuckRunThatIsStopping(t *testing.T) {
	const stops = "the run is stopping: a person must resume it"
	for _, stuck := range []bool{false, true} {
		v := &engine.RunView{Word: engine.WordStopping, StopWanted: true, Why: engine.Diagnosis{What: engine.Lit("Webhook w denied Deployment web on a.")}}
		if stuck {
			v.Word = engine.WordStuck
		}
		p := Plan{
			State: engine.Lit("Stop"), Initialized: true, Forecast: &Forecast{Held: true, Never: engine.Lit(stops)},
			Stages: []Stage{{Name: engine.Lit("canary"), AtOnce: 1, Clusters: []Cluster{{Name: engine.Lit("a"), Started: true}}}},
		}
		p.Diagnose(v)
		next, never := "Resume the run (stagewatch run): stage canary, 1 cluster.", stops
		if stuck {
			next, never = "First find out what blocks a (stagewatch explain), then resume the run (stagewatch run): stage canary, 1 cluster.", "Webhook w denied Deployment web on a. The run is stopping: a person must resume it"
		}
		if got := p.Next().String(); got != next {
			t.Errorf("stuck %v: next %q, want %q", stuck, got, next)
		}
		if got := p.Forecast.Never.String(); got != never || !p.Forecast.Held {
			t.Errorf("stuck %v: no estimate %q, want %q", stuck, got, never)
		}
	}
}
