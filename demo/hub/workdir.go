package hub

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

const (
	// dirPrefix starts the name of every hub's directory. It is short because
	// the path of a unix socket must fit in about 100 bytes.
	dirPrefix = "stagewatch-hub-"
	lockName  = "lock"
	// bareDirAge is how old a directory without a lock must be to count as left
	// behind: its owner locks it right after making it.
	bareDirAge = time.Minute
)

// workDir is a directory that belongs to this process as long as it lives: the
// lock on it ends with the process, however the process ends.
type workDir struct {
	path string
	lock *os.File
}

func newWorkDir() (*workDir, error) {
	path, err := os.MkdirTemp("", dirPrefix)
	if err != nil {
		return nil, fmt.Errorf("make hub directory: %w", err)
	}
	d := &workDir{path: path}
	// Locked before it gets its name: nobody ever sees it free.
	fresh := filepath.Join(path, lockName+".new")
	if d.lock, err = os.OpenFile(fresh, os.O_CREATE|os.O_RDWR|os.O_EXCL, 0o600); err == nil {
		var got bool
		if got, err = tryLock(d.lock); err == nil && !got {
			err = errors.New("somebody else holds it")
		}
		if err == nil {
			err = os.Rename(fresh, filepath.Join(path, lockName))
		}
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("lock hub directory: %w", err), d.remove())
	}
	return d, nil
}

// remove deletes the directory, then gives up the lock on it.
func (d *workDir) remove() error {
	err := os.RemoveAll(d.path)
	if d.lock != nil {
		err = errors.Join(err, d.lock.Close())
	}
	if err != nil {
		return fmt.Errorf("remove hub directory: %w", err)
	}
	return nil
}

// sweep removes the directories of hubs whose process is gone. Directories that
// belong to somebody else, or to a living process, are left alone.
func sweep() error {
	found, err := filepath.Glob(filepath.Join(os.TempDir(), dirPrefix+"*"))
	if err != nil {
		return fmt.Errorf("look for left hub directories: %w", err)
	}
	for _, path := range found {
		if err := sweepDir(path); err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission) {
			return fmt.Errorf("remove left hub directory: %w", err)
		}
	}
	return nil
}

func sweepDir(path string) error {
	info, err := os.Lstat(path)
	if err != nil || !info.IsDir() {
		return err
	}
	lock, err := os.OpenFile(filepath.Join(path, lockName), os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		if time.Since(info.ModTime()) < bareDirAge {
			return nil
		}
		return os.RemoveAll(path)
	}
	if err != nil {
		return err
	}
	free, err := tryLock(lock)
	if err == nil && free {
		err = os.RemoveAll(path)
	}
	return errors.Join(err, lock.Close())
}
