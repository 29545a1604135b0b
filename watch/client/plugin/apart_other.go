//go:build !unix && !windows

package plugin

import "os/exec"

// apart has nothing to do where programs have no sessions.
func apart(*exec.Cmd) {}
