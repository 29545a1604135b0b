//go:build linux || darwin

package cli_test

import (
	"bytes"
	"errors"
	"os/exec"
	"strings"
	"testing"
)

// A run that may not be read is not "not found": every command exits with 7 and names
// the missing right.
func TestARunThatMayNotBeRead(t *testing.T) {
	t.Parallel()
	d := tour(t)
	for _, args := range []string{
		"explain csur/search-r12", "plan csur/search-r12", "wait csur/search-r12", "stop csur/search-r12 --yes", "csur/search-r12 -o json",
		"explain -n team-payments csur/search-r12", "explain team-search/suggest-r13", "plan team-search/suggest-r13", "-n team-search suggest-r13 -o json",
	} {
		cmd := exec.Command(stagewatch(t), append([]string{"--kubeconfig", d.kubeconfig, "--context", "stagewatch-demo-tenant"}, strings.Fields(args)...)...)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		err := cmd.Run()
		var ended *exec.ExitError
		if !errors.As(err, &ended) || ended.ExitCode() != 7 || !strings.Contains(stderr.String(), `User "tenant" cannot `) || strings.Contains(stderr.String(), "not found") {
			t.Errorf("%s: %v\n%s", args, err, stderr.String())
		}
	}
}
