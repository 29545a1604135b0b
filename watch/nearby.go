package watch

import (
	"context"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
)

// nearbyEvery is how often the objects beside the run that is looked at are
// read again: a diagnosis tells what was repaired meanwhile.
const nearbyEvery = 10 * time.Second

// planEvery is the same with the plan of a run, which reads more.
const planEvery = 15 * time.Second

// metadataOnly asks for a list without specs and statuses: a resource snapshot
// may hold a megabyte of manifests.
const metadataOnly = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"

// neighbor reads what no stream brings and the diagnosis of the run needs that
// is looked at. One goroutine, run, owns it.
type neighbor struct {
	hub   *client
	in    *inbox
	wantc chan beside // cap 1, latest wins
}

// wants says what is looked at now. Only the feed calls it.
func (n *neighbor) wants(want beside) {
	select {
	case <-n.wantc:
	default:
	}
	n.wantc <- want
}

func (n *neighbor) run(ctx context.Context) {
	timer := time.NewTimer(time.Hour)
	timer.Stop()
	var want beside
	for {
		select {
		case <-ctx.Done():
			return
		case next := <-n.wantc:
			if next == want {
				continue
			}
			want = next
			n.in.setNearby(nil) // what was read may be old when it is needed again
			if want == (beside{}) {
				timer.Stop()
				continue
			}
			timer.Reset(restingCursor)
		case <-timer.C:
			got, every := n.hub.nearby(ctx, want.placement), nearbyEvery
			if !want.run.IsZero() {
				got.Plan, every = n.hub.planOf(ctx, want.run), planEvery
			}
			if ctx.Err() != nil {
				return
			}
			n.in.setNearby(got)
			timer.Reset(jitter(every))
		}
	}
}

// planOf plans a run as it stands on the hub. A plan that could not be made says
// so as a gap.
func (h *client) planOf(ctx context.Context, id engine.ID) *engine.Plan {
	ns, name, _ := id.Raw()
	run, err := h.run(ctx, ns, name)
	if err != nil {
		return &engine.Plan{Run: id, Unknown: []engine.PlanGap{{
			What: engine.Lit("the run"), Why: sortError(err, h.server).err, Forbidden: kindOf(err) == failForbidden,
		}}}
	}
	p := h.plan(ctx, run, assumptions{})
	return &p
}

// setNearby leaves what was read for the feed.
func (in *inbox) setNearby(n *engine.Nearby) {
	in.setNames(func(names *names) {
		names.nearby = n
		names.nearbySeq++
	})
}

// nearby reads the strategies of the scope, the placement and the metadata of
// its snapshots, all at once. What cannot be read is a gap.
func (h *client) nearby(ctx context.Context, place engine.ID) *engine.Nearby {
	out := &engine.Nearby{Placement: place.Key()}
	ns, name, _ := place.Raw()
	var reads sync.WaitGroup
	var strategies, own, resources, policies error
	reads.Go(func() {
		out.Strategies, strategies = readAll[placement.StagedUpdateStrategy](ctx, h,
			scoped(ns, placement.ResourceClusterStagedUpdateStrategies, placement.ResourceStagedUpdateStrategies), ns, nil)
		if strategies == nil && out.Strategies == nil {
			out.Strategies = []*placement.StagedUpdateStrategy{}
		}
	})
	reads.Go(func() {
		p, err := maybe(readOne[placement.ResourcePlacement](ctx, h,
			scoped(ns, placement.ResourceClusterResourcePlacements, placement.ResourceResourcePlacements), ns, name))
		if own = err; p != nil {
			out.PlacementRead, out.Apply = true, p.Spec.Strategy.ApplyStrategy
		}
	})
	// A name that is no label value is on no label either.
	if len(validation.IsValidLabelValue(name)) == 0 {
		of := labels.SelectorFromSet(labels.Set{placement.LabelParentPlacement: name}).String()
		reads.Go(func() {
			out.Resources, resources = readMetadata[placement.ResourceSnapshot](ctx, h,
				scoped(ns, placement.ResourceClusterResourceSnapshots, placement.ResourceResourceSnapshots), ns, of)
		})
		reads.Go(func() {
			out.Policies, policies = readMetadata[placement.SchedulingPolicySnapshot](ctx, h,
				scoped(ns, placement.ResourceClusterSchedulingPolicySnapshots, placement.ResourceSchedulingPolicySnapshots), ns, of)
		})
	}
	reads.Wait()
	for _, r := range []struct {
		what engine.Text
		err  error
	}{
		{engine.Lit("strategies"), strategies}, {engine.Lit("the placement"), own},
		{engine.Lit("resource snapshots"), resources}, {engine.Lit("policy snapshots"), policies},
	} {
		if r.err != nil {
			out.Gaps = append(out.Gaps, engine.PlanGap{What: r.what, Why: engine.Clean(r.err.Error()), Forbidden: kindOf(r.err) == failForbidden})
		}
	}
	return out
}

// readMetadata reads the metadata of the objects of a set that match the
// selector, into their own type.
func readMetadata[T any](ctx context.Context, h *client, resource, ns, selector string) ([]T, error) {
	var list struct {
		Items []T `json:"items"`
	}
	r := h.set(resource, ns, "").SetHeader("Accept", metadataOnly).Param("labelSelector", selector)
	if err := fetch(ctx, r, &list); err != nil {
		return nil, err
	}
	if list.Items == nil {
		list.Items = []T{} // read, and empty
	}
	return list.Items, nil
}
