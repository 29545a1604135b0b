package repair

import (
	"strconv"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/triage/subject"
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

// latestPolicy is the present of the causes that lie in the labels of the
// scheduling policy snapshots.
func latestPolicy(k *subject.Subject) Outcome {
	latest, all, read := k.Case.Nearby.LatestPolicies()
	evidence := append(policyEvidence(k), PlacementEvidence(k)...)
	var out Outcome
	switch {
	case !read:
	case len(latest) == 1:
		return afterRepair(k, engine.Textf("Policy snapshot %s is the only one labelled latest now", latest[0].Name), evidence...)
	case len(latest) > 1:
		out = then(
			engine.Textf("Keep the label %s=true on %s, the newest, and set it to false on %s. Then create a new run (C).", placement.LabelIsLatestSnapshot, latest[0].Name, policyNames(latest[1:])),
		)
	case len(all) > 0:
		out = then(engine.Textf("Set the label %s=true on policy snapshot %s, the newest. Then create a new run (C).", placement.LabelIsLatestSnapshot, all[0].Name))
	default:
		out = then(engine.Lit("Wait until the scheduler has created a policy snapshot, then create a new run (C). None exists: look at the placement (p)."))
	}
	out.Evidence = evidence
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
	_, err := strconv.Atoi(count)
	of := policyObject(k, p.Name)
	evidence = append(evidence,
		subject.Field(of, engine.Textf("metadata.labels[%s]", placement.LabelPolicyIndex), subject.OrAbsent(index, hasIndex)),
		subject.Field(of, engine.Textf("metadata.annotations[%s]", placement.AnnotationNumberOfClusters), subject.OrAbsent(count, hasCount)))
	// A policy that picks all clusters has no count.
	if hasIndex && (err == nil || !hasCount) {
		return afterRepair(k, engine.Textf("Policy snapshot %s has its index label (%s) and a valid cluster count now", p.Name, index), evidence...)
	}
	out := then(engine.Textf("Restore the label and the annotation on policy snapshot %s, or change the placement's policy so that a new snapshot is created. Then create a new run (C).", p.Name))
	out.Evidence = evidence
	return out
}

// scheduledNow is the present of a placement that was not scheduled.
func scheduledNow(k *subject.Subject) Outcome {
	p := k.Case.Placement
	evidence := PlacementEvidence(k)
	if p == nil {
		return Outcome{Evidence: evidence}
	}
	_, f := subject.Scheduled(p.ID.Kind(), p.Conditions)
	switch f.Truth {
	case engine.TruthYes:
		return afterRepair(k, engine.Textf("Placement %s is scheduled since %s", p.ID.Name(), k.Case.Clock(f.Since)), evidence...)
	case engine.TruthNo:
		out := then(
			engine.Textf("Join or label enough clusters, or change the placement's policy; then create a new run (C). The placement is not scheduled since %s (%s).", k.Case.Clock(f.Since), f.Reason),
			engine.Lit("Read status.targetClusters of the policy snapshot: it gives the reason for each cluster that was not picked."),
		)
		out.Evidence = evidence
		return out
	}
	return Outcome{Evidence: evidence}
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
	if p != nil && n > 0 && (counted != nil || n == want) {
		if _, f := subject.Scheduled(p.ID.Kind(), p.Conditions); f.Truth != engine.TruthUnknown && f.Truth != engine.TruthAbsent || counted == nil {
			return afterRepair(k, engine.Textf("Placement %s picks %s now", p.ID.Name(), engine.Count(n, "cluster")), evidence...)
		}
	}
	return Outcome{Evidence: evidence}
}
