package trouble

import (
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/triage/repair"
	"github.com/stagewatch/stagewatch/engine/world"
)

// withOwners names the owners of the object that another owner holds, as the member
// returned them.
func (t *Trouble) withOwners(r *world.MemberReport) {
	m := t.k.Manifest
	if m == nil {
		return
	}
	o := r.Object(m.Kind, m.Namespace, m.Name)
	if o == nil {
		return
	}
	if t.read.Why = o.Why; !o.Why.IsZero() {
		return
	}
	name := engine.ManifestName(m)
	of := func(field, value engine.Text) {
		t.Evidence = append([]engine.Evidence{t.podEvidence(r, name, field, value)}, t.Evidence...)
	}
	switch owners, managers := engine.CleanAll(o.Owners), engine.CleanAll(o.Managers); {
	case o.NoKind:
		t.read.Says = t.marked(engine.Textf("the member does not serve kind %s (%s)", o.Kind, o.Group))
		of(engine.Lit("kind"), engine.Lit("not served now"))
		t.steps = repair.KindSteps(t.k.Subject, o.Group, o.Version, o.Kind)
		t.besides(t.read.Says)
	case o.Missing:
		t.read.Says = t.marked(engine.Lit("the member has no such object now"))
		of(engine.Lit("metadata.name"), engine.Lit("no such object now"))
		t.awaitsAgent(recreated)
		t.besides(t.read.Says)
	case len(owners) > 0:
		who := engine.Enumerate(owners, 3)
		t.read.Says = t.marked(engine.Textf("its owner is %s", who))
		t.lead = engine.Textf("%s belongs to %s", name, who)
		of(engine.Lit("metadata.ownerReferences"), who)
		t.steps = append([]engine.Text{
			t.marked(engine.Textf("{fixes-first}Have %s release %s on %s, or delete the object there if it is safe to recreate it. Or set allowCoOwnership in the placement's apply strategy, which ends this run, then create a new run ({clone}).", who, name, engine.Clean(r.Member))),
		}, t.steps...)
	case len(o.AppliedWorks) > 0:
		t.read.Says = t.marked(engine.Textf("its only owner now is Fleet's AppliedWork %s", engine.Enumerate(engine.CleanAll(o.AppliedWorks), 3)))
		t.besides(t.read.Says)
		of(engine.Lit("metadata.ownerReferences"), engine.Textf("AppliedWork %s", engine.Enumerate(engine.CleanAll(o.AppliedWorks), 3)))
		t.conflict(m)
	case len(managers) > 0:
		who := engine.Enumerate(managers, 3)
		t.read.Says = t.marked(engine.Textf("it has no owner reference; its fields were written by %s", who))
		t.besides(t.read.Says)
		of(engine.Lit("metadata.managedFields"), who)
		t.awaitsAgent(released)
	default:
		t.read.Says = t.marked(engine.Lit("it has no owner reference now"))
		t.besides(t.read.Says)
		of(engine.Lit("metadata.ownerReferences"), engine.Lit("none now"))
		t.awaitsAgent(released)
	}
}

// The steps for an object that does not exist, and for one that nobody owns any more. The agent
// retries with a backoff (docs/kubefleet.md#member-agent).
var (
	recreated = engine.Lit("Wait for the member's agent: it retries and creates the object.")
	released  = engine.Lit("Wait for the member's agent: it retries and takes the object over.")
	agentLate = engine.Lit("If that takes longer than 15 minutes, check the member's agent.")
)

// awaitsAgent makes a step of what is left to do when the member shows that the cause is gone.
func (t *Trouble) awaitsAgent(step engine.Text) {
	t.steps = []engine.Text{t.marked(step), agentLate}
	t.recovered = len(t.k.Cluster.Binding.Failed) == 1
}
