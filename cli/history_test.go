//go:build linux || darwin

package cli_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stagewatch/stagewatch/watch/faults"
)

var serveIdle = sync.OnceValues(func() (*served, error) { return startDemo("empty", "--no-engine") })

// A program with a person before it and a faulty connection behind it shows nothing that
// breaks a promise, and writes what was confirmed and nothing else. Scripts that have
// failed once are played, too.
func TestHistory(t *testing.T) {
	t.Parallel()
	withoutRace(t)
	cases := map[string][]step{"seed 1, then silence": append(script(1, 3*time.Second), silence(3*time.Second, 12*time.Second)...)}
	files, err := filepath.Glob("testdata/history/*.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		var steps []step
		raw, err := os.ReadFile(f)
		if err == nil {
			err = json.Unmarshal(raw, &steps)
		}
		if err != nil {
			t.Fatal(err)
		}
		cases[filepath.Base(f)] = steps
	}
	for name, steps := range cases {
		t.Run(name, func(t *testing.T) { told := play(t, steps); report(t, steps, told.check()) })
	}
	for seed, begun := uint64(time.Now().UnixNano()), time.Now(); time.Since(begun) < *historyFor; seed++ {
		steps := script(seed, 20*time.Second)
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			if bad := play(t, steps).check(); len(bad) > 0 {
				t.Logf("%d broken promises, such as: %v; shortening the script", len(bad), bad[0])
				short, bad := shrink(t, steps, bad)
				report(t, short, bad)
			}
		})
	}
}

// silence is a connection that brings nothing about the runs anymore, for long enough
// that what is on the screen is old, while the hub goes on.
func silence(from, length time.Duration) []step {
	out := []step{{At: from, Kind: "fault"}, {At: from, Kind: "keys", Arg: "\x1b\x1b\x1b\x1b"}, {At: from, Kind: "size", Arg: "120x30"}, {At: from, Kind: "fault", Arg: string(faults.Mute), Of: "runs"}}
	for at := from; at < from+length; at += 900 * time.Millisecond {
		out = append(out, step{At: at, Kind: "hub", Arg: fmt.Sprint(int(at/time.Second) % historyRuns)})
	}
	return out
}

// report fails the test with a script, to be kept as a file of testdata/history.
func report(t *testing.T, steps []step, bad []error) {
	t.Helper()
	if len(bad) == 0 {
		return
	}
	raw, err := json.Marshal(steps)
	if err != nil {
		t.Fatal(err)
	}
	var says []string
	for _, err := range bad {
		says = append(says, err.Error())
	}
	t.Errorf("%d broken promises:\n%s\nscript: %s", len(bad), strings.Join(says[:min(len(says), 20)], "\n"), raw)
}

// shrink leaves steps out of a script as long as it still fails, in mostPlays plays at
// most.
func shrink(t *testing.T, steps []step, bad []error) ([]step, []error) {
	const mostPlays = 30
	plays := 0
	for n := len(steps) / 2; n > 0; n /= 2 {
		for from := 0; from+n <= len(steps) && plays < mostPlays; plays++ {
			less := append(append([]step{}, steps[:from]...), steps[from+n:]...)
			if now := play(t, less).check(); len(now) > 0 {
				steps, bad = less, now
			} else {
				from += n
			}
		}
	}
	return steps, bad
}
