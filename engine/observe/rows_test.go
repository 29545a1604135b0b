package observe

import (
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/act"
	"github.com/stagewatch/stagewatch/engine/column"
	"github.com/stagewatch/stagewatch/engine/internal/situation"
	"github.com/stagewatch/stagewatch/engine/world"
)

func TestNoRunRows(t *testing.T) {
	t0 := time.Unix(1000, 0)
	external := func(w *world.World, kind engine.Kind, ns, name string, ext bool) {
		id := engine.NewID(kind, ns, name, "u")
		w.Placements[id] = &world.Placement{ID: id, External: ext, Clusters: 3, Created: t0}
	}
	both := engine.Settings{ClusterRuns: true, NamespacedRuns: true}
	tests := []struct {
		name string
		set  engine.Settings
		make func(w *world.World)
		want []string
	}{
		{"no run names it", both, func(w *world.World) {
			external(w, engine.KindClusterResourcePlacement, "", "web", true)
			situation.CoverAll(w, "", engine.CoverComplete, engine.KindClusterResourcePlacement, engine.KindClusterStagedUpdateRun)
		}, []string{"NO RUN web 3"}},
		{"it rolls out by itself", both, func(w *world.World) {
			external(w, engine.KindClusterResourcePlacement, "", "web", false)
			situation.CoverAll(w, "", engine.CoverComplete, engine.KindClusterResourcePlacement, engine.KindClusterStagedUpdateRun)
		}, nil},
		{"a run names it", both, func(w *world.World) {
			external(w, engine.KindClusterResourcePlacement, "", "web", true)
			situation.CoverAll(w, "", engine.CoverComplete, engine.KindClusterResourcePlacement, engine.KindClusterStagedUpdateRun)
			situation.Small(w, engine.KindClusterStagedUpdateRun, "", "r", "web")
		}, []string{"PENDING r 0"}},
		{"only a run that failed initialization names it", both, func(w *world.World) {
			external(w, engine.KindClusterResourcePlacement, "", "web", true)
			situation.CoverAll(w, "", engine.CoverComplete, engine.KindClusterResourcePlacement, engine.KindClusterStagedUpdateRun)
			situation.Small(w, engine.KindClusterStagedUpdateRun, "", "r", "web", situation.Is(placement.RunInitialized, metav1.ConditionFalse, t0))
		}, []string{"INIT FAILED r 0", "NO RUN web 3"}},
		{"a run of the other scope names its namesake", both, func(w *world.World) {
			external(w, engine.KindResourcePlacement, "a", "web", true)
			situation.CoverAll(w, "", engine.CoverComplete, engine.KindResourcePlacement, engine.KindStagedUpdateRun)
			situation.Small(w, engine.KindClusterStagedUpdateRun, "", "r", "web")
		}, []string{"PENDING r 0", "NO RUN a/web 3"}},
		{"runs are still loading", both, func(w *world.World) {
			external(w, engine.KindClusterResourcePlacement, "", "web", true)
			situation.CoverAll(w, "", engine.CoverComplete, engine.KindClusterResourcePlacement)
			situation.CoverAll(w, "", engine.CoverLoading, engine.KindClusterStagedUpdateRun)
		}, nil},
		{"placements are still loading", both, func(w *world.World) {
			external(w, engine.KindClusterResourcePlacement, "", "web", true)
			situation.CoverAll(w, "", engine.CoverComplete, engine.KindClusterStagedUpdateRun)
			situation.CoverAll(w, "", engine.CoverLoading, engine.KindClusterResourcePlacement)
		}, nil},
		{"one namespace is looked at", both, func(w *world.World) {
			external(w, engine.KindResourcePlacement, "a", "web", true)
			external(w, engine.KindResourcePlacement, "b", "web", true)
			situation.CoverAll(w, "a", engine.CoverComplete, engine.KindResourcePlacement, engine.KindStagedUpdateRun)
		}, []string{"NO RUN a/web 3"}},
		{"the scope is not asked for", engine.Settings{NamespacedRuns: true}, func(w *world.World) {
			external(w, engine.KindClusterResourcePlacement, "", "web", true)
			situation.CoverAll(w, "", engine.CoverComplete, engine.KindClusterResourcePlacement, engine.KindClusterStagedUpdateRun)
		}, nil},
		{"a run that cannot be read may name it", both, func(w *world.World) {
			external(w, engine.KindClusterResourcePlacement, "", "web", true)
			situation.CoverAll(w, "", engine.CoverComplete, engine.KindClusterResourcePlacement, engine.KindClusterStagedUpdateRun)
			w.Broken[engine.NewID(engine.KindClusterStagedUpdateRun, "", "odd", "u")] = "invalid"
		}, []string{"UNREADABLE odd 0"}},
		{"a printed row names it", both, func(w *world.World) {
			external(w, engine.KindClusterResourcePlacement, "", "web", true)
			situation.CoverAll(w, "", engine.CoverComplete, engine.KindClusterResourcePlacement, engine.KindClusterStagedUpdateRun)
			w.Printed[engine.NewID(engine.KindClusterStagedUpdateRun, "", "r", "u")] = world.PrintedRun{Placement: "web"}
		}, []string{"LOADING r 0"}},
		{"only the printed row of a run that failed initialization names it", both, func(w *world.World) {
			external(w, engine.KindClusterResourcePlacement, "", "web", true)
			situation.CoverAll(w, "", engine.CoverComplete, engine.KindClusterResourcePlacement, engine.KindClusterStagedUpdateRun)
			w.Printed[engine.NewID(engine.KindClusterStagedUpdateRun, "", "r", "u")] = world.PrintedRun{Placement: "web", Initialized: "False"}
		}, []string{"INIT FAILED r 0", "NO RUN web 3"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := situation.Live(tt.set)
			tt.make(w)
			s, _ := Observe(nil, w, world.Changed{}, t0)
			var got []string
			for _, v := range s.Runs {
				got = append(got, engine.Textf("%s %s %d", v.Word, v.ID.Title(), v.Total).String())
				if v.Word == engine.WordNoRun {
					if clusters := column.Done(v).String(); !v.Since.IsZero() || strings.Contains(clusters, "/") || v.DoneCount() != engine.Count(v.Total, "cluster") {
						t.Errorf("%s: %s clusters since %s: no run says which are done, or since when there is none", v.ID.Title(), clusters, v.Since)
					}
					if _, r := act.Propose(s, engine.ActRun, v.ID, t0); !r.Refused() {
						t.Error("a placement without a run can be run")
					}
				}
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			again, _ := Observe(s, w, world.Changed{}, t0.Add(time.Minute))
			for i := range s.Runs {
				if again.Runs[i] != s.Runs[i] {
					t.Errorf("row %s changed its pointer", s.Runs[i].ID.Title())
				}
			}
		})
	}
}

func TestPrintedRows(t *testing.T) {
	tests := []struct {
		name string
		in   world.PrintedRun
		want engine.Word
	}{
		{"nothing is known", world.PrintedRun{}, engine.WordUnknown},
		{"going on", world.PrintedRun{Initialized: "True", Progressing: "True"}, engine.WordUnknown},
		{"waiting or stuck", world.PrintedRun{Initialized: "True", Progressing: "False"}, engine.WordUnknown},
		{"done", world.PrintedRun{Initialized: "True", Progressing: "False", Succeeded: "True"}, engine.WordDone},
		{"failed", world.PrintedRun{Initialized: "True", Progressing: "False", Succeeded: "False"}, engine.WordFailed},
		{"not initialized", world.PrintedRun{Initialized: "False"}, engine.WordInitFailed},
		{"not initialized and done", world.PrintedRun{Initialized: "False", Succeeded: "True"}, engine.WordInitFailed},
		{"done out of nothing", world.PrintedRun{Succeeded: "True"}, engine.WordUnknown},
		{"garbage", world.PrintedRun{Initialized: "\x1b[2J", Succeeded: "true"}, engine.WordUnknown},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := situation.Live(engine.Settings{ClusterRuns: true})
			situation.CoverAll(w, "", engine.CoverLoading, engine.KindClusterStagedUpdateRun)
			id := engine.NewID(engine.KindClusterStagedUpdateRun, "", "r", "u")
			w.Printed[id] = tt.in
			s, _ := Observe(nil, w, world.Changed{}, time.Unix(1, 0))
			v := s.Find(id)
			if v.Word != tt.want || !v.Partial || s.Complete {
				t.Errorf("got %s partial %v complete %v, want %s", v.Word, v.Partial, s.Complete, tt.want)
			}
			if _, r := act.Propose(s, engine.ActStop, id, s.At); !r.Refused() {
				t.Error("a row that is not loaded can be stopped")
			}
			id2 := situation.Small(w, engine.KindClusterStagedUpdateRun, "", "r", "web")
			if s, _ = Observe(s, w, world.Changed{Runs: map[engine.ID]bool{id2: true}}, time.Unix(2, 0)); s.Find(id2).Partial {
				t.Error("the row is partial though the object is here")
			}
		})
	}
}

func TestOrder(t *testing.T) {
	t0 := time.Unix(10_000, 0)
	w := situation.Live(engine.Settings{ClusterRuns: true, NamespacedRuns: true})
	add := func(ns, name string, conds ...metav1.Condition) {
		kind := engine.KindClusterStagedUpdateRun
		if ns != "" {
			kind = engine.KindStagedUpdateRun
		}
		situation.Small(w, kind, ns, name, "p-"+name, conds...)
	}
	ok := situation.Is("Initialized", "True", t0)
	add("", "done", ok, situation.Is("Succeeded", "True", t0))
	add("", "failed-late", ok, situation.Is("Succeeded", "False", t0.Add(time.Minute)))
	add("", "failed-early", ok, situation.Is("Succeeded", "False", t0))
	add("a", "failed-early", ok, situation.Is("Succeeded", "False", t0))
	stuck := situation.Is("Progressing", "False", t0)
	stuck.Reason = placement.ReasonRunStuck
	add("", "stuck", ok, stuck)
	add("", "running", ok)
	w.Broken[engine.NewID(engine.KindClusterStagedUpdateRun, "", "broken", "u")] = "x"
	want := []string{"stuck", "failed-early", "a/failed-early", "failed-late", "broken", "running", "done"}
	for range 20 { // map order must not show
		s, _ := Observe(nil, w, world.Changed{}, t0)
		var got []string
		for _, v := range s.Runs {
			got = append(got, v.ID.Title().String())
		}
		if !slices.Equal(got, want) {
			t.Fatalf("got %v, want %v", got, want)
		}
		if !slices.Equal(s.Need, []engine.Need{{Word: engine.WordStuck, Count: 1}, {Word: engine.WordFailed, Count: 3}, {Word: engine.WordUnreadable, Count: 1}}) {
			t.Fatalf("need: %v", s.Need)
		}
	}
}

func TestComplete(t *testing.T) {
	runs, both := engine.KindClusterStagedUpdateRun, engine.Settings{ClusterRuns: true, NamespacedRuns: true}
	tests := []struct {
		name  string
		set   engine.Settings
		cover map[world.CoverKey]engine.CoverState
		want  bool
		note  string
	}{
		{"nothing is asked yet", both, nil, false, ""},
		{"one scope is missing", both, map[world.CoverKey]engine.CoverState{world.CoverAll(runs): engine.CoverComplete}, false, ""},
		{"the only scope asked for", engine.Settings{ClusterRuns: true}, map[world.CoverKey]engine.CoverState{world.CoverAll(runs): engine.CoverComplete}, true, ""},
		{"approvals are loading", engine.Settings{ClusterRuns: true}, map[world.CoverKey]engine.CoverState{world.CoverAll(runs): engine.CoverComplete, world.CoverAll(engine.KindClusterApprovalRequest): engine.CoverLoading}, false, ""},
		{"approvals are forbidden", engine.Settings{ClusterRuns: true}, map[world.CoverKey]engine.CoverState{world.CoverAll(runs): engine.CoverComplete, world.CoverAll(engine.KindClusterApprovalRequest): engine.CoverForbidden}, true, "approval requests of cluster-scoped runs are hidden"},
		{"one scope is not served", both, map[world.CoverKey]engine.CoverState{world.CoverAll(runs): engine.CoverComplete, world.CoverAll(engine.KindStagedUpdateRun): engine.CoverNotServed}, true, "does not serve StagedUpdateRun"},
		{"nothing is served", both, map[world.CoverKey]engine.CoverState{world.CoverAll(runs): engine.CoverNotServed, world.CoverAll(engine.KindStagedUpdateRun): engine.CoverNotServed}, true, "this cluster has no KubeFleet hub API"},
		{"all is forbidden", engine.Settings{ClusterRuns: true}, map[world.CoverKey]engine.CoverState{world.CoverAll(runs): engine.CoverForbidden}, false, "cluster-scoped runs are hidden"},
		{"one failed", engine.Settings{ClusterRuns: true}, map[world.CoverKey]engine.CoverState{world.CoverAll(runs): engine.CoverFailed}, false, "cluster-scoped runs are missing"},
		{"one namespace", engine.Settings{NamespacedRuns: true}, map[world.CoverKey]engine.CoverState{{Kind: engine.KindStagedUpdateRun, Namespace: "a"}: engine.CoverComplete}, true, ""},
		{"a placement's bindings do not matter", engine.Settings{ClusterRuns: true}, map[world.CoverKey]engine.CoverState{world.CoverAll(runs): engine.CoverComplete, world.CoverBindings(engine.NewID(engine.KindClusterResourcePlacement, "", "web", "")): engine.CoverLoading}, true, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := situation.Live(tt.set)
			for k, c := range tt.cover {
				w.Covered[k] = engine.Coverage{State: c}
			}
			s, _ := Observe(nil, w, world.Changed{}, time.Unix(1, 0))
			if s.Complete != tt.want {
				t.Errorf("complete %v, want %v", s.Complete, tt.want)
			}
			if notes := engine.Join(s.Scope.Notes, "; ").String(); !strings.Contains(notes, tt.note) || tt.note == "" && notes != "" {
				t.Errorf("notes %q, want %q", notes, tt.note)
			}
		})
	}
}

// What is hidden is one line that fits the smallest screen, and notes in full.
func TestScopeInOneLine(t *testing.T) {
	w := situation.Live(engine.Settings{ClusterRuns: true, NamespacedRuns: true})
	w.Covered[world.CoverKey{Kind: engine.KindStagedUpdateRun, Namespace: "team"}] = engine.Coverage{State: engine.CoverComplete}
	for _, k := range []engine.Kind{engine.KindClusterStagedUpdateRun, engine.KindClusterApprovalRequest, engine.KindClusterResourcePlacement, engine.KindMemberCluster} {
		w.Covered[world.CoverAll(k)] = engine.Coverage{State: engine.CoverForbidden}
	}
	s, _ := Observe(nil, w, world.Changed{}, time.Unix(1, 0))
	want := "you may not list cluster runs, cluster approvals, cluster placements, members"
	if got := s.Scope.Short.String(); got != want || len(got) > 79 || len(s.Scope.Notes) != 4 {
		t.Errorf("%q, %d notes", got, len(s.Scope.Notes))
	}
	w.Covered[world.CoverAll(engine.KindResourcePlacement)] = engine.Coverage{State: engine.CoverNotServed}
	s, _ = Observe(nil, w, world.Changed{}, time.Unix(1, 0))
	if got := s.Scope.Short.String(); got != want+" · namespaced placements are hidden: this hub does not serve ResourcePlacement" {
		t.Errorf("%q", got)
	}
}

func TestBrokenObjects(t *testing.T) {
	w := situation.Live(engine.Settings{ClusterRuns: true})
	run := engine.NewID(engine.KindClusterStagedUpdateRun, "", "odd", "u")
	w.Broken[run] = "cannot decode \x1b]0;spec: at 3\x07"
	w.Broken[engine.NewID(engine.KindClusterApprovalRequest, "", "odd-before-x", "u")] = "no"
	s, _ := Observe(nil, w, world.Changed{}, time.Unix(1, 0))
	v := s.Find(run)
	if v == nil || v.Word != engine.WordUnreadable {
		t.Errorf("row of an object that does not decode: %+v", v)
	}
	if notes := engine.Join(s.Scope.Notes, "; ").String(); notes != "careq odd-before-x could not be read: no" {
		t.Errorf("notes: %q", notes)
	}
	if _, r := act.Propose(s, engine.ActStop, run, s.At); !r.Refused() {
		t.Error("an object that does not decode can be stopped")
	}
}

// Among runs that move, those that may need a person soon stand first.
func TestOrderOfRunsThatMove(t *testing.T) {
	row := func(name string, made int64, change func(*engine.RunView)) *engine.RunView {
		v := &engine.RunView{ID: engine.NewID(engine.KindClusterStagedUpdateRun, "", name, name), Word: engine.WordRunning, Created: time.Unix(made, 0)}
		change(v)
		return v
	}
	rows := []*engine.RunView{
		row("old", 1, func(*engine.RunView) {}), row("young", 9, func(*engine.RunView) {}),
		row("slow", 2, func(v *engine.RunView) { v.Slow = true }), row("late", 3, func(v *engine.RunView) { v.Late = true }),
		row("stuck", 5, func(v *engine.RunView) { v.Word = engine.WordStuck }),
	}
	slices.SortFunc(rows, before)
	var got []string
	for _, v := range rows {
		got = append(got, v.ID.Name().String())
	}
	if want := []string{"stuck", "late", "slow", "young", "old"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestRowsFollowTheWorld checks that the rows that a pass takes from the last Snapshot, and those it makes, are those that a
// pass without a Snapshot makes, in the same order, whatever comes, goes or changes.
func TestRowsFollowTheWorld(t *testing.T) {
	t0 := time.Unix(100_000, 0)
	w, _ := big(4, 4, t0)
	addRows(w, 8, t0)
	for id, run := range w.Runs { // several runs of a placement
		if n := run.Name[len(run.Name)-1]; n%3 == 0 {
			w.Runs[id].Spec.PlacementName = "p-run-000"
		}
	}
	runs, packed, places := maps.Clone(w.Runs), maps.Clone(w.Packed), maps.Clone(w.Placements)
	ids := slices.SortedFunc(maps.Keys(runs), engine.ID.Compare)
	w.Printed, w.Broken = map[engine.ID]world.PrintedRun{}, map[engine.ID]string{}
	random := rand.New(rand.NewPCG(1, 2))
	var s *engine.Snapshot
	seen := map[engine.Word]bool{}
	for step := range 500 {
		changed := world.Changed{Runs: map[engine.ID]bool{}}
		for range 1 + random.IntN(3) {
			id := ids[random.IntN(len(ids))]
			changed.Runs[id] = true
			delete(w.Runs, id)
			delete(w.Packed, id)
			delete(w.Printed, id)
			delete(w.Broken, id)
			switch random.IntN(5) {
			case 0: // it is gone
			case 1:
				w.Printed[id] = world.PrintedRun{Placement: runs[id].Spec.PlacementName, Created: runs[id].CreationTimestamp.Time, Succeeded: "False"}
			case 2:
				w.Broken[id] = "not an object"
			default:
				w.Runs[id] = runs[id]
				if p := packed[id]; p != nil {
					w.Packed[id] = p
				}
			}
		}
		if step%7 == 0 {
			w.Placements = map[engine.ID]*world.Placement{}
			for id, p := range places {
				if random.IntN(2) == 0 {
					w.Placements[id] = p
				}
			}
			changed.All = true
		}
		s, _ = Observe(s, w, changed, t0)
		fresh, _ := Observe(nil, w, changed, t0)
		if len(s.Runs) != len(fresh.Runs) {
			t.Fatalf("step %d: %d rows, want %d", step, len(s.Runs), len(fresh.Runs))
		}
		for i, v := range s.Runs {
			seen[v.Word] = true
			if want := fresh.Runs[i]; v.ID != want.ID || v.Word != want.Word || v.Partial != want.Partial || v.RowOnly != want.RowOnly || changed.All && !reflect.DeepEqual(v, want) {
				t.Fatalf("step %d, row %d: %s of %v, want %s of %v", step, i, v.Word, v.ID, want.Word, want.ID)
			}
		}
	}
	if len(seen) < 5 {
		t.Errorf("only %v", seen)
	}
}
