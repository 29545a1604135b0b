package controller

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/demo/store"
	rollout "github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/drive/pass"
	"github.com/stagewatch/stagewatch/engine/page"
)

// The log keeps a bounded number of lines for each run and of runs, in the order
// in which they were written.
func TestControllerLogIsBounded(t *testing.T) {
	l, at := NewLog(), time.Date(2026, 8, 20, 10, 0, 0, 0, time.UTC)
	for i := range keptRuns + 5 {
		k := store.Key{Name: fmt.Sprint("r-", i)}
		for range 2 * keptLines {
			p := l.begin(k, at)
			p.did(at, pass.Effect{Op: pass.OpAddFinalizer, Object: &placement.StagedUpdateRun{}}, nil)
			p.end(at, nil)
		}
	}
	text := string(l.Text())
	if lines := strings.Count(text, "\n"); lines != keptRuns*(keptLines+keptPasses) {
		t.Errorf("%d lines", lines)
	}
	if strings.Contains(text, `"r-4"`) || !strings.Contains(text, `updateRun="r-5"`) {
		t.Error("not the oldest run was forgotten")
	}
	var none *Log
	none.begin(store.Key{}, at).end(at, nil) // an engine that logs nowhere
}

// The lines have the form that the log page and the copied command look for.
func TestControllerLogLines(t *testing.T) {
	at := time.Date(2026, 8, 20, 10, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		k    store.Key
		want []string
	}{
		{store.Key{Name: "web-r1"}, []string{
			`I0820 10:00:00.000000       1 updaterun/controller.go:97] "UpdateRun reconciliation starts" updateRun="/web-r1"`,
			`] "Updated the binding of the cluster to the resource snapshot of the updateRun" binding="b" cluster="weu-1" updateRun="web-r1"`,
			`E0820 10:00:00.000000       1 updaterun/controller.go:158] "Failed to reconcile the updateRun" err="not synced" updateRun="web-r1"`,
			"\tERROR\tReconciler error\t", `"ClusterStagedUpdateRun": {"name":"web-r1"}`,
		}},
		{store.Key{Namespace: "shop", Name: "web-r1"}, []string{`starts" updateRun="shop/web-r1"`, `cluster="weu-1" updateRun="shop/web-r1"`, `"StagedUpdateRun": {"name":"web-r1","namespace":"shop"}`}},
	} {
		l := NewLog()
		p := l.begin(tt.k, at)
		b := &placement.ResourceBinding{Spec: placement.BindingSpec{TargetCluster: "weu-1"}}
		b.Name = "b"
		p.did(at, pass.Effect{Op: pass.OpUpdateBinding, Object: b}, nil)
		p.end(at, errors.New("not synced"))
		text := string(l.Text())
		for _, want := range tt.want {
			if !strings.Contains(text, want) {
				t.Errorf("no %s in\n%s", want, text)
			}
		}
		kind := rollout.KindClusterStagedUpdateRun
		if tt.k.Namespace != "" {
			kind = rollout.KindStagedUpdateRun
		}
		for line := range strings.Lines(text) {
			if !page.AboutRun(strings.TrimSpace(line), rollout.NewID(kind, tt.k.Namespace, tt.k.Name, "u")) {
				t.Errorf("not taken for a line about the run: %s", line)
			}
		}
	}
}
