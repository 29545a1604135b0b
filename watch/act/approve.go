package act

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/act"
	"github.com/stagewatch/stagewatch/watch/client"
)

const (
	condApproved = "Approved"
	condAccepted = "ApprovalAccepted"
	// condTaskApproved is set on the task of a run's stage.
	condTaskApproved = "ApprovalRequestApproved"
	// approvedReason matches the pattern that the API asks for
	// (docs/kubefleet.md#approval).
	approvedReason = "ApprovedWithStagewatch"
)

// approve sets Approved on the status of the approval request, at the
// request's generation, and keeps everything else that is in the object.
func (w *write) approve() verdict {
	id := w.intent.Target
	right := engine.Textf("update %s/status", id.Kind().Plural())
	for attempt := 0; ; attempt++ {
		o, err := w.read(w.ctx, id)
		if err != nil {
			return w.refusal(err, engine.Textf("get %s", id.Kind().Plural()))
		}
		if v, ok := w.approvalHolds(o); !ok {
			return v
		}
		if v, ok := w.runHolds(); !ok {
			return v
		}
		w.held = o.GetResourceVersion()
		message := w.message()
		if err := w.setApproved(o, message); err != nil {
			return refused(engine.Textf("cannot decode the status of %s: %s; nothing was written", id.Title(), err), engine.Text{})
		}
		stored, err := w.putStatus(o)
		switch {
		case err == nil && !w.approved(stored, message):
			return verdict{
				result: act.ResultNotApplied,
				what:   engine.Textf("the request succeeded, but %s is not approved: a webhook or controller changed it", id.Title()),
			}
		case err == nil:
			return verdict{
				result: act.ResultApplied,
				what:   engine.Textf("%s is approved, observedGeneration %d", id.Title(), o.GetGeneration()),
				hint:   engine.Lit("the controller normally accepts it within a second"),
			}
		case lost(err):
			return w.settle(err, w.approvalSet(message))
		case !apierrors.IsConflict(err) || attempt > 0:
			return w.refusal(err, right)
		}
	}
}

// message is the message of the approval: the user, and the note if there is one.
func (w *write) message() string {
	who := w.user
	if who == "" {
		who = "somebody"
	}
	m := "approved by " + engine.Clean(who).String() + " with stagewatch"
	if note := w.intent.Message.String(); note != "" {
		m += ": " + note
	}
	return m
}

// approvalHolds refuses when what the person was shown of the request no longer
// holds.
func (w *write) approvalHolds(o *unstructured.Unstructured) (verdict, bool) {
	id := w.intent.Target
	if v, ok := same(o, id); !ok {
		return v, false
	}
	_, run, _ := w.intent.Run.Raw()
	_, generation, _ := w.intent.Seen()
	again := engine.Lit("check its current state, then decide again")
	approved, accepted := conditionOf(o, condApproved), conditionOf(o, condAccepted)
	right := approved != nil && approved["status"] == "True" && observed(approved) == o.GetGeneration()
	wrong := approved != nil && approved["status"] == "True" && observed(approved) != o.GetGeneration()
	switch {
	case specOf(o, "parentStageRollout") != run || specOf(o, "targetStage") != w.intent.Stage():
		return refused(engine.Textf("%s is now for run %s, stage %s; nothing was written",
			id.Title(), specOf(o, "parentStageRollout"), specOf(o, "targetStage")), again), false
	case o.GetGeneration() != generation:
		return refused(engine.Textf("%s was changed (generation %d, shown was %d); nothing was written", id.Title(), o.GetGeneration(), generation), again), false
	case accepted != nil && accepted["status"] == "True":
		return refused(engine.Textf("%s is already approved and accepted; nothing was written", id.Title()), engine.Text{}), false
	case right:
		return refused(engine.Textf("%s was approved by another user: %s; nothing was written", id.Title(), fmt.Sprint(approved["message"])), engine.Text{}), false
	case wrong && !w.intent.Repair():
		return refused(engine.Textf("%s was approved by another user with a wrong observedGeneration; nothing was written", id.Title()), again), false
	}
	return verdict{}, true
}

// runHolds refuses when the run that the approval lets go on is not the one the
// person saw, and when it cannot be read: the person was shown its state, and nobody
// can say any more whether it is that.
func (w *write) runHolds() (verdict, bool) {
	id := w.intent.Run
	run, err := w.read(w.ctx, id)
	switch {
	case client.KindOf(err) == client.Missing:
		return isGone(engine.Textf("the run %s does not exist; nothing was written", id.Title())), false
	case err != nil:
		return w.refusal(err, engine.Textf("get %s", id.Kind().Plural())), false
	}
	if v, ok := same(run, id); !ok {
		return v, false
	}
	_, _, state := w.intent.Seen()
	switch {
	case ended(run):
		return refused(engine.Textf("run %s has ended; an approval has no effect", id.Title()), engine.Text{}), false
	case stateOf(run) != state:
		return refused(engine.Textf("the state of run %s was changed to %s; nothing was written", id.Title(), stateOf(run)),
			engine.Lit("check its current state, then decide again")), false
	}
	return verdict{}, true
}

// setApproved changes the decoded whole object.
func (w *write) setApproved(o *unstructured.Unstructured, message string) error {
	list, _, err := unstructured.NestedSlice(o.Object, "status", "conditions")
	if err != nil {
		return err
	}
	cond := map[string]any{
		"type": condApproved, "status": "True", "reason": approvedReason, "message": message,
		"lastTransitionTime": w.now().UTC().Format(time.RFC3339),
		"observedGeneration": o.GetGeneration(),
	}
	for i, item := range list {
		if c, ok := item.(map[string]any); ok && c["type"] == condApproved {
			list[i] = cond
			return unstructured.SetNestedSlice(o.Object, list, "status", "conditions")
		}
	}
	return unstructured.SetNestedSlice(o.Object, append(list, cond), "status", "conditions")
}

func (w *write) putStatus(o *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	body, err := o.MarshalJSON()
	if err != nil {
		return nil, fmt.Errorf("encode object: %w", err)
	}
	ns, name, _ := w.intent.Target.Raw()
	r := w.client.At(http.MethodPut, w.intent.Target.Kind(), ns, name).SubResource("status")
	return w.send(r.SetHeader("Content-Type", "application/json").Body(body))
}

// approved reports whether an object carries the approval that was written.
func (w *write) approved(o *unstructured.Unstructured, message string) bool {
	c := conditionOf(o, condApproved)
	return c != nil && c["status"] == "True" && c["message"] == message && observed(c) == o.GetGeneration()
}

// approvalSet judges by the approval, and when the request has changed since it
// was read, by the states that it had meanwhile: the approval may have been stored
// and removed. The controller's acceptance is proof, too.
func (w *write) approvalSet(message string) judge {
	id := w.intent.Target
	look := w.onTarget(func(o *unstructured.Unstructured) bool { return w.approved(o, message) })
	return func(ctx context.Context, o *unstructured.Unstructured) (act.Result, engine.Text) {
		result, reason := look(ctx, o)
		if result == act.ResultApplied || o != nil && o.GetResourceVersion() == w.held {
			return result, reason
		}
		states, err := w.history(ctx, id, w.held, true, o)
		stored := slices.ContainsFunc(states, func(o *unstructured.Unstructured) bool { return w.approved(o, message) })
		var accepted map[string]any
		if o != nil {
			accepted = conditionOf(o, condAccepted)
		}
		switch {
		case stored && o == nil:
			return act.ResultApplied, engine.Textf("%s was deleted since", id.Title())
		case stored:
			return act.ResultApplied, engine.Textf("the approval of %s was removed since", id.Title())
		case err == nil:
			return act.ResultNotApplied, engine.Text{}
		case accepted != nil && accepted["status"] == "True", w.taskApproved(ctx):
			return act.ResultApplied, engine.Textf("the controller has accepted an approval of %s, which was changed since", id.Title())
		case result == act.ResultUnknown:
			return result, reason
		}
		return act.ResultUnknown, engine.Textf("%s was changed since: the approval may have been stored and removed", id.Title())
	}
}

// taskApproved reports whether the run's status has the approval request as
// approved. It had not when the person decided.
func (w *write) taskApproved(ctx context.Context) bool {
	run, err := w.read(ctx, w.intent.Run)
	if err != nil {
		return false
	}
	if _, ok := same(run, w.intent.Run); !ok {
		return false
	}
	stages, _, err := unstructured.NestedSlice(run.Object, "status", "stagesStatus")
	if err != nil {
		return false
	}
	_, name, _ := w.intent.Target.Raw()
	for _, stage := range stages {
		for _, field := range []string{"beforeStageTaskStatus", "afterStageTaskStatus"} {
			tasks, ok := stage.(map[string]any)[field].([]any)
			if !ok {
				continue
			}
			for _, item := range tasks {
				task, ok := item.(map[string]any)
				if !ok || task["approvalRequestName"] != name {
					continue
				}
				status := &unstructured.Unstructured{Object: map[string]any{"status": task}}
				if c := conditionOf(status, condTaskApproved); c != nil && c["status"] == "True" {
					return true
				}
			}
		}
	}
	return false
}

// observed returns a condition's observedGeneration; 0 when there is none.
func observed(c map[string]any) int64 {
	g, ok := c["observedGeneration"].(int64)
	if !ok {
		return 0
	}
	return g
}

func specOf(o *unstructured.Unstructured, field string) string {
	s, _, err := unstructured.NestedString(o.Object, "spec", field)
	if err != nil {
		return ""
	}
	return s
}
