package forecast

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine/drive"
	"github.com/stagewatch/stagewatch/engine/drive/pass"
)

// looks are the times at which the controller looked at a stage's clusters, as
// far as they can be told from its status: since a pass without an error it
// waits longer and longer while members look failed, and polls otherwise
// (docs/kubefleet.md#execute, #cluster-checks).
type looks struct {
	timing   pass.Timing
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
	before, d := last, drive.Decision{Next: drive.After, Wait: l.timing.ClusterCheck}
	for {
		wait, _, count := d.Schedule(failures, l.timing)
		next, failures = before.Add(wait), count
		if !next.Before(at) {
			return before, next, failures
		}
		before = next
		if l.backsOff {
			d = drive.Decision{Next: drive.Retry}
		}
		if steady(l.timing, d, failures) {
			before = before.Add(whole(at.Sub(before), wait))
		}
	}
}

// steady reports whether the waits after a decision stay the same from here on.
func steady(t pass.Timing, d drive.Decision, failures int) bool {
	return d.Next == drive.After || d.Next == drive.Retry && drive.Backoff(failures, t) == t.BackoffMax && drive.Backoff(failures-1, t) == t.BackoffMax
}

// whole is the longest time before d that is so many waits: statuses may hold
// times that lie years apart.
func whole(d, wait time.Duration) time.Duration {
	if wait <= 0 || d <= wait {
		return 0
	}
	return (d - 1) / wait * wait
}

func (l looks) next(at time.Time) (time.Time, int) {
	_, next, failures := l.around(at)
	return next, failures
}

// pause is the time between the end of a stage and the start of the next: the
// pass after the end begins it, after a wait that failures make longer
// (docs/kubefleet.md#observed, 10.1).
type pause struct {
	before *placement.StageStatus
	ended  time.Time
	took   time.Duration
}

func pausesIn(runs []*placement.StagedUpdateRun) []pause {
	var out []pause
	for _, run := range runs {
		stages := run.Status.StagesStatus
		for i := 1; i < len(stages); i++ {
			ended, began := stages[i-1].EndTime, stages[i].StartTime
			if ended != nil && began != nil && len(stages[i].BeforeStageTaskStatus) == 0 && len(stages[i-1].Clusters) > 0 && len(stages[i].Clusters) > 0 {
				out = append(out, pause{&stages[i-1], ended.Time, began.Sub(ended.Time)})
			}
		}
	}
	return out
}

// shortestCheck is how often the controller looks at updating clusters, as it
// shows: nothing is noticed sooner than the first look after the start, and
// when it has backed off since, the next wait is as long as all but that first
// one. Times are whole seconds: it has to be clearly shorter than what was
// given.
func (h *history) shortestCheck(runs []*placement.StagedUpdateRun, perRun [][]update) time.Duration {
	check := h.timing.ClusterCheck
	shown := func(d time.Duration) {
		if d >= time.Second && d < check*3/4 {
			check = d
		}
	}
	for _, updates := range perRun {
		for _, u := range updates {
			shown(u.noticed)
		}
	}
	for _, p := range pausesIn(runs) {
		if len(p.before.AfterStageTaskStatus) > 0 {
			continue
		}
		clean := h.looksAt(p.before).clean
		if i, _ := slices.BinarySearchFunc(clean, p.ended, time.Time.Compare); i > 0 && p.took > 0 {
			shown(p.ended.Sub(clean[i-1]) - p.took)
		}
	}
	return check
}

// longestBackoff is the longest that the controller backs off, as it shows: a
// pause that is shorter than failures would have it was capped.
func (h *history) longestBackoff(runs []*placement.StagedUpdateRun) time.Duration {
	var capped time.Duration
	for _, p := range pausesIn(runs) {
		_, failures := h.looksAt(p.before).next(p.ended.Add(-time.Second))
		if p.took > time.Second && p.took*3/2 < drive.Backoff(failures, h.timing) {
			capped = max(capped, p.took)
		}
	}
	if capped > 0 {
		return capped
	}
	return h.timing.BackoffMax
}
