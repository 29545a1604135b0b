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
	s.keys(":ctx one\r")
	s.see(`^ one .*RECONNECTING`)
	s.keys("q")
	if code := s.ended(patience); code != exit.OK {
		t.Errorf("exit code %d", code)
	}
	s.restored()
}
