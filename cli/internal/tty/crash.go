package tty

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"time"
)

// WriteCrash writes the details of a crash, after the line head, into a new file
// for its owner only, in the first directory that can be written to. Empty names
// of directories are skipped. It returns the path of the file.
func WriteCrash(dirs []string, head string, details []byte) (string, error) {
	name := "crash-" + time.Now().UTC().Format("20060102-150405.000") + ".txt"
	var first error
	for _, dir := range dirs {
		if dir == "" {
			continue
		}
		path := filepath.Join(dir, name)
		err := os.MkdirAll(dir, 0o700)
		if err == nil {
			err = os.WriteFile(path, append([]byte(head+"\n\n"), details...), 0o600)
		}
		if err == nil {
			return path, nil
		}
		if first == nil {
			first = err
		}
	}
	return "", fmt.Errorf("write crash file: %w", first)
}

// panicDetails is what a crash file says about a recovered value.
func panicDetails(v any) []byte { return fmt.Appendf(nil, "panic: %v\n\n%s", v, debug.Stack()) }
