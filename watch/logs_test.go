package watch

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/page"
)

func TestLogs(t *testing.T) {
	q := page.LogsQuestion{Run: engine.NewID(engine.KindClusterStagedUpdateRun, "", "logs-r1", "u")}
	ask := func(t *testing.T, config *rest.Config) page.Answer {
		t.Helper()
		return openSession(t, Config{REST: config, Context: "hub"}).Ask(t.Context(), q)
	}
	t.Run("a hub without pods", func(t *testing.T) {
		says(t, ask(t, shared.AdminConfig()), "this hub serves no pods", "fleet-hub-agent", "--context hub -n fleet-system logs")
	})
	serve := func(t *testing.T, pods string, code int, log string) *rest.Config {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, status := pods, code
			if r.URL.Path == "/api/v1/namespaces/fleet-system/pods/agent-1/log" && r.URL.Query().Get("container") == "hub-agent" {
				w.Header().Set("Content-Type", "text/plain")
				body, status = log, http.StatusOK
			} else {
				w.Header().Set("Content-Type", "application/json")
			}
			w.WriteHeader(status)
			if _, err := w.Write([]byte(body)); err != nil {
				t.Error(err)
			}
		}))
		t.Cleanup(server.Close)
		return &rest.Config{Host: server.URL}
	}
	t.Run("lines of the run", func(t *testing.T) {
		a := ask(t, serve(t, `{"items":[{"metadata":{"name":"agent-1"}}]}`, 200,
			"I0820 10:00:00.000000 1 c.go:1] \"Started\" updateRun=\"/logs-r1\"\nI0820 10:00:01.000000 1 c.go:1] \"x\" updateRun=\"logs-r10\"\n"))
		says(t, a, "agent-1", "1 line about the run, of the last 2", "10:00:00", "Started")
	})
	t.Run("forbidden", func(t *testing.T) {
		a := ask(t, serve(t, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","code":403,"message":"no right to pods"}`, 403, ""))
		says(t, a, "no right to pods", "fleet-hub-agent")
	})
	t.Run("none there", func(t *testing.T) {
		says(t, ask(t, serve(t, `{"items":[]}`, 200, "")), "namespace fleet-system has no pods with label")
	})
}
