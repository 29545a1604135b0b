package works

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

// SettledConditions are a binding's conditions after RolloutStarted when
// everything is available.
func SettledConditions(generation int64, at metav1.Time) []metav1.Condition {
	l := conditionWriter{generation: generation, at: at}
	l.put(placement.BindingOverridden, metav1.ConditionTrue, placement.ReasonNoOverrideSpecified, messageNoOverride)
	l.put(placement.BindingWorkSynchronized, metav1.ConditionTrue, placement.ReasonAllWorkSynced, messageWorkSynced)
	l.put(placement.BindingApplied, metav1.ConditionTrue, placement.ReasonAllWorkHaveBeenApplied, messageApplied)
	l.put(placement.BindingAvailable, metav1.ConditionTrue, placement.ReasonAllWorkAreAvailable, messageAvailable)
	return l.conditions
}

// Messages of a binding's conditions (docs/kubefleet.md#conditions).
const (
	messageNoOverride = "No override rules are configured for the selected resources"
	messageOverridden = "Successfully applied the override rules on the resources"
	messageWorkSynced = "All of the works are synchronized to the latest"
	messageApplying   = "Resources are being applied"
	messageApplied    = "All corresponding work objects are applied"
	messageAvailable  = "All corresponding work objects are available"
	messageDiffing    = "Diff reporting on resources is in progress"
	messageDiffed     = "All corresponding work objects have reported diff"
)

// conditionWriter is a binding's conditions as the work generator writes them: all of
// them anew in each pass, each only when the one before is True
// (docs/kubefleet.md#conditions).
type conditionWriter struct {
	generation int64
	at         metav1.Time
	conditions []metav1.Condition
}

func (l *conditionWriter) put(kind string, status metav1.ConditionStatus, reason, message string) {
	l.conditions = append(l.conditions, metav1.Condition{
		Type: kind, Status: status, Reason: reason, Message: message,
		ObservedGeneration: l.generation, LastTransitionTime: l.at,
	})
}

// report is what one pass of the work generator found out about a binding.
type report struct {
	// overridden tells whether override rules were applied; overrideErr is why
	// they could not be.
	overridden  bool
	overrideErr error
	// syncErr is why the Works could not be written.
	syncErr error
	// changed tells whether a Work was written in this pass.
	changed bool
	works   []*placement.Work
}

// status is the binding's status that the report leads to.
func (r report) status(b *placement.ResourceBinding, at metav1.Time) placement.BindingStatus {
	l := conditionWriter{generation: b.Generation, at: at}
	var status placement.BindingStatus
	if started := meta.FindStatusCondition(b.Status.Conditions, placement.BindingRolloutStarted); started != nil {
		l.conditions = append(l.conditions, *started)
	}
	r.write(&l, &status, b)
	status.Conditions = l.conditions
	return status
}

func (r report) write(l *conditionWriter, status *placement.BindingStatus, b *placement.ResourceBinding) {
	switch {
	case r.overrideErr != nil:
		l.put(placement.BindingOverridden, metav1.ConditionFalse, placement.ReasonOverriddenFailed,
			fmt.Sprintf("Failed to apply the override rules on the resources: %v", r.overrideErr))
		return
	case r.overridden:
		l.put(placement.BindingOverridden, metav1.ConditionTrue, placement.ReasonOverriddenSucceeded, messageOverridden)
	default:
		l.put(placement.BindingOverridden, metav1.ConditionTrue, placement.ReasonNoOverrideSpecified, messageNoOverride)
	}
	if r.syncErr != nil {
		l.put(placement.BindingWorkSynchronized, metav1.ConditionFalse, placement.ReasonSyncWorkFailed,
			fmt.Sprintf("Failed to synchronize the work to the latest: %v", r.syncErr))
		return
	}
	l.put(placement.BindingWorkSynchronized, metav1.ConditionTrue, placement.ReasonAllWorkSynced, messageWorkSynced)
	if b.Spec.ApplyStrategy != nil && b.Spec.ApplyStrategy.Type == placement.ApplyReportDiff {
		r.writeDiff(l, status)
		return
	}
	if r.changed {
		l.put(placement.BindingApplied, metav1.ConditionFalse, placement.ReasonApplyInProgress, messageApplying)
		return
	}
	if w, heard := firstNot(r.works, placement.BindingApplied); w != nil {
		message := fmt.Sprintf("Work object %s has not yet completed the apply op", w.Name)
		if heard {
			message = fmt.Sprintf("Work object %s has failed to apply", w.Name)
			status.FailedPlacements = FailedPlacements(r.works)
			status.DriftedPlacements = DriftedPlacements(r.works)
		}
		l.put(placement.BindingApplied, metav1.ConditionFalse, placement.ReasonNotAllWorkHaveBeenApplied, message)
		return
	}
	l.put(placement.BindingApplied, metav1.ConditionTrue, placement.ReasonAllWorkHaveBeenApplied, messageApplied)
	if w, heard := firstNot(r.works, placement.BindingAvailable); w != nil {
		message := fmt.Sprintf("Work object %s has not yet completed availability check", w.Name)
		if heard {
			message = fmt.Sprintf("Work object %s is not yet available", w.Name)
		}
		status.FailedPlacements = FailedPlacements(r.works)
		l.put(placement.BindingAvailable, metav1.ConditionFalse, placement.ReasonNotAllWorkAreAvailable, message)
		return
	}
	l.put(placement.BindingAvailable, metav1.ConditionTrue, placement.ReasonAllWorkAreAvailable, messageAvailable)
}

func (r report) writeDiff(l *conditionWriter, status *placement.BindingStatus) {
	if r.changed {
		l.put(placement.BindingDiffReported, metav1.ConditionFalse, placement.ReasonDiffReportInProgress, messageDiffing)
		return
	}
	if w, heard := firstNot(r.works, placement.BindingDiffReported); w != nil {
		message := fmt.Sprintf("Work object %s has not yet completed diff reporting", w.Name)
		if heard {
			message = fmt.Sprintf("Work object %s has failed to report diff", w.Name)
		}
		l.put(placement.BindingDiffReported, metav1.ConditionFalse, placement.ReasonNotAllWorkHaveDiffReport, message)
		return
	}
	status.DiffedPlacements = diffedPlacements(r.works)
	l.put(placement.BindingDiffReported, metav1.ConditionTrue, placement.ReasonAllWorkHaveDiffReported, messageDiffed)
}

// firstNot returns the first Work that does not have the condition True at its
// generation, and whether it has it False; nil when all have it.
func firstNot(works []*placement.Work, kind string) (w *placement.Work, heard bool) {
	for _, w := range works {
		c := meta.FindStatusCondition(w.Status.Conditions, kind)
		current := c != nil && c.ObservedGeneration == w.Generation
		if !current || c.Status != metav1.ConditionTrue {
			return w, current && c.Status == metav1.ConditionFalse
		}
	}
	return nil, false
}

// DriftedPlacements are the manifests that were changed on the member.
func DriftedPlacements(works []*placement.Work) []placement.DriftedResourcePlacement {
	var drifted []placement.DriftedResourcePlacement
	for _, w := range works {
		for _, m := range w.Status.ManifestConditions {
			d := m.DriftDetails
			if d == nil {
				continue
			}
			drifted = append(drifted, placement.DriftedResourcePlacement{
				ResourceIdentifier: placement.ResourceIdentifier{
					Group: m.Identifier.Group, Version: m.Identifier.Version, Kind: m.Identifier.Kind,
					Name: m.Identifier.Name, Namespace: m.Identifier.Namespace,
				},
				ObservationTime: d.ObservationTime, FirstDriftedObservedTime: d.FirstDriftedObservedTime,
				TargetClusterObservedGeneration: d.ObservedInMemberClusterGeneration, ObservedDrifts: d.ObservedDrifts,
			})
		}
	}
	return drifted
}

// FailedPlacements lists the manifests that are not applied or not available.
func FailedPlacements(works []*placement.Work) []placement.FailedResourcePlacement {
	var failed []placement.FailedResourcePlacement
	for _, w := range works {
		for _, m := range w.Status.ManifestConditions {
			bad := meta.FindStatusCondition(m.Conditions, placement.BindingApplied)
			if bad == nil || bad.Status == metav1.ConditionTrue {
				bad = meta.FindStatusCondition(m.Conditions, placement.BindingAvailable)
			}
			if bad == nil || bad.Status != metav1.ConditionFalse {
				continue
			}
			failed = append(failed, placement.FailedResourcePlacement{
				ResourceIdentifier: placement.ResourceIdentifier{
					Group: m.Identifier.Group, Version: m.Identifier.Version, Kind: m.Identifier.Kind,
					Name: m.Identifier.Name, Namespace: m.Identifier.Namespace,
				},
				Condition: *bad,
			})
		}
	}
	const most = 100 // the schema's limit
	return failed[:min(len(failed), most)]
}
