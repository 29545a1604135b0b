package watch

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
)

func TestWantedPlacements(t *testing.T) {
	run := func(name string, word engine.Word, place string) *engine.RunView {
		return &engine.RunView{
			ID: engine.NewID(engine.KindClusterStagedUpdateRun, "", name, "u"), Word: word,
			Placement: engine.NewID(engine.KindClusterResourcePlacement, "", place, "u"),
			Terminal:  word == engine.WordDone || word == engine.WordPreempted,
		}
	}
	slow := run("slow", engine.WordRunning, "p-slow")
	slow.Slow = true
	s := &engine.Snapshot{Runs: []*engine.RunView{
		run("stuck", engine.WordStuck, "p-stuck"), run("pre", engine.WordPreempted, "p-pre"), run("stopping", engine.WordStopping, "p-stopping"),
		slow, run("fine", engine.WordRunning, "p-fine"), run("done", engine.WordDone, "p-done"),
		run("two-a", engine.WordRunning, "p-two"), run("two-b", engine.WordReady, "p-two"),
	}}
	names := func(ids []engine.ID) []string {
		var out []string
		for _, id := range ids {
			_, name, uid := id.Raw()
			out = append(out, name+uid)
		}
		return out
	}
	trouble := []string{"p-stuck", "p-pre", "p-stopping", "p-slow", "p-two"}
	id := func(name string) engine.ID { return engine.NewID(engine.KindClusterStagedUpdateRun, "", name, "u") }
	tests := []struct {
		name  string
		focus engine.Focus
		open  []string
		want  []string
	}{
		{"in trouble", engine.Focus{}, nil, trouble},
		{"opened and cursor first", engine.Focus{Run: id("done"), Cursor: id("fine")}, nil, append([]string{"p-done", "p-fine"}, trouble...)},
		{"cursor on one in trouble", engine.Focus{Cursor: id("pre")}, nil, []string{"p-pre", "p-stuck", "p-stopping", "p-slow", "p-two"}},
		{"open ones stay in front", engine.Focus{}, []string{"p-two", "p-gone"}, []string{"p-two", "p-stuck", "p-pre", "p-stopping", "p-slow"}},
		{"a focus that is gone", engine.Focus{Run: id("nobody")}, nil, trouble},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var open []engine.ID
			for _, name := range tt.open {
				open = append(open, engine.NewID(engine.KindClusterResourcePlacement, "", name, ""))
			}
			if got := names(wantedPlacements(s, tt.focus, open, reachScreen)); !slices.Equal(got, tt.want) {
				t.Errorf("wanted %v, want %v", got, tt.want)
			}
		})
	}
	many := &engine.Snapshot{}
	for i := range 50 {
		many.Runs = append(many.Runs, run(fmt.Sprint(i), engine.WordStuck, fmt.Sprint("p", i)))
	}
	if got := wantedPlacements(many, engine.Focus{Cursor: id("49")}, nil, reachScreen); len(got) != bindingSets || names(got)[0] != "p49" {
		t.Errorf("of fifty in trouble, %v", names(got))
	}
	if got := wantedPlacements(many, engine.Focus{}, nil, reachTrouble); len(got) != 50 {
		t.Errorf("a list without a screen reads %d of fifty", len(got))
	}
	if got := wantedPlacements(many, engine.Focus{Run: id("49")}, nil, reachFocus); !slices.Equal(names(got), []string{"p49"}) {
		t.Errorf("one run without a screen reads %v", names(got))
	}
}

func TestDecode(t *testing.T) {
	t.Run("placement", func(t *testing.T) {
		o, err := decode(engine.KindResourcePlacement, []byte(`{"metadata":{"name":"p","namespace":"ns","uid":"u","resourceVersion":"7","generation":3,"managedFields":[{}]},
			"spec":{"strategy":{"type":"External"}},"status":{"observedResourceIndex":"4","placementStatuses":[{"clusterName":"a"},{"clusterName":""},{}],"conditions":[{"type":"X","status":"True"}]}}`))
		if err != nil {
			t.Fatal(err)
		}
		p := o.value.(*engine.Placement)
		if !p.External || p.Clusters != 1 || p.ObservedIndex != "4" || p.Generation != 3 || len(p.Conditions) != 1 || p.ID != o.id || o.ResourceVersion != "7" {
			t.Errorf("row %+v", p)
		}
	})
	t.Run("binding", func(t *testing.T) {
		o, err := decode(engine.KindClusterResourceBinding, []byte(`{"metadata":{"name":"b","uid":"u","generation":2,"deletionTimestamp":"2026-11-20T10:00:00Z"},
			"spec":{"state":"Bound","resourceSnapshotName":"p-1-snapshot","targetCluster":"c","applyStrategy":{"type":"ReportDiff"}},
			"status":{"conditions":[{"type":"Applied"}],"failedPlacements":[{"kind":"Deployment","version":"v1","name":"web","condition":{"type":"Applied","status":"False"}}],
			"driftedPlacements":[{"kind":"X"},{"kind":"Y"}],"diffedPlacements":[{"kind":"Z"}]}}`))
		if err != nil {
			t.Fatal(err)
		}
		b := o.value.(*engine.Binding)
		if b.Cluster != "c" || b.State != "Bound" || b.SnapshotName != "p-1-snapshot" || !b.ReportDiff || b.Deleting.IsZero() ||
			b.Drifted != 2 || b.Differing != 1 || len(b.Failed) != 1 || b.Failed[0].Name != "web" {
			t.Errorf("row %+v", b)
		}
	})
	t.Run("approval", func(t *testing.T) {
		o, err := decode(engine.KindApprovalRequest, []byte(`{"metadata":{"name":"a","namespace":"ns","managedFields":[{"manager":"m"}]},"spec":{"parentStageRollout":"r"}}`))
		if err != nil {
			t.Fatal(err)
		}
		if a := o.value.(*placement.ApprovalRequest); a.Spec.ParentStageRollout != "r" || a.ManagedFields != nil {
			t.Errorf("request %+v", a)
		}
	})
	t.Run("broken", func(t *testing.T) {
		for _, raw := range []string{
			`{"metadata":{"name":"a","uid":"u","resourceVersion":"7"},"status":{"conditions":{}}}`,
			`{"metadata":{"name":"a","uid":"u","resourceVersion":"7"},"status":{"stagesStatus":[{"clusters":"none"}]}}`,
			`{"metadata":{"name":"a","uid":"u","resourceVersion":"7","generation":"x"}}`,
		} {
			o, err := decode(engine.KindClusterStagedUpdateRun, []byte(raw))
			if err != nil || o.broken == "" || o.value != nil || o.id != engine.NewID(engine.KindClusterStagedUpdateRun, "", "a", "u") || o.ResourceVersion != "7" {
				t.Errorf("%s: %+v, %v", raw, o, err)
			}
		}
	})
	t.Run("nameless", func(t *testing.T) {
		for _, raw := range []string{`{}`, `7`, `{"metadata":{"name":7}}`} {
			if o, err := decode(engine.KindClusterStagedUpdateRun, []byte(raw)); err == nil {
				t.Errorf("%s was read as %+v", raw, o)
			}
		}
	})
}

func TestReadTable(t *testing.T) {
	raw := `{"columnDefinitions":[{"name":"Name"},{"name":"Placement"},{"name":"Resource-Snapshot-Index"},{"name":"Initialized"},{"name":"Succeeded"}],
		"rows":[{"cells":["a","p","1","True",null],"object":{"metadata":{"name":"a","uid":"u","creationTimestamp":"2026-11-20T10:00:00Z"}}},
		{"cells":["b"],"object":{"metadata":{"name":"b","uid":"v","namespace":"ns"}}},{"cells":[],"object":{}}]}`
	rows, err := readTable(engine.KindStagedUpdateRun, []byte(raw))
	if err != nil || len(rows) != 2 {
		t.Fatalf("rows %v, %v", rows, err)
	}
	a := rows[engine.NewID(engine.KindStagedUpdateRun, "", "a", "u")]
	// A hub from before the column has no Progressing
	// (docs/kubefleet.md#versions).
	if a.Placement != "p" || a.Index != "1" || a.Initialized != "True" || a.Progressing != "" || a.Succeeded != "" || a.Created.IsZero() {
		t.Errorf("row %+v", a)
	}
	if _, ok := rows[engine.NewID(engine.KindStagedUpdateRun, "ns", "b", "v")]; !ok {
		t.Errorf("rows %v", rows)
	}
	if _, err := readTable(engine.KindStagedUpdateRun, []byte(`[]`)); err == nil {
		t.Error("a list was read as a table")
	}
}

// TestSecretsAreMasked looks for the values in everything that is shown.
func TestSecretsAreMasked(t *testing.T) {
	var o map[string]any
	if err := json.Unmarshal([]byte(`{"apiVersion":"v1","kind":"List","metadata":{"name":"x","managedFields":[{"manager":"m"}]},"items":[
		{"kind":"Secret","metadata":{"annotations":{"kubectl.kubernetes.io/last-applied-configuration":"{\"data\":\"aHVudGVyMg==\"}"}},
		 "data":{"a":"aHVudGVyMg==","b":"aHVudGVyMg==","c":"b3RoZXI="},"stringData":{"d":"hunter2","e":7}},
		{"kind":"Secret","data":"aHVudGVyMg=="},{"kind":"ConfigMap","data":{"open":"yes"}}]}`), &o); err != nil {
		t.Fatal(err)
	}
	lines, err := yamlLines(&unstructured.Unstructured{Object: o})
	if err != nil {
		t.Fatal(err)
	}
	text := engine.Join(lines, "\n").String()
	for _, secret := range []string{"aHVudGVyMg", "hunter2", "b3RoZXI", "managedFields"} {
		if strings.Contains(text, secret) {
			t.Errorf("%q is shown:\n%s", secret, text)
		}
	}
	hash := func(name string) string {
		_, after, _ := strings.Cut(text, "\n    "+name+": ")
		line, _, _ := strings.Cut(after, "\n")
		return line
	}
	if hash("a") != hash("b") || hash("a") == hash("c") || !strings.Contains(hash("a"), "7 bytes") || !strings.Contains(text, "open: ") {
		t.Errorf("a %q, b %q, c %q:\n%s", hash("a"), hash("b"), hash("c"), text)
	}
}

// What tells of a Secret's drift, or patches one, holds its values too.
func TestValuesBesideSecretsAreMasked(t *testing.T) {
	for _, tt := range []struct{ name, in string }{
		{"a binding", `{"status":{"driftedPlacements":[{"kind":"Secret","name":"s","observedDrifts":[{"path":"/data/p","valueInMember":"hunter2","valueInHub":"hunter3"}]},
			{"kind":"ConfigMap","observedDrifts":[{"path":"/data/p","valueInMember":"open"}]}]}}`},
		{"a placement", `{"status":{"placementStatuses":[{"clusterName":"open","diffedPlacements":[{"kind":"Secret","observedDiffs":[{"path":"/data","valueInHub":"{\"p\":\"hunter2\"}"}]}]}]}}`},
		{"a work", `{"status":{"manifestConditions":[{"identifier":{"kind":"Secret","name":"open"},"driftDetails":{"observedDrifts":[{"path":"/data/p","valueInMember":"hunter2"}]},
			"diffDetails":{"observedDiffs":[{"path":"/data/p","valueInHub":"hunter2"}]}}]}}`},
		{"an override", `{"spec":{"overrideSpec":{"resourceSelectors":[{"kind":"Secret","name":"open"}],"policy":{"overrideRules":[{"jsonPatchOverrides":[
			{"op":"add","path":"/data/p","value":"hunter2"},{"op":"add","path":"/data","value":{"p":"hunter2"}}]}]}}}}`},
		{"an override of a namespace", `{"spec":{"overrideSpec":{"clusterResourceSelectors":[{"kind":"Namespace","name":"open"}],"policy":{"overrideRules":[{"jsonPatchOverrides":[
			{"op":"add","path":"/data/p","value":"hunter2"}]}]}}}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var o map[string]any
			if err := json.Unmarshal([]byte(tt.in), &o); err != nil {
				t.Fatal(err)
			}
			maskSecrets(o)
			text, err := json.Marshal(o)
			if err != nil || strings.Contains(string(text), "hunter") || !strings.Contains(string(text), "open") || !strings.Contains(string(text), "masked") {
				t.Errorf("%s, %v", text, err)
			}
		})
	}
	other := map[string]any{"spec": map[string]any{"resourceSelectors": []any{map[string]any{"kind": "Deployment"}}, "policy": map[string]any{"value": "open"}}}
	if maskSecrets(other); other["spec"].(map[string]any)["policy"].(map[string]any)["value"] != "open" {
		t.Errorf("what is about no Secret is masked: %v", other)
	}
}

func FuzzFrames(f *testing.F) {
	f.Add([]byte(`{"items":[{"metadata":{"name":"a"}}],"metadata":{"resourceVersion":"1"}}`))
	f.Add([]byte(`{"items":null}`))
	f.Fuzz(func(t *testing.T, in []byte) {
		list, err := readList(&goroutines{}, strings.NewReader(string(in)), engine.KindClusterStagedUpdateRun, func(*object) {})
		if err == nil && list == nil {
			t.Error("neither a list nor an error")
		}
	})
}
