package plugin

import (
	"os"
	"regexp"
	"slices"
	"strings"

	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// unattendedModes are the login modes of Azure's kubelogin that need no person.
var unattendedModes = []string{"azurecli", "azd", "msi", "spn", "workloadidentity"}

// Unattended reports whether a credential plugin asks no person. A program that needs
// no terminal (interactiveMode Never) may still open a browser or wait for a device
// code: those known to are excluded, whatever the kubeconfig says. Programs that are
// known to need no person need no Never, since tools that write kubeconfigs omit it.
func Unattended(p *clientcmdapi.ExecConfig) bool {
	if p.InteractiveMode == clientcmdapi.AlwaysExecInteractiveMode {
		return false
	}
	// An OIDC login opens a browser, also behind a shell or another name.
	for _, word := range strings.Fields(strings.Join(append([]string{p.Command}, p.Args...), " ")) {
		if strings.HasPrefix(strings.ToLower(word), "--oidc-") || attended.MatchString(programName(word)) {
			return false
		}
	}
	switch programName(p.Command) {
	case "aws-iam-authenticator", "doctl", "gke-gcloud-auth-plugin":
		return true
	case "aws":
		return slices.Contains(p.Args, "eks") && slices.Contains(p.Args, "get-token")
	case "kubelogin": // of Azure; the OIDC one has no login mode
		return slices.Contains(unattendedModes, azureMode(p))
	}
	if slices.ContainsFunc(p.Args, func(arg string) bool { return strings.Contains(arg, "kubelogin") }) {
		return false // behind a shell its login mode is not known
	}
	return p.InteractiveMode == clientcmdapi.NeverExecInteractiveMode
}

// attended matches the names of programs that ask a person, with or without a version.
var attended = regexp.MustCompile(`oidc[-_]login|^(kubectl|pinniped|tsh)([-_.].*)?$`)

// programName is the name of a program without its directory and the ending that
// Windows gives it.
func programName(path string) string {
	name := strings.ToLower(path[strings.LastIndexAny(path, `/\`)+1:])
	for _, ending := range []string{".exe", ".cmd", ".bat", ".ps1"} {
		name = strings.TrimSuffix(name, ending)
	}
	return name
}

// azureMode is the login mode of Azure's kubelogin: its environment outweighs its
// flags.
func azureMode(p *clientcmdapi.ExecConfig) string {
	const key = "AAD_LOGIN_METHOD"
	mode := ""
	for i, arg := range p.Args {
		name, value, joined := strings.Cut(arg, "=")
		if name != "--login" && name != "-l" {
			continue
		}
		if !joined && i+1 < len(p.Args) {
			value = p.Args[i+1]
		}
		mode = value
	}
	if value, is := os.LookupEnv(key); is {
		mode = value
	}
	for _, e := range p.Env {
		if e.Name == key {
			mode = e.Value
		}
	}
	return mode
}
