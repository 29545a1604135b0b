package drive

import (
	"errors"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
)

// MakePlan works out what a run will do, or would do if it were made now: for
// an imagined run, in.Run holds the spec and a name and has no status. others
// are the runs of the same scope, which may include the run itself.
//
// read answers the reads of resource selection (OpGetObject, OpListObjects),
// which only a run without an index needs; without read the index of such a run
// stays unknown. Nothing is ever written. A read that failed is no refusal: the
// controller reads for itself. It stands in the plan's Unknown.
func MakePlan(in Input, others []*placement.StagedUpdateRun, now time.Time, read func(Effect) (Answer, error)) engine.Plan {
	r := newRehearsal(&in, now)
	r.read = read
	r.out = engine.Plan{
		Run:         IDOf(r.run),
		Placement:   engine.Clean(r.run.Spec.PlacementName),
		Strategy:    engine.Clean(r.run.Spec.StagedRolloutStrategyName),
		State:       engine.Clean(string(r.run.Spec.State)),
		Initialized: initialized(r.run),
		Finished:    finished(r.run) || initFailed(r.run) || r.run.DeletionTimestamp != nil,
		Snapshot:    engine.PlanSnapshot{Newest: r.run.Spec.ResourceSnapshotIndex == ""},
	}
	r.gaps()
	switch {
	case r.out.Finished:
	case r.out.Initialized:
		r.validateAll()
	default:
		r.initializeAll()
	}
	r.describe()
	r.rivals(others)
	return r.out
}

// Remade returns the run that would try again what a failed one did: one with
// the same spec, without a name or status. It returns nil for any other run.
func Remade(run *placement.StagedUpdateRun) *placement.StagedUpdateRun {
	failed := initFailed(run) || meta.IsStatusConditionFalse(run.Status.Conditions, placement.RunSucceeded)
	if !failed || run.DeletionTimestamp != nil {
		return nil
	}
	again := &placement.StagedUpdateRun{Spec: run.Spec}
	again.Namespace, again.Spec.State = run.Namespace, placement.StateRun
	return again
}

// rehearsal is a pass that goes on after a refusal and writes nothing.
type rehearsal struct {
	*executor
	read func(Effect) (Answer, error)
	// unread are the errors of reads, which are not the controller's.
	unread []error
	out    engine.Plan
}

func newRehearsal(in *Input, now time.Time) *rehearsal {
	r := &rehearsal{}
	r.executor = newExecutor(in, DefaultTiming(), now, r.answer)
	return r
}

// gaps notes the reads behind the Input that failed.
func (r *rehearsal) gaps() {
	failed := r.in.Failed
	r.gap(engine.Lit("the placement"), failed.Placement)
	r.gap(engine.Lit("the strategy"), failed.Strategy)
	r.gap(engine.Lit("policy snapshots"), failed.PolicySnapshots)
	r.gap(engine.Lit("bindings"), failed.Bindings)
	r.gap(engine.Lit("member clusters"), failed.Members)
	r.gap(engine.Lit("resource snapshots"), failed.ResourceSnapshots)
	r.gap(engine.Lit("override snapshots"), failed.Overrides)
	r.gap(engine.Lit("the kinds that the hub serves"), failed.Kinds)
}

func (r *rehearsal) gap(what engine.Text, err error) {
	if err == nil {
		return
	}
	r.unread = append(r.unread, err)
	r.out.Unknown = append(r.out.Unknown, engine.PlanGap{
		What: what, Why: engine.Clean(err.Error()), Forbidden: apierrors.IsForbidden(err) || apierrors.IsUnauthorized(err),
	})
}

// answer pretends that every write succeeded.
func (r *rehearsal) answer(e Effect) (Answer, error) {
	switch e.Op.Verb() {
	case Get, List:
		answer, err := r.read(e)
		if !apierrors.IsNotFound(err) || e.Op == OpListObjects {
			r.gap(engine.Textf("selected %s", e.Resource.GroupResource().String()), err)
		}
		r.warnUnwatched(e.Resource)
		return answer, err
	case Create:
		r.out.Snapshot.Made = true
	}
	return Answer{Object: e.Object}, nil
}

// refuse notes an error, and reports whether there was one. That something
// could not be read here is noted already.
func (r *rehearsal) refuse(err error) bool {
	if err == nil {
		return false
	}
	if slices.ContainsFunc(r.unread, func(unread error) bool { return errors.Is(err, unread) }) {
		return true
	}
	refusal := engine.PlanRefusal{Message: engine.Clean(err.Error()), Final: isAborted(err)}
	if !slices.Contains(r.out.Refusals, refusal) {
		r.out.Refusals = append(r.out.Refusals, refusal)
	}
	return true
}

// initializeAll takes the steps of initialize, each as far as it can go when
// one before it was refused.
func (r *rehearsal) initializeAll() {
	err := r.readPlacement(r.status())
	unusable := r.refuse(err)
	if unusable && r.in.Placement == nil {
		r.advise(err, r.aboutName(engine.Lit("placement"), r.run.Spec.PlacementName, r.in.PlacementNames))
	}
	known := r.policyAndBindings(r.status())
	err = r.readStrategy()
	strategy := !r.refuse(err)
	if !strategy && r.in.Strategy == nil {
		r.advise(err, r.aboutName(engine.Lit("strategy"), r.run.Spec.StagedRolloutStrategyName, r.in.StrategyNames))
	}
	if known && strategy {
		r.status().StagesStatus = r.stages(r.planAll(r.status().StagedUpdateStrategySnapshot))
		r.status().DeletionStageStatus = r.deletionStage()
	}
	if r.run.Spec.ResourceSnapshotIndex == "" && (r.in.Placement == nil || r.read == nil || r.in.Failed.Kinds != nil) {
		return
	}
	group, master, err := r.chooseSnapshot()
	if r.refuse(err) {
		if r.run.Spec.ResourceSnapshotIndex != "" {
			r.advise(err, r.aboutIndex())
		}
		return
	}
	r.status().ResourceSnapshotIndexUsed = master.Labels[placement.LabelResourceIndex]
	// Which clusters an override selects is of no use for a run that has none.
	if !unusable && known && strategy && r.in.Failed.Kinds == nil {
		err := r.recordOverrides(group, master)
		r.refuse(err)
		if errors.Is(err, errExpected) {
			r.advise(err, r.aboutParts())
		}
	}
}

// policyAndBindings reports whether it is known which clusters are selected.
func (r *rehearsal) policyAndBindings(st *placement.UpdateRunStatus) bool {
	r.refuse(r.findPolicy())
	if r.policy == nil {
		return false
	}
	r.refuse(r.readIndex(st))
	counted := !r.refuse(r.readCount(st))
	r.refuse(r.checkScheduled())
	if err := r.in.Failed.Bindings; err != nil {
		r.refuse(server(err))
		return false
	}
	old := r.partition()
	for _, b := range old {
		r.refuse(oldPolicy(b))
	}
	if counted && len(old) == 0 {
		r.refuse(r.count(st))
	}
	return true
}

// planAll plans every stage, whatever is wrong with those before it.
func (r *rehearsal) planAll(strategy *placement.UpdateStrategySpec) []plannedStage {
	placed := r.unplaced()
	stages := make([]plannedStage, len(strategy.Stages))
	whole := true
	for i := range strategy.Stages {
		stages[i] = r.planStage(&strategy.Stages[i], placed)
		// A stage that could not even look for its clusters has no list.
		whole = whole && stages[i].clusters != nil
		for _, err := range stages[i].errs {
			r.refuse(err)
		}
		if _, err := maxConcurrency(stages[i].config, len(stages[i].clusters)); err != nil {
			r.refuse(aborted(err))
		}
	}
	if whole {
		r.refuse(checkPlaced(placed))
		r.misfits(strategy, placed)
	}
	return stages
}

// validateAll takes the checks of validate, each on its own.
func (r *rehearsal) validateAll() {
	var now placement.UpdateRunStatus
	if !r.refuse(r.readPlacement(&now)) {
		r.refuse(r.checkApplied(&now))
	}
	if !r.policyAndBindings(&now) {
		return
	}
	r.refuse(r.checkIndex(&now))
	if n, err := clusterCount(r.policy); err == nil {
		r.refuse(r.checkCount(&placement.UpdateRunStatus{PolicyObservedClusterCount: n}))
	}
	if r.refuse(r.checkFrozen()) {
		return
	}
	plan := r.planAll(r.status().StagedUpdateStrategySnapshot)
	if r.refuse(r.checkStages(plan)) {
		return
	}
	at, whole := newProgress(), true
	for i := range plan {
		// A stage that could not look for its clusters has not lost them.
		if plan[i].clusters != nil && r.refuse(unchanged(i, &r.status().StagesStatus[i], &plan[i])) {
			whole = false
		} else if err := r.locateStage(i, &plan[i], &at); err != nil {
			whole = whole && !r.refuse(aborted(err))
		}
	}
	if whole {
		_, err := r.locateDeletion(at)
		r.refuse(err)
	}
}
