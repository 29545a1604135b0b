package repair

import (
	"slices"

	cluster "github.com/stagewatch/stagewatch/api/cluster/v1beta1"
	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/message"
	"github.com/stagewatch/stagewatch/engine/triage/catalogue"
	"github.com/stagewatch/stagewatch/engine/triage/member"
	"github.com/stagewatch/stagewatch/engine/triage/subject"
)

// LabelMissing is what the controller says of a label that an override uses and a
// cluster does not have.
var LabelMissing = catalogue.Matching("label key [`\"']?(?P<key>[^\\s`\"']+)[`\"']? not found on cluster")

// labelNow is the present of a label that a cluster did not have.
func labelNow(k *subject.Subject) Outcome {
	out := Outcome{Evidence: subject.LabelEvidence(k)}
	if k.Cluster == nil || k.Cluster.Binding == nil {
		return out
	}
	m, _ := k.Case.Member(k.Cluster.Name)
	said := LabelMissing.Groups(engine.ReadCondition(k.Cluster.Binding.Conditions, placement.BindingOverridden).Message)
	if m == nil || said == nil {
		return out
	}
	value, exists := m.Labels[said["key"]]
	if !exists {
		return out
	}
	return afterRepair(k, engine.Textf("Label %s of cluster %s is %s now", said["key"], k.Cluster.Name, value), out.Evidence...)
}

// agentNow is the present of a Work that waits for the member's agent: when the
// agent reports, it is not the agent's connection that is to be restored.
func agentNow(k *subject.Subject) Outcome {
	if k.Cluster == nil {
		return Outcome{}
	}
	m, _ := k.Case.Member(k.Cluster.Name)
	if m == nil || m.Heartbeat.IsZero() || member.EntryOf(k.Case, k.Cluster.Name) != nil {
		return Outcome{}
	}
	p := then(
		engine.Textf("Wait for the agent of member %s: it reports to the hub (last heartbeat at %s).", k.Cluster.Name, k.Case.Clock(m.Heartbeat)),
		engine.Lit("If the Work's conditions do not change, read the agent's log on the member."),
	)
	p.Recovery, p.RecoveryText = engine.RecoveryAutomatic, engine.Lit("Recovers automatically when the member's agent has processed the Work.")
	p.Evidence = []engine.Evidence{{
		Object: subject.Object(m.ID), Field: engine.Lit("status.agentStatus[MemberAgent].lastReceivedHeartbeat"),
		Value: engine.Textf("the last one at %s", k.Case.Clock(m.Heartbeat)), Since: m.Heartbeat,
	}}
	return p
}

// stayingNow is the present of a member whose namespace on the hub was being
// deleted.
func stayingNow(k *subject.Subject) Outcome {
	if k.Cluster == nil {
		return Outcome{}
	}
	m, _ := k.Case.Member(k.Cluster.Name)
	if m == nil || !m.Deleting.IsZero() {
		return Outcome{}
	}
	joined := engine.ReadCondition(m.Conditions, cluster.MemberJoined)
	if joined.Truth != engine.TruthYes {
		return Outcome{}
	}
	p := then(
		engine.Textf("Wait for the controller's retry: member %s joined the fleet at %s and is not leaving it.", k.Cluster.Name, k.Case.Clock(joined.Since)),
		engine.Textf("If this persists, check that namespace %s is no longer being deleted.", placement.MemberNamespace(k.Cluster.Name)),
	)
	p.Recovery, p.RecoveryText = engine.RecoveryAutomatic, engine.Lit("Recovers automatically when the controller has written the Works to the member's namespace.")
	p.Evidence = []engine.Evidence{subject.Condition(subject.Object(m.ID), cluster.MemberJoined, joined)}
	return p
}

// removalNow is the present of a cluster whose binding was not as the deletion
// stage expects.
func removalNow(k *subject.Subject) Outcome {
	name := k.Named["name"] + k.Named["cluster"] // one of the two
	bindings, known := k.Case.PlacementBindings()
	for _, b := range bindings {
		if b.Cluster != name {
			continue
		}
		deleted := engine.Lit("not set")
		if !b.Deleting.IsZero() {
			deleted = engine.Lit("set")
		}
		return Outcome{Evidence: []engine.Evidence{{Object: subject.Object(b.ID), Field: engine.Lit("metadata.deletionTimestamp"), Value: deleted, Since: b.Deleting}}}
	}
	if !known {
		return Outcome{}
	}
	return afterRepair(k, engine.Textf("The binding of cluster %s no longer exists", name), subject.Field(subject.Object(k.View.Placement), engine.Lit("bindings"), engine.Textf("none for cluster %s", name)))
}

// failedNow is the present of a cluster that had failed.
func failedNow(k *subject.Subject) Outcome {
	name := k.Named["cluster"]
	bindings, _ := k.Case.PlacementBindings()
	for _, b := range bindings {
		available := engine.ReadCondition(b.Conditions, placement.BindingAvailable)
		if b.Cluster != name || name == "" || !subject.Picks(b) {
			continue
		}
		evidence := subject.Condition(subject.Object(b.ID), placement.BindingAvailable, available)
		if available.Truth == engine.TruthYes && available.At(b.Generation) {
			return afterRepair(k, engine.Textf("Cluster %s is available now, with snapshot %s (since %s)", name, engine.OrUnknown(engine.Clean(message.SnapshotIndex(b.SnapshotName))), k.Case.Clock(available.Since)), evidence)
		}
		return Outcome{Evidence: []engine.Evidence{evidence}}
	}
	return Outcome{}
}

// selectedNow is the present of resources that could not be selected: a snapshot
// that is younger than the failure proves that they can be.
func selectedNow(k *subject.Subject) Outcome {
	evidence := PlacementEvidence(k)
	s := k.Case.Nearby.Newest()
	if failed := k.Case.Initialized.Since; s == nil || failed.IsZero() || !s.Created.After(failed) {
		return Outcome{Evidence: evidence}
	}
	return afterRepair(k, engine.Textf("The resources were selected into snapshot %d at %s, after this failure", s.Index, k.Case.Clock(s.Created)), append(evidence, SnapshotEvidence(k, s))...)
}

// restoredNow is the present of a failure that lies in the run's own status: only what
// fails a new run matters.
func restoredNow(k *subject.Subject) Outcome {
	o := Blocked(k, "")
	if o.IsZero() {
		return Outcome{}
	}
	return then(subject.BeforeNewRun(o))
}

// DeletedByNewRun are the clusters that the placement does not pick any more and that are not in the
// deletion stage of the run: a new run deletes the resources from them after its last stage.
func DeletedByNewRun(k *subject.Subject) (names []engine.Text) {
	all, known := k.Case.PlacementBindings()
	if !known {
		return nil
	}
	var own []string
	for i := range k.View.Stages {
		if k.View.Stages[i].Deletion {
			for _, c := range k.Case.Stage(i).Clusters {
				own = append(own, c.ClusterName)
			}
		}
	}
	for _, b := range all {
		if b.State == string(placement.BindingUnscheduled) && b.Deleting.IsZero() && !slices.Contains(own, b.Cluster) {
			names = append(names, engine.Clean(b.Cluster))
		}
	}
	return names
}

// WithoutBindings are the clusters on which the run had started and that have no binding
// now, or one that is being deleted: the hub agent removes the resources from them.
func WithoutBindings(k *subject.Subject) (names []engine.Text) {
	all, known := k.Case.PlacementBindings()
	if !known {
		return nil
	}
	kept := map[string]bool{}
	for _, b := range all {
		kept[b.Cluster] = kept[b.Cluster] || b.Deleting.IsZero()
	}
	for i := range k.View.Stages {
		if k.View.Stages[i].Deletion {
			continue
		}
		for _, c := range k.Case.Stage(i).Clusters {
			if len(c.Conditions) > 0 && !kept[c.ClusterName] {
				names = append(names, engine.Clean(c.ClusterName))
			}
		}
	}
	return names
}
