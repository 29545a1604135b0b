// Package rollout has one run on a hub in memory, for the tests of the rules of
// update runs: World holds the objects, a clock and the controller's loop.
package rollout

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	cluster "github.com/stagewatch/stagewatch/api/cluster/v1beta1"
	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine/drive/pass"
)

// Hub is a hub in memory, of one scope: it holds objects, answers requests as an
// API server does (generations, resource versions, conflicts, finalizers, the
// status subresource, times stored to the second), and returns the Input of a
// run. It is not safe for concurrent use.
type Hub struct {
	Runs              map[types.NamespacedName]*placement.StagedUpdateRun
	Placements        map[types.NamespacedName]*placement.ResourcePlacement
	PolicySnapshots   map[types.NamespacedName]*placement.SchedulingPolicySnapshot
	Bindings          map[types.NamespacedName]*placement.ResourceBinding
	Strategies        map[types.NamespacedName]*placement.StagedUpdateStrategy
	ResourceSnapshots map[types.NamespacedName]*placement.ResourceSnapshot
	Approvals         map[types.NamespacedName]*placement.ApprovalRequest
	Members           map[types.NamespacedName]*cluster.MemberCluster
	ClusterOverrides  map[types.NamespacedName]*placement.ClusterResourceOverrideSnapshot
	Overrides         map[types.NamespacedName]*placement.ResourceOverrideSnapshot
	// Objects are what resource selection finds, by resource.
	Objects map[schema.GroupVersionResource][]*unstructured.Unstructured
	Kinds   []pass.Kind
	// Now is the clock for deletion and creation timestamps.
	Now time.Time

	version int
}

// NewHub returns an empty hub.
func NewHub(now time.Time) *Hub {
	return &Hub{
		Runs:              map[types.NamespacedName]*placement.StagedUpdateRun{},
		Placements:        map[types.NamespacedName]*placement.ResourcePlacement{},
		PolicySnapshots:   map[types.NamespacedName]*placement.SchedulingPolicySnapshot{},
		Bindings:          map[types.NamespacedName]*placement.ResourceBinding{},
		Strategies:        map[types.NamespacedName]*placement.StagedUpdateStrategy{},
		ResourceSnapshots: map[types.NamespacedName]*placement.ResourceSnapshot{},
		Approvals:         map[types.NamespacedName]*placement.ApprovalRequest{},
		Members:           map[types.NamespacedName]*cluster.MemberCluster{},
		ClusterOverrides:  map[types.NamespacedName]*placement.ClusterResourceOverrideSnapshot{},
		Overrides:         map[types.NamespacedName]*placement.ResourceOverrideSnapshot{},
		Objects:           map[schema.GroupVersionResource][]*unstructured.Unstructured{},
		Now:               now,
	}
}

// Put stores an object as it is, whatever was there before; only its
// resourceVersion is made new. It is for seeding and for acts of others.
func (m *Hub) Put(objects ...pass.Object) {
	for _, o := range objects {
		o.SetResourceVersion(m.next())
		k := types.NamespacedName{Namespace: o.GetNamespace(), Name: o.GetName()}
		switch o := o.(type) {
		case *placement.StagedUpdateRun:
			m.Runs[k] = o
		case *placement.ResourcePlacement:
			m.Placements[k] = o
		case *placement.SchedulingPolicySnapshot:
			m.PolicySnapshots[k] = o
		case *placement.ResourceBinding:
			m.Bindings[k] = o
		case *placement.StagedUpdateStrategy:
			m.Strategies[k] = o
		case *placement.ResourceSnapshot:
			m.ResourceSnapshots[k] = o
		case *placement.ApprovalRequest:
			m.Approvals[k] = o
		case *cluster.MemberCluster:
			m.Members[k] = o
		case *placement.ClusterResourceOverrideSnapshot:
			m.ClusterOverrides[k] = o
		case *placement.ResourceOverrideSnapshot:
			m.Overrides[k] = o
		}
	}
}

func (m *Hub) next() string {
	m.version++
	return strconv.Itoa(m.version)
}

// Input returns what a pass of the named run reads. It shares the stored
// objects, which Hub replaces and never changes.
func (m *Hub) Input(run types.NamespacedName) pass.Input {
	in := pass.Input{
		Run:               m.Runs[run],
		PolicySnapshots:   sorted(m.PolicySnapshots),
		Bindings:          sorted(m.Bindings),
		Members:           sorted(m.Members),
		ResourceSnapshots: sorted(m.ResourceSnapshots),
		ClusterOverrides:  sorted(m.ClusterOverrides),
		Overrides:         sorted(m.Overrides),
		Kinds:             m.Kinds,
	}
	if in.Run != nil {
		in.Placement = m.Placements[types.NamespacedName{Namespace: run.Namespace, Name: in.Run.Spec.PlacementName}]
		in.Strategy = m.Strategies[types.NamespacedName{Namespace: run.Namespace, Name: in.Run.Spec.StagedRolloutStrategyName}]
	}
	return in
}

func sorted[T pass.Object](objects map[types.NamespacedName]T) []T {
	return slices.SortedFunc(maps.Values(objects), func(a, b T) int {
		return strings.Compare(pass.Key(a.GetNamespace(), a.GetName()), pass.Key(b.GetNamespace(), b.GetName()))
	})
}

// Do answers an effect and applies it. It is the do of Reconcile.
func (m *Hub) Do(e pass.Effect) (pass.Answer, error) {
	switch o := e.Object.(type) {
	case *placement.StagedUpdateRun:
		return do(m, m.Runs, "stagedupdateruns", e.Op.Verb(), o.DeepCopy())
	case *placement.ResourceBinding:
		return do(m, m.Bindings, "resourcebindings", e.Op.Verb(), o.DeepCopy())
	case *placement.ResourceSnapshot:
		return do(m, m.ResourceSnapshots, "resourcesnapshots", e.Op.Verb(), o.DeepCopy())
	case *placement.ApprovalRequest:
		if e.Op == pass.OpDeleteApprovals {
			maps.DeleteFunc(m.Approvals, func(k types.NamespacedName, a *placement.ApprovalRequest) bool {
				return k.Namespace == o.Namespace && e.Selector.Matches(labels.Set(a.Labels))
			})
			return pass.Answer{}, nil
		}
		return do(m, m.Approvals, "approvalrequests", e.Op.Verb(), o.DeepCopy())
	default:
		return m.find(e)
	}
}

func (m *Hub) find(e pass.Effect) (pass.Answer, error) {
	var found []*unstructured.Unstructured
	for _, u := range m.Objects[e.Resource] {
		switch {
		case e.Namespace != "" && u.GetNamespace() != e.Namespace:
		case e.Op == pass.OpGetObject && u.GetName() != e.Name:
		case e.Op == pass.OpListObjects && e.Selector != nil && !e.Selector.Matches(labels.Set(u.GetLabels())):
		default:
			found = append(found, u)
		}
	}
	if e.Op == pass.OpGetObject && len(found) == 0 {
		return pass.Answer{}, apierrors.NewNotFound(e.Resource.GroupResource(), e.Name)
	}
	return pass.Answer{Items: found}, nil
}
