package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

// TestReleasedBinary starts the binary of a release build, which `.ci/run release`
// names.
func TestReleasedBinary(t *testing.T) {
	binary := os.Getenv("STAGEWATCH_RELEASED")
	if binary == "" {
		t.Skip("STAGEWATCH_RELEASED names no binary")
	}
	none := filepath.Join(t.TempDir(), "none")
	for _, tt := range []struct {
		args []string
		want string
		exit int
	}{
		{[]string{"--version"}, `^stagewatch \d+\.\d+\.\d+`, 0},
		{[]string{"--help"}, `(?s)staged update runs.*--kubeconfig`, 0},
		{[]string{"completion", "bash"}, `complete -o default -F __start_stagewatch stagewatch`, 0},
		{[]string{"--kubeconfig", none, "-o", "json"}, `^error: `, 2},
	} {
		cmd := exec.CommandContext(t.Context(), binary, tt.args...)
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		_ = cmd.Run() // the exit code says how it ended
		if got := cmd.ProcessState.ExitCode(); got != tt.exit {
			t.Errorf("%q: exit code %d, want %d", tt.args, got, tt.exit)
		}
		if !regexp.MustCompile(tt.want).Match(out.Bytes()) {
			t.Errorf("%q printed no %q:\n%.500s", tt.args, tt.want, out.Bytes())
		}
	}
}
