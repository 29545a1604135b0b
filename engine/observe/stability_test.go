package observe

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/internal/situation"
	"github.com/stagewatch/stagewatch/engine/world"
)

// big makes a World of runs of two stages with the given number of clusters;
// half of them are done, one is in flight since began.
func big(runs, clusters int, began time.Time) (*world.World, []engine.ID) {
	w := situation.Live(engine.Settings{ClusterRuns: true, NamespacedRuns: true})
	for _, k := range []engine.Kind{engine.KindClusterStagedUpdateRun, engine.KindStagedUpdateRun, engine.KindClusterResourcePlacement, engine.KindResourcePlacement, engine.KindClusterApprovalRequest, engine.KindApprovalRequest} {
		w.Covered[world.CoverAll(k)] = engine.Coverage{State: engine.CoverComplete}
	}
	t0 := metav1.Time{Time: began}
	cond := func(typ string, status metav1.ConditionStatus, reason string) metav1.Condition {
		return metav1.Condition{Type: typ, Status: status, Reason: reason, Message: "Cluster update " + typ, LastTransitionTime: t0, ObservedGeneration: 1}
	}
	var ids []engine.ID
	for i := range runs {
		name := fmt.Sprintf("run-%03d", i)
		id := engine.NewID(engine.KindClusterStagedUpdateRun, "", name, "u-"+name)
		stage := func(name string, done, flying int) placement.StageStatus {
			s := placement.StageStatus{StageName: name, StartTime: &t0}
			for j := range clusters / 2 {
				c := placement.ClusterStatus{ClusterName: fmt.Sprintf("%s-%04d", name, j)}
				if j < done+flying {
					c.Conditions = append(c.Conditions, cond("Started", "True", "ClusterUpdatingStarted"))
				}
				if j < done {
					c.Conditions = append(c.Conditions, cond("Succeeded", "True", "ClusterUpdatingSucceeded"))
				}
				s.Clusters = append(s.Clusters, c)
			}
			return s
		}
		first, second := stage("canary", clusters/2, 0), stage("prod", 0, 1)
		first.Conditions = []metav1.Condition{cond("Progressing", "False", placement.ReasonStageSucceeded), cond("Succeeded", "True", placement.ReasonStageSucceeded)}
		second.Conditions = []metav1.Condition{cond("Progressing", "True", placement.ReasonStageStarted)}
		w.Runs[id] = &placement.StagedUpdateRun{
			ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID("u-" + name), Generation: 1, ResourceVersion: "1", CreationTimestamp: t0},
			Spec:       placement.UpdateRunSpec{PlacementName: "p-" + name, State: placement.StateRun},
			Status: placement.UpdateRunStatus{
				ResourceSnapshotIndexUsed: "1",
				StagesStatus:              []placement.StageStatus{first, second},
				Conditions:                []metav1.Condition{cond("Initialized", "True", placement.ReasonRunInitialized), cond("Progressing", "True", placement.ReasonRunProgressing)},
			},
		}
		ids = append(ids, id)
	}
	return w, ids
}

// touch replaces a run by a newer one that says the same, as a heartbeat does.
func touch(w *world.World, id engine.ID, version string) {
	r := w.Runs[id].DeepCopy()
	r.ResourceVersion = version
	w.Runs[id] = r
}

func TestUnchangedRunsKeepTheirPointer(t *testing.T) {
	t0 := time.Unix(100_000, 0)
	w, ids := big(3, 10, t0)
	first, _ := Observe(nil, w, world.Changed{}, t0.Add(time.Second))

	same := func(name string, s *engine.Snapshot, changed ...engine.ID) {
		t.Helper()
		for _, id := range ids {
			want := true
			for _, c := range changed {
				want = want && c != id
			}
			if got := s.Find(id) == first.Find(id); got != want {
				t.Errorf("%s: %s kept its pointer: %v, want %v", name, id.Title(), got, want)
			}
		}
	}
	s, _ := Observe(first, w, world.Changed{}, t0.Add(2*time.Second))
	same("nothing moved", s)
	s, _ = Observe(first, w, world.Changed{All: true}, t0.Add(2*time.Second))
	same("everything is said to have moved", s)
	s, _ = Observe(first, w, world.Changed{Runs: map[engine.ID]bool{ids[1]: true}}, t0.Add(2*time.Second))
	same("one is said to have moved", s)
	touch(w, ids[1], "2")
	s, _ = Observe(first, w, world.Changed{Runs: map[engine.ID]bool{ids[1]: true}}, t0.Add(2*time.Second))
	same("one is newer, as an intent has to know", s, ids[1])
	s, _ = Observe(first, w, world.Changed{}, t0.Add(2*time.Second))
	same("one is newer and nobody said so", s, ids[1])
	s, _ = Observe(first, w, world.Changed{}, t0.Add(engine.StuckDefault/2+2*time.Second))
	same("the clock made all slow", s, ids...)

	delete(w.Runs, ids[2])
	s, _ = Observe(s, w, world.Changed{Runs: map[engine.ID]bool{ids[2]: true}}, t0.Add(engine.StuckDefault))
	if s.Find(ids[2]) != nil || len(s.Runs) != 2 {
		t.Error("a run that is gone has a row")
	}
}

// TestTimeAlone follows one run through what changes without an event.
func TestTimeAlone(t *testing.T) {
	t0 := time.Unix(100_000, 0)
	w, ids := big(1, 2, t0)
	w.Settings.StuckAfter = time.Minute
	w.Focus.Run = ids[0]
	var s *engine.Snapshot
	now, last := t0, ""
	var got []string
	for range 10 {
		var next time.Time
		s, next = Observe(s, w, world.Changed{}, now)
		v := s.Find(ids[0])
		line := fmt.Sprintf("%s slow=%v %s", v.Word, v.Slow, s.Detail.Clusters[1][0].State)
		if s.Detail.Run != v {
			t.Fatal("the detail is of another view")
		}
		if line != last {
			got = append(got, fmt.Sprintf("+%s %s", now.Sub(t0).Round(time.Second), line))
			last = line
		}
		if next.IsZero() {
			break
		}
		if !next.After(now) {
			t.Fatalf("look again at %s, now is %s", next, now)
		}
		now = next
	}
	want := []string{"+0s RUNNING slow=false updating", "+30s RUNNING slow=true SLOW", "+1m0s STUCK slow=true STUCK"}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestNotObservedByTime(t *testing.T) {
	t0 := time.Unix(100_000, 0)
	w := situation.Live(engine.Settings{ClusterRuns: true})
	id := situation.Small(w, engine.KindClusterStagedUpdateRun, "", "r", "web")
	w.FirstSeen[id] = world.Seen{Generation: 1, At: t0}
	s, next := Observe(nil, w, world.Changed{}, t0)
	if s.Find(id).Word != engine.WordPending || !next.Equal(t0.Add(engine.NotObservedAfter)) {
		t.Errorf("at first: %s, look again %s", s.Find(id).Word, next)
	}
	if s, _ = Observe(s, w, world.Changed{}, next); s.Find(id).Word != engine.WordNotObserved {
		t.Errorf("after 10 s: %s", s.Find(id).Word)
	}
	w.FirstSeen[id] = world.Seen{Generation: 2, At: t0} // of a newer object that is not here yet
	if s, _ = Observe(nil, w, world.Changed{}, next); s.Find(id).Word != engine.WordPending {
		t.Errorf("seen at another generation: %s", s.Find(id).Word)
	}
}

func TestDetailFollowsFocus(t *testing.T) {
	t0 := time.Unix(100_000, 0)
	w, ids := big(2, 4, t0)
	s, _ := Observe(nil, w, world.Changed{}, t0)
	if s.Detail != nil {
		t.Error("a detail that nobody wants")
	}
	w.Focus.Run = ids[1]
	s, _ = Observe(s, w, world.Changed{}, t0)
	if s.Detail == nil || s.Detail.Run.ID != ids[1] || len(s.Detail.Clusters) != 2 || s.Detail.Bindings.State != engine.CoverNotAsked {
		t.Fatalf("detail: %+v", s.Detail)
	}
	before := s.Detail
	if s, _ = Observe(s, w, world.Changed{Runs: map[engine.ID]bool{ids[0]: true}}, t0); s.Detail != before {
		t.Error("another run made a new detail")
	}
	key := engine.PlacementKey(ids[1], "p-run-001")
	w.Covered[world.CoverBindings(key)] = engine.Coverage{State: engine.CoverComplete}
	bid := engine.NewID(engine.KindClusterResourceBinding, "", "b", "u")
	w.Bindings[key] = map[engine.ID]*world.Binding{bid: {ID: bid, Cluster: "prod-0000", State: "Bound", SnapshotName: "p-run-001-1-snapshot", Generation: 1}}
	s, _ = Observe(s, w, world.Changed{Runs: map[engine.ID]bool{ids[1]: true}}, t0)
	if c := s.Detail.Clusters[1][0]; !c.Bound || c.Index.String() != "1" {
		t.Errorf("cluster: %+v", c)
	}
	w.Focus.Run = engine.NewID(engine.KindClusterStagedUpdateRun, "", "gone", "u")
	if s, _ = Observe(s, w, world.Changed{}, t0); s.Detail != nil {
		t.Error("a detail of a run that is not there")
	}
}

// addRows puts runs into w that have succeeded and of which only the rows were read, each with its placement.
func addRows(w *world.World, runs int, t0 time.Time) {
	for i := range runs {
		name := fmt.Sprintf("old-%04d", i)
		created := t0.Add(-time.Duration(i+1) * time.Hour)
		id := engine.NewID(engine.KindClusterStagedUpdateRun, "", name, "u-"+name)
		row := world.RowOnly(metav1.ObjectMeta{Name: name, UID: types.UID("u-" + name), Generation: 1, ResourceVersion: "1", CreationTimestamp: metav1.NewTime(created)}, &world.PrintedRun{
			Placement: "p-" + name, Index: "1", Strategy: "slow", Initialized: "True", Progressing: "False", Succeeded: "True", Created: created, Generation: 1,
		})
		w.Runs[id], w.Packed[id] = row.Run, row
		place := engine.NewID(engine.KindClusterResourcePlacement, "", "p-"+name, "u")
		w.Placements[place] = &world.Placement{ID: place, External: true}
	}
}

func BenchmarkObserve(b *testing.B) {
	t0 := time.Unix(100_000, 0)
	w, ids := big(100, 1000, t0)
	w.Focus.Run = ids[0]
	first, _ := Observe(nil, w, world.Changed{}, t0)
	b.Run("first", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			Observe(nil, w, world.Changed{}, t0)
		}
	})
	b.Run("first, packed", func(b *testing.B) {
		b.ReportAllocs()
		w, ids := big(100, 1000, t0)
		for _, id := range ids {
			run := w.Runs[id]
			run.Status.Conditions = append(run.Status.Conditions, metav1.Condition{Type: placement.RunSucceeded, Status: metav1.ConditionTrue, LastTransitionTime: metav1.Time{Time: t0}})
			p := world.Pack(run)
			w.Runs[id], w.Packed[id] = p.Run, p
		}
		for b.Loop() {
			Observe(nil, w, world.Changed{}, t0)
		}
	})
	b.Run("one of 100 runs of 1000 clusters moved", func(b *testing.B) {
		b.ReportAllocs()
		s, n := first, 1
		for b.Loop() {
			n++
			w.Runs[ids[7]].ResourceVersion = fmt.Sprint(n)
			s, _ = Observe(s, w, world.Changed{Runs: map[engine.ID]bool{ids[7]: true}}, t0)
		}
	})
	b.Run("a binding of one of 100 runs moved, 1000 each", func(b *testing.B) {
		b.ReportAllocs()
		w, ids := big(100, 1000, t0)
		key := engine.PlacementKey(ids[7], "p-run-007")
		w.Covered[world.CoverBindings(key)] = engine.Coverage{State: engine.CoverComplete}
		w.Bindings[key] = map[engine.ID]*world.Binding{}
		for _, stage := range w.Runs[ids[7]].Status.StagesStatus {
			for _, c := range stage.Clusters {
				id := engine.NewID(engine.KindClusterResourceBinding, "", "b-"+c.ClusterName, "u")
				w.Bindings[key][id] = &world.Binding{ID: id, Cluster: c.ClusterName, State: "Bound", SnapshotName: "p-run-007-1-snapshot", Generation: 1}
			}
		}
		s, _ := Observe(nil, w, world.Changed{}, t0)
		for b.Loop() {
			s, _ = Observe(s, w, world.Changed{Runs: map[engine.ID]bool{ids[7]: true}}, t0)
		}
	})
	b.Run("opened run of 1000 clusters moved", func(b *testing.B) {
		b.ReportAllocs()
		s, n := first, 1
		for b.Loop() {
			n++
			w.Runs[ids[0]].ResourceVersion = fmt.Sprint(n)
			s, _ = Observe(s, w, world.Changed{Runs: map[engine.ID]bool{ids[0]: true}}, t0)
		}
	})
	b.Run("one run moved, beside 1000 rows of finished ones", func(b *testing.B) {
		b.ReportAllocs()
		w, ids := big(20, 1000, t0)
		addRows(w, 1000, t0)
		s, _ := Observe(nil, w, world.Changed{}, t0)
		for n := 2; b.Loop(); n++ {
			w.Runs[ids[7]].ResourceVersion = fmt.Sprint(n)
			s, _ = Observe(s, w, world.Changed{Runs: map[engine.ID]bool{ids[7]: true}}, t0)
		}
	})
	b.Run("nothing moved", func(b *testing.B) {
		b.ReportAllocs()
		s := first
		for b.Loop() {
			s, _ = Observe(s, w, world.Changed{}, t0)
		}
	})
}

// TestTheStateOfAStoppedRunDoesNotBeginAgain: the controller rewrites the conditions of a
// stopped run on every pass, and a resume begins a new state.
func TestTheStateOfAStoppedRunDoesNotBeginAgain(t *testing.T) {
	for _, name := range []string{"stopped", "stuck-while-stopping"} {
		s := situation.All(t)[name]
		w, id := s.World(t, "")
		now := situation.Moment(t, s.Now)
		restamp := func(run *placement.StagedUpdateRun, version string) {
			run.ResourceVersion = version
			for _, conds := range [][]metav1.Condition{run.Status.Conditions, run.Status.StagesStatus[0].Conditions, run.Status.StagesStatus[1].Conditions} {
				for i := range conds {
					conds[i].LastTransitionTime = metav1.NewTime(now)
				}
			}
			w.Runs[id] = run
		}
		first, _ := Observe(nil, w, world.Changed{}, now)
		since := first.Find(id).Since
		again := w.Runs[id].DeepCopy()
		restamp(again, "9")
		second, _ := Observe(first, w, world.Changed{Runs: map[engine.ID]bool{id: true}}, now.Add(time.Minute))
		if v := second.Find(id); v.Word != first.Find(id).Word || !v.Since.Equal(since) {
			t.Errorf("%s: %s since %s, was since %s", name, v.Word, v.Since, since)
		}
		other := again.DeepCopy()
		other.Generation += 2
		for i := range other.Status.Conditions {
			other.Status.Conditions[i].ObservedGeneration = other.Generation
		}
		restamp(other, "10")
		third, _ := Observe(second, w, world.Changed{Runs: map[engine.ID]bool{id: true}}, now.Add(time.Minute))
		if v := third.Find(id); name == "stopped" && !v.Since.After(since) {
			t.Errorf("%s again: since %s", name, v.Since)
		}
	}
}

// TestHeardIsWhatObserveReturns compares the short way of a quiet hub with the whole one.
func TestHeardIsWhatObserveReturns(t *testing.T) {
	t0 := time.Unix(100_000, 0)
	for name, change := range map[string]func(w *world.World, ids []engine.ID){
		"a list":        func(*world.World, []engine.ID) {},
		"an opened run": func(w *world.World, ids []engine.ID) { w.Focus.Run = ids[1] },
		"a lifted guard": func(w *world.World, _ []engine.ID) {
			w.Settings.ReadOnly, w.Settings.Raisable, w.Raised = engine.Lit("read-only"), true, t0.Add(time.Minute)
		},
	} {
		w, ids := big(3, 10, t0)
		change(w, ids)
		prev, again := Observe(nil, w, world.Changed{}, t0.Add(time.Second))
		now := t0.Add(3 * time.Second)
		if !now.Before(again) {
			t.Fatalf("%s: it changes at %s already", name, again)
		}
		w.Skew += 10 * time.Millisecond
		w.Link.Heard = now.Add(-time.Second)
		want, _ := Observe(prev, w, world.Changed{}, now)
		if got := Heard(prev, w, now); !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\ngot  %+v\nwant %+v", name, got, want)
		}
	}
}

// TestRunningSinceTheResume checks that the time in state of a run that was seen to be resumed is that
// of the resume, before and after the controller has observed it.
func TestRunningSinceTheResume(t *testing.T) {
	t0 := time.Unix(100_000, 0)
	resumed := t0.Add(3 * time.Minute)
	for _, tt := range []struct {
		name              string
		observed, changed bool
		want              time.Time
	}{
		{"not observed", false, true, resumed},
		{"observed", true, true, resumed},
		{"observed, the change was not seen", true, false, t0},
	} {
		w, ids := big(1, 10, t0)
		run := w.Runs[ids[0]]
		run.Generation = 2
		for i := range run.Status.Conditions {
			if tt.observed {
				run.Status.Conditions[i].ObservedGeneration = 2
			}
		}
		w.FirstSeen[ids[0]] = world.Seen{Generation: 2, At: resumed, Changed: tt.changed}
		snap, _ := Observe(nil, w, world.Changed{}, resumed.Add(time.Second))
		if v := snap.Find(ids[0]); v.Word != engine.WordRunning || !v.Since.Equal(tt.want) {
			t.Errorf("%s: %s since %s, want RUNNING since %s", tt.name, v.Word, v.Since, tt.want)
		}
	}
}

// TestRunningSinceTheLastStage checks that a run of which all stages have ended, and which has not, runs since the end of the
// last one.
func TestRunningSinceTheLastStage(t *testing.T) {
	t0 := time.Unix(100_000, 0)
	w, ids := big(1, 10, t0)
	ended := metav1.NewTime(t0.Add(40 * time.Second))
	last := &w.Runs[ids[0]].Status.StagesStatus[1]
	last.EndTime = &ended
	last.Conditions = []metav1.Condition{
		{Type: placement.StageProgressing, Status: metav1.ConditionFalse, Reason: placement.ReasonStageSucceeded, LastTransitionTime: ended, ObservedGeneration: 1},
		{Type: placement.StageSucceeded, Status: metav1.ConditionTrue, Reason: placement.ReasonStageSucceeded, LastTransitionTime: ended, ObservedGeneration: 1},
	}
	for i := range last.Clusters {
		last.Clusters[i].Conditions = []metav1.Condition{
			{Type: placement.ClusterStarted, Status: metav1.ConditionTrue, LastTransitionTime: metav1.NewTime(t0), ObservedGeneration: 1},
			{Type: placement.ClusterSucceeded, Status: metav1.ConditionTrue, LastTransitionTime: ended, ObservedGeneration: 1},
		}
	}
	snap, _ := Observe(nil, w, world.Changed{}, ended.Add(3*time.Second))
	if v := snap.Find(ids[0]); v.Word != engine.WordRunning || v.Current() != nil || !v.Since.Equal(ended.Time) {
		t.Errorf("%s since %s, want RUNNING since %s", v.Word, v.Since, ended)
	}
}

// TestWaitingSinceTheResume checks that a run which was seen to be resumed does not wait for longer than
// that for an approval or the end of a timed wait.
func TestWaitingSinceTheResume(t *testing.T) {
	for name, word := range map[string]engine.Word{"approval-after": engine.WordApproval, "timed-wait": engine.WordWaiting} {
		s := situation.All(t)[name]
		w, id := s.World(t, "")
		now := situation.Moment(t, s.Now)
		before, _ := Observe(nil, w, world.Changed{}, now)
		resumed := now.Add(-time.Second)
		w.FirstSeen[id] = world.Seen{Generation: w.Runs[id].Generation, At: resumed, Changed: true}
		after, _ := Observe(nil, w, world.Changed{}, now)
		if v, was := after.Find(id), before.Find(id); was.Word != word || v.Word != word || !was.Since.Before(resumed) || !v.Since.Equal(resumed) {
			t.Errorf("%s: %s since %s, then %s since %s, want since %s", name, was.Word, was.Since, v.Word, v.Since, resumed)
		}
	}
}
