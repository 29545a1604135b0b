package works

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/demo/store"
)

// placer is the placement controller's reporting half: it writes what bindings
// say into the status of their placement (docs/kubefleet.md#conditions).
type placer struct{ world *store.Store }

// settleTime is how long the placer waits for further changes before it writes
// a status, which is as large as the placement has clusters.
const settleTime = 1500 * time.Millisecond

// pass looks at one placement.
func (c *placer) pass(ctx context.Context, k store.Key) (time.Duration, error) {
	p := c.world.Placements.Get(k)
	if p == nil || p.DeletionTimestamp != nil {
		return 0, nil
	}
	next := p.DeepCopy()
	next.Status = c.status(p, metav1.NewTime(time.Now()))
	if equality.Semantic.DeepEqual(next.Status, p.Status) {
		return 0, nil
	}
	_, err := c.world.Placements.Update(ctx, next, "status", metav1.UpdateOptions{})
	return 0, err
}

func (c *placer) status(p *placement.ResourcePlacement, at metav1.Time) placement.PlacementStatus {
	k := store.Key{Namespace: p.Namespace, Name: p.Name}
	var bindings []*placement.ResourceBinding
	for _, b := range c.world.Bindings.Of(k) {
		if b.Spec.State != placement.BindingUnscheduled && b.DeletionTimestamp == nil {
			bindings = append(bindings, b)
		}
	}
	slices.SortFunc(bindings, func(a, b *placement.ResourceBinding) int {
		return strings.Compare(a.Spec.TargetCluster, b.Spec.TargetCluster)
	})
	var status placement.PlacementStatus
	for _, b := range bindings {
		status.PlacementStatuses = append(status.PlacementStatuses, c.clusterStatus(p, b, at))
	}
	o := overall{
		placement: p, clusters: status.PlacementStatuses, at: at, conditions: slices.Clone(p.Status.Conditions), scheduled: c.scheduled(k),
	}
	shared, all := o.sharedIndex()
	if all {
		status.ObservedResourceIndex = shared
		status.SelectedResources = c.selected(k, shared)
	}
	status.Conditions = o.write(shared, all)
	return status
}

// scheduled is what the scheduler says of a placement's policy; nil when it has not
// come to it.
func (c *placer) scheduled(k store.Key) *metav1.Condition {
	for _, s := range c.world.PolicySnapshots.Of(k) {
		if s.Labels[placement.LabelIsLatestSnapshot] == "true" {
			return meta.FindStatusCondition(s.Status.Conditions, placement.PlacementScheduled)
		}
	}
	return nil
}

// indexOf is the resource index that a binding is bound to; empty when the
// snapshot is gone.
func (c *placer) indexOf(b *placement.ResourceBinding) string {
	s := c.world.ResourceSnapshots.Get(store.Key{Namespace: b.Namespace, Name: b.Spec.ResourceSnapshotName})
	if s == nil {
		return ""
	}
	return s.Labels[placement.LabelResourceIndex]
}

func (c *placer) selected(k store.Key, index string) []placement.ResourceIdentifier {
	var found []placement.ResourceIdentifier
	for _, s := range c.world.ResourceSnapshots.Of(k) {
		if s.Labels[placement.LabelResourceIndex] != index {
			continue
		}
		for i, content := range s.Spec.SelectedResources {
			m, err := ParseManifest(content)
			if err != nil {
				continue // the hub stores no resource that is not an object
			}
			id := m.Identifier(i)
			found = append(found, placement.ResourceIdentifier{
				Group: id.Group, Version: id.Version, Kind: id.Kind, Name: id.Name, Namespace: id.Namespace,
			})
		}
	}
	return found
}

// copiedCondition is one of the conditions that a placement copies from its bindings.
type copiedCondition struct {
	kind, unknownReason, unknownMessage string
}

func copiedConditions(reportDiff bool) []copiedCondition {
	first := []copiedCondition{
		{
			placement.BindingRolloutStarted, placement.ReasonRolloutStartedUnknown,
			"In the process of deciding whether to roll out some version of the resources or not",
		},
		{
			placement.BindingOverridden, placement.ReasonOverriddenPending,
			"In the process of overriding the selected resources if there is any override defined",
		},
		{
			placement.BindingWorkSynchronized, placement.ReasonWorkSynchronizedUnknown,
			"In the process of synchronizing or creating the work object",
		},
	}
	if reportDiff {
		return append(first, copiedCondition{
			placement.BindingDiffReported, placement.ReasonDiffReportingPending,
			"Diff reporting has just started; its status is not yet to be synchronized",
		})
	}
	return append(first,
		copiedCondition{placement.BindingApplied, placement.ReasonApplyPending, "In the process of applying the resources on the member cluster"},
		copiedCondition{
			placement.BindingAvailable, placement.ReasonResourceAvailableUnknown,
			"The availability of the selected resources is unknown yet ",
		})
}

// clusterStatus is one cluster's part of a placement's status: the binding's
// conditions, up to the first that is unknown or stale.
func (c *placer) clusterStatus(p *placement.ResourcePlacement, b *placement.ResourceBinding, at metav1.Time) placement.PerClusterPlacementStatus {
	status := placement.PerClusterPlacementStatus{
		ClusterName:                        b.Spec.TargetCluster,
		ObservedResourceIndex:              c.indexOf(b),
		ApplicableResourceOverrides:        b.Spec.ResourceOverrideSnapshots,
		ApplicableClusterResourceOverrides: b.Spec.ClusterResourceOverrideSnapshots,
	}
	before := slices.IndexFunc(p.Status.PlacementStatuses, func(s placement.PerClusterPlacementStatus) bool {
		return s.ClusterName == b.Spec.TargetCluster
	})
	var old []metav1.Condition
	if before >= 0 {
		old = p.Status.PlacementStatuses[before].Conditions
	}
	set := func(kind string, value metav1.ConditionStatus, reason, message string) {
		c := metav1.Condition{
			Type: kind, Status: value, Reason: reason, Message: message,
			ObservedGeneration: p.Generation, LastTransitionTime: at,
		}
		if was := meta.FindStatusCondition(old, kind); was != nil && was.Status == value {
			c.LastTransitionTime = was.LastTransitionTime
		}
		status.Conditions = append(status.Conditions, c)
	}
	set(placement.PlacementScheduled, metav1.ConditionTrue, placement.ReasonScheduled, b.Spec.ClusterDecision.Reason)
	for _, r := range copiedConditions(reportsDiff(p)) {
		said := meta.FindStatusCondition(b.Status.Conditions, r.kind)
		if said == nil || said.Status == metav1.ConditionUnknown || said.ObservedGeneration != b.Generation {
			set(r.kind, metav1.ConditionUnknown, r.unknownReason, r.unknownMessage)
			return status
		}
		set(r.kind, said.Status, said.Reason, said.Message)
		if said.Status == metav1.ConditionFalse {
			break
		}
	}
	status.FailedPlacements = b.Status.FailedPlacements
	status.DriftedPlacements = b.Status.DriftedPlacements
	status.DiffedPlacements = b.Status.DiffedPlacements
	return status
}

func reportsDiff(p *placement.ResourcePlacement) bool {
	s := p.Spec.Strategy.ApplyStrategy
	return s != nil && s.Type == placement.ApplyReportDiff
}

// overall makes a placement's own conditions.
type overall struct {
	placement  *placement.ResourcePlacement
	clusters   []placement.PerClusterPlacementStatus
	at         metav1.Time
	conditions []metav1.Condition
	scheduled  *metav1.Condition
}

func (o *overall) prefix() string {
	if o.placement.Namespace == "" {
		return placement.ClusterResourcePlacementConditionPrefix
	}
	return placement.ResourcePlacementConditionPrefix
}

// sharedIndex is the index that all clusters have, and whether there is one.
func (o *overall) sharedIndex() (string, bool) {
	if len(o.clusters) == 0 {
		return "", false
	}
	index := o.clusters[0].ObservedResourceIndex
	for _, c := range o.clusters {
		if c.ObservedResourceIndex != index {
			return "", false
		}
	}
	return index, index != ""
}

func (o *overall) set(kind string, status metav1.ConditionStatus, reason, message string) {
	meta.SetStatusCondition(&o.conditions, metav1.Condition{
		Type: o.prefix() + kind, Status: status, Reason: reason, Message: message,
		ObservedGeneration: o.placement.Generation, LastTransitionTime: o.at,
	})
}

// write makes the conditions. The shared index is only set when all clusters
// have one.
func (o *overall) write(shared string, all bool) []metav1.Condition {
	if s := o.scheduled; s != nil {
		o.set(placement.PlacementScheduled, s.Status, s.Reason, s.Message)
	} else {
		o.set(placement.PlacementScheduled, metav1.ConditionUnknown, "SchedulePending", "Scheduling has not completed")
	}
	later := append(copiedConditions(reportsDiff(o.placement)), copiedConditions(!reportsDiff(o.placement))...)
	if why := o.external(all); why != "" {
		for _, r := range later {
			if r.kind == placement.BindingRolloutStarted {
				continue // set below; taken away first, it would change at every pass
			}
			meta.RemoveStatusCondition(&o.conditions, o.prefix()+r.kind)
		}
		o.set(placement.BindingRolloutStarted, metav1.ConditionUnknown, placement.ReasonRolloutControlledExternally,
			"Rollout is controlled by an external controller and "+why)
		return o.conditions
	}
	ended := false
	for _, r := range copiedConditions(reportsDiff(o.placement)) {
		if ended {
			meta.RemoveStatusCondition(&o.conditions, o.prefix()+r.kind)
			continue
		}
		ended = !o.summarize(r)
	}
	return o.conditions
}

// external says why the overall rollout is unknown, if it is: runs move the
// clusters one by one, and the placement does not know of runs.
func (o *overall) external(all bool) string {
	differ, none := false, true
	for _, c := range o.clusters {
		differ = differ || c.ObservedResourceIndex != o.clusters[0].ObservedResourceIndex
		none = none && c.ObservedResourceIndex == ""
	}
	if differ {
		return "different resource snapshot versions are observed across clusters"
	}
	if none {
		kind := placement.KindClusterStagedUpdateRun
		if o.placement.Namespace != "" {
			kind = placement.KindStagedUpdateRun
		}
		return fmt.Sprintf("no resource snapshot name is observed across clusters. To determine rollout status, "+
			"check the %s resources with spec.placementName matching this placement", kind)
	}
	if !all {
		return ""
	}
	for _, c := range o.clusters {
		started := meta.FindStatusCondition(c.Conditions, placement.BindingRolloutStarted)
		if started != nil && started.Status == metav1.ConditionUnknown {
			return fmt.Sprintf("cluster %s is in RolloutStarted Unknown state", c.ClusterName)
		}
	}
	return ""
}

// summarize writes one condition over all clusters and tells whether it is True.
func (o *overall) summarize(r copiedCondition) bool {
	unknown, bad, overridden := 0, 0, false
	for _, c := range o.clusters {
		said := meta.FindStatusCondition(c.Conditions, r.kind)
		switch {
		case said == nil || said.Status == metav1.ConditionUnknown:
			unknown++
		case said.Status == metav1.ConditionFalse:
			bad++
		default:
			overridden = overridden || said.Reason == placement.ReasonOverriddenSucceeded
		}
	}
	words := summaryOf(r.kind, overridden)
	switch {
	case bad > 0:
		o.set(r.kind, metav1.ConditionFalse, words.falseReason, fmt.Sprintf(words.falseMessage, bad))
	case unknown > 0:
		o.set(r.kind, metav1.ConditionUnknown, r.unknownReason, fmt.Sprintf(words.unknownMessage, unknown))
	default:
		message := words.trueMessage
		if strings.Contains(message, "%d") {
			message = fmt.Sprintf(message, len(o.clusters))
		}
		o.set(r.kind, metav1.ConditionTrue, words.trueReason, message)
		return true
	}
	return false
}
