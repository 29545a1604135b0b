package forecast

import (
	"errors"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/applystrategy"
	"github.com/stagewatch/stagewatch/engine/drive"
	"github.com/stagewatch/stagewatch/engine/drive/initialize"
	"github.com/stagewatch/stagewatch/engine/drive/pass"
	"github.com/stagewatch/stagewatch/engine/plan"
)

// Plan works out what a run will do, or would do if it were made now: for
// an imagined run, in.Run holds the spec and a name and has no status. others
// are the runs of the same scope, which may include the run itself.
//
// read answers the reads of resource selection (OpGetObject, OpListObjects),
// which only a run without an index needs; without read the index of such a run
// stays unknown. Nothing is ever written. A read that failed is no refusal: the
// controller reads for itself. It stands in the plan's Unknown.
func Plan(in pass.Input, others []*placement.StagedUpdateRun, now time.Time, read func(pass.Effect) (pass.Answer, error)) plan.Plan {
	r := newChecker(&in, now)
	r.read = read
	r.out = plan.Plan{
		Run:         pass.IDOf(r.Run),
		At:          now,
		Placement:   engine.Clean(r.Run.Spec.PlacementName),
		Strategy:    engine.Clean(r.Run.Spec.StagedRolloutStrategyName),
		State:       engine.Clean(string(r.Run.Spec.State)),
		Initialized: pass.Initialized(r.Run),
		Finished:    pass.Finished(r.Run) || pass.InitFailed(r.Run) || r.Run.DeletionTimestamp != nil,
		Snapshot:    plan.Snapshot{Newest: r.Run.Spec.ResourceSnapshotIndex == ""},
	}
	r.unreadInputs()
	switch {
	case r.out.Finished:
	case r.out.Initialized:
		r.validateAll()
	default:
		r.initializeAll()
	}
	r.describe()
	r.warnDeleted()
	r.warnSnapshotGone()
	r.heldByOthers()
	r.warnSharedApprovals()
	r.warnLastBindings()
	r.warnStrategyChanged()
	r.warnPolicyAhead()
	r.warnBindingsGoing()
	r.warnFailing()
	r.competingRuns(others)
	return r.out
}

// Remade returns the run that would try again what a failed one did: one with
// the same spec, without a name or status. It returns nil for any other run.
func Remade(run *placement.StagedUpdateRun) *placement.StagedUpdateRun {
	failed := pass.InitFailed(run) || meta.IsStatusConditionFalse(run.Status.Conditions, placement.RunSucceeded)
	if !failed || run.DeletionTimestamp != nil {
		return nil
	}
	again := &placement.StagedUpdateRun{Spec: run.Spec}
	again.Namespace, again.Spec.State = run.Namespace, placement.StateRun
	return again
}

// checker executes all checks of a pass, also after one has failed, and writes nothing.
type checker struct {
	*drive.Executor
	read func(pass.Effect) (pass.Answer, error)
	// unread are the errors of reads, which are not the controller's.
	unread []error
	out    plan.Plan
}

func newChecker(in *pass.Input, now time.Time) *checker {
	r := &checker{}
	r.Executor = drive.NewExecutor(in, pass.DefaultTiming(), now, r.answer)
	return r
}

// unreadInputs records which reads of the Input failed.
func (r *checker) unreadInputs() {
	failed := r.In.Failed
	r.gap(engine.Lit("the placement"), failed.Placement)
	r.gap(engine.Lit("the strategy"), failed.Strategy)
	r.gap(engine.Lit("policy snapshots"), failed.PolicySnapshots)
	r.gap(engine.Lit("bindings"), failed.Bindings)
	r.gap(engine.Lit("member clusters"), failed.Members)
	r.gap(engine.Lit("resource snapshots"), failed.ResourceSnapshots)
	r.gap(engine.Lit("override snapshots"), failed.Overrides)
	r.gap(engine.Lit("the kinds that the hub serves"), failed.Kinds)
}

func (r *checker) gap(what engine.Text, err error) {
	if err == nil {
		return
	}
	r.unread = append(r.unread, err)
	r.out.Unknown = append(r.out.Unknown, engine.Gap{
		What: what, Why: engine.Message(err.Error()), Forbidden: apierrors.IsForbidden(err) || apierrors.IsUnauthorized(err),
	})
}

// answer answers reads with read, and every write as if it succeeded.
func (r *checker) answer(e pass.Effect) (pass.Answer, error) {
	switch e.Op.Verb() {
	case pass.Get, pass.List:
		answer, err := r.read(e)
		if !apierrors.IsNotFound(err) || e.Op == pass.OpListObjects {
			r.gap(engine.Textf("selected %s", e.Resource.GroupResource().String()), err)
		}
		r.warnUnwatched(e.Resource)
		return answer, err
	case pass.Create:
		r.out.Snapshot.Made = true
	}
	return pass.Answer{Object: e.Object}, nil
}

// refuse notes an error, and reports whether there was one. That something
// could not be read here is noted already.
func (r *checker) refuse(err error) bool {
	if err == nil {
		return false
	}
	if slices.ContainsFunc(r.unread, func(unread error) bool { return errors.Is(err, unread) }) {
		return true
	}
	refusal := plan.Refusal{Message: engine.Message(applystrategy.Readable(err.Error())), Final: pass.IsAborted(err)}
	if !slices.Contains(r.out.Refusals, refusal) {
		r.out.Refusals = append(r.out.Refusals, refusal)
	}
	return true
}

// initializeAll takes the steps of initialize, each as far as it can go when
// one before it was refused.
func (r *checker) initializeAll() {
	err := r.ReadPlacement(r.Status())
	unusable := r.refuse(err)
	if unusable && r.In.Placement == nil {
		r.advise(err, r.aboutName(engine.Lit("placement"), r.Run.Spec.PlacementName, r.In.PlacementNames))
	}
	known := r.policyAndBindings(r.Status())
	err = r.ReadStrategy()
	strategy := !r.refuse(err)
	if !strategy && r.In.Strategy == nil {
		r.advise(err, r.aboutName(engine.Lit("strategy"), r.Run.Spec.StagedRolloutStrategyName, r.In.StrategyNames))
	}
	if known && strategy {
		r.Status().StagesStatus = r.Stages(r.planAll(r.Status().StagedUpdateStrategySnapshot))
		r.Status().DeletionStageStatus = r.DeletionStage()
	}
	if r.Run.Spec.ResourceSnapshotIndex == "" && (r.In.Placement == nil || r.read == nil || r.In.Failed.Kinds != nil) {
		return
	}
	group, master, err := r.ChooseSnapshot()
	if r.refuse(err) {
		switch {
		case r.Run.Spec.ResourceSnapshotIndex == "":
			r.advise(err, r.aboutVersion(err))
		case r.In.Placement != nil: // one that does not exist has no snapshot to name
			r.advise(err, r.aboutIndex())
		}
		return
	}
	r.Status().ResourceSnapshotIndexUsed = master.Labels[placement.LabelResourceIndex]
	// Which clusters an override selects is of no use for a run that has none.
	if !unusable && known && strategy && r.In.Failed.Kinds == nil {
		err := r.RecordOverrides(group, master)
		r.refuse(err)
		if errors.Is(err, pass.ErrExpected) {
			r.advise(err, r.aboutParts())
		}
	}
}

// policyAndBindings checks both, and reports whether the selected clusters are known:
// not while bindings have another policy snapshot than the latest.
func (r *checker) policyAndBindings(st *placement.UpdateRunStatus) bool {
	counted := r.policy(st)
	if r.Policy == nil {
		return false
	}
	settled, read := r.bindings(st, counted)
	return settled && read
}

// policy checks the latest policy snapshot, and reports whether its cluster count is
// known.
func (r *checker) policy(st *placement.UpdateRunStatus) (counted bool) {
	if r.refuse(r.FindPolicy()) {
		r.Policy = nil // of several, none is the one that the scheduler follows
		return false
	}
	r.refuse(r.ReadIndex(st))
	counted = !r.refuse(r.ReadCount(st))
	r.refuse(r.CheckScheduled())
	return counted
}

// bindings checks the bindings, and reports whether all have the latest policy snapshot
// and whether they were read.
func (r *checker) bindings(st *placement.UpdateRunStatus, counted bool) (settled, read bool) {
	if err := r.In.Failed.Bindings; err != nil {
		r.refuse(pass.ServerError(err))
		return false, false
	}
	old := r.Partition()
	for _, b := range old {
		err := initialize.OldPolicy(b)
		r.refuse(err)
		r.advise(err, r.aboutOldPolicy(b.Spec.SchedulingPolicySnapshotName))
	}
	if counted && len(old) == 0 {
		r.refuse(r.Count(st))
	}
	return len(old) == 0, true
}

// planAll plans every stage, also after a stage that fails.
func (r *checker) planAll(strategy *placement.UpdateStrategySpec) []initialize.PlannedStage {
	placed := r.Unplaced()
	stages := make([]initialize.PlannedStage, len(strategy.Stages))
	whole := true
	for i := range strategy.Stages {
		stages[i] = r.PlanStage(&strategy.Stages[i], placed)
		// A stage whose selector failed has no list.
		whole = whole && stages[i].Clusters != nil
		for _, err := range stages[i].Errs {
			r.refuse(err)
		}
		if _, err := initialize.MaxConcurrency(stages[i].Config, len(stages[i].Clusters)); err != nil {
			r.refuse(pass.AbortedError(err))
		}
	}
	if whole {
		r.refuse(initialize.CheckPlaced(placed))
		r.mismatches(strategy, placed)
	}
	return stages
}

// validateAll executes each check of validation on its own, in the controller's order.
func (r *checker) validateAll() {
	var now placement.UpdateRunStatus
	if !r.refuse(r.ReadPlacement(&now)) {
		r.refuse(r.CheckApplied(&now))
	}
	counted := r.policy(&now)
	if r.Policy == nil {
		return
	}
	r.refuse(r.CheckIndex(&now))
	if n, err := initialize.ClusterCount(r.Policy); err == nil {
		r.refuse(r.CheckCount(&placement.UpdateRunStatus{PolicyObservedClusterCount: n}))
	}
	// The stages are compared when every binding has the latest policy snapshot.
	if settled, read := r.bindings(&now, counted); !settled || !read || r.refuse(r.CheckFrozen()) {
		return
	}
	plan := r.planAll(r.Status().StagedUpdateStrategySnapshot)
	if r.refuse(r.CheckStages(plan)) {
		return
	}
	at, whole := drive.NewProgress(), true
	for i := range plan {
		// The clusters of a stage whose selector failed are unknown, not changed.
		if plan[i].Clusters != nil && r.refuse(drive.Unchanged(i, &r.Status().StagesStatus[i], &plan[i])) {
			whole = false
		} else if err := r.LocateStage(i, &plan[i], &at); err != nil {
			whole = whole && !r.refuse(pass.AbortedError(err))
		}
	}
	if whole {
		_, err := r.LocateDeletion(at)
		r.refuse(err)
	}
}
