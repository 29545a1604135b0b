package observe

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
)

func TestFields(t *testing.T) {
	run := &placement.StagedUpdateRun{ObjectMeta: metav1.ObjectMeta{
		Labels: map[string]string{"app": "web", "example.com/x": "\x1b]0;title\a"}, Annotations: map[string]string{"app": "other"},
	}}
	got := fields(run, []string{"path\u202e", ""}, []string{"annotation:app", "jsonpath:A:.a", "label:app", "label:example.com/x", "label:none", "jsonpath:B:.b", "jsonpath:C:.c"})
	want := []engine.Text{engine.Lit("other"), engine.Clean("path\u202e"), engine.Lit("web"), engine.Clean("\x1b]0;title\a"), {}, {}, {}}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%d: %q, want %q", i, got[i], want[i])
		}
	}
	run.Annotations["app"] = strings.Repeat("x", longestField-1) + "é and more"
	if got := fields(run, nil, []string{"annotation:app"})[0].String(); got != strings.Repeat("x", longestField-1)+"…" {
		t.Errorf("a long value: %q", got)
	}
	if fields(run, nil, nil) != nil {
		t.Error("values without a column")
	}
}
