package watch

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stagewatch/stagewatch/demo/hub"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/page"
)

// A selector is evaluated by the API server, for runs of both scopes, and chooses rows of
// a list that is read whole.
func TestListWithSelectors(t *testing.T) {
	t.Parallel()
	h := emptyHub(t)
	p := somebody(t, h)
	p.namespace("shop")
	for _, r := range []struct{ ns, name, team string }{{"", "web-r1", "web"}, {"", "pay-r1", "pay"}, {"shop", "web-r2", "web"}, {"shop", "cart-r1", "cart"}} {
		run := aRun(t, r.ns, r.name, r.name, "Run", "UpdateRunWaiting")
		run["metadata"].(map[string]any)["labels"] = map[string]any{"team": r.team}
		p.make(run)
	}
	for _, tt := range []struct {
		name string
		x    Selector
		want []string
	}{
		{"no selector", Selector{}, []string{"cart-r1", "pay-r1", "web-r1", "web-r2"}},
		{"a label", Selector{Labels: "team=web"}, []string{"web-r1", "web-r2"}},
		{"a set of labels", Selector{Labels: "team in (pay,cart)"}, []string{"cart-r1", "pay-r1"}},
		{"a field", Selector{Fields: "metadata.name=pay-r1"}, []string{"pay-r1"}},
		{"a namespace", Selector{Fields: "metadata.namespace=shop"}, []string{"cart-r1", "web-r2"}},
		{"not a namespace", Selector{Fields: "metadata.namespace!=shop,metadata.name!=pay-r1"}, []string{"web-r1"}},
		{"both", Selector{Labels: "team=web", Fields: "metadata.name!=web-r1"}, []string{"web-r2"}},
		{"none", Selector{Labels: "team=nobody"}, nil},
	} {
		s, rows, err := List(t.Context(), Config{REST: h.AdminConfig()}, Reading{NamesOnly: true, Select: tt.x})
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		var got []string
		for _, v := range rows {
			got = append(got, v.ID.RawName())
		}
		slices.Sort(got)
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
		if len(s.Runs) != 4 {
			t.Errorf("%s: %d runs were read, want all: states depend on them", tt.name, len(s.Runs))
		}
	}
	_, _, err := List(t.Context(), Config{REST: h.AdminConfig()}, Reading{NamesOnly: true, Select: Selector{Fields: "spec.state=Run"}})
	var why *OnceError
	if !errors.Is(err, ErrSelector) || !errors.As(err, &why) || !strings.Contains(why.Err.String(), "spec.state") || !strings.Contains(why.Hint.String(), "metadata.name") {
		t.Errorf("a field that cannot be selected: %v", err)
	}
}

// TestSessionSelects checks that the API server selects from the runs on the screen, and what is
// answered to a selector that it rejects.
func TestSessionSelects(t *testing.T) {
	p := somebody(t, shared)
	p.namespace("labelled")
	for _, name := range []string{"sel-web", "sel-pay"} {
		for _, ns := range []string{"", "labelled"} {
			run := aRun(t, ns, name, name, "Run", "UpdateRunWaiting")
			run["metadata"].(map[string]any)["labels"] = map[string]any{"Selected": strings.TrimPrefix(name, "sel-")}
			p.make(run)
		}
	}
	s := openSession(t, Config{REST: shared.Config(hub.ViewerUser), Namespace: "labelled"})
	if a := s.Ask(t.Context(), page.SelectQuestion{Labels: engine.Lit("Selected in (")}); !strings.HasPrefix(a.Err.String(), "invalid label selector") || a.Hint.IsZero() {
		t.Errorf("a selector that cannot be parsed: %+v", a)
	}
	until(t, s, "the runs", func(s *engine.Snapshot) bool {
		return live(s) && s.Complete && named(s, engine.KindStagedUpdateRun, "labelled", "sel-web") != nil && named(s, engine.KindClusterStagedUpdateRun, "", "sel-pay") != nil
	})
	q := page.SelectQuestion{Labels: engine.Lit("Selected=web")}
	a := s.Ask(t.Context(), q)
	var got []string
	for id := range a.Selected {
		got = append(got, id.Title().String())
	}
	slices.Sort(got)
	if a.Question != q || !a.Err.IsZero() || !slices.Equal(got, []string{"labelled/sel-web", "sel-web"}) {
		t.Errorf("%v selected: %+v", got, a)
	}
}

// TestCheckSelector refuses what no API server can evaluate before anything is read. A field that
// the definition of a run makes selectable would have to be permitted.
func TestCheckSelector(t *testing.T) {
	for x, want := range map[Selector]string{
		{}: "",
		{Labels: "team=web", Fields: "metadata.name!=web-r1,metadata.namespace=shop"}: "",
		{Labels: "team in"}:                         "invalid label selector",
		{Fields: "metadata.name"}:                   "invalid field selector",
		{Fields: "status.phase=up"}:                 "field label not supported: status.phase",
		{Fields: "metadata.name=a,spec.state!=Run"}: "field label not supported: spec.state",
	} {
		if no := x.Check(); !strings.HasPrefix(no.Why.String(), want) || no.Refused() != (want != "") || no.Hint.IsZero() != (want == "") {
			t.Errorf("%+v: %q, hint %q", x, no.Why, no.Hint)
		}
	}
	names, err := filepath.Glob("../api/crds/*stagedupdateruns.yaml")
	if err != nil || len(names) != 2 {
		t.Fatalf("definitions of runs: %q, %v", names, err)
	}
	for _, name := range names {
		if raw, err := os.ReadFile(name); err != nil || strings.Contains(string(raw), "selectableFields") {
			t.Errorf("%s has selectable fields, or %v", name, err)
		}
	}
}
