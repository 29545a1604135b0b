package repair

import (
	"cmp"
	"strconv"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/triage/subject"
	"github.com/stagewatch/stagewatch/engine/world"
)

// policyObject names a scheduling policy snapshot for Evidence.
func policyObject(k *subject.Subject, name string) engine.Text {
	return engine.Textf("%s %s", k.Plural("ClusterSchedulingPolicySnapshot", "SchedulingPolicySnapshot"), name)
}

// policyEvidence shows the scheduling policy snapshots that are labelled latest.
func policyEvidence(k *subject.Subject) []engine.Evidence {
	latest, all, read := k.Case.Nearby.LatestPolicies()
	if read && len(latest) == 0 {
		latest = all
	}
	var out []engine.Evidence
	for i, p := range latest {
		if i == namesShown {
			break
		}
		label := engine.OrUnknown(engine.Clean(p.Labels[placement.LabelIsLatestSnapshot]))
		out = append(out, engine.Evidence{
			Object: policyObject(k, p.Name), Field: engine.Textf("metadata.labels[%s]", placement.LabelIsLatestSnapshot), Value: label, Since: p.CreationTimestamp.Time,
		})
	}
	return out
}

func policyNames(all []*placement.SchedulingPolicySnapshot) engine.Text {
	names := make([]engine.Text, len(all))
	for i, p := range all {
		names[i] = engine.Clean(p.Name)
	}
	return engine.Enumerate(names, namesShown)
}

// carried returns the policy snapshot whose name most bindings that count for a run
// have, and how many of how many have it; empty when the bindings are not known or
// there is none.
func carried(k *subject.Subject) (name string, n, all int) {
	bindings, known := k.Case.PlacementBindings()
	if !known {
		return "", 0, 0
	}
	of := map[string]int{}
	for _, b := range bindings {
		if !picks(b) || b.PolicyName == "" {
			continue
		}
		all++
		of[b.PolicyName]++
	}
	for _, candidate := range subject.SortedKeys(of) {
		if of[candidate] > n {
			name, n = candidate, of[candidate]
		}
	}
	return name, n, all
}

// boundTo returns how many bindings that count for a run have a policy snapshot.
func boundTo(k *subject.Subject, policy string) (n int) {
	bindings, _ := k.Case.PlacementBindings()
	for _, b := range bindings {
		if picks(b) && b.PolicyName == policy {
			n++
		}
	}
	return n
}

// keptPolicy selects the policy snapshot that is to be the latest, and says why: that
// of the bindings, since a new run waits until every binding has the latest; the newest
// of theirs, when the scheduler has moved only some; else the newest of those offered.
func keptPolicy(k *subject.Subject, offered []*placement.SchedulingPolicySnapshot) (kept *placement.SchedulingPolicySnapshot, why engine.Text) {
	_, _, all := carried(k)
	for _, p := range offered { // the newest first
		switch n := boundTo(k, p.Name); n {
		case 0:
		case all:
			return p, engine.Textf("used by %s", engine.Count(n, "binding"))
		default:
			return p, engine.Textf("the newest, used by %d of %s", n, engine.Count(all, "binding"))
		}
	}
	return offered[0], engine.Lit("the newest")
}

// waitForScheduler is the step after a label was moved to a policy snapshot that not
// every binding has; empty when every binding has it.
func waitForScheduler(k *subject.Subject, kept *placement.SchedulingPolicySnapshot) []engine.Text {
	if _, _, all := carried(k); all == 0 || boundTo(k, kept.Name) == all {
		return nil
	}
	return []engine.Text{engine.Textf("Wait until spec.schedulingPolicySnapshotName of every binding is %s: the scheduler sets it. Until then a new run stays PENDING.", kept.Name)}
}

// latestPolicy is the present of the causes that lie in the labels of the
// scheduling policy snapshots.
func latestPolicy(k *subject.Subject) Outcome {
	latest, all, read := k.Case.Nearby.LatestPolicies()
	evidence := append(policyEvidence(k), PlacementEvidence(k)...)
	evidence = append(evidence, carriedEvidence(k)...)
	var out Outcome
	switch {
	case !read:
	case len(latest) == 1:
		name, n, bound := carried(k)
		if moved := boundTo(k, latest[0].Name); moved > 0 && moved < bound {
			return moving(k, latest[0], moved, bound, evidence)
		}
		if bound > 0 && name != latest[0].Name {
			return otherPolicy(k, latest[0], name, n, bound, all, evidence)
		}
		return afterRepair(k, engine.Textf("Policy snapshot %s is the only one labelled latest now", latest[0].Name), evidence...)
	case len(latest) > 1:
		kept, why := keptPolicy(k, latest)
		var others []*placement.SchedulingPolicySnapshot
		for _, p := range latest {
			if p != kept {
				others = append(others, p)
				out.Commands = append(out.Commands, subject.LabelLatest(k, p.Name, false))
			}
		}
		out.Steps = []engine.Text{engine.Textf("Keep the label %s=true on %s (%s), and set it to false on %s.", placement.LabelIsLatestSnapshot, kept.Name, why, policyNames(others))}
		out.Steps = append(append(out.Steps, waitForScheduler(k, kept)...), engine.Lit("Then create a new run ({clone})."))
	case len(all) > 0:
		kept, why := keptPolicy(k, all)
		out.Commands = append(out.Commands, subject.LabelLatest(k, kept.Name, true))
		out.Steps = []engine.Text{engine.Textf("Set the label %s=true on policy snapshot %s (%s).", placement.LabelIsLatestSnapshot, kept.Name, why)}
		out.Steps = append(append(out.Steps, waitForScheduler(k, kept)...), engine.Lit("Then create a new run ({clone})."))
	default:
		out = then(engine.Lit("Wait until the hub agent has created a policy snapshot, then create a new run ({clone}). None exists: look at the placement ({placement}), and read the log of the hub agent ({logs})."))
		if name, _, bound := carried(k); bound > 0 {
			out = then(
				engine.Textf("Wait until the hub agent has created a policy snapshot again, then create a new run ({clone}): %s, which the bindings have, was deleted.", name),
				engine.Lit("If none appears within a minute, look at the placement ({placement}), and read the log of the hub agent ({logs})."),
			)
		}
	}
	out.Evidence = evidence
	return out
}

// moving is the present of a single latest policy snapshot that some bindings have: the
// scheduler moves the others. Moving the label back would move the bindings back.
func moving(k *subject.Subject, latest *placement.SchedulingPolicySnapshot, moved, bound int, evidence []engine.Evidence) Outcome {
	return Outcome{Evidence: evidence, Steps: []engine.Text{
		engine.Textf("Wait until spec.schedulingPolicySnapshotName of every binding is %s, the latest: %d of %s have it. Then create a new run ({clone}).", latest.Name, moved, engine.Count(bound, "binding")),
		engine.Lit("If this does not change within a minute, check that the scheduler is running: read the log of the hub agent ({logs}). Leave the labels as they are."),
	}}
}

// otherPolicy is the present of a single latest policy snapshot that the bindings do
// not have.
func otherPolicy(k *subject.Subject, latest *placement.SchedulingPolicySnapshot, name string, n, bound int, all []*placement.SchedulingPolicySnapshot, evidence []engine.Evidence) Outcome {
	out := Outcome{Evidence: evidence, Steps: []engine.Text{engine.Textf("Do not create a new run yet: policy snapshot %s is labelled latest, and %d of %s have %s. A new run would stay PENDING.", latest.Name, n, engine.Count(bound, "binding"), name)}}
	for _, p := range all {
		if p.Name == name {
			out.Steps = append(out.Steps, engine.Textf("If this does not change within a minute, set the label %s to true on %s and to false on %s. Then create a new run ({clone}).", placement.LabelIsLatestSnapshot, name, latest.Name))
			out.Commands = []engine.Text{subject.LabelLatest(k, p.Name, true), subject.LabelLatest(k, latest.Name, false)}
			return out
		}
	}
	out.Steps = append(out.Steps, engine.Textf("Check that the scheduler is running: it sets spec.schedulingPolicySnapshotName of each binding to %s. Then create a new run ({clone}).", latest.Name))
	return out
}

// carriedEvidence shows which policy snapshot the bindings have.
func carriedEvidence(k *subject.Subject) []engine.Evidence {
	name, n, all := carried(k)
	if all == 0 {
		return nil
	}
	return []engine.Evidence{subject.Field(engine.Textf("bindings of %s", k.View.Placement.Title()), engine.Lit("spec.schedulingPolicySnapshotName"), engine.Textf("%s on %d of %d", name, n, all))}
}

// damagedPolicy is the present of a scheduling policy snapshot without its
// index or its cluster count.
func damagedPolicy(k *subject.Subject) Outcome {
	latest, _, read := k.Case.Nearby.LatestPolicies()
	evidence := PlacementEvidence(k)
	if !read || len(latest) != 1 {
		p := latestPolicy(k)
		if len(latest) == 1 || !read {
			p.Steps = nil
		}
		return p
	}
	p := latest[0]
	index, hasIndex := p.Labels[placement.LabelPolicyIndex]
	count, hasCount := p.Annotations[placement.AnnotationNumberOfClusters]
	_, err := strconv.Atoi(count)
	of := policyObject(k, p.Name)
	evidence = append(evidence,
		subject.Field(of, engine.Textf("metadata.labels[%s]", placement.LabelPolicyIndex), subject.OrAbsent(index, hasIndex)),
		subject.Field(of, engine.Textf("metadata.annotations[%s]", placement.AnnotationNumberOfClusters), subject.OrAbsent(count, hasCount)))
	// A policy that picks all clusters has no count.
	if hasIndex && (err == nil || !hasCount) {
		return afterRepair(k, engine.Textf("Policy snapshot %s has its index label (%s) and a valid cluster count now", p.Name, index), evidence...)
	}
	out := then(engine.Textf("Restore the label and the annotation on policy snapshot %s, or change the placement's policy so that a new snapshot is created. Then create a new run ({clone}).", p.Name))
	out.Evidence = evidence
	return out
}

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
	evidence = append([]engine.Evidence{subject.Condition(policyObject(k, p.Name), placement.PlacementScheduled, f)}, evidence...)
	if f.Truth == engine.TruthYes && f.At(p.Generation) {
		return afterRepair(k, engine.Textf("Policy snapshot %s has been fully scheduled since %s", p.Name, k.Case.Clock(f.Since)), evidence...)
	}
	out := then(engine.Textf("%s; then create a new run ({clone}). Current state: %s.", schedule(p), unscheduledClause(k, p)),
		engine.Lit("Read status.targetClusters of the policy snapshot: it gives the reason for each cluster that was not picked."))
	if f.Truth == engine.TruthYes || f.Truth == engine.TruthAbsent {
		out.Steps[0] = engine.Textf("Wait until the scheduler has processed the policy snapshot, then create a new run ({clone}). Current state: %s.", unscheduledClause(k, p))
	}
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
			engine.Textf("Join or label enough clusters, or change the placement's policy; then create a new run ({clone}). The placement has not been scheduled since %s (%s).", k.Case.Clock(f.Since), f.Reason),
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
		return engine.Lit("Join or label enough clusters, or change the placement's policy")
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
			if picks(b) {
				n++
			}
		}
	}
	want, counted := strconv.Atoi(k.Named["want"])
	unbound := unboundSteps(k) // the policy may pick clusters whose bindings are gone
	if p != nil && n > 0 && (counted != nil && unbound == nil || counted == nil && n == want) {
		if _, f := subject.Scheduled(p.ID.Kind(), p.Conditions); f.Truth != engine.TruthUnknown && f.Truth != engine.TruthAbsent || counted == nil {
			return afterRepair(k, engine.Textf("Placement %s picks %s now", p.ID.Name(), engine.Count(n, "cluster")), evidence...)
		}
	}
	if unbound != nil {
		return Outcome{Steps: unbound, Evidence: evidence}
	}
	if latest, _, _ := k.Case.Nearby.LatestPolicies(); n == 0 && counted != nil && len(latest) == 1 {
		out := then(engine.Textf("%s, then create a new run ({clone}).", pick(k, latest[0])))
		if says := stagesMatch(k); !says.IsZero() {
			out.Steps = append(out.Steps, says)
		}
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
		if other := bound[b.Cluster]; other == nil || picks(b) {
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
	for _, name := range wanted {
		switch b := bound[name]; {
		case b == nil && reasons[name] != "":
			absent = append(absent, engine.Textf("%s (%s)", name, reasons[name]))
		case b == nil:
			absent = append(absent, engine.Clean(name))
		case !b.Deleting.IsZero():
			absent = append(absent, engine.Textf("%s (its binding is being deleted)", name))
		case !picks(b):
			absent = append(absent, engine.Textf("%s (its binding is %s)", name, b.State))
		}
	}
	for _, b := range bindings {
		if picks(b) && !picked[b.Cluster] {
			extra = append(extra, engine.Clean(b.Cluster))
		}
	}
	last := engine.Lit("The scheduler in the hub agent creates and deletes bindings: read its log ({logs}). Create a new run ({clone}) when the bindings are right.")
	switch {
	case len(absent) > 0:
		return []engine.Text{engine.Textf("Check why there is no binding for %s, although the policy (snapshot %s) requires %s.", engine.Enumerate(absent, namesShown), latest[0].Name, subject.Agree(len(absent), "it", "them")), last}
	case len(extra) > 0:
		return []engine.Text{engine.Textf("Check why a binding exists for %s, although policy snapshot %s does not pick %s.", engine.Enumerate(extra, namesShown), latest[0].Name, subject.Agree(len(extra), "it", "them")), last}
	}
	return nil
}
