//go:build linux || darwin || freebsd || netbsd || openbsd

package main

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"syscall"
)

// quiet keeps the store's client off the terminal. It logs canceled requests to
// the file descriptor of stderr, through a logger that was made before main and
// cannot be reached. So the descriptor leads nowhere from now on, and os.Stderr,
// and the trace of a crash, to where it led before.
func quiet() error {
	const stderr = 2
	nowhere, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return fmt.Errorf("open %s: %w", os.DevNull, err)
	}
	saved, err := syscall.Dup(stderr)
	if err == nil {
		syscall.CloseOnExec(saved)
		err = redirect(int(nowhere.Fd()), stderr)
	}
	if err = errors.Join(err, nowhere.Close()); err != nil {
		return fmt.Errorf("redirect stderr: %w", err)
	}
	os.Stderr = os.NewFile(uintptr(saved), "/dev/stderr")
	return debug.SetCrashOutput(os.Stderr, debug.CrashOptions{})
}
