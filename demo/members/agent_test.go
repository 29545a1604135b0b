package members

import (
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/demo/store"
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

// A Deployment whose image is changed as the message of a webhook requires is applied.
func TestAnApprovedImageCuresARefusal(t *testing.T) {
	for image, refused := range map[string]bool{"registry.example/web:2": true, "registry.example/approved/web:2": false} {
		w := &placement.Work{ObjectMeta: metav1.ObjectMeta{Namespace: "fleet-member-weu-1", Name: "web-work", Labels: map[string]string{placement.LabelParentPlacement: "web"}}}
		w.Spec.Workload.Manifests = []placement.ResourceContent{{RawExtension: runtime.RawExtension{Raw: []byte(
			`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web"},"spec":{"template":{"spec":{"containers":[{"name":"web","image":"` + image + `"}]}}}}`)}}}
		a := &Agents{held: map[store.Key][]held{}, Config: Config{Initial: func(string, string) []placement.ResourceContent { return nil }}, faults: []Fault{{Cluster: "weu-1", Placement: "web", Refuses: &Refusal{Kind: "Deployment", Admits: "registry.example/approved"}}}}
		if got := len(a.refused(w)) > 0; got != refused {
			t.Errorf("%s: refused %t, want %t", image, got, refused)
		}
	}
}

// An agent applies a Work unless it is of a placement that only reports differences: then the
// member keeps what it has.
func TestAnAgentAppliesOrReportsDifferences(t *testing.T) {
	content := func(value string) placement.ResourceContent {
		return placement.ResourceContent{RawExtension: runtime.RawExtension{Raw: []byte(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"web"},"data":{"a":"` + value + `"}}`)}}
	}
	for strategy, want := range map[placement.ApplyStrategyType]struct{ value, conditions string }{
		placement.ApplyReportDiff: {"1", "DiffReported"},
		placement.ApplyServerSide: {"2", "Applied Available"},
		"":                        {"2", "Applied Available"},
	} {
		a := &Agents{held: map[store.Key][]held{}, Config: Config{Initial: func(string, string) []placement.ResourceContent { return []placement.ResourceContent{content("1")} }}}
		w := &placement.Work{ObjectMeta: metav1.ObjectMeta{Namespace: "fleet-member-weu-1", Name: "web-work", Generation: 1}}
		w.Spec.Workload.Manifests = []placement.ResourceContent{content("2")}
		if strategy != "" {
			w.Spec.ApplyStrategy = &placement.ApplyStrategy{Type: strategy}
		}
		got := a.status(w, true, time.Now())
		var conditions []string
		for _, c := range slices.Concat(got.Conditions, got.ManifestConditions[0].Conditions) {
			conditions = append(conditions, c.Type)
		}
		if all := strings.Join(conditions, " "); all != want.conditions+" "+want.conditions {
			t.Errorf("%q: reports %s", strategy, all)
		}
		if have := string(a.holdings(w)[0].content.Raw); have != string(content(want.value).Raw) {
			t.Errorf("%q: the member has %s", strategy, have)
		}
		if d := got.ManifestConditions[0].DiffDetails; (d != nil) != (strategy == placement.ApplyReportDiff) {
			t.Errorf("%q: differences %+v", strategy, d)
		}
	}
}
