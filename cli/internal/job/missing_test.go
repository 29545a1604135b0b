package job

import (
	"errors"
	"testing"

	"github.com/stagewatch/stagewatch/cli/exit"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/runref"
)

// TestMissing checks that a run is only said to be missing when the names of all runs are known that it may be.
func TestMissing(t *testing.T) {
	set := func(kind engine.Kind, state engine.CoverState, named bool) engine.RunSet {
		return engine.RunSet{ID: engine.NewID(kind, "", "", ""), State: state, Named: named}
	}
	cluster := func(state engine.CoverState, named bool) engine.RunSet {
		return set(engine.KindClusterStagedUpdateRun, state, named)
	}
	namespaced := func(state engine.CoverState, named bool) engine.RunSet {
		return set(engine.KindStagedUpdateRun, state, named)
	}
	for _, tt := range []struct {
		what, run string
		sets      []engine.RunSet
		hint      string // empty: not missing
	}{
		{"nothing is asked for yet", "wbe", nil, ""},
		{"one kind is not asked for yet", "wbe", []engine.RunSet{cluster(engine.CoverLoading, true)}, ""},
		{"names are not known", "wbe", []engine.RunSet{cluster(engine.CoverLoading, false), namespaced(engine.CoverComplete, false)}, ""},
		{"a kind is forbidden", "wbe", []engine.RunSet{cluster(engine.CoverLoading, true), namespaced(engine.CoverForbidden, false)}, ""},
		{"all names are known", "wbe", []engine.RunSet{cluster(engine.CoverLoading, true), namespaced(engine.CoverComplete, false)}, `did you mean "web"? list the runs with stagewatch get`},
		{"a kind is not served", "wbe", []engine.RunSet{cluster(engine.CoverLoading, true), namespaced(engine.CoverNotServed, false)}, `did you mean "web"? list the runs with stagewatch get`},
		{"nothing is served", "wbe", []engine.RunSet{cluster(engine.CoverNotServed, false), namespaced(engine.CoverNotServed, false)}, ""},
		{"its kind is not served", "csur/nope", []engine.RunSet{cluster(engine.CoverNotServed, false)}, ""},
		{"the run is there", "web", []engine.RunSet{cluster(engine.CoverLoading, true), namespaced(engine.CoverComplete, false)}, ""},
		{"the other kind is not needed", "csur/nope", []engine.RunSet{cluster(engine.CoverLoading, true)}, "list the runs with stagewatch get"},
	} {
		j := &Job{}
		if err := j.Parse([]string{tt.run}); err != nil {
			t.Fatal(err)
		}
		s := &engine.Snapshot{Runs: []*engine.RunView{{ID: engine.NewID(engine.KindClusterStagedUpdateRun, "", "web", "")}}}
		s.Scope.Runs = tt.sets
		err := j.missing(s, []runref.Ref{j.Run})
		var f *exit.Failure
		switch {
		case tt.hint == "" && err != nil, tt.hint != "" && (!errors.As(err, &f) || f.Code != exit.NotFound || f.Hint.String() != tt.hint):
			t.Errorf("%s: %v, hint %q", tt.what, err, tt.hint)
		}
	}
}

// TestMissingOfSeveral checks that of several names the first that no run has is said to be missing.
func TestMissingOfSeveral(t *testing.T) {
	j := &Job{}
	var names []runref.Ref
	for _, name := range []string{"web", "first", "second"} {
		if err := j.Parse([]string{name}); err != nil {
			t.Fatal(err)
		}
		names = append(names, j.Run)
	}
	s := &engine.Snapshot{Runs: []*engine.RunView{{ID: engine.NewID(engine.KindClusterStagedUpdateRun, "", "web", "")}}}
	for _, kind := range []engine.Kind{engine.KindClusterStagedUpdateRun, engine.KindStagedUpdateRun} {
		s.Scope.Runs = append(s.Scope.Runs, engine.RunSet{ID: engine.NewID(kind, "", "", ""), State: engine.CoverLoading, Named: true})
	}
	var f *exit.Failure
	if err := j.missing(s, names); !errors.As(err, &f) || f.NoRun != "first" || j.Run != names[1] {
		t.Errorf("%v; the run of the job is %v", err, j.Run)
	}
}

// TestDidYouMean checks that runs of other scopes are named so that the command finds them.
func TestDidYouMean(t *testing.T) {
	cluster, shop, blog := engine.NewID(engine.KindClusterStagedUpdateRun, "", "web", ""), engine.NewID(engine.KindStagedUpdateRun, "shop", "web", ""), engine.NewID(engine.KindStagedUpdateRun, "blog", "web", "")
	for _, tt := range []struct {
		scope runref.Scope
		runs  []engine.ID
		want  string
	}{
		{runref.Scope{}, []engine.ID{cluster}, "did you mean web?"},
		{runref.Scope{}, []engine.ID{shop}, "did you mean shop/web?"},
		{runref.Scope{Namespace: "shop"}, []engine.ID{cluster}, "did you mean csur/web?"},
		{runref.Scope{Namespace: "shop"}, []engine.ID{shop}, "did you mean shop/web?"}, // csur/web was asked for
		{runref.Scope{Namespace: "shop"}, []engine.ID{blog}, "did you mean blog/web, without --namespace?"},
		{runref.Scope{NamespacedOnly: true}, []engine.ID{cluster}, "did you mean csur/web, without --namespaced-only?"},
		{runref.Scope{Namespace: "shop", NamespacedOnly: true}, []engine.ID{cluster, blog}, "did you mean csur/web or blog/web, without --namespaced-only and --namespace?"},
	} {
		if got := (&Job{Scope: tt.scope}).didYouMean(tt.runs).String(); got != tt.want {
			t.Errorf("%+v: %s, want %s", tt.scope, got, tt.want)
		}
	}
}

// TestNoPlacement checks that a placement without a run that does not exist is followed by one with a similar name.
func TestNoPlacement(t *testing.T) {
	j := &Job{}
	if err := j.Parse([]string{"reportin"}); err != nil {
		t.Fatal(err)
	}
	of := func(word engine.Word, name string) *engine.RunView {
		id := engine.NewID(engine.KindClusterResourcePlacement, "", name, "")
		return &engine.RunView{ID: id, Word: word, Placement: id}
	}
	err := j.NoPlacement(&engine.Snapshot{Runs: []*engine.RunView{of(engine.WordDone, "reporting-eu"), of(engine.WordNoRun, "reporting")}})
	var f *exit.Failure
	if !errors.As(err, &f) || f.Similar.String() != `did you mean "reporting"? ` {
		t.Errorf("%v", err)
	}
}
