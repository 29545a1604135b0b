// Package pass defines one pass of the rollout controller over one run: the objects
// that it reads (Input), the requests that it sends (Effect, Answer), its errors and
// the conditions that it sets. The rules are in packages drive and initialize.
package pass

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

// Pass is one pass of the controller over one run: what it may read, how it
// sends requests, and its own copy of the run. It only reads everything else.
type Pass struct {
	In     *Input
	Timing Timing
	Now    metav1.Time
	Do     func(Effect) (Answer, error)
	Run    *placement.StagedUpdateRun
}

// NewPass returns a pass over a copy of in.Run, whose conditions have the
// generation of the run, as upstream stamps them first
// (docs/kubefleet.md#reconcile).
func NewPass(in *Input, timing Timing, now time.Time, do func(Effect) (Answer, error)) *Pass {
	p := &Pass{In: in, Timing: timing, Now: metav1.NewTime(now), Do: do, Run: in.Run.DeepCopy()}
	observe(p.Status(), p.Run.Generation)
	dropApprovalWaits(p.Status().StagedUpdateStrategySnapshot)
	return p
}

// Status returns the status of the pass's own copy of the run.
func (p *Pass) Status() *placement.UpdateRunStatus { return &p.Run.Status }

// WriteStatus sends the status of the run to the API server.
func (p *Pass) WriteStatus() error {
	answer, err := p.Do(Effect{Op: OpWriteStatus, Object: p.Run})
	if err != nil {
		return WriteError(err)
	}
	return p.Stored(OpWriteStatus, answer)
}

// Stored takes over the resourceVersion of the run that a write returned, so
// that the next write of this pass is not a conflict with itself, and the
// generation: writing a run fills in the spec fields that its author left out.
func (p *Pass) Stored(op Op, answer Answer) error {
	run, ok := answer.Object.(*placement.StagedUpdateRun)
	if !ok || run == nil {
		return NoObject(op, answer)
	}
	p.Run.ResourceVersion = run.ResourceVersion
	if run.Generation != p.Run.Generation {
		p.Run.Generation = run.Generation
		observe(p.Status(), p.Run.Generation)
	}
	return nil
}

// NoObject is the error of an answer without the object that the operation returns.
func NoObject(op Op, answer Answer) error {
	return fmt.Errorf("read the answer to %s: unexpected %T", op, answer.Object)
}
