package act

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/act"
)

// state writes spec.state, and nothing else, onto the version that was seen.
func (w *write) state() verdict {
	id, want := w.intent.Target, w.intent.WantState()
	right := engine.Textf("patch %s", id.Kind().Plural())
	version, _, _ := w.intent.Seen()
	for attempt := 0; ; attempt++ {
		w.held = version
		o, err := w.patchState(version)
		switch {
		case err == nil:
			return verdict{
				result: act.ResultApplied,
				what:   engine.Textf("%s: state is %s now, generation %d", id.Title(), want, o.GetGeneration()),
			}
		case lost(err):
			return w.settle(err, w.stateSet())
		case !apierrors.IsConflict(err) || attempt > 0:
			return w.refusal(err, right)
		}
		// A heartbeat of the controller changes the version too: go on only if
		// the run is still what the person decided about.
		if o, err = w.read(w.ctx, id); err != nil {
			return w.refusal(err, right)
		}
		if v, ok := w.stateHolds(o); !ok {
			return v
		}
		version = o.GetResourceVersion()
	}
}

// stateSet judges by the state, and by how often the spec was changed since it was
// seen: one change to another state was made by another user; more changes may
// include this write and its reversal.
func (w *write) stateSet() judge {
	want := w.intent.WantState()
	look := w.onTarget(func(o *unstructured.Unstructured) bool { return stateOf(o) == want })
	_, seen, _ := w.intent.Seen()
	return func(ctx context.Context, o *unstructured.Unstructured) (act.Result, engine.Text) {
		result, reason := look(ctx, o)
		if result == act.ResultNotApplied && o.GetGeneration() > seen+1 {
			return act.ResultUnknown, engine.Textf("%s was changed more than once: the write may have been applied and reverted", w.intent.Target.Title())
		}
		return result, reason
	}
}

func (w *write) patchState(version string) (*unstructured.Unstructured, error) {
	body, err := json.Marshal(map[string]any{
		"metadata": map[string]any{"resourceVersion": version},
		"spec":     map[string]any{"state": w.intent.WantState()},
	})
	if err != nil {
		return nil, fmt.Errorf("encode patch: %w", err)
	}
	ns, name, _ := w.intent.Target.Raw()
	return w.send(w.client.At(http.MethodPatch, w.intent.Target.Kind(), ns, name).SetHeader("Content-Type", string(types.MergePatchType)).Body(body))
}

// stateHolds refuses when what the person was shown of the run no longer holds.
func (w *write) stateHolds(o *unstructured.Unstructured) (verdict, bool) {
	id := w.intent.Target
	if v, ok := same(o, id); !ok {
		return v, false
	}
	_, generation, state := w.intent.Seen()
	again := engine.Lit("check its current state, then decide again")
	switch {
	case stateOf(o) != state:
		return refused(engine.Textf("the state of %s was changed to %s; nothing was written", id.Title(), stateOf(o)), again), false
	case o.GetGeneration() != generation:
		return refused(engine.Textf("%s was changed (generation %d, shown was %d); nothing was written",
			id.Title(), o.GetGeneration(), generation), again), false
	case ended(o):
		return refused(engine.Textf("%s has ended; nothing was written", id.Title()), engine.Text{}), false
	}
	return verdict{}, true
}

// stateOf returns spec.state; empty when there is none or it is no string.
func stateOf(o *unstructured.Unstructured) string {
	s, _, err := unstructured.NestedString(o.Object, "spec", "state")
	if err != nil {
		return ""
	}
	return s
}

// ended reports whether a run has come to its end (docs/kubefleet.md#finish).
func ended(o *unstructured.Unstructured) bool {
	c := conditionOf(o, "Succeeded")
	return c != nil && (c["status"] == "True" || c["status"] == "False")
}

// conditionOf returns a condition of an object's status; nil when there is none.
func conditionOf(o *unstructured.Unstructured, kind string) map[string]any {
	list, _, err := unstructured.NestedSlice(o.Object, "status", "conditions")
	if err != nil {
		return nil
	}
	for _, item := range list {
		if c, ok := item.(map[string]any); ok && c["type"] == kind {
			return c
		}
	}
	return nil
}
