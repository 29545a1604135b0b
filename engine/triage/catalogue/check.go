package catalogue

// Check compares a recorded cause with the current objects: it may have been
// repaired since.
type Check int

// The checks of the catalogue.
const (
	ApplyNow Check = iota + 1
	LabelNow
	AgentNow
	StayingNow
	RemovalNow
	FailedNow
	SelectedNow
	RestoredNow
	StagesFit
	SortingFit
	StageClusters
	KindNow
	PlacementMissing
	StrategyMissing
	ExternalNow
	PolicyNow
	ClusterPicked
	RequestNow
	TasksNow
	SelectorNow
	LatestPolicy
	DamagedPolicy
	ScheduledNow
	PickedNow
	SnapshotsNow
	PartCountNow
	SnapshotGoneNow
	PlacementNow
)
