// Package contexts sorts the contexts of a kubeconfig by how likely they lead to a hub, and
// finds those of member clusters. It contacts none of them.
package contexts

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/stagewatch/stagewatch/cli/config"
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

// Choices lists all contexts of a kubeconfig: the favourites of the configuration first, then those
// that served the hub API before, known, the last one first, then other likely hubs.
func Choices(raw *clientcmdapi.Config, conf config.Config, known []string, current string) []palette.Choice {
	names := slices.Sorted(maps.Keys(raw.Contexts))
	likely := Likely(names, known, "")
	rank := func(n string) int {
		if conf.Favourite(n) {
			return -1
		}
		if i := slices.Index(likely, engine.Clean(n)); i >= 0 {
			return i
		}
		return len(likely)
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(rank(a), rank(b)) })
	out := make([]palette.Choice, len(names))
	for i, n := range names {
		about := []engine.Text{engine.Textf("cluster %s", engine.Clean(raw.Contexts[n].Cluster))}
		if slices.Contains(known, n) {
			about = append(about, engine.Lit("known hub"))
		}
		if conf.Favourite(n) {
			about = append(about, engine.Lit("favourite"))
		}
		out[i] = palette.Choice{Value: n, Now: n == current}
		if alias := conf.ContextAlias(n); alias != "" {
			out[i].Also = []string{alias}
			about = append([]engine.Text{engine.Textf("%s = %s", engine.Clean(n), engine.Clean(alias))}, about...)
		}
		out[i].About = engine.Join(about, ", ")
	}
	return out
}
