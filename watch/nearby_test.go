package watch

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"github.com/stagewatch/stagewatch/demo/hub"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/watch/ask"
	"github.com/stagewatch/stagewatch/watch/client"
)

// A stuck run that is explained names a newer snapshot: snapshots are on no
// stream and are read for this run alone, without their manifests.
func TestExplainReadsWhatIsBesideTheRun(t *testing.T) {
	p := somebody(t, shared)
	run := aRun(t, "", "beside-r1", "beside", "Run", "UpdateRunStuck")
	stage := run["status"].(map[string]any)["stagesStatus"].([]any)[0].(map[string]any)
	stage["clusters"].([]any)[0].(map[string]any)["conditions"] = []any{map[string]any{
		"type": "Started", "status": "True", "reason": "ClusterUpdatingStarted", "message": "m", "observedGeneration": int64(1), "lastTransitionTime": "2026-11-20T10:00:00Z",
	}}
	p.make(run)
	binding := aBinding(t, "", "beside", "a", "beside-r1")
	status := binding["status"].(map[string]any)
	status["conditions"] = append(status["conditions"].([]any), map[string]any{
		"type": "WorkSynchronized", "status": "False", "reason": "SyncWorkFailed", "message": "Failed to synchronize the work to the latest: failed to parse the wrapped manifest", "observedGeneration": int64(1), "lastTransitionTime": "2026-11-20T10:00:00Z",
	})
	p.make(binding)
	p.make(fromYAML(t, `
apiVersion: %s
kind: ClusterResourceSnapshot
metadata:
  name: beside-9-snapshot
  labels: {kubernetes-fleet.io/parent-CRP: beside, kubernetes-fleet.io/resource-index: "9", kubernetes-fleet.io/is-latest-snapshot: "true"}
  annotations: {kubernetes-fleet.io/resource-hash: h, kubernetes-fleet.io/number-of-resource-snapshots: "1"}
spec: {selectedResources: [{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {v: "9"}}]}`, apiVersion))
	e, err := explainRun(t, hub.AdminUser, "", "beside-r1")
	if err != nil {
		t.Fatal(err)
	}
	if steps := engine.Join(e.Run.Why.Steps, "\n").String(); !strings.Contains(steps, "Create a new run (stagewatch clone) with snapshot 9 if it has the fix") {
		t.Errorf("steps: %s", steps)
	}
	if e.Detail == nil || e.Detail.Reading || len(e.Detail.Gaps) > 0 {
		t.Errorf("not read: %+v", e.Detail)
	}
}

// A list without a screen reads what the remedies of every failed run depend on:
// strategies once for a scope, the placement and its snapshots once for all runs
// of it. What may not be read is missing, with the reason.
func TestOnceReadsWhatTheRemediesOfAllRunsDependOn(t *testing.T) {
	notRaced(t)
	t.Parallel()
	h := emptyHub(t)
	p := somebody(t, h)
	const places = 9
	for i := range places {
		for _, n := range []string{"r1", "r2"} {
			place := fmt.Sprintf("remedy-%d", i)
			run := aRun(t, "", place+"-"+n, place, "Run", "UpdateRunWaiting")
			run["status"] = map[string]any{"conditions": []any{map[string]any{
				"type": "Initialized", "status": "False", "reason": "UpdateRunInitializedFailed", "observedGeneration": int64(1), "lastTransitionTime": "2026-01-01T00:00:00Z",
				"message": "failed to validate the clusterStagedUpdateRun, failed to process the request due to a client error: referenced clusterStagedUpdateStrategy not found: `/three-waves`",
			}}}
			run["spec"].(map[string]any)["stagedRolloutStrategyName"] = "three-waves"
			p.cached(p.make(run)) // else the run may come without its status first
		}
	}
	p.make(fromYAML(t, `
apiVersion: %s
kind: ClusterStagedUpdateStrategy
metadata: {name: three-waves}
spec: {stages: [{name: all}]}`, apiVersion))

	var forbid atomic.Bool
	h.SetIntercept(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if forbid.Load() && strings.HasSuffix(r.URL.Path, "strategies") {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(http.StatusForbidden)
				fmt.Fprint(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","message":"no right","code":403}`)
				return
			}
			next.ServeHTTP(w, r)
		})
	})
	var s *engine.Snapshot
	// once reads the rows, and returns what was read beside the runs.
	once := func(how Reading) map[string]int {
		reads := map[string]int{}
		for _, r := range inTime(t, h.AdminConfig(), func(config *rest.Config) (err error) {
			s, err = Once(t.Context(), Config{REST: config}, how)
			return err
		}) {
			if what := lastOf(r); strings.HasPrefix(what, "remedy-") || strings.HasSuffix(what, "snapshots") || strings.HasSuffix(what, "strategies") {
				reads[what+" "+r.URL.Query().Get("labelSelector")]++
			}
		}
		return reads
	}
	read := once(Reading{})
	if len(s.Runs) != 2*places || len(s.Missing) != 0 {
		t.Fatalf("%d runs, missing %v", len(s.Runs), s.Missing)
	}
	for _, v := range s.Runs {
		if steps := engine.Join(v.Why.Steps, "\n").String(); v.Word != engine.WordInitFailed || !strings.Contains(steps, "Strategy three-waves exists now") {
			t.Errorf("%s %s: %s: steps %s", v.ID.Title(), v.Word, v.Why.Cause, steps)
		}
	}
	if len(read) != 1+3*places {
		t.Errorf("reads %v", read)
	}
	for what, n := range read {
		if n != 1 {
			t.Errorf("%s read %d times", what, n)
		}
	}

	forbid.Store(true)
	once(Reading{})
	for _, v := range s.Runs {
		if gaps := s.Missing[v.ID]; len(gaps) != 1 || gaps[0].What != engine.Lit("strategies") || !gaps[0].Forbidden || !strings.HasPrefix(gaps[0].Why.String(), "forbidden: ") {
			t.Errorf("%s: %+v", v.ID.Title(), gaps)
		}
	}

	if read := once(Reading{NamesOnly: true}); len(read) != 0 {
		t.Errorf("names alone: %v", read)
	}
}

// What is beside a placement is read with metadata only, and what may not be
// read is a gap.
func TestNearby(t *testing.T) {
	p := somebody(t, shared)
	p.make(fromYAML(t, `
apiVersion: %s
kind: ClusterResourceSnapshot
metadata:
  name: near-3-snapshot
  labels: {kubernetes-fleet.io/parent-CRP: near, kubernetes-fleet.io/resource-index: "3"}
  annotations: {kubernetes-fleet.io/resource-hash: h}
spec: {selectedResources: [{apiVersion: v1, kind: ConfigMap, metadata: {name: c}}]}`, apiVersion))
	p.namespace("near-shop")
	p.make(fromYAML(t, `
apiVersion: %s
kind: ResourcePlacement
metadata: {name: near, namespace: near-shop}
spec: {resourceSelectors: [{group: "", version: v1, kind: ConfigMap, name: c}], strategy: {type: External}}`, apiVersion))
	place := engine.NewID(engine.KindClusterResourcePlacement, "", "near", "")
	for user, gaps := range map[string]int{hub.AdminUser: 0, hub.StrangerUser: 4} {
		h, err := client.New(engine.HubName{}, shared.Config(user))
		if err != nil {
			t.Fatal(err)
		}
		defer h.Close()
		n := ask.NewReader(h).Nearby(t.Context(), place)
		if len(n.Gaps) != gaps {
			t.Errorf("%s: gaps %+v", user, n.Gaps)
		}
		rows, read := n.Snapshots()
		if elsewhere := len(n.Elsewhere) == 1 && n.Elsewhere[0].Title().String() == "near-shop/near" && n.Elsewhere[0].Kind() == engine.KindResourcePlacement; elsewhere != (gaps == 0) {
			t.Errorf("%s: placements of the name of one that does not exist: %v", user, n.Elsewhere)
		}
		if gaps > 0 {
			if read {
				t.Errorf("%s read %+v", user, rows)
			}
			continue
		}
		if len(rows) != 1 || rows[0].Index != 3 || !rows[0].Whole() || len(n.Resources[0].Spec.SelectedResources) != 0 || n.PlacementRead || n.Strategies == nil {
			t.Errorf("%+v, snapshots %+v", n, rows)
		}
	}
}

// A deletion that a finalizer of another controller holds on a Work has that cause
// in the list and in an explanation. Where the Works may not be read, the member is
// not blamed, and the answer says what is missing.
func TestADeletionThatAForeignFinalizerHolds(t *testing.T) {
	t.Parallel()
	h := emptyHub(t)
	p := somebody(t, h)
	p.namespace("fleet-member-a")
	member := fromYAML(t, `
apiVersion: cluster.kubernetes-fleet.io/v1beta1
kind: MemberCluster
metadata: {name: a}
spec: {identity: {kind: User, name: x}}
status:
  conditions: [{type: Joined, status: "True", reason: MemberClusterJoined, message: m, lastTransitionTime: "2026-03-02T09:00:00Z"}]
  agentStatus: [{type: MemberAgent}]
`)
	agent := member["status"].(map[string]any)["agentStatus"].([]any)[0].(map[string]any)
	agent["lastReceivedHeartbeat"] = time.Now().UTC().Format(time.RFC3339)
	p.make(member)
	run := aRun(t, "", "held-r1", "held", "Run", "UpdateRunProgressing")
	status := run["status"].(map[string]any)
	delete(status, "stagedUpdateStrategySnapshot")
	status["stagesStatus"] = []any{}
	status["deletionStageStatus"] = fromYAML(t, `
stageName: kubernetes-fleet.io/deleteStage
startTime: "2026-11-20T10:00:00Z"
conditions:
- {type: Progressing, status: "True", reason: StageUpdatingStarted, message: m, observedGeneration: 1, lastTransitionTime: "2026-11-20T10:00:00Z"}
clusters:
- clusterName: a
  conditions:
  - {type: Started, status: "True", reason: ClusterUpdatingStarted, message: m, observedGeneration: 1, lastTransitionTime: "2026-11-20T10:00:00Z"}
`)
	p.make(run)
	bound := aBinding(t, "", "held", "a", "held-r1")
	bound["metadata"].(map[string]any)["finalizers"] = []any{"kubernetes-fleet.io/work-cleanup"}
	work := fromYAML(t, `
apiVersion: %s
kind: Work
metadata:
  name: held-work
  namespace: fleet-member-a
  labels: {kubernetes-fleet.io/parent-CRP: held}
  finalizers: [kubernetes-fleet.io/work-cleanup, backup.example/hold]
spec: {workload: {manifests: [{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: shop}}]}}
`, apiVersion)
	for _, o := range []map[string]any{bound, work} {
		p.make(o)
		p.remove(o)
	}
	var forbid atomic.Bool
	h.SetIntercept(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if forbid.Load() && strings.HasSuffix(r.URL.Path, "/works") {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(http.StatusForbidden)
				fmt.Fprint(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","message":"no right","code":403}`)
				return
			}
			next.ServeHTTP(w, r)
		})
	})
	cfg := Config{REST: h.AdminConfig(), Settings: engine.Settings{StuckAfter: time.Millisecond}}
	for _, tt := range []struct {
		forbid bool
		cause  string
		what   string
	}{
		{false, "work-blocked-by-finalizer", `Finalizer "backup.example/hold" on Work fleet-member-a/held-work blocks the deletion from a`},
		{true, "cluster-deletion-not-read", "the Works were not read"},
	} {
		forbid.Store(tt.forbid)
		s, err := Once(t.Context(), cfg, Reading{})
		if err != nil {
			t.Fatal(err)
		}
		e, err := Explain(t.Context(), cfg, func(s *engine.Snapshot) (*engine.RunView, error) { return s.Runs[0], nil })
		if err != nil {
			t.Fatal(err)
		}
		for from, v := range map[string]*engine.RunView{"list": s.Runs[0], "explain": e.Run} {
			if v.Why.Cause.String() != tt.cause || !strings.Contains(v.Why.What.String(), tt.what) {
				t.Errorf("%s: %s: %s", from, v.Why.Cause, v.Why.What)
			}
		}
		if missing := len(s.Missing[s.Runs[0].ID]) > 0; missing != tt.forbid {
			t.Errorf("missing %+v", s.Missing)
		}
		facts := e.Facts()
		gaps := 0
		for _, g := range facts.Gaps() {
			if strings.HasPrefix(g.What.String(), "Works of ") {
				gaps++
			}
		}
		if want := map[bool]int{true: 1}[tt.forbid]; gaps != want {
			t.Errorf("%d gaps, want %d: %+v", gaps, want, facts.Gaps())
		}
	}
}
