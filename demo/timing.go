package main

import (
	"fmt"
	"time"

	"github.com/spf13/pflag"

	"github.com/stagewatch/stagewatch/demo/controller"
)

// timingFlags are how long the engine waits. A wait that is not given is the
// one of the named timing.
type timingFlags struct {
	name                                            string
	clusterWait, stageWait, stuckAfter, backoffCeil time.Duration
}

func (t *timingFlags) add(flags *pflag.FlagSet, usual string) {
	flags.StringVar(&t.name, "timing", usual, "fast, or real as upstream waits")
	flags.DurationVar(&t.clusterWait, "cluster-wait", 0, "wait between looks at updating clusters (fast 2s, real 15s)")
	flags.DurationVar(&t.stageWait, "stage-wait", 0, "wait between looks at a pending approval (fast 3s, real 1m)")
	flags.DurationVar(&t.stuckAfter, "stuck-after", 0, "when a started cluster counts as stuck (fast 20s, real 5m)")
	flags.DurationVar(&t.backoffCeil, "backoff-max", 0, "longest wait after an error (fast 5s, real 16m40s)")
}

func (t *timingFlags) timing() (controller.Timing, error) {
	var timing controller.Timing
	switch t.name {
	case "fast":
		timing = controller.FastTiming()
	case "real":
		timing = controller.RealTiming()
	default:
		return timing, usageError{fmt.Errorf("--timing is fast or real, not %q", t.name)}
	}
	for _, wait := range []struct {
		flag  string
		given time.Duration
		set   *time.Duration
	}{
		{"cluster-wait", t.clusterWait, &timing.ClusterCheck},
		{"stage-wait", t.stageWait, &timing.StageCheck},
		{"stuck-after", t.stuckAfter, &timing.StuckAfter},
		{"backoff-max", t.backoffCeil, &timing.BackoffMax},
	} {
		if wait.given < 0 {
			return timing, usageError{fmt.Errorf("--%s must not be negative", wait.flag)}
		}
		if wait.given > 0 {
			*wait.set = wait.given
		}
	}
	return timing, nil
}
