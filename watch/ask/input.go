package ask

import (
	"context"
	"fmt"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/client-go/rest"

	cluster "github.com/stagewatch/stagewatch/api/cluster/v1beta1"
	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine/drive/pass"
	"github.com/stagewatch/stagewatch/watch/client"
	"github.com/stagewatch/stagewatch/watch/internal/task"
)

// Reader reads what plans and diagnoses need beside the objects of the streams.
type Reader struct {
	hub    *client.Client
	shared *shared // nil: everything is read each time
}

// NewReader returns a Reader of a hub.
func NewReader(hub *client.Client) Reader { return Reader{hub: hub} }

// Run reads a run whole; an empty namespace means a cluster run.
func (rd Reader) Run(ctx context.Context, ns, name string) (*placement.StagedUpdateRun, error) {
	return readOne[placement.StagedUpdateRun](ctx, rd.hub, scoped(ns, placement.ResourceClusterStagedUpdateRuns, placement.ResourceStagedUpdateRuns), ns, name)
}

// RunsNamed reads the namespaced runs of one name, in all namespaces.
func (rd Reader) RunsNamed(ctx context.Context, name string) ([]*placement.StagedUpdateRun, error) {
	var list struct {
		Items []*placement.StagedUpdateRun `json:"items"`
	}
	is := fields.OneTermEqualSelector("metadata.name", name)
	err := fetch(ctx, rd.hub, rd.hub.Set(http.MethodGet, placement.ResourceStagedUpdateRuns, "", "").Param("fieldSelector", is.String()), &list)
	return list.Items, err
}

// resourceSnapshots reads the resource snapshots that a selector matches.
func (rd Reader) resourceSnapshots(ctx context.Context, ns string, of labels.Selector) ([]*placement.ResourceSnapshot, error) {
	return readAll[placement.ResourceSnapshot](ctx, rd.hub,
		scoped(ns, placement.ResourceClusterResourceSnapshots, placement.ResourceResourceSnapshots), ns, of)
}

// Input reads from the API server the whole objects that the next pass of a run
// may need. The reads are concurrent, each with its own deadline; errors are in
// Input.Failed.
func (rd Reader) Input(ctx context.Context, run *placement.StagedUpdateRun) pass.Input {
	in := pass.Input{Run: run}
	need := pass.NeedOf(run)
	ns, of := run.Namespace, run.Spec.PlacementName
	var reads task.Reads
	read := func(wanted bool, failed *error, from func() error) {
		if wanted {
			reads.Go(func() { *failed = from() })
		}
	}
	read(need.Placement, &in.Failed.Placement, func() (err error) {
		in.Placement, err = readNamed[placement.ResourcePlacement](ctx, rd,
			scoped(ns, placement.ResourceClusterResourcePlacements, placement.ResourceResourcePlacements), ns, of)
		return err
	})
	failed := &in.Failed.Strategy
	if pass.Initialized(run) { // it has a copy: without the strategy, only a change is not noticed
		failed = new(error)
	}
	read(need.Bindings, failed, func() (err error) {
		in.Strategy, err = readNamed[placement.StagedUpdateStrategy](ctx, rd,
			scoped(ns, placement.ResourceClusterStagedUpdateStrategies, placement.ResourceStagedUpdateStrategies), ns, run.Spec.StagedRolloutStrategyName)
		return err
	})
	// A name that is no label value is on no label either.
	labelled := len(validation.IsValidLabelValue(of)) == 0
	parent := labels.SelectorFromSet(labels.Set{placement.LabelParentPlacement: of})
	read(need.PolicySnapshots && labelled, &in.Failed.PolicySnapshots, func() (err error) {
		in.PolicySnapshots, err = readAll[placement.SchedulingPolicySnapshot](ctx, rd.hub,
			scoped(ns, placement.ResourceClusterSchedulingPolicySnapshots, placement.ResourceSchedulingPolicySnapshots), ns, parent)
		return err
	})
	read(need.Bindings && labelled, &in.Failed.Bindings, func() (err error) {
		in.Bindings, err = readAll[placement.ResourceBinding](ctx, rd.hub,
			scoped(ns, placement.ResourceClusterResourceBindings, placement.ResourceResourceBindings), ns, parent)
		return err
	})
	snapshots := parent
	used := run.Status.ResourceSnapshotIndexUsed
	if pass.Initialized(run) && len(validation.IsValidLabelValue(used)) == 0 { // of its snapshots, only the one it uses counts
		need.ResourceSnapshots = need.Bindings && used != ""
		snapshots = labels.SelectorFromSet(labels.Set{placement.LabelParentPlacement: of, placement.LabelResourceIndex: used})
	}
	read(need.ResourceSnapshots && labelled, &in.Failed.ResourceSnapshots, func() (err error) {
		in.ResourceSnapshots = []*placement.ResourceSnapshot{}
		all, err := rd.resourceSnapshots(ctx, ns, snapshots)
		in.ResourceSnapshots = append(in.ResourceSnapshots, all...)
		return err
	})
	read(need.Members, &in.Failed.Members, func() (err error) {
		in.Members, err = readSet[cluster.MemberCluster](ctx, rd, cluster.ResourceMemberClusters, "")
		return err
	})
	var clusterWide, namespaced error
	read(need.Overrides, &clusterWide, func() (err error) {
		in.ClusterOverrides, err = readSet[placement.ClusterResourceOverrideSnapshot](ctx, rd, placement.ResourceClusterResourceOverrideSnapshots, "")
		return err
	})
	read(need.Overrides, &namespaced, func() (err error) {
		in.Overrides, err = readSet[placement.ResourceOverrideSnapshot](ctx, rd, placement.ResourceResourceOverrideSnapshots, "")
		return err
	})
	read(need.Strategy, &in.Failed.Kinds, func() (err error) {
		in.Kinds, err = share(rd, "kinds", func() ([]pass.Kind, error) { return rd.kinds(ctx) })
		return err
	})
	reads.Wait()
	rd.names(ctx, &in, need)
	in.Failed.Overrides = clusterWide
	if in.Failed.Overrides == nil {
		in.Failed.Overrides = namespaced
	}
	return in
}

// names lists what the run could name instead of a placement or a strategy that
// does not exist. A list that cannot be read leaves a hint shorter.
func (rd Reader) names(ctx context.Context, in *pass.Input, need pass.Need) {
	ns := in.Run.Namespace
	if need.Strategy && in.Strategy == nil && in.Failed.Strategy == nil {
		if all, err := rd.strategies(ctx, ns); err == nil {
			in.StrategyNames = make([]string, len(all))
			for i, s := range all {
				in.StrategyNames[i] = s.Name
			}
		}
	}
	if need.Strategy && in.Placement == nil && in.Failed.Placement == nil {
		all, err := readSet[placement.ResourcePlacement](ctx, rd,
			scoped(ns, placement.ResourceClusterResourcePlacements, placement.ResourceResourcePlacements), ns)
		if err == nil {
			in.PlacementNames = []string{}
		}
		for _, p := range all {
			if p.Spec.Strategy.Type == placement.RolloutExternal {
				in.PlacementNames = append(in.PlacementNames, p.Name)
			}
		}
	}
}

func scoped(ns, cluster, namespaced string) string {
	if ns == "" {
		return cluster
	}
	return namespaced
}

// readAgain is how often a read is repeated when the hub asks for that: one
// that has just started answers 429 until its caches are filled.
const readAgain = 3

// fetch reads JSON into a value.
func fetch(ctx context.Context, h *client.Client, r *rest.Request, into any) error {
	ctx, cancel := h.Patiently(ctx, readDeadline)
	defer cancel()
	raw, err := h.Do(ctx, r.MaxRetries(readAgain))
	if err != nil {
		return plain(err)
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return fmt.Errorf("%w: %w", client.ErrNotJSON, err)
	}
	return nil
}

// readError is an error of a read in words, still of its kind.
type readError struct {
	words string
	cause error
}

// plain gives an error the words of client.Message.
func plain(err error) error { return &readError{client.Message(err), err} }

func (e *readError) Error() string { return e.words }

func (e *readError) Unwrap() error { return e.cause }

// readOne reads one object. A cluster-scoped one comes as its namespaced twin
// without a namespace: the two have one shape.
func readOne[T any](ctx context.Context, h *client.Client, resource, ns, name string) (*T, error) {
	var o T
	if !nameable(name) {
		return nil, apierrors.NewNotFound(schema.GroupResource{Group: placement.Group, Resource: resource}, name)
	}
	if err := fetch(ctx, h, h.Set(http.MethodGet, resource, ns, name), &o); err != nil {
		return nil, err
	}
	return &o, nil
}

// nameable reports whether an object can have the name: no path can be made of
// others, and that nothing has such a name is known without asking.
func nameable(name string) bool { return name != "" && len(rest.IsValidPathSegmentName(name)) == 0 }

// readMaybe is readOne that returns nil for an object that does not exist.
func readMaybe[T any](ctx context.Context, h *client.Client, resource, ns, name string) (*T, error) {
	o, err := readOne[T](ctx, h, resource, ns, name)
	if client.IsMissing(err, name) {
		return nil, nil
	}
	return o, err
}

// readAll reads the objects of a set that match the selector, all of them
// without one.
func readAll[T any](ctx context.Context, h *client.Client, resource, ns string, selector labels.Selector) ([]*T, error) {
	matching := ""
	if selector != nil {
		matching = selector.String()
	}
	var all []*T
	err := eachPage(h, resource, ns, matching, func(r *rest.Request, into any) error { return fetch(ctx, h, r, into) }, func(o **T) { all = append(all, *o) })
	if err != nil {
		return nil, err
	}
	return all, nil
}
