// Package works simulates the hub's work generator, which turns bindings into Works, and
// the status that it and the placement controller report.
package works

import (
	"context"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/demo/store"
)

// Generator is the work generator of the hub: it turns bindings into Works, and
// what Works report into the status of bindings (docs/kubefleet.md#conditions).
type Generator struct {
	world                *store.Store
	bindings, placements *store.Queue
	// seeded is closed when every Work of the seed exists with its status. Until then a
	// Work of a binding that is at rest, or its status, is on its way.
	seeded chan struct{}
}

// New returns a work generator with its queues connected to the tables.
// Call it before the tables receive objects.
func New(w *store.Store, log *slog.Logger) *Generator {
	g := &Generator{world: w, seeded: make(chan struct{})}
	g.bindings = store.NewRetryQueue("bindings", log, g.pass)
	g.placements = store.NewRetryQueue("placements", log, (&placer{world: w}).pass)
	w.Bindings.Observe(func(before, after *placement.ResourceBinding) {
		b := after
		if b == nil {
			b = before
		}
		g.bindings.Add(store.Key{Namespace: b.Namespace, Name: b.Name}, 0)
		g.placements.Add(store.Key{Namespace: b.Namespace, Name: b.Labels[placement.LabelParentPlacement]}, settleTime)
	})
	w.Works.Observe(func(before, after *placement.Work) {
		work := after
		if work == nil {
			work = before
		}
		g.bindings.Add(store.Key{
			Namespace: work.Labels[placement.LabelParentPlacementNamespace], Name: work.Labels[placement.LabelParentBinding],
		}, 0)
	})
	w.Placements.Observe(func(_, after *placement.ResourcePlacement) {
		if after != nil {
			g.placements.Add(store.Key{Namespace: after.Namespace, Name: after.Name}, settleTime)
		}
	})
	return g
}

// Start starts the workers. They end with ctx, and then done.
func (g *Generator) Start(ctx context.Context, done *sync.WaitGroup) {
	g.bindings.Start(ctx, 2, done)
	g.placements.Start(ctx, 1, done)
}

// SeedDone says that every Work of the seed exists with its status: a missing Work has
// been deleted since.
func (g *Generator) SeedDone() { close(g.seeded) }

// awaited tells whether a Work that is missing, or its status, will still be seeded.
func (g *Generator) awaited(b *placement.ResourceBinding) bool {
	select {
	case <-g.seeded:
		return false
	default:
		available := meta.FindStatusCondition(b.Status.Conditions, placement.BindingAvailable)
		return available != nil && available.Status == metav1.ConditionTrue && available.ObservedGeneration == b.Generation
	}
}

// pass looks at one binding.
func (g *Generator) pass(ctx context.Context, k store.Key) (time.Duration, error) {
	b := g.world.Bindings.Get(k)
	if b == nil {
		return 0, nil
	}
	if b.DeletionTimestamp != nil {
		return 0, g.remove(ctx, b)
	}
	started := meta.FindStatusCondition(b.Status.Conditions, placement.BindingRolloutStarted)
	if b.Spec.State != placement.BindingBound || started == nil || started.Status == metav1.ConditionUnknown ||
		started.ObservedGeneration != b.Generation {
		return 0, nil
	}
	r, wait, err := g.write(ctx, b)
	if err != nil || wait {
		return 0, err
	}
	next := b.DeepCopy()
	next.Status = r.status(b, metav1.NewTime(time.Now()))
	if sameButForTimes(b.Status, next.Status) {
		return 0, nil
	}
	_, err = g.world.Bindings.Update(ctx, next, "status", metav1.UpdateOptions{})
	return 0, err
}

// write brings the binding's Works in line with its spec. Only what a person
// would have to repair ends up in the report; the rest is tried again. wait
// says that there is nothing to report yet.
func (g *Generator) write(ctx context.Context, b *placement.ResourceBinding) (r report, wait bool, err error) {
	sources, err := g.sources(b)
	if err != nil {
		r.syncErr = err
		return r, false, nil
	}
	for _, from := range sources {
		from.Manifests, r.overridden, r.overrideErr = g.overridden(b, from.Manifests)
		if r.overrideErr != nil {
			return r, false, nil
		}
		want := NewWork(b, from)
		have := g.world.Works.Get(store.Key{Namespace: want.Namespace, Name: want.Name})
		switch {
		case (have == nil || len(have.Status.Conditions) == 0) && g.awaited(b):
			return r, true, nil
		case have == nil:
			have, err = g.world.Works.Create(ctx, want)
			r.changed = true
		case !sameWork(have, want):
			next := have.DeepCopy()
			next.Labels, next.Annotations, next.Spec = want.Labels, want.Annotations, want.Spec
			have, err = g.world.Works.Update(ctx, next, "", metav1.UpdateOptions{})
			r.changed = true
		}
		if err != nil {
			return r, false, fmt.Errorf("write work %s/%s: %w", want.Namespace, want.Name, err)
		}
		r.works = append(r.works, have)
	}
	return r, false, nil
}

// Manifests returns the manifests of the binding's snapshot, with the binding's
// overrides applied.
func (g *Generator) Manifests(b *placement.ResourceBinding) ([]placement.ResourceContent, error) {
	sources, err := g.sources(b)
	if err != nil {
		return nil, err
	}
	contents, _, err := g.overridden(b, sources[0].Manifests)
	return contents, err
}

// sources are the snapshots of the index that the binding is bound to.
func (g *Generator) sources(b *placement.ResourceBinding) ([]Source, error) {
	parent := store.Key{Namespace: b.Namespace, Name: b.Labels[placement.LabelParentPlacement]}
	master := g.world.ResourceSnapshots.Get(store.Key{Namespace: b.Namespace, Name: b.Spec.ResourceSnapshotName})
	if master == nil {
		return nil, fmt.Errorf("resource snapshot %s is not found", b.Spec.ResourceSnapshotName)
	}
	index := master.Labels[placement.LabelResourceIndex]
	sources := []Source{{Index: index, Snapshot: master.Name, Manifests: master.Spec.SelectedResources}}
	for _, s := range g.world.ResourceSnapshots.Of(parent) {
		sub, isPart := s.Annotations[placement.AnnotationSubindex]
		if isPart && s.Labels[placement.LabelResourceIndex] == index {
			sources = append(sources, Source{Index: index, Snapshot: s.Name, part: sub, Manifests: s.Spec.SelectedResources})
		}
	}
	return sources, nil
}

// remove takes the Works of a deleted binding away, and lets the binding go
// when the member has removed what they placed.
func (g *Generator) remove(ctx context.Context, b *placement.ResourceBinding) error {
	works := g.world.Works.Of(store.Key{Namespace: placement.MemberNamespace(b.Spec.TargetCluster), Name: b.Name})
	for _, w := range works {
		if w.DeletionTimestamp != nil {
			continue
		}
		err := g.world.Works.Delete(ctx, store.Key{Namespace: w.Namespace, Name: w.Name}, metav1.DeleteOptions{})
		if err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("delete work %s/%s: %w", w.Namespace, w.Name, err)
		}
	}
	if len(works) > 0 || len(b.Finalizers) == 0 {
		return nil
	}
	next := b.DeepCopy()
	next.Finalizers = slices.DeleteFunc(next.Finalizers, func(f string) bool {
		return f == placement.FinalizerWork || f == placement.FinalizerSchedulerBinding
	})
	if len(next.Finalizers) == len(b.Finalizers) {
		return nil
	}
	_, err := g.world.Bindings.Update(ctx, next, "", metav1.UpdateOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// sameButForTimes tells whether two statuses of a binding say the same: the
// generator writes its conditions anew in each pass, and a status that only has
// newer times is not worth a request.
func sameButForTimes(a, b placement.BindingStatus) bool {
	timeless := func(s placement.BindingStatus) placement.BindingStatus {
		s = *s.DeepCopy()
		for i := range s.Conditions {
			s.Conditions[i].LastTransitionTime = metav1.Time{}
		}
		for i := range s.FailedPlacements {
			s.FailedPlacements[i].Condition.LastTransitionTime = metav1.Time{}
		}
		return s
	}
	return reflect.DeepEqual(timeless(a), timeless(b))
}
