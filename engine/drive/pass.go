package drive

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

// pass is one pass of the controller over one run: what it may read, how it
// sends requests, and its own copy of the run. It only reads everything else.
type pass struct {
	in     *Input
	timing Timing
	now    metav1.Time
	do     func(Effect) (Answer, error)
	run    *placement.StagedUpdateRun
}

// newPass returns a pass over a copy of in.Run, whose conditions have the
// generation of the run, as upstream stamps them first
// (docs/kubefleet.md#reconcile).
func newPass(in *Input, timing Timing, now time.Time, do func(Effect) (Answer, error)) *pass {
	p := &pass{in: in, timing: timing, now: metav1.NewTime(now), do: do, run: in.Run.DeepCopy()}
	observe(p.status(), p.run.Generation)
	dropApprovalWaits(p.status().StagedUpdateStrategySnapshot)
	return p
}

func (p *pass) status() *placement.UpdateRunStatus { return &p.run.Status }

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
	if run.Generation != p.run.Generation {
		p.run.Generation = run.Generation
		observe(p.status(), p.run.Generation)
	}
	return nil
}

func noObject(op Op, answer Answer) error {
	return fmt.Errorf("read the answer to %s: unexpected %T", op, answer.Object)
}
