package works

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

// ReportDiffs returns the status of a Work of a placement that only reports differences: nothing
// is applied. member returns what the member has of a manifest, nil for nothing.
func ReportDiffs(w *placement.Work, at metav1.Time, member func(Manifest) *placement.ResourceContent) placement.WorkStatus {
	var status placement.WorkStatus
	for i, content := range w.Spec.Workload.Manifests {
		m, err := ParseManifest(content)
		if err != nil {
			continue // the hub stores no manifest that is not an object
		}
		var before placement.ManifestCondition
		for _, b := range w.Status.ManifestConditions {
			if b.Identifier.Ordinal == i {
				before = b
			}
		}
		reported := placement.ManifestCondition{Identifier: m.Identifier(i)}
		reason, message := placement.ReasonManifestNoDiffFound, "No diff has been found between the hub cluster and the member cluster"
		if diffs := differences(member(m), content); len(diffs) > 0 {
			reason, message = placement.ReasonManifestFoundDiff, "Diff has been found between the hub cluster and the member cluster"
			reported.DiffDetails = &placement.DiffDetails{ObservationTime: at, FirstDiffedObservedTime: at, ObservedDiffs: diffs}
			if was := before.DiffDetails; was != nil && reflect.DeepEqual(was.ObservedDiffs, diffs) {
				reported.DiffDetails = was.DeepCopy()
			} else if member(m) != nil {
				generation := int64(1)
				reported.DiffDetails.ObservedInMemberClusterGeneration = &generation
			}
		}
		reported.Conditions = with(only(before.Conditions), at, w.Generation, metav1.ConditionTrue, placement.BindingDiffReported, reason, message)
		status.ManifestConditions = append(status.ManifestConditions, reported)
	}
	status.Conditions = with(only(w.Status.Conditions), at, w.Generation, metav1.ConditionTrue,
		placement.BindingDiffReported, placement.ReasonAllManifestsDiffReported, "All the specified manifests have reported diff")
	return status
}

// only keeps DiffReported: the others belong to a Work that is applied.
func only(conditions []metav1.Condition) []metav1.Condition {
	return slices.DeleteFunc(slices.Clone(conditions), func(c metav1.Condition) bool { return c.Type != placement.BindingDiffReported })
}

// differences lists the fields of a manifest that a member has otherwise, in the order of
// their paths; the whole object, of which it has none.
func differences(member *placement.ResourceContent, hub placement.ResourceContent) []placement.PatchDetail {
	if member == nil {
		return []placement.PatchDetail{{Path: "/", ValueInHub: "(the whole object)"}}
	}
	var have, want any
	if json.Unmarshal(member.Raw, &have) != nil || json.Unmarshal(hub.Raw, &want) != nil {
		return nil
	}
	var out []placement.PatchDetail
	compare("", have, want, &out)
	slices.SortFunc(out, func(a, b placement.PatchDetail) int { return cmp.Compare(a.Path, b.Path) })
	return out
}

func compare(path string, have, want any, out *[]placement.PatchDetail) {
	a, object := have.(map[string]any)
	b, both := want.(map[string]any)
	switch {
	case object && both:
		keys := maps.Clone(a)
		maps.Copy(keys, b)
		for key := range keys {
			compare(path+"/"+strings.ReplaceAll(strings.ReplaceAll(key, "~", "~0"), "/", "~1"), a[key], b[key], out)
		}
	case reflect.DeepEqual(have, want):
	default:
		*out = append(*out, placement.PatchDetail{Path: path, ValueInMember: text(have), ValueInHub: text(want)})
	}
}

// text is a value as a member reports it; empty for a field that is not there.
func text(value any) string {
	switch value := value.(type) {
	case nil:
		return ""
	case string:
		return value
	}
	raw, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(raw)
}

// diffedPlacements are the manifests that differ on the member.
func diffedPlacements(works []*placement.Work) []placement.DiffedResourcePlacement {
	var diffed []placement.DiffedResourcePlacement
	for _, w := range works {
		for _, m := range w.Status.ManifestConditions {
			d := m.DiffDetails
			if d == nil {
				continue
			}
			diffed = append(diffed, placement.DiffedResourcePlacement{
				ResourceIdentifier: placement.ResourceIdentifier{
					Group: m.Identifier.Group, Version: m.Identifier.Version, Kind: m.Identifier.Kind,
					Name: m.Identifier.Name, Namespace: m.Identifier.Namespace,
				},
				ObservationTime: d.ObservationTime, FirstDiffedObservedTime: d.FirstDiffedObservedTime,
				TargetClusterObservedGeneration: d.ObservedInMemberClusterGeneration, ObservedDiffs: d.ObservedDiffs,
			})
		}
	}
	const most = 100 // the schema's limit
	return diffed[:min(len(diffed), most)]
}
