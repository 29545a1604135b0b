package controller

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/demo/store"
	"github.com/stagewatch/stagewatch/engine/drive/pass"
)

// input reads what the next pass over a run can need. What decides for good, at
// initialization, is read from the hub itself first: the streams of different
// kinds are not in step, and a placement created just before its run may not
// have arrived. Later passes live from the streams.
func (e *Controller) input(ctx context.Context, run *placement.StagedUpdateRun) pass.Input {
	in := pass.Input{Run: run}
	need := pass.NeedOf(run)
	if need == (pass.Need{}) {
		return in
	}
	of := store.Key{Namespace: run.Namespace, Name: run.Spec.PlacementName}
	strategy := store.Key{Namespace: run.Namespace, Name: run.Spec.StagedRolloutStrategyName}
	w := e.world
	if need.Strategy {
		in.Failed = refresh(ctx, w, of, strategy)
		in.Strategy = w.Strategies.Get(strategy)
		in.Kinds, in.Failed.Kinds = e.kinds.Get(selected(w.Placements.Get(of)))
	} else {
		in.Failed = pass.ReadErrors{
			Placement: w.Placements.NotListed(of.Namespace), PolicySnapshots: w.PolicySnapshots.NotListed(of.Namespace),
			Bindings: w.Bindings.NotListed(of.Namespace), Members: w.Members.NotListed(""),
		}
	}
	in.Placement = w.Placements.Get(of)
	in.PolicySnapshots = w.PolicySnapshots.Of(of)
	in.Bindings = w.Bindings.Of(of)
	in.Members = w.Members.Named(targets(in.Bindings))
	if need.ResourceSnapshots {
		in.ResourceSnapshots = w.ResourceSnapshots.Of(of)
	}
	if need.Overrides {
		in.ClusterOverrides = w.ClusterOverrides.All(func(*placement.ClusterResourceOverrideSnapshot) bool { return true })
		in.Overrides = w.Overrides.All(func(*placement.ResourceOverrideSnapshot) bool { return true })
	}
	return in
}

// targets are the clusters of bindings: no rule asks for another member, and a
// hub may have far more.
func targets(bindings []*placement.ResourceBinding) []string {
	names := make([]string, len(bindings))
	for i, b := range bindings {
		names[i] = b.Spec.TargetCluster
	}
	return names
}

// refresh reads what initialization reads, and says what could not be read.
func refresh(ctx context.Context, w *store.Store, of, strategy store.Key) pass.ReadErrors {
	var (
		failed pass.ReadErrors
		reads  sync.WaitGroup
	)
	read := func(err *error, from func() error) {
		reads.Go(func() { *err = from() })
	}
	one := func(_ any, err error) error {
		// It may be the kind that was not found, and not the object.
		if apierrors.IsNotFound(err) && !apierrors.IsUnexpectedServerError(err) {
			return nil
		}
		return err
	}
	read(&failed.Placement, func() error { return one(w.Placements.Read(ctx, of)) })
	read(&failed.Strategy, func() error { return one(w.Strategies.Read(ctx, strategy)) })
	// A name that is no label value is on no label either.
	if len(validation.IsValidLabelValue(of.Name)) == 0 {
		parent := labels.SelectorFromSet(labels.Set{placement.LabelParentPlacement: of.Name})
		read(&failed.PolicySnapshots, func() error { return w.PolicySnapshots.ReadAll(ctx, of.Namespace, parent) })
		reads.Go(func() {
			failed.Bindings = w.Bindings.ReadAll(ctx, of.Namespace, parent)
			failed.Members = readMembers(ctx, w, targets(w.Bindings.Of(of)))
		})
		read(&failed.ResourceSnapshots, func() error { return w.ResourceSnapshots.ReadAll(ctx, of.Namespace, parent) })
	}
	// Overrides that cannot be read would end the run for good
	// (docs/kubefleet.md#quirks, 7.7), and a hub may not serve them: then the
	// streams must do.
	latest := labels.SelectorFromSet(labels.Set{placement.LabelIsLatestSnapshot: "true"})
	var unread [2]error
	read(&unread[0], func() error { return w.ClusterOverrides.ReadAll(ctx, "", latest) })
	read(&unread[1], func() error { return w.Overrides.ReadAll(ctx, metav1.NamespaceAll, latest) })
	reads.Wait()
	return failed
}

// membersEach is how many members are read one by one. A list of them all is
// the better request for more, and the worse one on a hub with a thousand.
const membersEach = 32

// readMembers reads the members with the names, of which some may not exist.
func readMembers(ctx context.Context, w *store.Store, names []string) error {
	names = slices.Compact(slices.Sorted(slices.Values(names)))
	if len(names) > membersEach {
		return w.Members.ReadAll(ctx, "", labels.Everything())
	}
	failures := make([]error, len(names))
	var reads sync.WaitGroup
	for i, name := range names {
		reads.Go(func() {
			if _, err := w.Members.Read(ctx, store.Key{Name: name}); !apierrors.IsNotFound(err) || apierrors.IsUnexpectedServerError(err) {
				failures[i] = err
			}
		})
	}
	reads.Wait()
	return errors.Join(failures...)
}

// selected are the kinds that a placement, if there is one, selects.
func selected(p *placement.ResourcePlacement) []schema.GroupVersionKind {
	if p == nil {
		return nil
	}
	kinds := make([]schema.GroupVersionKind, len(p.Spec.ResourceSelectors))
	for i, term := range p.Spec.ResourceSelectors {
		kinds[i] = schema.GroupVersionKind{Group: term.Group, Version: term.Version, Kind: term.Kind}
	}
	return kinds
}

// kindsAge is how old the list of the hub's kinds may be: upstream discovers
// them every 30 s, and starts to watch the versions that were asked for then.
const kindsAge = 30 * time.Second

// kindList knows the kinds that the hub serves.
type kindList struct {
	client discovery.DiscoveryInterface

	mu    sync.Mutex
	at    time.Time
	kinds []pass.Kind
	// synced holds, for versions that are not preferred and were asked for, when
	// upstream has read them.
	synced map[schema.GroupVersionResource]time.Time
}

// isSynced reports whether upstream's cache of a kind is filled at the given
// time. The cache of a version that is not preferred is made when it is asked
// for, and filled at the next discovery.
func (l *kindList) isSynced(gvr schema.GroupVersionResource, now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.IndexFunc(l.kinds, func(k pass.Kind) bool { return k.GroupVersionResource() == gvr })
	if i < 0 || l.kinds[i].Preferred {
		return true
	}
	at, asked := l.synced[gvr]
	if !asked {
		at = l.at.Add(kindsAge)
		l.synced[gvr] = at
	}
	return !now.Before(at)
}

func newKindList(config *rest.Config) (*kindList, error) {
	client, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("make discovery client: %w", err)
	}
	return &kindList{client: client, synced: map[schema.GroupVersionResource]time.Time{}}, nil
}

// Get returns the kinds, asking the hub again when the list is too old or lacks
// one that is wanted: a kind may be newer than the list. Groups that cannot be
// asked are left out, as they are upstream. While the hub cannot be asked the
// last list serves; without one there is an error.
func (l *kindList) Get(wanted []schema.GroupVersionKind) ([]pass.Kind, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.kinds != nil && time.Since(l.at) < kindsAge && l.has(wanted) {
		return l.kinds, nil
	}
	kinds, err := l.ask()
	if err == nil {
		l.kinds, l.at = kinds, time.Now()
	}
	if l.kinds == nil {
		return nil, err
	}
	return l.kinds, nil
}

func (l *kindList) has(wanted []schema.GroupVersionKind) bool {
	return !slices.ContainsFunc(wanted, func(kind schema.GroupVersionKind) bool {
		return !slices.ContainsFunc(l.kinds, func(k pass.Kind) bool { return k.GroupVersionKind == kind })
	})
}

func (l *kindList) ask() ([]pass.Kind, error) {
	_, served, err := l.client.ServerGroupsAndResources()
	if err != nil && !discovery.IsGroupDiscoveryFailedError(err) {
		return nil, fmt.Errorf("discover kinds: %w", err)
	}
	preferred, err := l.client.ServerPreferredResources()
	if err != nil && !discovery.IsGroupDiscoveryFailedError(err) {
		return nil, fmt.Errorf("discover preferred kinds: %w", err)
	}
	return pass.KindsOf(served, preferred), nil
}
