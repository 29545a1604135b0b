//go:build linux || darwin

package cli_test

import (
	"net"
	"net/http/httptest"
	"os"
	"regexp"
	"testing"
	"time"

	"github.com/stagewatch/stagewatch/cli/exit"
	"github.com/stagewatch/stagewatch/watch/faults"
)

// TestGraceOfTheFirstConnection: with --grace, wait tries the first connection for that long, too.
// Without it, a hub that cannot be reached is reported at once.
func TestGraceOfTheFirstConnection(t *testing.T) {
	t.Parallel()
	stagewatch(t) // built before the time begins
	for _, tt := range []struct {
		name string
		args []string
		code int
	}{
		{"with --grace", []string{"--grace", "2m"}, exit.OK},
		{"without", nil, exit.Unreachable},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			server := faults.NewAPIServer()
			server.Put("clusterstagedupdateruns", map[string]any{
				"apiVersion": "placement.kubernetes-fleet.io/v1beta1", "kind": "ClusterStagedUpdateRun",
				"metadata": map[string]any{"name": "alpha", "generation": 1},
				"spec":     map[string]any{"placementName": "web", "stagedRolloutStrategyName": "rings", "state": "Run"},
				"status": map[string]any{"conditions": []any{
					map[string]any{
						"type": "Initialized", "status": "True", "reason": "UpdateRunInitializedSuccessfully", "message": "m",
						"observedGeneration": 1, "lastTransitionTime": "2026-03-02T10:00:00Z",
					},
					map[string]any{
						"type": "Succeeded", "status": "True", "reason": "UpdateRunSucceeded", "message": "m",
						"observedGeneration": 1, "lastTransitionTime": "2026-03-02T10:00:00Z",
					},
				}},
			})
			l, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // of a test
			if err != nil {
				t.Fatal(err)
			}
			address := l.Addr().String()
			l.Close() // until the hub is up, its port refuses connections
			hub := httptest.NewUnstartedServer(faults.NewProxy(server))
			hub.Listener.Close()
			started := make(chan error, 1)
			up := time.AfterFunc(10*time.Second, func() { // after more than one attempt
				again, err := net.Listen("tcp", address) //nolint:noctx // of a test
				if err == nil {
					hub.Listener = again
					hub.StartTLS()
				}
				started <- err
			})
			defer func() {
				if up.Stop() {
					return
				}
				if err := <-started; err != nil {
					t.Error(err)
					return
				}
				hub.CloseClientConnections()
				hub.Close()
			}()
			path := serveFaults(t, faults.NewProxy(server), "canary")
			raw, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			raw = regexp.MustCompile(`https://127\.0\.0\.1:\d+`).ReplaceAll(raw, []byte("https://"+address))
			if err := os.WriteFile(path, raw, 0o600); err != nil {
				t.Fatal(err)
			}
			env := append(os.Environ(), "KUBECONFIG="+path, "XDG_STATE_HOME="+t.TempDir(), "XDG_CONFIG_HOME="+t.TempDir())
			if code, out, errs := outcome(t, env, append([]string{"wait", "alpha"}, tt.args...)...); code != tt.code {
				t.Errorf("exit code %d, want %d\n%s%s", code, tt.code, out, errs)
			}
		})
	}
}
