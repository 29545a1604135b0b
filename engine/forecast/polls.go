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

// polls are the passes of the controller over the clusters of a stage, as far as its
// status shows them: after a pass without an error the waits are ClusterCheck while
// members look healthy, and the backoff while they look failed
// (docs/kubefleet.md#execute, #cluster-checks).
type polls struct {
	timing   pass.Timing
	backsOff bool
	// clean are the passes that reset the failure count.
	clean []time.Time
}

// pollsOf reads the polls from the conditions of a stage. A pass that starts a cluster
// while no other cluster is updating meets no error.
func (h *history) pollsOf(stage *placement.StageStatus) polls {
	p := polls{timing: h.timing, backsOff: h.backsOff}
	type update struct{ started, ended time.Time }
	var updates []update
	for i := range stage.Clusters {
		started, ok := trueSince(stage.Clusters[i].Conditions, placement.ClusterStarted)
		if !ok {
			continue
		}
		ended, done := trueSince(stage.Clusters[i].Conditions, placement.ClusterSucceeded)
		if !done {
			ended = started.AddDate(100, 0, 0)
		}
		updates = append(updates, update{started, ended})
	}
	slices.SortFunc(updates, func(a, b update) int { return a.started.Compare(b.started) })
	var busy time.Time // until when the clusters that started earlier are updating
	for i := 0; i < len(updates); {
		started := updates[i].started
		if !busy.After(started) {
			p.clean = append(p.clean, started)
		}
		for ; i < len(updates) && updates[i].started.Equal(started); i++ {
			if updates[i].ended.After(busy) {
				busy = updates[i].ended
			}
		}
	}
	return p
}

func trueSince(conditions []metav1.Condition, kind string) (time.Time, bool) {
	c := meta.FindStatusCondition(conditions, kind)
	if c == nil || c.Status != metav1.ConditionTrue {
		return time.Time{}, false
	}
	return c.LastTransitionTime.Time, true
}

// lastClean is the last pass before a time that reset the failure count.
func (p polls) lastClean(at time.Time) (time.Time, bool) {
	i, _ := slices.BinarySearchFunc(p.clean, at, time.Time.Compare)
	if i == 0 {
		return at, false
	}
	return p.clean[i-1], true
}

// around returns the last poll before a time and the first that is not before it, with
// the failures that are counted then.
func (p polls) around(at time.Time) (before, next time.Time, failures int) {
	before, ok := p.lastClean(at)
	if !ok {
		return at, at, 0
	}
	d := drive.Decision{Next: drive.After, Wait: p.timing.ClusterCheck}
	for {
		wait, _, count := d.Schedule(failures, p.timing)
		next, failures = before.Add(wait), count
		if !next.Before(at) {
			return before, next, failures
		}
		before = next
		if p.backsOff {
			d = drive.Decision{Next: drive.Retry}
		}
		if steady(p.timing, d, failures) {
			before = before.Add(multiple(at.Sub(before), wait))
		}
	}
}

// steady reports whether the waits after a decision stay the same.
func steady(t pass.Timing, d drive.Decision, failures int) bool {
	return d.Next == drive.After || d.Next == drive.Retry && drive.Backoff(failures-1, t) == t.BackoffMax
}

// multiple is the greatest multiple of wait that is less than d: statuses may hold
// times that are years apart.
func multiple(d, wait time.Duration) time.Duration {
	if wait <= 0 || d <= wait {
		return 0
	}
	return (d - 1) / wait * wait
}

// learnWaits replaces ClusterCheck and BackoffMax by shorter waits that the runs show. No
// update is noticed before the first poll. When the controller has backed off, the
// pause before the next stage is as long as all its waits but ClusterCheck, unless
// BackoffMax is shorter. Times are whole seconds: only a clear difference counts.
func (h *history) learnWaits(runs []*placement.StagedUpdateRun, perRun [][]update) {
	shown := func(check time.Duration) {
		if check >= time.Second && check < h.timing.ClusterCheck*3/4 {
			h.timing.ClusterCheck = check
		}
	}
	for _, updates := range perRun {
		for _, u := range updates {
			shown(u.noticed)
		}
	}
	var elapsed, pauses []time.Duration
	for _, run := range runs {
		stages := run.Status.StagesStatus
		for i := 1; i < len(stages); i++ {
			ended, started := stages[i-1].EndTime, stages[i].StartTime
			if ended == nil || started == nil || len(stages[i].BeforeStageTaskStatus)+len(stages[i-1].AfterStageTaskStatus) > 0 || len(stages[i].Clusters) == 0 {
				continue
			}
			clean, ok := h.pollsOf(&stages[i-1]).lastClean(ended.Time)
			if pause := started.Sub(ended.Time); ok && pause > time.Second {
				elapsed, pauses = append(elapsed, ended.Sub(clean)), append(pauses, pause)
				shown(ended.Sub(clean) - pause)
			}
		}
	}
	var longest time.Duration
	for i, pause := range pauses {
		if pause*3/2 < elapsed[i]-h.timing.ClusterCheck {
			longest = max(longest, pause)
		}
	}
	if longest > 0 {
		h.timing.BackoffMax = longest
	}
}
