package forecast_test

import (
	"testing"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine/drive/pass"
	"github.com/stagewatch/stagewatch/engine/forecast"
	"github.com/stagewatch/stagewatch/engine/internal/rollout"
)

// many is the number of clusters in the benchmark.
const many = 1000

// ahead1000 makes the request for the forecast of a run of 1,000 clusters that
// begins now, after one that has updated them all.
func ahead1000(t testing.TB, limit string) (pass.Input, forecast.Request) {
	f := newSimulation(t, "", true, steadily)
	f.members(map[string]int{"c": many})
	f.EditStrategy(func(s *placement.UpdateStrategySpec) { s.Stages = []placement.StageConfig{rollout.Stage("c", "100%")} })
	f.roll(1)
	f.Finish()
	f.EditStrategy(func(s *placement.UpdateStrategySpec) { s.Stages = []placement.StageConfig{rollout.Stage("c", limit)} })
	f.roll(2)
	return f.Input(f.Key), forecast.Request{Timing: f.Timing, Now: f.Now, Earlier: f.runs()}
}

func BenchmarkForecast1000(b *testing.B) {
	for _, limit := range []string{"1", "10", "100%"} {
		b.Run(limit, func(b *testing.B) {
			in, q := ahead1000(b, limit)
			b.ReportAllocs()
			for b.Loop() {
				if f := forecast.Estimate(in, q); f.Finish.IsZero() {
					b.Fatal(f.Never)
				}
			}
		})
	}
}

// A forecast passes over a run as often as something happens, not as often as
// the controller looks.
func TestForecastCost(t *testing.T) {
	in, q := ahead1000(t, "10")
	n := testing.AllocsPerRun(2, func() {
		if f := forecast.Estimate(in, q); f.Finish.IsZero() {
			t.Fatal(f.Never)
		}
	})
	if n > 150*many {
		t.Errorf("%v allocations for %d clusters", n, many)
	}
	t.Logf("%.0f allocations per cluster", n/many)
}
