package scenario

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stagewatch/stagewatch/demo/bench"
)

// benchHub is the argument that makes this test binary the hub of a measurement.
const benchHub = "bench-hub"

// benchOptions measure the real program once, each for a moment.
func benchOptions(t *testing.T) bench.Options {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("bench reads /proc")
	}
	program := filepath.Join(t.TempDir(), "stagewatch")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, "github.com/stagewatch/stagewatch").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	return bench.Options{
		Program: program, Columns: 120, Rows: 40, Times: 1, Window: 200 * time.Millisecond, Hub: []string{os.Args[0], benchHub},
	}
}

// The figures are of no interest here; that each is one is. The reader of the figures fails
// after the last one, and then no other hub is measured.
func TestBenchMeasures(t *testing.T) {
	t.Parallel()
	seen := map[string]bench.Figure{}
	gone := errors.New("the reader is gone")
	sizes := []bench.Size{{Runs: 6, Clusters: 4, Bindings: 8, Finished: 2}, {Runs: 1, Clusters: 3}}
	err := bench.Run(t.Context(), sizes, benchOptions(t), func(f bench.Figure) error {
		seen[f.What] = f
		if f.What == "CPU at 1000 changes of bindings a second" {
			return gone
		}
		return nil
	})
	if !errors.Is(err, gone) || !strings.Contains(err.Error(), "6 x 4") {
		t.Fatalf("with a reader that fails, the error is %v", err)
	}
	floors := map[string]string{
		"first frame": "", "first rows": "GET of the runs", "live": "GET of the runs", "CPU to live": "GET of the runs",
		"memory when settled": "the runs as JSON", "highest memory": "", "requests to live": "", "bytes to the terminal to live": "",
		"CPU idle": "", "key to frame, idle, p99": "", "key to frame, hub hangs, p99": "",
		"change to frame, p50": "plain watch", "change to frame, p99": "plain watch",
		"CPU at 100 changes of runs a second": "", "CPU at 100 changes of bindings a second": "", "CPU at 1000 changes of bindings a second": "",
	}
	for what, of := range floors {
		f := seen[what]
		none := what == "CPU idle" && f.What == what && f.Value == 0 // an idle program may use none for so short a time
		if !none && (f.Value <= 0 || f.Low <= 0) || f.High < f.Low || f.FloorOf != of || (f.Floor > 0) != (of != "") || f.Size != "6 x 4, 8 bindings, 2 finished" {
			t.Errorf("%s: %+v", what, f)
		}
	}
	if rows, live := seen["first rows"], seen["live"]; rows.Value < seen["first frame"].Value || live.Value < rows.Value {
		t.Errorf("in the wrong order: %+v", seen)
	}
	if f := seen["CPU idle"]; f.Target == (bench.Target{}) {
		t.Errorf("no target: %+v", f)
	}
}

func TestBenchSizes(t *testing.T) {
	t.Parallel()
	for size, ok := range map[bench.Size]bool{
		{Runs: 1, Clusters: 3}:                             true,
		{Runs: 2, Clusters: 10, Bindings: 15}:              true,
		{Runs: 2, Clusters: 10, Bindings: 21}:              false,
		{Runs: 2, Clusters: 10, Bindings: 11, Finished: 1}: false,
		{Runs: 2, Clusters: 10, Finished: 2}:               false,
		{Runs: 2, Clusters: 10, Bindings: -1}:              false,
		{Clusters: 10}:                                     false,
		{Runs: 1, Clusters: 2}:                             false,
	} {
		if err := size.Check(); (err == nil) != ok {
			t.Errorf("%+v: %v", size, err)
		}
	}
	for _, size := range bench.Standard() {
		if err := size.Check(); err != nil {
			t.Errorf("%s: %v", size, err)
		}
	}
}

// The run whose changes are measured has to be on the screen.
func TestBenchRejectsMoreStuckRunsThanRows(t *testing.T) {
	t.Parallel()
	err := bench.Run(t.Context(), []bench.Size{{Runs: 30, Clusters: 3, Bindings: 90}}, bench.Options{Rows: 40, Hub: []string{"none"}}, nil)
	if err == nil || !strings.Contains(err.Error(), "--bindings needs at most 60") {
		t.Errorf("with 30 stuck runs on 40 rows: %v", err)
	}
}

// A figure that has a target says whether it meets all parts of it.
func TestBenchPrints(t *testing.T) {
	t.Parallel()
	figures := []bench.Figure{
		{Size: "1 x 1", What: "live", Unit: "ms", Value: 25, Low: 20, High: 300, Floor: 10, FloorOf: "GET of the runs", Target: bench.Target{Ratio: 2.5}},
		{Size: "1 x 1", What: "CPU idle", Unit: "%", Value: 0.31, Low: 0.3, High: 0.5, Target: bench.Target{Most: 0.3}},
		{Size: "1 x 1", What: "change", Unit: "ms", Value: 23, Floor: 10, Target: bench.Target{Most: 30, Over: 12}},
		{Size: "1 x 1", What: "requests", Value: 26, Low: 26, High: 26},
	}
	measure := func(tell func(bench.Figure) error) error {
		for _, f := range figures {
			if err := tell(f); err != nil {
				return err
			}
		}
		return nil
	}
	want := `| HUB | FIGURE | MEDIAN | LOWEST TO HIGHEST | FLOOR | RATIO | TARGET | MET |
|---|---|---|---|---|---|---|---|
| 1 x 1 | live | 25.0 ms | 20.0 to 300 ms | 10.0 ms | 2.50x | at most 2.5x | yes |
| 1 x 1 | CPU idle | 0.31 % | 0.30 to 0.50 % |  |  | at most 0.30 % | no |
| 1 x 1 | change | 23.0 ms | 0.00 to 0.00 ms | 10.0 ms | 2.30x | at most 30.0 ms, at most 12.0 ms over | no |
| 1 x 1 | requests | 26.0 | 26.0 to 26.0 |  |  |  |  |
`
	var out bytes.Buffer
	if err := bench.Print(&out, "markdown", measure); err != nil || out.String() != want {
		t.Errorf("error %v, got\n%s", err, out.String())
	}
	out.Reset()
	var back []bench.Figure
	if err := bench.Print(&out, "json", measure); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(out.Bytes(), &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(figures, back); diff != "" {
		t.Error(diff)
	}
	if bench.CheckFormat("yaml") == nil || bench.CheckFormat("table") != nil {
		t.Error("formats are not checked")
	}
}
