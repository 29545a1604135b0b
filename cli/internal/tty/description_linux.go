package tty

import (
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// ownDescription opens a terminal again, so that writes to it have deadlines: the
// description that it has is shared with the shell and must not become non-blocking. It
// returns the terminal itself if that is not possible.
func ownDescription(terminal *os.File) *os.File {
	f, err := os.OpenFile("/proc/self/fd/"+strconv.Itoa(int(terminal.Fd())), os.O_WRONLY|unix.O_NONBLOCK|unix.O_NOCTTY, 0)
	if err != nil {
		return terminal
	}
	if err := f.SetWriteDeadline(time.Time{}); err != nil {
		//nolint:errcheck // nothing was written
		f.Close()
		return terminal
	}
	return f
}
