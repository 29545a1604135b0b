package plan

import (
	"testing"
	"time"

	"github.com/stagewatch/stagewatch/engine"
)

// TestNextOfARunThatHasNoEnd checks that a plan does not offer to continue a run whose
// placement or snapshot is going, whatever the controller's checks say.
func TestNextOfARunThatHasNoEnd(t *testing.T) {
	p := Plan{State: engine.Lit("Stop"), Initialized: true, Placement: engine.Lit("web"), At: time.Unix(1, 0)}
	if got := p.Next().String(); got == "" || got[:14] != "Resume the run" {
		t.Errorf("next %q", got)
	}
	p.Deleting = true
	if got := p.Next().String(); got != "Do not resume the run: placement web is being deleted." {
		t.Errorf("next %q", got)
	}
	p.Deleting, p.SnapshotGone, p.State = false, engine.Lit("3"), engine.Lit("Initialize")
	if got := p.Next().String(); got != "Do not start the run: resource snapshot 3 no longer exists." {
		t.Errorf("next %q", got)
	}
	p.SnapshotGone, p.State = engine.Text{}, engine.Lit("Stop")
	p.Diagnose(&engine.RunView{Why: engine.Diagnosis{Recovery: engine.RecoveryByNewRun}})
	if got := p.Next().String(); got != "Do not resume the run: only a new run helps." {
		t.Errorf("next %q", got)
	}
}

// TestApprovalsThatWereGiven checks that a plan does not ask for an approval that was given
// while the run is stopped, and that a timed wait of 0 s is no approval.
func TestApprovalsThatWereGiven(t *testing.T) {
	request := engine.Lit("r-before-prod")
	p := Plan{State: engine.Lit("Stop"), Initialized: true, At: time.Unix(1, 0), Stages: []Stage{
		{Name: engine.Lit("prod"), AtOnce: 1, Before: []Task{{Request: request}}, After: []Task{{}}, Clusters: []Cluster{{Name: engine.Lit("a")}}},
	}}
	gate := engine.GateView{Name: request, Before: true, State: engine.GateOpen}
	for state, want := range map[engine.GateState]string{
		engine.GateOpen: "Resume the run (stagewatch run): approval r-before-prod, then stage prod, 1 cluster.",
		engine.GateSent: "Resume the run (stagewatch run): stage prod, 1 cluster.",
	} {
		p := p
		gate.State = state
		p.Diagnose(&engine.RunView{Stages: []engine.StageView{{Before: []engine.GateView{gate}}}})
		if p.Next().String() != want {
			t.Errorf("%v: %q", state, p.Next())
		}
		if sent := p.Stages[0].Before[0].What().String() == "approval r-before-prod, sent"; sent != (state == engine.GateSent) {
			t.Errorf("%v: %s", state, p.Stages[0].Before[0].What())
		}
		if wait := p.Stages[0].After[0].What().String(); wait != "wait 0s" {
			t.Errorf("a timed wait of 0 s: %s", wait)
		}
	}
	if p.Stages[0].Before[0].Sent {
		t.Error("the stages of the plan that was diagnosed are those of the other")
	}
}

// TestVerdictOfANewRunThatWouldNotSucceed checks the sentence for a failed run.
func TestVerdictOfANewRunThatWouldNotSucceed(t *testing.T) {
	p := Plan{Again: true, Finished: true, Going: []engine.Text{engine.Lit("the binding of cluster a is being deleted")}}
	if got := p.Verdict().String(); got != "failed; a new run with the same spec would not succeed: the binding of cluster a is being deleted" {
		t.Errorf("verdict %q", got)
	}
	p.Going = nil
	if got := p.Verdict().String(); got != "failed; a new run with the same spec is possible: 0 clusters in 0 stages" {
		t.Errorf("verdict %q", got)
	}
}

// A run of which the diagnosis says that it fails will fail, and so will one that was
// preempted and has not failed yet.
func TestPlanOfARunThatWillFail(t *testing.T) {
	why := engine.Diagnosis{What: engine.Lit("Run r2 preempted this run on cluster a.")}
	for _, tt := range []struct {
		name  string
		v     engine.RunView
		fails bool
	}{
		{"preempted", engine.RunView{Word: engine.WordPreempted, Why: why}, true},
		{"preempted, and failed", engine.RunView{Word: engine.WordPreempted, Why: why, Terminal: true}, false},
		{"fails", engine.RunView{Word: engine.WordRunning, Why: engine.Diagnosis{What: why.What, Fails: true}}, true},
		{"running", engine.RunView{Word: engine.WordRunning, Why: why}, false},
	} {
		p := Plan{Initialized: true, Forecast: &Forecast{Held: true}, Stages: []Stage{{Clusters: []Cluster{{Started: true}}}}}
		if tt.fails { // a snapshot that is gone makes clusters stuck: what fails the run comes first
			p.SnapshotGone = engine.Lit("12")
		}
		p.Diagnose(&tt.v)
		if got := p.Verdict().String() == "will fail: run r2 preempted this run on cluster a"; got != tt.fails || p.Doom().IsZero() == tt.fails {
			t.Errorf("%s: %s", tt.name, p.Verdict())
		}
	}
}

// A run that waits for a request of another run or stage will fail.
func TestPlanOfAForeignRequest(t *testing.T) {
	for state, doomed := range map[engine.GateState]bool{engine.GateOpen: true, engine.GatePassed: false} {
		gate := engine.GateView{Name: engine.Lit("r1-before-prod"), State: state, Seen: &engine.RequestSeen{Foreign: true}}
		p := Plan{Initialized: true, Forecast: &Forecast{}}
		p.Diagnose(&engine.RunView{Stages: []engine.StageView{{Before: []engine.GateView{gate}}}})
		ended := Plan{Initialized: true, Finished: true}
		if ended.Diagnose(&engine.RunView{Stages: []engine.StageView{{Before: []engine.GateView{gate}}}}); !ended.Doom().IsZero() {
			t.Errorf("gate %d: a run that has ended: %s", state, ended.Doom())
		}
		if got := p.Doom().String() == "approval request r1-before-prod is for another run or stage"; got != doomed || p.Forecasts() == doomed {
			t.Errorf("gate %d: %q, forecasts %v", state, p.Doom(), p.Forecasts())
		}
		if fails := p.Verdict().String() == "will fail: approval request r1-before-prod is for another run or stage"; fails != doomed {
			t.Errorf("gate %d: %s", state, p.Verdict())
		}
		checks := p.RunChecks()
		if fails := len(checks) > 0 && checks[0].State == engine.CheckFailed && !p.Effect().IsZero(); fails != doomed {
			t.Errorf("gate %d: checks %v, effect %q", state, checks, p.Effect())
		}
	}
}

// Stages of one name share a request: it is accepted when the run reaches the first of them.
func TestPlanOfARequestThatStagesShare(t *testing.T) {
	gate := engine.GateView{Name: engine.Lit("r1-before-prod"), Before: true, State: engine.GateSent}
	stage := func() engine.StageView {
		return engine.StageView{Name: engine.Lit("prod"), Total: 1, Before: []engine.GateView{gate}}
	}
	p := Plan{Initialized: true, Stages: []Stage{{Before: []Task{{Request: gate.Name}}}}}
	p.Diagnose(&engine.RunView{Stages: []engine.StageView{stage(), stage()}})
	if got := p.Stages[0].Before[0].What().String(); got != "approval r1-before-prod, sent" {
		t.Errorf("the request is called %q", got)
	}
}

// A run that gets stuck when it is started has no estimate of its end.
func TestNoEstimateForARunThatGetsStuck(t *testing.T) {
	for _, failing := range [][]engine.Text{nil, {engine.Lit("a (Available False)")}} {
		p := Plan{Forecast: &Forecast{Starts: true, Finish: Estimate{Likely: time.Unix(1e9, 0)}}, Failing: failing}
		p.Diagnose(&engine.RunView{Word: engine.WordReady})
		if never := p.Forecast.Never.String(); never != map[bool]string{true: "the run gets stuck on a (Available False) unless the cause is fixed"}[failing != nil] || p.Forecast.Held != (failing != nil) {
			t.Errorf("failing %v: %q, held %v", failing, never, p.Forecast.Held)
		}
	}
}
