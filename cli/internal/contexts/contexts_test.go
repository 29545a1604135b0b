package contexts

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/stagewatch/stagewatch/cli/config"
	"github.com/stagewatch/stagewatch/cli/exit"
	"github.com/stagewatch/stagewatch/engine"
)

// Contexts that served the hub API come first, then those with hub or fleet in
// their name; the current one and those not in the kubeconfig are left out.
func TestContextsThatLookLikeHubs(t *testing.T) {
	got := Likely([]string{"member-1", "a-hub", "weu", "prod-Hub", "my-Fleet", "here-hub"}, []string{"prod-Hub", "weu", "gone"}, "here-hub")
	want := []engine.Text{engine.Clean("prod-Hub"), engine.Clean("weu"), engine.Clean("a-hub"), engine.Clean("my-Fleet")}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// :ctx lists every context once: the favourites, those that served the hub API, those that look like hubs,
// the others by name.
func TestChoices(t *testing.T) {
	raw := &clientcmdapi.Config{Contexts: map[string]*clientcmdapi.Context{}}
	for _, n := range []string{"weu", "a-member", "prod-hub", "zz"} {
		raw.Contexts[n] = &clientcmdapi.Context{Cluster: n + "-cluster"}
	}
	var got []string
	conf, err := config.Parse("config.yaml", []byte("contexts: {weu: {alias: prod}, 'a-*': {favourite: true}}"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range Choices(raw, conf, []string{"zz", "gone"}, "weu") {
		line := strings.Join(append([]string{c.Value}, c.Also...), " ") + ": " + c.About.String()
		if c.Now {
			line += " now"
		}
		got = append(got, line)
	}
	if want := []string{"a-member: cluster a-member-cluster, favourite", "zz: cluster zz-cluster, known hub", "prod-hub: cluster prod-hub-cluster", "weu prod: weu = prod, cluster weu-cluster now"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// An unknown context is an error that suggests the similar one.
func TestConnectSuggestsAContext(t *testing.T) {
	file := filepath.Join(t.TempDir(), "hub.yaml")
	const raw = `{apiVersion: v1, kind: Config, current-context: prod, contexts: [{name: prod, context: {cluster: a, user: a}}, {name: test, context: {cluster: a, user: a}}], clusters: [{name: a, cluster: {server: "https://127.0.0.1:1"}}], users: [{name: a, user: {token: t}}]}`
	if err := os.WriteFile(file, []byte(raw), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"prd":    `error: the kubeconfig has no context "prd"` + "\n" + `hint: did you mean "prod"? contexts: prod, test` + "\n",
		"pro*":   `error: the kubeconfig has no context "pro*"` + "\n" + `hint: did you mean "prod"? --context takes names; for a pattern write --all-contexts='pro*'` + "\n",
		"nobody": `error: the kubeconfig has no context "nobody"` + "\n" + `hint: contexts: prod, test` + "\n",
	} {
		_, err := Connect(file, &clientcmd.ConfigOverrides{CurrentContext: name}, "test")
		var says strings.Builder
		if code := exit.Report(&says, err); code != exit.NotFound || says.String() != want {
			t.Errorf("%s: %d\n%s", name, code, says.String())
		}
	}
}
