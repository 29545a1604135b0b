package triage

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/message"
	"github.com/stagewatch/stagewatch/engine/triage/catalogue"
	"github.com/stagewatch/stagewatch/engine/triage/competing"
	"github.com/stagewatch/stagewatch/engine/triage/repair"
	"github.com/stagewatch/stagewatch/engine/triage/subject"
	"github.com/stagewatch/stagewatch/engine/triage/trouble"
	"github.com/stagewatch/stagewatch/engine/world"
)

// finding is a Diagnosis in the making: with the cluster it is about, if any.
type finding struct {
	engine.Diagnosis
	cluster *world.CaseCluster
	below   []engine.Hop
	// removes is the obstacle to a new run that the steps remove, if not that of the cause.
	removes engine.Cause
}

// finder finds the diagnosis of a case.
type finder struct{ *trouble.Finder }

func newFinder(c *world.Case) *finder { return &finder{trouble.NewFinder(c)} }

// About returns a finder for a cluster of the case.
func (k *finder) About(cl *world.CaseCluster) *finder { return &finder{k.Finder.About(cl)} }

// Run explains a row of the list.
func (Catalogue) Run(c *world.Case) engine.Diagnosis {
	k := newFinder(c)
	if c.Run == nil {
		d := k.bare()
		k.guard(&d, d.Cause)
		d.Bindings = c.UsedBindings()
		finish(&d, k.Path(nil, nil))
		return d
	}
	f := k.frozen(k.word())
	if k.View.Late && lateCauses[f.Cause] {
		f = k.overdue(f)
	}
	f = k.contradicted(k.snapshotGone(k.rejected(f)))
	if f.Since.IsZero() {
		f.Since = k.View.Since
	}
	if k.View.Outdated {
		f.What = engine.Textf("%s The binding of a cluster differs from what this run wrote, but may be older than the run's latest change: within a few seconds it is clear whether another run or a person changed it.", f.What)
	}
	k.besides(&f)
	k.newerSnapshot(&f)
	k.newerOverrides(&f)
	if f.removes.IsZero() {
		f.removes = f.Cause
	}
	k.guard(&f.Diagnosis, f.removes)
	competing.Successor(k.Subject, &f.Diagnosis)
	f.HubReads, f.Gaps = k.Reads.Wanted(), k.Reads.Gaps()
	finish(&f.Diagnosis, k.Path(f.cluster, f.below))
	if f.cluster != nil {
		f.Member, f.Overrides = subject.MemberID(k.View.ID, f.cluster.Name), world.OverrideTitles(f.cluster.Overrides)
		f.AsksMember = c.UsedMember() && c.Report(f.cluster.Name) == nil
	}
	f.Bindings = c.UsedBindings()
	return f.Diagnosis
}

// word returns the diagnosis that the state word of a run selects
// (docs/architecture.md#state-words).
func (k *finder) word() finding {
	switch k.View.Word {
	case engine.WordReady, engine.WordRunning, engine.WordStopping, engine.WordStopped:
		if k.unrecorded() {
			return k.noStages()
		}
	}
	switch k.View.Word {
	case engine.WordDeleting:
		return k.deleting()
	case engine.WordInitFailed:
		return k.failed(placement.RunInitialized, k.Case.Initialized, engine.Lit("Initialization failed"),
			engine.Lit("Needs a new run: a run that failed initialization is not retried."))
	case engine.WordPreempted:
		return k.preempted()
	case engine.WordFailed:
		return k.failed(placement.RunSucceeded, k.Case.Succeeded, engine.Lit("The run failed"),
			engine.Lit("Needs a new run: a failed run is final. Updated clusters keep the new version."))
	case engine.WordDone:
		return k.done()
	case engine.WordNotObserved:
		return k.notObserved()
	case engine.WordPending:
		return k.pending()
	case engine.WordNotAccepted:
		return k.notAccepted()
	case engine.WordStuck:
		return k.stuck()
	case engine.WordStopping:
		return k.stopping()
	case engine.WordStopped:
		return k.stopped()
	case engine.WordApproval:
		return k.approval()
	case engine.WordWaiting:
		if k.View.Late && k.View.SentGate() != nil && (k.View.Until.IsZero() || k.View.Until.After(k.Case.Now)) {
			return k.approved(k.View.Current())
		}
		return k.simply(&catalogue.TimedWait, engine.Textf("The timed wait of %s after %s %s. All clusters of the stage are done.", subject.WaitOf(k.View), engine.StageName(k.View.Current()), k.ends(k.View.Until)), placement.RunProgressing)
	case engine.WordReady:
		return k.ready()
	default:
		return k.running()
	}
}

// simply makes a finding of an entry, with one of the run's conditions.
func (k *finder) simply(e *catalogue.Entry, what engine.Text, condition string) finding {
	f := finding{Diagnosis: k.Diagnosis(e)}
	f.What = what
	f.Evidence = append(k.RunCondition(condition), f.Evidence...)
	return f
}

// bare explains a row without a whole run.
func (k *finder) bare() engine.Diagnosis {
	switch k.View.Word {
	case engine.WordNoRun:
		return k.noRun()
	case engine.WordUnreadable:
		d := k.Diagnosis(&catalogue.Unreadable)
		d.What = engine.Lit("The run cannot be decoded.")
		d.Quote = engine.Clean(k.Case.Broken)
		return d
	default:
		d := k.Diagnosis(&catalogue.Loading)
		d.What = engine.Lit("The details of this run are still loading.")
		return d
	}
}

// failed explains a run that failed, or failed initialization.
func (k *finder) failed(condition string, fact engine.Fact, unclear, recoveryText engine.Text) finding {
	e, what := &catalogue.UnknownFailure, engine.Textf("%s: %s. The message is not in the catalogue.", unclear, engine.Message(strings.TrimRight(message.Core(fact.Message), ".")))
	fail, said := catalogue.FailureOf(fact.Message)
	if fail != nil && fail.Cause == catalogue.NoClusterPickedCause && k.DeletedLast() > 0 {
		f := k.simply(&catalogue.LastDeleted, engine.Textf("The deletion stage deleted the last bindings of the placement (%s): the placement picks no cluster.", engine.Count(k.DeletedLast(), "cluster")), condition)
		f.Quote, f.Since, f.removes = engine.Message(fact.Message), fact.Since, fail.Cause
		return f
	}
	switch {
	case fail != nil:
		k.Named = k.placed(said)
		e, what = repair.EntryOf(k.Subject, &fail.Entry, said), repair.Later(k.Subject, fail.Cause, fail.What(said))
	case fact.Message == "":
		what = engine.Textf("%s: the condition has no message.", unclear)
	case strings.Contains(fact.Message, userError):
		what = engine.Textf("%s The controller marks it as a client error.", what)
	case strings.Contains(fact.Message, internalError):
		what = engine.Textf("%s The controller marks it as an internal error: objects contradict each other.", what)
	}
	f := k.simply(e, what, condition)
	f.RecoveryText, f.Quote, f.Since = cmp.Or(f.RecoveryText, recoveryText), engine.Message(fact.Message), fact.Since
	if e == &catalogue.ClustersLeft {
		f.removes = fail.Cause
	}
	if condition == placement.RunSucceeded && k.View.At >= 0 {
		f.Evidence = append(f.Evidence, subject.StageProof(k.Subject, k.View.At)...)
	}
	if k.Case.Initialized.Truth == engine.TruthYes {
		changed, steps, commands := repair.LabelsChanged(k.Subject, e.Cause, what, f.Steps)
		f.What, f.Steps, f.Commands = changed, steps, append(commands, f.Commands...)
	}
	if condition == placement.RunSucceeded {
		k.leftFailing(&f)
		k.landedLater(&f)
		if lost := repair.WithoutBindings(k.Subject); len(lost) > 0 {
			f.RecoveryText = engine.Textf("%s Without a binding, %s %s the placement's resources.", recoveryText, engine.Enumerate(lost, 3), subject.Agree(len(lost), "loses", "lose"))
		}
	}
	return f
}

// placed adds what a message leaves out: the name of the stage that it gives by
// its position, the placement, and the index of a snapshot as the run has it.
func (k *finder) placed(said map[string]string) map[string]string {
	said["of"] = k.View.Placement.Title().String()
	if _, plain := engine.TextualIndex(subject.AskedIndex(k.Subject)); !plain.IsZero() && plain.String() == said["idx"] {
		said["asked"] = subject.AskedIndex(k.Subject)
	}
	if i, err := strconv.Atoi(said["idx"]); err == nil && i >= 0 && i < len(k.View.Stages) && said["stage"] == "" {
		said["stage"] = k.View.Stages[i].Name.String()
	}
	return said
}

// Marks of upstream's error classes.
const (
	userError     = "failed to process the request due to a client error"
	internalError = "unexpected behavior which cannot be handled by the controller"
)

func (k *finder) notObserved() finding {
	v := k.View
	if len(k.Case.Run.Status.Conditions) == 0 {
		return k.pending()
	}
	f := k.simply(&catalogue.ChangeNotObserved, engine.Textf("The controller has not observed the last change of the run: observedGeneration is %d, generation is %d.", v.Observed, v.Generation), placement.RunProgressing)
	if change := k.Unobserved(); !change.IsZero() {
		f.What = engine.Textf("%s %s", f.What, change)
	}
	f.Evidence = append(f.Evidence, subject.Field(subject.Object(v.ID), engine.Lit("metadata.generation"), engine.Textf("%d, observed %d", v.Generation, v.Observed)))
	return f
}

func (k *finder) notAccepted() finding {
	v, g := k.View, k.View.Gate(engine.GateNotAccepted)
	f := k.simply(&catalogue.ApprovalNotAccepted, engine.Textf("The approval %s %s is ignored: it has observedGeneration %d, the request has generation %d.",
		engine.BeforeAfter(g), engine.StageName(v.Current()), g.Sent, g.Generation), placement.RunProgressing)
	if v.StopWanted {
		f.Steps = catalogue.Steps(engine.Lit("Approve again ({approve}): stagewatch sets the right observedGeneration. Then resume the run ({run}): it is stopped too."))
	}
	f.Evidence = append(subject.RequestProof(g), f.Evidence...)
	f.Since = g.Since
	if g.Deleting() {
		f.What = engine.Textf("%s %s.", f.What, engine.Capital(g.DeletionSays(k.Case.Now)))
		f.Recovery, f.RecoveryText, f.Steps = catalogue.ApprovalDeleting.Recovery, catalogue.ApprovalDeleting.RecoveryText.Text(), catalogue.ApprovalDeleting.Steps.Texts()
		f.NextActions = []engine.NextAction{engine.NextApprovals}
		k.requestHeld(&f, g)
	}
	return f
}

func (k *finder) approval() finding {
	v, g := k.View, k.View.Gate(engine.GateOpen)
	stage := engine.StageName(v.Current())
	what := engine.Textf("The approval after %s is open: all its clusters are done.", stage)
	if g.Before {
		what = engine.Textf("The approval before %s is open: the controller updates no cluster of it before the approval.", stage)
	}
	for _, w := range v.Current().After {
		if w.State == engine.GateRunning && !w.Until.IsZero() {
			what = engine.Textf("%s The timed wait of the stage %s.", what, k.ends(w.Until))
		}
	}
	e := &catalogue.ApprovalAfter
	switch {
	case g.Foreign():
		e = &catalogue.ApprovalForeign
		what = engine.Textf("Approval request %s is for %s: this run will fail. %s", g.Name, subject.RequestedBy(k.Subject, g), what)
	case g.Request.IsZero() && g.Unread.IsZero():
		e = &catalogue.ApprovalGone
		what = engine.Textf("Approval request %s does not exist, so it cannot be approved. %s", g.Name, what)
	case g.Deleting():
		e = &catalogue.ApprovalDeleting
		what = engine.Textf("%s. %s", engine.Capital(g.DeletionSays(k.Case.Now)), what)
	case g.Before:
		e = &catalogue.ApprovalBefore
	}
	var once engine.Text
	if !g.Unread.IsZero() { // no approval is sent before
		what, once = engine.Textf("%s Approval request %s is not known: %s.", what, g.Name, g.Unread), engine.Textf(" once approval request %s can be read", g.Name)
	}
	f := k.simply(e, what, placement.RunProgressing)
	f.Evidence = slices.Concat(subject.RequestProof(g), f.Evidence, subject.StageProof(k.Subject, v.At))
	switch e {
	case &catalogue.ApprovalForeign:
		f.Fails = true
		f.Steps = []engine.Text{engine.Textf("Delete approval request %s, which is for %s: the controller creates one for this run.", g.Name, subject.RequestedBy(k.Subject, g))}
		f.Evidence = append([]engine.Evidence{subject.Field(subject.Object(g.Request), engine.Lit("spec.parentStageRollout, spec.targetStage"), subject.RequestedBy(k.Subject, g))}, f.Evidence...)
	case &catalogue.ApprovalDeleting:
		k.requestHeld(&f, g)
		return f
	case &catalogue.ApprovalGone:
		f.Steps[0] = engine.Textf("Wait until the controller has created approval request %s again, then approve it ({approve}).", g.Name)
	default:
		f.Steps = []engine.Text{
			engine.Textf("Approve %s ({approve})%s%s", engine.StageName(v.Current()), once, k.approvalStarts()),
			engine.Lit("With kubectl, patch --subresource=status and set observedGeneration to the request's generation: the controller ignores other approvals."),
		}
	}
	if g.Seen != nil && !g.Seen.Undecided.IsZero() {
		f.What = engine.Textf("%s It is not decided: Approved is Unknown (%s).", f.What, g.Seen.Undecided)
	} else if g.Seen != nil && !g.Seen.Rejected.IsZero() {
		f.What = engine.Textf("%s It was rejected: Approved is False (%s).", f.What, g.Seen.Rejected)
		f.RecoveryText = engine.Textf("Needs a person: the approval of %s was rejected. Decide whether to approve it or to stop the run.", stage)
		subject.Prefer(&f.Diagnosis, engine.NextApprovals)
		f.Steps = slices.Insert(f.Steps, 0, engine.Lit("Ask who rejected the approval before you approve it: the controller waits, a rejection does not stop the run."))
		f.Commands = append(k.CommandLines([]catalogue.Command{catalogue.ShowApprovals}), f.Commands...)
	}
	return f
}

// ends says when a timed wait ends, or ended.
func (k *finder) ends(until time.Time) engine.Text {
	if k.Case.LookAgain(until); until.After(k.Case.Now) {
		return engine.Textf("ends at %s", k.Case.Clock(until))
	}
	return engine.Textf("ended at %s", k.Case.Clock(until))
}

// requestHeld makes the steps for an approval request that is being deleted: what blocks the
// deletion has to go first.
func (k *finder) requestHeld(f *finding, g *engine.GateView) {
	of := subject.Object(g.Request)
	f.Evidence = append([]engine.Evidence{{Object: of, Field: engine.Lit("metadata.deletionTimestamp"), Value: engine.Lit("set"), Since: g.Seen.Deleting}}, f.Evidence...)
	if len(g.Seen.Finalizers) == 0 {
		return
	}
	names := make([]string, len(g.Seen.Finalizers))
	for i, n := range g.Seen.Finalizers {
		names[i] = n.String()
	}
	f.Evidence = append([]engine.Evidence{subject.Field(of, engine.Lit("metadata.finalizers"), engine.Join(g.Seen.Finalizers, ", "))}, f.Evidence...)
	f.Steps = append(subject.ReleaseSteps(names, of), f.Steps...)
}

// worst finds the cluster in flight whose trouble says most: one that the
// filter takes, hard before others, in the hub's order.
func (k *finder) worst(filter func(*world.CaseCluster, *trouble.Trouble) bool) (*world.CaseCluster, *trouble.Trouble) {
	var first *world.CaseCluster
	var of trouble.Trouble
	for i := range k.Case.Clusters {
		cl := &k.Case.Clusters[i]
		t := k.TroubleOf(cl)
		if t.Entry == nil || !filter(cl, &t) {
			continue
		}
		if first == nil || t.Hard && !of.Hard || t.Failing && !of.Failing && !of.Hard {
			first, of = cl, t
		}
	}
	if first == nil {
		return nil, nil
	}
	return first, &of
}
