package controller

import (
	"time"

	"github.com/stagewatch/stagewatch/engine/drive/pass"
)

// Timing are the waits of the engine.
type Timing = pass.Timing

// RealTiming are the waits of a real hub.
func RealTiming() Timing { return pass.DefaultTiming() }

// FastTiming are waits that a person in front of a demo has.
func FastTiming() Timing {
	t := pass.DefaultTiming()
	t.ClusterCheck = 2 * time.Second
	t.StageCheck = 3 * time.Second
	t.StuckAfter = 20 * time.Second
	t.BackoffMax = 5 * time.Second
	return t
}
