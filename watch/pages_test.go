package watch

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/stagewatch/stagewatch/demo/hub"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/page"
)

// words joins all that a page says.
func words(a page.Answer) string {
	parts := []engine.Text{a.Err, a.Hint}
	for _, s := range a.Sections {
		parts = append(parts, s.Heading(), s.Note)
		for _, r := range s.Rows {
			for _, c := range r.Cells {
				parts = append(parts, c.Text)
			}
			parts = append(parts, r.Note)
		}
	}
	return engine.Join(parts, "\n").String()
}

func says(t *testing.T, a page.Answer, all ...string) {
	t.Helper()
	got := words(a)
	for _, want := range all {
		if !strings.Contains(got, want) {
			t.Errorf("the page lacks %q:\n%s", want, got)
		}
	}
}

// aSnapshot is a resource snapshot with a Secret in it.
func aSnapshot(t *testing.T, ns, place string, index int, latest bool, password string) map[string]any {
	kind := "ClusterResourceSnapshot"
	if ns != "" {
		kind = "ResourceSnapshot"
	}
	o := fromYAML(t, `
apiVersion: %s
kind: %s
metadata:
  name: %s-%d-snapshot
  labels: {kubernetes-fleet.io/parent-CRP: %[3]s, kubernetes-fleet.io/resource-index: "%[4]d", kubernetes-fleet.io/is-latest-snapshot: "%[5]t"}
  annotations: {kubernetes-fleet.io/resource-hash: h%[4]d}
spec:
  selectedResources:
  - {apiVersion: v1, kind: Secret, metadata: {name: token, namespace: shop}, data: {password: %[6]s}}
`, apiVersion, kind, place, index, latest, password)
	if ns != "" {
		o["metadata"].(map[string]any)["namespace"] = ns
	}
	return o
}

func TestAskPages(t *testing.T) {
	p := somebody(t, shared)
	p.namespace("fleet-member-pages-a")
	p.make(fromYAML(t, `
apiVersion: cluster.kubernetes-fleet.io/v1beta1
kind: MemberCluster
metadata: {name: pages-a}
spec: {identity: {kind: User, name: agent}, taints: [{key: slow, effect: NoSchedule}]}
`))
	for _, scope := range []struct{ name, ns string }{{"cluster-scoped", ""}, {"namespaced", "pages-ns"}} {
		t.Run(scope.name, func(t *testing.T) {
			p := somebody(t, shared)
			kind, place := engine.KindClusterStagedUpdateRun, engine.KindClusterResourcePlacement
			placeKind, workLabel := "ClusterResourcePlacement", ""
			if scope.ns != "" {
				p.namespace(scope.ns)
				kind, place, placeKind = engine.KindStagedUpdateRun, engine.KindResourcePlacement, "ResourcePlacement"
				workLabel = ", kubernetes-fleet.io/parent-placement-namespace: " + scope.ns
			}
			o := fromYAML(t, `
apiVersion: %s
kind: %s
metadata: {name: pages}
spec: {strategy: {type: External}, resourceSelectors: [{group: "", version: v1, kind: ConfigMap, name: c}]}
`, apiVersion, placeKind)
			if scope.ns != "" {
				o["metadata"].(map[string]any)["namespace"] = scope.ns
			}
			p.make(o)
			p.make(aRun(t, scope.ns, "pages-r1", "pages", "Run", "UpdateRunWaiting"))
			p.make(aBinding(t, scope.ns, "pages", "pages-a", "pages-r1"))
			p.make(aSnapshot(t, scope.ns, "pages", 0, false, "aHVudGVyMg=="))
			p.make(aSnapshot(t, scope.ns, "pages", 1, true, "c3dvcmRmaXNo"))
			p.make(fromYAML(t, `
apiVersion: %s
kind: Work
metadata:
  name: work-%s
  namespace: fleet-member-pages-a
  labels: {kubernetes-fleet.io/parent-CRP: pages, kubernetes-fleet.io/parent-resource-snapshot-index: "1"%s}
`, apiVersion, scope.name, workLabel))

			s := openSession(t, Config{REST: shared.AdminConfig()})
			snap := until(t, s, "the run", func(s *engine.Snapshot) bool { return s.Complete && named(s, kind, scope.ns, "pages-r1") != nil })
			run := named(snap, kind, scope.ns, "pages-r1").ID
			about := run.Beside(place, scope.ns, "pages", "")
			ask := func(q page.Question) page.Answer {
				t.Helper()
				a := s.Ask(t.Context(), q)
				if a.Question != q || !a.Err.IsZero() || a.At.IsZero() {
					t.Fatalf("answer to %v: %v %v", a.Question, a.Err, a.Hint)
				}
				for _, secret := range []string{"aHVudGVyMg", "c3dvcmRmaXNo", "hunter2", "swordfish"} {
					if strings.Contains(words(a), secret) {
						t.Errorf("the page shows a secret:\n%s", words(a))
					}
				}
				return a
			}
			member := engine.NewID(engine.KindMemberCluster, "", "pages-a", "")
			a := ask(page.ClusterQuestion{Placement: about, Run: run, Member: member})
			says(t, a, "pages-r1", "RolloutStarted", "work-"+scope.name, "slow:NoSchedule")
			if a.Object.IsZero() || s.Ask(t.Context(), page.YAMLQuestion{Object: a.Object}).Lines == nil {
				t.Errorf("no YAML of the binding %v", a.Object.Title())
			}
			gone := ask(page.ClusterQuestion{Placement: about, Member: engine.NewID(engine.KindMemberCluster, "", "nowhere", "")})
			says(t, gone, "has no binding", "not a member")
			says(t, ask(page.OwnersQuestion{Placement: about, Run: run}), "pages-a", "pages-r1: 1")
			says(t, ask(page.PlacementQuestion{Placement: about}), "External", "snapshot 1 on 1 cluster", "latest", "pages-r1")
			says(t, ask(page.ApprovalsQuestion{}), "pages-r1")
			says(t, ask(page.DiagnosisQuestion{Run: run}), "pages-r1", "the run is not open")
			says(t, ask(page.EventsQuestion{Object: run}), "write no events for runs", "the hub deletes older events")
			says(t, ask(page.TimelineQuestion{Run: run}), "run created", "UpdateRunWaiting")
			says(t, ask(page.SnapshotsQuestion{Placement: about, From: 0, To: 1}), "password:", "masked: 7 bytes", "masked: 9 bytes")
		})
	}
}

func TestPagesOfUsersWithFewRights(t *testing.T) {
	s := openSession(t, Config{REST: shared.Config(hub.TenantUser), FallbackNamespace: "team"})
	about := engine.NewID(engine.KindClusterResourcePlacement, "", "few", "")
	member := engine.NewID(engine.KindMemberCluster, "", "few", "")
	for _, q := range []page.Question{
		page.ClusterQuestion{Placement: about, Member: member},
		page.OwnersQuestion{Placement: about},
		page.PlacementQuestion{Placement: about},
	} {
		a := s.Ask(t.Context(), q)
		if !a.Err.IsZero() {
			t.Errorf("%T: %v", q, a.Err)
		}
		says(t, a, "forbidden")
	}
}

// TestAPageWithoutRunsReadsNone checks that a page that depends on no run is read without them,
// and that a cluster that is no hub is still rejected.
func TestAPageWithoutRunsReadsNone(t *testing.T) {
	p := somebody(t, shared)
	p.make(aBinding(t, "", "counted", "counted-a", "counted-r1"))
	cfg := shared.AdminConfig()
	cfg.UserAgent = t.Name()
	var others atomic.Int32
	onWay(t, t.Name(), func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasPrefix(r.URL.Path, "/apis/placement.kubernetes-fleet.io/v1beta1/") && !strings.HasSuffix(r.URL.Path, "bindings") {
				others.Add(1)
			}
			next.ServeHTTP(w, r)
		})
	})
	owners := func(*engine.RunView, *engine.Detail) (page.Question, error) { return page.AllOwnersQuestion{}, nil }
	_, a, err := Page(t.Context(), Config{REST: cfg}, Reading{NoRuns: true}, nil, owners)
	if err != nil {
		t.Fatal(err)
	}
	says(t, a, "counted")
	if n := others.Load(); n != 0 {
		t.Errorf("%d requests for what is no binding", n)
	}
	none := httptest.NewServer(http.NotFoundHandler())
	defer none.Close()
	if _, _, err := Page(t.Context(), Config{REST: &rest.Config{Host: none.URL}}, Reading{NoRuns: true}, nil, owners); !errors.Is(err, ErrNotServed) {
		t.Errorf("a cluster that is no hub: %v", err)
	}
}
