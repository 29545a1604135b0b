// Package hook executes the program that a person configured for notifications: without a
// shell, with JSON on stdin, for a limited time.
package hook

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

const (
	// limit is how long a program may run.
	limit = 10 * time.Second
	// atOnce is how many run at the same time.
	atOnce = 2
	// lastBytes is how much of stderr is kept for the error.
	lastBytes = 4096
)

// free has room for the programs that run.
var free = make(chan struct{}, atOnce)

// Run executes a program with a document as one line of JSON on stdin, and waits until it
// ends. The error has the last line of its stderr.
func Run(ctx context.Context, program []string, document any) error {
	return run(ctx, limit, program, document)
}

func run(ctx context.Context, limit time.Duration, program []string, document any) error {
	line, err := json.Marshal(document)
	if err != nil {
		return fmt.Errorf("encode notification: %w", err)
	}
	select {
	case free <- struct{}{}:
		defer func() { <-free }()
	case <-ctx.Done():
		return ctx.Err()
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, program[0], program[1:]...)
	cmd.Stdin = bytes.NewReader(append(line, '\n'))
	cmd.WaitDelay = time.Second // a child of it may hold stderr
	var errs tail
	cmd.Stderr = &errs
	err = cmd.Run()
	name := filepath.Base(program[0])
	switch {
	case err == nil:
		return nil
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fmt.Errorf("%s did not end within %s", name, limit)
	case errs.last() != "":
		return fmt.Errorf("%s: %w: %s", name, err, errs.last())
	}
	return fmt.Errorf("%s: %w", name, err)
}

// tail keeps the end of what is written.
type tail struct{ kept []byte }

func (t *tail) Write(b []byte) (int, error) {
	t.kept = append(t.kept, b...)
	t.kept = t.kept[max(0, len(t.kept)-lastBytes):]
	return len(b), nil
}

// last is the last line that is not empty.
func (t *tail) last() string {
	lines := strings.Split(strings.TrimSpace(string(t.kept)), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}
