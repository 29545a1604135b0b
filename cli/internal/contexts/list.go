package contexts

import (
	"slices"

	"github.com/stagewatch/stagewatch/cli/config"
	"github.com/stagewatch/stagewatch/cli/exit"
	"github.com/stagewatch/stagewatch/cli/internal/statedir"
	"github.com/stagewatch/stagewatch/cli/output"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/watch/client"
)

// List returns the contexts of a kubeconfig, kubectl's own for an empty path, in the order
// of Choices. It contacts none.
func List(file string, conf config.Config, known []statedir.Hub) ([]output.Context, error) {
	rules, raw, err := Members{File: file}.Kubeconfig()
	if err != nil {
		return nil, unusable(rules, nil, "", err)
	}
	if len(raw.Contexts) == 0 {
		return nil, unusable(rules, raw, "", err)
	}
	var names []string
	for _, h := range known {
		names = append(names, h.Context)
	}
	choices := Choices(raw, conf, names, raw.CurrentContext)
	all := make([]string, len(choices))
	for i := range choices {
		all[i] = choices[i].Value
	}
	likely := Likely(slices.Clone(all), names, "")
	out := make([]output.Context, len(all))
	for i, name := range all {
		k := raw.Contexts[name]
		var set engine.Settings
		conf.Apply(&set, name)
		c := output.Context{
			Name: engine.Clean(name), Alias: engine.Clean(conf.ContextAlias(name)), Raw: name, Current: name == raw.CurrentContext, Cluster: engine.Clean(k.Cluster), User: engine.Clean(k.AuthInfo),
			Namespace: engine.Clean(k.Namespace), Protected: set.Protected, ReadOnly: !set.ReadOnly.IsZero(),
		}
		if cluster := raw.Clusters[k.Cluster]; cluster != nil {
			c.Server = engine.Clean(client.WithoutUser(cluster.Server))
		}
		if n := slices.Index(names, name); n >= 0 {
			c.Hub, c.LastUsed = "known", known[n].LastUsed
		} else if slices.Contains(likely, c.Name) {
			c.Hub = "likely"
		}
		out[i] = c
	}
	return out, nil
}

// NotListed is the failure for a name that none of the contexts has.
func NotListed(name string, all []output.Context) error {
	names := make([]string, len(all))
	for i := range all {
		names[i] = all[i].Raw
	}
	return &exit.Failure{
		Code: exit.NotFound, What: engine.Textf("the kubeconfig has no context %q", engine.Clean(name)),
		Similar: engine.DidYouMean(name, names), Hint: engine.Lit("stagewatch contexts lists them"),
	}
}
