package watch

import (
	"errors"
	"testing"

	"github.com/stagewatch/stagewatch/demo/hub"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/page"
)

// explainRun explains the run of that name and namespace as the user.
func explainRun(t *testing.T, user, ns, name string) (*Explained, error) {
	t.Helper()
	return Explain(t.Context(), Config{REST: shared.Config(user), Namespace: ns}, func(s *engine.Snapshot) (*engine.RunView, error) {
		for _, v := range s.Runs {
			if vns, vname, _ := v.ID.Raw(); vns == ns && vname == name {
				return v, nil
			}
		}
		return nil, errNotPicked
	})
}

var errNotPicked = errors.New("not there")

func TestExplain(t *testing.T) {
	t.Parallel()
	p := somebody(t, shared)
	for _, scope := range []struct{ name, ns string }{{"cluster-scoped", ""}, {"namespaced", "explain-ns"}} {
		t.Run(scope.name, func(t *testing.T) {
			if scope.ns != "" {
				p.namespace(scope.ns)
			}
			p.make(aRun(t, scope.ns, "explain-r1", "explain", "Run", "UpdateRunStuck"))
			p.make(aRun(t, scope.ns, "explain-r2", "explain", "Stop", "UpdateRunStopped"))
			p.make(aBinding(t, scope.ns, "explain", "explain-a", "explain-r1"))
			e, err := explainRun(t, hub.AdminUser, scope.ns, "explain-r1")
			if err != nil {
				t.Fatal(err)
			}
			if e.Detail == nil || e.Detail.Bindings.State != engine.CoverComplete || e.Detail.Run != e.Run {
				t.Fatalf("the run's clusters are not known: %+v", e.Detail)
			}
			f := e.Facts()
			if competing := f.CompetingRuns(); len(competing) != 1 || competing[0].ID.Name() != engine.Lit("explain-r2") {
				t.Errorf("other runs: %v", competing)
			}
			// There is no strategy and no placement of that name.
			if len(e.Plan.Refusals) == 0 {
				t.Errorf("nothing refuses the run: %+v", e.Plan)
			}
			says(t, page.DiagnosisPage(f), "STUCK", "explain-r2", "plan (final)", "parent placement not found")
			s := openSession(t, Config{REST: shared.AdminConfig()})
			until(t, s, "the run", func(s *engine.Snapshot) bool { return s.Complete && s.Find(e.Run.ID) != nil })
			says(t, s.Ask(t.Context(), page.DiagnosisQuestion{Run: e.Run.ID}), "failed checks", "parent placement not found")

			if _, err := explainRun(t, hub.AdminUser, scope.ns, "explain-none"); !errors.Is(err, errNotPicked) {
				t.Errorf("a run that is not there: %v", err)
			}
			if _, err := explainRun(t, hub.StrangerUser, scope.ns, "explain-r1"); !errors.Is(err, ErrForbidden) {
				t.Errorf("a user without rights: %v", err)
			}
		})
	}
}
