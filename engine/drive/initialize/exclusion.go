package initialize

import (
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine/drive/pass"
)

// enabled reports whether a kind may be selected
// (docs/kubefleet.md#new-snapshot, B).
func (s *selector) enabled(kind schema.GroupVersionKind) bool {
	if len(s.propagation.Allow) > 0 {
		return listed(s.propagation.Allow, kind)
	}
	return !disabled(kind) && !listed(s.propagation.Skip, kind)
}

func listed(list []schema.GroupVersionKind, kind schema.GroupVersionKind) bool {
	return slices.ContainsFunc(list, func(l schema.GroupVersionKind) bool {
		return l.Group == kind.Group && (l.Version == "" || l.Version == kind.Version) && (l.Kind == "" || l.Kind == kind.Kind)
	})
}

// disabled reports whether a kind is never selected, in any version.
func disabled(kind schema.GroupVersionKind) bool {
	switch kind.Group {
	case "cluster.kubernetes-fleet.io", "events.k8s.io", "coordination.k8s.io", "metrics.k8s.io":
		return true
	case "":
		return kind.Kind == "Pod" || kind.Kind == "Node"
	case "networking.fleet.azure.com":
		return kind.Kind == "ServiceImport" || kind.Kind == "TrafficManagerProfile" || kind.Kind == "TrafficManagerBackend"
	case placement.Group:
		switch kind.Kind {
		case placement.KindClusterResourcePlacement, placement.KindResourcePlacement,
			placement.KindClusterResourceBinding, placement.KindResourceBinding,
			placement.KindClusterResourceSnapshot, placement.KindResourceSnapshot,
			placement.KindClusterSchedulingPolicySnapshot, placement.KindSchedulingPolicySnapshot, placement.KindWork,
			placement.KindClusterStagedUpdateRun, placement.KindClusterStagedUpdateStrategy, placement.KindClusterApprovalRequest,
			placement.KindStagedUpdateRun, placement.KindStagedUpdateStrategy, placement.KindApprovalRequest,
			placement.KindClusterResourceOverrideSnapshot, placement.KindResourceOverrideSnapshot,
			"ClusterResourceOverride", "ResourceOverride", "ClusterResourcePlacementStatus",
			"ClusterResourcePlacementEviction", "ClusterResourcePlacementDisruptionBudget":
			return true
		}
	}
	return false
}

// reserved reports whether nothing may be propagated from a namespace.
func (s *selector) reserved(namespace string) bool {
	return strings.HasPrefix(namespace, "kube-") || strings.HasPrefix(namespace, "fleet-") ||
		namespace == "default" || slices.Contains(s.propagation.SkipNamespaces, namespace)
}

// leftOut reports whether an object is not taken though it is selected
// (docs/kubefleet.md#new-snapshot, C): what the hub makes by itself in every
// namespace, or for another object that is taken.
func (s *selector) leftOut(u *unstructured.Unstructured) (bool, error) {
	if u.GetDeletionTimestamp() != nil {
		return true, nil
	}
	switch u.GroupVersionKind() {
	case schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "ReplicaSet"},
		schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "ControllerRevision"}:
		return len(u.GetOwnerReferences()) > 0, nil
	case schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}:
		return u.GetName() == "kube-root-ca.crt", nil
	case schema.GroupVersionKind{Version: "v1", Kind: "ServiceAccount"}:
		return u.GetName() == "default", nil
	case schema.GroupVersionKind{Version: "v1", Kind: "Secret"}:
		kind, _, err := unstructured.NestedString(u.Object, "type")
		return kind == "kubernetes.io/service-account-token", malformed(u, err)
	case schema.GroupVersionKind{Version: "v1", Kind: "PersistentVolumeClaim"}:
		return s.propagation.Workload, nil
	case schema.GroupVersionKind{Version: "v1", Kind: "Endpoints"}:
		_, err := s.do(pass.Effect{Op: pass.OpGetObject, Resource: serviceResource, Namespace: u.GetNamespace(), Name: u.GetName()})
		if apierrors.IsNotFound(err) {
			return false, nil
		}
		if err != nil {
			return false, pass.ServerError(err)
		}
		return true, nil
	case schema.GroupVersionKind{Group: "discovery.k8s.io", Version: "v1", Kind: "EndpointSlice"}:
		_, managed := u.GetLabels()["endpointslice.kubernetes.io/managed-by"]
		return managed, nil
	}
	return false, nil
}

func malformed(u *unstructured.Unstructured, err error) error {
	if err == nil {
		return nil
	}
	return pass.UnexpectedError("read %s %s: %w", u.GetKind(), pass.ObjectName(u), err)
}
