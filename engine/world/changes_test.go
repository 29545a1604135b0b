package world

import (
	"strings"
	"testing"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

// Of what drifted, a binding keeps a bounded part of what failed, and no value of a Secret.
func TestChangesOf(t *testing.T) {
	id := func(kind, name string) placement.ResourceIdentifier {
		return placement.ResourceIdentifier{Version: "v1", Kind: kind, Namespace: "shop", Name: name}
	}
	failed := []placement.FailedResourcePlacement{{ResourceIdentifier: id("ConfigMap", "a")}, {ResourceIdentifier: id("Secret", "s")}}
	many := make([]placement.PatchDetail, 9)
	for i := range many {
		many[i] = placement.PatchDetail{Path: "/data/x", ValueInMember: strings.Repeat("v", 5000), ValueInHub: "w"}
	}
	out := ChangesOf(failed, []placement.DriftedResourcePlacement{
		{ResourceIdentifier: id("ConfigMap", "healthy"), ObservedDrifts: many},
		{ResourceIdentifier: id("ConfigMap", "a"), ObservedDrifts: many},
	}, []placement.DiffedResourcePlacement{
		{ResourceIdentifier: id("ConfigMap", "a"), ObservedDiffs: many},
		{ResourceIdentifier: id("Secret", "s"), ObservedDiffs: many[:1]},
	})
	if len(out) != 2 {
		t.Fatalf("%d objects: %+v", len(out), out)
	}
	if a := out[0]; a.Object.Name != "a" || len(a.Fields) != changedFields || a.More != 4 || len(a.Fields[0].ValueInMember) > changedValue+len("…") {
		t.Errorf("%+v", a)
	}
	if s := out[1]; !s.Secret() || s.Fields[0].ValueInMember+s.Fields[0].ValueInHub != "" || s.Fields[0].Path != "/data/x" {
		t.Errorf("a value of a Secret is kept: %+v", s)
	}
}
