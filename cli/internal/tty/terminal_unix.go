//go:build unix

package tty

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// EndSignals are the signals that end the program in good order.
func EndSignals() []os.Signal {
	return []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT}
}

// writeNow writes to a terminal without waiting for one that takes nothing.
// Opening it again gives a description of its own: the shared one, which the
// shell goes on using, must not be made non-blocking.
func writeNow(tty *os.File, s string) {
	fd, err := unix.Open("/dev/tty", unix.O_WRONLY|unix.O_NONBLOCK|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		//nolint:errcheck // the caller waits only so long, and has no one to tell
		tty.WriteString(s)
		return
	}
	//nolint:errcheck // as above
	unix.Write(fd, []byte(s))
	//nolint:errcheck // as above
	unix.Close(fd)
}
