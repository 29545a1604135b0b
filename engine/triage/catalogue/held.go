package catalogue

import "github.com/stagewatch/stagewatch/engine"

// A started cluster of a run that is stopping whose binding is not what the run made it: the
// controller checks that only in runs that are not stopping (updaterun, stopUpdatingStage).
var (
	HeldWhileStopping = Entry{
		Cause: "preempted-while-stopping", Title: "Another run holds a cluster of a run that is stopping", Short: "another run holds CLUSTER",
		Sign:    "spec.state Stop, and the binding of a started, unfinished cluster names another run",
		actions: []engine.NextAction{engine.NextPreempter, engine.NextOwners, engine.NextClone}, Recovery: engine.RecoveryAutomatic,
		RecoveryText: "Recovers automatically: the run stops when the cluster has finished with the other run's snapshot.",
		Steps:        heldSteps,
		Commands:     []Command{ShowWinner, ShowBinding, ShowRuns},
	}
	ChangedWhileStopping = Entry{
		Cause: "binding-changed-while-stopping", Title: "A binding of a run that is stopping was changed, by another run or by hand", Short: "binding was changed",
		Sign:    "spec.state Stop, and the binding of a started, unfinished cluster has another snapshot, other overrides or no RolloutStarted of its generation, and names no other run",
		actions: []engine.NextAction{engine.NextOwners, engine.NextClone}, Recovery: engine.RecoveryAutomatic,
		RecoveryText: "Recovers automatically: the run stops when the cluster has finished with what its binding has now.",
		Steps:        heldSteps,
		Commands:     []Command{ShowBindingWriters, ShowRuns},
	}
)

var heldSteps = Literals{"Wait until the cluster has finished. Resuming this run ({run}) earlier makes it fail: it is preempted on that cluster."}

// Held reports whether a cause is HeldWhileStopping or ChangedWhileStopping.
func Held(c engine.Cause) bool {
	return c == HeldWhileStopping.Cause || c == ChangedWhileStopping.Cause
}
