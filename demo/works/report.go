package works

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

// NotApplied is why a member does not apply a manifest.
type NotApplied struct {
	// Reason and Message are those of the manifest's Applied condition.
	Reason, Message string
	// Drift is what was changed on the member, when that is the reason.
	Drift []placement.PatchDetail
}

// ReportApplied returns the status of a Work whose manifests have been applied.
// Pending manifests, by position, are not available yet; refused ones are not
// applied. Conditions that did not change keep their transition time.
func ReportApplied(w *placement.Work, generation int64, at metav1.Time, pending map[int]bool, refused map[int]NotApplied) placement.WorkStatus {
	before := map[int]placement.ManifestCondition{}
	for _, m := range w.Status.ManifestConditions {
		before[m.Identifier.Ordinal] = m
	}
	var status placement.WorkStatus
	total := len(w.Spec.Workload.Manifests)
	for i, content := range w.Spec.Workload.Manifests {
		m, err := ParseManifest(content)
		if err != nil {
			continue // the hub stores no manifest that is not an object
		}
		reported := placement.ManifestCondition{Identifier: m.Identifier(i), Conditions: before[i].Conditions}
		if no, is := refused[i]; is {
			reported.Conditions = with(reported.Conditions, at, generation, metav1.ConditionFalse, placement.BindingApplied, no.Reason, no.Message)
			meta.RemoveStatusCondition(&reported.Conditions, placement.BindingAvailable)
			reported.DriftDetails = driftOf(no.Drift, before[i].DriftDetails, at)
			status.ManifestConditions = append(status.ManifestConditions, reported)
			continue
		}
		reported.Conditions = with(reported.Conditions, at, generation, metav1.ConditionTrue,
			placement.BindingApplied, placement.ReasonManifestApplied, "Manifest has been applied successfully")
		if pending[i] {
			reported.Conditions = with(reported.Conditions, at, generation, metav1.ConditionFalse,
				placement.BindingAvailable, placement.ReasonManifestNotAvailableYet,
				"Manifest is not yet available; Fleet will check again later")
		} else {
			reported.Conditions = with(reported.Conditions, at, generation, metav1.ConditionTrue,
				placement.BindingAvailable, placement.ReasonManifestAvailable, "Manifest is available")
		}
		status.ManifestConditions = append(status.ManifestConditions, reported)
	}
	if len(refused) > 0 {
		status.Conditions = with(w.Status.Conditions, at, generation, metav1.ConditionFalse,
			placement.BindingApplied, placement.ReasonSomeManifestsAreNotApplied,
			fmt.Sprintf("Failed to apply all manifests (%d of %d manifests are applied)", total-len(refused), total))
		meta.RemoveStatusCondition(&status.Conditions, placement.BindingAvailable)
		return status
	}
	status.Conditions = with(w.Status.Conditions, at, generation, metav1.ConditionTrue,
		placement.BindingApplied, placement.ReasonAllManifestsApplied, "All the specified manifests have been applied")
	if len(pending) == 0 {
		status.Conditions = with(status.Conditions, at, generation, metav1.ConditionTrue,
			placement.BindingAvailable, placement.ReasonAllManifestsAvailable, "All of the applied manifests are available")
	} else {
		status.Conditions = with(status.Conditions, at, generation, metav1.ConditionFalse,
			placement.BindingAvailable, placement.ReasonSomeManifestsAreNotAvailable,
			fmt.Sprintf("Some manifests are not available (%d of %d manifests are available)", total-len(pending), total))
	}
	return status
}

// driftOf is what a member says of fields that were changed there; it keeps the
// times of what it has said before.
func driftOf(drift []placement.PatchDetail, before *placement.DriftDetails, at metav1.Time) *placement.DriftDetails {
	switch {
	case len(drift) == 0:
		return nil
	case before != nil:
		return before.DeepCopy()
	}
	return &placement.DriftDetails{
		ObservationTime: at, FirstDriftedObservedTime: at, ObservedDrifts: drift,
	}
}

// with returns the conditions with one of them set, as controllers set it: the
// time of transition moves only with the status.
func with(conditions []metav1.Condition, at metav1.Time, generation int64, status metav1.ConditionStatus, kind, reason, message string) []metav1.Condition {
	next := append([]metav1.Condition(nil), conditions...)
	meta.SetStatusCondition(&next, metav1.Condition{
		Type: kind, Status: status, Reason: reason, Message: message,
		ObservedGeneration: generation, LastTransitionTime: at,
	})
	return next
}
