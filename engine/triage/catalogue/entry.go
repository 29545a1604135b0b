// Package catalogue contains the causes of diagnoses as data: what each is recognised
// by, its recovery, next steps and commands (docs/causes.md). Packages subject and
// repair have the commands and the checks that entries name; package triage selects
// the entry of a case.
package catalogue

import (
	"slices"

	"github.com/stagewatch/stagewatch/engine"
)

// Entry is one cause of the catalogue. Entries are never changed.
type Entry struct {
	Cause        engine.Cause
	Title        string // the cause in a few words, for docs/causes.md
	Short        string // the cause in the list of runs, with PlaceholderKind and PlaceholderStage
	Sign         string // what it is recognised by, for docs/causes.md
	Recovery     engine.Recovery
	RecoveryText engine.Literal // zero: the diagnosis has its own text
	Steps        Literals
	Commands     []Command
	actions      []engine.NextAction // nil: those of Recovery
	Reads        engine.HubRead      // what a page reads from the hub for it
	Check        Check               // whether somebody has repaired the cause since

	// Hard causes do not go away by waiting: they are shown before half of the stuck
	// threshold has passed.
	Hard bool
	// Waits marks a cause that looks the same when the member is cut off: then the
	// member's problem is the cause.
	Waits bool
	// note marks what is unusual and no problem.
	note bool
}

// Finding returns the cause with its title.
func (e *Entry) Finding() engine.Finding {
	return engine.Finding{Cause: e.Cause, Title: engine.Clean(e.Title)}
}

// FindingOf returns a cause with its title in the catalogue.
func FindingOf(c engine.Cause) engine.Finding {
	for _, e := range Entries() {
		if e.Cause == c {
			return e.Finding()
		}
	}
	return engine.Finding{Cause: c, Title: engine.Clean(c.String())}
}

// Entries lists the whole catalogue in the order of the documents.
func Entries() []*Entry {
	var out []*Entry
	for i := range Failures {
		out = append(out, &Failures[i].Entry)
	}
	return slices.Concat(out, OnRuns(), OnBindings(), OnManifests(), OnPods(), OnMembers)
}

// Literals are constants in order: the steps of an entry.
type Literals []engine.Literal

// Texts returns the Texts of the constants. The result is the caller's to change.
func (ls Literals) Texts() (out []engine.Text) {
	for _, l := range ls {
		out = append(out, l.Text())
	}
	return out
}

// Steps makes steps of constants.
func Steps(steps ...engine.Text) []engine.Text { return steps }

// Actions returns what serves the steps of an entry. The result is the
// caller's to change.
func (e *Entry) Actions() []engine.NextAction {
	if e.actions != nil {
		return slices.Clone(e.actions)
	}
	switch e.Recovery {
	case engine.RecoveryOnMember, engine.RecoveryUnknown:
		return []engine.NextAction{engine.NextMember, engine.NextCluster}
	case engine.RecoveryByNewRun:
		return []engine.NextAction{engine.NextClone}
	case engine.RecoveryOnHub:
		return []engine.NextAction{engine.NextLogs}
	default:
		return nil
	}
}

// Actions that several entries share.
var (
	// The manifest or the workload: what the member says, what the run changed,
	// and the way out when that was wrong.
	onWorkload = []engine.NextAction{engine.NextMember, engine.NextDiff, engine.NextClone}
	// The rules refuse the run: the plan names every reason, with the labels.
	onPlan = []engine.NextAction{engine.NextPlan, engine.NextClone}
	// The placement or its snapshots.
	onPlacement = []engine.NextAction{engine.NextPlacement, engine.NextClone}
	// Another run has the cluster.
	onTaker = []engine.NextAction{engine.NextPreempter, engine.NextOwners, engine.NextClone}
)

// newRun is the remedy of every run that ended.
const newRun engine.Literal = "Create a new run ({clone})."

// OtherSnapshot is the step that goes without a snapshot that cannot be used.
const OtherSnapshot engine.Literal = "Or create a new run ({clone}) with another snapshot, or change the placed resources so that a new snapshot is created."

// LabelsAreShared is the warning of every step that changes the labels of a cluster: the
// controller validates the stages of a run in each pass (docs/kubefleet.md#execute).
const LabelsAreShared engine.Literal = "Label a cluster only if no other unfinished run has it: a label that moves it to another stage fails that run permanently."

// ApplyStrategyBack is the step of a run that failed because the apply strategy of its placement was
// changed. Set back, it fails the runs that were initialized since.
const ApplyStrategyBack engine.Literal = "{undoes}To keep the old value, set it back on the placement first. Do not change the placement while a run is in progress."

// PickAgain is how a cluster that the placement no longer picks stays in it.
const PickAgain engine.Literal = "{undoes}To keep the cluster in the placement, first make the placement's policy pick it again: correct the policy, or the cluster's labels or taints."
