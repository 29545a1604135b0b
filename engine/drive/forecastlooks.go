package drive

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

// looks are the times at which the controller looked at a stage's clusters, as
// far as they can be told from its status: since a pass without an error it
// waits longer and longer while members look failed, and polls otherwise (facts
// 3.4, 3.5).
type looks struct {
	timing   Timing
	backsOff bool
	// clean are the passes that forgot the failures before them.
	clean []time.Time
}

// looksAt reads the looks from the conditions of a stage. A pass that starts a
// cluster while no other is in flight meets no error.
func (h *history) looksAt(stage *placement.StageStatus) looks {
	l := looks{timing: h.timing, backsOff: h.backsOff}
	type flight struct{ began, ended time.Time }
	flights := make([]flight, 0, len(stage.Clusters))
	for i := range stage.Clusters {
		began, ok := since(stage.Clusters[i].Conditions, placement.ClusterStarted)
		if !ok {
			continue
		}
		ended, done := since(stage.Clusters[i].Conditions, placement.ClusterSucceeded)
		if !done {
			ended = began.AddDate(100, 0, 0)
		}
		flights = append(flights, flight{began, ended})
	}
	slices.SortFunc(flights, func(a, b flight) int { return a.began.Compare(b.began) })
	// landed is when all that began before have ended, latest is the same with
	// those that began together with the one that is looked at.
	var landed, latest time.Time
	for i, f := range flights {
		if i == 0 || f.began.After(flights[i-1].began) {
			landed = latest
			if !landed.After(f.began) {
				l.clean = append(l.clean, f.began)
			}
		}
		if f.ended.After(latest) {
			latest = f.ended
		}
	}
	return l
}

func since(conditions []metav1.Condition, kind string) (time.Time, bool) {
	c := meta.FindStatusCondition(conditions, kind)
	if c == nil || c.Status != metav1.ConditionTrue {
		return time.Time{}, false
	}
	return c.LastTransitionTime.Time, true
}

// around returns the last look before a time and the first that is not before
// it, with the failures that are counted then.
func (l looks) around(at time.Time) (before, next time.Time, failures int) {
	i, _ := slices.BinarySearchFunc(l.clean, at, time.Time.Compare)
	if i == 0 {
		return at, at, 0
	}
	last := l.clean[i-1]
	before, d := last, Decision{Next: After, Wait: l.timing.ClusterCheck}
	for {
		wait, _, count := d.Schedule(failures, l.timing)
		next, failures = before.Add(wait), count
		if !next.Before(at) {
			return before, next, failures
		}
		before = next
		if l.backsOff {
			d = Decision{Next: Retry}
		}
	}
}

func (l looks) next(at time.Time) (time.Time, int) {
	_, next, failures := l.around(at)
	return next, failures
}

// longestBackoff is the longest that the controller backs off, as it shows
// between two stages: the pass after the end of one begins the next (facts
// 10.1). When it came sooner than failures would have it, it was capped.
func (h *history) longestBackoff(runs []*placement.StagedUpdateRun) time.Duration {
	var capped time.Duration
	for _, run := range runs {
		stages := run.Status.StagesStatus
		for i := 1; i < len(stages); i++ {
			ended, began := stages[i-1].EndTime, stages[i].StartTime
			if ended == nil || began == nil || len(stages[i].BeforeStageTaskStatus) > 0 || len(stages[i].Clusters) == 0 {
				continue
			}
			_, failures := h.looksAt(&stages[i-1]).next(ended.Add(-time.Second))
			if gap := began.Sub(ended.Time); gap > time.Second && gap*3/2 < Backoff(max(failures-1, 0), h.timing) {
				capped = max(capped, gap)
			}
		}
	}
	if capped > 0 {
		return capped
	}
	return h.timing.BackoffMax
}
