//go:build unix

package hub

import (
	"errors"
	"os"
	"syscall"
)

// tryLock takes the lock on an open file if nobody holds it. The lock ends when
// the file is closed, at the latest with the process.
func tryLock(f *os.File) (bool, error) {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}
