package drive_test

import (
	"fmt"
	"testing"
	"time"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine/drive"
	"github.com/stagewatch/stagewatch/engine/drive/pass"
	"github.com/stagewatch/stagewatch/engine/forecast"
)

const many = 1000

// big makes the Input of a run of 1,000 clusters in one stage, half of them
// done and the others in flight.
func big(t testing.TB) (pass.Input, pass.Timing, time.Time) {
	w := newWorld(t, "")
	clear(w.Bindings)
	clear(w.Members)
	for i := range many {
		w.join(fmt.Sprintf("c-%03d", i), "c", i)
	}
	w.strategy(func(s *placement.UpdateStrategySpec) {
		s.Stages = []placement.StageConfig{stage("c", "100%")}
		s.Stages[0].SortingLabelKey = ptr("order")
	})
	w.start(placement.StateRun)
	w.pass(0)
	for i := range many / 2 {
		w.available(fmt.Sprintf("c-%03d", i))
	}
	w.pass(time.Second)
	return w.Input(w.key), w.timing, w.Now.Add(time.Second)
}

// echo answers a write of the status and nothing else.
func echo(e pass.Effect) (pass.Answer, error) {
	if e.Op != pass.OpWriteStatus {
		return pass.Answer{}, errCrash
	}
	return pass.Answer{Object: e.Object}, nil
}

func BenchmarkReconcile1000(b *testing.B) {
	in, timing, now := big(b)
	b.ReportAllocs()
	for b.Loop() {
		if d := drive.Reconcile(in, timing, now, echo); d.Next != drive.After {
			b.Fatal(d)
		}
	}
}

func TestAllocations(t *testing.T) {
	in, timing, now := big(t)
	n := testing.AllocsPerRun(5, func() {
		if d := drive.Reconcile(in, timing, now, echo); d.Next != drive.After {
			t.Fatal(d)
		}
	})
	if n > 5*many {
		t.Errorf("%v allocations for %d clusters", n, many)
	}
	t.Logf("%.2f allocations per cluster", n/many)
}

// ahead1000 makes the request for the forecast of a run of 1,000 clusters that
// begins now, after one that has updated them all.
func ahead1000(t testing.TB, limit string) (pass.Input, forecast.Request) {
	f := newFilm(t, "", true, steadily)
	f.members(map[string]int{"c": many})
	f.strategy(func(s *placement.UpdateStrategySpec) { s.Stages = []placement.StageConfig{stage("c", "100%")} })
	f.roll(1)
	f.finish()
	f.strategy(func(s *placement.UpdateStrategySpec) { s.Stages = []placement.StageConfig{stage("c", limit)} })
	f.roll(2)
	return f.Input(f.key), forecast.Request{Timing: f.timing, Now: f.Now, Earlier: f.runs()}
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
