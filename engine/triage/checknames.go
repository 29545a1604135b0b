package triage

// check compares a recorded cause with the objects of now: somebody may have
// afterRepair it.
type check int

// The checks of the catalogue.
const (
	cApplyNow check = iota + 1
	cLabelNow
	cAgentNow
	cStayingNow
	cRemovalNow
	cFailedNow
	cSelectedNow
	cAnewNow
	cStagesFit
	cSortingFit
	cStageClusters
	cKindNow
	cPlacementMissing
	cStrategyMissing
	cExternalNow
	cPolicyNow
	cClusterPicked
	cRequestNow
	cTasksNow
	cSelectorNow
	cLatestPolicy
	cDamagedPolicy
	cScheduledNow
	cPickedNow
	cSnapshotsNow
	cSnapshotGoneNow
	cPlacementNow
)
