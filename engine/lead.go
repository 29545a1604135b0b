package engine

// Lead is a page or an act of the screen that serves the next step of a
// Diagnosis. Package ui maps it to keys.
type Lead uint8

// The leads. The acts stand last.
const (
	LeadNone      Lead = iota
	LeadMember         // the member itself: pods, events, logs
	LeadCluster        // the cluster's page: conditions, manifests, drift, the member's health
	LeadDiff           // what the run changes
	LeadPlan           // what the run will do, and what refuses it
	LeadPlacement      // the placement: its snapshots, schedule and runs
	LeadOwners         // which run has each cluster
	LeadTaker          // the run that took a cluster
	LeadInbox          // all approvals, with evidence
	LeadLogs           // the hub's controller
	LeadApprove
	LeadRun
	LeadStop
	LeadClone
)
