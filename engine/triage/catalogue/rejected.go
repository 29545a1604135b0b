package catalogue

import "github.com/stagewatch/stagewatch/engine"

// The causes of an initialized run that the controller will not continue. What keeps it
// from that is another cause of the catalogue, whose steps are those of a failed run.
var (
	WillFail = Entry{
		Cause: "run-will-fail", Title: "The run fails at the controller's next check", Short: "will fail",
		Sign:     "a final error is in the plan of an initialized run; that of a run that goes on is made while it is opened",
		Recovery: engine.RecoveryOnHub,
		Steps:    Literals{"Read the plan ({plan}): it names every reason. Undo what was changed, or create a new run ({clone})."},
		Commands: []Command{ShowRun}, actions: onPlan,
	}
	NotContinued = Entry{
		Cause: "run-check-retried", Title: "The controller's check of the run fails and is retried", Short: "check of the run is retried",
		Sign:     "the run is READY, STOPPED, WAITING, STUCK, overdue or waits for an approval, and an error that is retried is in its plan",
		Recovery: engine.RecoveryOnHub, RecoveryText: "After a fix on the hub: the controller retries its check of the run with a backoff of up to 17 minutes.",
		Steps:    Literals{"Read the plan ({plan}): it names the reason. The same run continues after a fix."},
		Commands: []Command{ShowRun, ShowLogs}, actions: []engine.NextAction{engine.NextPlan, engine.NextLogs},
	}
)
