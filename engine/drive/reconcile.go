package drive

import (
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

// pass is one reconcile of one run. It owns a copy of the run; everything
// else it only reads.
type pass struct {
	in     *Input
	timing Timing
	now    metav1.Time
	do     func(Effect) (Answer, error)

	run *placement.StagedUpdateRun
	st  *placement.UpdateRunStatus
	gen int64

	// What the latest policy selects, and what it leaves: set by collect.
	policy   *placement.SchedulingPolicySnapshot
	selected []*placement.ResourceBinding
	leaving  []*placement.ResourceBinding
}

// Reconcile executes one pass of a run (docs/kubefleet.md#reconcile). It calls
// do for one request after the other, in upstream's order, each after the
// answer to the one before. It has no other effect and keeps no state.
func Reconcile(in Input, timing Timing, now time.Time, do func(Effect) (Answer, error)) Decision {
	if in.Run == nil {
		return Decision{}
	}
	p := &pass{in: &in, timing: timing, now: metav1.NewTime(now), do: do, run: in.Run.DeepCopy()}
	p.st, p.gen = &p.run.Status, p.run.Generation
	observe(p.st, p.gen)
	dropApprovalWaits(p.st.StagedUpdateStrategySnapshot)
	if p.run.DeletionTimestamp != nil {
		return p.remove()
	}
	if err := p.ensureFinalizer(); err != nil {
		return retry(err)
	}
	stage, decision, stop := p.prepare()
	if stop {
		return decision
	}
	if stage < 0 {
		p.markRunSucceeded()
		return p.end()
	}
	switch p.run.Spec.State {
	case placement.StateInitialize:
		return Decision{}
	case placement.StateRun:
		finished, wait, err := p.execute(stage)
		return p.conclude(finished, p.markRunSucceeded, wait, err)
	case placement.StateStop:
		finished, wait, err := p.stop(stage)
		return p.conclude(finished, p.markStopped, wait, err)
	default:
		p.markRunFailed(unexpected("found unsupported updateRun state: %s", p.run.Spec.State).Error())
		return p.end()
	}
}

// prepare initializes or validates the run and returns the index of the stage
// that is up next. stop says that the pass is over.
func (p *pass) prepare() (stage int, decision Decision, stop bool) {
	if falseAt(p.st.Conditions, placement.RunInitialized, p.gen) {
		return 0, Decision{}, true
	}
	if !trueAt(p.st.Conditions, placement.RunInitialized, p.gen) {
		if err := p.initialize(); isAborted(err) {
			p.set(&p.st.Conditions, placement.RunInitialized, metav1.ConditionFalse, placement.ReasonRunInitializedFailed, err.Error())
			return 0, p.end(), true
		} else if err != nil {
			return 0, retry(err), true
		}
		return 0, Decision{}, false
	}
	if finished(p.run) {
		return 0, Decision{}, true
	}
	stage, err := p.validate()
	if isAborted(err) {
		p.markRunFailed(err.Error())
		return 0, p.end(), true
	}
	if err != nil {
		return 0, retry(err), true
	}
	return stage, Decision{}, false
}

// conclude ends a pass that executed or stopped: it persists the status and
// tells when to look again (docs/kubefleet.md#reconcile, requeues).
func (p *pass) conclude(finished bool, mark func(), wait time.Duration, err error) Decision {
	if isAborted(err) {
		p.markRunFailed(err.Error())
		return p.end()
	}
	if finished && err == nil {
		mark()
		return p.end()
	}
	if werr := p.writeStatus(); werr != nil {
		return retry(werr)
	}
	if err != nil {
		return retry(err)
	}
	if wait > 0 {
		return Decision{Next: After, Wait: wait}
	}
	return Decision{Next: Again}
}

// end persists the status of a run that waits for a trigger from here on.
func (p *pass) end() Decision {
	if err := p.writeStatus(); err != nil {
		return retry(err)
	}
	return Decision{}
}

func (p *pass) writeStatus() error {
	answer, err := p.do(Effect{Op: OpWriteStatus, Object: p.run})
	if err != nil {
		return writeError(err)
	}
	return p.stored(OpWriteStatus, answer)
}

// stored takes over the resourceVersion of the run that a write returned, so
// that the next write of this pass is not a conflict with itself, and the
// generation: writing a run fills in the spec fields that its author left out.
func (p *pass) stored(op Op, answer Answer) error {
	run, ok := answer.Object.(*placement.StagedUpdateRun)
	if !ok || run == nil {
		return noObject(op, answer)
	}
	p.run.ResourceVersion = run.ResourceVersion
	if run.Generation != p.gen {
		p.gen, p.run.Generation = run.Generation, run.Generation
		observe(p.st, p.gen)
	}
	return nil
}

func noObject(op Op, answer Answer) error {
	return fmt.Errorf("read the answer to %s: unexpected %T", op, answer.Object)
}

func (p *pass) ensureFinalizer() error {
	if slices.Contains(p.run.Finalizers, placement.FinalizerUpdateRun) {
		return nil
	}
	p.run.Finalizers = append(p.run.Finalizers, placement.FinalizerUpdateRun)
	answer, err := p.do(Effect{Op: OpAddFinalizer, Object: p.run})
	if err != nil {
		return writeError(err)
	}
	return p.stored(OpAddFinalizer, answer)
}

// remove deletes the run's approval requests and lets the run go. Bindings stay
// as they are (docs/kubefleet.md#delete).
func (p *pass) remove() Decision {
	if !slices.Contains(p.run.Finalizers, placement.FinalizerUpdateRun) {
		return Decision{}
	}
	scope := &placement.ApprovalRequest{ObjectMeta: metav1.ObjectMeta{Namespace: p.run.Namespace}}
	if _, err := p.do(Effect{Op: OpDeleteApprovals, Object: scope, Selector: approvalsOf(p.run.Name)}); err != nil {
		return retry(server(err))
	}
	p.run.Finalizers = slices.DeleteFunc(p.run.Finalizers, func(f string) bool { return f == placement.FinalizerUpdateRun })
	if _, err := p.do(Effect{Op: OpRemoveFinalizer, Object: p.run}); err != nil {
		return retry(writeError(err))
	}
	return Decision{}
}

// initialized, initFailed and finished look at a run as it is stored: the
// generation does not matter, since each pass stamps it anew
// (docs/kubefleet.md#reconcile, #generations).
func initialized(run *placement.StagedUpdateRun) bool {
	return meta.IsStatusConditionTrue(run.Status.Conditions, placement.RunInitialized)
}

func initFailed(run *placement.StagedUpdateRun) bool {
	return meta.IsStatusConditionFalse(run.Status.Conditions, placement.RunInitialized)
}

func finished(run *placement.StagedUpdateRun) bool {
	return meta.IsStatusConditionTrue(run.Status.Conditions, placement.RunSucceeded) ||
		meta.IsStatusConditionFalse(run.Status.Conditions, placement.RunSucceeded)
}

// dropApprovalWaits removes wait times that approvals cannot have from the
// frozen strategy (docs/kubefleet.md#reconcile, row 2).
func dropApprovalWaits(strategy *placement.UpdateStrategySpec) {
	if strategy == nil {
		return
	}
	for i := range strategy.Stages {
		for _, tasks := range [][]placement.StageTask{strategy.Stages[i].BeforeStageTasks, strategy.Stages[i].AfterStageTasks} {
			for j := range tasks {
				if tasks[j].Type == placement.TaskApproval {
					tasks[j].WaitTime = nil
				}
			}
		}
	}
}
