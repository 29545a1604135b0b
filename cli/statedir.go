package cli

import (
	"os"
	"path/filepath"
)

// stateDir returns where the audit, crash files and remembered choices are kept,
// empty when there is no home.
func stateDir() string {
	if d := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(d) {
		return filepath.Join(d, "stagewatch")
	}
	if h, err := os.UserHomeDir(); err == nil {
		return filepath.Join(h, ".local", "state", "stagewatch")
	}
	return ""
}
