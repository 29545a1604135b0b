package watch

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"github.com/stagewatch/stagewatch/engine"
)

// aMember is the API server of a member, with one Deployment in trouble. It
// remembers what it was asked.
type aMember struct {
	mu    sync.Mutex
	asked []string
	// forbids and hangs are what it does instead of an answer.
	forbids, hangs bool
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
		say(code, map[string]any{"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code, "reason": reason, "message": message})
	}
	type o = map[string]any
	switch {
	case m.hangs:
		<-r.Context().Done()
	case m.forbids:
		status(403, "Forbidden", "you may not")
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
	p := somebody(t, shared)
	p.namespace("fleet-member-pods-a")
	p.make(aRun(t, "", "pods-r1", "pods", "Run", "UpdateRunStuck"))
	p.make(aBinding(t, "", "pods", "pods-a", "pods-r1"))
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
	q := engine.Question{
		Kind: engine.QuestionMember, About: engine.NewID(engine.KindClusterResourcePlacement, "", "pods", ""),
		Member: engine.NewID(engine.KindMemberCluster, "", "pods-a", ""),
	}
	for _, tt := range []struct {
		name   string
		member *aMember // nil: no context leads to it
		want   []string
		not    string
		pods   string
	}{
		{"answers", &aMember{}, []string{"the-context", "4 replicas: 1 updated", "web-new", "CrashLoopBackOff", "BackOff", "no database", "The member has no such StatefulSet", "ReplicaSet web-5c9d", "5 replicas: 2 updated, 1 ready", "ReplicaFailure True, FailedCreate: exceeded quota: compute"}, "Pulled", "Deployment shop/web: 1 of 2 pods CrashLoopBackOff, image web:2, 7 restarts"},
		{"forbids", &aMember{forbids: true}, []string{"the-context", "not read", "you may not", "describe daemonsets.apps agent", "choose a context", "one-context"}, "web-new", ""},
		{"hangs", &aMember{hangs: true}, []string{"the-context", "not read"}, "web-new", ""},
		{"no context", nil, []string{"nobody knows one", "--context '<context of pods-a>'", "-n shop get pods", "describe deployments.apps web", "choose a context", "one-context"}, "the-context", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			contexts := &someContexts{t: t}
			if tt.member != nil {
				server := httptest.NewServer(tt.member)
				defer server.Close()
				contexts.url = server.URL
			}
			s := openSession(t, Config{REST: shared.AdminConfig(), Members: contexts})
			until(t, s, "the run", func(s *engine.Snapshot) bool {
				return s.Complete && named(s, engine.KindClusterStagedUpdateRun, "", "pods-r1") != nil
			})
			began := time.Now()
			a := s.Ask(t.Context(), q)
			if !a.Err.IsZero() {
				t.Fatal(a.Err)
			}
			if took := time.Since(began); took > 2*memberDeadline {
				t.Errorf("took %s", took)
			}
			says(t, a, tt.want...)
			if got := words(a); strings.Contains(got, tt.not) || strings.Contains(got, "\x1b") {
				t.Errorf("the page says:\n%s", got)
			}
			if tt.member == nil {
				// Enter on a choice asks the same question with it.
				for _, sec := range a.Sections {
					for _, r := range sec.Rows {
						if r.Page.Kind == engine.QuestionMember {
							says(t, s.Ask(t.Context(), r.Page), "context "+r.Page.Context.String()+" was chosen")
							return
						}
					}
				}
				t.Fatal("nothing can be chosen")
			}
			quiet, before := q, len(tt.member.requests())
			quiet.Quiet = true
			if a := s.Ask(t.Context(), quiet); !a.Pods.IsZero() || len(a.Sections) > 0 || len(tt.member.requests()) > before {
				t.Errorf("asked though nobody had agreed: %v", tt.member.requests()[before:])
			}
			contexts.agreed = true
			if tt.pods != "" {
				if a := s.Ask(t.Context(), quiet); a.Pods.String() != tt.pods || a.PodsContext.String() != "the-context" {
					t.Errorf("pods: %s (%s)", a.Pods, a.PodsContext)
				}
			}
			for _, r := range tt.member.requests() {
				if !strings.HasPrefix(r, "GET ") {
					t.Errorf("the member was asked %s", r)
				}
			}
		})
	}
}

// someContexts knows the way to the member if it has a URL.
type someContexts struct {
	t      *testing.T
	agreed bool
	url    string
}

func (c *someContexts) Agreed(string) bool { return c.agreed }

func (c *someContexts) Names() []engine.Text { return []engine.Text{engine.Lit("one-context")} }

func (c *someContexts) Find(member string, chosen engine.Text) (string, *rest.Config, engine.Text) {
	if member != "pods-a" {
		c.t.Errorf("asked for the context of %q", member)
	}
	switch {
	case !chosen.IsZero():
		return "", nil, engine.Textf("context %s was chosen", chosen)
	case c.url == "":
		return "", nil, engine.Lit("nobody knows one")
	}
	return "the-context", &rest.Config{Host: c.url}, engine.Text{}
}

func TestMembersAreOnlyRead(t *testing.T) {
	m := &aMember{}
	server := httptest.NewServer(m)
	defer server.Close()
	c, err := newMemberClient(&rest.Config{Host: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	for _, r := range []*rest.Request{c.api.Post(), c.api.Put(), c.api.Delete(), c.api.Patch("application/merge-patch+json")} {
		if _, err := answer(r.AbsPath("/api/v1").Namespace("shop").Resource("pods").Do(t.Context())); !errors.Is(err, errMemberReadOnly) {
			t.Errorf("got %v", err)
		}
	}
	if asked := m.requests(); len(asked) > 0 {
		t.Errorf("the member was asked %v", asked)
	}
}
