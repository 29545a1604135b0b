package triage

import (
	"slices"

	"github.com/stagewatch/stagewatch/engine"
)

// leadsOn returns what serves the steps of an entry. The result is the
// caller's to change.
func (e *entry) leadsOn() []engine.Lead {
	if e.leads != nil {
		return slices.Clone(e.leads)
	}
	switch e.heals {
	case engine.HealMember, engine.HealUnknown:
		return []engine.Lead{engine.LeadMember, engine.LeadCluster}
	case engine.HealNewRun:
		return []engine.Lead{engine.LeadClone}
	case engine.HealHub:
		return []engine.Lead{engine.LeadLogs}
	default:
		return nil
	}
}

// Leads that several entries share.
var (
	// The manifest or the workload: what the member says, what the run changed,
	// and the way out when that was wrong.
	onWorkload = []engine.Lead{engine.LeadMember, engine.LeadDiff, engine.LeadClone}
	// The rules refuse the run: the plan names every reason, with the labels.
	onPlan = []engine.Lead{engine.LeadPlan, engine.LeadClone}
	// The placement or its snapshots.
	onPlacement = []engine.Lead{engine.LeadPlacement, engine.LeadClone}
	// Another run has the cluster.
	onTaker = []engine.Lead{engine.LeadTaker, engine.LeadOwners, engine.LeadClone}
)
