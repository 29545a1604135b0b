package watch

import (
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/client-go/rest"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// unattendedLogins are the values of --login with which Azure's kubelogin asks
// nobody.
var unattendedLogins = []string{"azurecli", "azd", "msi", "spn", "workloadidentity"}

// mayPrompt reports whether the login of a configuration may ask a person: it may
// open a browser or read the terminal. A login program asks nobody when the
// kubeconfig says so with interactiveMode Never, or when it is known to.
func mayPrompt(cfg *rest.Config) bool {
	p := cfg.ExecProvider
	if p == nil || p.InteractiveMode == clientcmdapi.NeverExecInteractiveMode {
		return false
	}
	switch strings.TrimSuffix(filepath.Base(p.Command), ".exe") {
	case "gke-gcloud-auth-plugin":
		return false
	case "kubelogin":
		for i, arg := range p.Args {
			name, value, joined := strings.Cut(arg, "=")
			if name != "--login" && name != "-l" {
				continue
			}
			if !joined && i+1 < len(p.Args) {
				value = p.Args[i+1]
			}
			return !slices.Contains(unattendedLogins, value)
		}
	}
	return true
}
