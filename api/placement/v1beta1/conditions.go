package v1beta1

// Condition types of runs, stages, clusters and tasks
// (docs/kubefleet.md#conditions).
const (
	// RunInitialized is set on a run once its stages are computed, or cannot be.
	RunInitialized = "Initialized"
	// RunProgressing is set on a run from its first pass in state Run or Stop.
	RunProgressing = "Progressing"
	// RunSucceeded is set on a run when it is over; it never changes again.
	RunSucceeded = "Succeeded"

	// StageProgressing is set on a stage from its beginning.
	StageProgressing = "Progressing"
	// StageSucceeded is set on a stage when it is over.
	StageSucceeded = "Succeeded"

	// ClusterStarted is set on a cluster when its binding was pointed at the
	// run's snapshot, or its deletion was asked for.
	ClusterStarted = "Started"
	// ClusterSucceeded is set on a cluster when its update is over.
	ClusterSucceeded = "Succeeded"

	// TaskApprovalRequestCreated is set on an approval task when its request is
	// there.
	TaskApprovalRequestCreated = "ApprovalRequestCreated"
	// TaskApprovalRequestApproved is set on an approval task when its request
	// was accepted.
	TaskApprovalRequestApproved = "ApprovalRequestApproved"
	// TaskWaitTimeElapsed is set on a timed wait when it is over.
	TaskWaitTimeElapsed = "WaitTimeElapsed"
)

// Reasons of a run's conditions (docs/kubefleet.md#conditions).
const (
	ReasonRunInitialized       = "UpdateRunInitializedSuccessfully"
	ReasonRunInitializedFailed = "UpdateRunInitializedFailed"
	ReasonRunProgressing       = "UpdateRunProgressing"
	ReasonRunWaiting           = "UpdateRunWaiting"
	ReasonRunStuck             = "UpdateRunStuck"
	ReasonRunStopping          = "UpdateRunStopping"
	ReasonRunStopped           = "UpdateRunStopped"
	ReasonRunFailed            = "UpdateRunFailed"
	ReasonRunSucceeded         = "UpdateRunSucceeded"
)

// Reasons of a stage's conditions (docs/kubefleet.md#conditions).
const (
	ReasonStageStarted   = "StageUpdatingStarted"
	ReasonStageWaiting   = "StageUpdatingWaiting"
	ReasonStageStopping  = "StageUpdatingStopping"
	ReasonStageStopped   = "StageUpdatingStopped"
	ReasonStageSucceeded = "StageUpdatingSucceeded"
	ReasonStageFailed    = "StageUpdatingFailed"
	ReasonStageSkipped   = "StageUpdatingSkippedNoClusters"
)

// Reasons of the conditions of a run's clusters and tasks
// (docs/kubefleet.md#conditions).
const (
	ReasonClusterStarted   = "ClusterUpdatingStarted"
	ReasonClusterSucceeded = "ClusterUpdatingSucceeded"
	ReasonClusterFailed    = "ClusterUpdatingFailed"

	ReasonApprovalRequestCreated  = "StageTaskApprovalRequestCreated"
	ReasonApprovalRequestApproved = "StageTaskApprovalRequestApproved"
	ReasonWaitTimeElapsed         = "AfterStageTaskWaitTimeElapsed"
)

// Condition types and reasons of an approval request
// (docs/kubefleet.md#conditions, #approval).
const (
	// ApprovalApproved is written by a person. Only with status True and the
	// request's generation as observedGeneration it means something.
	ApprovalApproved = "Approved"
	// ApprovalAccepted is written by the update run controller.
	ApprovalAccepted = "ApprovalAccepted"

	// ReasonApprovalAccepted is the reason of ApprovalAccepted.
	ReasonApprovalAccepted = "ApprovalRequestApprovalAccepted"
	// ReasonClusterApproved is the reason that kubectl-fleet writes with
	// Approved on a ClusterApprovalRequest.
	ReasonClusterApproved = "ClusterApprovalRequestApproved"
	// ReasonApproved is the reason that kubectl-fleet writes with Approved on an
	// ApprovalRequest.
	ReasonApproved = "ApprovalRequestApproved"
)

// Condition types of a binding, in the order in which they come true. A Work
// has the last three, a placement's status per cluster has all of them after
// PlacementScheduled (docs/kubefleet.md#conditions).
const (
	BindingRolloutStarted   = "RolloutStarted"
	BindingOverridden       = "Overridden"
	BindingWorkSynchronized = "WorkSynchronized"
	BindingApplied          = "Applied"
	BindingAvailable        = "Available"
	BindingDiffReported     = "DiffReported"

	// PlacementScheduled comes first in a placement's status per cluster. On a
	// policy snapshot it tells whether the scheduler is done.
	PlacementScheduled = "Scheduled"

	// WorkStatusTrimmed is set on a Work whose status grew too large.
	WorkStatusTrimmed = "StatusTrimmed"
)

// Prefixes of the types of a placement's overall conditions: before Scheduled
// and before each type of a binding (docs/kubefleet.md#conditions).
const (
	ClusterResourcePlacementConditionPrefix = "ClusterResourcePlacement"
	ResourcePlacementConditionPrefix        = "ResourcePlacement"
)

// Reasons of a binding's conditions (docs/kubefleet.md#conditions).
const (
	ReasonRolloutStarted       = "RolloutStarted"
	ReasonRolloutNotStartedYet = "RolloutNotStartedYet"

	ReasonOverriddenSucceeded = "OverriddenSucceeded"
	ReasonNoOverrideSpecified = "NoOverrideSpecified"
	ReasonOverriddenFailed    = "OverriddenFailed"

	ReasonAllWorkSynced  = "AllWorkSynced"
	ReasonSyncWorkFailed = "SyncWorkFailed"

	ReasonApplyInProgress           = "ApplyInProgress"
	ReasonNotAllWorkHaveBeenApplied = "NotAllWorkHaveBeenApplied"
	ReasonAllWorkHaveBeenApplied    = "AllWorkHaveBeenApplied"

	ReasonNotAllWorkAreAvailable   = "NotAllWorkAreAvailable"
	ReasonNotAllWorkAreTrackable   = "NotAllWorkAreAvailabilityTrackable"
	ReasonAllWorkAreAvailable      = "AllWorkAreAvailable"
	ReasonDiffReportInProgress     = "DiffReportInProgress"
	ReasonNotAllWorkHaveDiffReport = "NotAllWorkHaveDiffReported"
	ReasonAllWorkHaveDiffReported  = "AllWorkHaveDiffReported"
)

// Reasons of a placement's conditions, overall and per cluster
// (docs/kubefleet.md#conditions).
const (
	ReasonScheduled                   = "Scheduled"
	ReasonScheduleFailed              = "ScheduleFailed"
	ReasonSchedulePending             = "SchedulePending"
	ReasonSchedulingPolicyFulfilled   = "SchedulingPolicyFulfilled"
	ReasonSchedulingPolicyUnfulfilled = "SchedulingPolicyUnfulfilled"
	ReasonInvalidResourceSelectors    = "InvalidResourceSelectors"
	ReasonRolloutStartedUnknown       = "RolloutStartedUnknown"
	ReasonRolloutControlledExternally = "RolloutControlledByExternalController"
	ReasonOverriddenPending           = "OverriddenPending"
	ReasonWorkSynchronizedUnknown     = "WorkSynchronizedUnknown"
	ReasonWorkNotSynchronizedYet      = "WorkNotSynchronizedYet"
	ReasonWorkSynchronized            = "WorkSynchronized"
	ReasonApplyPending                = "ApplyPending"
	ReasonApplyFailed                 = "ApplyFailed"
	ReasonApplySucceeded              = "ApplySucceeded"
	ReasonResourceAvailableUnknown    = "ResourceAvailableUnknown"
	ReasonResourceNotAvailableYet     = "ResourceNotAvailableYet"
	ReasonResourceAvailable           = "ResourceAvailable"
	ReasonDiffReportingPending        = "DiffReportingPending"
	ReasonDiffReportingIncomplete     = "DiffReportingIncompleteOrFailed"
	ReasonDiffReportingCompleted      = "DiffReportingCompleted"
)

// Reasons of a Work's conditions (docs/kubefleet.md#conditions).
const (
	ReasonAllManifestsApplied               = "AllManifestsApplied"
	ReasonSomeManifestsAreNotApplied        = "SomeManifestsAreNotApplied"
	ReasonAllManifestsAvailable             = "AllManifestsAvailable"
	ReasonWorkNotTrackable                  = "WorkNotTrackable"
	ReasonSomeManifestsAreNotAvailable      = "SomeManifestsAreNotAvailable"
	ReasonAllManifestsDiffReported          = "AllManifestsDiffReported"
	ReasonSomeManifestsHaveNotReportedDiff  = "SomeManifestsHaveNotReportedDiff"
	ReasonStatusTrimmedOversized            = "Oversized"
	ReasonManifestApplied                   = "Applied"
	ReasonManifestAppliedFailedDrift        = "AppliedWithFailedDriftDetection"
	ReasonManifestDecodingErr               = "DecodingErred"
	ReasonManifestFoundGenerateName         = "FoundGenerateName"
	ReasonManifestDuplicated                = "Duplicated"
	ReasonManifestFailedToFindInMember      = "FailedToFindObjInMemberCluster"
	ReasonManifestFailedToTakeOver          = "FailedToTakeOver"
	ReasonManifestNotTakenOver              = "NotTakenOver"
	ReasonManifestFailedToRunDriftDetection = "FailedToRunDriftDetection"
	ReasonManifestFoundDrifts               = "FoundDrifts"
	ReasonManifestFoundDriftsDegraded       = "FoundDriftsInDegradedMode"
	ReasonManifestApplyFailed               = "ManifestApplyFailed"
	ReasonManifestAvailable                 = "Available"
	ReasonManifestNotTrackable              = "NotTrackable"
	ReasonManifestNotAvailableYet           = "ManifestNotAvailableYet"
	ReasonManifestFailed                    = "Failed"
	ReasonManifestNoDiffFound               = "NoDiffFound"
	ReasonManifestFoundDiff                 = "FoundDiff"
	ReasonManifestFoundDiffDegraded         = "FoundDiffInDegradedMode"
	ReasonManifestFailedToReportDiff        = "FailedToReportDiff"
)
