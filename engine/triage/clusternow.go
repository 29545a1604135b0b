package triage

import (
	"regexp"

	cluster "github.com/stagewatch/stagewatch/api/cluster/v1beta1"
	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
)

// labelMissing is what the controller says of a label that an override uses and a
// cluster does not have.
var labelMissing = regexp.MustCompile("label key [`\"']?(?P<key>[^\\s`\"']+)[`\"']? not found on cluster")

// labelNow is the present of a label that a cluster did not have.
func labelNow(k *kit) present {
	out := present{evidence: labelEvidence(k)}
	if k.cluster == nil || k.cluster.Binding == nil {
		return out
	}
	m, _ := k.c.Member(k.cluster.Name)
	said := match(labelMissing, engine.ReadCondition(k.cluster.Binding.Conditions, placement.BindingOverridden).Message)
	if m == nil || said == nil {
		return out
	}
	value, exists := m.Labels[said["key"]]
	if !exists {
		return out
	}
	return afterRepair(k, engine.Textf("Label %s of cluster %s is %s now", said["key"], k.cluster.Name, value), out.evidence...)
}

// agentNow is the present of a Work that waits for the member's agent: when the
// agent reports, it is not the agent's connection that is to be restored.
func agentNow(k *kit) present {
	if k.cluster == nil {
		return present{}
	}
	m, _ := k.c.Member(k.cluster.Name)
	if m == nil || m.Heartbeat.IsZero() || ailing(k.c, k.cluster.Name) != nil {
		return present{}
	}
	p := then(
		engine.Textf("Wait for the agent of member %s: it reports to the hub (last heartbeat at %s).", k.cluster.Name, k.c.Clock(m.Heartbeat)),
		engine.Lit("If the Work's conditions do not change, read the agent's log on the member."),
	)
	p.recovery, p.recoveryText = engine.HealItself, engine.Lit("Recovers automatically when the member's agent has processed the Work.")
	p.evidence = []engine.Evidence{{
		Object: object(m.ID), Field: engine.Lit("status.agentStatus[MemberAgent].lastReceivedHeartbeat"),
		Value: engine.Textf("the last one at %s", k.c.Clock(m.Heartbeat)), Since: m.Heartbeat,
	}}
	return p
}

// stayingNow is the present of a member whose namespace on the hub was being
// deleted.
func stayingNow(k *kit) present {
	if k.cluster == nil {
		return present{}
	}
	m, _ := k.c.Member(k.cluster.Name)
	if m == nil || !m.Deleting.IsZero() {
		return present{}
	}
	joined := engine.ReadCondition(m.Conditions, cluster.MemberJoined)
	if joined.Truth != engine.TruthYes {
		return present{}
	}
	p := then(
		engine.Textf("Wait for the controller's retry: member %s is joined since %s and is not leaving the fleet.", k.cluster.Name, k.c.Clock(joined.Since)),
		engine.Textf("If it lasts, check that namespace %s is not being deleted any more.", placement.MemberNamespace(k.cluster.Name)),
	)
	p.recovery, p.recoveryText = engine.HealItself, engine.Lit("Recovers automatically when the controller has written the Works to the member's namespace.")
	p.evidence = []engine.Evidence{condition(object(m.ID), cluster.MemberJoined, joined)}
	return p
}

// removalNow is the present of a cluster whose binding was not as the deletion
// stage expects.
func removalNow(k *kit) present {
	name := k.said["name"] + k.said["cluster"] // one of the two
	bindings, known := k.c.PlacementBindings()
	for _, b := range bindings {
		if b.Cluster != name {
			continue
		}
		deleted := engine.Lit("not set")
		if !b.Deleting.IsZero() {
			deleted = engine.Lit("set")
		}
		return present{evidence: []engine.Evidence{{Object: object(b.ID), Field: engine.Lit("metadata.deletionTimestamp"), Value: deleted, Since: b.Deleting}}}
	}
	if !known {
		return present{}
	}
	return afterRepair(k, engine.Textf("The binding of cluster %s does not exist any more", name), field(object(k.v.Placement), engine.Lit("bindings"), engine.Textf("none for cluster %s", name)))
}

// failedNow is the present of a cluster that had failed.
func failedNow(k *kit) present {
	name := k.said["cluster"]
	bindings, _ := k.c.PlacementBindings()
	for _, b := range bindings {
		available := engine.ReadCondition(b.Conditions, placement.BindingAvailable)
		if b.Cluster != name || name == "" || !picks(b) {
			continue
		}
		evidence := condition(object(b.ID), placement.BindingAvailable, available)
		if available.Truth == engine.TruthYes && available.At(b.Generation) {
			return afterRepair(k, engine.Textf("Cluster %s is available now, with snapshot %s (since %s)", name, engine.OrUnknown(engine.Clean(engine.SnapshotIndex(b.SnapshotName))), k.c.Clock(available.Since)), evidence)
		}
		return present{evidence: []engine.Evidence{evidence}}
	}
	return present{}
}

// selectedNow is the present of resources that could not be selected: a snapshot
// that is younger than the failure proves that they can be.
func selectedNow(k *kit) present {
	evidence := placementEvidence(k)
	s := k.c.Nearby.Newest()
	if failed := k.c.Initialized.Since; s == nil || failed.IsZero() || !s.Created.After(failed) {
		return present{evidence: evidence}
	}
	return afterRepair(k, engine.Textf("The resources were selected into snapshot %d at %s, after this failure", s.Index, k.c.Clock(s.Created)), append(evidence, snapshotEvidence(k, s))...)
}

// anewNow is the present of a failure that lies in the run's own status: only what
// fails a new run matters.
func anewNow(k *kit) present {
	o := obstacleOf(k)
	if o.IsZero() {
		return present{}
	}
	return then(engine.Textf("Before you create a new run (C), fix this: %s.", o))
}
