//go:build !unix && !windows

package apart

import "os/exec"

// Set has nothing to do where programs have no sessions.
func Set(*exec.Cmd) {}
