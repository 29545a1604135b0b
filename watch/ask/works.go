package ask

import (
	"context"
	"net/http"
	"strconv"

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

// answer reads what a diagnosis needs beside the streams.
func (rd Reader) answer(ctx context.Context, place engine.ID, of engine.HubReadOf) *world.HubAnswer {
	out := &world.HubAnswer{}
	var err error
	if of.What == engine.ReadOverrides {
		out.Overrides, err = rd.overridesOf(ctx, place, of.Member.RawName())
	} else {
		out.Works, err = rd.worksOf(ctx, place, of)
	}
	if err != nil {
		return &world.HubAnswer{Gap: &engine.Gap{What: of.Title(), Why: rd.hub.Failure(err).Err, Forbidden: client.KindOf(err) == client.Forbidden}}
	}
	return out
}

// overridesOf compares the override snapshots that the binding of a cluster names
// with the latest ones.
func (rd Reader) overridesOf(ctx context.Context, place engine.ID, member string) ([]world.OverrideUse, error) {
	ctx, cancel := context.WithTimeout(ctx, readDeadline)
	defer cancel()
	p := &pages{Asker: New(Config{Hub: rd.hub})}
	all, _, err := p.bindings(ctx, place)
	for i := range all {
		if b := &all[i]; b.Spec.TargetCluster == member && b.DeletionTimestamp == nil && err == nil {
			return p.overrideUses(ctx, b)
		}
	}
	return nil, err
}

// worksOf reads Works from a member's namespace: of the placement only their
// metadata, of every placement the objects too.
func (rd Reader) worksOf(ctx context.Context, place engine.ID, of engine.HubReadOf) ([]world.Work, error) {
	var out []world.Work
	for next := ""; ; {
		r := rd.hub.At(http.MethodGet, engine.KindWork, placement.MemberNamespace(of.Member.RawName()), "")
		if of.What == engine.ReadWorks {
			r = r.SetHeader("Accept", metadataOnly)
			if name := place.RawName(); len(validation.IsValidLabelValue(name)) == 0 {
				r = r.Param("labelSelector", placement.LabelParentPlacement+"="+name)
			}
		} else {
			r = r.Param("limit", strconv.Itoa(worksPage))
		}
		if next != "" {
			r = r.Param("continue", next)
		}
		var list struct {
			Metadata metav1.ListMeta `json:"metadata"`
			Items    []workHead      `json:"items"`
		}
		if err := fetch(ctx, rd.hub, r, &list); err != nil {
			return nil, err
		}
		for i := range list.Items {
			if w := workOf(rd.hub.Name(), &list.Items[i]); of.What == engine.ReadObjects || w.Placement == place.Key() {
				out = append(out, w)
			}
		}
		if next = list.Metadata.Continue; next == "" {
			return out, nil
		}
	}
}

// worksPage is how many Works, with their manifests, one request returns.
const worksPage = 50

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
