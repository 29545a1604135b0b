package drive_test

import (
	"fmt"
	"testing"
	"time"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine/drive"
	"github.com/stagewatch/stagewatch/engine/drive/pass"
	"github.com/stagewatch/stagewatch/engine/internal/rollout"
)

const many = 1000

// big makes the Input of a run of 1,000 clusters in one stage, half of them
// done and the others in flight.
func big(t testing.TB) (pass.Input, pass.Timing, time.Time) {
	w := rollout.New(t, "")
	clear(w.Bindings)
	clear(w.Members)
	for i := range many {
		w.Join(fmt.Sprintf("c-%03d", i), "c", i)
	}
	w.EditStrategy(func(s *placement.UpdateStrategySpec) {
		s.Stages = []placement.StageConfig{rollout.Stage("c", "100%")}
		s.Stages[0].SortingLabelKey = new("order")
	})
	w.Start(placement.StateRun)
	w.Pass(0)
	for i := range many / 2 {
		w.Available(fmt.Sprintf("c-%03d", i))
	}
	w.Pass(time.Second)
	return w.Input(w.Key), w.Timing, w.Now.Add(time.Second)
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
