package page

import (
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/act"
	"github.com/stagewatch/stagewatch/engine/plan"
)

// QuestionKind is the kind of a read on demand.
type QuestionKind uint8

// The questions.
const (
	QuestionNone QuestionKind = iota
	// QuestionYAML asks for the object as the hub stores it, Secret data masked.
	QuestionYAML
	// QuestionRehearse asks whether the hub would take the Intent: the right to
	// do it, and a server dry run of the very request. Err says why not.
	QuestionRehearse
	// QuestionPlan asks what the run About will do; or, when About is a
	// placement, what a run of it by Strategy would do, which is yet to be made.
	QuestionPlan
	// QuestionCluster asks for all about one cluster of a run or placement:
	// About names it, Member the cluster.
	QuestionCluster
	// QuestionOwners asks which run owns each binding of the placement About.
	// Run is the run that it was asked from, zero for none.
	QuestionOwners
	// QuestionPlacement asks for the placement About, its runs and snapshots.
	QuestionPlacement
	// QuestionSnapshots asks what changed between the resource snapshots From
	// and To of the placement About.
	QuestionSnapshots
	// QuestionInbox asks for all approvals, given and to be given.
	QuestionInbox
	// QuestionTimeline asks for what happened to the run About.
	QuestionTimeline
	// QuestionEvents asks for the events about the object About.
	QuestionEvents
	// QuestionLogs asks what the hub's controller logged about the run About.
	QuestionLogs
	// QuestionMember asks the member itself what has become of the workloads of
	// the placement About there.
	QuestionMember
	// QuestionChoices asks what a clone of the run Run can be made of; About is
	// the placement that it would be of.
	QuestionChoices
	// QuestionDiagnosis asks for all that is known of why the run About is as
	// it is; with Member, that cluster of it.
	QuestionDiagnosis
)

// Question is a read on demand, with a deadline. It is comparable: the screen
// drops an Answer whose Question is not the one it shows.
type Question struct {
	Kind  QuestionKind
	About engine.ID
	// Run is the run in whose light the page is read; Member a cluster. Both
	// are zero where they have no meaning.
	Run, Member engine.ID
	// Context is the kubeconfig context that a person chose for Member; Forget
	// removes the choice that is remembered for it and reads nothing.
	Context engine.Text
	Forget  bool
	// Quiet marks an automatic Question: a member is read only through a
	// context that a person chose or configured, or that has the member's name
	// and was verified.
	Quiet bool
	// Strategy is the name of the strategy of a run that is only imagined.
	Strategy engine.Text
	// From and To are indices of resource snapshots.
	From, To int
	// Intent is what QuestionRehearse is about; it is never changed.
	Intent *act.Intent
}

// Answer carries its Question. Lines, Sections, Checks or Err are set; an Err
// beside Checks says why the intent would be refused.
type Answer struct {
	Question Question
	// Object is the subject of the page, for its YAML.
	Object   engine.ID
	Lines    []engine.Text
	Sections []Section
	Checks   []engine.Check
	// Foretold is what the run of a plan waits for next.
	Foretold plan.Moment
	// Choices are what a clone can be made of.
	Choices engine.Choices
	// At is when it was answered, by the hub's clock.
	At   time.Time
	Err  engine.Text
	Hint engine.Text
	// Fault sorts Err.
	Fault act.Fault
	// LoginFailed is set when a login to a member failed. Only a person asks again:
	// each time starts the credential plugin, which may open a browser.
	LoginFailed bool
}
