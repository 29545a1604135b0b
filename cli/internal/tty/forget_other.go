//go:build !linux && !darwin

package tty

import (
	"io"
	"os"
)

// forget has no way here to throw away what was typed before; whole lines of it
// are read and dropped.
func forget(io.Reader) {}

// discard has no way here to remove what a terminal has not read yet.
func discard(*os.File) {}
