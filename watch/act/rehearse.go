package act

import (
	"context"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/act"
	"github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/watch/client"
)

// Rehearse checks, before a person confirms, whether this user has the permission
// and whether the API server accepts the same request as a dry run, which stores
// nothing and runs admission.
func (x *Executor) Rehearse(ctx context.Context, q page.DryRunQuestion) page.Answer {
	ctx, cancel := context.WithTimeout(ctx, client.Deadline)
	defer cancel()
	a := page.Answer{Question: q}
	if q.Intent == nil {
		a.Err = engine.Lit("there is no intent to check")
		return a
	}
	i := *q.Intent
	if i.Act == engine.ActRaise {
		if v := x.raisable(i); !v.what.IsZero() {
			a.Err, a.Hint = v.what, v.hint
			return a
		}
		a.Checks = []engine.Check{{State: engine.CheckPassed, What: engine.Lit("nothing is sent to the hub")}}
		if x.Audit != nil {
			a.Checks = append(a.Checks, engine.Check{State: engine.CheckPassed, What: engine.Lit("it is recorded in the audit log")})
		}
		return a
	}
	if v := x.writable(i); !v.what.IsZero() {
		a.Err, a.Hint = v.what, v.hint
		return a
	}
	ns, _, _ := i.Run.Raw()
	right := engine.Needs(i.Act, engine.RunKind(i.Run.Kind()), ns)
	grant, _ := accessReview(ctx, x.Hub, right)
	x.Learned(right, grant)
	switch grant {
	case engine.GrantYes:
		a.Checks = append(a.Checks, engine.Check{State: engine.CheckPassed, What: engine.Textf("you may %s", right.Text())})
	case engine.GrantNo:
		a.Err = engine.Textf("you may not %s on this hub", right.Text())
		a.Hint, a.Fault = engine.Lit("ask for this permission, or use another context"), act.FaultDenied
		a.Checks = append(a.Checks, engine.Check{State: engine.CheckFailed, What: a.Err})
		return a
	case engine.GrantUnknown:
		a.Checks = append(a.Checks, engine.Check{State: engine.CheckUnknown, What: engine.Textf("permission to %s is unknown", right.Text())})
	}
	w := x.writer(ctx, i)
	w.rehearsal = true
	switch v := w.carryOut(); {
	case v.result == act.ResultApplied:
		a.Checks = append(a.Checks, engine.Check{State: engine.CheckPassed, What: engine.Lit("server dry run passed")})
		switch i.Act {
		case engine.ActClone:
			x.foresee(ctx, i, &a)
		case engine.ActRun, engine.ActApprove, engine.ActStop:
			x.foreseeRun(ctx, i, &a)
		default:
		}
	case v.result == act.ResultRefused && !v.undecided():
		a.Err, a.Hint, a.Fault = v.what, v.hint, v.fault()
		a.Checks = append(a.Checks, engine.Check{State: engine.CheckFailed, What: v.what})
	default:
		a.Checks = append(a.Checks, engine.Check{State: engine.CheckUnknown, What: engine.Textf("server dry run failed: %s", v.what)})
	}
	return a
}

// foresee plans the run that a clone would create. A run that
// would fail initialization may still be created: the cause may be fixed by then.
func (x *Executor) foresee(ctx context.Context, i act.Intent, a *page.Answer) {
	ns, _, _ := i.Target.Raw()
	_, place, strategy, index, state := i.Create()
	p := x.Plan(ctx, &placement.StagedUpdateRun{
		ObjectMeta: metav1.ObjectMeta{Namespace: ns},
		Spec: placement.UpdateRunSpec{
			PlacementName: place, StagedRolloutStrategyName: strategy, ResourceSnapshotIndex: index, State: placement.StateRun,
		},
	})
	p.State = engine.Clean(state) // the plan is that of the run when it is started
	a.Checks, a.Effect = append(a.Checks, p.Checks()...), p.Effect()
	if w := i.Repeats(p.Snapshot.Index); !w.IsZero() && !p.Snapshot.Made {
		a.Checks = append(a.Checks, engine.Check{State: engine.CheckWarning, What: w})
	}
}

// foreseeRun plans the run that is started, resumed, approved or stopped: the write
// makes the controller check the run, which may fail it.
func (x *Executor) foreseeRun(ctx context.Context, i act.Intent, a *page.Answer) {
	raw, err := x.Hub.Read(ctx, i.Run)
	if err != nil {
		return // the rehearsal of the write has said why
	}
	run := new(placement.StagedUpdateRun)
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(raw.Object, run); err != nil {
		return // the list shows the run as UNREADABLE
	}
	p := x.Plan(ctx, run)
	// A stop that the controller accepts deletes nothing and competes with no run.
	if i.Act == engine.ActStop && len(p.Refusals) == 0 {
		return
	}
	a.Checks, a.Effect = append(a.Checks, p.RunChecks()...), p.Effect()
	if i.Act != engine.ActApprove && p.Fails() {
		a.Undo = engine.Lit("A failed run cannot be resumed. A new run can continue the rollout.")
	}
}

// undecided reports whether a refusal says nothing about the request itself:
// the hub is busy, the object moves, or a webhook takes no dry runs.
func (v verdict) undecided() bool {
	return v.kind == client.Busy || v.conflict || strings.Contains(v.what.String(), "does not support dry run")
}
