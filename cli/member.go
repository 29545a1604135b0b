package cli

import (
	"maps"
	"slices"
	"strings"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/stagewatch/stagewatch/cli/config"
	"github.com/stagewatch/stagewatch/cli/internal/statedir"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/watch"
)

// queries resolves --member-queries: the flag overrides the configuration.
func queries(c *config.Config, flag string) (on bool, err error) {
	switch flag {
	case config.QueriesAuto, config.QueriesOff:
		return flag == config.QueriesAuto, nil
	case "":
		return c.MemberQueries != config.QueriesOff, nil
	}
	return false, usage(engine.Textf("invalid --member-queries %q", engine.Clean(flag)), engine.Lit("use auto or off"))
}

// memberContexts finds the kubeconfig contexts of members for a job.
type memberContexts struct{ *job }

// Find returns the context of a member: the chosen one, else the remembered one,
// else the one that the configuration names, else the one named like the member.
// The kubeconfig is read again, since logging in changes it; its current context
// plays no part and stays.
func (m memberContexts) Find(member string, chosen engine.Text) (watch.MemberContext, engine.Text) {
	none := watch.MemberContext{}
	rules, raw, err := m.kubeconfig()
	if err != nil {
		return none, engine.Textf("read kubeconfig: %s", engine.Clean(err.Error()))
	}
	name, whence := m.config.MemberContext(member)
	if before := statedir.Default().MemberContext(m.conn.context, member); before != "" {
		name, whence = before, "was chosen"
	}
	if !chosen.IsZero() {
		for n := range raw.Contexts {
			if engine.Clean(n) == chosen {
				name, whence = n, "was chosen"
			}
		}
	}
	if raw.Contexts[name] == nil {
		if whence != "" {
			return none, engine.Textf("context %s %s for this member, but the kubeconfig has no such context", engine.Clean(name), engine.Clean(whence))
		}
		return none, engine.Textf("the kubeconfig has no context %s; choose one below, or set members in config.yaml", engine.Clean(name))
	}
	cfg, err := clientcmd.NewNonInteractiveClientConfig(*raw, name, &clientcmd.ConfigOverrides{}, rules).ClientConfig()
	if err != nil {
		return none, engine.Textf("context %s: %s", engine.Clean(name), engine.Clean(err.Error()))
	}
	cfg.UserAgent = "stagewatch/" + buildVersion()
	quietLogin(cfg)
	return watch.MemberContext{Name: name, Config: cfg, Agreed: whence != ""}, engine.Text{}
}

// Names are the contexts of the kubeconfig without those of the hub, its own and
// other users of it: first the one named like the member, then those with the
// member's name in theirs.
func (m memberContexts) Names(member string) []engine.Text {
	_, raw, err := m.kubeconfig()
	if err != nil {
		return nil
	}
	server := func(context string) string {
		if c := raw.Contexts[context]; c != nil && raw.Clusters[c.Cluster] != nil {
			return raw.Clusters[c.Cluster].Server
		}
		return ""
	}
	hub := server(m.conn.context)
	found := slices.DeleteFunc(slices.Sorted(maps.Keys(raw.Contexts)), func(n string) bool {
		return n == m.conn.context || hub != "" && server(n) == hub
	})
	rank := func(n string) int {
		switch {
		case n == member:
			return 0
		case strings.Contains(n, member):
			return 1
		}
		return 2
	}
	slices.SortStableFunc(found, func(a, b string) int { return rank(a) - rank(b) })
	names := make([]engine.Text, len(found))
	for i, n := range found {
		names[i] = engine.Clean(n)
	}
	return names
}

// Remember keeps a context that a person chose for a member.
func (m memberContexts) Remember(member, context string) error {
	return statedir.Default().ChooseMember(m.conn.context, member, context)
}

// Forget removes the context that was chosen for a member.
func (m memberContexts) Forget(member string) error {
	return statedir.Default().ChooseMember(m.conn.context, member, "")
}

func (m memberContexts) kubeconfig() (*clientcmd.ClientConfigLoadingRules, *clientcmdapi.Config, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = m.conn.file
	rules.WarnIfAllMissing = false
	raw, err := rules.Load()
	return rules, raw, err
}
