package decode

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/world"
)

// aRun is the JSON of a run of n clusters.
func aRun(n int) string {
	clusters := strings.Repeat(`{"clusterName":"c","conditions":[{"type":"Started","status":"True"}]},`, n)
	return fmt.Sprintf(`{"metadata":{"name":"r"},"status":{"stagesStatus":[{"stageName":"s","clusters":[%s]}]}}`, strings.TrimSuffix(clusters, ","))
}

// The first run of what was read is found with its length, and only if all of it is there.
func TestFirstRun(t *testing.T) {
	for _, clusters := range []int{1, 1000} {
		run := aRun(clusters)
		for _, after := range []string{"", ",", `,{"metadata":{"na`, "]}", "\n,\n{}"} {
			value, meta, length := FirstRun([]byte(run + after))
			if length != len(run) || meta == nil || meta.Name != "r" {
				t.Fatalf("%d clusters, then %q: %d bytes of %d", clusters, after, length, len(run))
			}
			n := 0
			switch v := value.(type) {
			case *v1beta1.StagedUpdateRun:
				n = len(v.Status.StagesStatus[0].Clusters)
			case *world.PackedRun:
				n = len(v.Whole().Status.StagesStatus[0].Clusters)
			}
			if n != clusters {
				t.Errorf("%d clusters, then %q: %d clusters are kept", clusters, after, n)
			}
		}
		for _, less := range []int{1, 2, 10, len(run) / 2, len(run)} {
			if _, _, length := FirstRun([]byte(run[:len(run)-less])); length != 0 {
				t.Errorf("%d clusters without the last %d bytes: %d bytes were taken", clusters, less, length)
			}
		}
	}
	for _, odd := range []string{"null", "7", `"run"`, "[]", `{"status":[]}`, ` {"metadata":{"name":"r"}}`, `{"metadata":{"annotations":{"x":1}}}`, aRun(MaxParts / 2), `{"status":{"stagesStatus":[` + strings.Repeat("{},", MaxStages) + `{}]}}`} {
		if _, _, length := FirstRun([]byte(odd)); length != 0 {
			t.Errorf("%.40s: %d bytes were taken", odd, length)
		}
	}
}

// BenchmarkFirstRun is the cost of one run of 1,000 clusters, decoded and packed.
func BenchmarkFirstRun(b *testing.B) {
	raw := []byte(aRun(1000))
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		if _, _, length := FirstRun(raw); length != len(raw) {
			b.Fatal(length)
		}
	}
}

func TestNothingElseIsDecoded(t *testing.T) {
	if _, _, err := Value(engine.HubName{}, engine.KindWork, []byte("{}")); err == nil {
		t.Error("a work is decoded, of which no set is kept")
	}
}
