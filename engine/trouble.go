package engine

import (
	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

// trouble is why a cluster does not finish, as its binding tells it: a clause
// without a full stop, and what follows from it.
type trouble struct{ what, heal, next Text }

// troubled reports whether the cluster's binding is known and shows a reason.
func troubled(c *clusterRead) bool {
	if c.binding == nil {
		return false
	}
	for _, typ := range ladderTypes {
		if f := find(c.binding.Conditions, typ); f.truth == no && f.at(c.binding.Generation) {
			return true
		}
	}
	return false
}

// ladderTypes are the rungs below RolloutStarted, in the order in which the hub
// climbs them (facts 3.10).
var ladderTypes = []string{placement.BindingOverridden, placement.BindingWorkSynchronized, placement.BindingApplied, placement.BindingAvailable, placement.BindingDiffReported}

// troubleOf tells where a cluster hangs: the first rung of its binding that is
// False about the binding's present generation (facts 5.3). Without a binding
// it says nothing.
func (r *reader) troubleOf(c *clusterRead) trouble {
	b := c.binding
	if b == nil || c.landed {
		return trouble{}
	}
	if f := find(b.Conditions, placement.BindingRolloutStarted); f.truth != yes || !f.at(b.Generation) {
		return trouble{
			what: Lit("its rollout has not begun: the binding has no RolloutStarted for its present generation"),
			heal: Lit("Yes, when the hub's controller gets to it."),
			next: Lit("Wait; if it stays so, see the hub agent's log."),
		}
	}
	for _, typ := range ladderTypes {
		f := find(b.Conditions, typ)
		if f.truth != no || !f.at(b.Generation) {
			continue
		}
		return r.rungTrouble(b, typ, f)
	}
	return trouble{
		what: Lit("nothing is reported as failed, and nothing as finished"),
		heal: Lit("Not known: the member may be silent."),
		next: Lit("See whether the member's agent still reports to the hub."),
	}
}

func (r *reader) rungTrouble(b *Binding, typ string, f fact) trouble {
	newRun := Textf("this run keeps snapshot %s", orDash(Clean(r.run.Status.ResourceSnapshotIndexUsed)))
	switch typ {
	case placement.BindingOverridden:
		return trouble{
			what: Textf("the overrides could not be applied (%s: %s)", f.reason, f.message),
			heal: Lit("No: such errors are not tried again."),
			next: Lit("Fix the override, then make a new run."),
		}
	case placement.BindingWorkSynchronized:
		return trouble{
			what: Textf("the works for the member could not be written (%s: %s)", f.reason, f.message),
			heal: Lit("Yes, if the member comes back or the envelope is repaired on the hub side that it came from."),
			next: Lit("See whether the cluster is leaving the fleet, and whether an envelope is broken."),
		}
	case placement.BindingDiffReported:
		return trouble{
			what: Textf("differences could not be reported (%s: %s)", f.reason, f.message),
			heal: Lit("Yes, if the member answers."),
			next: Lit("Look at the manifests' conditions."),
		}
	}
	if len(b.Failed) == 0 {
		t := trouble{
			what: Textf("the resources are not %s (%s: %s)", typ, f.reason, f.message),
			heal: Textf("Yes, if the cause is on the member. A wrong manifest needs a new run, since %s.", newRun),
			next: Lit("Look at the cluster's works and at the member."),
		}
		if f.reason == placement.ReasonApplyInProgress {
			t.heal, t.next = Lit("Yes: the resources are being applied."), Lit("Wait.")
		}
		return t
	}
	m := &b.Failed[0]
	t := trouble{what: Textf("%s is not %s (%s)", manifestName(m), m.Condition.Type, m.Condition.Reason)}
	if n := len(b.Failed); n > 1 {
		t.what = Textf("%s, and %s more", t.what, count(n-1, "manifest"))
	}
	t.heal, t.next = manifestWayOut(m, newRun)
	return t
}

// manifestWayOut tells what a failing manifest needs (facts 5.3), by reason.
// Reasons that are not known get the general answer.
func manifestWayOut(m *placement.FailedResourcePlacement, newRun Text) (heal, next Text) {
	switch m.Condition.Reason {
	case placement.ReasonManifestNotAvailableYet:
		return Textf("Yes, if the workload becomes ready on the member (image, capacity, quota, volumes). A wrong manifest needs a new run, since %s.", newRun),
			Lit("Look at the workload's pods on the member; fix the member, or fix the manifest on the hub and make a new run.")
	case placement.ReasonManifestFailedToTakeOver, placement.ReasonManifestNotTakenOver, "ManifestsAlreadyOwnedByOthers":
		return Lit("Yes, if the object on the member is given up by its present owner."),
			Lit("Remove the object or its foreign owner on the member, or allow the takeover in the placement's apply strategy and make a new run.")
	case "ApplyConflictBetweenPlacements":
		return Lit("Yes, if the other placement stops placing the same object."),
			Lit("Let only one placement place this object.")
	case placement.ReasonManifestFoundDrifts, placement.ReasonManifestFoundDriftsDegraded:
		return Lit("Yes, if the change on the member is taken back."),
			Lit("Take the change on the member back, or set whenToApply to Always and make a new run.")
	case placement.ReasonManifestApplyFailed:
		return Textf("Yes, if the member accepts the object later (quota, webhook, permissions, a missing namespace or kind). A wrong manifest needs a new run, since %s.", newRun),
			Lit("Read the manifest's message; fix the member, or fix the manifest on the hub and make a new run.")
	case placement.ReasonManifestDecodingErr, placement.ReasonManifestFoundGenerateName, placement.ReasonManifestDuplicated:
		return Textf("No: the manifest itself is not usable, and %s.", newRun),
			Lit("Fix the manifest on the hub and make a new run.")
	}
	return Textf("Yes, if the cause is on the member. A wrong manifest needs a new run, since %s.", newRun),
		Lit("Read the manifest's message; fix the member, or fix the manifest on the hub and make a new run.")
}

// manifestName returns "Deployment shop/web", with the envelope it came in.
func manifestName(m *placement.FailedResourcePlacement) Text {
	name := Textf("%s %s", m.Kind, m.Name)
	if m.Namespace != "" {
		name = Textf("%s %s/%s", m.Kind, m.Namespace, m.Name)
	}
	if e := m.Envelope; e != nil {
		return Textf("%s (in %s %s)", name, string(e.Type), e.Name)
	}
	return name
}
