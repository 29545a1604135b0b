package subject

import (
	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
)

// policiesShown is how many policy snapshots are named.
const policiesShown = 5

// PolicyObject names a scheduling policy snapshot for Evidence.
func PolicyObject(k *Subject, name string) engine.Text {
	return engine.Textf("%s %s", k.Plural("ClusterSchedulingPolicySnapshot", "SchedulingPolicySnapshot"), name)
}

// PolicyEvidence shows the scheduling policy snapshots that are labelled latest.
func PolicyEvidence(k *Subject) []engine.Evidence {
	latest, all, read := k.Case.Nearby.LatestPolicies()
	if read && len(latest) == 0 {
		latest = all
	}
	var out []engine.Evidence
	for i, p := range latest {
		if i == policiesShown {
			break
		}
		label := engine.OrUnknown(engine.Clean(p.Labels[placement.LabelIsLatestSnapshot]))
		out = append(out, engine.Evidence{
			Object: PolicyObject(k, p.Name), Field: engine.Textf("metadata.labels[%s]", placement.LabelIsLatestSnapshot), Value: label, Since: p.CreationTimestamp.Time,
		})
	}
	return out
}

// PolicyNames lists policy snapshots by name.
func PolicyNames(all []*placement.SchedulingPolicySnapshot) engine.Text {
	names := make([]engine.Text, len(all))
	for i, p := range all {
		names[i] = engine.Clean(p.Name)
	}
	return engine.Enumerate(names, policiesShown)
}
