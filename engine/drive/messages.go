package drive

// Messages of conditions (docs/kubefleet.md#conditions), to the letter.
const (
	msgRunProgressing = "The update run is making progress"
	msgRunWaiting     = "The updateRun is waiting for %s tasks in stage %s to complete"
	msgRunStuck       = "The updateRun is stuck waiting for %s cluster(s) in stage %s to finish updating, please check placement status for potential errors"
	msgRunStopping    = "The update run is the process of stopping, waiting for all the updating/deleting clusters to finish updating before completing the stop process"
	msgRunStopped     = "The update run has been stopped"
	msgRunAborted     = "The stages are aborted due to a non-recoverable error"
	msgRunCompleted   = "All stages are completed"
	msgRunSucceeded   = "All stages are completed successfully"

	msgStageStarted   = "Clusters in the stage started updating"
	msgPreviousStage  = "Not all before-stage tasks are completed, waiting for approval"
	msgStageAfter     = "All clusters in the stage are updated, waiting for after-stage tasks to complete"
	msgStageStopping  = "Waiting for all the updating clusters to finish updating before completing the stop process"
	msgStageStopped   = "All the updating clusters have finished updating, the stage is now stopped, waiting to be resumed"
	msgStageCompleted = "All clusters in the stage are updated and after-stage tasks are completed"
	msgStageSucceeded = "Stage update completed successfully"
	msgStageAborted   = "Stage update aborted due to a non-recoverable error"
	msgStageSkipped   = "Stage skipped because it has no clusters"

	msgClusterStarted   = "Cluster update started"
	msgClusterSucceeded = "Cluster update completed successfully"

	msgApprovalCreated  = "ApprovalRequest object is created"
	msgApprovalApproved = "ApprovalRequest object is approved"
	msgApprovalAccepted = "The approval request has been approved and cannot be reverted"
	msgWaitElapsed      = "Wait time elapsed"

	msgRolloutStarted = "Detected the new changes on the resources and started the rollout process, resourceSnapshotIndex: %s, updateRun: %s"
	msgPreempted      = "the binding of the updating cluster `%s` in the stage `%s` is not up-to-date with the desired status, please check the status of binding `%s` and see if there is a concurrent updateRun referencing the same placement and updating the same cluster"
	msgClusterError   = "the cluster updating encountered an error at stage `%s`, updateRun := `%s`"
	msgClusterFailed  = "the cluster `%s` in the stage %s has failed"
)

// The words for the two times of stage tasks in messages.
const (
	beforeStage = "before-stage"
	afterStage  = "after-stage"
)
