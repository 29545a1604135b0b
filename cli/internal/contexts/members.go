package contexts

import (
	"maps"
	"slices"
	"strings"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/stagewatch/stagewatch/cli/config"
	"github.com/stagewatch/stagewatch/cli/internal/statedir"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/watch"
)

// Members finds the kubeconfig contexts of members of one hub.
type Members struct {
	// Config names contexts, too.
	Config config.Config
	// File is the kubeconfig, empty for kubectl's own; Hub is the context of the hub.
	File, Hub string
	// UserAgent is sent to members.
	UserAgent string
}

// Find returns the context of a member: the chosen one, else the remembered one
// if the kubeconfig still has it, else the one that the configuration names, else the one named like the member.
// The kubeconfig is read again, since logging in changes it; its current context
// plays no part and stays.
func (m Members) Find(member string, chosen engine.Text) (watch.MemberContext, engine.Text) {
	none := watch.MemberContext{}
	rules, raw, err := m.Kubeconfig()
	if err != nil {
		return none, engine.Textf("read kubeconfig: %s", engine.Clean(err.Error()))
	}
	name, whence := m.Config.MemberContext(member)
	before := statedir.Default().MemberContext(m.Hub, member)
	if raw.Contexts[before] != nil {
		name, whence = before, "was chosen"
	}
	if !chosen.IsZero() {
		name, whence = "", "was chosen"
		for n := range raw.Contexts {
			if engine.Clean(n) == chosen {
				name = n
			}
		}
		if name == "" {
			return none, engine.Textf("the kubeconfig has no context %s", chosen)
		}
	}
	if raw.Contexts[name] == nil {
		if whence != "" {
			return none, engine.Textf("context %s %s for this member, but the kubeconfig has no such context", engine.Clean(name), engine.Clean(whence))
		}
		if before != "" {
			return none, engine.Textf("the kubeconfig has neither context %s, which was chosen for this member, nor %s", engine.Clean(before), engine.Clean(name))
		}
		return none, engine.Textf("the kubeconfig has no context %s; members in config.yaml can name another", engine.Clean(name))
	}
	cfg, err := clientcmd.NewNonInteractiveClientConfig(*raw, name, &clientcmd.ConfigOverrides{}, rules).ClientConfig()
	if err != nil {
		return none, engine.Textf("context %s: %s", engine.Clean(name), engine.Clean(err.Error()))
	}
	cfg.UserAgent = m.UserAgent
	QuietLogin(cfg)
	return watch.MemberContext{Name: name, Config: cfg, Agreed: whence != ""}, engine.Text{}
}

// Names are the contexts of the kubeconfig without those of the hub, its own and
// other users of it: first the one named like the member, then those with the
// member's name in theirs.
func (m Members) Names(member string) []engine.Text {
	_, raw, err := m.Kubeconfig()
	if err != nil {
		return nil
	}
	server := func(context string) string {
		if c := raw.Contexts[context]; c != nil && raw.Clusters[c.Cluster] != nil {
			return raw.Clusters[c.Cluster].Server
		}
		return ""
	}
	hub := server(m.Hub)
	found := slices.DeleteFunc(slices.Sorted(maps.Keys(raw.Contexts)), func(n string) bool {
		return n == m.Hub || hub != "" && server(n) == hub
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
func (m Members) Remember(member, context string) error {
	return statedir.Default().ChooseMember(m.Hub, member, context)
}

// Forget removes the context that was chosen for a member and returns it, empty if none
// was.
func (m Members) Forget(member string) (string, error) {
	d := statedir.Default()
	return d.MemberContext(m.Hub, member), d.ChooseMember(m.Hub, member, "")
}

// Kubeconfig reads the contexts that there are now.
func (m Members) Kubeconfig() (*clientcmd.ClientConfigLoadingRules, *clientcmdapi.Config, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = m.File
	rules.WarnIfAllMissing = false
	raw, err := rules.Load()
	return rules, raw, err
}

// QuietLogin keeps a login program from asking on the terminal: it would take
// the screen's keys.
func QuietLogin(cfg *rest.Config) {
	if p := cfg.ExecProvider; p != nil {
		p.StdinUnavailable = true
		p.StdinUnavailableMessage = "stagewatch's screen uses the terminal; log in first"
	}
}
