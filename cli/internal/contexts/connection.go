package contexts

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/stagewatch/stagewatch/cli/exit"
	"github.com/stagewatch/stagewatch/engine"
)

// InCluster is shown as the context of a pod that talks to its own API server.
const InCluster = "in-cluster"

// Connection is where to connect to, as kubeconfig and flags say.
type Connection struct {
	REST    *rest.Config
	Context string
	User    string
	// File is the kubeconfig that was named with a flag; empty for kubectl's own.
	File string
	// Kubeconfig is the content of all kubeconfig files in use. It must not be changed.
	Kubeconfig *clientcmdapi.Config
	// Flags are the other connection flags that were given, as kubectl takes
	// them; credentials are left out.
	Flags []string
	// Namespace is the context's; what "all namespaces" falls back to.
	Namespace string
	// Timeout is how long a command without a screen may take; 0 is as long as
	// the hub goes on answering.
	Timeout time.Duration
	// Renew reads the same context again, for a login that was renewed there.
	Renew func() (*rest.Config, error)
}

// absolute makes a path work in every directory: printed commands are copied into other
// shells and tickets.
func absolute(path string) string {
	if path == "" {
		return ""
	}
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// Connect resolves kubeconfig and connection flags; agent names this program to API
// servers. It makes no request.
func Connect(kubeconfig string, overrides *clientcmd.ConfigOverrides, agent string) (*Connection, error) {
	c := &Connection{File: absolute(kubeconfig), Flags: KubectlFlags(overrides)}
	// The timeout of kubectl's flag would become rest.Config.Timeout, which
	// cuts every watch: here it bounds a command that has no screen.
	mine := *overrides
	mine.Timeout = ""
	if overrides.Timeout != "" {
		d, err := clientcmd.ParseTimeout(overrides.Timeout)
		if err != nil || d < 0 {
			return nil, exit.Misuse(engine.Textf("invalid --request-timeout %q", engine.Clean(overrides.Timeout)), engine.Lit("use a duration like 30s or 2m"))
		}
		c.Timeout = d
	}
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = kubeconfig
	// Without this clientcmd prints to stderr when a file of the list is missing.
	rules.WarnIfAllMissing = false
	loader := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &mine)

	raw, err := loader.RawConfig()
	if err != nil {
		return nil, unusable(rules, nil, "", err)
	}
	c.Kubeconfig, c.Context = &raw, raw.CurrentContext
	if mine.CurrentContext != "" {
		c.Context = mine.CurrentContext
	}
	if c.Context != "" && len(raw.Contexts) == 0 {
		return nil, unusable(rules, &raw, c.Context, nil)
	}
	if c.Context != "" && raw.Contexts[c.Context] == nil {
		hint := Hint(&raw)
		if strings.Contains(c.Context, "*") {
			hint = engine.Textf("--context takes names; for a pattern write --all-contexts='%s'", engine.Clean(c.Context))
		}
		return nil, &exit.Failure{
			Code: exit.NotFound,
			What: engine.Textf("the kubeconfig has no context %q", engine.Clean(c.Context)),
			Hint: hint, Similar: engine.DidYouMean(c.Context, slices.Collect(maps.Keys(raw.Contexts))),
		}
	}
	cfg, err := loader.ClientConfig()
	if err != nil {
		return nil, unusable(rules, &raw, c.Context, err)
	}
	if ns, _, err := loader.Namespace(); err == nil {
		c.Namespace = ns
	}
	if k := raw.Contexts[c.Context]; k != nil {
		c.User = k.AuthInfo
		credentials := mine.AuthInfo.Token != "" || mine.AuthInfo.ClientCertificate != "" || mine.AuthInfo.Username != "" || mine.Context.AuthInfo != ""
		if k.AuthInfo != "" && raw.AuthInfos[k.AuthInfo] == nil && !credentials {
			// client-go would go on as an anonymous user.
			return nil, unusable(rules, &raw, c.Context, errNoUser)
		}
	}
	if mine.Context.AuthInfo != "" {
		c.User = mine.Context.AuthInfo
	}
	if c.Context == "" && mine.ClusterInfo.Server == "" {
		c.Context = InCluster
	}
	cfg.Timeout = 0
	cfg.QPS = -1
	cfg.WarningHandler = rest.NoWarnings{}
	cfg.UserAgent = agent
	c.REST = cfg
	pinned := *overrides
	pinned.CurrentContext = raw.CurrentContext
	if overrides.CurrentContext != "" {
		pinned.CurrentContext = overrides.CurrentContext
	}
	c.Renew = func() (*rest.Config, error) {
		again, err := Connect(kubeconfig, &pinned, agent)
		if err != nil {
			return nil, err
		}
		return again.REST, nil
	}
	return c, nil
}

// Hint names the contexts there are, as many as fit a line.
func Hint(raw *clientcmdapi.Config) engine.Text {
	if len(raw.Contexts) == 0 {
		return engine.Lit("name a file with --kubeconfig or KUBECONFIG")
	}
	const most = 8
	names := make([]string, 0, len(raw.Contexts))
	for n := range raw.Contexts {
		names = append(names, n)
	}
	slices.Sort(names)
	more := ""
	if len(names) > most {
		names, more = names[:most], " …"
	}
	return engine.Textf("contexts: %s%s", strings.Join(names, ", "), more)
}
