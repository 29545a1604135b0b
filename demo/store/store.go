// Package store keeps the objects of a hub in tables that reflectors fill, with one
// work queue for the controllers that react to them.
//
// A table is not an informer with a MutationCache: that cache either hides an
// object just created or, with includeAdds, returns objects that were deleted, and
// the rules of a rollout must see neither.
package store

import (
	"context"
	"fmt"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	cluster "github.com/stagewatch/stagewatch/api/cluster/v1beta1"
	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

// Store holds the objects of a hub: a table for each kind.
type Store struct {
	Hub   dynamic.Interface
	Kinds kinds

	Runs              *Table[placement.StagedUpdateRun]
	Strategies        *Table[placement.StagedUpdateStrategy]
	Approvals         *Table[placement.ApprovalRequest]
	Placements        *Table[placement.ResourcePlacement]
	Bindings          *Table[placement.ResourceBinding]
	ResourceSnapshots *Table[placement.ResourceSnapshot]
	PolicySnapshots   *Table[placement.SchedulingPolicySnapshot]
	Members           *Table[cluster.MemberCluster]
	Works             *Table[placement.Work]
	ClusterOverrides  *Table[placement.ClusterResourceOverrideSnapshot]
	Overrides         *Table[placement.ResourceOverrideSnapshot]
}

// New returns an empty store for the hub of the configuration. The client does not
// limit its requests: the hub is this process, or has limits of its own. Warnings of
// the hub are dropped: they are about kinds that a placement selects.
func New(config *rest.Config) (*Store, error) {
	config = rest.CopyConfig(config)
	config.QPS = -1
	config.Timeout = 0 // a timeout here would cut watches
	config.UserAgent = placement.FieldManagerUpdateRun
	config.WarningHandler = rest.NoWarnings{}
	hub, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("make client: %w", err)
	}
	k := hubKinds()
	alone := func(r Kind) Pair { return Pair{Cluster: r, Namespaced: r} }
	return &Store{
		Hub:        hub,
		Kinds:      k,
		Runs:       newTable[placement.StagedUpdateRun](hub, k.Runs, nil),
		Strategies: newTable[placement.StagedUpdateStrategy](hub, k.Strategies, nil),
		Approvals:  newTable[placement.ApprovalRequest](hub, k.Approvals, nil),
		Placements: newTable[placement.ResourcePlacement](hub, k.Placements, nil),
		Bindings: newTable(hub, k.Bindings, func(b *placement.ResourceBinding) string {
			return b.Labels[placement.LabelParentPlacement]
		}),
		ResourceSnapshots: newTable(hub, k.ResourceSnapshots, func(s *placement.ResourceSnapshot) string {
			return s.Labels[placement.LabelParentPlacement]
		}),
		PolicySnapshots: newTable(hub, k.PolicySnapshots, func(s *placement.SchedulingPolicySnapshot) string {
			return s.Labels[placement.LabelParentPlacement]
		}),
		Members: newTable[cluster.MemberCluster](hub, alone(k.Members), nil),
		Works: newTable(hub, alone(k.Works), func(w *placement.Work) string {
			return w.Labels[placement.LabelParentBinding]
		}),
		ClusterOverrides: newTable[placement.ClusterResourceOverrideSnapshot](hub, alone(k.clusterOverrides), nil),
		Overrides:        newTable[placement.ResourceOverrideSnapshot](hub, alone(k.overrides), nil),
	}, nil
}

// feeds returns the streams of the tables that the rules of a rollout read, and
// with members those of the tables that simulated members read.
func (w *Store) feeds(members bool) []*stream {
	var all []*stream
	pairs := map[sink]Pair{
		w.Runs: w.Kinds.Runs, w.Strategies: w.Kinds.Strategies, w.Approvals: w.Kinds.Approvals,
		w.Placements: w.Kinds.Placements, w.Bindings: w.Kinds.Bindings,
		w.ResourceSnapshots: w.Kinds.ResourceSnapshots, w.PolicySnapshots: w.Kinds.PolicySnapshots,
	}
	for into, kinds := range pairs {
		for _, kind := range kinds.both() {
			all = append(all, newStream(w.Hub, kind, into))
		}
	}
	all = append(all,
		newStream(w.Hub, w.Kinds.Members, w.Members),
		newStream(w.Hub, w.Kinds.clusterOverrides, w.ClusterOverrides),
		newStream(w.Hub, w.Kinds.overrides, w.Overrides))
	if members {
		all = append(all, newStream(w.Hub, w.Kinds.Works, w.Works))
	}
	return all
}

// AskAll lists one object of every kind that the rules of a rollout read, so that
// a forbidden kind is an error at once. Of the kinds, only runs must exist.
func (w *Store) AskAll(ctx context.Context) error {
	for _, f := range w.feeds(false) {
		_, err := Client(w.Hub, f.kind, "").List(ctx, metav1.ListOptions{Limit: 1})
		if err != nil && (!apierrors.IsNotFound(err) || f.into == sink(w.Runs)) {
			return fmt.Errorf("list %s: %w", f.kind.GVR.Resource, err)
		}
	}
	return nil
}

// Follow starts the streams and returns when each has delivered its first list, or
// ctx has ended. The streams end with ctx; done counts them.
func (w *Store) Follow(ctx context.Context, members bool, done *sync.WaitGroup) error {
	feeds := w.feeds(members)
	for _, f := range feeds {
		done.Go(func() { f.run(ctx) })
	}
	for _, f := range feeds {
		select {
		case <-f.synced:
		case <-ctx.Done():
			return fmt.Errorf("wait for %s: %w", f.kind.GVR.Resource, ctx.Err())
		}
	}
	return nil
}
