//go:build unix

package tty

import (
	"os"
	"syscall"
)

// EndSignals are the signals that end the program in good order.
func EndSignals() []os.Signal {
	return []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT}
}

// control calls act with the descriptor of a file, which File.Fd would make blocking.
func control(f *os.File, act func(fd int) error) {
	raw, err := f.SyscallConn()
	if err != nil {
		return // closed
	}
	//nolint:errcheck // a terminal that cannot do it goes on without
	raw.Control(func(fd uintptr) {
		//nolint:errcheck // as above
		act(int(fd))
	})
}
