package fleet

import (
	"context"
	"fmt"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"

	cluster "github.com/stagewatch/stagewatch/api/cluster/v1beta1"
	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine/drive"
)

// input reads what the next pass over a run can need. What decides for good, at
// initialization, is read from the hub itself first: the streams of different
// kinds are not in step, and a placement created just before its run may not
// have arrived. Later passes live from the streams.
func (e *engine) input(ctx context.Context, run *placement.StagedUpdateRun) drive.Input {
	in := drive.Input{Run: run}
	need := drive.NeedOf(run)
	if need == (drive.Need{}) {
		return in
	}
	of := key{Namespace: run.Namespace, Name: run.Spec.PlacementName}
	strategy := key{Namespace: run.Namespace, Name: run.Spec.StagedRolloutStrategyName}
	w := e.world
	if need.Strategy {
		in.Failed = w.refresh(ctx, of, strategy)
		in.Kinds = e.kinds.get()
		in.Strategy = w.strategies.get(strategy)
	}
	in.Placement = w.placements.get(of)
	in.PolicySnapshots = w.policySnapshots.of(of)
	in.Bindings = w.bindings.of(of)
	in.Members = w.members.all(func(*cluster.MemberCluster) bool { return true })
	if need.ResourceSnapshots {
		in.ResourceSnapshots = w.resourceSnapshots.of(of)
	}
	if need.Overrides {
		in.ClusterOverrides = w.clusterOverrides.all(func(*placement.ClusterResourceOverrideSnapshot) bool { return true })
		in.Overrides = w.overrides.all(func(*placement.ResourceOverrideSnapshot) bool { return true })
	}
	return in
}

// refresh reads what initialization reads, and says what could not be read.
func (w *world) refresh(ctx context.Context, of, strategy key) drive.ReadErrors {
	var (
		failed drive.ReadErrors
		reads  sync.WaitGroup
	)
	read := func(err *error, from func() error) {
		reads.Go(func() { *err = from() })
	}
	one := func(_ any, err error) error {
		if apierrors.IsNotFound(err) {
			return nil
		}
		return err
	}
	read(&failed.Placement, func() error { return one(w.placements.read(ctx, of)) })
	read(&failed.Strategy, func() error { return one(w.strategies.read(ctx, strategy)) })
	read(&failed.Members, func() error { return w.members.readAll(ctx, "", labels.Everything()) })
	// A name that is no label value is on no label either.
	if len(validation.IsValidLabelValue(of.Name)) == 0 {
		parent := labels.SelectorFromSet(labels.Set{placement.LabelParentPlacement: of.Name})
		read(&failed.PolicySnapshots, func() error { return w.policySnapshots.readAll(ctx, of.Namespace, parent) })
		read(&failed.Bindings, func() error { return w.bindings.readAll(ctx, of.Namespace, parent) })
		read(&failed.ResourceSnapshots, func() error { return w.resourceSnapshots.readAll(ctx, of.Namespace, parent) })
	}
	reads.Wait()
	return failed
}

// kindsAge is how old the list of the hub's kinds may be (facts 3.11 A).
const kindsAge = 30 * time.Second

// kindList knows the kinds that the hub serves.
type kindList struct {
	client discovery.DiscoveryInterface

	mu    sync.Mutex
	at    time.Time
	kinds []drive.Kind
}

func newKindList(config *rest.Config) (*kindList, error) {
	client, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("make discovery client: %w", err)
	}
	return &kindList{client: client}, nil
}

// get returns the kinds, asking the hub again when the list is too old. Groups
// that cannot be asked are left out, as they are upstream.
func (l *kindList) get() []drive.Kind {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.kinds != nil && time.Since(l.at) < kindsAge {
		return l.kinds
	}
	_, served, err := l.client.ServerGroupsAndResources()
	if err != nil && !discovery.IsGroupDiscoveryFailedError(err) {
		return l.kinds
	}
	var preferred []*metav1.APIResourceList
	preferred, err = l.client.ServerPreferredResources()
	if err != nil && !discovery.IsGroupDiscoveryFailedError(err) {
		return l.kinds
	}
	l.kinds, l.at = drive.KindsOf(served, preferred), time.Now()
	return l.kinds
}
