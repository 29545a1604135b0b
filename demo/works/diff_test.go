package works

import (
	"fmt"
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

// A member of a placement that only reports differences reports each field and each missing object;
// the binding has them once the Work has reported, and its cluster is done.
func TestDifferencesAreReported(t *testing.T) {
	raw := func(text string) placement.ResourceContent {
		return placement.ResourceContent{RawExtension: runtime.RawExtension{Raw: []byte(text)}}
	}
	at := metav1.NewTime(time.Date(2026, 8, 20, 10, 0, 0, 0, time.UTC))
	w := &placement.Work{ObjectMeta: metav1.ObjectMeta{Name: "web-work", Generation: 2}}
	w.Spec.Workload.Manifests = []placement.ResourceContent{
		raw(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"same"},"data":{"a":"1"}}`),
		raw(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"other"},"data":{"a/b":"1","n":{"m":2}}}`),
		raw(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"missing"}}`),
	}
	member := func(m Manifest) *placement.ResourceContent {
		have := map[string]placement.ResourceContent{
			"same":  raw(`{"kind":"ConfigMap","apiVersion":"v1","data":{"a":"1"},"metadata":{"name":"same"}}`),
			"other": raw(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"other"},"data":{"a/b":"2","n":{"m":2},"more":"x"}}`),
		}
		if c, is := have[m.Metadata.Name]; is {
			return &c
		}
		return nil
	}
	binding := &placement.ResourceBinding{ObjectMeta: metav1.ObjectMeta{Name: "web-weu-1", Generation: 3}}
	binding.Spec.ApplyStrategy = &placement.ApplyStrategy{Type: placement.ApplyReportDiff}
	if got := (report{works: []*placement.Work{w}}).status(binding, at); len(got.DiffedPlacements) > 0 || got.Conditions[len(got.Conditions)-1].Reason != placement.ReasonNotAllWorkHaveDiffReport {
		t.Errorf("before the report: %+v", got)
	}
	w.Status = ReportDiffs(w, at, member)
	got := (report{works: []*placement.Work{w}}).status(binding, at)
	var diffs []string
	for _, d := range got.DiffedPlacements {
		for _, f := range d.ObservedDiffs {
			diffs = append(diffs, fmt.Sprintf("%s %s: %q, hub %q, generation %t", d.Name, f.Path, f.ValueInMember, f.ValueInHub, d.TargetClusterObservedGeneration != nil))
		}
	}
	want := []string{
		`other /data/a~1b: "2", hub "1", generation true`, `other /data/more: "x", hub "", generation true`,
		`missing /: "", hub "(the whole object)", generation false`,
	}
	if !slices.Equal(diffs, want) {
		t.Errorf("got  %q\nwant %q", diffs, want)
	}
	if c := got.Conditions[len(got.Conditions)-1]; c.Type != placement.BindingDiffReported || c.Status != metav1.ConditionTrue {
		t.Errorf("the binding has %+v", c)
	}
	for i, reason := range []string{placement.ReasonManifestNoDiffFound, placement.ReasonManifestFoundDiff, placement.ReasonManifestFoundDiff} {
		if c := w.Status.ManifestConditions[i].Conditions; len(c) != 1 || c[0].Type != placement.BindingDiffReported || c[0].Status != metav1.ConditionTrue || c[0].Reason != reason || c[0].ObservedGeneration != 2 {
			t.Errorf("manifest %d has %+v", i, c)
		}
	}
	if again := ReportDiffs(w, metav1.NewTime(at.Add(time.Hour)), member); !again.ManifestConditions[1].DiffDetails.FirstDiffedObservedTime.Equal(&at) {
		t.Errorf("the time of a difference that stays changed: %+v", again.ManifestConditions[1].DiffDetails)
	}
}
