//go:build !unix

package tty

import (
	"os"
	"syscall"
)

// EndSignals are the signals that end the program in good order.
func EndSignals() []os.Signal { return []os.Signal{os.Interrupt, syscall.SIGTERM} }
