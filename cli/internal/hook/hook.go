// Package hook executes the program that a person configured for notifications: without a
// shell or a terminal, with JSON on stdin, for a limited time.
package hook

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"github.com/stagewatch/stagewatch/watch/client/apart"
)

const (
	// limit is how long a program may run.
	limit = 10 * time.Second
	// grace is how long the pipes of a program that has ended are read.
	grace = 200 * time.Millisecond
)

// Runner executes programs until it is closed.
type Runner struct {
	limit   time.Duration
	ended   context.Context
	end     context.CancelFunc
	mu      sync.Mutex // closed and the first of running
	closed  bool
	running sync.WaitGroup
}

// New returns a Runner without a program.
func New() *Runner {
	r := &Runner{limit: limit}
	r.ended, r.end = context.WithCancel(context.Background())
	return r
}

// Close kills what runs, and waits until it has ended. Nothing is executed from then on.
func (r *Runner) Close() {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	r.end()
	r.running.Wait()
}

// Run executes a program with a document as one line of JSON on stdin, and waits until it
// ends. A program that does not end in time is killed with all that it has started. The error
// has the last line of its stderr.
func (r *Runner) Run(ctx context.Context, program []string, document any) error {
	line, err := json.Marshal(document)
	if err != nil {
		return fmt.Errorf("encode notification: %w", err)
	}
	r.mu.Lock()
	if r.closed {
		r.mu.Unlock()
		return context.Canceled
	}
	r.running.Add(1)
	r.mu.Unlock()
	defer r.running.Done()
	ctx, cancel := context.WithTimeout(ctx, r.limit)
	defer cancel()
	defer context.AfterFunc(r.ended, cancel)()
	cmd := exec.CommandContext(ctx, program[0], program[1:]...)
	apart.Set(cmd)
	cmd.Stdin = bytes.NewReader(append(line, '\n'))
	cmd.WaitDelay = grace
	var errs apart.Tail
	cmd.Stderr = &errs
	err = cmd.Run()
	name := filepath.Base(program[0])
	switch {
	case err == nil, errors.Is(err, exec.ErrWaitDelay): // a child that it left behind holds stderr
		return nil
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fmt.Errorf("%s did not end within %s", name, r.limit)
	case errs.Last() != "":
		return fmt.Errorf("%s: %w: %s", name, err, errs.Last())
	}
	return fmt.Errorf("%s: %w", name, err)
}
