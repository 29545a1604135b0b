package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/stagewatch/stagewatch/watch"
)

// audit appends what is written to hubs to a file of the person's own, a JSON
// object a line. The file is opened for each line, so that it can be moved away
// any time.
func audit(r watch.Record) error {
	dir := stateDir()
	if dir == "" {
		return errors.New("no home directory; set XDG_STATE_HOME")
	}
	line, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("encode audit line: %w", err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make directory: %w", err)
	}
	f, err := os.OpenFile(filepath.Join(dir, "audit.jsonl"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("open audit log: %w", err)
	}
	_, err = f.Write(append(line, '\n'))
	return errors.Join(err, f.Close())
}
