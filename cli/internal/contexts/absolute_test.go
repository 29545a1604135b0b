package contexts

import (
	"os"
	"path/filepath"
	"testing"

	"k8s.io/client-go/tools/clientcmd"
)

// Printed commands name the kubeconfig by a path that works in every directory.
func TestKubeconfigOfPrintedCommandsIsAbsolute(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	const config = `{apiVersion: v1, kind: Config, current-context: a, contexts: [{name: a, context: {cluster: a, user: a}}], clusters: [{name: a, cluster: {server: "https://127.0.0.1:1"}}], users: [{name: a, user: {token: t}}]}`
	if err := os.WriteFile("hub.yaml", []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for given, want := range map[string]string{"hub.yaml": filepath.Join(here, "hub.yaml"), "./hub.yaml": filepath.Join(here, "hub.yaml"), filepath.Join(dir, "hub.yaml"): filepath.Join(dir, "hub.yaml")} {
		c, err := Connect(given, &clientcmd.ConfigOverrides{}, "test")
		if err != nil {
			t.Fatal(err)
		}
		if c.File != want {
			t.Errorf("--kubeconfig %s: commands print %s", given, c.File)
		}
	}
}
