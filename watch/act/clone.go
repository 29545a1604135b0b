package act

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/act"
	"github.com/stagewatch/stagewatch/watch/client"
)

// Annotations of a run that a clone created.
const (
	// clonedFrom names the run that was cloned.
	clonedFrom = "stagewatch.github.io/cloned-from"
	// clonedBy identifies the request that created the run, so that the outcome can
	// be determined when its answer is lost.
	clonedBy = "stagewatch.github.io/request"
)

// clone creates the run that was shown.
func (w *write) clone() verdict {
	id, mark := w.intent.Target, rand.Text()
	ns, name, _ := id.Raw()
	if v, ok := w.sourceHolds(); !ok {
		return v
	}
	before := w.versionOf(w.ctx, id)
	o, err := w.create(mark)
	switch {
	case err == nil:
		made := id.Beside(id.Kind(), ns, name, string(o.GetUID()))
		return verdict{result: act.ResultApplied, what: engine.Textf("%s is created", id.Title()), made: made}
	case lost(err):
		var made engine.ID
		v := w.settle(err, func(ctx context.Context, o *unstructured.Unstructured) (act.Result, engine.Text) {
			ours := func(o *unstructured.Unstructured) bool { return o.GetAnnotations()[clonedBy] == mark }
			if o != nil && ours(o) {
				made = id.Beside(id.Kind(), ns, name, string(o.GetUID()))
				return act.ResultApplied, engine.Text{}
			}
			states, err := w.history(ctx, id, before, false, o)
			i := slices.IndexFunc(states, ours)
			switch {
			case i >= 0:
				made = id.Beside(id.Kind(), ns, name, string(states[i].GetUID()))
				return act.ResultApplied, engine.Textf("%s was deleted since", id.Title())
			case o != nil:
				return act.ResultUnknown, engine.Textf("%s was created by another user", id.Title())
			case err != nil:
				return act.ResultUnknown, engine.Textf("%s does not exist: it was not created, or it was created and deleted", id.Title())
			}
			return act.ResultNotApplied, engine.Text{}
		})
		v.made = made
		return v
	case apierrors.IsAlreadyExists(err):
		v := refused(engine.Textf("run %s was created by another user; nothing was written", id.Title()),
			engine.Lit("choose another name"))
		v.kind = client.Rejected
		return v
	case client.KindOf(err) == client.Missing:
		return isGone(engine.Textf("cannot create %s: %s", id.Title(), w.client.Failure(err).Err))
	}
	return w.refusal(err, engine.Textf("create %s", id.Kind().Plural()))
}

// versionOf is the version of the set that an object will be in, from which its
// history can be watched; empty when it cannot be read, or is not needed.
func (w *write) versionOf(ctx context.Context, id engine.ID) string {
	if w.rehearsal {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, w.Reading)
	defer cancel()
	ns, _, _ := id.Raw()
	raw, err := w.client.Do(ctx, w.client.At(http.MethodGet, id.Kind(), ns, "").Param("limit", "1"))
	if err != nil {
		return ""
	}
	var list metav1.PartialObjectMetadataList
	if err := json.Unmarshal(raw, &list); err != nil {
		return ""
	}
	return list.ResourceVersion
}

// sourceHolds refuses when the run that is cloned, or the placement that gets
// its first one, is not the one that was seen. What a clone takes from it
// cannot change while it exists (docs/kubefleet.md#run), so its generation does
// not matter.
func (w *write) sourceHolds() (verdict, bool) {
	id := w.intent.Run
	run, err := w.read(w.ctx, id)
	switch {
	case client.KindOf(err) == client.Missing:
		return isGone(engine.Textf("%s does not exist; nothing was written", id.Title())), false
	case err != nil:
		return w.refusal(err, engine.Textf("get %s", id.Kind().Plural())), false
	}
	_, _, uid := id.Raw()
	if string(run.GetUID()) != uid {
		return same(run, id)
	}
	return verdict{}, true
}

func (w *write) create(mark string) (*unstructured.Unstructured, error) {
	id := w.intent.Target
	name, place, strategy, index, state := w.intent.Create()
	ns, _, _ := id.Raw()
	annotations := map[string]any{clonedBy: mark}
	if from := w.intent.Run; from.Kind() == id.Kind() {
		text, _ := from.MarshalText() // never fails
		annotations[clonedFrom] = string(text)
	}
	spec := map[string]any{"placementName": place, "stagedRolloutStrategyName": strategy}
	if index != "" {
		spec["resourceSnapshotIndex"] = index
	}
	if state != "" {
		spec["state"] = state
	}
	meta := map[string]any{"name": name, "annotations": annotations}
	if ns != "" {
		meta["namespace"] = ns
	}
	body, err := json.Marshal(map[string]any{
		"apiVersion": placement.Group + "/" + w.client.ServedVersion(), "kind": id.Kind().String(), "metadata": meta, "spec": spec,
	})
	if err != nil {
		return nil, fmt.Errorf("encode run: %w", err)
	}
	return w.send(w.client.At(http.MethodPost, id.Kind(), ns, "").SetHeader("Content-Type", "application/json").Body(body))
}
