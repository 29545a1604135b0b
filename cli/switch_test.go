//go:build linux || darwin

package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stagewatch/stagewatch/cli/exit"
)

// TestSwitchingHubs: :ctx leads to another hub without a restart, also from one that does
// not answer; a context that cannot be used is refused with the reason; :ns limits the
// namespaced runs.
func TestSwitchingHubs(t *testing.T) {
	t.Parallel()
	config := deadHubs(t)
	s := start(t, 120, 36, nil, stagewatch(t), "--kubeconfig", config)
	s.see(`^ one .*RECONNECTING`)
	s.keys(":ctx ")
	s.see(`broken +cluster two`)
	s.keys("two\r")
	s.see(`^ two .*RECONNECTING`)
	s.keys(":ns shop\r")
	s.see(`Runs · namespace shop`)
	s.see(`^ two `)
	s.keys(":ctx broken\r")
	s.see(`Cannot switch to broken: .*nobody`)
	s.see(`^ two `)
	s.keys(":ctx brokne\r")
	s.see(`Cannot switch to brokne: did you mean "broken"\? the kubeconfig has no context "brokne"\.`)
	s.keys(":ctx one\r")
	s.see(`^ one .*RECONNECTING`)
	s.keys("q")
	if code := s.ended(patience); code != exit.OK {
		t.Errorf("exit code %d", code)
	}
	s.restored()
}

// deadHubs returns a kubeconfig with the contexts one and two, whose hubs do not answer, and
// broken, which names no user.
func deadHubs(t *testing.T) string {
	t.Helper()
	config := filepath.Join(t.TempDir(), "kubeconfig")
	raw := `apiVersion: v1
kind: Config
current-context: one
clusters:
- {name: one, cluster: {server: "ONE"}}
- {name: two, cluster: {server: "TWO"}}
users:
- {name: u, user: {token: secret}}
contexts:
- {name: one, context: {cluster: one, user: u}}
- {name: two, context: {cluster: two, user: u}}
- {name: broken, context: {cluster: two, user: nobody}}
`
	raw = strings.NewReplacer("ONE", deadAddress(t), "TWO", deadAddress(t)).Replace(raw)
	if err := os.WriteFile(config, []byte(raw), 0o600); err != nil {
		t.Fatal(err)
	}
	return config
}

// TestASavedChangeOpensTheScreenAgain: an alias and hubs that are saved while the screen is open
// apply without a restart, and the person is told; a context that was named by a flag stays.
func TestASavedChangeOpensTheScreenAgain(t *testing.T) {
	t.Parallel()
	config, home := deadHubs(t), t.TempDir()
	path := filepath.Join(home, "stagewatch", "config.yaml")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	save := func(content string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	env := []string{"XDG_CONFIG_HOME=" + home, "KUBECONFIG=" + config}
	for _, named := range []bool{false, true} {
		save("")
		var args []string
		if named {
			args = []string{"--context", "one"}
		}
		s := start(t, 120, 36, env, stagewatch(t), args...)
		s.see(`^ one .*RECONNECTING`)
		save("contexts: {one: {alias: prod-weu}}\n")
		s.see(`^ prod-weu .*RECONNECTING`)
		s.see(`The changed configuration is applied`)
		save("contexts: {one: {alias: prod-weu}}\nhubs: [one, two]\n")
		if named {
			s.see(`The changed configuration is applied`)
			s.see(`^ prod-weu .*RECONNECTING`)
		} else {
			s.see(`prod-weu RECONNECTING.*two RECONNECTING`)
			save("theme: nord\n")
			s.see(`^ one .*RECONNECTING`)
		}
		s.keys("q")
		if code := s.ended(patience); code != exit.OK {
			t.Errorf("exit code %d: %s", code, s.stderr.String())
		}
		s.restored()
	}
}
