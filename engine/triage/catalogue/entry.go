package catalogue

import (
	"slices"

	"github.com/stagewatch/stagewatch/engine"
)

// Entry is one cause of the catalogue. Entries are never changed.
type Entry struct {
	Cause        engine.Cause
	Title        string // what it is, in a few words, for the documents
	Sign         string // what it is recognised by, for the documents
	Recovery     engine.Healing
	RecoveryText engine.Text // zero: whoever uses the entry words it
	Steps        []engine.Text
	Commands     []Command
	actions      []engine.Lead  // what serves the steps; without any, recovery tells
	Reads        engine.HubRead // what a page reads from the hub for it
	Check        Check          // what holds now of a cause that was recorded earlier

	// Hard causes do not go away by waiting: they are told before the half of
	// the stuck time has passed.
	Hard bool
	// Waits marks what looks the same when the member is cut off: then the
	// member's trouble is the cause.
	Waits bool
	// note marks what is odd and no trouble.
	note bool
}

// Entries lists the whole catalogue in the order of the documents.
func Entries() []*Entry {
	var out []*Entry
	for i := range Failures {
		out = append(out, &Failures[i].Entry)
	}
	return slices.Concat(out, OnRuns(), OnBindings(), OnManifests(), OnPods(), OnMembers)
}

// Steps makes steps of constants.
func Steps(steps ...engine.Text) []engine.Text { return steps }

// LeadsOn returns what serves the steps of an entry. The result is the
// caller's to change.
func (e *Entry) LeadsOn() []engine.Lead {
	if e.actions != nil {
		return slices.Clone(e.actions)
	}
	switch e.Recovery {
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

// PickAgain is how a cluster that the placement no longer picks stays in it.
var PickAgain = engine.Lit("To keep the cluster in the placement, restore its labels, its taints or the placement's policy first.")
