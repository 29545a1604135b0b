//go:build !unix

package tty

import (
	"os"
	"syscall"
)

// EndSignals are the signals that end the program in good order.
func EndSignals() []os.Signal { return []os.Signal{os.Interrupt, syscall.SIGTERM} }

// writeNow writes to a terminal; the caller waits only so long.
func writeNow(tty *os.File, s string) {
	//nolint:errcheck // the process is about to end and has no one to tell
	tty.WriteString(s)
}
