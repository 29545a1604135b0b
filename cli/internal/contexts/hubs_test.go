package contexts

import (
	"slices"
	"testing"

	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/stagewatch/stagewatch/cli/config"
)

// TestMatching: hubs are named by patterns for contexts and their aliases, each once. The name of
// a context comes before the alias of another one.
func TestMatching(t *testing.T) {
	raw := &clientcmdapi.Config{Contexts: map[string]*clientcmdapi.Context{}}
	for _, n := range []string{"aks-1", "aks-2", "dev"} {
		raw.Contexts[n] = &clientcmdapi.Context{}
	}
	conf, err := config.Parse("config.yaml", []byte("contexts: {aks-1: {alias: prod-weu}, aks-2: {alias: dev}}"))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ patterns, want []string }{
		{[]string{"aks-1", "aks-1"}, []string{"aks-1"}},
		{[]string{"prod-weu", "aks-1"}, []string{"aks-1"}},
		{[]string{"prod-*", "aks-*"}, []string{"aks-1", "aks-2"}},
		{[]string{"dev"}, []string{"dev"}},
		{[]string{"prod"}, nil},
	} {
		if got := Matching(raw, &conf, tt.patterns); !slices.Equal(got, tt.want) {
			t.Errorf("%q: %q, want %q", tt.patterns, got, tt.want)
		}
	}
}
