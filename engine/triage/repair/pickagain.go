package repair

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/triage/subject"
)

// pickAgain is what makes the policy of the placement pick a cluster that it does not pick
// now, with its command: what the policy requires, and what the cluster has.
func pickAgain(k *subject.Subject, name string) (engine.Text, []engine.Text) {
	m, _ := k.Case.Member(name)
	latest, _, _ := k.Case.Nearby.LatestPolicies()
	place := k.View.Placement.Name()
	generic := engine.Textf("To keep cluster %s in placement %s, first make the placement's policy pick it again: correct the policy, or the labels or taints of the cluster.", name, place)
	if len(latest) != 1 || latest[0].Spec.Policy == nil {
		return generic, nil
	}
	policy := latest[0].Spec.Policy
	if policy.PlacementType == placement.PickFixed && !slices.Contains(policy.ClusterNames, name) {
		return engine.Textf("To keep cluster %s, first add it to spec.policy.clusterNames of placement %s.", name, place), nil
	}
	if m == nil || policy.Affinity == nil || policy.Affinity.ClusterAffinity == nil || policy.Affinity.ClusterAffinity.RequiredDuringSchedulingIgnoredDuringExecution == nil {
		return generic, nil
	}
	terms := policy.Affinity.ClusterAffinity.RequiredDuringSchedulingIgnoredDuringExecution.ClusterSelectorTerms
	if len(terms) != 1 {
		return generic, nil
	}
	selector, err := metav1.LabelSelectorAsSelector(terms[0].LabelSelector)
	if err != nil || terms[0].LabelSelector == nil {
		return generic, nil
	}
	miss := relabelled{cluster: name, has: m.Labels}
	requirements, _ := selector.Requirements()
	for _, r := range requirements {
		if !r.Matches(labels.Set(m.Labels)) {
			miss.unmet = append(miss.unmet, r)
		}
	}
	if len(miss.unmet) == 0 {
		return generic, nil
	}
	undo, command := miss.undo(k)
	var commands []engine.Text
	if !command.IsZero() {
		commands = append(commands, command)
	}
	return engine.Textf("To keep cluster %s, first %s: the policy of placement %s requires it.", name, engine.Join(undo, " and "), place), commands
}
