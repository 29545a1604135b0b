package members

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

func TestValidImage(t *testing.T) {
	for image, want := range map[string]bool{
		"registry.contoso.example/shop/checkout:4.41.0": true,
		"nginx":                                 true,
		"localhost:5000/a/b_c-d:v1":             true,
		"a/b@sha256:" + strings.Repeat("0", 64): true,
		"registry.weu.contoso.example/search/search-indexer:3.8.0!":          false,
		"registry.eus.contoso.example//search/suggest:1.13.0":                false,
		"registry.weu.contoso.example/observability/telemetry-agent:0.98.0 ": false,
		"Registry/Upper:1": false,
		"":                 false,
		"registry.contoso.example/shop/checkout:" + strings.Repeat("v", 129) + "v1": false,
	} {
		if got := ValidImage.MatchString(image); got != want {
			t.Errorf("%q: valid %t, want %t", image, got, want)
		}
	}
}

// What a diagnosis advises about the apply strategy of a placement ends the refusal of a member.
func TestAnApplyStrategyCuresARefusal(t *testing.T) {
	for name, tt := range map[string]struct {
		refusal Refusal
		with    placement.ApplyStrategy
	}{
		"drift":       {Refusal{Reason: placement.ReasonManifestFoundDrifts}, placement.ApplyStrategy{WhenToApply: placement.ApplyIfNotDrifted}},
		"takeover":    {Refusal{Reason: placement.ReasonManifestNotTakenOver}, placement.ApplyStrategy{WhenToTakeOver: placement.TakeOverNever}},
		"an owner":    {Refusal{Reason: placement.ReasonManifestFailedToTakeOver, Owner: &metav1.OwnerReference{}}, placement.ApplyStrategy{}},
		"another one": {Refusal{Reason: placement.ReasonManifestApplyFailed}, placement.ApplyStrategy{}},
	} {
		cure := placement.ApplyStrategy{WhenToApply: placement.ApplyAlways, WhenToTakeOver: placement.TakeOverAlways, AllowCoOwnership: true}
		if tt.refusal.cured(&tt.with) {
			t.Errorf("%s: no refusal with %+v", name, tt.with)
		}
		if cured := tt.refusal.cured(&cure); cured != (name != "another one") {
			t.Errorf("%s: cured %v", name, cured)
		}
	}
}
