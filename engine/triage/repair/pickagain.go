package repair

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/triage/subject"
	"github.com/stagewatch/stagewatch/engine/world"
)

// pickAgain is what makes the policy of the placement pick a cluster that it does not pick
// now, with its command: what the policy requires, and what the cluster has.
func pickAgain(k *subject.Subject, name string) (engine.Text, []engine.Text) {
	m, _ := k.Case.Member(name)
	latest, _, _ := k.Case.Nearby.LatestPolicies()
	place := k.View.Placement.Name()
	generic := engine.Textf("{undoes}To keep cluster %s in placement %s, first make the placement's policy pick it again: correct the policy, or the labels or taints of the cluster.", name, place)
	if len(latest) != 1 || latest[0].Spec.Policy == nil {
		return generic, nil
	}
	policy := latest[0].Spec.Policy
	if policy.PlacementType == placement.PickFixed && !slices.Contains(policy.ClusterNames, name) {
		return engine.Textf("{undoes}To keep cluster %s, first add it to spec.policy.clusterNames of placement %s.", name, place), nil
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
	return engine.Textf("{undoes}To keep cluster %s, first %s: the policy of placement %s requires it.", name, engine.Join(undo, " and "), place), commands
}

// pick is a clause, in the imperative, about what lets a policy that picks nothing pick
// a cluster.
func pick(k *subject.Subject, p *placement.SchedulingPolicySnapshot) engine.Text {
	policy := p.Spec.Policy
	switch {
	case policy == nil || policy.PlacementType == placement.PickAll && policy.Affinity == nil:
		if n, tainted := k.JoinedMembers(); n > tainted {
			return engine.Textf("Find in the hub agent's log ({logs}) why the scheduler picks none of the %s that have joined (the placement picks every cluster without a taint)", engine.Count(n, "member"))
		}
		return engine.Lit("Join a cluster to the fleet, or tolerate the taints of its clusters (the placement picks every eligible cluster, and none is eligible)")
	case policy.PlacementType == placement.PickFixed:
		return engine.Lit("Add clusters of the fleet to spec.policy.clusterNames of the placement")
	case policy.PlacementType == placement.PickN && policy.NumberOfClusters != nil && *policy.NumberOfClusters == 0:
		return engine.Lit("Raise spec.policy.numberOfClusters of the placement: it is 0")
	}
	return engine.Lit("Label{labels-cluster} clusters for the placement's policy, or change the policy so that it picks a cluster")
}

// stagesMatch says which stages of the strategy match how many of the members that have
// joined, and names the nearest label for a stage that matches none; empty when the
// strategy or the members are not read.
func stagesMatch(k *subject.Subject) engine.Text {
	stages := stagesOf(k)
	members, known := k.Case.Members()
	if stages == nil || !known || len(members) == 0 {
		return engine.Text{}
	}
	selectors := selectorsOf(stages)
	var out []engine.Text
	for i := range stages {
		n := 0
		for _, m := range members {
			if selectors[i].Matches(labels.Set(m.Labels)) {
				n++
			}
		}
		says := engine.Textf("stage %s (%s) matches %d", stages[i].Name, selectorText(selectors[i]), n)
		if near := nearestLabel(members, selectors[i]); n == 0 && !near.IsZero() {
			says = engine.Textf("%s, nearest label %s", says, near)
		}
		out = append(out, says)
	}
	return engine.Textf("Of %s, %s (strategy %s).", engine.Count(len(members), "member"), engine.Enumerate(out, namesShown), subject.StrategyOf(k))
}

// selectorText is a selector as kubectl writes it.
func selectorText(s labels.Selector) engine.Text {
	if s.Empty() {
		return engine.Lit("all clusters")
	}
	return engine.Clean(s.String())
}

// nearestLabel is the label of a member that is most similar to one that a selector wants.
func nearestLabel(members []*world.Member, s labels.Selector) engine.Text {
	requirements, _ := s.Requirements()
	for _, r := range requirements {
		for _, value := range r.ValuesUnsorted() {
			var all []string
			for _, m := range members {
				for key, v := range m.Labels {
					if !subject.FleetLabel(key) {
						all = append(all, key+"="+v)
					}
				}
			}
			slices.Sort(all)
			if all = slices.Compact(all); len(all) > 0 {
				return engine.Similar(r.Key()+"="+value, all)[0]
			}
		}
	}
	return engine.Text{}
}
