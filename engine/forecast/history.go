package forecast

import (
	"cmp"
	"math"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine/drive"
	"github.com/stagewatch/stagewatch/engine/drive/pass"
)

// NewestRuns is how many runs of the placement are read, the run itself among them.
const NewestRuns = 6

// enoughPairs is how many comparable updates suffice to compare two runs.
const enoughPairs = 3

// span is how long the update of a cluster, its deletion or the pause after a stage took.
type span struct {
	name string
	took time.Duration
	// now is true if the run itself recorded it.
	now bool
}

// history is what was observed of a placement's runs.
type history struct {
	// updates and deletions begin with the start of a cluster and end when the controller
	// notices that its member is done; pauses are those between two stages.
	updates, deletions, pauses durations
	// seen is how many updates were observed, runs how many runs recorded any.
	seen, runs int
}

// observe collects the spans of the run and of earlier ones.
func observe(in *pass.Input, q *Request) *history {
	var updates, deletions, pauses []span
	recorded := 0
	for _, run := range runsOf(in.Run, q.Earlier) {
		now, before := run == in.Run, len(updates)
		for i := range run.Status.StagesStatus {
			stage := &run.Status.StagesStatus[i]
			updates = append(updates, spans(stage, now)...)
			if next := pauseAfter(&run.Status, i); next != nil && next.StartTime != nil {
				pauses = append(pauses, span{stage.StageName, next.StartTime.Sub(stage.EndTime.Time), now})
			}
		}
		if len(updates) > before {
			recorded++
		}
		deletions = append(deletions, spans(run.Status.DeletionStageStatus, now)...)
	}
	if recorded == 0 {
		updates, pauses = bindingSpans(in, q.Timing)
	}
	// Updates that were stuck are left out, unless all were.
	if usual := slices.DeleteFunc(slices.Clone(updates), func(s span) bool { return s.took > q.Timing.StuckAfter }); len(usual) > 0 {
		updates = usual
	}
	// In a longer pause the run was stopped.
	pauses = slices.DeleteFunc(pauses, func(s span) bool { return s.took > q.Timing.BackoffMax })
	return &history{summarize(updates), summarize(deletions), summarize(pauses), len(updates), recorded}
}

// pauseAfter returns the stage before which the controller pauses when stage i has ended, for
// as long as it waited last while it backed off (docs/kubefleet.md#observed, 10.1). It is nil
// if no cluster was updated before, or a task was awaited.
func pauseAfter(run *placement.UpdateRunStatus, i int) *placement.StageStatus {
	next := stageAt(run, i+1)
	updated := func(s placement.StageStatus) bool { return len(spans(&s, false)) > 0 }
	if i < 0 || next == nil || run.StagesStatus[i].EndTime == nil || !slices.ContainsFunc(run.StagesStatus[:i+1], updated) ||
		len(run.StagesStatus[i].AfterStageTaskStatus)+len(next.BeforeStageTaskStatus) > 0 {
		return nil
	}
	return next
}

// runsOf returns the newest runs of the placement, oldest first, the run itself last.
func runsOf(run *placement.StagedUpdateRun, others []*placement.StagedUpdateRun) []*placement.StagedUpdateRun {
	runs := slices.DeleteFunc(slices.Clone(others), func(r *placement.StagedUpdateRun) bool {
		return r.Namespace != run.Namespace || r.Spec.PlacementName != run.Spec.PlacementName || r.Name == run.Name
	})
	slices.SortStableFunc(runs, func(a, b *placement.StagedUpdateRun) int {
		return cmp.Or(a.CreationTimestamp.Compare(b.CreationTimestamp.Time), cmp.Compare(a.Name, b.Name))
	})
	return append(runs[max(0, len(runs)-NewestRuns+1):], run)
}

// bindingSpans reads the last updates from the bindings of the placement, and the pauses after
// them. A binding that was available all along shows no update.
func bindingSpans(in *pass.Input, t pass.Timing) (updates, pauses []span) {
	for _, b := range in.Bindings {
		started := since(b.Status.Conditions, placement.BindingRolloutStarted)
		done := cmp.Or(since(b.Status.Conditions, placement.BindingAvailable), since(b.Status.Conditions, placement.BindingDiffReported))
		if b.Labels[placement.LabelParentPlacement] == in.Run.Spec.PlacementName && drive.BindingDone(b) && !started.IsZero() && done.After(started) {
			took := noticed(done.Sub(started), t)
			updates, pauses = append(updates, span{name: b.Spec.TargetCluster, took: took}), append(pauses, span{took: took - t.ClusterCheck})
		}
	}
	return updates, pauses
}

// noticed is after how long the controller notices a member that is done and was the only
// one to update: with the first poll, or while it backs off (docs/kubefleet.md#cluster-checks).
func noticed(took time.Duration, t pass.Timing) time.Duration {
	at := t.ClusterCheck
	for n := 0; at < took && at < t.StuckAfter; n++ {
		at += drive.Backoff(n, t)
	}
	return max(at, took)
}

// spans lists what a stage recorded. A cluster that had the version already starts and
// succeeds in the same pass.
func spans(stage *placement.StageStatus, now bool) (out []span) {
	if stage == nil {
		return nil
	}
	for i := range stage.Clusters {
		c := &stage.Clusters[i]
		started, ended := since(c.Conditions, placement.ClusterStarted), since(c.Conditions, placement.ClusterSucceeded)
		if !started.IsZero() && ended.After(started) {
			out = append(out, span{c.ClusterName, ended.Sub(started), now})
		}
	}
	return out
}

// since is when a condition became True; zero if it is not.
func since(conditions []metav1.Condition, kind string) time.Time {
	if c := meta.FindStatusCondition(conditions, kind); c != nil && c.Status == metav1.ConditionTrue {
		return c.LastTransitionTime.Time
	}
	return time.Time{}
}

// durations are those of the spans that were observed.
type durations struct {
	// pool has all of them, shortest first, own the last one of each name in earlier
	// runs, at the pace of this run.
	pool []time.Duration
	own  map[string]time.Duration
	// deviation is the factor by which those of the pool deviate, repeat by which those of
	// the same name do.
	deviation, repeat float64
}

// summarize computes the durations from spans, oldest first.
func summarize(spans []span) durations {
	d := durations{own: map[string]time.Duration{}}
	var ratios, paces []float64
	for _, s := range spans {
		took := max(s.took, time.Millisecond)
		d.pool = append(d.pool, took)
		if last, ok := d.own[s.name]; ok {
			ratios = append(ratios, float64(took)/float64(last))
			if s.now {
				paces = append(paces, float64(took)/float64(last))
			}
		}
		if !s.now {
			d.own[s.name] = took
		}
	}
	d.deviation = deviation(d.pool)
	if d.repeat = math.Sqrt(d.deviation); len(ratios) >= enoughPairs {
		d.repeat = deviation(ratios)
	}
	if slices.Sort(paces); len(paces) >= enoughPairs {
		for name, last := range d.own {
			d.own[name] = times(last, paces[len(paces)/2])
		}
	}
	return d
}

// of is how long one with a name takes that has taken some time already: as long as last
// time, or the next longer one, else a quantile of all that took longer. The golden ratio
// spreads the quantiles evenly over the ordinals. bound selects the likely duration (0) or the short (-1) or long
// (1) end of the interval in which the mean of so many updates lies in 90 of 100 cases. Not
// ok: none was observed.
func (d *durations) of(name string, ordinal, updates int, bound float64, elapsed time.Duration) (took time.Duration, ok bool) {
	n := len(d.pool)
	if n == 0 {
		return 0, false
	}
	likely, own := d.own[name]
	deviation := d.repeat
	if !own || likely <= elapsed {
		longer, _ := slices.BinarySearch(d.pool, elapsed+1)
		if longer == n { // it has outlasted those observed
			return times(elapsed, 1.25+bound/4), true
		}
		_, quantile := math.Modf(float64(ordinal) * math.Phi)
		if own {
			quantile = 0 // the next poll
		}
		likely, deviation = d.pool[longer+int(quantile*float64(n-longer))], d.deviation
	}
	margin := 2.0
	if n > 1 {
		margin = min(margin, math.Pow(deviation, 0.85*math.Sqrt(1/float64(updates)+1/float64(n))))
	}
	return max(elapsed, times(likely, math.Pow(margin, bound))), true
}

// deviation sorts a list and is the factor by which two of three deviate from the middle,
// at least 1.02.
func deviation[T time.Duration | float64](list []T) float64 {
	if len(list) == 0 {
		return 1
	}
	slices.Sort(list)
	return max(1.02, math.Sqrt(float64(list[len(list)*5/6])/float64(list[len(list)/6])))
}

func times(d time.Duration, factor float64) time.Duration { return time.Duration(float64(d) * factor) }
