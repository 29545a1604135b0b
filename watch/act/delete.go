package act

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/act"
)

// remove deletes the run that was seen, in the version that was seen.
func (w *write) remove() verdict {
	id := w.intent.Target
	right := engine.Textf("delete %s", id.Kind().Plural())
	version, _, _ := w.intent.Seen()
	for attempt := 0; ; attempt++ {
		w.held = version
		err := w.sendDelete(version)
		switch {
		case err == nil:
			return verdict{
				result: act.ResultApplied,
				what:   engine.Textf("deletion of %s is requested", id.Title()),
				hint:   engine.Lit("the controller deletes its approval requests, then the run"),
			}
		case lost(err):
			return w.settle(err, w.removed)
		case !apierrors.IsConflict(err) || attempt > 0:
			return w.refusal(err, right)
		}
		o, err := w.read(w.ctx, id)
		if err != nil {
			return w.refusal(err, right)
		}
		if v, ok := w.stateHolds(o); !ok {
			return v
		}
		version = o.GetResourceVersion()
	}
}

func (w *write) sendDelete(version string) error {
	ns, name, uid := w.intent.Target.Raw()
	own := types.UID(uid)
	options := metav1.DeleteOptions{
		TypeMeta:      metav1.TypeMeta{APIVersion: "v1", Kind: "DeleteOptions"},
		Preconditions: &metav1.Preconditions{UID: &own, ResourceVersion: &version},
	}
	if w.rehearsal {
		// A body takes the place of the query's options.
		options.DryRun = []string{metav1.DryRunAll}
	}
	body, err := json.Marshal(options)
	if err != nil {
		return fmt.Errorf("encode options: %w", err)
	}
	_, err = w.send(w.client.At(http.MethodDelete, w.intent.Target.Kind(), ns, name).
		SetHeader("Content-Type", "application/json").Body(body))
	return err
}

// removed judges whether a deletion was carried out.
func (w *write) removed(_ context.Context, o *unstructured.Unstructured) (act.Result, engine.Text) {
	_, _, uid := w.intent.Target.Raw()
	if o == nil || o.GetUID() != types.UID(uid) || o.GetDeletionTimestamp() != nil {
		return act.ResultApplied, engine.Text{}
	}
	return act.ResultNotApplied, engine.Text{}
}
