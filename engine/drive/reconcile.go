package drive

import (
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

// executor executes, stops and deletes one run, in one pass over it.
type executor struct{ initializer }

func newExecutor(in *Input, timing Timing, now time.Time, do func(Effect) (Answer, error)) *executor {
	return &executor{initializer{pass: newPass(in, timing, now, do)}}
}

// Reconcile executes one pass of a run (docs/kubefleet.md#reconcile). It calls
// do for one request after the other, in upstream's order, each after the
// answer to the one before. It has no other effect and keeps no state.
func Reconcile(in Input, timing Timing, now time.Time, do func(Effect) (Answer, error)) Decision {
	if in.Run == nil {
		return Decision{}
	}
	p := newExecutor(&in, timing, now, do)
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
func (p *executor) prepare() (stage int, decision Decision, stop bool) {
	if falseAt(p.status().Conditions, placement.RunInitialized, p.run.Generation) {
		return 0, Decision{}, true
	}
	if !trueAt(p.status().Conditions, placement.RunInitialized, p.run.Generation) {
		if err := p.initialize(); isAborted(err) {
			p.set(&p.status().Conditions, placement.RunInitialized, metav1.ConditionFalse, placement.ReasonRunInitializedFailed, err.Error())
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
func (p *executor) conclude(finished bool, mark func(), wait time.Duration, err error) Decision {
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
func (p *executor) end() Decision {
	if err := p.writeStatus(); err != nil {
		return retry(err)
	}
	return Decision{}
}

func (p *executor) ensureFinalizer() error {
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
func (p *executor) remove() Decision {
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
