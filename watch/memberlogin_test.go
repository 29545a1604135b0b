package watch

import (
	"testing"

	"k8s.io/client-go/rest"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

func TestLoginsThatMayPrompt(t *testing.T) {
	for _, tt := range []struct {
		name    string
		login   *clientcmdapi.ExecConfig
		prompts bool
	}{
		{"no login program", nil, false},
		{"never, by the kubeconfig", &clientcmdapi.ExecConfig{Command: "oidc", InteractiveMode: clientcmdapi.NeverExecInteractiveMode}, false},
		{"any program", &clientcmdapi.ExecConfig{Command: "aws", Args: []string{"eks", "get-token"}, InteractiveMode: clientcmdapi.IfAvailableExecInteractiveMode}, true},
		{"one that opens a browser", &clientcmdapi.ExecConfig{Command: "kubectl", Args: []string{"oidc-login", "get-token"}}, true},
		{"gcloud", &clientcmdapi.ExecConfig{Command: "/usr/bin/gke-gcloud-auth-plugin"}, false},
		{"Azure, by device code", &clientcmdapi.ExecConfig{Command: "kubelogin", Args: []string{"get-token", "--server-id", "x"}}, true},
		{"Azure, by device code, named", &clientcmdapi.ExecConfig{Command: "kubelogin", Args: []string{"get-token", "--login", "devicecode"}}, true},
		{"Azure, by its CLI", &clientcmdapi.ExecConfig{Command: "kubelogin.exe", Args: []string{"get-token", "-l", "azurecli"}}, false},
		{"Azure, joined", &clientcmdapi.ExecConfig{Command: "kubelogin", Args: []string{"get-token", "--login=msi"}}, false},
		{"Azure, cut off", &clientcmdapi.ExecConfig{Command: "kubelogin", Args: []string{"get-token", "--login"}}, true},
	} {
		if got := mayPrompt(&rest.Config{ExecProvider: tt.login}); got != tt.prompts {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}
