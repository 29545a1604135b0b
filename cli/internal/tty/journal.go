package tty

import (
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/stagewatch/stagewatch/engine"
)

// Journal is the log of what must not reach the terminal while a screen is open:
// messages of client-go, output of exec plugins, why the program ended. It is
// safe for use by several goroutines.
type Journal struct {
	mu   sync.Mutex
	file *os.File
}

// OpenJournal opens the file for appending, for its owner only; an empty path
// gives a journal that discards.
func OpenJournal(path string) (*Journal, error) {
	if path == "" {
		return &Journal{}, nil
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open log file: %w", err)
	}
	return &Journal{file: f}, nil
}

// Write appends p, each line with its time and without control characters. It
// never fails: a full disk must not end the screen.
func (j *Journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.file == nil {
		return len(p), nil
	}
	at := time.Now().UTC().Format(time.RFC3339)
	for _, line := range engine.Lines(string(p)) {
		//nolint:errcheck // see above
		fmt.Fprintf(j.file, "%s %s\n", at, line)
	}
	return len(p), nil
}

// Close closes the file.
func (j *Journal) Close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.file == nil {
		return nil
	}
	f := j.file
	j.file = nil
	return f.Close()
}
