// Package trouble finds out why a started cluster does not finish: from its binding, the Works
// and the member, with evidence and steps.
package trouble

import (
	"slices"
	"time"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/triage/catalogue"
	"github.com/stagewatch/stagewatch/engine/triage/member"
	"github.com/stagewatch/stagewatch/engine/triage/subject"
	"github.com/stagewatch/stagewatch/engine/world"
)

// bindingGrace is how long a started cluster may be without a binding: run and
// bindings come over two streams.
const bindingGrace = 10 * time.Second

// Trouble is why a cluster does not finish.
type Trouble struct {
	*catalogue.Entry
	k *Finder
	// lead is the clause that a sentence about the cluster begins with: what is
	// wrong, capitalized. named is true when it names the cluster. detail follows
	// where and since when, behind a colon. Neither has a full stop.
	lead, detail engine.Text
	named        bool
	steps        []engine.Text // instead of the entry's
	recoveryText engine.Text
	quote        string
	since        time.Time
	Evidence     []engine.Evidence
	Path         []engine.Hop    // below the cluster
	Failing      bool            // a condition of the binding is False
	Member       *member.Trouble // what is wrong with the member besides
	Blocks       []engine.Text   // what blocks a deletion besides the member, with release
	release      []engine.Text
	read         engine.MemberRead
	unread       engine.Text // what the member has not returned
	recovered    bool        // the member has nothing left to repair
	podsUnread   bool        // the pods decide the recovery, and are not read
}

// bindingConditions lists the conditions of a binding below RolloutStarted, in the order in
// which the hub climbs them.
var bindingConditions = []string{placement.BindingOverridden, placement.BindingWorkSynchronized, placement.BindingApplied, placement.BindingAvailable, placement.BindingDiffReported}

// TroubleOf says where a started cluster hangs: first what the binding says
// about its present generation, then the member.
func (k *Finder) TroubleOf(cl *world.CaseCluster) Trouble {
	t := Trouble{k: k.About(cl)}
	k.Case.UseBindings()
	switch {
	case cl.Landed:
		t.landed()
		return t
	case t.k.Deletes():
		t.removal()
	default:
		t.flight()
		t.withPods()
	}
	t.withMember()
	if t.Entry != nil && t.recoveryText.IsZero() {
		t.recoveryText = t.RecoveryText.Text()
	}
	return t
}

// is notes the entry and its clauses.
func (t *Trouble) is(e *catalogue.Entry, c catalogue.Clause) {
	t.Entry, t.lead, t.detail, t.named = e, c.Lead, c.Reason(0), c.Named
}

// Says is what is wrong, for a place where the cluster is named already.
func (t *Trouble) Says() engine.Text {
	if t.detail.IsZero() {
		return t.lead
	}
	return engine.Textf("%s: %s", t.lead, t.detail)
}

// Sentence says what is wrong, where, since when, and then the details.
func (t *Trouble) Sentence() engine.Text {
	what := t.lead
	if !t.named {
		what = engine.Textf("%s on %s", what, t.k.Cluster.Name)
	}
	what = engine.Textf("%s (%s)", what, t.k.Standing(t.since))
	if t.detail.IsZero() {
		return engine.Textf("%s.", what)
	}
	return engine.Textf("%s: %s.", what, t.detail.Clause())
}

func (t *Trouble) landed() {
	b := t.k.Cluster.Binding
	if b == nil { // the deletion stage waits for the binding to go
		t.is(&catalogue.Landed, catalogue.Clause{Lead: engine.Textf("The binding of %s is deleted", t.k.Cluster.Name), Named: true, Detail: engine.Lit("the controller has not recorded it yet")})
		t.recoveryText, t.since = catalogue.Landed.RecoveryText.Text(), t.k.Cluster.Started
		t.Evidence = append(t.Evidence, t.k.NoBinding())
		return
	}
	t.is(&catalogue.Landed, catalogue.Clause{Lead: engine.Textf("The update of %s has finished", t.k.Cluster.Name), Named: true, Detail: t.k.NextCheck()})
	t.recoveryText = catalogue.Landed.RecoveryText.Text()
	for _, typ := range []string{placement.BindingAvailable, placement.BindingDiffReported} {
		if f := engine.ReadCondition(b.Conditions, typ); f.Truth == engine.TruthYes {
			t.since = f.Since
			t.see(b, typ, f)
			return
		}
	}
}

func (t *Trouble) removal() {
	cl := t.k.Cluster
	b := cl.Binding
	if b == nil {
		return
	}
	if b.Deleting.IsZero() || cl.State == engine.ClusterDeleted {
		t.contradicted(b)
		return
	}
	t.is(&catalogue.DeletionInProgress, catalogue.Clause{Lead: engine.Textf("The binding of %s is being deleted", cl.Name), Named: true})
	t.since = b.Deleting
	t.Evidence = append(t.Evidence, subject.Deletion(b))
	limit := b.Deleting.Add(t.k.Case.StuckAfter)
	if t.k.Case.Now.Before(limit) {
		t.k.Case.LookAgain(limit)
		t.heldByOthers(b)
		return
	}
	t.held(b)
}

// contradicted says that the run has recorded a deletion that the binding does not show:
// the controller fails the run (docs/kubefleet.md#finish).
func (t *Trouble) contradicted(b *world.Binding) {
	cl := t.k.Cluster
	if t.k.View.Terminal || b.State != string(placement.BindingUnscheduled) {
		return
	}
	if at := cl.Since().Add(bindingGrace); t.k.Case.Now.Before(at) {
		t.k.Case.LookAgain(at)
		return
	}
	lead, detail := engine.Textf("Binding %s of %s is not being deleted", b.ID.Name(), cl.Name), engine.Lit("the run has recorded its deletion as started, and will fail at the controller's next check")
	if cl.State == engine.ClusterDeleted {
		lead, detail = engine.Textf("Binding %s of %s exists", b.ID.Name(), cl.Name), engine.Lit("the run has recorded it as deleted, and will fail at the controller's next check")
	}
	t.is(&catalogue.DeletionContradicted, catalogue.Clause{Lead: lead, Named: true, Detail: detail})
	t.since = cl.Since()
	proof := subject.Deletion(b)
	if b.Deleting.IsZero() {
		proof.Value = engine.Lit("not set")
	}
	t.Evidence = append(append(t.Evidence, proof), t.k.Started()...)
}

// flight reads the binding of a cluster in flight.
func (t *Trouble) flight() {
	c, cl := t.k.Case, t.k.Cluster
	b := cl.Binding
	if b == nil {
		if c.Bindings.State != engine.CoverComplete || cl.Started.IsZero() {
			return // nothing is known
		}
		if at := cl.Started.Add(bindingGrace); c.Now.Before(at) {
			c.LookAgain(at)
			return
		}
		t.is(&catalogue.BindingGone, catalogue.Clause{Lead: engine.Textf("Cluster %s has no binding", cl.Name), Named: true})
		t.since = cl.Started
		t.Evidence = append(t.Evidence, t.k.NoBinding())
		return
	}
	if !b.Deleting.IsZero() && b.State != string(placement.BindingUnscheduled) {
		if others := placement.ForeignFinalizers(b.Finalizers); len(others) > 0 { // nothing that the steps wait for happens before they are gone
			t.steps = slices.Insert(catalogue.BindingDeleting.Steps.Texts(), 1, subject.ReleaseSteps(others, subject.Object(b.ID))...)
		}
		t.is(&catalogue.BindingDeleting, catalogue.Clause{Lead: engine.Textf("The binding of cluster %s is being deleted", cl.Name), Named: true, Detail: subject.BlockedBy(b)})
		t.since = b.Deleting
		t.Evidence = append(t.Evidence, subject.Deletion(b), subject.BindingFinalizers(b))
		return
	}
	if b.State == string(placement.BindingUnscheduled) {
		t.is(&catalogue.NoLongerPicked, catalogue.Clause{Lead: engine.Textf("The placement no longer picks cluster %s", cl.Name), Named: true})
		t.since = b.Deleting
		t.Evidence = append(t.Evidence, engine.Evidence{Object: subject.Object(b.ID), Field: engine.Lit("spec.state"), Value: engine.Clean(b.State), Since: b.Deleting})
		return
	}
	start := engine.ReadCondition(b.Conditions, placement.BindingRolloutStarted)
	if start.Truth == engine.TruthNo && start.At(b.Generation) {
		if r := catalogue.BindingCauseOf(placement.BindingRolloutStarted, start); r != nil {
			t.bindingCondition(b, r, start)
			return
		}
	}
	if start.Truth != engine.TruthYes || !start.At(b.Generation) {
		t.is(&catalogue.RolloutNotStarted, catalogue.Clause{Lead: engine.Lit("The rollout has not started"), Detail: engine.Lit("the binding has no RolloutStarted condition for its current generation")})
		t.since = cl.Since()
		t.see(b, placement.BindingRolloutStarted, start)
		return
	}
	for _, typ := range bindingConditions {
		f := engine.ReadCondition(b.Conditions, typ)
		if f.Truth != engine.TruthNo || !f.At(b.Generation) {
			continue
		}
		t.Failing = true
		if len(b.Failed) > 0 && typ != placement.BindingOverridden && typ != placement.BindingWorkSynchronized && f.Reason != placement.ReasonApplyInProgress {
			t.manifest(b, typ, f)
			return
		}
		t.bindingCondition(b, catalogue.BindingCauseOf(typ, f), f)
		return
	}
	t.quiet(b, start)
}

// quiet tells of a binding on which nothing is False and nothing is done.
func (t *Trouble) quiet(b *world.Binding, start engine.Fact) {
	about := func(typ string) bool { return engine.ReadCondition(b.Conditions, typ).At(b.Generation) }
	t.since = start.Since
	t.see(b, placement.BindingRolloutStarted, start)
	if !about(placement.BindingOverridden) && !about(placement.BindingWorkSynchronized) && !about(placement.BindingApplied) && !about(placement.BindingAvailable) {
		t.is(&catalogue.WorksMissing, catalogue.Clause{Lead: engine.Textf("No Work is written for cluster %s", t.k.Cluster.Name), Named: true, Detail: engine.Lit("no condition is False")})
		return
	}
	t.is(&catalogue.NothingReported, catalogue.Clause{Lead: engine.Textf("Member %s has not reported the result", t.k.Cluster.Name), Named: true, Detail: engine.Lit("no condition is False, and neither Available nor DiffReported is True")})
}

func (t *Trouble) bindingCondition(b *world.Binding, r *catalogue.BindingCause, f engine.Fact) {
	t.is(&r.Entry, r.Says(f, t.k.Cluster.Name))
	t.Failing, t.quote, t.since = true, f.Message, t.sinceStart(f.Since)
	if r.RecoveryText == "" {
		t.recoveryText = engine.Textf("Unknown. If the cause is on the member, this run continues after a fix there. %s", t.pinned())
	}
	t.see(b, r.Typ, f)
	if r.Reads == engine.ReadOverrides {
		t.overrides(f.Message)
	}
}

// sinceStart is the time of a condition, or when this run started the cluster: a condition that was
// False before, of another snapshot, keeps its time.
func (t *Trouble) sinceStart(at time.Time) time.Time { return engine.Later(at, t.k.Cluster.Started) }

// besides adds a clause to the details.
func (t *Trouble) besides(c engine.Text) {
	if t.detail.IsZero() {
		t.detail = c
		return
	}
	t.detail = engine.Textf("%s; %s", t.detail, c)
}

// pinned ends a way out with what this run cannot do.
func (t *Trouble) pinned() engine.Text {
	return engine.Textf("A wrong manifest needs a new run: this one keeps snapshot %s.", engine.OrUnknown(t.k.View.Index))
}

// see adds a condition of the binding to the evidence and the binding to the
// path.
func (t *Trouble) see(b *world.Binding, typ string, f engine.Fact) {
	t.Evidence = append(t.Evidence, subject.BindingCondition(b, typ))
	t.Path = append(t.Path, engine.Hop{Level: engine.Lit("binding"), Name: b.ID.Title(), State: engine.Textf("%s %s", typ, f.Truth), Since: f.Since})
}

// withMember adds what is wrong with the member. Where a cut-off member looks
// just like what the binding says, or nothing is known, it is the cause.
func (t *Trouble) withMember() {
	a := member.TroubleOf(t.k.Case, t.k.Cluster.Name)
	if a == nil {
		return
	}
	t.Member = a
	t.Evidence = append(t.Evidence, a.Evidence)
	t.Path = append(t.Path, engine.Hop{Level: engine.Lit("member"), Name: engine.Clean(t.k.Cluster.Name), State: a.State, Since: a.Since})
	switch {
	case t.Entry == nil:
		t.is(a.Entry, catalogue.Clause{Lead: a.Lead, Named: true})
		t.recoveryText, t.since = a.Entry.RecoveryText.Text(), a.Since
	case t.Waits || t.Entry == &catalogue.DeletionInProgress || t.Cause == catalogue.MemberNamespaceTerminating && member.Leaves(a.Entry):
		detail := engine.Uncapital(t.lead)
		if t.Entry != &catalogue.WorksMissing && t.Entry != &catalogue.DeletionInProgress && t.named {
			detail = t.detail // what the member has not done
		}
		t.is(a.Entry, catalogue.Clause{Lead: a.Lead, Named: true, Detail: detail})
		t.recoveryText, t.since = a.Entry.RecoveryText.Text(), a.Since
	case t.memberMatters():
		t.besides(a.Says)
	}
}

// memberMatters reports whether a member in trouble can be what holds its cluster: what it
// reported may be old, but a deletion waits for it only while Works are left on it.
func (t *Trouble) memberMatters() bool {
	return !t.k.Deletes() || t.Entry != &catalogue.BindingNotReleased && subject.MemberHolds(t.k.Cluster.Binding)
}

// Diagnosis makes the Diagnosis of a cluster in trouble, all but What.
func (t *Trouble) Diagnosis() engine.Diagnosis {
	d := t.k.Diagnosis(t.Entry)
	if d.RecoveryText == t.RecoveryText.Text() { // what holds now does not replace it
		d.RecoveryText = t.recoveryText
	}
	if t.podsUnread && catalogue.LeavesOpen(t.Cause) {
		d.Recovery, d.RecoveryText = engine.RecoveryUnknown, engine.Textf("Unknown until the pods on %s are read ({member}). %s", t.k.Cluster.Name, t.pinned())
	}
	if t.steps != nil {
		d.Steps = t.steps
	}
	if t.recovered {
		d.Recovery, d.RecoveryText = engine.RecoveryAutomatic, engine.Lit("Recovers automatically when the member's agent has reported it.")
	}
	d.Evidence = slices.Concat(t.Evidence, t.k.Started(), d.Evidence)
	d.Since = t.since
	d.Quote = engine.Message(t.quote)
	d.Read, d.Unread = t.read, t.unread
	for i, step := range d.Steps {
		switch m := t.k.Manifest; {
		case t.k.Pod != nil:
			d.Steps[i] = t.fill(step)
		case m != nil:
			d.Steps[i] = step.Fill(catalogue.PlaceholderObject, engine.ManifestName(m).String(), catalogue.PlaceholderMember, t.k.Cluster.Name)
		}
	}
	t.changedSource(&d)
	if t.Member != nil && t.Member.Entry == t.Entry && t.k.Deletes() {
		d.Recovery, d.RecoveryText = t.memberDeletes(&d)
		d.Commands = t.k.CommandLines(append(slices.Clone(catalogue.DeletionHeld.Commands[:2]), t.Commands...))
	}
	if t.Member != nil && t.Member.Entry != t.Entry {
		d.Also = append(d.Also, t.Member.Entry.Finding())
		switch e := t.Member.Entry; {
		case (t.Entry == &catalogue.BindingGone || t.Entry == &catalogue.NoLongerPicked) && member.Leaves(e): // this run does not continue when it joins again
			if e == &catalogue.MemberDeleting {
				break // the steps say so
			}
			d.Steps = append(d.Steps, engine.Textf("{undoes}To keep cluster %s, first join it to the fleet again under the same name.", t.k.Cluster.Name))
		case (e == &catalogue.MemberDeleting || e == &catalogue.MemberGone) && !t.k.Deletes(): // no other repair matters
			own, wrong := d.Steps, d.Recovery == engine.RecoveryByNewRun && len(d.Steps) > 0
			if d.Recovery, d.RecoveryText, d.Steps = e.Recovery, e.RecoveryText.Text(), e.StepsFor(t.k.Cluster.Name); wrong {
				d.Steps = append(d.Steps, engine.Textf("Other clusters fail for the same reason. %s", own[0]))
			}
		case !t.memberMatters():
		case t.k.Deletes():
			d.Steps = append(slices.Clone(t.memberSteps()[:1]), d.Steps...)
		default:
			d.Steps = append(e.StepsFor(t.k.Cluster.Name), d.Steps...)
		}
	}
	t.withBlocks(&d)
	return d
}
