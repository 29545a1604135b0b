package repair

import (
	"cmp"
	"slices"
	"strconv"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/triage/subject"
	"github.com/stagewatch/stagewatch/engine/world"
)

// scheduledNow is the present of a placement that was not scheduled. The controller
// reads the Scheduled condition of the latest policy snapshot, at its generation.
func scheduledNow(k *subject.Subject) Outcome {
	evidence := PlacementEvidence(k)
	latest, _, read := k.Case.Nearby.LatestPolicies()
	if !read {
		return placementScheduled(k, evidence)
	}
	if len(latest) != 1 {
		return latestPolicy(k)
	}
	p := latest[0]
	f := engine.ReadCondition(p.Status.Conditions, placement.PlacementScheduled)
	evidence = append([]engine.Evidence{subject.Condition(subject.PolicyObject(k, p.Name), placement.PlacementScheduled, f)}, evidence...)
	if f.Truth == engine.TruthYes && f.At(p.Generation) {
		return afterRepair(k, engine.Textf("Policy snapshot %s has been fully scheduled since %s", p.Name, k.Case.Clock(f.Since)), evidence...)
	}
	if changed := policyChanged(k, p); changed != nil {
		return Outcome{Steps: changed, Evidence: evidence}
	}
	says, waits := unscheduledClause(k, p)
	first := engine.Textf("{fixes-first}%s; then create a new run ({clone}). Current state: %s.", schedule(p), says)
	if waits {
		first = engine.Textf("{fixes-first}Wait until the scheduler has processed the policy snapshot, then create a new run ({clone}). Current state: %s.", says)
	}
	out := then(first, engine.Lit("Read status.targetClusters of the policy snapshot: it gives the reason for each cluster that was not picked."))
	out.Evidence = evidence
	return out
}

// placementScheduled is scheduledNow for policy snapshots that were not read: only the
// placement's own condition is known, and one that is older than the failure proves
// nothing.
func placementScheduled(k *subject.Subject, evidence []engine.Evidence) Outcome {
	p := k.Case.Placement
	if p == nil {
		return Outcome{Evidence: evidence}
	}
	_, f := subject.Scheduled(p.ID.Kind(), p.Conditions)
	switch {
	case f.Truth == engine.TruthYes && f.At(p.Generation) && f.Since.After(k.Case.Initialized.Since):
		return afterRepair(k, engine.Textf("Placement %s has been scheduled since %s", p.ID.Name(), k.Case.Clock(f.Since)), evidence...)
	case f.Truth == engine.TruthNo:
		out := then(
			engine.Textf("{fixes-first}Join or label{labels-cluster} enough clusters, or change the placement's policy; then create a new run ({clone}). The placement has not been scheduled since %s (%s).", k.Case.Clock(f.Since), f.Reason),
			engine.Lit("Read status.targetClusters of the policy snapshot: it gives the reason for each cluster that was not picked."),
		)
		out.Evidence = evidence
		return out
	}
	return Outcome{Evidence: evidence}
}

// schedule is a clause, in the imperative, about what lets the scheduler fulfil a
// policy.
func schedule(p *placement.SchedulingPolicySnapshot) engine.Text {
	policy := p.Spec.Policy
	if policy == nil || policy.PlacementType != placement.PickFixed {
		return engine.Lit("Join or label{labels-cluster} enough clusters, or change the placement's policy")
	}
	picked := map[string]bool{}
	for _, t := range p.Status.TargetClusters {
		picked[t.ClusterName] = t.Selected
	}
	var missing []engine.Text
	for _, name := range policy.ClusterNames {
		if !picked[name] {
			missing = append(missing, engine.Clean(name))
		}
	}
	if len(missing) == 0 {
		return engine.Lit("Join the clusters that spec.policy.clusterNames of the placement lists, or correct the list")
	}
	return engine.Textf("Join %s to the fleet, or remove it from spec.policy.clusterNames of the placement", engine.Enumerate(missing, namesShown))
}

// pickedNow is the present of a placement that picked no cluster, or another
// number than its policy asks for.
func pickedNow(k *subject.Subject) Outcome {
	p := k.Case.Placement
	evidence := PlacementEvidence(k)
	n := 0
	if p != nil {
		n = p.Clusters
	}
	if bindings, known := k.Case.PlacementBindings(); known {
		n = 0
		for _, b := range bindings {
			if subject.Picks(b) {
				n++
			}
		}
	}
	want, counted := strconv.Atoi(k.Named["want"])
	unbound := unboundSteps(k) // the policy may pick clusters whose bindings are gone
	latest, _, read := k.Case.Nearby.LatestPolicies()
	if p != nil && n > 0 && (counted != nil && unbound == nil || counted == nil && n == want) {
		if _, f := subject.Scheduled(p.ID.Kind(), p.Conditions); f.Truth != engine.TruthUnknown && f.Truth != engine.TruthAbsent || counted == nil || read {
			return afterRepair(k, engine.Textf("Placement %s picks %s now", p.ID.Name(), engine.Count(n, "cluster")), evidence...)
		}
	}
	if len(latest) == 1 {
		if changed := policyChanged(k, latest[0]); changed != nil {
			return Outcome{Steps: changed, Evidence: evidence}
		}
	}
	if unbound != nil {
		return Outcome{Steps: unbound, Evidence: evidence}
	}
	if n == 0 && counted != nil && len(latest) == 1 {
		var more []engine.Text
		if says := stagesMatch(k); !says.IsZero() {
			more = append(more, says)
		}
		out := then(engine.Textf("{fixes-first}%s, then create a new run ({clone}).", pick(k, latest[0])), more...)
		out.Evidence = evidence
		return out
	}
	return Outcome{Evidence: evidence}
}

// unboundSteps name the clusters that the policy picks and that have no binding of
// use, and the bindings of clusters that it does not pick; nil when none is known.
func unboundSteps(k *subject.Subject) []engine.Text {
	latest, _, _ := k.Case.Nearby.LatestPolicies()
	bindings, known := k.Case.PlacementBindings()
	if !known || len(latest) != 1 {
		return nil
	}
	bound, picked := map[string]*world.Binding{}, map[string]bool{}
	for _, b := range bindings {
		if other := bound[b.Cluster]; other == nil || subject.Picks(b) {
			bound[b.Cluster] = b
		}
	}
	reasons := map[string]string{}
	var wanted []string
	for _, d := range latest[0].Status.TargetClusters {
		if picked[d.ClusterName] = d.Selected; d.Selected {
			wanted = append(wanted, d.ClusterName)
		} else {
			reasons[d.ClusterName] = d.Reason
		}
	}
	if p := latest[0].Spec.Policy; p != nil && p.PlacementType == placement.PickFixed {
		for _, name := range p.ClusterNames { // the controller counts all of them
			if !picked[name] {
				picked[name], wanted = true, append(wanted, name)
				reasons[name] = cmp.Or(reasons[name], "the scheduler has not picked it")
			}
		}
	}
	var absent, extra []engine.Text
	var whys []string
	for _, name := range wanted {
		why := reasons[name]
		switch b := bound[name]; {
		case b == nil:
		case !b.Deleting.IsZero():
			why = "its binding is being deleted"
		case !subject.Picks(b):
			why = "its binding is " + b.State
		default:
			continue
		}
		absent, whys = append(absent, engine.Clean(name)), append(whys, why)
	}
	same := len(absent) > 1 && whys[0] != "" && len(slices.Compact(slices.Clone(whys))) == 1
	for i, why := range whys {
		if why != "" && !same {
			absent[i] = engine.Textf("%s (%s)", absent[i], why)
		}
	}
	named := engine.Enumerate(absent, namesShown)
	if same {
		named = engine.Textf("%s (each: %s)", named, whys[0])
	}
	for _, b := range bindings {
		if len(picked) > 0 && subject.Picks(b) && !picked[b.Cluster] { // else nothing is known of what it picks
			extra = append(extra, engine.Clean(b.Cluster))
		}
	}
	last := engine.Lit("The scheduler in the hub agent creates and deletes bindings: read its log ({logs}). Create a new run ({clone}) when the bindings are right.")
	switch {
	case len(absent) > 0:
		return []engine.Text{engine.Textf("Check why there is no scheduled binding for %s, although the policy (snapshot %s) requires %s.", named, latest[0].Name, subject.Agree(len(absent), "it", "them")), last}
	case len(extra) > 0:
		return []engine.Text{engine.Textf("Check why a binding exists for %s, although policy snapshot %s does not pick %s.", engine.Enumerate(extra, namesShown), latest[0].Name, subject.Agree(len(extra), "it", "them")), last}
	}
	return nil
}
