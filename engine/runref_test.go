package engine

import (
	"slices"
	"testing"
)

func clusterRunID(name string) ID { return NewID(KindClusterStagedUpdateRun, "", name, "u-"+name) }
func runIn(ns, name string) ID    { return NewID(KindStagedUpdateRun, ns, name, "u-"+ns+name) }

func setsOf(cluster, namespaced CoverState) []RunSet {
	return []RunSet{
		{ID: NewID(KindClusterStagedUpdateRun, "", "", ""), State: cluster},
		{ID: NewID(KindStagedUpdateRun, "", "", ""), State: namespaced},
	}
}

func TestRunRef(t *testing.T) {
	ids := []ID{
		clusterRunID("web"), clusterRunID("only-c"), clusterRunID("here"),
		runIn("shop", "web"), runIn("shop", "here"), runIn("blog", "here"), runIn("shop", "only-n"), runIn("csur", "odd"), runIn("sur", "odd"),
		NewID(KindClusterResourcePlacement, "", "billing", "u"),
	}
	all := setsOf(CoverComplete, CoverComplete)
	in := RunScope{Namespace: "shop", Default: "shop"}
	from := RunScope{Default: "shop"}
	for _, tt := range []struct {
		name  string
		scope RunScope
		arg   string
		want  []ID
	}{
		{"a unique name", from, "only-n", []ID{runIn("shop", "only-n")}},
		{"a name of two scopes", from, "web", []ID{clusterRunID("web"), runIn("shop", "web")}},
		{"a name of three", from, "here", []ID{clusterRunID("here"), runIn("blog", "here"), runIn("shop", "here")}},
		{"a placement is no run", from, "billing", nil},
		{"-n means that namespace", in, "web", []ID{runIn("shop", "web")}},
		{"-n hides the cluster run", in, "only-c", nil},
		{"-n and its own namespace", in, "shop/web", []ID{runIn("shop", "web")}},
		{"csur ignores -n", in, "csur/web", []ID{clusterRunID("web")}},
		{"csur", from, "csur/here", []ID{clusterRunID("here")}},
		{"csur does not take a namespaced run", from, "csur/only-n", nil},
		{"singular", from, "clusterstagedupdaterun/web", []ID{clusterRunID("web")}},
		{"plural", from, "clusterstagedupdateruns/web", []ID{clusterRunID("web")}},
		{"kind", from, "ClusterStagedUpdateRun/web", []ID{clusterRunID("web")}},
		{"kubectl -o name", from, "clusterstagedupdaterun.placement.kubernetes-fleet.io/web", []ID{clusterRunID("web")}},
		{"with version and group", from, "stagedupdateruns.v1beta1.placement.kubernetes-fleet.io/web", []ID{runIn("shop", "web")}},
		{"sur is in the context's namespace", from, "sur/web", []ID{runIn("shop", "web")}},
		{"sur in -n", RunScope{Namespace: "blog", Default: "shop"}, "sur/here", []ID{runIn("blog", "here")}},
		{"sur with -A", RunScope{}, "sur/here", []ID{runIn("blog", "here"), runIn("shop", "here")}},
		{"sur with a namespace", from, "sur/blog/here", []ID{runIn("blog", "here")}},
		{"namespace", from, "blog/here", []ID{runIn("blog", "here")}},
		{"no such namespace", from, "nope/here", nil},
		{"a namespace called csur", from, "sur/csur/odd", []ID{runIn("csur", "odd")}},
		{"a namespace called csur with -n", RunScope{Namespace: "csur"}, "odd", []ID{runIn("csur", "odd")}},
		{"a namespace called sur", from, "sur/sur/odd", []ID{runIn("sur", "odd")}},
		{"namespaced only", RunScope{Default: "shop", NamespacedOnly: true}, "web", []ID{runIn("shop", "web")}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ref, no := tt.scope.Parse(tt.arg)
			if no.Refused() {
				t.Fatal(no.Why)
			}
			m := ref.Among(ids, all, tt.scope)
			if !slices.Equal(m.IDs, tt.want) {
				t.Errorf("selects %v, want %v", m.IDs, tt.want)
			}
			want := map[int]MatchOutcome{0: MatchNone, 1: MatchOne}
			if o, ok := want[len(tt.want)]; ok && m.Outcome() != o || !ok && m.Outcome() != MatchSeveral {
				t.Errorf("outcome %d for %v", m.Outcome(), tt.want)
			}
		})
	}
	for _, scope := range []RunScope{{}, from, in, {Default: "blog", NamespacedOnly: true}, {Namespace: "csur"}, {Namespace: "sur", Default: "sur"}} {
		forms := scope.Forms(ids)
		for _, id := range ids {
			if !IsRun(id.kind) || scope.NamespacedOnly && !id.kind.Namespaced() || scope.Namespace != "" && id.ns != "" && id.ns != scope.Namespace {
				continue // is not listed there
			}
			for _, form := range forms.All(id) {
				ref, no := scope.Parse(form.String())
				if m := ref.Among(ids, all, scope); no.Refused() || !slices.Equal(m.IDs, []ID{id}) {
					t.Errorf("%+v: the form %s of %v selects %v (%s)", scope, form, id, m.IDs, no.Why)
				}
			}
		}
	}
}

func TestMalformedRuns(t *testing.T) {
	for _, tt := range []struct {
		scope RunScope
		arg   string
		why   string
	}{
		{RunScope{}, "", `invalid run ""`},
		{RunScope{}, "a/", `invalid run "a/"`},
		{RunScope{}, "/a", `invalid run "/a"`},
		{RunScope{}, "a/b/c", `invalid run "a/b/c"`},
		{RunScope{}, "../a", `invalid run "../a"`},
		{RunScope{}, "a%2Fb", `invalid run "a%2Fb"`},
		{RunScope{}, "csur/shop/web", `invalid run "csur/shop/web"`},
		{RunScope{}, "sur/a/b/c", `invalid run "sur/a/b/c"`},
		{RunScope{Namespace: "x"}, "a/b", `run "a/b" is not in namespace "x"`},
		{RunScope{Namespace: "x"}, "sur/a/b", `run "sur/a/b" is not in namespace "x"`},
		{RunScope{NamespacedOnly: true}, "csur/a", "csur/a is a cluster run, and --namespaced-only excludes cluster runs"},
	} {
		if _, no := tt.scope.Parse(tt.arg); no.Why.String() != tt.why || no.Hint.IsZero() {
			t.Errorf("%s: %q (%q), want %q", tt.arg, no.Why, no.Hint, tt.why)
		}
	}
}

func TestRunMatchProblems(t *testing.T) {
	web := []ID{clusterRunID("web"), runIn("shop", "web"), runIn("csur", "web")}
	one := append(setsOf(CoverForbidden, CoverForbidden), RunSet{ID: NewID(KindStagedUpdateRun, "shop", "", ""), State: CoverComplete})
	for _, tt := range []struct {
		name            string
		ids             []ID
		sets            []RunSet
		scope           RunScope
		arg             string
		outcome         MatchOutcome
		why, hint, note string
	}{
		{
			"several", web, setsOf(CoverComplete, CoverComplete),
			RunScope{},
			"web", MatchSeveral,
			`run name "web" is ambiguous: 3 runs have it`, "use csur/web or sur/csur/web or shop/web", "",
		},
		{"none", web, setsOf(CoverComplete, CoverComplete), RunScope{}, "x", MatchNone, `run "x" not found, neither as a cluster run nor in any namespace`, "list the runs with stagewatch -o name", ""},
		{"no cluster run", web, setsOf(CoverComplete, CoverForbidden), RunScope{}, "csur/x", MatchNone, `cluster run "x" not found`, "list the runs with stagewatch -o name", ""},
		{"none in the namespace", web, setsOf(CoverForbidden, CoverComplete), RunScope{Namespace: "shop"}, "x", MatchNone, `run "x" not found in namespace "shop"`, "list the runs with stagewatch -o name", ""},
		{"kind not served", web, setsOf(CoverComplete, CoverNotServed), RunScope{}, "x", MatchNone, `run "x" not found, neither as a cluster run nor in any namespace`, "list the runs with stagewatch -o name", ""},
		{
			"cluster runs forbidden", nil, setsOf(CoverForbidden, CoverComplete),
			RunScope{},
			"csur/x", MatchUnlisted,
			`run "x" not found: this user may not list cluster runs`, "ask for the right to list them, or use another context", "",
		},
		{
			"one namespace read, another asked", nil, one,
			RunScope{},
			"blog/x", MatchUnlisted,
			`run "x" not found: this user may not list runs in other namespaces`, "ask for the right to list them, or use another context", "",
		},
		{"the namespace that is read", nil, one, RunScope{}, "shop/x", MatchNone, `run "x" not found in namespace "shop"`, "list the runs with stagewatch -o name", ""},
		{
			"found where one may look", web[1:2], one,
			RunScope{},
			"web", MatchOne, "", "",
			`"web" may name more runs: this user may not list cluster runs and runs in other namespaces`,
		},
		{
			"not read", nil, setsOf(CoverComplete, CoverFailed),
			RunScope{},
			"x", MatchUnlisted,
			`run "x" not found: namespaced runs could not be read`, "run the command again", "",
		},
		{
			"outside the session", nil,
			[]RunSet{{ID: NewID(KindStagedUpdateRun, "shop", "", ""), State: CoverComplete}},
			RunScope{},
			"csur/x", MatchUnlisted,
			`run "x" not found: cluster runs are outside the scope of this session`, "start stagewatch without --namespace and --namespaced-only", "",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ref, no := tt.scope.Parse(tt.arg)
			if no.Refused() {
				t.Fatal(no.Why)
			}
			m := ref.Among(tt.ids, tt.sets, tt.scope)
			p := m.Problem()
			if m.Outcome() != tt.outcome || p.Why.String() != tt.why || p.Hint.String() != tt.hint || m.Note().String() != tt.note {
				t.Errorf("outcome %d: %q, hint %q, note %q", m.Outcome(), p.Why, p.Hint, m.Note())
			}
		})
	}
}
