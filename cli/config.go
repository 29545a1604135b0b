package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/stagewatch/stagewatch/engine"
)

// config is the configuration file. What it does not know it refuses: a word
// that is misspelt must not leave a hub unprotected.
type config struct {
	// Contexts holds what is wanted for kubeconfig contexts; a key may hold *
	// for any characters, and all keys that match count.
	Contexts map[string]contextConfig `yaml:"contexts"`
	// Mouse gives the mouse to the screen from the start.
	Mouse bool `yaml:"mouse"`
	// Notify rings when a run begins to need a person.
	Notify bool `yaml:"notify"`
	// Members names the kubeconfig context of each member cluster; a key may
	// hold *, and the context {member}, which is the member's name.
	Members map[string]string `yaml:"members"`
	// MemberQueries is auto or off, as --member-queries; empty is auto.
	MemberQueries string `yaml:"memberQueries"`
}

// contextConfig is what is wanted for a context.
type contextConfig struct {
	// ReadOnly contexts are not written to, unless a person lifts it for a while.
	ReadOnly bool `yaml:"readOnly"`
	// Protected contexts require their name to be typed before every write.
	Protected bool `yaml:"protected"`
}

// configDir returns where the configuration is, empty when there is no home.
func configDir() string {
	if d := os.Getenv("XDG_CONFIG_HOME"); filepath.IsAbs(d) {
		return filepath.Join(d, program)
	}
	if h, err := os.UserHomeDir(); err == nil {
		return filepath.Join(h, ".config", program)
	}
	return ""
}

// loadConfig reads the configuration; one that does not exist is empty.
func loadConfig() (config, error) {
	dir := configDir()
	if dir == "" {
		return config{}, nil
	}
	path := filepath.Join(dir, "config.yaml")
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return config{}, nil
	}
	var c config
	if err == nil {
		c, err = parseConfig(raw)
	}
	if err != nil {
		return config{}, usage(engine.Textf("invalid configuration %s: %s", engine.Clean(path), engine.Clean(err.Error())),
			engine.Lit("its keys are contexts.NAME.readOnly, contexts.NAME.protected, members.NAME, memberQueries, mouse and notify"))
	}
	return c, nil
}

// goType is what the parser says about types, which helps nobody.
var goType = regexp.MustCompile(` in type \S+| into \S+$`)

func parseConfig(raw []byte) (config, error) {
	var c config
	d := yaml.NewDecoder(bytes.NewReader(raw))
	d.KnownFields(true)
	if err := d.Decode(&c); err != nil && !errors.Is(err, io.EOF) {
		var typed *yaml.TypeError
		if errors.As(err, &typed) && len(typed.Errors) > 0 {
			return config{}, errors.New(goType.ReplaceAllString(typed.Errors[0], ""))
		}
		return config{}, err
	}
	switch c.MemberQueries {
	case "", queriesAuto, queriesOff:
	default:
		return config{}, fmt.Errorf("memberQueries is %q: use auto or off", c.MemberQueries)
	}
	if err := d.Decode(&config{}); !errors.Is(err, io.EOF) {
		return config{}, errors.New("it has more than one document")
	}
	return c, nil
}

// of returns what is wanted for a context: each wish of each key that matches.
func (c config) of(context string) contextConfig {
	var out contextConfig
	for pattern, k := range c.Contexts {
		if globMatch(pattern, context) {
			out.ReadOnly = out.ReadOnly || k.ReadOnly
			out.Protected = out.Protected || k.Protected
		}
	}
	return out
}

// globMatch reports whether a pattern, in which * is any characters, is a name.
func globMatch(pattern, name string) bool {
	head, rest, star := strings.Cut(pattern, "*")
	if !star {
		return pattern == name
	}
	name, ok := strings.CutPrefix(name, head)
	if !ok {
		return false
	}
	for {
		if globMatch(rest, name) {
			return true
		}
		if name == "" {
			return false
		}
		name = name[1:]
	}
}

// apply puts what the configuration says about the context into the settings.
func (c config) apply(s *engine.Settings, context string) {
	k := c.of(context)
	s.Protected = s.Protected || k.Protected
	if k.ReadOnly && s.ReadOnly.IsZero() {
		s.Raisable = true
		s.ReadOnly = engine.Textf("the configuration makes context %s read-only", engine.Clean(context))
	}
}
