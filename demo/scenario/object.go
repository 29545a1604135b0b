package scenario

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	quantity "k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	cluster "github.com/stagewatch/stagewatch/api/cluster/v1beta1"
	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

// memberCluster is a joined member whose agent was heard a moment before the
// time, or has been silent since long before it.
func memberCluster(m Member, at time.Time) *cluster.MemberCluster {
	// Members do not report all at once.
	moment := time.Duration(len(m.Name)*7%30+m.Order*5) * time.Second
	heard := metav1.NewTime(at.Add(-max(m.SilentFor, moment)))
	joined := metav1.NewTime(heard.Add(-90 * 24 * time.Hour))
	condition := func(kind, reason, message string) metav1.Condition {
		return metav1.Condition{
			Type: kind, Status: metav1.ConditionTrue, Reason: reason, Message: message,
			ObservedGeneration: 1, LastTransitionTime: joined,
		}
	}
	return &cluster.MemberCluster{
		ObjectMeta: metav1.ObjectMeta{
			Name: m.Name,
			Labels: map[string]string{
				placement.LabelMemberName: m.Name,
				labelRing:                 m.Ring,
				labelRegion:               m.Region,
				labelOrder:                strconv.Itoa(m.Order),
			},
			Finalizers: []string{placement.FinalizerMemberCluster},
		},
		Spec: cluster.MemberClusterSpec{
			Identity: cluster.Subject{
				Kind: "ServiceAccount", Name: "fleet-member-agent-" + m.Name, Namespace: "fleet-system",
			},
			HeartbeatPeriodSeconds: 60,
		},
		Status: cluster.MemberClusterStatus{
			Conditions: []metav1.Condition{
				condition(cluster.MemberReadyToJoin, cluster.ReasonReadyToJoin, "the cluster is ready to join"),
				condition(cluster.MemberJoined, cluster.ReasonJoined, "the cluster has joined"),
			},
			AgentStatus: []cluster.AgentStatus{{
				Type: cluster.AgentMember,
				Conditions: []metav1.Condition{
					condition(cluster.AgentJoined, "InternalMemberClusterJoined", "the agent has joined"),
					condition(cluster.AgentHealthy, "InternalMemberClusterHealthy", "the agent is healthy"),
				},
				LastReceivedHeartbeat: &heard,
			}},
			Properties: map[string]cluster.PropertyValue{
				"kubernetes-fleet.io/node-count": {Value: strconv.Itoa(nodes(m)), ObservationTime: heard},
			},
			ResourceUsage: usage(m, heard),
		},
	}
}

// nodes is how many nodes a member has: more towards production.
func nodes(m Member) int {
	switch m.Ring {
	case "prod":
		return 12 + 3*m.Order
	case "canary":
		return 6
	default:
		return 3
	}
}

func usage(m Member, at metav1.Time) cluster.ResourceUsage {
	n := int64(nodes(m))
	amounts := func(milliCPU, memory int64) map[string]quantity.Quantity {
		return map[string]quantity.Quantity{
			"cpu":    *quantity.NewMilliQuantity(n*milliCPU, quantity.DecimalSI),
			"memory": *quantity.NewQuantity(n*memory<<20, quantity.BinarySI),
		}
	}
	return cluster.ResourceUsage{
		Capacity: amounts(8000, 32768), Allocatable: amounts(7800, 30720), Available: amounts(3100, 12288),
		ObservationTime: &at,
	}
}

func strategyObject(s Strategy) *placement.StagedUpdateStrategy {
	return &placement.StagedUpdateStrategy{
		ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: s.Name},
		Spec:       placement.UpdateStrategySpec{Stages: s.Stages},
	}
}

func runObject(r Run) *placement.StagedUpdateRun {
	return &placement.StagedUpdateRun{
		ObjectMeta: metav1.ObjectMeta{Namespace: r.Namespace, Name: r.Name},
		Spec: placement.UpdateRunSpec{
			PlacementName: r.Placement, ResourceSnapshotIndex: r.Index,
			StagedRolloutStrategyName: r.Strategy, State: r.State,
		},
	}
}

func strangerObject(s Stranger) *placement.ApprovalRequest {
	return &placement.ApprovalRequest{
		ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: s.Name},
		Spec:       placement.ApprovalRequestSpec{ParentStageRollout: s.Run, TargetStage: s.Stage},
	}
}

// applyStrategy is the one that the hub's defaults make, but for what is odd.
func applyStrategy(odd oddity) *placement.ApplyStrategy {
	s := &placement.ApplyStrategy{
		ComparisonOption: placement.ComparePartial, Type: placement.ApplyClientSide,
		WhenToApply: placement.ApplyAlways, WhenToTakeOver: placement.TakeOverAlways,
	}
	switch odd {
	case keepsDrifts:
		s.WhenToApply = placement.ApplyIfNotDrifted
	case neverTakesOver:
		s.WhenToTakeOver = placement.TakeOverNever
	}
	return s
}

func placementObject(p Placement) *placement.ResourcePlacement {
	object := &placement.ResourcePlacement{
		ObjectMeta: metav1.ObjectMeta{
			Namespace:  p.Namespace,
			Name:       p.Name,
			Finalizers: []string{placement.FinalizerPlacement, placement.FinalizerSchedulerPlacement},
		},
		Spec: placement.PlacementSpec{
			ResourceSelectors:    selectors(p),
			Policy:               policy(p),
			RevisionHistoryLimit: new(int32(10)),
			Strategy: placement.RolloutStrategy{
				Type: placement.RolloutExternal, ApplyStrategy: applyStrategy(p.Odd),
			},
		},
	}
	if p.Odd == rollingUpdate {
		object.Spec.Strategy.Type = placement.RolloutRollingUpdate
	}
	if p.Namespace == "" {
		object.Spec.StatusReportingScope = "ClusterScopeOnly"
	}
	return object
}

// absentMember is a name that no member has.
const absentMember = "eus-prod-9"

func policy(p Placement) *placement.PlacementPolicy {
	names := slices.Concat(p.Clusters, p.Unbound)
	if p.Odd == notScheduled {
		names = append(names, absentMember)
	}
	if len(names) == 0 {
		return nil // all members, of which the scheduler found none
	}
	return &placement.PlacementPolicy{PlacementType: placement.PickFixed, ClusterNames: names}
}

// ownerOf is the reference that ties a snapshot to its placement.
func ownerOf(kind string, p *placement.ResourcePlacement) metav1.OwnerReference {
	return metav1.OwnerReference{
		APIVersion: placement.GroupVersion.String(), Kind: kind, Name: p.Name, UID: p.UID,
		Controller: new(true), BlockOwnerDeletion: new(true),
	}
}

// policyIndex is the index of the only policy snapshot that scenarios make.
const policyIndex = "0"

func policySnapshot(p Placement, of *placement.ResourcePlacement, owner metav1.OwnerReference, at time.Time) (*placement.SchedulingPolicySnapshot, error) {
	raw, err := json.Marshal(policy(p))
	if err != nil {
		return nil, fmt.Errorf("encode policy of %s: %w", p.Key(), err)
	}
	hash := sha256.Sum256(raw)
	snapshot := &placement.SchedulingPolicySnapshot{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: p.Namespace,
			Name:      placement.PolicySnapshotName(p.Name, policyIndex),
			Labels: map[string]string{
				placement.LabelParentPlacement:  p.Name,
				placement.LabelPolicyIndex:      policyIndex,
				placement.LabelIsLatestSnapshot: "true",
			},
			Annotations: map[string]string{
				placement.AnnotationPlacementGeneration: strconv.FormatInt(of.Generation, 10),
			},
			OwnerReferences: []metav1.OwnerReference{owner},
		},
		Spec: placement.PolicySnapshotSpec{Policy: policy(p), PolicyHash: fmt.Appendf(nil, "%x", hash)},
		Status: placement.PolicySnapshotStatus{
			ObservedCRPGeneration: of.Generation,
			Conditions: []metav1.Condition{{
				Type: placement.PlacementScheduled, Status: metav1.ConditionTrue, ObservedGeneration: 1,
				Reason:             placement.ReasonSchedulingPolicyFulfilled,
				Message:            fmt.Sprintf("found all cluster needed as specified by the scheduling policy, found %d cluster(s)", len(p.Clusters)),
				LastTransitionTime: metav1.NewTime(at),
			}},
		},
	}
	for _, name := range p.Clusters {
		snapshot.Status.TargetClusters = append(snapshot.Status.TargetClusters, decision(name))
	}
	if p.Odd == notScheduled {
		c := &snapshot.Status.Conditions[0]
		c.Status, c.Reason = metav1.ConditionFalse, placement.ReasonSchedulingPolicyUnfulfilled
		c.Message = fmt.Sprintf("could not find all clusters needed as specified by the scheduling policy, found %d cluster(s) instead", len(p.Clusters))
		snapshot.Status.TargetClusters = append(snapshot.Status.TargetClusters, placement.ClusterDecision{
			ClusterName: absentMember, Reason: fmt.Sprintf("specified cluster %q is not found", absentMember),
		})
	}
	return snapshot, nil
}

func decision(clusterName string) placement.ClusterDecision {
	return placement.ClusterDecision{
		ClusterName: clusterName, Selected: true,
		Reason: fmt.Sprintf("Successfully scheduled resources for placement in %q: picked by scheduling policy", clusterName),
	}
}
