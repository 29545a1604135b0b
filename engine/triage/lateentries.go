package triage

import (
	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
)

// The causes of a run whose next step is the controller's and overdue, and of
// objects whose deletion does not end.
var (
	controllerLate = entry{
		cause: engine.NewCause("controller-overdue"), title: "The controller's next step is overdue",
		sign:    "every started cluster has finished, or a timed wait has ended, and nothing was recorded since for longer than the controller retries",
		actions: []engine.Lead{engine.LeadLogs}, recovery: engine.HealHub, recoveryText: engine.Lit("After a fix on the hub: the same run continues when the controller does."),
		steps: lits(
			engine.Lit("Check that the hub agent runs, and read its log for this run."),
			engine.Lit("Look for a rejected write to a binding or to the run: the controller retries it and records nothing in the run."),
		),
		commands: []command{cShowHubAgent, cShowLogs, cShowBindings},
	}
	deletingHeld = entry{
		cause: engine.NewCause("deletion-held-by-finalizer"), title: "A finalizer of another controller holds the deletion of the run",
		sign:     "metadata.deletionTimestamp, and a finalizer that is not Fleet's",
		recovery: engine.HealHub, recoveryText: engine.Lit("After a fix on the hub: the run stays until the finalizer is removed."),
		commands: []command{cShowRun},
	}
	deletingLate = entry{
		cause: engine.NewCause("deletion-overdue"), title: "The controller has not finished the deletion of the run",
		sign:     "metadata.deletionTimestamp for longer than the stuck threshold, and the finalizer " + placement.FinalizerUpdateRun,
		recovery: engine.HealHub, recoveryText: engine.Lit("After a fix on the hub: the controller removes its finalizer."),
		steps: lits(
			engine.Lit("Check that the hub agent runs, and read its log for this run."),
			engine.Lit("Check the run's approval requests: the controller deletes them first."),
		),
		commands: []command{cShowHubAgent, cShowLogs, cShowApprovals, cShowRun},
	}
	bindingHeld = entry{
		cause: engine.NewCause("binding-held-by-finalizer"), title: "A finalizer of another controller holds the deletion of a binding",
		sign:    "deletion stage: the binding has a deletionTimestamp for longer than the stuck threshold, and a finalizer that is not Fleet's",
		actions: []engine.Lead{engine.LeadCluster}, recovery: engine.HealHub, recoveryText: engine.Lit("After a fix on the hub: the binding stays until the finalizer is removed; then the same run continues."),
		commands: []command{cShowBinding}, hard: true,
	}
	bindingNotReleased = entry{
		cause: engine.NewCause("binding-not-released"), title: "The hub has not finished the deletion of a binding",
		sign:    "deletion stage: the binding has a deletionTimestamp for longer than the stuck threshold, and only the scheduler's finalizer or none",
		actions: []engine.Lead{engine.LeadLogs}, recovery: engine.HealHub, recoveryText: engine.Lit("After a fix on the hub: the scheduler releases the binding; the same run continues."),
		steps:    lits(engine.Lit("Check that the hub agent runs, and read its log for this binding.")),
		commands: []command{cShowBinding, cShowHubAgent, cShowLogs}, hard: true,
	}
)
