package engine

// NextAction is a page or an act of the screen that serves the next step of a
// Diagnosis. Package ui maps it to keys.
type NextAction uint8

// The next actions. The acts stand last.
const (
	NextNone      NextAction = iota
	NextMember               // the member itself: pods, events, logs
	NextCluster              // the cluster's page: conditions, manifests, drift, the member's health
	NextDiff                 // what the run changes
	NextPlan                 // what the run will do, and what refuses it
	NextPlacement            // the placement: its snapshots, schedule and runs
	NextOwners               // which run has each cluster
	NextPreempter            // the run that took a cluster
	NextApprovals            // all approvals, with evidence
	NextLogs                 // the hub's controller
	NextApprove
	NextRun
	NextStop
	NextClone
)
