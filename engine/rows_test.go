package engine

import (
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

func TestNoRunRows(t *testing.T) {
	t0 := time.Unix(1000, 0)
	external := func(w *World, kind Kind, ns, name string, ext bool) {
		id := NewID(kind, ns, name, "u")
		w.Placements[id] = &Placement{ID: id, External: ext, Clusters: 3, Created: t0}
	}
	both := Settings{ClusterRuns: true, NamespacedRuns: true}
	tests := []struct {
		name string
		set  Settings
		make func(w *World)
		want []string
	}{
		{"no run names it", both, func(w *World) {
			external(w, KindClusterResourcePlacement, "", "web", true)
			coverAll(w, "", CoverComplete, KindClusterResourcePlacement, KindClusterStagedUpdateRun)
		}, []string{"NO RUN web 3"}},
		{"it rolls out by itself", both, func(w *World) {
			external(w, KindClusterResourcePlacement, "", "web", false)
			coverAll(w, "", CoverComplete, KindClusterResourcePlacement, KindClusterStagedUpdateRun)
		}, nil},
		{"a run names it", both, func(w *World) {
			external(w, KindClusterResourcePlacement, "", "web", true)
			coverAll(w, "", CoverComplete, KindClusterResourcePlacement, KindClusterStagedUpdateRun)
			small(w, KindClusterStagedUpdateRun, "", "r", "web")
		}, []string{"PENDING r 0"}},
		{"only a run that failed initialization names it", both, func(w *World) {
			external(w, KindClusterResourcePlacement, "", "web", true)
			coverAll(w, "", CoverComplete, KindClusterResourcePlacement, KindClusterStagedUpdateRun)
			small(w, KindClusterStagedUpdateRun, "", "r", "web", is(placement.RunInitialized, metav1.ConditionFalse, t0))
		}, []string{"INIT FAILED r 0", "NO RUN web 3"}},
		{"a run of the other scope names its namesake", both, func(w *World) {
			external(w, KindResourcePlacement, "a", "web", true)
			coverAll(w, "", CoverComplete, KindResourcePlacement, KindStagedUpdateRun)
			small(w, KindClusterStagedUpdateRun, "", "r", "web")
		}, []string{"PENDING r 0", "NO RUN a/web 3"}},
		{"runs are still loading", both, func(w *World) {
			external(w, KindClusterResourcePlacement, "", "web", true)
			coverAll(w, "", CoverComplete, KindClusterResourcePlacement)
			coverAll(w, "", CoverLoading, KindClusterStagedUpdateRun)
		}, nil},
		{"placements are still loading", both, func(w *World) {
			external(w, KindClusterResourcePlacement, "", "web", true)
			coverAll(w, "", CoverComplete, KindClusterStagedUpdateRun)
			coverAll(w, "", CoverLoading, KindClusterResourcePlacement)
		}, nil},
		{"one namespace is looked at", both, func(w *World) {
			external(w, KindResourcePlacement, "a", "web", true)
			external(w, KindResourcePlacement, "b", "web", true)
			coverAll(w, "a", CoverComplete, KindResourcePlacement, KindStagedUpdateRun)
		}, []string{"NO RUN a/web 3"}},
		{"the scope is not asked for", Settings{NamespacedRuns: true}, func(w *World) {
			external(w, KindClusterResourcePlacement, "", "web", true)
			coverAll(w, "", CoverComplete, KindClusterResourcePlacement, KindClusterStagedUpdateRun)
		}, nil},
		{"a run that cannot be read may name it", both, func(w *World) {
			external(w, KindClusterResourcePlacement, "", "web", true)
			coverAll(w, "", CoverComplete, KindClusterResourcePlacement, KindClusterStagedUpdateRun)
			w.Broken[NewID(KindClusterStagedUpdateRun, "", "odd", "u")] = "invalid"
		}, []string{"UNREADABLE odd 0"}},
		{"a printed row names it", both, func(w *World) {
			external(w, KindClusterResourcePlacement, "", "web", true)
			coverAll(w, "", CoverComplete, KindClusterResourcePlacement, KindClusterStagedUpdateRun)
			w.Printed[NewID(KindClusterStagedUpdateRun, "", "r", "u")] = PrintedRun{Placement: "web"}
		}, []string{"LOADING r 0"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := live(tt.set)
			tt.make(w)
			s, _ := Observe(nil, w, Changed{}, t0)
			var got []string
			for _, v := range s.Runs {
				got = append(got, Textf("%s %s %d", v.Word, v.ID.Title(), v.Total).String())
				if v.Word == WordNoRun {
					if _, r := Propose(s, ActRun, v.ID, t0); !r.Refused() {
						t.Error("a placement without a run can be run")
					}
				}
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			again, _ := Observe(s, w, Changed{}, t0.Add(time.Minute))
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
		in   PrintedRun
		want Word
	}{
		{"nothing is known", PrintedRun{}, WordUnknown},
		{"going on", PrintedRun{Initialized: "True", Progressing: "True"}, WordUnknown},
		{"waiting or stuck", PrintedRun{Initialized: "True", Progressing: "False"}, WordUnknown},
		{"done", PrintedRun{Initialized: "True", Progressing: "False", Succeeded: "True"}, WordDone},
		{"failed", PrintedRun{Initialized: "True", Progressing: "False", Succeeded: "False"}, WordFailed},
		{"not initialized", PrintedRun{Initialized: "False"}, WordInitFailed},
		{"not initialized and done", PrintedRun{Initialized: "False", Succeeded: "True"}, WordInitFailed},
		{"done out of nothing", PrintedRun{Succeeded: "True"}, WordUnknown},
		{"garbage", PrintedRun{Initialized: "\x1b[2J", Succeeded: "true"}, WordUnknown},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := live(Settings{ClusterRuns: true})
			coverAll(w, "", CoverLoading, KindClusterStagedUpdateRun)
			id := NewID(KindClusterStagedUpdateRun, "", "r", "u")
			w.Printed[id] = tt.in
			s, _ := Observe(nil, w, Changed{}, time.Unix(1, 0))
			v := s.Find(id)
			if v.Word != tt.want || !v.Partial || s.Complete {
				t.Errorf("got %s partial %v complete %v, want %s", v.Word, v.Partial, s.Complete, tt.want)
			}
			if _, r := Propose(s, ActStop, id, s.At); !r.Refused() {
				t.Error("a row that is not loaded can be stopped")
			}
			id2 := small(w, KindClusterStagedUpdateRun, "", "r", "web")
			if s, _ = Observe(s, w, Changed{Runs: map[ID]bool{id2: true}}, time.Unix(2, 0)); s.Find(id2).Partial {
				t.Error("the row is partial though the object is here")
			}
		})
	}
}

func TestOrder(t *testing.T) {
	t0 := time.Unix(10_000, 0)
	w := live(Settings{ClusterRuns: true, NamespacedRuns: true})
	add := func(ns, name string, conds ...metav1.Condition) {
		kind := KindClusterStagedUpdateRun
		if ns != "" {
			kind = KindStagedUpdateRun
		}
		small(w, kind, ns, name, "p-"+name, conds...)
	}
	ok := is("Initialized", "True", t0)
	add("", "done", ok, is("Succeeded", "True", t0))
	add("", "failed-late", ok, is("Succeeded", "False", t0.Add(time.Minute)))
	add("", "failed-early", ok, is("Succeeded", "False", t0))
	add("a", "failed-early", ok, is("Succeeded", "False", t0))
	stuck := is("Progressing", "False", t0)
	stuck.Reason = placement.ReasonRunStuck
	add("", "stuck", ok, stuck)
	add("", "running", ok)
	w.Broken[NewID(KindClusterStagedUpdateRun, "", "broken", "u")] = "x"
	want := []string{"stuck", "failed-early", "a/failed-early", "failed-late", "broken", "running", "done"}
	for range 20 { // map order must not show
		s, _ := Observe(nil, w, Changed{}, t0)
		var got []string
		for _, v := range s.Runs {
			got = append(got, v.ID.Title().String())
		}
		if !slices.Equal(got, want) {
			t.Fatalf("got %v, want %v", got, want)
		}
		if !slices.Equal(s.Need, []Need{{Word: WordStuck, Count: 1}, {Word: WordFailed, Count: 3}, {Word: WordUnreadable, Count: 1}}) {
			t.Fatalf("need: %v", s.Need)
		}
	}
}

func TestComplete(t *testing.T) {
	runs, both := KindClusterStagedUpdateRun, Settings{ClusterRuns: true, NamespacedRuns: true}
	tests := []struct {
		name  string
		set   Settings
		cover map[CoverKey]CoverState
		want  bool
		note  string
	}{
		{"nothing is asked yet", both, nil, false, ""},
		{"one scope is missing", both, map[CoverKey]CoverState{CoverAll(runs): CoverComplete}, false, ""},
		{"the only scope asked for", Settings{ClusterRuns: true}, map[CoverKey]CoverState{CoverAll(runs): CoverComplete}, true, ""},
		{"approvals are loading", Settings{ClusterRuns: true}, map[CoverKey]CoverState{CoverAll(runs): CoverComplete, CoverAll(KindClusterApprovalRequest): CoverLoading}, false, ""},
		{"approvals are forbidden", Settings{ClusterRuns: true}, map[CoverKey]CoverState{CoverAll(runs): CoverComplete, CoverAll(KindClusterApprovalRequest): CoverForbidden}, true, "approval requests of cluster-scoped runs are hidden"},
		{"one scope is not served", both, map[CoverKey]CoverState{CoverAll(runs): CoverComplete, CoverAll(KindStagedUpdateRun): CoverNotServed}, true, "does not serve StagedUpdateRun"},
		{"nothing is served", both, map[CoverKey]CoverState{CoverAll(runs): CoverNotServed, CoverAll(KindStagedUpdateRun): CoverNotServed}, true, "this cluster has no KubeFleet hub API"},
		{"all is forbidden", Settings{ClusterRuns: true}, map[CoverKey]CoverState{CoverAll(runs): CoverForbidden}, false, "cluster-scoped runs are hidden"},
		{"one failed", Settings{ClusterRuns: true}, map[CoverKey]CoverState{CoverAll(runs): CoverFailed}, false, "cluster-scoped runs are missing"},
		{"one namespace", Settings{NamespacedRuns: true}, map[CoverKey]CoverState{{Kind: KindStagedUpdateRun, Namespace: "a"}: CoverComplete}, true, ""},
		{"a placement's bindings do not matter", Settings{ClusterRuns: true}, map[CoverKey]CoverState{CoverAll(runs): CoverComplete, CoverBindings(NewID(KindClusterResourcePlacement, "", "web", "")): CoverLoading}, true, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := live(tt.set)
			for k, c := range tt.cover {
				w.Covered[k] = Coverage{State: c}
			}
			s, _ := Observe(nil, w, Changed{}, time.Unix(1, 0))
			if s.Complete != tt.want {
				t.Errorf("complete %v, want %v", s.Complete, tt.want)
			}
			if notes := Join(s.Scope.Notes, "; ").String(); !strings.Contains(notes, tt.note) || tt.note == "" && notes != "" {
				t.Errorf("notes %q, want %q", notes, tt.note)
			}
		})
	}
}

// What is hidden is one line that fits the smallest screen, and notes in full.
func TestScopeInOneLine(t *testing.T) {
	w := live(Settings{ClusterRuns: true, NamespacedRuns: true})
	w.Covered[CoverKey{Kind: KindStagedUpdateRun, Namespace: "team"}] = Coverage{State: CoverComplete}
	for _, k := range []Kind{KindClusterStagedUpdateRun, KindClusterApprovalRequest, KindClusterResourcePlacement, KindMemberCluster} {
		w.Covered[CoverAll(k)] = Coverage{State: CoverForbidden}
	}
	s, _ := Observe(nil, w, Changed{}, time.Unix(1, 0))
	want := "you may not list cluster runs, cluster approvals, cluster placements, members"
	if got := s.Scope.Short.String(); got != want || len(got) > 79 || len(s.Scope.Notes) != 4 {
		t.Errorf("%q, %d notes", got, len(s.Scope.Notes))
	}
	w.Covered[CoverAll(KindResourcePlacement)] = Coverage{State: CoverNotServed}
	s, _ = Observe(nil, w, Changed{}, time.Unix(1, 0))
	if got := s.Scope.Short.String(); got != want+" · namespaced placements are hidden: this hub does not serve ResourcePlacement" {
		t.Errorf("%q", got)
	}
}

func TestBrokenObjects(t *testing.T) {
	w := live(Settings{ClusterRuns: true})
	run := NewID(KindClusterStagedUpdateRun, "", "odd", "u")
	w.Broken[run] = "cannot decode \x1b]0;spec: at 3\x07"
	w.Broken[NewID(KindClusterApprovalRequest, "", "odd-before-x", "u")] = "no"
	s, _ := Observe(nil, w, Changed{}, time.Unix(1, 0))
	v := s.Find(run)
	if v == nil || v.Word != WordUnreadable {
		t.Errorf("row of an object that does not decode: %+v", v)
	}
	if notes := Join(s.Scope.Notes, "; ").String(); notes != "careq odd-before-x could not be read: no" {
		t.Errorf("notes: %q", notes)
	}
	if _, r := Propose(s, ActStop, run, s.At); !r.Refused() {
		t.Error("an object that does not decode can be stopped")
	}
}

// Among runs that move, those that may need a person soon stand first.
func TestOrderOfRunsThatMove(t *testing.T) {
	row := func(name string, made int64, change func(*RunView)) *RunView {
		v := &RunView{ID: NewID(KindClusterStagedUpdateRun, "", name, name), Word: WordRunning, Created: time.Unix(made, 0)}
		change(v)
		return v
	}
	rows := []*RunView{
		row("old", 1, func(*RunView) {}), row("young", 9, func(*RunView) {}),
		row("slow", 2, func(v *RunView) { v.Slow = true }), row("late", 3, func(v *RunView) { v.Late = true }),
		row("stuck", 5, func(v *RunView) { v.Word = WordStuck }),
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
