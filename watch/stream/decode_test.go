package stream

import (
	"encoding/json"
	"testing"

	"github.com/stagewatch/stagewatch/engine"
)

// BenchmarkDecodeRun is the cost of one run of 1,000 clusters.
func BenchmarkDecodeRun(b *testing.B) {
	raw, err := json.Marshal(bigRun("run", 1000))
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		if o, err := decode(engine.HubName{}, engine.KindClusterStagedUpdateRun, raw); err != nil || o.Broken != "" {
			b.Fatal(err, o)
		}
	}
}
