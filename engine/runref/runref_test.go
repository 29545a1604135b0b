package runref

import (
	"slices"
	"testing"

	"github.com/stagewatch/stagewatch/engine"
)

func clusterRunID(name string) engine.ID {
	return engine.NewID(engine.KindClusterStagedUpdateRun, "", name, "u-"+name)
}

func runIn(ns, name string) engine.ID {
	return engine.NewID(engine.KindStagedUpdateRun, ns, name, "u-"+ns+name)
}

func setsOf(cluster, namespaced engine.CoverState) []engine.RunSet {
	return []engine.RunSet{
		{ID: engine.NewID(engine.KindClusterStagedUpdateRun, "", "", ""), State: cluster},
		{ID: engine.NewID(engine.KindStagedUpdateRun, "", "", ""), State: namespaced},
	}
}

func TestRunRef(t *testing.T) {
	ids := []engine.ID{
		clusterRunID("web"), clusterRunID("only-c"), clusterRunID("here"),
		runIn("shop", "web"), runIn("shop", "here"), runIn("blog", "here"), runIn("shop", "only-n"), runIn("csur", "odd"), runIn("sur", "odd"),
		engine.NewID(engine.KindClusterResourcePlacement, "", "billing", "u"),
	}
	all := setsOf(engine.CoverComplete, engine.CoverComplete)
	in := Scope{Namespace: "shop", Default: "shop"}
	from := Scope{Default: "shop"}
	for _, tt := range []struct {
		name  string
		scope Scope
		arg   string
		want  []engine.ID
	}{
		{"a unique name", from, "only-n", []engine.ID{runIn("shop", "only-n")}},
		{"a name of two scopes", from, "web", []engine.ID{clusterRunID("web"), runIn("shop", "web")}},
		{"a name of three", from, "here", []engine.ID{clusterRunID("here"), runIn("blog", "here"), runIn("shop", "here")}},
		{"a placement is no run", from, "billing", nil},
		{"-n means that namespace", in, "web", []engine.ID{runIn("shop", "web")}},
		{"-n hides the cluster run", in, "only-c", nil},
		{"-n and its own namespace", in, "shop/web", []engine.ID{runIn("shop", "web")}},
		{"csur ignores -n", in, "csur/web", []engine.ID{clusterRunID("web")}},
		{"csur", from, "csur/here", []engine.ID{clusterRunID("here")}},
		{"csur does not take a namespaced run", from, "csur/only-n", nil},
		{"singular", from, "clusterstagedupdaterun/web", []engine.ID{clusterRunID("web")}},
		{"plural", from, "clusterstagedupdateruns/web", []engine.ID{clusterRunID("web")}},
		{"kind", from, "ClusterStagedUpdateRun/web", []engine.ID{clusterRunID("web")}},
		{"kubectl -o name", from, "clusterstagedupdaterun.placement.kubernetes-fleet.io/web", []engine.ID{clusterRunID("web")}},
		{"with version and group", from, "stagedupdateruns.v1beta1.placement.kubernetes-fleet.io/web", []engine.ID{runIn("shop", "web")}},
		{"sur is in the context's namespace", from, "sur/web", []engine.ID{runIn("shop", "web")}},
		{"sur in -n", Scope{Namespace: "blog", Default: "shop"}, "sur/here", []engine.ID{runIn("blog", "here")}},
		{"sur with -A", Scope{}, "sur/here", []engine.ID{runIn("blog", "here"), runIn("shop", "here")}},
		{"sur with a namespace", from, "sur/blog/here", []engine.ID{runIn("blog", "here")}},
		{"namespace", from, "blog/here", []engine.ID{runIn("blog", "here")}},
		{"no such namespace", from, "nope/here", nil},
		{"a namespace called csur", from, "sur/csur/odd", []engine.ID{runIn("csur", "odd")}},
		{"a namespace called csur with -n", Scope{Namespace: "csur"}, "odd", []engine.ID{runIn("csur", "odd")}},
		{"a namespace called sur", from, "sur/sur/odd", []engine.ID{runIn("sur", "odd")}},
		{"namespaced only", Scope{Default: "shop", NamespacedOnly: true}, "web", []engine.ID{runIn("shop", "web")}},
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
	for _, scope := range []Scope{{}, from, in, {Default: "blog", NamespacedOnly: true}, {Namespace: "csur"}, {Namespace: "sur", Default: "sur"}} {
		forms := scope.Forms(ids)
		for _, id := range ids {
			if !engine.IsRun(id.Kind()) || scope.NamespacedOnly && !id.Kind().Namespaced() || scope.Namespace != "" && id.RawNamespace() != "" && id.RawNamespace() != scope.Namespace {
				continue // is not listed there
			}
			for _, form := range forms.All(id) {
				ref, no := scope.Parse(form.String())
				if m := ref.Among(ids, all, scope); no.Refused() || !slices.Equal(m.IDs, []engine.ID{id}) {
					t.Errorf("%+v: the form %s of %v selects %v (%s)", scope, form, id, m.IDs, no.Why)
				}
			}
		}
	}
}

// TestParseLine checks that a line means what the same flags and argument of a command mean.
func TestParseLine(t *testing.T) {
	from, in := Scope{Default: "shop"}, Scope{Namespace: "shop", Default: "shop"}
	blog := Scope{Namespace: "blog", Default: "blog"}
	for _, tt := range []struct {
		scope Scope
		line  string
		as    Scope // of the command
		arg   string
		why   string
	}{
		{from, "here", from, "here", ""},
		{from, " -n blog here ", blog, "here", ""},
		{from, "here -n blog", blog, "here", ""},
		{from, "-nblog here", blog, "here", ""},
		{from, "-n=blog sur/here", blog, "sur/here", ""},
		{from, "--namespace blog here", blog, "here", ""},
		{in, "--namespace=blog here", blog, "here", ""},
		{from, "-n blog csur/web", blog, "csur/web", ""},
		{from, "-n blog shop/here", blog, "shop/here", `run "shop/here" is not in namespace "blog"`},
		{in, "-A here", Scope{}, "here", ""},
		{in, "--all-namespaces sur/here", Scope{}, "sur/here", ""},
		{Scope{Default: "shop", NamespacedOnly: true}, "-n blog csur/web", Scope{Namespace: "blog", NamespacedOnly: true}, "csur/web", "csur/web is a cluster run, and --namespaced-only excludes cluster runs"},
		{from, "-n", from, "", "flag needs an argument: -n"},
		{from, "here --namespace=", from, "", "flag needs an argument: --namespace"},
		{from, "-x here", from, "", "unknown flag: -x"},
		{from, "-n blog", blog, "", "no run is named"},
	} {
		got, no := tt.scope.ParseLine(tt.line)
		want, _ := tt.as.Parse(tt.arg)
		if no.Why.String() != tt.why || got != want {
			t.Errorf("%+v %q: %+v (%s), want %+v (%s)", tt.scope, tt.line, got, no.Why, want, tt.why)
		}
	}
}

// TestKubectl checks the argument that kubectl get -o name prints; TestRunRef that it selects the
// run.
func TestKubectl(t *testing.T) {
	for _, tt := range []struct {
		scope Scope
		id    engine.ID
		want  string
	}{
		{Scope{Default: "shop"}, clusterRunID("web"), "clusterstagedupdaterun.placement.kubernetes-fleet.io/web"},
		{Scope{Namespace: "shop"}, clusterRunID("web"), "clusterstagedupdaterun.placement.kubernetes-fleet.io/web"},
		{Scope{Namespace: "shop"}, runIn("shop", "web"), "stagedupdaterun.placement.kubernetes-fleet.io/web"},
		{Scope{Default: "shop"}, runIn("shop", "web"), "stagedupdaterun.placement.kubernetes-fleet.io/shop/web"},
		{Scope{}, runIn("csur", "odd"), "stagedupdaterun.placement.kubernetes-fleet.io/csur/odd"},
	} {
		if got := tt.scope.Kubectl(tt.id).String(); got != tt.want {
			t.Errorf("%+v %v: %s, want %s", tt.scope, tt.id, got, tt.want)
		}
	}
}

func TestMalformedRuns(t *testing.T) {
	for _, tt := range []struct {
		scope Scope
		arg   string
		why   string
	}{
		{Scope{}, "", `invalid run ""`},
		{Scope{}, "(x)", "(x) is not a run: parentheses mark a placement without a run"},
		{Scope{}, "(shop/x)", "(shop/x) is not a run: parentheses mark a placement without a run"},
		{Scope{}, "a/", `invalid run "a/"`},
		{Scope{}, "/a", `invalid run "/a"`},
		{Scope{}, "a/b/c", `invalid run "a/b/c"`},
		{Scope{}, "../a", `invalid run "../a"`},
		{Scope{}, "a%2Fb", `invalid run "a%2Fb"`},
		{Scope{}, "csur/shop/web", `invalid run "csur/shop/web"`},
		{Scope{}, "sur/a/b/c", `invalid run "sur/a/b/c"`},
		{Scope{Namespace: "x"}, "a/b", `run "a/b" is not in namespace "x"`},
		{Scope{Namespace: "x"}, "sur/a/b", `run "sur/a/b" is not in namespace "x"`},
		{Scope{NamespacedOnly: true}, "csur/a", "csur/a is a cluster run, and --namespaced-only excludes cluster runs"},
	} {
		if _, no := tt.scope.Parse(tt.arg); no.Why.String() != tt.why || no.Hint.IsZero() {
			t.Errorf("%s: %q (%q), want %q", tt.arg, no.Why, no.Hint, tt.why)
		}
	}
}

func TestRunMatchProblems(t *testing.T) {
	web := []engine.ID{clusterRunID("web"), runIn("shop", "web"), runIn("csur", "web")}
	one := append(setsOf(engine.CoverForbidden, engine.CoverForbidden), engine.RunSet{ID: engine.NewID(engine.KindStagedUpdateRun, "shop", "", ""), State: engine.CoverComplete})
	weu, eus := engine.NewHubName("weu", ""), engine.NewHubName("eus", "")
	for _, tt := range []struct {
		name            string
		ids             []engine.ID
		sets            []engine.RunSet
		scope           Scope
		arg             string
		outcome         MatchOutcome
		why, hint, note string
	}{
		{
			"several", web, setsOf(engine.CoverComplete, engine.CoverComplete),
			Scope{},
			"web", MatchSeveral,
			`run name "web" is ambiguous: 3 runs have it`, "use csur/web or sur/csur/web or shop/web", "",
		},
		{
			"on two hubs",
			[]engine.ID{clusterRunID("web").On(eus), clusterRunID("web").On(weu)},
			setsOf(engine.CoverComplete, engine.CoverComplete),
			Scope{},
			"web", MatchSeveral, `run name "web" is ambiguous: it exists on the hubs eus and weu`, "name one hub with --context", "",
		},
		{
			"in both scopes of two hubs",
			[]engine.ID{clusterRunID("web").On(eus), runIn("shop", "web").On(eus), clusterRunID("web").On(weu), runIn("shop", "web").On(weu)},
			setsOf(engine.CoverComplete, engine.CoverComplete),
			Scope{},
			"web", MatchSeveral, `run name "web" is ambiguous: it exists on the hubs eus and weu`, "name one hub with --context, and use csur/web or shop/web", "",
		},
		{"none", web, setsOf(engine.CoverComplete, engine.CoverComplete), Scope{}, "x", MatchNone, `run "x" not found, neither as a cluster run nor in any namespace`, "list the runs with stagewatch get", ""},
		{"a kind in a namespace, as for kubectl", web, setsOf(engine.CoverComplete, engine.CoverComplete), Scope{Namespace: "shop"}, "sur", MatchNone, `run "sur" not found in namespace "shop"`, "write the kind and the name as sur/NAME; stagewatch get lists all runs", ""},
		{"a kind, as for kubectl", web, setsOf(engine.CoverComplete, engine.CoverComplete), Scope{}, "csur", MatchNone, `run "csur" not found, neither as a cluster run nor in any namespace`, "write the kind and the name as csur/NAME; stagewatch get lists all runs", ""},
		{"a name like another", web, setsOf(engine.CoverComplete, engine.CoverComplete), Scope{}, "wbe", MatchNone, `run "wbe" not found, neither as a cluster run nor in any namespace`, `did you mean "web"? list the runs with stagewatch get`, ""},
		{"like one of another namespace", web, setsOf(engine.CoverComplete, engine.CoverComplete), Scope{}, "blog/wbe", MatchNone, `run "wbe" not found in namespace "blog"`, "list the runs with stagewatch get", ""},
		{"like one of another kind", web[1:], setsOf(engine.CoverComplete, engine.CoverComplete), Scope{}, "csur/wbe", MatchNone, `cluster run "wbe" not found`, "list the runs with stagewatch get", ""},
		{"no cluster run", web, setsOf(engine.CoverComplete, engine.CoverForbidden), Scope{}, "csur/x", MatchNone, `cluster run "x" not found`, "list the runs with stagewatch get", ""},
		{"none in the namespace", web, setsOf(engine.CoverForbidden, engine.CoverComplete), Scope{Namespace: "shop"}, "x", MatchNone, `run "x" not found in namespace "shop"`, "list the runs with stagewatch get", ""},
		{"kind not served", web, setsOf(engine.CoverComplete, engine.CoverNotServed), Scope{}, "x", MatchNone, `run "x" not found, neither as a cluster run nor in any namespace`, "list the runs with stagewatch get", ""},
		{
			"cluster runs forbidden", nil, setsOf(engine.CoverForbidden, engine.CoverComplete),
			Scope{},
			"csur/x", MatchUnlisted,
			`run "x" not found: this user may not list cluster runs`, "ask for the right to list them, or use another context", "",
		},
		{
			"one namespace read, another asked", nil, one,
			Scope{},
			"blog/x", MatchUnlisted,
			`run "x" not found: this user may not list runs in other namespaces`, "ask for the right to list them, or use another context", "",
		},
		{"the namespace that is read", nil, one, Scope{}, "shop/x", MatchNone, `run "x" not found in namespace "shop"`, "list the runs with stagewatch get", ""},
		{
			"found where one may look", web[1:2], one,
			Scope{},
			"web", MatchOne, "", "",
			`"web" may name more runs: this user may not list cluster runs and runs in other namespaces`,
		},
		{
			"not read", nil, setsOf(engine.CoverComplete, engine.CoverFailed),
			Scope{},
			"x", MatchUnlisted,
			`run "x" not found: namespaced runs could not be read`, "run the command again", "",
		},
		{
			"not read yet", web[:1], setsOf(engine.CoverComplete, engine.CoverLoading),
			Scope{},
			"web", MatchOne, "", "",
			`"web" may name more runs: namespaced runs are still being read`,
		},
		{
			"not read on two hubs", web[:1], append(setsOf(engine.CoverFailed, engine.CoverFailed), setsOf(engine.CoverFailed, engine.CoverFailed)...),
			Scope{},
			"web", MatchOne, "", "",
			`"web" may name more runs: cluster runs and namespaced runs could not be read`,
		},
		{
			"outside the session", nil,
			[]engine.RunSet{{ID: engine.NewID(engine.KindStagedUpdateRun, "shop", "", ""), State: engine.CoverComplete}},
			Scope{},
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

// TestPlacementWithoutARun checks that a placement that the list prints in brackets is that one,
// and that a name of several is ambiguous.
func TestPlacementWithoutARun(t *testing.T) {
	row := func(ns, name string) *engine.RunView {
		kind := engine.KindClusterResourcePlacement
		if ns != "" {
			kind = engine.KindResourcePlacement
		}
		id := engine.NewID(kind, ns, name, "u-"+ns+name)
		return &engine.RunView{Word: engine.WordNoRun, ID: id, Placement: id}
	}
	s := &engine.Snapshot{Runs: []*engine.RunView{row("shop", "web"), row("", "web"), row("shop", "pay"), row("blog", "pay"), row("shop", "one")}}
	for _, tt := range []struct {
		scope     Scope
		arg       string
		brackets  bool
		want, why string
	}{
		{Scope{}, "web", true, "web", ""},
		{Scope{}, "shop/web", true, "shop/web", ""},
		{Scope{}, "web", false, "", `placement name "web" is ambiguous: 2 placements without a run have it; use '(shop/web)' or '(web)'`},
		{Scope{}, "pay", true, "", `placement name "pay" is ambiguous: 2 placements without a run have it; use '(shop/pay)' or '(blog/pay)'`},
		{Scope{}, "one", true, "shop/one", ""},
		{Scope{}, "one", false, "shop/one", ""},
		{Scope{Namespace: "blog", Default: "blog"}, "pay", false, "blog/pay", ""},
		{Scope{Namespace: "shop", Default: "shop"}, "web", true, "shop/web", ""},
		{Scope{}, "other", true, "", ""},
	} {
		r, no := tt.scope.Parse(tt.arg)
		if no.Refused() {
			t.Fatal(no.Why)
		}
		got, why := "", ""
		v, no := r.Placement(s, tt.brackets)
		if v != nil {
			got = v.Placement.Title().String()
		}
		if no.Refused() {
			why = no.Why.String() + "; " + no.Hint.String()
		}
		if got != tt.want || why != tt.why {
			t.Errorf("%s, brackets %v: %q %q, want %q %q", tt.arg, tt.brackets, got, why, tt.want, tt.why)
		}
	}
}
