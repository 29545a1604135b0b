package cli_test

import "golang.org/x/sys/unix"

const ioctlReadTermios = unix.TIOCGETA
