package fleet

import (
	"encoding/json"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

// workSource is what a Work is made of.
type workSource struct {
	// index and snapshot are the resource-index and the name of the snapshot.
	index, snapshot string
	// part is the position of the snapshot among the parts of its index, as its
	// annotation has it; empty for the master.
	part      string
	manifests []placement.ResourceContent
}

// newWork is the Work that carries a snapshot to a binding's cluster
// (docs/kubefleet.md#work, #names).
func newWork(b *placement.ResourceBinding, from workSource) *placement.Work {
	parent := b.Labels[placement.LabelParentPlacement]
	name := placement.WorkName(b.Namespace, parent)
	if from.part != "" {
		name = placement.WorkBaseName(b.Namespace, parent) + "-" + from.part
	}
	work := &placement.Work{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: placement.MemberNamespace(b.Spec.TargetCluster),
			Name:      name,
			Labels: map[string]string{
				placement.LabelParentPlacement:             parent,
				placement.LabelParentBinding:               b.Name,
				placement.LabelParentResourceSnapshotIndex: from.index,
			},
			Annotations: map[string]string{placement.AnnotationParentResourceSnapshotName: from.snapshot},
			Finalizers:  []string{placement.FinalizerWork},
		},
		Spec: placement.WorkSpec{
			Workload:      placement.WorkloadTemplate{Manifests: from.manifests},
			ApplyStrategy: b.Spec.ApplyStrategy,
		},
	}
	if b.Namespace != "" {
		work.Labels[placement.LabelParentPlacementNamespace] = b.Namespace
	}
	return work
}

// manifest is the part of a manifest that a member's agent and the reports of it
// look at.
type manifest struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Metadata   struct {
		Name      string `json:"name"`
		Namespace string `json:"namespace"`
	} `json:"metadata"`
	Spec struct {
		Template struct {
			Spec struct {
				Containers []struct {
					Image string `json:"image"`
				} `json:"containers"`
			} `json:"spec"`
		} `json:"template"`
	} `json:"spec"`
}

func (m manifest) groupVersion() (group, version string) {
	if group, version, found := strings.Cut(m.APIVersion, "/"); found {
		return group, version
	}
	return "", m.APIVersion
}

// image is that of the only container of the scenarios' Deployments.
func (m manifest) image() string {
	if c := m.Spec.Template.Spec.Containers; len(c) > 0 {
		return c[0].Image
	}
	return ""
}

func (m manifest) isDeployment() bool { return m.APIVersion == "apps/v1" && m.Kind == "Deployment" }

func (m manifest) identifier(ordinal int) placement.WorkResourceIdentifier {
	group, version := m.groupVersion()
	return placement.WorkResourceIdentifier{
		Ordinal: ordinal, Group: group, Version: version, Kind: m.Kind, Resource: strings.ToLower(m.Kind) + "s",
		Namespace: m.Metadata.Namespace, Name: m.Metadata.Name,
	}
}

func parseManifest(content placement.ResourceContent) (manifest, error) {
	var m manifest
	if err := json.Unmarshal(content.Raw, &m); err != nil {
		return manifest{}, fmt.Errorf("decode manifest: %w", err)
	}
	return m, nil
}

// reportApplied is a Work's status once its manifests have been applied; each of
// the pending ones, given by position, is not available yet, and the refused ones
// are not applied at all. Conditions of the
// status before that did not change keep the time of their transition.
func reportApplied(w *placement.Work, generation int64, at metav1.Time, pending map[int]bool, refused map[int]Refusal) placement.WorkStatus {
	before := map[int]placement.ManifestCondition{}
	for _, m := range w.Status.ManifestConditions {
		before[m.Identifier.Ordinal] = m
	}
	var status placement.WorkStatus
	total := len(w.Spec.Workload.Manifests)
	for i, content := range w.Spec.Workload.Manifests {
		m, err := parseManifest(content)
		if err != nil {
			continue // the hub stores no manifest that is not an object
		}
		reported := placement.ManifestCondition{Identifier: m.identifier(i), Conditions: before[i].Conditions}
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
