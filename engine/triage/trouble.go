package triage

import (
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
)

// bindingGrace is how long a started cluster may be without a binding: run and
// bindings come over two streams.
const bindingGrace = 10 * time.Second

// finder finds the diagnosis of a case.
type finder struct{ *kit }

func newFinder(c *engine.Case) *finder { return &finder{newKit(c)} }

// about returns a finder for a cluster of the case.
func (k *finder) about(cl *engine.CaseCluster) *finder { return &finder{k.kit.about(cl)} }

// trouble is why a cluster does not finish.
type trouble struct {
	*entry
	k *finder
	// lead is the clause that a sentence about the cluster begins with: what is
	// wrong, capitalized. named is true when it names the cluster. detail follows
	// where and since when, behind a colon. Neither has a full stop.
	lead, detail engine.Text
	named        bool
	steps        []engine.Text // instead of the entry's
	recoveryText engine.Text
	quote        string
	since        time.Time
	evidence     []engine.Evidence
	path         []engine.Hop // below the cluster
	failing      bool         // a condition of the binding is False
	member       *ailment     // what is wrong with the member besides
	read         engine.MemberRead
}

// ladder lists the rungs of a binding below RolloutStarted, in the order in
// which the hub climbs them.
var ladder = []string{placement.BindingOverridden, placement.BindingWorkSynchronized, placement.BindingApplied, placement.BindingAvailable, placement.BindingDiffReported}

// troubleOf tells where a started cluster hangs: first what the binding says
// about its present generation, then the member.
func (k *finder) troubleOf(cl *engine.CaseCluster) trouble {
	t := trouble{k: k.about(cl)}
	switch {
	case cl.Landed:
		t.landed()
		return t
	case t.k.deletes():
		t.removal()
	default:
		t.flight()
		t.withPods()
	}
	t.withMember()
	if t.entry != nil && t.recoveryText.IsZero() {
		t.recoveryText = t.entry.recoveryText
	}
	return t
}

// is notes the entry and its clauses.
func (t *trouble) is(e *entry, c clause) {
	t.entry, t.lead, t.detail, t.named = e, c.lead, c.detail, c.named
}

// says is what is wrong, for a place where the cluster is named already.
func (t *trouble) says() engine.Text {
	if t.detail.IsZero() {
		return t.lead
	}
	return engine.Textf("%s: %s", t.lead, t.detail)
}

// sentence says what is wrong, where, since when, and then the details.
func (t *trouble) sentence() engine.Text {
	what := t.lead
	if !t.named {
		what = engine.Textf("%s on %s", what, t.k.cluster.Name)
	}
	what = engine.Textf("%s (%s)", what, t.k.standing(t.since))
	if t.detail.IsZero() {
		return engine.Textf("%s.", what)
	}
	return engine.Textf("%s: %s.", what, t.detail)
}

// standing names the stage of the kit's cluster, and since when something holds.
func (k *finder) standing(since time.Time) engine.Text {
	if since.IsZero() {
		since = k.cluster.Started
	}
	return engine.Textf("%s, since %s", inStage(&k.v.Stages[k.cluster.Stage]), k.c.Clock(since))
}

// inStage names a stage in parentheses.
func inStage(s *engine.StageView) engine.Text {
	if s.Deletion {
		return engine.Lit("deletion stage")
	}
	return engine.StageName(s)
}

func (t *trouble) landed() {
	b := t.k.cluster.Binding
	if b == nil { // the deletion stage waits for the binding to go
		t.is(&landed, clause{lead: engine.Textf("The binding of %s is deleted", t.k.cluster.Name), named: true, detail: engine.Lit("the controller has not recorded it yet")})
		t.recoveryText, t.since = landed.recoveryText, t.k.cluster.Started
		t.evidence = append(t.evidence, t.k.noBinding())
		return
	}
	t.is(&landed, clause{lead: engine.Textf("The update of %s has finished", t.k.cluster.Name), named: true, detail: t.k.nextCheck()})
	t.recoveryText = landed.recoveryText
	for _, typ := range []string{placement.BindingAvailable, placement.BindingDiffReported} {
		if f := engine.ReadCondition(b.Conditions, typ); f.Truth == engine.TruthYes {
			t.since = f.Since
			t.see(b, typ, f)
			return
		}
	}
}

func (t *trouble) removal() {
	cl := t.k.cluster
	b := cl.Binding
	if b == nil || b.Deleting.IsZero() {
		return
	}
	t.is(&removing, clause{lead: engine.Textf("The binding of %s is being deleted", cl.Name), named: true})
	t.since = b.Deleting
	t.evidence = append(t.evidence, engine.Evidence{Object: object(b.ID), Field: engine.Lit("metadata.deletionTimestamp"), Value: engine.Lit("set"), Since: b.Deleting})
	limit := b.Deleting.Add(t.k.c.StuckAfter)
	if t.k.c.Now.Before(limit) {
		t.k.c.LookAgain(limit)
		return
	}
	t.held(b)
}

// flight reads the binding of a cluster in flight.
func (t *trouble) flight() {
	c, cl := t.k.c, t.k.cluster
	b := cl.Binding
	if b == nil {
		if c.Bindings.State != engine.CoverComplete || cl.Started.IsZero() {
			return // nothing is known
		}
		if at := cl.Started.Add(bindingGrace); c.Now.Before(at) {
			c.LookAgain(at)
			return
		}
		t.is(&bindingGone, clause{lead: engine.Textf("Cluster %s has no binding", cl.Name), named: true})
		t.since = cl.Started
		t.evidence = append(t.evidence, t.k.noBinding())
		return
	}
	if b.State == string(placement.BindingUnscheduled) || !b.Deleting.IsZero() {
		t.is(&noLongerPicked, clause{lead: engine.Textf("The placement no longer picks cluster %s", cl.Name), named: true})
		t.since = b.Deleting
		t.evidence = append(t.evidence, engine.Evidence{Object: object(b.ID), Field: engine.Lit("spec.state"), Value: engine.Clean(b.State), Since: b.Deleting})
		return
	}
	start := engine.ReadCondition(b.Conditions, placement.BindingRolloutStarted)
	if start.Truth == engine.TruthNo && start.At(b.Generation) {
		if r := rungOf(placement.BindingRolloutStarted, start); r != nil {
			t.rung(b, r, start)
			return
		}
	}
	if start.Truth != engine.TruthYes || !start.At(b.Generation) {
		t.is(&rolloutNotStarted, clause{lead: engine.Lit("The rollout has not started"), detail: engine.Lit("the binding has no RolloutStarted condition for its present generation")})
		t.since = cl.Started
		t.see(b, placement.BindingRolloutStarted, start)
		return
	}
	for _, typ := range ladder {
		f := engine.ReadCondition(b.Conditions, typ)
		if f.Truth != engine.TruthNo || !f.At(b.Generation) {
			continue
		}
		t.failing = true
		if len(b.Failed) > 0 && typ != placement.BindingOverridden && typ != placement.BindingWorkSynchronized && f.Reason != placement.ReasonApplyInProgress {
			t.manifest(b, typ, f)
			return
		}
		t.rung(b, rungOf(typ, f), f)
		return
	}
	t.quiet(b, start)
}

// quiet tells of a binding on which nothing is False and nothing is done.
func (t *trouble) quiet(b *engine.Binding, start engine.Fact) {
	about := func(typ string) bool { return engine.ReadCondition(b.Conditions, typ).At(b.Generation) }
	t.since = start.Since
	t.see(b, placement.BindingRolloutStarted, start)
	if !about(placement.BindingOverridden) && !about(placement.BindingWorkSynchronized) && !about(placement.BindingApplied) && !about(placement.BindingAvailable) {
		t.is(&worksMissing, clause{lead: engine.Textf("No Work is written for cluster %s", t.k.cluster.Name), named: true, detail: engine.Lit("no condition is False")})
		return
	}
	t.is(&nothingReported, clause{lead: engine.Textf("Member %s has not reported the result", t.k.cluster.Name), named: true, detail: engine.Lit("no condition is False, and neither Available nor DiffReported is True")})
}

func (t *trouble) rung(b *engine.Binding, r *rung, f engine.Fact) {
	t.is(&r.entry, r.says(f, t.k.cluster.Name))
	t.failing, t.quote, t.since = true, f.Message, f.Since
	if r.recoveryText.IsZero() {
		t.recoveryText = engine.Textf("Unknown. If the cause is on the member, this run continues after a fix there. %s", t.pinned())
	}
	t.see(b, r.typ, f)
}

// manifest tells of the failing manifest that says most: one that waiting does
// not cure, else the first.
func (t *trouble) manifest(b *engine.Binding, typ string, f engine.Fact) {
	m, r := &b.Failed[0], manifestEntry(&b.Failed[0])
	for i := 1; i < len(b.Failed) && !r.hard; i++ {
		if other := manifestEntry(&b.Failed[i]); other.hard {
			m, r = &b.Failed[i], other
		}
	}
	t.k.manifest = m
	name := engine.ManifestName(m)
	t.is(&r.entry, manifestClause(m, r))
	if n := len(b.Failed); n > 1 {
		t.besides(engine.Textf("%s failed too", engine.Count(n-1, "more manifest")))
	}
	t.recoveryText = r.recoveryText
	if r.pinned && r.recovery != engine.HealNewRun {
		t.recoveryText = engine.Textf("%s %s", r.recoveryText, t.pinned())
	}
	t.quote, t.since = m.Condition.Message, m.Condition.LastTransitionTime.Time
	why := engine.ReadCondition([]metav1.Condition{m.Condition}, m.Condition.Type)
	t.evidence = append(t.evidence, condition(name, m.Condition.Type, why))
	t.see(b, typ, f)
	t.path = append(t.path, engine.Hop{Level: engine.Lit("manifest"), Name: name, State: engine.Clean(m.Condition.Reason), Since: t.since})
}

// besides adds a clause to the details.
func (t *trouble) besides(c engine.Text) {
	if t.detail.IsZero() {
		t.detail = c
		return
	}
	t.detail = engine.Textf("%s; %s", t.detail, c)
}

// pinned ends a way out with what this run cannot do.
func (t *trouble) pinned() engine.Text {
	return engine.Textf("A wrong manifest needs a new run: this one keeps snapshot %s.", engine.OrUnknown(t.k.v.Index))
}

// see adds a condition of the binding to the evidence and the binding to the
// path.
func (t *trouble) see(b *engine.Binding, typ string, f engine.Fact) {
	t.evidence = append(t.evidence, condition(object(b.ID), typ, f))
	t.path = append(t.path, engine.Hop{Level: engine.Lit("binding"), Name: b.ID.Title(), State: engine.Textf("%s %s", typ, f.Truth), Since: f.Since})
}

// withMember adds what is wrong with the member. Where a cut-off member looks
// just like what the binding says, or nothing is known, it is the cause.
func (t *trouble) withMember() {
	a := ailing(t.k.c, t.k.cluster.Name)
	if a == nil {
		return
	}
	t.member = a
	t.evidence = append(t.evidence, a.evidence)
	t.path = append(t.path, engine.Hop{Level: engine.Lit("member"), Name: engine.Clean(t.k.cluster.Name), State: engine.Clean(a.entry.cause.String()), Since: a.since})
	switch {
	case t.entry == nil:
		t.is(a.entry, clause{lead: a.lead, named: true})
		t.recoveryText, t.since = a.entry.recoveryText, a.since
	case t.waits || t.entry == &removing:
		detail := engine.Uncapital(t.lead)
		if t.entry != &worksMissing && t.entry != &removing && t.named {
			detail = t.detail // what the member has not done
		}
		t.is(a.entry, clause{lead: a.lead, named: true, detail: detail})
		t.recoveryText, t.since = a.entry.recoveryText, a.since
	default:
		t.besides(a.says)
	}
}

// diagnosis makes the Diagnosis of a cluster in trouble, all but What.
func (t *trouble) diagnosis() engine.Diagnosis {
	d := t.k.diagnosis(t.entry)
	if d.Heal == t.entry.recoveryText { // what holds now does not replace it
		d.Heal = t.recoveryText
	}
	if t.steps != nil {
		d.Steps = t.steps
	}
	d.Evidence = slices.Concat(t.evidence, started(t.k), d.Evidence)
	d.Since = t.since
	d.Quote = engine.Clean(t.quote)
	d.Read = t.read
	if t.k.pod != nil {
		for i := range d.Steps {
			d.Steps[i] = t.fill(d.Steps[i])
		}
	}
	if t.member != nil && t.member.entry == t.entry && t.k.deletes() {
		d.Steps = lits(engine.Lit("Restore the member's agent: it has to delete the Works, and the hub waits for that without a limit."), removalHeld.steps[1], removalHeld.steps[2])
	}
	if t.member != nil && t.member.entry != t.entry {
		d.Also = append(d.Also, t.member.entry.cause)
		d.Steps = append(d.Steps, t.member.entry.steps...)
	}
	return d
}

// deletes reports whether the cluster is one of the deletion stage.
func (k *finder) deletes() bool { return k.v.Stages[k.cluster.Stage].Deletion }

// noBinding is Evidence that the cluster has no binding.
func (k *finder) noBinding() engine.Evidence {
	return field(object(k.v.Placement), engine.Lit("bindings"), engine.Textf("none for cluster %s", k.cluster.Name))
}

// started is Evidence of the cluster's start.
func started(k *finder) []engine.Evidence {
	cl := k.cluster
	if cl == nil || cl.Started.IsZero() {
		return nil
	}
	return []engine.Evidence{{
		Object: object(k.v.ID), Field: engine.Textf("status.stagesStatus[%s].clusters[%s].conditions[Started]", k.v.Stages[cl.Stage].Name, cl.Name),
		Value: engine.Lit("True"), Since: cl.Started,
	}}
}
