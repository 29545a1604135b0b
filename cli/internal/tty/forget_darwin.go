package tty

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// readSide is FREAD of <fcntl.h>: the queue of what was typed.
const readSide = 1

// writeSide is FWRITE of <fcntl.h>: the queue of what was written.
const writeSide = 2

// forget throws away what was typed into a terminal and not read yet. Where it
// cannot, the lines are read and dropped all the same.
func forget(in io.Reader) {
	if f, ok := in.(*os.File); ok {
		//nolint:errcheck // see above
		unix.IoctlSetPointerInt(int(f.Fd()), unix.TIOCFLUSH, readSide)
	}
}

// discard removes what a terminal has not read yet.
func discard(out *os.File) {
	control(out, func(fd int) error { return unix.IoctlSetPointerInt(fd, unix.TIOCFLUSH, writeSide) })
}
