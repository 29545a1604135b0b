package drive

import (
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine/drive/initialize"
	"github.com/stagewatch/stagewatch/engine/drive/pass"
)

// Executor executes, stops or deletes one run, in one pass over it. Reconcile is the
// pass that the controller makes; the forecast executes the same steps on copies.
type Executor struct{ initialize.Initializer }

// NewExecutor returns an Executor for one pass over a copy of in.Run.
func NewExecutor(in *pass.Input, timing pass.Timing, now time.Time, do func(pass.Effect) (pass.Answer, error)) *Executor {
	return &Executor{initialize.Initializer{Pass: pass.NewPass(in, timing, now, do)}}
}

// Reconcile executes one pass of a run (docs/kubefleet.md#reconcile). It calls
// do for one request after the other, in upstream's order, each after the
// answer to the one before. It has no other effect and keeps no state.
func Reconcile(in pass.Input, timing pass.Timing, now time.Time, do func(pass.Effect) (pass.Answer, error)) Decision {
	if in.Run == nil {
		return Decision{}
	}
	p := NewExecutor(&in, timing, now, do)
	if p.Run.DeletionTimestamp != nil {
		return p.remove()
	}
	if err := p.ensureFinalizer(); err != nil {
		return retry(err)
	}
	stage, decision, stop := p.Prepare()
	if stop {
		return decision
	}
	if stage < 0 {
		p.markRunSucceeded()
		return p.end()
	}
	switch p.Run.Spec.State {
	case placement.StateInitialize:
		return Decision{}
	case placement.StateRun:
		finished, wait, err := p.Execute(stage)
		return p.conclude(finished, p.markRunSucceeded, wait, err)
	case placement.StateStop:
		finished, wait, err := p.stop(stage)
		return p.conclude(finished, p.markStopped, wait, err)
	default:
		p.markRunFailed(pass.UnexpectedError("found unsupported updateRun state: %s", p.Run.Spec.State).Error())
		return p.end()
	}
}

// Prepare initializes or validates the run and returns the index of the stage
// that is up next. stop says that the pass is over.
func (p *Executor) Prepare() (stage int, decision Decision, stop bool) {
	if pass.FalseAt(p.Status().Conditions, placement.RunInitialized, p.Run.Generation) {
		return 0, Decision{}, true
	}
	if !pass.TrueAt(p.Status().Conditions, placement.RunInitialized, p.Run.Generation) {
		if err := p.Initialize(); pass.IsAborted(err) {
			p.Set(&p.Status().Conditions, placement.RunInitialized, metav1.ConditionFalse, placement.ReasonRunInitializedFailed, err.Error())
			return 0, p.end(), true
		} else if err != nil {
			return 0, retry(err), true
		}
		return 0, Decision{}, false
	}
	if pass.Finished(p.Run) {
		return 0, Decision{}, true
	}
	stage, err := p.validate()
	if pass.IsAborted(err) {
		p.markRunFailed(err.Error())
		return 0, p.end(), true
	}
	if err != nil {
		return 0, retry(err), true
	}
	return stage, Decision{}, false
}

// conclude ends a pass that executed or stopped: it persists the status and
// returns when the next pass is due (docs/kubefleet.md#reconcile, requeues).
func (p *Executor) conclude(finished bool, mark func(), wait time.Duration, err error) Decision {
	if pass.IsAborted(err) {
		p.markRunFailed(err.Error())
		return p.end()
	}
	if finished && err == nil {
		mark()
		return p.end()
	}
	if werr := p.WriteStatus(); werr != nil {
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
func (p *Executor) end() Decision {
	if err := p.WriteStatus(); err != nil {
		return retry(err)
	}
	return Decision{}
}

func (p *Executor) ensureFinalizer() error {
	if slices.Contains(p.Run.Finalizers, placement.FinalizerUpdateRun) {
		return nil
	}
	p.Run.Finalizers = append(p.Run.Finalizers, placement.FinalizerUpdateRun)
	answer, err := p.Do(pass.Effect{Op: pass.OpAddFinalizer, Object: p.Run})
	if err != nil {
		return pass.WriteError(err)
	}
	return p.Stored(pass.OpAddFinalizer, answer)
}

// remove deletes the run's approval requests and lets the run go. Bindings stay
// as they are (docs/kubefleet.md#delete).
func (p *Executor) remove() Decision {
	if !slices.Contains(p.Run.Finalizers, placement.FinalizerUpdateRun) {
		return Decision{}
	}
	scope := &placement.ApprovalRequest{ObjectMeta: metav1.ObjectMeta{Namespace: p.Run.Namespace}}
	if _, err := p.Do(pass.Effect{Op: pass.OpDeleteApprovals, Object: scope, Selector: pass.ApprovalsOf(p.Run.Name)}); err != nil {
		return retry(pass.ServerError(err))
	}
	p.Run.Finalizers = slices.DeleteFunc(p.Run.Finalizers, func(f string) bool { return f == placement.FinalizerUpdateRun })
	if _, err := p.Do(pass.Effect{Op: pass.OpRemoveFinalizer, Object: p.Run}); err != nil {
		return retry(pass.WriteError(err))
	}
	return Decision{}
}
