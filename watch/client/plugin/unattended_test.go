package plugin

import (
	"os"
	"testing"

	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// TestUnattendedLogins checks which credential plugins an automatic query may start.
func TestUnattendedLogins(t *testing.T) {
	const always, never, ifAvailable = clientcmdapi.AlwaysExecInteractiveMode, clientcmdapi.NeverExecInteractiveMode, clientcmdapi.IfAvailableExecInteractiveMode
	env := func(value string) []clientcmdapi.ExecEnvVar {
		return []clientcmdapi.ExecEnvVar{{Name: "AAD_LOGIN_METHOD", Value: value}}
	}
	t.Setenv("AAD_LOGIN_METHOD", "")
	if err := os.Unsetenv("AAD_LOGIN_METHOD"); err != nil { // the test's own environment does not matter
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name  string
		login clientcmdapi.ExecConfig
		want  bool
	}{
		{"any program", clientcmdapi.ExecConfig{Command: "oidc", InteractiveMode: ifAvailable}, false},
		{"any program without a terminal", clientcmdapi.ExecConfig{Command: "oidc", InteractiveMode: never}, true},
		{"no mode", clientcmdapi.ExecConfig{Command: "oidc"}, false},
		{"aws", clientcmdapi.ExecConfig{Command: "aws", Args: []string{"--region", "eu-west-1", "eks", "get-token"}, InteractiveMode: ifAvailable}, true},
		{"aws sso login", clientcmdapi.ExecConfig{Command: "aws", Args: []string{"sso", "login"}, InteractiveMode: ifAvailable}, false},
		{"aws, Always", clientcmdapi.ExecConfig{Command: "aws", Args: []string{"eks", "get-token"}, InteractiveMode: always}, false},
		{"aws-iam-authenticator", clientcmdapi.ExecConfig{Command: "aws-iam-authenticator", Args: []string{"token"}}, true},
		{"doctl", clientcmdapi.ExecConfig{Command: "/snap/bin/doctl"}, true},
		{"gcloud", clientcmdapi.ExecConfig{Command: "/usr/bin/gke-gcloud-auth-plugin", InteractiveMode: ifAvailable}, true},
		{"browser", clientcmdapi.ExecConfig{Command: "kubectl", Args: []string{"oidc-login", "get-token"}, InteractiveMode: never}, false},
		{"browser, direct", clientcmdapi.ExecConfig{Command: "kubelogin", Args: []string{"get-token", "--oidc-issuer-url=x"}, InteractiveMode: never}, false},
		{"browser, behind a shell", clientcmdapi.ExecConfig{Command: "sh", Args: []string{"-c", "exec kubectl oidc-login get-token"}, InteractiveMode: never}, false},
		{"browser, behind env", clientcmdapi.ExecConfig{Command: "env", Args: []string{"HTTPS_PROXY=x", "/usr/bin/kubectl", "pinniped", "login"}, InteractiveMode: never}, false},
		{"browser, on Windows", clientcmdapi.ExecConfig{Command: `C:\bin\kubectl.cmd`, Args: []string{"x"}, InteractiveMode: never}, false},
		{"Azure, behind a shell", clientcmdapi.ExecConfig{Command: "sh", Args: []string{"-c", "kubelogin get-token -l azurecli"}, InteractiveMode: never}, false},
		{"teleport", clientcmdapi.ExecConfig{Command: "/usr/local/bin/tsh", InteractiveMode: never}, false},
		{"teleport, by version", clientcmdapi.ExecConfig{Command: "tsh-v15.exe", InteractiveMode: never}, false},
		{"another name with the same start", clientcmdapi.ExecConfig{Command: "tshark", InteractiveMode: never}, true},
		{"Azure, by device code", clientcmdapi.ExecConfig{Command: "kubelogin", Args: []string{"get-token", "--server-id", "x"}, InteractiveMode: never}, false},
		{"Azure, by device code, named", clientcmdapi.ExecConfig{Command: "kubelogin", Args: []string{"get-token", "--login", "devicecode"}, InteractiveMode: never}, false},
		{"Azure, by its CLI", clientcmdapi.ExecConfig{Command: "kubelogin.exe", Args: []string{"get-token", "-l", "azurecli"}}, true},
		{"Azure, joined", clientcmdapi.ExecConfig{Command: "kubelogin", Args: []string{"get-token", "--login=msi"}}, true},
		{"Azure, cut off", clientcmdapi.ExecConfig{Command: "kubelogin", Args: []string{"get-token", "--login"}}, false},
		{"Azure, by its environment", clientcmdapi.ExecConfig{Command: "kubelogin", Args: []string{"get-token"}, Env: env("azurecli")}, true},
		{"Azure, environment over flag", clientcmdapi.ExecConfig{Command: "kubelogin", Args: []string{"get-token", "-l", "azurecli"}, Env: env("interactive")}, false},
	} {
		if got := Unattended(&tt.login); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}
