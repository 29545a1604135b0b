package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"
)

// directory is the name of the configuration's directory.
const directory = "stagewatch"

// Hint is what a person does about an invalid configuration.
const Hint = "stagewatch config validate lists all errors, stagewatch config schema all keys"

// errNoHome is returned where the file has no place.
var errNoHome = errors.New("no home directory; set XDG_CONFIG_HOME")

// Path returns where the file is, whether it exists or not.
func Path() (string, error) {
	if d := os.Getenv("XDG_CONFIG_HOME"); filepath.IsAbs(d) {
		return filepath.Join(d, directory, "config.yaml"), nil
	}
	h, err := os.UserHomeDir()
	if err != nil {
		return "", errNoHome
	}
	return filepath.Join(h, ".config", directory, "config.yaml"), nil
}

// Invalid is the error of a configuration that is not understood.
type Invalid struct {
	// Of is the path of the file, or the name of the environment variable.
	Of string
	// Problems has one sentence for each, in the order of the lines.
	Problems []string
}

// Error names the first problem.
func (e *Invalid) Error() string {
	s := fmt.Sprintf("invalid configuration %s: %s", e.Of, e.Problems[0])
	if n := len(e.Problems) - 1; n > 0 {
		s += fmt.Sprintf(" (and %d more)", n)
	}
	return s
}

// Load returns the effective configuration: the defaults, overridden by the file, if it
// exists, and by the environment variables.
func Load() (Config, error) {
	c, _, err := load(environment())
	return c, err
}

// load is Load; from names what set each key that has not its default.
func load(env map[string]string) (c Config, from map[string]string, err error) {
	c, from = Default(), map[string]string{}
	if path, perr := Path(); perr == nil {
		raw, rerr := os.ReadFile(path)
		switch {
		case errors.Is(rerr, fs.ErrNotExist):
		case rerr != nil:
			return Config{}, nil, fmt.Errorf("read configuration: %w", rerr)
		default:
			if c, err = Parse(path, raw); err != nil {
				return Config{}, nil, err
			}
			var set map[string]yaml.Node
			if yaml.Unmarshal(raw, &set) == nil {
				for key := range set {
					from[key] = path
				}
			}
		}
	}
	if err := c.override(env, from); err != nil {
		return Config{}, nil, err
	}
	return c, from, nil
}

// Parse reads a file; of names it in errors. Keys that are not set have their defaults.
func Parse(of string, raw []byte) (Config, error) {
	var doc yaml.Node
	d := yaml.NewDecoder(bytes.NewReader(raw))
	switch err := d.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return Default(), nil
	case err != nil:
		return Config{}, &Invalid{of, []string{strings.TrimPrefix(err.Error(), "yaml: ")}}
	}
	c := Default()
	problems := c.decode(&doc, inFile)
	if err := d.Decode(&yaml.Node{}); !errors.Is(err, io.EOF) {
		problems = append(problems, "it has more than one document")
	}
	if len(problems) > 0 {
		return Config{}, &Invalid{of, problems}
	}
	return c, nil
}
