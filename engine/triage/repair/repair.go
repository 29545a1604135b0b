// Package repair compares recorded causes with the objects of now: what somebody has
// repaired since changes the next steps and the recovery of a diagnosis.
package repair

import (
	"regexp"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/triage/catalogue"
	"github.com/stagewatch/stagewatch/engine/triage/subject"
	"github.com/stagewatch/stagewatch/engine/world"
)

// Outcome is what holds now of a cause that the controller recorded earlier:
// somebody may have repaired it since.
type Outcome struct {
	// Steps replace those of the entry; nil keeps them.
	Steps []engine.Text
	// Evidence is added to that of the diagnosis.
	Evidence []engine.Evidence
	// Commands come before those of the entry.
	Commands []engine.Text
	// Repaired means that the cause is gone and a new run is all that is left
	// to do.
	Repaired bool
	// RecoveryText, with the value recovery, replaces that of the entry; zero keeps it.
	RecoveryText engine.Text
	Recovery     engine.Recovery
}

// Checks are the functions of the catalogue's checks.
var Checks = [...]func(*subject.Subject) Outcome{
	catalogue.ApplyNow:         applyNow,
	catalogue.LabelNow:         labelNow,
	catalogue.AgentNow:         agentNow,
	catalogue.StayingNow:       stayingNow,
	catalogue.RemovalNow:       removalNow,
	catalogue.FailedNow:        failedNow,
	catalogue.SelectedNow:      selectedNow,
	catalogue.RestoredNow:      restoredNow,
	catalogue.StagesFit:        stagesFit,
	catalogue.SortingFit:       sortingFit,
	catalogue.StageClusters:    stageClusters,
	catalogue.KindNow:          kindNow,
	catalogue.PlacementMissing: PlacementMissing,
	catalogue.StrategyMissing:  strategyMissing,
	catalogue.ExternalNow:      externalNow,
	catalogue.PolicyNow:        policyNow,
	catalogue.ClusterPicked:    clusterPicked,
	catalogue.RequestNow:       requestNow,
	catalogue.TasksNow:         tasksNow,
	catalogue.SelectorNow:      selectorNow,
	catalogue.LatestPolicy:     latestPolicy,
	catalogue.DamagedPolicy:    damagedPolicy,
	catalogue.ScheduledNow:     scheduledNow,
	catalogue.PickedNow:        pickedNow,
	catalogue.SnapshotsNow:     snapshotsNow,
	catalogue.PartCountNow:     partCountNow,
	catalogue.SnapshotGoneNow:  snapshotGoneNow,
	catalogue.PlacementNow:     placementNow,
}

// placementNow is the present of resource selectors that are not valid: the condition may be
// about those of before a change.
func placementNow(k *subject.Subject) Outcome {
	out, p := Outcome{Evidence: PlacementEvidence(k)}, k.Case.Placement
	if p == nil {
		return out
	}
	if _, f := subject.Scheduled(p.ID.Kind(), p.Conditions); f.Truth == engine.TruthNo && !f.At(p.Generation) {
		out.Steps = []engine.Text{engine.Textf("Wait until the hub agent has checked the last change of the placement (generation %d; the condition is about generation %d). If that takes longer than a minute, check that the hub agent is running.", p.Generation, f.Generation)}
		out.Recovery, out.RecoveryText = engine.RecoveryOnHub, engine.Lit("After a fix on the hub: the hub agent has to check the changed placement.")
	}
	return out
}

// then builds steps of which the first is made for the case and the others are
// the entry's. One that labels clusters has the warning of all such steps.
func then(first engine.Text, more ...engine.Text) Outcome {
	if catalogue.LabelsCluster(first) {
		first = catalogue.WithoutNewRun([]engine.Text{first})[0]
		more = slices.Concat([]engine.Text{catalogue.LabelsAreShared.Text()}, more, []engine.Text{engine.Lit("{fixes-first}Then create a new run ({clone}).")})
	}
	return Outcome{Steps: append([]engine.Text{first}, more...)}
}

// afterRepair is the present of a cause that is gone: fixed says what was
// repaired, without a full stop. What else fails a new run comes first.
func afterRepair(k *subject.Subject, fixed engine.Text, evidence ...engine.Evidence) Outcome {
	if o := Blocked(k, ""); !o.IsZero() {
		p := then(engine.Textf("%s. %s", fixed, subject.BeforeNewRun(o)))
		p.Evidence = evidence
		return p
	}
	p := then(engine.Textf("%s: create a new run ({clone}).", fixed))
	p.Evidence, p.Repaired = evidence, true
	return p
}

// existence is Evidence of an object that exists.
func existence(k *subject.Subject, p *world.Placement) engine.Evidence {
	return engine.Evidence{Object: subject.Object(p.ID), Field: engine.Lit("metadata.creationTimestamp"), Value: engine.Lit("exists now"), Since: p.Created}
}

// PlacementEvidence shows the placement as it is now.
func PlacementEvidence(k *subject.Subject) []engine.Evidence {
	p := k.Case.Placement
	if p == nil {
		if k.Case.NoPlacement {
			return []engine.Evidence{subject.Field(subject.Object(k.View.Placement), engine.Lit("metadata.name"), engine.Lit("no such placement now"))}
		}
		return nil
	}
	typ := engine.Lit("RollingUpdate or none, so not External")
	if p.External {
		typ = engine.Lit("External")
	}
	out := []engine.Evidence{existence(k, p), subject.Field(subject.Object(p.ID), engine.Lit("spec.strategy.type"), typ)}
	if name, f := subject.Scheduled(p.ID.Kind(), p.Conditions); f.Truth != engine.TruthAbsent {
		out = append(out, subject.Condition(subject.Object(p.ID), name, f))
	}
	return out
}

// externalNow is the present of a placement that was not External.
func externalNow(k *subject.Subject) Outcome {
	p := k.Case.Placement
	evidence := PlacementEvidence(k)
	switch {
	case p != nil && p.External:
		return afterRepair(k, engine.Textf("The strategy type of placement %s is External now", p.ID.Name()), evidence...)
	case p == nil && k.Case.NoPlacement:
		return PlacementMissing(k)
	}
	return Outcome{Evidence: evidence}
}

// policyNow is the present of a policy or a cluster count that was changed
// while the run was in progress.
func policyNow(k *subject.Subject) Outcome {
	evidence := append(subject.PolicyEvidence(k), PlacementEvidence(k)...)
	latest, _, read := k.Case.Nearby.LatestPolicies()
	if !read || len(latest) != 1 {
		return Outcome{Evidence: evidence}
	}
	fixed := engine.Textf("Policy snapshot %s is the latest now", latest[0].Name)
	if n, ok := latest[0].Annotations[placement.AnnotationNumberOfClusters]; ok {
		fixed = engine.Textf("%s (%s)", fixed, catalogue.Counted(n))
	}
	p := afterRepair(k, fixed, evidence...)
	p.Steps = append(p.Steps, engine.Lit("Do not change the placement while a run is in progress."))
	return p
}

// clusterPicked is the present of a cluster that the placement no longer
// picked.
func clusterPicked(k *subject.Subject) Outcome {
	name := k.Named["cluster"]
	if name == "" && k.Cluster != nil {
		name = k.Cluster.Name
	}
	bindings, known := k.Case.PlacementBindings()
	for _, b := range bindings {
		if b.Cluster == name && subject.Picks(b) {
			return afterRepair(k, engine.Textf("The placement picks cluster %s again", name), subject.Field(subject.Object(b.ID), engine.Lit("spec.state"), engine.Clean(b.State)))
		}
	}
	if !known {
		return Outcome{}
	}
	evidence := subject.Field(subject.Object(k.View.Placement), engine.Lit("bindings"), engine.Textf("none that picks cluster %s now", name))
	out := Outcome{Evidence: []engine.Evidence{evidence}}
	again, commands := pickAgain(k, name)
	out.Commands = commands
	switch m, known := k.Case.Member(name); {
	case m == nil && known:
		return afterRepair(k, engine.Textf("Cluster %s is no longer a member of the fleet", name), evidence)
	case m != nil && !m.Deleting.IsZero():
		again = engine.Textf("{undoes}Member %s is being deleted (requested at %s), which cannot be undone. To keep the cluster, join it again under the same name after the deletion.", name, k.Case.Clock(m.Deleting))
		out.Evidence = append(out.Evidence, engine.Evidence{Object: subject.Object(m.ID), Field: engine.Lit("metadata.deletionTimestamp"), Value: engine.Lit("set"), Since: m.Deleting})
	}
	if latest, _, _ := k.Case.Nearby.LatestPolicies(); len(latest) == 1 && policyChanged(k, latest[0]) != nil { // it may pick the cluster again
		out.Steps = policyChanged(k, latest[0])
		return out
	}
	if o := Blocked(k, ""); !o.IsZero() {
		out.Steps = []engine.Text{subject.BeforeNewRun(o), again}
		return out
	}
	out.Steps = []engine.Text{engine.Textf("Create a new run ({clone}): it leaves out cluster %s, which the placement does not pick now.", name), again}
	return out
}

// requestNow is the present of an approval request that belonged to another
// run.
func requestNow(k *subject.Subject) Outcome {
	name := subject.LastOf(k.Named["request"])
	request, known := k.Case.Request(name)
	switch {
	case request == nil && known:
		return afterRepair(k, engine.Textf("Approval request %s no longer exists", name))
	case request != nil:
		of := engine.Textf("%s %s", k.Plural("ClusterApprovalRequest", "ApprovalRequest"), name)
		return Outcome{Evidence: []engine.Evidence{subject.Field(of, engine.Lit("spec.parentStageRollout"), engine.Clean(request.Spec.ParentStageRollout))}}
	}
	return Outcome{}
}

// tasksNow is the present of stage tasks that were not valid: whether the
// strategy's tasks are the ones that the run recorded.
func tasksNow(k *subject.Subject) Outcome {
	for _, s := range stagesOf(k) {
		if s.Name == k.Named["stage"] && validTasks(s.BeforeStageTasks, true) && validTasks(s.AfterStageTasks, false) {
			return afterRepair(k, engine.Textf("The tasks of stage %s are valid in strategy %s now", s.Name, subject.StrategyOf(k)))
		}
	}
	return stageGone(k)
}

// stageGone is the present of a stage that the strategy does not have any more,
// or that is as it was.
func stageGone(k *subject.Subject) Outcome {
	stages, name := stagesOf(k), k.Named["stage"]
	if stages == nil {
		return Outcome{}
	}
	if !slices.ContainsFunc(stages, func(s placement.StageConfig) bool { return s.Name == name }) {
		return afterRepair(k, engine.Textf("Strategy %s has no stage %s now", subject.StrategyOf(k), name))
	}
	return Outcome{Evidence: []engine.Evidence{subject.Field(k.Strategy(subject.StrategyOf(k)), engine.Textf("spec.stages[%s]", name), engine.Lit("still not valid"))}}
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
func selectorNow(k *subject.Subject) Outcome {
	for _, s := range stagesOf(k) {
		if s.Name != k.Named["stage"] {
			continue
		}
		if _, err := metav1.LabelSelectorAsSelector(s.LabelSelector); err == nil {
			return afterRepair(k, engine.Textf("The label selector of stage %s is valid in strategy %s now", s.Name, subject.StrategyOf(k)))
		}
	}
	return stageGone(k)
}

// noKind is what the agent says of a manifest whose kind the member does not serve.
var noKind = regexp.MustCompile(`(?i)no matches for kind|could not find the requested resource|no kind .* is registered|unable to recognize`)

// kindNow is the present of a manifest that cannot be decoded: when the member does
// not serve its kind, the manifest may be right.
func kindNow(k *subject.Subject) Outcome {
	if k.Manifest == nil || !noKind.MatchString(k.Manifest.Condition.Message) {
		return Outcome{}
	}
	p := Outcome{Steps: KindSteps(k, k.Manifest.Group, k.Manifest.Version, k.Manifest.Kind)}
	if show := subject.CommandLines[catalogue.ShowKindOnMember](k); !show.IsZero() {
		p.Commands = []engine.Text{show} // the steps point to the first one
	}
	p.Recovery, p.RecoveryText = engine.RecoveryOnMember, engine.Textf("After a fix on the member: its API server has to serve the kind. A wrong manifest needs a new run: this one keeps snapshot %s.", engine.OrUnknown(k.View.Index))
	return p
}

// KindSteps are the steps for a kind that a member does not serve.
func KindSteps(k *subject.Subject, group, version, kind string) []engine.Text {
	member := engine.Lit("the member")
	if k.Cluster != nil {
		member = engine.Clean(k.Cluster.Name)
	}
	if group == "" {
		return []engine.Text{engine.Textf("{fixes-first}Correct the manifest: %s is not a kind of version %s of the core group. Then create a new run ({clone}).", kind, version)}
	}
	return []engine.Text{
		engine.Textf("{fixes-first}Install the CRD of kind %s (group %s, version %s) on %s. Or add the CRD to the placement, then create a new run ({clone}).", kind, group, version, member),
		engine.Textf("Check that %s lists kind %s ({diagnose:run the first command}). The member's agent retries, and this run then continues.", member, kind),
		engine.Lit("{fixes-first}If the kind, its group or its version is wrong, fix the manifest on the hub, then create a new run ({clone})."),
	}
}
