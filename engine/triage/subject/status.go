package subject

import (
	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
)

// DeletedLast counts the clusters that a run has deleted if it had none to update, and the
// placement has no binding, as far as they are read: its next check fails (docs/kubefleet.md#validate).
func (k *Subject) DeletedLast() (deleted int) {
	if left, _ := k.Case.PlacementBindings(); len(left) > 0 {
		return 0
	}
	for i := range k.View.Stages {
		for _, c := range k.Case.Stage(i).Clusters {
			switch {
			case !k.View.Stages[i].Deletion:
				return 0
			case engine.ReadCondition(c.Conditions, placement.ClusterStarted).Truth == engine.TruthYes:
				deleted++
			}
		}
	}
	return deleted
}

// Unobserved says what the change is that the controller has not observed, where spec.state
// and the Progressing condition tell; empty otherwise.
func (k *Subject) Unobserved() engine.Text {
	stopped := k.Case.Progressing.Reason == placement.ReasonRunStopped || k.Case.Progressing.Reason == placement.ReasonRunStopping
	switch state := k.Case.Run.Spec.State; {
	case k.View.StopWanted && !stopped:
		return engine.Lit("Stop was requested (spec.state is Stop): until it is observed, the run may start more clusters.")
	case state == placement.StateRun && stopped:
		return engine.Lit("A resume was requested (spec.state is Run).")
	case state == placement.StateRun && k.View.Started.IsZero():
		return engine.Lit("A start was requested (spec.state is Run).")
	}
	return engine.Text{}
}

// Resumed reports whether a stopped run was resumed, which the controller has not observed yet: no
// person has to continue the run.
func (k *Subject) Resumed() bool { return k.View.Word == engine.WordStopped && !k.View.StopWanted }

// NextGate says that the controller has not reached the approval that comes before the next
// cluster of a stage, or after its last; empty where none does.
func NextGate(s *engine.StageView) engine.Text {
	gates, side := s.Before, engine.Lit("before")
	if s.Done == s.Total {
		gates, side = s.After, engine.Lit("after")
	}
	for i := range gates {
		if g := &gates[i]; !g.Timed && g.State == engine.GateComing {
			return engine.Textf("the approval %s %s", side, engine.StageName(s))
		}
	}
	return engine.Text{}
}
