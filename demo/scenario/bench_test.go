package scenario_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stagewatch/stagewatch/demo/bench"
)

// The figures are of no interest here; that each is one is.
func TestBenchMeasures(t *testing.T) {
	t.Parallel()
	seen := map[string]bench.Measurement{}
	err := bench.Run(t.Context(), []bench.Size{{Runs: 3, Clusters: 4}}, 1, func(m bench.Measurement) error {
		seen[m.What] = m
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, what := range []string{
		"3 x 4: first rows", "3 x 4: complete", "3 x 4: a change is on its way to the screen", "3 x 4: held in memory",
	} {
		if m := seen[what]; m.Value == 0 || m.Floor <= 0 || m.Unit == "" || m.FloorOf == "" {
			t.Errorf("%s: %+v", what, m)
		}
		if what == "3 x 4: first rows" && seen["3 x 4: complete"].Value < seen[what].Value {
			t.Errorf("complete before the first rows: %+v", seen)
		}
	}
	if len(seen) != 5 || seen["hub ready, with its kinds"].Value <= 0 {
		t.Errorf("measured: %+v", seen)
	}
}

func TestBenchEndsWithItsReader(t *testing.T) {
	t.Parallel()
	gone := errors.New("nobody listens")
	err := bench.Run(t.Context(), []bench.Size{{Runs: 1, Clusters: 1}}, 1, func(bench.Measurement) error { return gone })
	if !errors.Is(err, gone) || !strings.Contains(err.Error(), "1 x 1") {
		t.Errorf("got %v", err)
	}
}
