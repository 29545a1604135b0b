// Package contexts sorts the contexts of a kubeconfig by how likely they lead to a hub, and
// finds those of member clusters. It contacts none of them.
package contexts

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/ui/palette"
)

// most is how many likely hubs are named.
const most = 20

// Likely returns the contexts other than current that look like hubs: first the known ones,
// which served the hub API before, then those with hub or fleet in their name.
func Likely(names, known []string, current string) []engine.Text {
	var out []engine.Text
	add := func(n string) {
		if x := engine.Clean(n); n != current && len(out) < most && !slices.Contains(out, x) {
			out = append(out, x)
		}
	}
	for _, n := range known {
		if slices.Contains(names, n) {
			add(n)
		}
	}
	slices.Sort(names)
	for _, n := range names {
		if s := strings.ToLower(n); strings.Contains(s, "hub") || strings.Contains(s, "fleet") {
			add(n)
		}
	}
	return out
}

// Choices lists all contexts of a kubeconfig, those that are likely hubs first; known are
// those that served the hub API before, the last one first.
func Choices(raw *clientcmdapi.Config, known []string, current string) []palette.Choice {
	names := slices.Sorted(maps.Keys(raw.Contexts))
	likely := Likely(names, known, "")
	rank := func(n string) int {
		if i := slices.Index(likely, engine.Clean(n)); i >= 0 {
			return i
		}
		return len(likely)
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(rank(a), rank(b)) })
	out := make([]palette.Choice, len(names))
	for i, n := range names {
		out[i] = palette.Choice{Value: n, About: engine.Textf("cluster %s", raw.Contexts[n].Cluster), Now: n == current}
		if slices.Contains(known, n) {
			out[i].About = engine.Textf("%s, known hub", out[i].About)
		}
	}
	return out
}
