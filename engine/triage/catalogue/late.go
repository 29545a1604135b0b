package catalogue

import (
	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
)

// The causes of a run whose next step is the controller's and overdue, and of
// objects whose deletion does not end.
var (
	ControllerLate = Entry{
		Cause: "controller-overdue", Title: "The controller's next step is overdue", Short: "controller is overdue",
		Sign:    "every started cluster has finished, or a timed wait has ended, and nothing was recorded since for longer than the controller retries",
		actions: []engine.NextAction{engine.NextLogs}, Recovery: engine.RecoveryOnHub, RecoveryText: "After a fix on the hub: the same run continues when the controller is working again.",
		Steps: Literals{
			"Check that the hub agent is running, and read its log for this run.",
			"Look for a rejected write to a binding or to the run: the controller retries it and records nothing in the run.",
		},
		Commands: []Command{ShowHubAgent, ShowLogs, ShowBindings},
	}
	DeletingHeld = Entry{
		Cause: "deletion-blocked-by-finalizer", Title: "A finalizer of another controller blocks the deletion of the run", Short: "finalizer blocks the deletion",
		Sign:     "metadata.deletionTimestamp, and a finalizer that is not Fleet's",
		Recovery: engine.RecoveryOnHub, RecoveryText: "After a fix on the hub: the run stays until the finalizer is removed.",
		Steps:    Literals{"Check why the controller that set the finalizer has not removed it.", "If that controller is gone, remove the finalizer."},
		Commands: []Command{ShowRun},
	}
	DeletingLate = Entry{
		Cause: "deletion-overdue", Title: "The controller has not finished the deletion of the run", Short: "deletion is overdue",
		Sign:     "metadata.deletionTimestamp for longer than the stuck threshold, and the finalizer " + placement.FinalizerUpdateRun,
		Recovery: engine.RecoveryOnHub, RecoveryText: "After a fix on the hub: the controller removes its finalizer.",
		Steps: Literals{
			"Check that the hub agent is running, and read its log for this run.",
			"Check the run's approval requests: the controller deletes them first.",
		},
		Commands: []Command{ShowHubAgent, ShowLogs, ShowApprovals, ShowRun},
	}
	BindingHeld = Entry{
		Cause: "binding-blocked-by-finalizer", Title: "A finalizer of another controller blocks the deletion of a binding", Short: "finalizer of the binding blocks",
		Sign:    "deletion stage: the binding has a deletionTimestamp, and a finalizer that is not Fleet's",
		actions: []engine.NextAction{engine.NextCluster}, Recovery: engine.RecoveryOnHub, RecoveryText: "After a fix on the hub: the binding stays until the finalizer is removed; then the same run continues.",
		Steps:    Literals{"Check why the controller that set the finalizer has not removed it.", "If that controller is gone, remove the finalizer."},
		Commands: []Command{ShowBinding}, Hard: true,
	}
	BindingNotReleased = Entry{
		Cause: "binding-not-deleted", Title: "The hub has not finished the deletion of a binding", Short: "binding is not deleted yet",
		Sign:    "deletion stage: the binding has a deletionTimestamp for longer than the stuck threshold, and only the scheduler's finalizer or none",
		actions: []engine.NextAction{engine.NextLogs}, Recovery: engine.RecoveryOnHub, RecoveryText: "After a fix on the hub: the hub agent removes its finalizers from the binding; the same run continues.",
		Steps:    Literals{"Check that the hub agent is running, and read its log for this binding."},
		Commands: []Command{ShowBinding, ShowHubAgent, ShowLogs}, Hard: true,
	}
)
