package trouble

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/triage/catalogue"
	"github.com/stagewatch/stagewatch/engine/triage/subject"
	"github.com/stagewatch/stagewatch/engine/world"
)

// manifest describes the most important failing manifest: one that needs a new run, else one
// that does not recover by waiting, else the first.
func (t *Trouble) manifest(b *world.Binding, typ string, f engine.Fact) {
	m, r := &b.Failed[0], catalogue.ManifestCauseOf(&b.Failed[0])
	weight := func(r *catalogue.ManifestCause) int {
		switch {
		case r.Hard && r.Recovery == engine.RecoveryByNewRun:
			return 2
		case r.Hard:
			return 1
		}
		return 0
	}
	for i := 1; i < len(b.Failed); i++ {
		if other := catalogue.ManifestCauseOf(&b.Failed[i]); weight(other) > weight(r) {
			m, r = &b.Failed[i], other
		}
	}
	t.k.Manifest = m
	name := engine.ManifestName(m)
	t.is(&r.Entry, catalogue.ManifestClause(m, r))
	changes := world.ChangesIn(b.Changes, &m.ResourceIdentifier)
	differs := r.Cause == catalogue.DriftBlocks || r.Cause == catalogue.TakeoverDiffers
	degraded := differs && catalogue.Degraded(m.Condition.Message)
	if degraded {
		t.steps = catalogue.DegradedSteps.Texts()
	} else if differs && changes != nil {
		t.detail, t.steps = subject.ChangedFields(changes), r.Steps.Texts()
		t.steps[0] = engine.Textf("Make %s on %s equal to the manifest: %s.", name, t.k.Cluster.Name, subject.RevertFields(changes))
	}
	if r.Cause == catalogue.WorkloadNotReady && world.WorkloadResource(m.Kind) == "" {
		t.steps = catalogue.NotReadySteps(m.Kind)
	}
	if r.Cause == catalogue.NamespaceMissing && t.k.Namespaced() {
		t.steps = catalogue.Steps(engine.Lit("Create the namespace on MEMBER. A ResourcePlacement cannot place it: a ClusterResourcePlacement can."))
	}
	if r.Cause == catalogue.NamespaceTerminating && t.k.Namespaced() {
		t.steps = catalogue.Steps(engine.Lit("Wait until the namespace is deleted on MEMBER; if that does not finish, look for finalizers of the objects in it. Then create it again: a ResourcePlacement cannot place it, a ClusterResourcePlacement can."))
	}
	t.recoveryText = r.RecoveryText.Text()
	if r.Recovery == engine.RecoveryOnMember && m.Condition.Reason != placement.ReasonManifestNotAvailableYet {
		t.recoveryText = engine.Textf("%s The agent then retries within 15 minutes.", r.RecoveryText.Text())
	}
	if r.Pinned && r.Recovery != engine.RecoveryByNewRun {
		t.recoveryText = engine.Textf("%s %s", t.recoveryText, t.pinned())
	}
	if degraded {
		t.recoveryText = engine.Textf("After a fix on the member: the object has to be recreated there. %s", t.pinned())
	}
	if r.Cause == catalogue.WorkloadNotReady && world.WorkloadResource(m.Kind) == "" {
		t.recoveryText = engine.Textf("After a fix on the member: the object has to become available. %s", t.pinned())
	}
	t.quote, t.since = m.Condition.Message, t.sinceStart(m.Condition.LastTransitionTime.Time)
	why := engine.ReadCondition([]metav1.Condition{m.Condition}, m.Condition.Type)
	t.Evidence = append(t.Evidence, subject.Condition(name, m.Condition.Type, why))
	t.alsoFailed(b, m)
	t.see(b, typ, f)
	t.Path = append(t.Path, engine.Hop{Level: engine.Lit("manifest"), Name: name, State: engine.Clean(m.Condition.Reason), Since: m.Condition.LastTransitionTime.Time})
	if r.Cause == catalogue.PlacementsConflict {
		t.conflict(m)
	}
	if changes != nil {
		t.Evidence = append(t.Evidence, subject.ChangeEvidence(name, changes)...)
	}
}

// othersShown is how many more failing manifests are named.
const othersShown = 3

// alsoFailed names the other manifests that fail, with their causes: each has to be fixed.
func (t *Trouble) alsoFailed(b *world.Binding, but *placement.FailedResourcePlacement) {
	var names, steps []engine.Text
	for i := range b.Failed {
		m := &b.Failed[i]
		if m == but {
			continue
		}
		if r := catalogue.ManifestCauseOf(m); len(steps) < othersShown && r.Cause != t.Cause && len(r.Steps) > 0 {
			steps = append(steps, engine.Textf("For %s: %s", engine.ManifestName(m), r.Steps[0].Text().Fill(catalogue.PlaceholderObject, engine.ManifestName(m).String(), catalogue.PlaceholderMember, t.k.Cluster.Name)))
		}
		if len(names) < othersShown {
			why := engine.ReadCondition([]metav1.Condition{m.Condition}, m.Condition.Type)
			t.Evidence = append(t.Evidence, subject.Condition(engine.ManifestName(m), m.Condition.Type, why))
		}
		it, r := engine.Lit("it"), catalogue.ManifestCauseOf(m)
		if r.Cause == catalogue.KindMissing {
			it = engine.Clean(m.Kind)
		}
		names = append(names, engine.Textf("%s (%s)", engine.ManifestName(m), catalogue.Short(r.Cause, []engine.Hop{{Level: engine.Lit("manifest"), Name: it}}, false)))
	}
	if len(steps) > 0 { // before those of the cause, which may end with a new run
		if t.steps == nil {
			t.steps = t.Steps.Texts()
		}
		t.steps = append(steps, t.steps...)
	}
	if len(names) > 0 {
		t.besides(engine.Textf("%s failed too", engine.Enumerate(names, othersShown)))
	}
}
