package cli

import (
	"maps"
	"slices"
	"strings"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/stagewatch/stagewatch/engine"
)

// memberContext finds the kubeconfig context of a member: the one that the
// configuration names, else the one that is called like the member. Another one
// is never guessed. The kubeconfig is read anew, since logging in changes it;
// its current context plays no part and stays as it is.
func (j *job) memberContext(member string) (string, *rest.Config, engine.Text) {
	name, configured := j.config.memberContext(member)
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = j.conn.file
	rules.WarnIfAllMissing = false
	raw, err := rules.Load()
	if err != nil {
		return "", nil, engine.Textf("the kubeconfig cannot be read: %s", engine.Clean(err.Error()))
	}
	if raw.Contexts[name] == nil {
		if configured {
			return "", nil, engine.Textf("the configuration names context %s for it, which the kubeconfig does not have", engine.Clean(name))
		}
		return "", nil, engine.Textf("no context of the kubeconfig is called %s; name one under members in config.yaml", engine.Clean(name))
	}
	cfg, err := clientcmd.NewNonInteractiveClientConfig(*raw, name, &clientcmd.ConfigOverrides{}, rules).ClientConfig()
	if err != nil {
		return "", nil, engine.Textf("context %s cannot be used: %s", engine.Clean(name), engine.Clean(err.Error()))
	}
	cfg.UserAgent = "stagewatch/" + buildVersion()
	if p := cfg.ExecProvider; p != nil {
		p.StdinUnavailable = true
		p.StdinUnavailableMessage = "stagewatch's screen has the terminal; log in first"
	}
	return name, cfg, engine.Text{}
}

// memberContext is the name of the context that a member is reached with, and
// whether the configuration says so. Of several keys that match, one without *
// counts, then the longest, then the first by name.
func (c config) memberContext(member string) (name string, configured bool) {
	best := ""
	for _, pattern := range slices.Sorted(maps.Keys(c.Members)) {
		switch {
		case pattern == member:
			return strings.ReplaceAll(c.Members[pattern], "{member}", member), true
		case globMatch(pattern, member) && len(pattern) > len(best):
			best = pattern
		}
	}
	if best == "" {
		return member, false
	}
	return strings.ReplaceAll(c.Members[best], "{member}", member), true
}
