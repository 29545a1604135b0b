//go:build unix

package hook

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// pipe returns the path of a named pipe.
func pipe(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestNothingIsLeftAtTheEnd: a program that runs when the process ends is killed with what it
// has started.
func TestNothingIsLeftAtTheEnd(t *testing.T) {
	path := pipe(t)
	child, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer child.Close()
	cmd := exec.Command(os.Args[0], path)
	cmd.Env = append(os.Environ(), asProgram+"=close")
	said, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(child); err != nil { // to the end of the child
		t.Errorf("the child of the program runs: %v", err)
		if group, err := strconv.Atoi(strings.TrimSpace(string(said))); err == nil && group > 1 {
			syscall.Kill(-group, syscall.SIGKILL)
		}
	}
}

// TestAChildIsLeftBehind: a program that succeeds may leave a child that holds its stderr.
func TestAChildIsLeftBehind(t *testing.T) {
	path := pipe(t)
	holds, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer holds.Close() // ends the child
	if err := New().Run(t.Context(), []string{"sh", "-c", `read x < "$0" &`, path}, 1); err != nil {
		t.Error(err)
	}
}
