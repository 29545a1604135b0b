package tty

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// forget throws away what was typed into a terminal and not read yet. Where it
// cannot, the lines are read and dropped all the same.
func forget(in io.Reader) {
	if f, ok := in.(*os.File); ok {
		//nolint:errcheck // see above
		unix.IoctlSetInt(int(f.Fd()), unix.TCFLSH, unix.TCIFLUSH)
	}
}

// discard removes what a terminal has not read yet.
func discard(out *os.File) {
	control(out, func(fd int) error { return unix.IoctlSetInt(fd, unix.TCFLSH, unix.TCOFLUSH) })
}
