package ask

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/client-go/rest"

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
	switch of.What {
	case engine.ReadOverrides:
		out.Overrides, err = rd.overridesOf(ctx, place, of.Member.RawName())
	case engine.ReadManifest:
		out.Manifest, err = rd.manifest(ctx, of.Member)
		if kind := client.KindOf(err); kind == client.Forbidden || kind == client.NotServed {
			err = nil // the diagnosis does without
		}
	default:
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
	ctx, cancel := rd.hub.Patiently(ctx, readDeadline)
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
	selector := ""
	if name := place.RawName(); of.What == engine.ReadWorks && len(validation.IsValidLabelValue(name)) == 0 {
		selector = placement.LabelParentPlacement + "=" + name
	}
	get := func(r *rest.Request, into any) error {
		if of.What == engine.ReadWorks {
			r = r.SetHeader("Accept", metadataOnly)
		}
		return fetch(ctx, rd.hub, r, into)
	}
	err := eachPage(rd.hub, placement.ResourceWorks, placement.MemberNamespace(of.Member.RawName()), selector, get, func(o *workHead) {
		if w := workOf(rd.hub.Name(), o); of.What == engine.ReadObjects || w.Placement == place.Key() {
			out = append(out, w)
		}
	})
	if err != nil {
		return nil, err
	}
	return out, nil
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
