// Package statedir reads and writes the files that stagewatch keeps for a person
// between sessions: the audit log, the contexts that served the hub API, the
// contexts chosen for members, and the view of each context. None holds a secret.
package statedir

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Dir is the directory of the files; empty without a home directory, when nothing
// is read and every write is an error.
type Dir string

// errNoHome is what a write returns for an empty Dir.
var errNoHome = errors.New("no home directory; set XDG_STATE_HOME")

// Default returns the directory stagewatch in $XDG_STATE_HOME, or in
// ~/.local/state.
func Default() Dir {
	if d := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(d) {
		return Dir(filepath.Join(d, "stagewatch"))
	}
	if h, err := os.UserHomeDir(); err == nil {
		return Dir(filepath.Join(h, ".local", "state", "stagewatch"))
	}
	return ""
}

// AppendAudit appends a record to the audit log, as one line of JSON. The file is
// opened for each record, so that it can be moved away at any time.
func (d Dir) AppendAudit(record any) error {
	if d == "" {
		return errNoHome
	}
	line, err := json.Marshal(record)
	if err != nil {
		return fmt.Errorf("encode audit record: %w", err)
	}
	if err := os.MkdirAll(string(d), 0o700); err != nil {
		return fmt.Errorf("make state directory: %w", err)
	}
	f, err := os.OpenFile(filepath.Join(string(d), "audit.jsonl"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("open audit log: %w", err)
	}
	_, err = f.Write(append(line, '\n'))
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("write audit log: %w", err)
	}
	return nil
}

// read decodes a file; one that does not exist leaves into as it is.
func (d Dir) read(name string, into any) error {
	if d == "" {
		return nil
	}
	path := filepath.Join(string(d), name)
	raw, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return fmt.Errorf("decode %s: %w", path, err)
	}
	return nil
}

// replace writes a file as a whole: another session never reads half of it.
func (d Dir) replace(name string, value any) error {
	if d == "" {
		return errNoHome
	}
	raw, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(string(d), 0o700); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(string(d), name+".*.tmp")
	if err != nil {
		return err
	}
	_, err = tmp.Write(append(raw, '\n'))
	// Synced before the rename: a crash of the machine leaves the old file or the new one.
	if err = errors.Join(err, tmp.Sync(), tmp.Close()); err == nil {
		err = os.Rename(tmp.Name(), filepath.Join(string(d), name))
	}
	if err != nil {
		return errors.Join(err, os.Remove(tmp.Name()))
	}
	return nil
}
