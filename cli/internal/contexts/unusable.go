package contexts

import (
	"errors"
	"io/fs"
	"os"
	"strings"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/stagewatch/stagewatch/cli/exit"
	"github.com/stagewatch/stagewatch/engine"
)

// errNoUser: the context names a user that is not there.
var errNoUser = errors.New("user not found")

// unusable says why a kubeconfig gives no connection. raw is nil when no file
// could be read; context is the one that was used.
func unusable(rules *clientcmd.ClientConfigLoadingRules, raw *clientcmdapi.Config, context string, err error) error {
	hint := engine.Lit("name a kubeconfig with --kubeconfig or KUBECONFIG and a context with --context")
	files := rules.GetLoadingPrecedence()
	if rules.ExplicitPath != "" {
		files = []string{rules.ExplicitPath}
	}
	named := engine.Clean(strings.Join(files, ", "))
	var path *fs.PathError
	switch {
	case raw == nil && errors.Is(err, fs.ErrNotExist):
		return exit.Misuse(engine.Textf("kubeconfig %q does not exist", named), hint)
	case raw == nil && errors.As(err, &path):
		return exit.Misuse(engine.Textf("cannot read kubeconfig %q: %s", engine.Clean(path.Path), engine.Clean(path.Err.Error())), hint)
	case raw == nil:
		return exit.Misuse(engine.Textf("kubeconfig %q is not valid: %s", named, engine.Clean(err.Error())), engine.Lit("check it with kubectl config view"))
	}
	k := raw.Contexts[context]
	switch {
	case len(raw.Contexts) == 0 && len(raw.Clusters) == 0 && !anyExists(files):
		return exit.Misuse(engine.Textf("no kubeconfig found: %q does not exist", named), hint)
	case len(raw.Contexts) == 0 && len(raw.Clusters) == 0:
		return exit.Misuse(engine.Textf("kubeconfig %q is empty: it has no clusters and no contexts", named), hint)
	case len(raw.Contexts) == 0:
		return exit.Misuse(engine.Textf("kubeconfig %q has no contexts", named), hint)
	case context == "":
		return exit.Misuse(engine.Textf("kubeconfig %q has no current context", named), Hint(raw))
	case k != nil && k.Cluster == "":
		return exit.Misuse(engine.Textf("context %q names no cluster", engine.Clean(context)), engine.Lit("check it with kubectl config view"))
	case k != nil && raw.Clusters[k.Cluster] == nil:
		return exit.Misuse(engine.Textf("context %q names cluster %q, which the kubeconfig does not have", engine.Clean(context), engine.Clean(k.Cluster)), engine.Lit("check it with kubectl config view"))
	case k != nil && raw.Clusters[k.Cluster].Server == "":
		return exit.Misuse(engine.Textf("cluster %q of context %q has no server", engine.Clean(k.Cluster), engine.Clean(context)), engine.Lit("check it with kubectl config view"))
	case k != nil && k.AuthInfo != "" && raw.AuthInfos[k.AuthInfo] == nil:
		return exit.Misuse(engine.Textf("context %q names user %q, which the kubeconfig does not have", engine.Clean(context), engine.Clean(k.AuthInfo)), engine.Lit("check it with kubectl config view"))
	}
	return exit.Misuse(engine.Textf("the kubeconfig cannot be used: %s", engine.Clean(err.Error())), hint)
}

// anyExists reports whether one of the files exists.
func anyExists(files []string) bool {
	for _, f := range files {
		if _, err := os.Stat(f); err == nil {
			return true
		}
	}
	return false
}
