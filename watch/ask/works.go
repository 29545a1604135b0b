package ask

import (
	"context"
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/world"
	"github.com/stagewatch/stagewatch/watch/client"
)

// workHead is the part of a Work that diagnoses are read from: manifests may hold
// Secrets and megabytes.
type workHead struct {
	metav1.ObjectMeta `json:"metadata"`

	Status struct {
		Manifests []struct {
			Identifier placement.WorkResourceIdentifier `json:"identifier"`
		} `json:"manifestConditions"`
	} `json:"status"`
}

// worksOf reads Works from a member's namespace: of the placement only their
// metadata, of every placement the objects too.
func (rd Reader) worksOf(ctx context.Context, place engine.ID, of engine.WorksOf) *world.WorksRead {
	member := of.Member.RawName()
	r := rd.hub.At(http.MethodGet, engine.KindWork, placement.MemberNamespace(member), "")
	if !of.Others {
		r = r.SetHeader("Accept", metadataOnly)
		if name := place.RawName(); len(validation.IsValidLabelValue(name)) == 0 {
			r = r.Param("labelSelector", placement.LabelParentPlacement+"="+name)
		}
	}
	var list struct {
		Items []workHead `json:"items"`
	}
	if err := fetch(ctx, rd.hub, r, &list); err != nil {
		return &world.WorksRead{Gap: &engine.Gap{
			What: engine.Textf("Works of %s", of.Member.Name()), Why: rd.hub.Failure(err).Err, Forbidden: client.KindOf(err) == client.Forbidden,
		}}
	}
	out := &world.WorksRead{}
	for i := range list.Items {
		if w := workOf(rd.hub.Name(), &list.Items[i]); of.Others || w.Placement == place.Key() {
			out.Works = append(out.Works, w)
		}
	}
	return out
}

func workOf(hub engine.HubName, o *workHead) world.Work {
	kind, ns := engine.KindClusterResourcePlacement, o.Labels[placement.LabelParentPlacementNamespace]
	if ns != "" {
		kind = engine.KindResourcePlacement
	}
	w := world.Work{
		ID: hub.ID(engine.KindWork, o.Namespace, o.Name, string(o.UID)), Binding: o.Labels[placement.LabelParentBinding], Finalizers: o.Finalizers,
		Placement: hub.ID(kind, ns, o.Labels[placement.LabelParentPlacement], ""),
	}
	if o.DeletionTimestamp != nil {
		w.Deleting = o.DeletionTimestamp.Time
	}
	for i := range o.Status.Manifests {
		w.Objects = append(w.Objects, o.Status.Manifests[i].Identifier)
	}
	return w
}
