package triage

import (
	"slices"

	"github.com/stagewatch/stagewatch/engine"
)

// entry is one cause of the catalogue. Entries are never changed.
type entry struct {
	cause        engine.Cause
	title        string // what it is, in a few words, for the documents
	sign         string // what it is recognised by, for the documents
	recovery     engine.Healing
	recoveryText engine.Text // zero: whoever uses the entry words it
	steps        []engine.Text
	commands     []command
	actions      []engine.Lead  // what serves the steps; without any, recovery tells
	reads        engine.HubRead // what a page reads from the hub for it
	check        check          // what holds now of a cause that was recorded earlier

	// hard causes do not go away by waiting: they are told before the half of
	// the stuck time has passed.
	hard bool
	// waits marks what looks the same when the member is cut off: then the
	// member's trouble is the cause.
	waits bool
	// note marks what is odd and no trouble.
	note bool
}

// entries lists the whole catalogue in the order of the documents.
func entries() []*entry {
	var out []*entry
	for i := range failures {
		out = append(out, &failures[i].entry)
	}
	return slices.Concat(out, idle(), onBindings(), onManifests(), onPods(), onMembers)
}

// lits makes steps of constants.
func lits(steps ...engine.Text) []engine.Text { return steps }

// leadsOn returns what serves the steps of an entry. The result is the
// caller's to change.
func (e *entry) leadsOn() []engine.Lead {
	if e.actions != nil {
		return slices.Clone(e.actions)
	}
	switch e.recovery {
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

// newRun is the remedy of every run that ended.
var newRun = engine.Lit("Create a new run (C).")

// pickAgain is how a cluster that the placement no longer picks stays in it.
var pickAgain = engine.Lit("To keep the cluster in the placement, restore its labels, its taints or the placement's policy first.")
