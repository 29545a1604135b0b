package page_test

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/engine/world"
)

func TestHubFactsOfADiagnosis(t *testing.T) {
	deleted := metav1.NewTime(pageNow.Add(-20 * time.Minute))
	work := func(name string, finalizers ...string) placement.Work {
		w := placement.Work{ObjectMeta: metav1.ObjectMeta{Namespace: "fleet-member-eu-1", Name: name, Finalizers: finalizers, DeletionTimestamp: &deleted}}
		object := runtime.RawExtension{Raw: []byte(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"shop","name":"web"}}`)}
		w.Spec.Workload.Manifests = []placement.ResourceContent{{RawExtension: object}}
		return w
	}
	for _, tt := range []struct {
		name string
		hub  page.HubFacts
		want []string // in this order
		not  string
	}{
		{"changed", page.HubFacts{Overrides: []world.OverrideUse{{Used: "cro-0", Latest: "cro-1"}}}, []string{
			"Override cro changed since this run was initialized: its latest snapshot is cro-1.",
		}, "unchanged"},
		{"unchanged", page.HubFacts{Overrides: []world.OverrideUse{{Namespace: "shop", Used: "ro-3", Latest: "ro-3"}}}, []string{"Override shop/ro is unchanged since this run was initialized"}, "Check that override"},
		{"deleted", page.HubFacts{Overrides: []world.OverrideUse{{Used: "cro-0"}}}, []string{"Override cro was deleted after this run was initialized. This run keeps override snapshot cro-0"}, "Check that override"},
		{"foreign finalizer", page.HubFacts{Works: []placement.Work{work("a", "kubernetes-fleet.io/work-cleanup"), work("b", "kubernetes-fleet.io/work-cleanup", "backup.example/hold")}}, []string{
			"Look at the pods.",
			"fleet-member-eu-1/b", "finalizer backup.example/hold is not Fleet's", "objects: ConfigMap shop/web",
			"fleet-member-eu-1/a", "finalizer kubernetes-fleet.io/work-cleanup: the member's agent removes it",
		}, "unchanged"},
		{"not read", page.HubFacts{Why: engine.Lit("you may not list them")}, []string{"Works of ", "you may not list them"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := diagnosisFacts()
			f.Hub = &tt.hub
			got := flat(page.DiagnosisPage(f))
			at := 0
			for _, want := range tt.want {
				i := strings.Index(got[at:], want)
				if i < 0 {
					t.Fatalf("no %q after %q in\n%s", want, got[:at], got)
				}
				at += i
			}
			if tt.not != "" && strings.Contains(got, tt.not) {
				t.Errorf("says %q:\n%s", tt.not, got)
			}
		})
	}
}
