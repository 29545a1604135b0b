package contexts

import (
	"maps"
	"slices"
	"strings"

	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/stagewatch/stagewatch/cli/config"
)

// Listed returns the contexts that a list with commas names, each once. A context whose own
// name has commas is one.
func Listed(raw *clientcmdapi.Config, list string) []string {
	if raw.Contexts[list] != nil {
		return []string{list}
	}
	var out []string
	for name := range strings.SplitSeq(list, ",") {
		if name = strings.TrimSpace(name); name != "" && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// Matching returns the contexts of a kubeconfig that match one of the patterns, in the
// order of the patterns, and by name for each.
func Matching(raw *clientcmdapi.Config, conf *config.Config, patterns []string) []string {
	var out []string
	for _, p := range patterns {
		for _, name := range slices.Sorted(maps.Keys(raw.Contexts)) {
			alias := conf.ContextAlias(name)
			aliased := alias != "" && raw.Contexts[p] == nil && config.Match(p, alias)
			if (aliased || config.Match(p, name)) && !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	return out
}
