package cli

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stagewatch/stagewatch/cli/internal/statedir"
)

// TestContexts lists contexts without a hub, and asks them with --check: one that is no hub,
// one that does not answer, and one whose login may ask a person, which is not asked.
func TestContexts(t *testing.T) {
	var asked atomic.Int32
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		http.NotFound(w, r)
	}))
	defer server.Close()
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	config := `apiVersion: v1
kind: Config
current-context: prod-fleet
clusters:
- {name: c, cluster: {insecure-skip-tls-verify: true, server: "` + server.URL + `"}}
- {name: g, cluster: {server: "` + gone.URL + `"}}
users:
- {name: u, user: {token: secret}}
- name: asks
  user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: ` + filepath.Join(t.TempDir(), "kubelogin") + `, interactiveMode: IfAvailable}}
contexts:
- {name: alone, context: {cluster: c, user: u, namespace: shop}}
- {name: asking, context: {cluster: c, user: asks}}
- {name: gone, context: {cluster: g, user: u}}
- {name: prod-fleet, context: {cluster: c, user: u}}
- {name: weu, context: {cluster: c, user: u}}
`
	path := filepath.Join(t.TempDir(), "kubeconfig")
	conf, state := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{path: config, filepath.Join(conf, "stagewatch", "config.yaml"): "contexts: {weu: {protected: true, alias: prod}, alone: {readOnly: true}}"} {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("KUBECONFIG", path)
	t.Setenv("XDG_CONFIG_HOME", conf)
	t.Setenv("XDG_STATE_HOME", state)
	if err := statedir.Default().RememberHub("weu", time.Now().Add(-3*time.Hour)); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) (int, string, string) {
		var out, errs bytes.Buffer
		code := Main(append([]string{"contexts"}, args...), strings.NewReader(""), &out, &errs)
		return code, out.String(), errs.String()
	}
	for _, tt := range []struct {
		args string
		code int
		want []string
	}{
		{"", 0, []string{
			"CURRENT   NAME         ALIAS   CLUSTER   NAMESPACE   HUB      WRITES      LAST USED",
			"          weu          prod    c         -           known    protected   3h ago",
			"*         prod-fleet   -       c         -           likely   -           -",
			"          alone        -       c         shop        -        read-only   -",
		}},
		{"alone --no-headers", 0, []string{"   alone   -   c   shop   -   read-only   -"}},
		{"w* alone weu -o name", 0, []string{"weu\nalone\n"}},
		{"weu -o jsonpath={.contexts[0].hub}", 0, []string{"known"}},
		{"weu -o jsonpath={.contexts[0].alias}", 0, []string{"prod"}},
		{"nope", 6, []string{`the kubeconfig has no context "nope"`}},
		{"aloen", 6, []string{"hint: did you mean \"alone\"? stagewatch contexts lists them\n"}},
		{"-o wide", 2, []string{`invalid --output "wide"`}},
	} {
		code, out, errs := run(strings.Fields(tt.args)...)
		for _, want := range tt.want {
			if code != tt.code || !strings.Contains(out+errs, want) {
				t.Errorf("%q: exit code %d, want %d with %q\n%s%s", tt.args, code, tt.code, want, out, errs)
			}
		}
		if strings.Contains(out+errs, "secret") {
			t.Errorf("%q prints a token", tt.args)
		}
	}
	if asked.Load() > 0 {
		t.Errorf("%d requests without --check", asked.Load())
	}
	code, out, errs := run("alone", "asking", "gone", "--check")
	for _, want := range []string{"not a hub\n", "not asked: the credential plugin may prompt for input\n", "unreachable: "} {
		if code != 0 || !strings.Contains(out, want) {
			t.Errorf("--check: exit code %d, want %q in\n%s%s", code, want, out, errs)
		}
	}
	if asked.Load() == 0 {
		t.Error("no request with --check")
	}
}
