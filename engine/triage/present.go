package triage

import (
	"regexp"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
)

// present is what holds now of a cause that the controller recorded earlier:
// somebody may have repaired it since.
type present struct {
	// steps replace those of the entry; nil keeps them.
	steps []engine.Text
	// evidence is added to that of the diagnosis.
	evidence []engine.Evidence
	// repaired means that the cause is gone and a new run is all that is left
	// to do.
	repaired bool
	// recoveryText, with the value recovery, replaces that of the entry; zero keeps it.
	recoveryText engine.Text
	recovery     engine.Healing
}

// checks are what the checks of the catalogue find.
var checks = map[check]func(*kit) present{
	cApplyNow:         applyNow,
	cLabelNow:         labelNow,
	cAgentNow:         agentNow,
	cStayingNow:       stayingNow,
	cRemovalNow:       removalNow,
	cFailedNow:        failedNow,
	cSelectedNow:      selectedNow,
	cAnewNow:          anewNow,
	cStagesFit:        stagesFit,
	cSortingFit:       sortingFit,
	cStageClusters:    stageClusters,
	cKindNow:          kindNow,
	cPlacementMissing: placementMissing,
	cStrategyMissing:  strategyMissing,
	cExternalNow:      externalNow,
	cPolicyNow:        policyNow,
	cClusterPicked:    clusterPicked,
	cRequestNow:       requestNow,
	cTasksNow:         tasksNow,
	cSelectorNow:      selectorNow,
	cLatestPolicy:     latestPolicy,
	cDamagedPolicy:    damagedPolicy,
	cScheduledNow:     scheduledNow,
	cPickedNow:        pickedNow,
	cSnapshotsNow:     snapshotsNow,
	cSnapshotGoneNow:  snapshotGoneNow,
	cPlacementNow:     placementNow,
}

func placementNow(k *kit) present { return present{evidence: placementEvidence(k)} }

// then builds steps of which the first is made for the case and the others are
// the entry's.
func then(first engine.Text, more ...engine.Text) present {
	return present{steps: append([]engine.Text{first}, more...)}
}

// afterRepair is the present of a cause that is gone: fixed says what was
// repaired, without a full stop. What else fails a new run comes first.
func afterRepair(k *kit, fixed engine.Text, evidence ...engine.Evidence) present {
	if o := obstacleOf(k); !o.IsZero() {
		p := then(engine.Textf("%s. Before you create a new run (C), fix this: %s.", fixed, o))
		p.evidence = evidence
		return p
	}
	p := then(engine.Textf("%s: create a new run (C).", fixed))
	p.evidence, p.repaired = evidence, true
	return p
}

// obstacleOf is a clause about what fails the initialization of a new run now,
// whatever failed this one; empty when nothing does, as far as it is known.
func obstacleOf(k *kit) engine.Text {
	c := k.c
	p := c.Placement
	switch {
	case p == nil && c.NoPlacement:
		return engine.Textf("placement %s does not exist", k.v.Placement.Name())
	case p != nil && !p.External:
		return engine.Textf("the strategy type of placement %s is not External", p.ID.Name())
	}
	if p != nil {
		if _, f := scheduled(p.ID.Kind(), p.Conditions); f.Truth == engine.TruthNo {
			return engine.Textf("placement %s is not fully scheduled (%s)", p.ID.Name(), f.Reason)
		}
	}
	if latest, _, read := c.Nearby.LatestPolicies(); read && len(latest) > 1 {
		return engine.Textf("%d scheduling policy snapshots are labelled latest", len(latest))
	}
	if name := strategyOf(k); name != "" {
		if s, read := c.Nearby.Strategy(name); read && s == nil {
			return engine.Textf("strategy %s does not exist", name)
		}
	}
	if bad := misfitsOf(k); len(bad) > 0 {
		return bad[0].says
	}
	if bad := unsortableMembers(k); len(bad) > 0 {
		return engine.Textf("label %s of cluster %s is not a number", bad[0].key, bad[0].cluster)
	}
	return engine.Text{}
}

func strategyOf(k *kit) string {
	if k.c.Run == nil {
		return ""
	}
	return k.c.Run.Spec.StagedRolloutStrategyName
}

// existence is Evidence of an object that exists.
func existence(k *kit, p *engine.Placement) engine.Evidence {
	return engine.Evidence{Object: object(p.ID), Field: engine.Lit("metadata.creationTimestamp"), Value: engine.Lit("exists now"), Since: p.Created}
}

// placementEvidence shows the placement as it is now.
func placementEvidence(k *kit) []engine.Evidence {
	p := k.c.Placement
	if p == nil {
		if k.c.NoPlacement {
			return []engine.Evidence{field(object(k.v.Placement), engine.Lit("metadata.name"), engine.Lit("no such placement now"))}
		}
		return nil
	}
	typ := engine.Lit("RollingUpdate or none, so not External")
	if p.External {
		typ = engine.Lit("External")
	}
	out := []engine.Evidence{existence(k, p), field(object(p.ID), engine.Lit("spec.strategy.type"), typ)}
	if name, f := scheduled(p.ID.Kind(), p.Conditions); f.Truth != engine.TruthAbsent {
		out = append(out, condition(object(p.ID), name, f))
	}
	return out
}

// externalNow is the present of a placement that was not External.
func externalNow(k *kit) present {
	p := k.c.Placement
	evidence := placementEvidence(k)
	switch {
	case p != nil && p.External:
		return afterRepair(k, engine.Textf("The strategy type of placement %s is External now", p.ID.Name()), evidence...)
	case p == nil && k.c.NoPlacement:
		return placementMissing(k)
	}
	return present{evidence: evidence}
}

// policyNow is the present of a policy or a cluster count that was changed
// while the run was in progress.
func policyNow(k *kit) present {
	evidence := append(policyEvidence(k), placementEvidence(k)...)
	latest, _, read := k.c.Nearby.LatestPolicies()
	if !read || len(latest) != 1 {
		return present{evidence: evidence}
	}
	fixed := engine.Textf("Policy snapshot %s is the latest now", latest[0].Name)
	if n, ok := latest[0].Annotations[placement.AnnotationNumberOfClusters]; ok {
		fixed = engine.Textf("%s (%s)", fixed, counted(n))
	}
	p := afterRepair(k, fixed, evidence...)
	p.steps = append(p.steps, engine.Lit("Do not change the placement while a run is in progress."))
	return p
}

// clusterPicked is the present of a cluster that the placement no longer
// picked.
func clusterPicked(k *kit) present {
	name := k.said["cluster"]
	if name == "" && k.cluster != nil {
		name = k.cluster.Name
	}
	bindings, known := k.c.PlacementBindings()
	for _, b := range bindings {
		if b.Cluster == name && picks(b) {
			return afterRepair(k, engine.Textf("The placement picks cluster %s again", name), field(object(b.ID), engine.Lit("spec.state"), engine.Clean(b.State)))
		}
	}
	if !known {
		return present{}
	}
	evidence := field(object(k.v.Placement), engine.Lit("bindings"), engine.Textf("none that picks cluster %s now", name))
	out := present{evidence: []engine.Evidence{evidence}}
	if _, known := k.c.Member(name); known {
		if m, _ := k.c.Member(name); m == nil {
			p := afterRepair(k, engine.Textf("Cluster %s is no member of the fleet any more", name), evidence)
			return p
		}
	}
	if o := obstacleOf(k); !o.IsZero() {
		out.steps = []engine.Text{engine.Textf("Before you create a new run (C), fix this: %s.", o), pickAgain}
		return out
	}
	out.steps = []engine.Text{engine.Textf("Create a new run (C): it leaves out cluster %s, which the placement does not pick now.", name), pickAgain}
	return out
}

// requestNow is the present of an approval request that belonged to another
// run.
func requestNow(k *kit) present {
	name := lastOf(k.said["request"])
	request, known := k.c.Request(name)
	switch {
	case request == nil && known:
		return afterRepair(k, engine.Textf("Approval request %s does not exist any more", name))
	case request != nil:
		of := engine.Textf("%s %s", k.plural("ClusterApprovalRequest", "ApprovalRequest"), name)
		return present{evidence: []engine.Evidence{field(of, engine.Lit("spec.parentStageRollout"), engine.Clean(request.Spec.ParentStageRollout))}}
	}
	return present{}
}

// tasksNow is the present of stage tasks that were not valid: whether the
// strategy's tasks are the ones that the run recorded.
func tasksNow(k *kit) present {
	for _, s := range stagesOf(k) {
		if s.Name == k.said["stage"] && validTasks(s.BeforeStageTasks, true) && validTasks(s.AfterStageTasks, false) {
			return afterRepair(k, engine.Textf("The tasks of stage %s are valid in strategy %s now", s.Name, strategyOf(k)))
		}
	}
	return stageGone(k)
}

// stageGone is the present of a stage that the strategy does not have any more,
// or that is as it was.
func stageGone(k *kit) present {
	stages, name := stagesOf(k), k.said["stage"]
	if stages == nil {
		return present{}
	}
	if !slices.ContainsFunc(stages, func(s placement.StageConfig) bool { return s.Name == name }) {
		return afterRepair(k, engine.Textf("Strategy %s has no stage %s now", strategyOf(k), name))
	}
	return present{evidence: []engine.Evidence{field(strategyObject(k, strategyOf(k)), engine.Textf("spec.stages[%s]", name), engine.Lit("still not valid"))}}
}

// validTasks reports whether the controller accepts the tasks on one side of a
// stage (checkBeforeStageTasks and checkAfterStageTasks in its initialization).
func validTasks(tasks []placement.StageTask, before bool) bool {
	seen := map[placement.TaskType]bool{}
	for i := range tasks {
		t := &tasks[i]
		if seen[t.Type] || before && (t.Type != placement.TaskApproval || t.WaitTime != nil) {
			return false
		}
		if t.Type == placement.TaskTimedWait && (t.WaitTime == nil || t.WaitTime.Duration <= 0) {
			return false
		}
		seen[t.Type] = true
	}
	return true
}

// selectorNow is the present of a label selector that was not valid.
func selectorNow(k *kit) present {
	for _, s := range stagesOf(k) {
		if s.Name != k.said["stage"] {
			continue
		}
		if _, err := metav1.LabelSelectorAsSelector(s.LabelSelector); err == nil {
			return afterRepair(k, engine.Textf("The label selector of stage %s is valid in strategy %s now", s.Name, strategyOf(k)))
		}
	}
	return stageGone(k)
}

// noKind is what the agent says of a manifest whose kind the member does not serve.
var noKind = regexp.MustCompile(`(?i)no matches for kind`)

// kindNow is the present of a manifest that cannot be decoded: when the member does
// not serve its kind, the manifest may be right.
func kindNow(k *kit) present {
	if k.manifest == nil || !noKind.MatchString(k.manifest.Condition.Message) {
		return present{}
	}
	p := then(
		engine.Textf("Install the CRD of kind %s on the member, or place it first: this run then continues.", k.manifest.Kind),
		engine.Lit("If the kind or its version is wrong, fix the manifest on the hub, then create a new run (C)."),
	)
	p.recovery, p.recoveryText = engine.HealMember, engine.Textf("After a fix on the member: its API server has to serve the kind. A wrong manifest needs a new run: this one keeps snapshot %s.", engine.OrUnknown(k.v.Index))
	return p
}
