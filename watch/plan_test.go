package watch

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"github.com/stagewatch/stagewatch/demo/hub"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/page"
	"github.com/stagewatch/stagewatch/engine/plan"
	"github.com/stagewatch/stagewatch/engine/runref"
	"github.com/stagewatch/stagewatch/watch/ask"
)

// ground prepares what a run of the placement needs: two members of ring a and
// one of ring b, bound to snapshot 0; snapshots 0 and 1; a strategy of stages a
// and b. Names begin with the placement's.
func (p person) ground(ns, place string) {
	p.t.Helper()
	in := func(o map[string]any) map[string]any {
		if ns != "" {
			o["metadata"].(map[string]any)["namespace"] = ns
		} else {
			o["kind"] = "Cluster" + o["kind"].(string)
		}
		return o
	}
	if ns != "" {
		p.namespace(ns)
	}
	for _, m := range []struct{ name, ring string }{{"a1", "a"}, {"a2", "a"}, {"b1", "b"}} {
		name := place + "-" + m.name
		p.make(fromYAML(p.t, `
apiVersion: cluster.kubernetes-fleet.io/v1beta1
kind: MemberCluster
metadata: {name: %s, labels: {%s-ring: %s}}
spec: {identity: {kind: ServiceAccount, name: m, namespace: fleet-system}}
`, name, place, m.ring))
		b := aBinding(p.t, ns, place, name, "before")
		b["spec"].(map[string]any)["resourceSnapshotName"] = place + "-0-snapshot"
		b["spec"].(map[string]any)["applyStrategy"] = map[string]any{"type": "ClientSideApply", "comparisonOption": "PartialComparison", "whenToApply": "Always", "whenToTakeOver": "Always"}
		p.make(b)
	}
	p.make(in(fromYAML(p.t, `
apiVersion: %s
kind: ResourcePlacement
metadata: {name: %s}
spec:
  policy: {placementType: PickAll}
  strategy: {type: External}
  resourceSelectors: [{group: "", version: v1, kind: ConfigMap, name: web}]
`, apiVersion, place)))
	policy := in(fromYAML(p.t, `
apiVersion: %s
kind: SchedulingPolicySnapshot
metadata:
  name: %s-0
  labels: {kubernetes-fleet.io/parent-CRP: %[2]s, kubernetes-fleet.io/is-latest-snapshot: "true", kubernetes-fleet.io/policy-index: "0"}
spec: {policyHash: aGFzaA==}
status:
  observedCRPGeneration: 1
  conditions: [{type: Scheduled, status: "True", reason: r, message: m, observedGeneration: 1, lastTransitionTime: "2026-11-20T10:00:00Z"}]
`, apiVersion, place))
	p.make(policy)
	for i, latest := range []bool{false, true} {
		p.make(in(fromYAML(p.t, `
apiVersion: %s
kind: ResourceSnapshot
metadata:
  name: %s-%d-snapshot
  labels: {kubernetes-fleet.io/parent-CRP: %[2]s, kubernetes-fleet.io/resource-index: "%[3]d", kubernetes-fleet.io/is-latest-snapshot: "%[4]t"}
  annotations: {kubernetes-fleet.io/resource-hash: h%[3]d, kubernetes-fleet.io/number-of-resource-snapshots: "1", kubernetes-fleet.io/number-of-enveloped-object: "0"}
spec: {selectedResources: []}
`, apiVersion, place, i, latest)))
	}
	p.make(in(fromYAML(p.t, `
apiVersion: %s
kind: StagedUpdateStrategy
metadata: {name: %s-s}
spec:
  stages:
  - {name: a, maxConcurrency: 2, labelSelector: {matchLabels: {%[2]s-ring: a}}, afterStageTasks: [{type: Approval}, {type: TimedWait, waitTime: 1m}]}
  - {name: b, labelSelector: {matchLabels: {%[2]s-ring: b}}}
`, apiVersion, place)))
}

// ref is a RUN argument without any flag.
func ref(arg string) runref.Ref {
	r, _ := runref.Scope{}.Parse(arg)
	return r
}

func planOf(t *testing.T, config *rest.Config, q PlanRequest) (plan.Plan, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	return Plan(ctx, Config{REST: config}, q)
}

func mustPlan(t *testing.T, config *rest.Config, q PlanRequest) plan.Plan {
	t.Helper()
	p, err := planOf(t, config, q)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// inShort tells a plan on one line.
func inShort(p plan.Plan) string {
	var b strings.Builder
	for _, s := range p.Stages {
		fmt.Fprintf(&b, "%s:%d", s.Name, s.AtOnce)
		for _, c := range s.Clusters {
			fmt.Fprintf(&b, " %s@%s", c.Name, c.Now)
		}
		fmt.Fprintf(&b, " before %+v after %+v; ", s.Before, s.After)
	}
	fmt.Fprintf(&b, "snapshot %s newest %t made %t; gone %v; refused %v; unknown %v", p.Snapshot.Index, p.Snapshot.Newest, p.Snapshot.Made, p.Deletions, p.Refusals, p.Unknown)
	return b.String()
}

func TestPlanOnAHub(t *testing.T) {
	t.Parallel()
	for _, scope := range []struct{ name, ns, kind, place string }{
		{"cluster", "", "ClusterStagedUpdateRun", "plan-c"},
		{"namespaced", "planning", "StagedUpdateRun", "plan-n"},
	} {
		t.Run(scope.name, func(t *testing.T) {
			p := somebody(t, shared)
			p.ground(scope.ns, scope.place)
			admin := shared.AdminConfig()
			q := PlanRequest{Namespace: scope.ns, Placement: scope.place, Strategy: scope.place + "-s", Snapshot: "1"}
			stages := strings.ReplaceAll("a:2 PLACE-a1@PLACE-0-snapshot PLACE-a2@PLACE-0-snapshot before [] after [{Request:RUN-after-a Wait:0s Until:NEVER Passed:false Sent:false Accepted:} {Request: Wait:1m0s Until:NEVER Passed:false Sent:false Accepted:}]; b:1 PLACE-b1@PLACE-0-snapshot before [] after []; ", "PLACE", scope.place)
			stages = strings.ReplaceAll(stages, "NEVER", time.Time{}.String())

			t.Run("imagined", func(t *testing.T) {
				want := strings.ReplaceAll(stages, "RUN", "") + "snapshot 1 newest false made false; gone []; refused []; unknown []"
				if got := inShort(mustPlan(t, admin, q)); got != want {
					t.Errorf("got  %s\nwant %s", got, want)
				}
			})
			t.Run("refused", func(t *testing.T) {
				q := q
				q.Strategy, q.Snapshot = "none", "7"
				got := mustPlan(t, admin, q)
				want := []string{
					"cannot continue the updateRun: failed to validate the updateRun: failed to process the request due to a client error: referenced updateStrategy not found: `" + scope.ns + "/none`",
					"cannot continue the updateRun: failed to validate the updateRun: failed to process the request due to a client error: no resourceSnapshots with index `7` found for placement `" + scope.ns + "/" + scope.place + "`",
				}
				var texts []string
				for _, r := range got.Refusals {
					texts = append(texts, r.Message.String())
				}
				if strings.Join(texts, "\n") != strings.Join(want, "\n") {
					t.Errorf("got %q\nwant %q", texts, want)
				}
			})
			t.Run("existing, with a competing run", func(t *testing.T) {
				other := aRun(t, scope.ns, scope.place+"-old", scope.place, "Run", "UpdateRunProgressing")
				p.make(other)
				run := aRun(t, scope.ns, scope.place+"-new", scope.place, "Initialize", "")
				delete(run, "status")
				run["spec"].(map[string]any)["stagedRolloutStrategyName"] = scope.place + "-s"
				run["spec"].(map[string]any)["resourceSnapshotIndex"] = "1"
				p.make(run)
				exact := "csur/" + scope.place + "-new"
				if scope.ns != "" {
					exact = scope.ns + "/" + scope.place + "-new"
				}
				for _, arg := range []string{exact, scope.place + "-new"} {
					got := mustPlan(t, admin, PlanRequest{Run: ref(arg)})
					want := strings.ReplaceAll(stages, "RUN", scope.place+"-new") + "snapshot 1 newest false made false; gone []; refused []; unknown []"
					if inShort(got) != want {
						t.Errorf("got  %s\nwant %s", inShort(got), want)
					}
					if got.Run.Kind().String() != scope.kind || got.State != engine.Lit("Initialize") {
						t.Errorf("kind %v, state %v", got.Run.Kind(), got.State)
					}
					if len(got.CompetingRuns) != 1 || got.CompetingRuns[0].Run.Name().String() != scope.place+"-old" {
						t.Errorf("competing runs %v", got.CompetingRuns)
					}
				}
				s := openSession(t, Config{REST: admin})
				place := engine.NewID(engine.KindClusterResourcePlacement, "", scope.place, "")
				if scope.ns != "" {
					place = engine.NewID(engine.KindResourcePlacement, scope.ns, scope.place, "")
				}
				says(t, s.Ask(t.Context(), page.NewRunQuestion{Placement: place, Strategy: engine.Clean(scope.place + "-s")}), "stage 1/2 a", "has snapshot 0", scope.place+"-old")
				found, err := ask.NewReader(s.hub).Run(t.Context(), scope.ns, scope.place+"-new")
				if err != nil {
					t.Fatal(err)
				}
				if in := ask.NewReader(s.hub).Input(t.Context(), found); len(in.Bindings) != 3 || len(in.ResourceSnapshots) != 2 || in.Strategy == nil || in.Placement == nil || len(in.Kinds) == 0 {
					t.Errorf("input %+v", in)
				}
			})
		})
	}
}

// A run without an index takes what the placement selects at that moment, and
// planning one must not store it.
func TestPlanReadsWhatIsSelected(t *testing.T) {
	p := somebody(t, shared)
	p.ground("planned", "plan-sel")
	q := PlanRequest{Namespace: "planned", Placement: "plan-sel", Strategy: "plan-sel-s"}
	admin := shared.AdminConfig()
	if got := mustPlan(t, admin, q); got.Snapshot != (plan.Snapshot{Index: engine.Lit("2"), Newest: true, Made: true}) || len(got.Refusals) > 0 {
		t.Errorf("nothing selected: %s", inShort(got))
	}
	// A list of a hub returns whole objects: changed content makes another
	// snapshot, the same content does not. The hash itself is tested in
	// engine/drive (docs/kubefleet.md#new-snapshot, F).
	p.send(p.c.Post().AbsPath("/api/v1/namespaces/planned/configmaps"), fromYAML(t, `{apiVersion: v1, kind: ConfigMap, metadata: {name: web}, data: {a: b}}`))
	snapshots := "/apis/" + apiVersion + "/namespaces/planned/resourcesnapshots"
	latest := p.send(p.c.Get().AbsPath(snapshots, "plan-sel-1-snapshot"), nil)
	// The hash of an empty selection (docs/kubefleet.md#new-snapshot, F).
	latest["metadata"].(map[string]any)["annotations"].(map[string]any)["kubernetes-fleet.io/resource-hash"] = "83ff749c5d8eb5a0b62d714175bcbaef1409b371fc5a229a002db6fcc1f144e1"
	p.send(p.c.Put().AbsPath(snapshots, "plan-sel-1-snapshot"), latest)
	if got := mustPlan(t, admin, q); !got.Snapshot.Made {
		t.Errorf("one selected: %s", inShort(got))
	}
	p.send(p.c.Delete().AbsPath("/api/v1/namespaces/planned/configmaps/web"), nil)
	if got := mustPlan(t, admin, q); got.Snapshot != (plan.Snapshot{Index: engine.Lit("1"), Newest: true}) {
		t.Errorf("as the latest snapshot: %s", inShort(got))
	}
	if got := p.send(p.c.Get().AbsPath(snapshots), nil)["items"].([]any); len(got) != 2 {
		t.Errorf("there are %d snapshots after planning, were 2", len(got))
	}
}

func TestPlanWithFewRights(t *testing.T) {
	t.Parallel()
	p := somebody(t, shared)
	p.ground("team", "plan-few")
	run := aRun(t, "team", "plan-few-run", "plan-few", "Run", "")
	delete(run, "status")
	run["spec"].(map[string]any)["stagedRolloutStrategyName"] = "plan-few-s"
	p.make(run)
	for _, c := range []struct {
		name, user string
		q          PlanRequest
		unknown    string
		kind       error
	}{
		{name: "viewer", user: hub.ViewerUser, q: PlanRequest{Run: ref("plan-few-run")}},
		{name: "tenant, by name", user: hub.TenantUser, q: PlanRequest{Run: ref("plan-few-run"), Fallback: "team"}, unknown: "member clusters, override snapshots"},
		{name: "tenant, imagined", user: hub.TenantUser, q: PlanRequest{Namespace: "team", Placement: "plan-few", Strategy: "plan-few-s", Snapshot: "1"}, unknown: "member clusters, override snapshots"},
		{name: "tenant, elsewhere", user: hub.TenantUser, q: PlanRequest{Run: ref("plan-few-none")}, kind: ErrForbidden},
		{name: "stranger", user: hub.StrangerUser, q: PlanRequest{Run: ref("team/plan-few-run")}, kind: ErrForbidden},
		{
			name: "stranger, imagined", user: hub.StrangerUser, q: PlanRequest{Placement: "x", Strategy: "y"},
			unknown: "the placement, the strategy, policy snapshots, bindings, member clusters, resource snapshots, override snapshots, other runs",
		},
		{name: "nobody", user: "", q: PlanRequest{Run: ref("x")}, kind: ErrForbidden},
		{name: "no such run", user: hub.ViewerUser, q: PlanRequest{Run: ref("plan-few-none")}, kind: ErrNotFound},
		{name: "no such run in the namespace", user: hub.ViewerUser, q: PlanRequest{Run: ref("team/plan-few-none")}, kind: ErrNotFound},
		{name: "a cluster run of that name", user: hub.ViewerUser, q: PlanRequest{Run: ref("csur/plan-few-run")}, kind: ErrNotFound},
	} {
		t.Run(c.name, func(t *testing.T) {
			config := shared.Config(c.user)
			if c.user == "" {
				config = shared.AdminConfig()
				config.BearerToken = "wrong"
			}
			got, err := planOf(t, config, c.q)
			if !errors.Is(err, c.kind) || (err == nil) != (c.kind == nil) {
				t.Fatalf("got error %v, want %v", err, c.kind)
			}
			var what []string
			for _, u := range got.Unknown {
				if !u.Forbidden {
					t.Errorf("%s is not known, but not forbidden: %s", u.What, u.Why)
				}
				what = append(what, u.What.String())
			}
			if strings.Join(what, ", ") != c.unknown {
				t.Errorf("unknown: %q, want %q", what, c.unknown)
			}
			if c.unknown != "" && len(got.Refusals) > 0 {
				t.Errorf("refused for what was not read: %v", got.Refusals)
			}
		})
	}
}

// The plan of a run knows what the diagnosis of the run knows: the checks alone would let a run
// continue whose approval request is another run's.
func TestPlanOfARunIsDiagnosed(t *testing.T) {
	t.Parallel()
	for _, ns := range []string{"", "plan-diagnosed"} {
		p := somebody(t, shared)
		if ns != "" {
			p.namespace(ns)
		}
		p.make(aRun(t, ns, "plan-foreign", "w", "Run", "UpdateRunWaiting"))
		request := anApproval(t, ns, "plan-foreign", "prod")
		request["spec"].(map[string]any)["parentStageRollout"] = "another"
		p.make(request)
		arg := "csur/plan-foreign"
		if ns != "" {
			arg = ns + "/plan-foreign"
		}
		if got := mustPlan(t, shared.AdminConfig(), PlanRequest{Run: ref(arg)}); got.WillFail.String() != "approval request plan-foreign-before-prod is for another run or stage" {
			t.Errorf("ns %q: will fail: %q, refusals %v", ns, got.WillFail, got.Refusals)
		}
	}
}

func TestPlanOfRunsOfOneName(t *testing.T) {
	p := somebody(t, shared)
	for _, ns := range []string{"plan-x", "plan-y"} {
		p.namespace(ns)
		p.make(aRun(t, ns, "plan-twin", "w", "Run", "UpdateRunProgressing"))
	}
	p.make(aRun(t, "", "plan-twin", "w", "Run", "UpdateRunProgressing"))
	_, err := planOf(t, shared.AdminConfig(), PlanRequest{Run: ref("plan-twin")})
	var e *PlanError
	if !errors.Is(err, ErrAmbiguous) || !errors.As(err, &e) || e.Hint != engine.Lit("use csur/plan-twin or plan-x/plan-twin or plan-y/plan-twin") {
		t.Errorf("got %v", err)
	}
	in := runref.Scope{Namespace: "plan-y"}
	named, _ := in.Parse("plan-twin")
	if got := mustPlan(t, shared.AdminConfig(), PlanRequest{Run: named, Scope: in}); got.Run.Namespace() != engine.Lit("plan-y") {
		t.Errorf("got %v", got.Run.Title())
	}
}

func TestPlanWithoutAHub(t *testing.T) {
	config := shared.AdminConfig()
	config.Host = "https://127.0.0.1:1"
	if _, err := planOf(t, config, PlanRequest{Run: ref("x")}); !errors.Is(err, ErrUnreachable) {
		t.Errorf("got %v", err)
	}
	other := httptest.NewServer(http.NotFoundHandler())
	defer other.Close()
	if _, err := planOf(t, &rest.Config{Host: other.URL}, PlanRequest{Run: ref("x")}); !errors.Is(err, ErrNotServed) {
		t.Errorf("got %v", err)
	}
}
