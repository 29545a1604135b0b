package watch

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/client-go/rest"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/page"
)

// aMember is the API server of a member, with one Deployment in trouble. It
// remembers what it was asked.
type aMember struct {
	behavior
	// written are the lines that a log which is followed gets; it ends when that is closed.
	written chan string
	mu      sync.Mutex
	asked   []string
}

// behavior is how the API server of a member answers.
type behavior struct {
	// forbids, hangs and denies are what it does instead of an answer.
	forbids, hangs, denies bool
	// applied and agent are the namespace of its AppliedWork and the name that
	// its agent has for it; empty ones are forbidden.
	applied, agent string
	// hub is set when it is a hub that serves no AppliedWorks, bare when it serves neither.
	hub, bare bool
}

func (m *aMember) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m.mu.Lock()
	m.asked = append(m.asked, r.Method+" "+r.URL.Path)
	m.mu.Unlock()
	say := func(code int, o any) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		if err := json.NewEncoder(w).Encode(o); err != nil {
			return // the client has gone away
		}
	}
	status := func(code int, reason, message string) {
		say(code, map[string]any{"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code, "reason": reason, "message": message, "details": map[string]any{"name": path.Base(r.URL.Path)}})
	}
	type o = map[string]any
	switch {
	case m.hangs:
		<-r.Context().Done()
	case m.denies:
		status(401, "Unauthorized", "who are you")
	case m.forbids:
		status(403, "Forbidden", "you may not")
	case r.URL.Path == "/apis/placement.kubernetes-fleet.io/v1beta1/appliedworks" && m.applied != "":
		say(200, o{"items": []any{o{"spec": o{"workName": "pods-work", "workNamespace": m.applied}}}})
	case r.URL.Path == "/apis/apps/v1/namespaces/fleet-system/deployments" && m.agent != "":
		env := []any{o{"name": "MEMBER_CLUSTER_NAME", "value": m.agent}, o{"name": "HUB_SERVER_URL", "value": "https://another.address"}}
		container := o{"name": "member-agent", "env": env}
		say(200, o{"items": []any{o{}, o{"spec": o{"template": o{"spec": o{"containers": []any{o{}, container}}}}}}})
	case strings.HasSuffix(r.URL.Path, "/appliedworks") && (m.hub || m.bare):
		http.NotFound(w, r)
	case r.URL.Path == "/apis/cluster.kubernetes-fleet.io" && m.hub:
		say(200, o{"kind": "APIGroup", "name": "cluster.kubernetes-fleet.io"})
	case strings.HasSuffix(r.URL.Path, "/appliedworks"), strings.HasSuffix(r.URL.Path, "/fleet-system/deployments"):
		status(403, "Forbidden", "you may not read the proof")
	case r.URL.Path == "/apis/apps/v1/namespaces/shop/deployments/web":
		say(200, o{"spec": o{"selector": o{"matchLabels": o{"app": "web"}}}, "status": o{"replicas": 4, "updatedReplicas": 1, "readyReplicas": 3, "availableReplicas": 3}})
	case r.URL.Path == "/apis/apps/v1/namespaces/shop/daemonsets/agent":
		say(200, o{"spec": o{"selector": o{"matchLabels": o{"app": "agent"}}}, "status": o{
			"desiredNumberScheduled": 5, "updatedNumberScheduled": 2, "numberReady": 1, "numberAvailable": 1,
			"conditions": []any{o{"type": "ReplicaFailure", "status": "True", "reason": "FailedCreate", "message": "exceeded quota: compute"}, o{"type": "Available", "status": "True"}},
		}})
	case r.URL.Path == "/api/v1/namespaces/shop/pods" && r.URL.Query().Get("labelSelector") == "app=agent":
		say(200, o{"items": []any{}})
	case r.URL.Path == "/api/v1/namespaces/shop/pods" && r.URL.Query().Get("labelSelector") == "app=web":
		pod := func(name string, ready bool, state o) o {
			truth := "False"
			if ready {
				truth = "True"
			}
			return o{"metadata": o{"name": name}, "spec": o{"nodeName": "n1"}, "status": o{
				"phase": "Running", "conditions": []any{o{"type": "Ready", "status": truth}},
				"containerStatuses": []any{o{"name": "web", "image": "web:2", "restartCount": 7, "ready": ready, "state": state}},
			}}
		}
		say(200, o{"items": []any{
			pod("web-old", true, o{"running": o{}}),
			pod("web-new", false, o{"waiting": o{"reason": "CrashLoopBackOff", "message": "back-off \x1b]0;owned\x07"}}),
		}})
	case r.URL.Path == "/api/v1/namespaces/shop/events":
		say(200, o{"items": []any{
			o{"type": "Warning", "reason": "BackOff", "message": "restarting", "count": 9, "lastTimestamp": "2026-11-21T04:00:00Z", "involvedObject": o{"kind": "Pod", "name": "web-new"}},
			o{"type": "Warning", "reason": "FailedCreate", "message": "no room", "involvedObject": o{"kind": "ReplicaSet", "name": "web-5c9d"}},
			o{"type": "Normal", "reason": "Pulled", "involvedObject": o{"kind": "Pod", "name": "another"}},
		}})
	case r.URL.Path == "/api/v1/namespaces/shop/pods/web-new":
		ended := o{"terminated": o{"reason": "OOMKilled", "exitCode": 137, "finishedAt": "2026-11-21T04:00:00Z"}}
		say(200, o{"metadata": o{"name": "web-new"}, "status": o{
			"phase": "Running", "initContainerStatuses": []any{o{"name": "migrate", "ready": false, "state": o{"terminated": o{"reason": "Completed", "exitCode": 0}}}},
			"containerStatuses": []any{
				o{"name": "proxy", "ready": true, "state": o{"running": o{"startedAt": "2026-11-21T04:00:00Z"}}},
				o{"name": "web", "image": "web:2", "restartCount": 7, "state": o{"waiting": o{"reason": "CrashLoopBackOff"}}, "lastState": ended},
			},
		}})
	case r.URL.Path == "/api/v1/namespaces/shop/pods/web-new/log" && r.URL.RawQuery == "container=web&follow=true&sinceSeconds=90&tailLines=5":
		w.Header().Set("Content-Type", "text/plain")
		for line := range m.written {
			if _, err := w.Write([]byte(line)); err != nil || http.NewResponseController(w).Flush() != nil {
				return
			}
		}
	case r.URL.Path == "/api/v1/namespaces/shop/pods/web-new/log" && r.URL.Query().Get("tailLines") == "1000":
		w.Header().Set("Content-Type", "text/plain")
		if _, err := fmt.Fprintf(w, "log of %s, previous %q\n", r.URL.Query().Get("container"), r.URL.Query().Get("previous")); err != nil {
			return
		}
	case r.URL.Path == "/api/v1/namespaces/shop/pods/web-new/log":
		w.Header().Set("Content-Type", "text/plain")
		if _, err := w.Write([]byte("panic: \x1b[31mno database\nexit\n")); err != nil {
			return
		}
	default:
		status(404, "NotFound", "not found")
	}
}

func (m *aMember) requests() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]string(nil), m.asked...)
}

func TestMemberPage(t *testing.T) {
	t.Parallel()
	h := ownHub(t) // of few runs: each case opens sessions on it
	p := somebody(t, h)
	p.namespace("fleet-member-pods-a")
	p.make(fromYAML(t, `
apiVersion: %s
kind: ClusterStagedUpdateRun
metadata: {name: pods-r1}
spec: {placementName: pods, stagedRolloutStrategyName: s, state: Run}
status:
  resourceSnapshotIndexUsed: "1"
  stagedUpdateStrategySnapshot:
    stages: [{name: prod, maxConcurrency: 1}]
  stagesStatus:
  - stageName: prod
    clusters:
    - clusterName: pods-a
      conditions:
      - {type: Started, status: "True", reason: ClusterUpdatingStarted, message: m, observedGeneration: 1, lastTransitionTime: "2026-11-20T10:00:00Z"}
    conditions:
    - {type: Progressing, status: "True", reason: StageUpdatingStarted, message: m, observedGeneration: 1, lastTransitionTime: "2026-11-20T10:00:00Z"}
  conditions:
  - {type: Initialized, status: "True", reason: UpdateRunInitializedSuccessfully, message: m, observedGeneration: 1, lastTransitionTime: "2026-11-20T10:00:00Z"}
  - {type: Progressing, status: "False", reason: UpdateRunStuck, message: m, observedGeneration: 1, lastTransitionTime: "2026-11-20T10:05:00Z"}
`, apiVersion))
	binding := aBinding(t, "", "pods", "pods-a", "pods-r1")
	status := fromYAML(t, `
conditions:
- {type: Available, status: "False", reason: NotAllWorkAreAvailable, message: m, observedGeneration: 1, lastTransitionTime: "2026-11-20T10:00:00Z"}
failedPlacements:
- version: v1
  group: apps
  kind: Deployment
  name: web
  namespace: shop
  condition: {type: Available, status: "False", reason: ManifestNotAvailableYet, message: m, lastTransitionTime: "2026-11-20T10:00:00Z"}
`)
	of := binding["status"].(map[string]any)
	of["conditions"] = append(of["conditions"].([]any), status["conditions"].([]any)...)
	of["failedPlacements"] = status["failedPlacements"]
	p.make(binding)
	p.make(fromYAML(t, `
apiVersion: %s
kind: Work
metadata:
  name: pods-work
  namespace: fleet-member-pods-a
  labels: {kubernetes-fleet.io/parent-CRP: pods}
spec:
  workload:
    manifests:
    - {apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: shop}}
    - {apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: shop}}
    - {apiVersion: apps/v1, kind: StatefulSet, metadata: {name: gone, namespace: shop}}
    - {apiVersion: apps/v1, kind: DaemonSet, metadata: {name: agent, namespace: shop}}
`, apiVersion))
	q := page.MemberQuestion{
		Placement: engine.NewID(engine.KindClusterResourcePlacement, "", "pods", ""),
		Member:    engine.NewID(engine.KindMemberCluster, "", "pods-a", ""),
	}
	q.Run = engine.NewID(engine.KindClusterStagedUpdateRun, "", "pods-r1", "")
	const namespace = "fleet-member-pods-a"
	says4 := []string{"the-context", "4 replicas: 1 updated", "web-new", "CrashLoopBackOff", "BackOff", "no database", "The member has no such StatefulSet", "ReplicaSet web-5c9d", "5 replicas: 2 updated, 1 ready", "ReplicaFailure True, FailedCreate: exceeded quota: compute"}
	for _, tt := range []struct {
		name   string
		member *behavior // nil: no context leads to it
		want   []string
		not    string
		// works means that the context is remembered when it is chosen, proven
		// that it is read without being asked for.
		works, proven bool
	}{
		{"right", &behavior{applied: namespace}, append(says4, "verified: its AppliedWork pods-work is of Work fleet-member-pods-a/pods-work"), "not verified", true, true},
		{"right by the agent too", &behavior{applied: namespace, agent: "pods-a"}, append(says4, "verified: its AppliedWork"), "not verified", true, true},
		{"no proof", &behavior{}, append(says4, "not verified: member agent: you may not read the proof; AppliedWorks: you may not read the proof", "Deployment shop/web (not verified)"), "Pulled", true, false},
		{"a hub with another address", &behavior{agent: "pods-a"}, append(says4, "not verified: its member agent is configured for the hub URL https://another.address"), "Pulled", true, false},
		{"wrong", &behavior{applied: "fleet-member-pods-b"}, []string{"context the-context is of member pods-b, not of pods-a: its AppliedWorks are of Works in fleet-member-pods-b", "contexts", "one-context"}, "web-new", false, false},
		{"wrong by the agent", &behavior{applied: namespace, agent: "pods-b"}, []string{"context the-context is of member pods-b, not of pods-a: its member agent has MEMBER_CLUSTER_NAME pods-b"}, "web-new", false, false},
		{"a hub", &behavior{hub: true}, []string{"context the-context is not of member pods-a: it is a hub, and serves no AppliedWorks: no member agent is installed there", "contexts", "one-context"}, "web-new", false, false},
		{"without the CRD of AppliedWorks", &behavior{bare: true}, append(says4, "not verified: member agent: you may not read the proof; it serves no AppliedWorks"), "Pulled", true, false},
		{"forbids", &behavior{forbids: true}, []string{"the-context", "not verified", "not read", "you may not", "describe daemonsets.apps agent", "contexts", "one-context"}, "web-new", false, false},
		{"denies", &behavior{denies: true}, []string{"the-context", "not verified", "not read", "who are you", "to log in again, go back and query the member (stagewatch member)"}, "web-new", false, false},
		{"hangs", &behavior{hangs: true}, []string{"the-context", "not verified: member agent: no answer in time", "not read"}, "web-new", false, false},
		{"no context", nil, []string{"no context has the name", "--context '<context of pods-a>'", "-n shop get pods", "describe deployments.apps web", "contexts", "one-context"}, "the-context", false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			t.Run("asked for", func(t *testing.T) {
				t.Parallel()
				contexts, member := &someContexts{t: t}, &aMember{}
				if tt.member != nil {
					member.behavior = *tt.member
					server := httptest.NewServer(member)
					defer server.Close()
					contexts.url = server.URL
				}
				s := openSession(t, Config{REST: h.AdminConfig(), Members: contexts, QueryMembers: true})
				run := named(until(t, s, "the run", func(s *engine.Snapshot) bool {
					return s.Complete && named(s, engine.KindClusterStagedUpdateRun, "", "pods-r1") != nil
				}), engine.KindClusterStagedUpdateRun, "", "pods-r1").ID
				// The run is open, as it is when a person asks its member: its bindings are read
				// however many other runs are in trouble.
				s.Want(engine.Focus{Run: run})
				q := q
				q.Run = run
				began := time.Now()
				a := s.Ask(t.Context(), q)
				if !a.Err.IsZero() {
					t.Fatal(a.Err)
				}
				if took := time.Since(began); took > 8*time.Second {
					t.Errorf("took %s", took)
				}
				says(t, a, tt.want...)
				if a.LoginFailed != (tt.member != nil && tt.member.denies) {
					t.Errorf("login failed: %v", a.LoginFailed)
				}
				if got := words(a); strings.Contains(got, tt.not) || strings.Contains(got, "\x1b") {
					t.Errorf("the page says:\n%s", got)
				}
				if contexts.remembered != "" {
					t.Errorf("remembers %s, which nobody chose", contexts.remembered)
				}
				if tt.member == nil {
					return
				}
				pod := page.PodQuestion{On: q, Pod: engine.Lit("web-new")} // in a namespace of the workloads
				if tt.works {
					says(t, s.Ask(t.Context(), pod), "shop/web-new", "migrate (init)", "CrashLoopBackOff", "OOMKilled, exit code 137", "exec --stdin --tty web-new -c proxy -- sh")
					says(t, s.Ask(t.Context(), page.PodLogQuestion{Of: pod}), `log of web, previous ""`)
					says(t, s.Ask(t.Context(), page.PodLogQuestion{Of: pod, Container: engine.Lit("proxy"), Previous: true}), `log of proxy, previous "true"`)
					unattended := pod
					unattended.Unattended = true
					if a := s.Ask(t.Context(), unattended); strings.Contains(words(a), "migrate (init)") != tt.proven {
						t.Errorf("without a person:\n%s", words(a))
					}
					follows(t, s, member, page.PodLogQuestion{Of: pod})
					follows(t, s, member, q) // the pod in trouble
					pod.Pod = engine.Lit("no-such-pod")
					none := s.Ask(t.Context(), page.PodLogQuestion{Of: pod})
					says(t, none, "it has no pod no-such-pod")
					if strings.Contains(none.Unread.String(), "was not read") {
						t.Errorf("a pod that does not exist: %s", none.Unread)
					}
				} else if a := s.Ask(t.Context(), page.PodLogQuestion{Of: pod}); strings.Contains(words(a), "log of web") || a.LoginFailed != tt.member.denies {
					t.Errorf("login failed %v, the log says:\n%s", a.LoginFailed, words(a))
				}
				// What was read reaches the diagnosis through the feed.
				until(t, s, "the member in the diagnosis", func(s *engine.Snapshot) bool {
					v := s.Find(run)
					r := v.Why.Read
					return r.Context == engine.Lit("the-context") && r.Why.IsZero() == tt.works && (r.Identity.Verdict == engine.Verified) == tt.proven &&
						strings.Contains(v.Why.What.String(), "1 of 2 pods CrashLoopBackOff") == tt.works
				})
				before := len(member.requests())
				says(t, s.Ask(t.Context(), q), tt.want...)
				for _, r := range member.requests()[before:] {
					if strings.HasSuffix(r, "/appliedworks") {
						t.Error("reads the proof again at once")
					}
				}

				// Only a context that works is remembered.
				chosen := q
				chosen.Context = engine.Lit("the-context")
				s.Ask(t.Context(), chosen)
				if (contexts.remembered != "") != tt.works {
					t.Errorf("remembered %q", contexts.remembered)
				}
				// Forgetting it takes back what came through it.
				forgets := "No context is remembered for pods-a."
				if tt.works {
					forgets = "Forgot context the-context, which was chosen for pods-a."
				}
				if a := s.Ask(t.Context(), page.ForgetContextQuestion{Member: q.Member}); contexts.remembered != "" || !slices.Equal(a.Lines, []engine.Text{engine.Clean(forgets)}) {
					t.Errorf("does not forget: %q", a.Lines)
				}
				if tt.works {
					until(t, s, "the diagnosis without the member", func(s *engine.Snapshot) bool {
						v := s.Find(run)
						return v.Why.Read == engine.MemberRead{} && !strings.Contains(v.Why.What.String(), "CrashLoopBackOff")
					})
				}
				for _, r := range member.requests() {
					if !strings.HasPrefix(r, "GET ") {
						t.Errorf("the member was asked %s", r)
					}
				}
			})
			t.Run("not asked for", func(t *testing.T) {
				t.Parallel()
				if tt.member == nil {
					return
				}
				member := &aMember{behavior: *tt.member}
				server := httptest.NewServer(member)
				defer server.Close()
				for _, x := range []struct {
					query, agreed bool
					reads         bool // the workloads
				}{{false, true, false}, {true, false, tt.proven}, {true, true, tt.works}} {
					s := openSession(t, Config{REST: h.AdminConfig(), Members: &someContexts{t: t, url: server.URL, agreed: x.agreed}, QueryMembers: x.query})
					before := len(member.requests())
					s.Ask(t.Context(), page.PodsQuestion{Placement: q.Placement, Member: q.Member, Run: q.Run})
					requests := member.requests()[before:]
					if !x.query && len(requests) > 0 {
						t.Errorf("off, and yet %v", requests)
					}
					read := strings.Contains(strings.Join(requests, " "), "/pods")
					if read != x.reads {
						t.Errorf("query %v, agreed %v: %v", x.query, x.agreed, requests)
					}
				}
				// An automatic query executes only a credential plugin that asks nobody.
				ran := filepath.Join(t.TempDir(), "ran")
				for _, mode := range []clientcmdapi.ExecInteractiveMode{clientcmdapi.IfAvailableExecInteractiveMode, clientcmdapi.NeverExecInteractiveMode} {
					login := credentialPlugin(t, "touch "+ran+"\n"+credential("token")).ExecProvider
					login.InteractiveMode = mode
					s := openSession(t, Config{REST: h.AdminConfig(), Members: &someContexts{t: t, url: server.URL, agreed: true, login: login}, QueryMembers: true})
					before := len(member.requests())
					s.Ask(t.Context(), page.PodsQuestion{Placement: q.Placement, Member: q.Member, Run: q.Run})
					_, err := os.Stat(ran)
					read := len(member.requests()) > before
					if want := mode == clientcmdapi.NeverExecInteractiveMode; (err == nil) != want || read != want {
						t.Errorf("%s: credential plugin ran %v, member read %v", mode, err == nil, read)
					}
				}
			})
		})
	}
}

// someContexts knows the way to the member if it has a URL.
type someContexts struct {
	t          *testing.T
	agreed     bool
	url        string
	remembered string
	login      *clientcmdapi.ExecConfig
}

func (c *someContexts) Names(string) []engine.Text { return []engine.Text{engine.Lit("one-context")} }

func (c *someContexts) Remember(_, context string) error {
	c.remembered = context
	return nil
}

func (c *someContexts) Forget(string) (string, error) {
	forgotten := c.remembered
	c.remembered = ""
	return forgotten, nil
}

func (c *someContexts) Find(name string, _ engine.Text) (MemberContext, engine.Text) {
	if name != "pods-a" {
		c.t.Errorf("asked for the context of %q", name)
	}
	if c.url == "" {
		return MemberContext{}, engine.Lit("no context has the name")
	}
	return MemberContext{Name: "the-context", Config: &rest.Config{Host: c.url, ExecProvider: c.login}, Agreed: c.agreed}, engine.Text{}
}
