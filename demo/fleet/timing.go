package fleet

import "time"

// Timing are the waits of the engine.
type Timing struct {
	ClusterCheck, StageCheck, StuckAfter, BackoffMax time.Duration
}

// RealTiming are the waits of a real hub.
func RealTiming() Timing {
	return Timing{ClusterCheck: 15 * time.Second, StageCheck: time.Minute, StuckAfter: 5 * time.Minute, BackoffMax: 1000 * time.Second}
}

// FastTiming are waits that a person at a demo has.
func FastTiming() Timing {
	t := RealTiming()
	t.ClusterCheck, t.StageCheck, t.StuckAfter, t.BackoffMax = 2*time.Second, 3*time.Second, 20*time.Second, 5*time.Second
	return t
}
