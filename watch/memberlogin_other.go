//go:build !unix

package watch

import "os/exec"

// apart has nothing to do where programs have no sessions.
func apart(*exec.Cmd) {}
