package subject

import (
	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/world"
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
		label := engine.Lit("absent")
		if value, is := p.Labels[placement.LabelIsLatestSnapshot]; is {
			label = engine.Clean(value)
		}
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

// Carried returns the policy snapshot whose name most bindings that count for a run
// have, and how many of how many have it; empty when the bindings are not known or
// there is none.
func Carried(k *Subject) (name string, n, all int) {
	bindings, known := k.Case.PlacementBindings()
	if !known {
		return "", 0, 0
	}
	of := map[string]int{}
	for _, b := range bindings {
		if !Picks(b) || b.PolicyName == "" {
			continue
		}
		all++
		of[b.PolicyName]++
	}
	for _, candidate := range SortedKeys(of) {
		if of[candidate] > n {
			name, n = candidate, of[candidate]
		}
	}
	return name, n, all
}

// BoundTo returns how many bindings that count for a run have a policy snapshot.
func BoundTo(k *Subject, policy string) (n int) {
	bindings, _ := k.Case.PlacementBindings()
	for _, b := range bindings {
		if Picks(b) && b.PolicyName == policy {
			n++
		}
	}
	return n
}

// CarriedEvidence shows which policy snapshot the bindings have.
func CarriedEvidence(k *Subject) []engine.Evidence {
	name, n, all := Carried(k)
	if all == 0 {
		return nil
	}
	return []engine.Evidence{Field(engine.Textf("bindings of %s", k.View.Placement.Title()), engine.Lit("spec.schedulingPolicySnapshotName"), engine.Textf("%s on %d of %d", name, n, all))}
}

// Picks reports whether a binding stands for a cluster that the placement
// picks.
func Picks(b *world.Binding) bool {
	return b.Deleting.IsZero() && (b.State == string(placement.BindingBound) || b.State == string(placement.BindingScheduled))
}
