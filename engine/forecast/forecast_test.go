package forecast_test

import (
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine/forecast"
	"github.com/stagewatch/stagewatch/engine/internal/rollout"
	"github.com/stagewatch/stagewatch/engine/plan"
)

// simulation is a world whose members take their time, on a clock that runs from
// one thing that happens to the next.
type simulation struct {
	*rollout.World
	// took is how long a member takes for a run.
	took func(run, cluster string) time.Duration
	// fails says that bindings look failed while members are at work.
	fails bool
	// approve is how long people take.
	slow map[string]time.Duration
	due  map[string]time.Time
	next time.Time
	idle bool
}

func newSimulation(t testing.TB, ns string, fails bool, took func(run, cluster string) time.Duration) *simulation {
	w := rollout.New(t, ns)
	for index := 2; index < 6; index++ {
		w.Put(w.Snapshot(index))
	}
	return &simulation{World: w, took: took, fails: fails, due: map[string]time.Time{}, slow: map[string]time.Duration{}}
}

// roll creates a run of an index and makes it the one that is filmed.
func (f *simulation) roll(index int) {
	f.Key.Name = fmt.Sprintf("run-%d", index)
	f.Failures, f.idle = 0, false
	o := &placement.StagedUpdateRun{ObjectMeta: f.Meta(f.Key.Name), Spec: placement.UpdateRunSpec{
		PlacementName: "web", ResourceSnapshotIndex: strconv.Itoa(index), StagedRolloutStrategyName: "plan", State: placement.StateRun,
	}}
	o.CreationTimestamp = metav1.NewTime(f.Now)
	f.Put(o)
	f.next = f.Now
}

// Step goes to the next thing that happens and lets it happen. It reports
// whether anything will.
func (f *simulation) Step() bool {
	name, at := "", f.next
	if f.idle {
		at = time.Time{}
	}
	for _, k := range slices.Sorted(maps.Keys(f.due)) {
		if at.IsZero() || f.due[k].Before(at) {
			name, at = k, f.due[k]
		}
	}
	if at.IsZero() {
		return false
	}
	if at.After(f.Now) {
		f.Now = at
	}
	if name != "" {
		delete(f.due, name)
		f.happen(name)
		return true
	}
	failures := f.Failures
	d := f.Pass(0)
	wait, again, _ := d.Schedule(failures, f.Timing)
	f.next, f.idle = f.Now.Add(wait), !again
	f.look()
	return true
}

// happen lets a member or a person do what is due.
func (f *simulation) happen(name string) {
	kind, name, _ := strings.Cut(name, " ")
	switch kind {
	case "update":
		f.Available(name)
	case "gone":
		delete(f.Bindings, types.NamespacedName{Namespace: f.Namespace, Name: "web-" + name})
	case "approve":
		f.Approve(name)
		f.next, f.idle = f.Now, false
	}
}

// look lets members and people see what the last pass has left for them.
func (f *simulation) look() {
	for _, b := range f.ofWeb() {
		name := b.Spec.TargetCluster
		if b.DeletionTimestamp != nil {
			f.await("gone "+name, f.took("gone", name))
			continue
		}
		rollout := meta.FindStatusCondition(b.Status.Conditions, "RolloutStarted")
		available := meta.FindStatusCondition(b.Status.Conditions, "Available")
		if rollout == nil || rollout.ObservedGeneration != b.Generation || available != nil && available.ObservedGeneration == b.Generation {
			continue
		}
		if f.fails {
			f.Report(name, "Available", "False", "NotAllWorkAreAvailable")
		} else {
			f.Report(name, "Available", "Unknown", "WorkPending")
			f.Report(name, "Applied", "True", "AllWorkHaveBeenApplied")
		}
		f.await("update "+name, f.took(f.Key.Name, name))
	}
	for _, a := range f.Approvals {
		if !meta.IsStatusConditionTrue(a.Status.Conditions, "Approved") {
			f.await("approve "+a.Name, f.slow[a.Name])
		}
	}
}

func (f *simulation) await(what string, took time.Duration) {
	if _, ok := f.due[what]; !ok {
		f.due[what] = f.Now.Add(took)
	}
}

// ofWeb are the bindings of the placement, by name.
func (f *simulation) ofWeb() []*placement.ResourceBinding {
	var out []*placement.ResourceBinding
	for _, b := range f.Bindings {
		if b.Labels[rollout.LabelPrefix+"parent-CRP"] == "web" {
			out = append(out, b)
		}
	}
	slices.SortFunc(out, func(a, b *placement.ResourceBinding) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// Finish runs to the end and returns when each stage and the run were done.
func (f *simulation) Finish() (stages []time.Time, end time.Time) {
	f.T.Helper()
	stages = make([]time.Time, len(f.Run().Status.StagesStatus)+1)
	for range 200000 {
		if !f.Step() {
			f.T.Fatalf("nothing happens any more: %v", f.Run().Status.Conditions)
		}
		if stages == nil || len(stages) == 1 {
			stages = make([]time.Time, len(f.Run().Status.StagesStatus)+1)
		}
		for i := range f.Run().Status.StagesStatus {
			if stages[i].IsZero() && meta.IsStatusConditionTrue(f.Stage(i).Conditions, "Succeeded") {
				stages[i] = f.Now
			}
		}
		switch {
		case meta.IsStatusConditionTrue(f.Run().Status.Conditions, "Succeeded"):
			return stages, f.Now
		case meta.IsStatusConditionFalse(f.Run().Status.Conditions, "Succeeded"):
			f.T.Fatalf("failed: %s", f.Message("Succeeded"))
		}
	}
	f.T.Fatal("no end")
	return nil, time.Time{}
}

// runs are all runs that there are.
func (f *simulation) runs() []*placement.StagedUpdateRun {
	return slices.Collect(maps.Values(f.Runs))
}

// forecast is the forecast of the run's plan.
func (f *simulation) forecast(assume bool) plan.Forecast {
	p := forecast.Plan(f.Input(f.Key), f.runs(), f.Now, f.Do)
	p.Expect(forecast.Estimate(f.Input(f.Key), forecast.Request{
		Timing: f.Timing, Now: f.Now, Earlier: f.runs(), AssumeApprovals: assume, AssumeOpen: assume, Read: f.Do,
	}))
	return *p.Forecast
}

// copyOf is the same film, to see how it goes on.
func (f *simulation) copyOf() *simulation {
	w := *f.World
	m := *f.Hub
	m.Runs, m.Bindings, m.Approvals = maps.Clone(m.Runs), maps.Clone(m.Bindings), maps.Clone(m.Approvals)
	w.Hub = &m
	c := *f
	c.World, c.due = &w, maps.Clone(f.due)
	return &c
}

// steadily is how long members take that always take about the same: each its
// own time between one minute and two, give or take a fiftieth.
func steadily(run, cluster string) time.Duration {
	took := time.Minute + chance(cluster, time.Minute)
	return took - took/50 + chance(run+cluster, took/25)
}

// chance is a duration up to a limit that depends on nothing but the key.
func chance(key string, limit time.Duration) time.Duration {
	h := fnv.New64a()
	fmt.Fprint(h, key)
	return time.Duration(rand.New(rand.NewPCG(h.Sum64(), 1)).Int64N(int64(limit)))
}

// members makes the world's stages of the given sizes.
func (f *simulation) members(sizes map[string]int) {
	clear(f.Members)
	for k, b := range f.Bindings {
		if b.Labels[rollout.LabelPrefix+"parent-CRP"] == "web" {
			delete(f.Bindings, k)
		}
	}
	for _, env := range slices.Sorted(maps.Keys(sizes)) {
		for i := range sizes[env] {
			f.Join(fmt.Sprintf("%s-%02d", env, i), env, i)
		}
	}
}

// stages replaces the stages of the strategy.
func (f *simulation) stages(list ...placement.StageConfig) {
	f.EditStrategy(func(s *placement.UpdateStrategySpec) { s.Stages = list })
}

// again rolls out once, and creates the run of the next snapshot an hour later.
func (f *simulation) again() {
	f.roll(1)
	f.Finish()
	f.Now = f.Now.Add(time.Hour)
	f.roll(2)
}

// close holds that the forecast misses the end by 15 % of what is left at most.
func (f *simulation) close(end time.Time) {
	f.T.Helper()
	left, got := end.Sub(f.Now), f.forecast(false).Finish
	if got.Likely.Sub(end).Abs() > left*3/20 {
		f.T.Errorf("%s left: said %s (%s to %s)", left, got.Likely.Sub(f.Now), got.Earliest.Sub(f.Now), got.Latest.Sub(f.Now))
	}
}

// inOrder reports whether the bounds of an estimate are, and none lies in the past.
func inOrder(e plan.Estimate, now time.Time) bool {
	return e.IsZero() || !e.Earliest.Before(now) && !e.Likely.Before(e.Earliest) && !e.Latest.Before(e.Likely)
}

func approvalTask() []placement.StageTask {
	return []placement.StageTask{{Type: placement.TaskApproval}}
}

func waitTask(d time.Duration) []placement.StageTask {
	return []placement.StageTask{{Type: placement.TaskTimedWait, WaitTime: &metav1.Duration{Duration: d}}}
}

// strategies are those that forecasts are held against.
var strategies = []struct {
	name   string
	stages func() []placement.StageConfig
	sizes  map[string]int
	gone   int
}{
	{"one after the other", func() []placement.StageConfig {
		return []placement.StageConfig{rollout.Stage("a", "1"), rollout.Stage("b", "1")}
	}, map[string]int{"a": 4, "b": 6}, 0},
	{"half at once", func() []placement.StageConfig {
		return []placement.StageConfig{rollout.Stage("a", "1"), rollout.Stage("b", "50%")}
	}, map[string]int{"a": 3, "b": 12}, 0},
	{"three at once", func() []placement.StageConfig {
		return []placement.StageConfig{rollout.Stage("a", "3"), rollout.Stage("b", "3"), rollout.Stage("c", "100%")}
	}, map[string]int{"a": 5, "b": 9, "c": 6}, 0},
	{"timed waits", func() []placement.StageConfig {
		s := []placement.StageConfig{rollout.Stage("a", "2"), rollout.Stage("b", "2")}
		s[0].AfterStageTasks, s[1].AfterStageTasks = waitTask(10*time.Minute), waitTask(time.Minute)
		return s
	}, map[string]int{"a": 4, "b": 6}, 0},
	{"approvals and an empty stage", func() []placement.StageConfig {
		s := []placement.StageConfig{rollout.Stage("a", "2"), rollout.Stage("none", "1"), rollout.Stage("b", "25%")}
		s[0].AfterStageTasks = append(waitTask(3*time.Minute), approvalTask()...)
		s[2].BeforeStageTasks = approvalTask()
		return s
	}, map[string]int{"a": 4, "b": 8}, 0},
	{"a deletion stage", func() []placement.StageConfig {
		return []placement.StageConfig{rollout.Stage("a", "2"), rollout.Stage("b", "4")}
	}, map[string]int{"a": 4, "b": 8}, 2},
}

// Steady members: at any time of a run the forecast is off by less than 15 % of
// what is left.
func TestForecastOfSteadyMembers(t *testing.T) {
	for _, s := range strategies {
		for _, ns := range []string{"", "team"} {
			for _, fails := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s/ns=%s/fails=%v", s.name, ns, fails), func(t *testing.T) {
					f := newSimulation(t, ns, fails, steadily)
					f.members(s.sizes)
					f.stages(s.stages()...)
					f.leave(s.gone)
					f.roll(1)
					f.Finish()
					f.Now = f.Now.Add(time.Hour)
					f.leave(s.gone)
					f.roll(2)
					f.watch(t)
				})
			}
		}
	}
}

// leave makes clusters that the placement no longer wants.
func (f *simulation) leave(n int) {
	for i := range n {
		name := fmt.Sprintf("gone-%d", i)
		f.Join(name, "none", 1)
		f.Unschedule(name)
	}
}

// watch looks ahead all through the run.
func (f *simulation) watch(t *testing.T) {
	began := f.Now
	stages, end := f.copyOf().Finish()
	total := end.Sub(began)
	worst, first, sum := 0.0, 0.0, 0.0
	held, asked := 0, 0
	for f.Now.Before(end) {
		left := end.Sub(f.Now)
		// Near the end there is nothing left to be off by but one look.
		if left > total/10 && left > 2*f.Timing.ClusterCheck {
			got := f.forecast(true)
			if !got.Never.IsZero() || got.Finish.IsZero() {
				t.Fatalf("%s left: no finish: %s", left, got.Never)
			}
			off := float64(got.Finish.Likely.Sub(end).Abs()) / float64(left)
			// While the controller backs off, whether a member is done just before
			// or just after a look makes a difference as long as all before it.
			if off > 0.15 && !f.fails {
				t.Errorf("%s of %s left: said %s (%s to %s), off by %.0f %%", left, total, got.Finish.Likely.Sub(f.Now), got.Finish.Earliest.Sub(f.Now), got.Finish.Latest.Sub(f.Now), 100*off)
			}
			worst, sum = max(worst, off), sum+off
			if asked++; asked == 1 {
				first = off
			}
			if !end.Before(got.Finish.Earliest) && !end.After(got.Finish.Latest) {
				held++
			}
			for i := range got.Stages {
				checkStage(t, f, &got.Stages[i], i, stages)
			}
		}
		if !f.Step() {
			t.Fatal("nothing happens any more")
		}
	}
	mean := sum / float64(asked)
	if first > 0.15 || mean > 0.15 || held*100 < asked*95 {
		t.Errorf("%.1f %% off at first, %.1f %% on average; the bounds held %d of %d", 100*first, 100*mean, held, asked)
	}
	t.Logf("%s in all: %.1f %% off at first, %.1f %% on average, %.1f %% at worst; the bounds held %d of %d", total, 100*first, 100*mean, 100*worst, held, asked)
}

func checkStage(t *testing.T, f *simulation, got *plan.StageForecast, i int, stages []time.Time) {
	t.Helper()
	switch {
	case got.Done:
		if stages[i].After(f.Now) {
			t.Errorf("stage %s is not done", got.Name)
		}
	case got.Deletion:
	default:
		left := stages[i].Sub(f.Now)
		if off := got.Finish.Likely.Sub(stages[i]).Abs(); !f.fails && off > left*3/20 && off > f.Timing.ClusterCheck*2 {
			t.Errorf("stage %s: %s left, said %s", got.Name, left, got.Finish.Likely.Sub(f.Now))
		}
	}
	// A timed wait is exact: nothing after it is earlier than its end.
	if all := f.Run().Status.StagesStatus; got.Wait > 0 && !got.Done && i < len(all) {
		p := meta.FindStatusCondition(all[i].Conditions, placement.StageProgressing)
		if p != nil && p.Message == "All clusters in the stage are updated, waiting for after-stage tasks to complete" {
			if until := p.LastTransitionTime.Add(got.Wait); !got.Finish.IsZero() && got.Finish.Earliest.Before(until) {
				t.Errorf("stage %s: earliest end %s lies before the end of its wait at %s", got.Name, got.Finish.Earliest, until)
			}
		}
	}
	for _, e := range []plan.Estimate{got.Updated, got.Asked, got.Finish} {
		if !inOrder(e, f.Now) {
			t.Errorf("stage %s: %+v at %s", got.Name, e, f.Now)
		}
	}
}
