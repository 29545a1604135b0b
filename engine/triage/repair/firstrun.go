package repair

import (
	"slices"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/forecast"
	"github.com/stagewatch/stagewatch/engine/triage/catalogue"
	"github.com/stagewatch/stagewatch/engine/triage/subject"
)

// ofIndex are causes that lie in the snapshot which a run asks for, not in the placement.
var ofIndex = []string{"index-invalid", "index-missing", "snapshot-incomplete", "snapshot-being-created"}

// ofStrategies are causes that lie in the strategy, and in the labels that it selects and sorts
// by: the checks before them are the same for every strategy.
var ofStrategies = []string{"strategy-missing", "stage-selector-invalid", "sorting-label", "stages-overlap", "cluster-in-no-stage"}

// AfterFailed is the next step of a placement whose only runs failed initialization; passes
// is true when a run like the youngest of them passes the checks now.
func AfterFailed(k *subject.Subject, failed engine.ID) (step engine.Text, passes bool) {
	says, ofStrategy, known := again(k, failed)
	f, _ := catalogue.FailureOf(k.Case.Failure(failed).Message)
	switch {
	case !says.IsZero() && !ofStrategy:
		return engine.Textf("{fixes-first}Fix this, then create a new run ({clone}): %s. Run %s failed, and another strategy does not help.", says, failed.Name()), false
	case !says.IsZero():
		return engine.Textf("Fix this, or select another strategy for the new run ({clone}): %s. Run %s failed for it.", says, failed.Name()), false
	case !known:
		return engine.Textf("{fixes-first}Open run %s to see what to fix. Then create a new run ({clone}).", failed.Name()), false
	case f != nil && slices.Contains(ofIndex, f.Cause.String()):
		return engine.Textf("Create a new run ({clone}) without a snapshot index: the controller then uses the newest snapshot. Run %s requested a snapshot that it could not use.", failed.Name()), true
	}
	return engine.Textf("Open run %s to see what failed. Placement, policy, strategy, bindings and members now pass the checks of a new run: create one ({clone}) if the cause was among them.", failed.Name()), true
}

// again returns a clause about the first reason for which a run like one that failed
// initialization does not start; empty when there is none. ofStrategy is true when a run with
// another strategy may start; known is false when not everything was read that the
// controller checks.
func again(k *subject.Subject, failed engine.ID) (says engine.Text, ofStrategy, known bool) {
	run := k.Case.World.Runs[failed]
	if run == nil {
		return engine.Text{}, false, false
	}
	in := newRunInput(k, run)
	f := &in.Failed
	known = f.Placement == nil && f.PolicySnapshots == nil && f.Bindings == nil && f.Strategy == nil && f.Members == nil
	planned := forecast.Plan(in, nil, k.Case.Now, nil)
	for _, o := range refusals(k, &planned) {
		return o.says, slices.Contains(ofStrategies, o.cause.String()), known
	}
	return engine.Text{}, false, known
}

// InitFailed is a clause about runs that failed initialization, the youngest
// first.
func InitFailed(runs []engine.ID) engine.Text {
	names := make([]engine.Text, len(runs))
	for i, r := range runs {
		names[i] = r.Name()
	}
	if len(runs) == 1 {
		return engine.Textf("run %s failed initialization", names[0])
	}
	return engine.Textf("runs %s failed initialization", engine.Enumerate(names, 3))
}
