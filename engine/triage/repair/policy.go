package repair

import (
	"strconv"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/triage/subject"
)

// keptPolicy selects the policy snapshot that is to be the latest, and says why: one that
// has the policy of the placement, where others have not; that of the bindings, since a new
// run waits until every binding has the latest; the newest of theirs, when the scheduler has
// moved only some; else the newest of those offered.
func keptPolicy(k *subject.Subject, offered []*placement.SchedulingPolicySnapshot) (kept *placement.SchedulingPolicySnapshot, why engine.Text) {
	if present := withPresentPolicy(k, offered); len(present) > 0 && len(present) < len(offered) {
		kept, why = keptPolicy(k, present)
		return kept, engine.Textf("it has the current policy of placement %s; %s", k.View.Placement.Name(), why)
	}
	_, _, all := subject.Carried(k)
	for _, p := range offered { // the newest first
		switch n := subject.BoundTo(k, p.Name); n {
		case 0:
		case all:
			return p, engine.Textf("used by %s", engine.Count(n, "binding"))
		default:
			return p, engine.Textf("the newest, used by %d of %s", n, engine.Count(all, "binding"))
		}
	}
	return offered[0], engine.Lit("the newest")
}

// withPresentPolicy returns the policy snapshots that were made from the present policy of
// the placement; none when that is not read. The number of clusters is an annotation of a
// snapshot.
func withPresentPolicy(k *subject.Subject, all []*placement.SchedulingPolicySnapshot) (out []*placement.SchedulingPolicySnapshot) {
	n := k.Case.Nearby
	if n == nil || !n.PlacementRead {
		return nil
	}
	for _, p := range all {
		if n.Policy.SelectsAs(p.Spec.Policy) {
			out = append(out, p)
		}
	}
	return out
}

// policyChanged are the steps when the policy of the placement was changed since its latest policy
// snapshot was made: what that says is out of date. Nil when it was not, or is not read.
func policyChanged(k *subject.Subject, latest *placement.SchedulingPolicySnapshot) []engine.Text {
	if n := k.Case.Nearby; n == nil || !n.PlacementRead || len(withPresentPolicy(k, []*placement.SchedulingPolicySnapshot{latest})) > 0 {
		return nil
	}
	return []engine.Text{
		engine.Textf("{fixes-first}Wait until the hub agent has created a policy snapshot of the placement's current policy, then create a new run ({clone}): spec.policy was changed after policy snapshot %s.", latest.Name),
		engine.Lit("If none appears within a minute, read the controller's log ({logs})."),
	}
}

// waitForScheduler is the step after a label was moved to a policy snapshot that not
// every binding has; empty when every binding has it.
func waitForScheduler(k *subject.Subject, kept *placement.SchedulingPolicySnapshot) []engine.Text {
	if _, _, all := subject.Carried(k); all == 0 || subject.BoundTo(k, kept.Name) == all {
		return nil
	}
	return []engine.Text{engine.Textf("Wait until spec.schedulingPolicySnapshotName of every binding is %s: the scheduler sets it. Until then a new run stays PENDING.", kept.Name)}
}

// latestPolicy is the present of the causes that lie in the labels of the
// scheduling policy snapshots.
func latestPolicy(k *subject.Subject) Outcome {
	latest, all, read := k.Case.Nearby.LatestPolicies()
	evidence := append(subject.PolicyEvidence(k), PlacementEvidence(k)...)
	evidence = append(evidence, subject.CarriedEvidence(k)...)
	var out Outcome
	switch {
	case !read:
	case len(latest) == 1:
		name, n, bound := subject.Carried(k)
		if moved := subject.BoundTo(k, latest[0].Name); moved > 0 && moved < bound {
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
		out.Steps = []engine.Text{engine.Textf("Keep the label %s=true on %s (%s), and set it to false on %s.", placement.LabelIsLatestSnapshot, kept.Name, why, subject.PolicyNames(others))}
		out.Steps = append(append(out.Steps, waitForScheduler(k, kept)...), engine.Lit("{fixes-first}Then create a new run ({clone})."))
	case len(all) > 0:
		kept, why := keptPolicy(k, all)
		out.Commands = append(out.Commands, subject.LabelLatest(k, kept.Name, true))
		out.Steps = []engine.Text{engine.Textf("Set the label %s=true on policy snapshot %s (%s).", placement.LabelIsLatestSnapshot, kept.Name, why)}
		out.Steps = append(append(out.Steps, waitForScheduler(k, kept)...), engine.Lit("{fixes-first}Then create a new run ({clone})."))
	default:
		out = then(engine.Lit("{fixes-first}Wait until the hub agent has created a policy snapshot, then create a new run ({clone}). None exists: look at the placement ({placement}), and read the controller's log ({logs})."))
		if name, _, bound := subject.Carried(k); bound > 0 {
			out = then(
				engine.Textf("{fixes-first}Wait until the hub agent has created another policy snapshot, then create a new run ({clone}): the bindings reference %s, which was deleted.", name),
				engine.Lit("If none appears within a minute, look at the placement ({placement}), and read the controller's log ({logs})."),
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
		engine.Textf("{fixes-first}Wait until spec.schedulingPolicySnapshotName of every binding is %s, the latest: %d of %s have it. Then create a new run ({clone}).", latest.Name, moved, engine.Count(bound, "binding")),
		engine.Lit("If this does not change within a minute, check that the scheduler is running: read the controller's log ({logs}). Leave the labels as they are."),
	}}
}

// otherPolicy is the present of a single latest policy snapshot that the bindings do
// not have.
func otherPolicy(k *subject.Subject, latest *placement.SchedulingPolicySnapshot, name string, n, bound int, all []*placement.SchedulingPolicySnapshot, evidence []engine.Evidence) Outcome {
	out := Outcome{Evidence: evidence, Steps: []engine.Text{engine.Textf("Do not create a new run yet: policy snapshot %s is labelled latest, and %d of %s have %s. A new run would stay PENDING.", latest.Name, n, engine.Count(bound, "binding"), name)}}
	for _, p := range all {
		if p.Name == name {
			out.Steps = append(out.Steps, engine.Textf("{fixes-first}If this does not change within a minute, set the label %s to true on %s and to false on %s, one right after the other: a PENDING run of the placement fails if it is checked in between. Then create a new run ({clone}).", placement.LabelIsLatestSnapshot, name, latest.Name))
			out.Commands = []engine.Text{subject.LabelLatest(k, p.Name, true), subject.LabelLatest(k, latest.Name, false)}
			return out
		}
	}
	out.Steps = append(out.Steps, engine.Textf("{fixes-first}Check that the scheduler is running: it sets spec.schedulingPolicySnapshotName of each binding to %s. Then create a new run ({clone}).", latest.Name))
	return out
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
	of := subject.PolicyObject(k, p.Name)
	evidence = append(evidence,
		subject.Field(of, engine.Textf("metadata.labels[%s]", placement.LabelPolicyIndex), subject.OrAbsent(index, hasIndex)),
		subject.Field(of, engine.Textf("metadata.annotations[%s]", placement.AnnotationNumberOfClusters), subject.OrAbsent(count, hasCount)))
	lacks := lacksOf(p)
	if len(lacks) == 0 {
		return afterRepair(k, engine.Textf("Policy snapshot %s has its index label (%s) and a valid cluster count now", p.Name, index), evidence...)
	}
	out := then(engine.Textf("{fixes-first}Restore %s on policy snapshot %s, or change the placement's policy so that a new snapshot is created. Then create a new run ({clone}).", engine.Join(lacks, " and "), p.Name))
	out.Evidence = evidence
	return out
}

// lacksOf lists what a policy snapshot needs and has not. Only a policy that picks a number of
// clusters needs a count.
func lacksOf(p *placement.SchedulingPolicySnapshot) (lacks []engine.Text) {
	if _, has := p.Labels[placement.LabelPolicyIndex]; !has {
		lacks = append(lacks, engine.Textf("label %s", placement.LabelPolicyIndex))
	}
	count, has := p.Annotations[placement.AnnotationNumberOfClusters]
	if _, err := strconv.Atoi(count); has && err != nil || !has && p.Spec.Policy != nil && p.Spec.Policy.PlacementType == placement.PickN {
		lacks = append(lacks, engine.Textf("annotation %s", placement.AnnotationNumberOfClusters))
	}
	return lacks
}
