package fleet

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

// world is what a fleet knows of a hub: a table for each kind.
type world struct {
	hub   dynamic.Interface
	kinds kinds

	runs              *table[placement.StagedUpdateRun]
	strategies        *table[placement.StagedUpdateStrategy]
	approvals         *table[placement.ApprovalRequest]
	placements        *table[placement.ResourcePlacement]
	bindings          *table[placement.ResourceBinding]
	resourceSnapshots *table[placement.ResourceSnapshot]
	policySnapshots   *table[placement.SchedulingPolicySnapshot]
	members           *table[cluster.MemberCluster]
	works             *table[placement.Work]
	clusterOverrides  *table[placement.ClusterResourceOverrideSnapshot]
	overrides         *table[placement.ResourceOverrideSnapshot]
}

// newWorld returns the empty world of the hub that the configuration leads to.
// Requests are not limited: the hub is either this process or has its own
// limits. Its warnings are not passed on: they are about kinds that a placement
// selects, Endpoints first, and nothing that the reader of a log could change.
func newWorld(config *rest.Config) (*world, error) {
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
	alone := func(r resource) pair { return pair{cluster: r, namespaced: r} }
	return &world{
		hub:        hub,
		kinds:      k,
		runs:       newTable[placement.StagedUpdateRun](hub, k.runs, nil),
		strategies: newTable[placement.StagedUpdateStrategy](hub, k.strategies, nil),
		approvals:  newTable[placement.ApprovalRequest](hub, k.approvals, nil),
		placements: newTable[placement.ResourcePlacement](hub, k.placements, nil),
		bindings: newTable(hub, k.bindings, func(b *placement.ResourceBinding) string {
			return b.Labels[placement.LabelParentPlacement]
		}),
		resourceSnapshots: newTable(hub, k.resourceSnapshots, func(s *placement.ResourceSnapshot) string {
			return s.Labels[placement.LabelParentPlacement]
		}),
		policySnapshots: newTable(hub, k.policySnapshots, func(s *placement.SchedulingPolicySnapshot) string {
			return s.Labels[placement.LabelParentPlacement]
		}),
		members: newTable[cluster.MemberCluster](hub, alone(k.members), nil),
		works: newTable(hub, alone(k.works), func(w *placement.Work) string {
			return w.Labels[placement.LabelParentBinding]
		}),
		clusterOverrides: newTable[placement.ClusterResourceOverrideSnapshot](hub, alone(k.clusterOverrides), nil),
		overrides:        newTable[placement.ResourceOverrideSnapshot](hub, alone(k.overrides), nil),
	}, nil
}

// feeds returns the streams that fill the tables that the rules of a rollout
// read, and with members also those that the members' side reads.
func (w *world) feeds(members bool) []*feed {
	var all []*feed
	pairs := map[sink]pair{
		w.runs: w.kinds.runs, w.strategies: w.kinds.strategies, w.approvals: w.kinds.approvals,
		w.placements: w.kinds.placements, w.bindings: w.kinds.bindings,
		w.resourceSnapshots: w.kinds.resourceSnapshots, w.policySnapshots: w.kinds.policySnapshots,
	}
	for into, kinds := range pairs {
		for _, kind := range kinds.both() {
			all = append(all, newFeed(w.hub, kind, into))
		}
	}
	all = append(all,
		newFeed(w.hub, w.kinds.members, w.members),
		newFeed(w.hub, w.kinds.clusterOverrides, w.clusterOverrides),
		newFeed(w.hub, w.kinds.overrides, w.overrides))
	if members {
		all = append(all, newFeed(w.hub, w.kinds.works, w.works))
	}
	return all
}

// askAll asks for every kind that the rules of a rollout read, so that a hub
// that forbids one is told of at once, and not waited for. A hub without runs is
// none; one may do without any other kind.
func (w *world) askAll(ctx context.Context) error {
	for _, f := range w.feeds(false) {
		_, err := client(w.hub, f.kind, "").List(ctx, metav1.ListOptions{Limit: 1})
		if err != nil && (!apierrors.IsNotFound(err) || f.into == sink(w.runs)) {
			return fmt.Errorf("list %s: %w", f.kind.gvr.Resource, err)
		}
	}
	return nil
}

// follow starts the streams and returns when each has delivered what there was,
// or ctx has ended. They end with ctx, and then done.
func (w *world) follow(ctx context.Context, members bool, done *sync.WaitGroup) error {
	feeds := w.feeds(members)
	for _, f := range feeds {
		done.Go(func() { f.run(ctx) })
	}
	for _, f := range feeds {
		select {
		case <-f.synced:
		case <-ctx.Done():
			return fmt.Errorf("wait for %s: %w", f.kind.gvr.Resource, ctx.Err())
		}
	}
	return nil
}
