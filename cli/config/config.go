// Package config reads the configuration file: protected and read-only contexts, the
// contexts of member clusters, mouse and notifications.
package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/stagewatch/stagewatch/engine"
)

// The values of memberQueries and --member-queries.
const (
	QueriesAuto = "auto"
	QueriesOff  = "off"
)

// Config is the configuration file. An unknown key is an error: a misspelt one
// must not leave a hub unprotected.
type Config struct {
	// Contexts holds the settings of kubeconfig contexts. A key may contain * for any
	// characters; all keys that match apply.
	Contexts map[string]contextConfig `yaml:"contexts"`
	// Hubs are the kubeconfig contexts whose runs are shown in one list unless flags name
	// others; each may contain *.
	Hubs []string `yaml:"hubs"`
	// Mouse turns the mouse on from the start.
	Mouse bool `yaml:"mouse"`
	// Notify rings when a run begins to need attention.
	Notify bool `yaml:"notify"`
	// Members names the kubeconfig context of each member cluster; a key may
	// hold *, and the context {member}, which is the member's name.
	Members map[string]string `yaml:"members"`
	// Theme is a theme of the screen; empty is the default.
	Theme string `yaml:"theme"`
	// MemberQueries is auto or off, as --member-queries; empty is auto.
	MemberQueries string `yaml:"memberQueries"`
}

// contextConfig are the settings of a context.
type contextConfig struct {
	// ReadOnly contexts are not written to, unless a person permits writes for a while.
	ReadOnly bool `yaml:"readOnly"`
	// Protected contexts require their name to be typed before every write.
	Protected bool `yaml:"protected"`
}

// directory is the name of the configuration's directory.
const directory = "stagewatch"

// Hint names the keys of the configuration.
const Hint = "its keys are contexts.NAME.readOnly, contexts.NAME.protected, hubs, members.NAME, memberQueries, mouse, notify and theme"

// Dir returns where the configuration is, empty when there is no home.
func Dir() string {
	if d := os.Getenv("XDG_CONFIG_HOME"); filepath.IsAbs(d) {
		return filepath.Join(d, directory)
	}
	if h, err := os.UserHomeDir(); err == nil {
		return filepath.Join(h, ".config", directory)
	}
	return ""
}

// Load reads the configuration; one that does not exist is empty.
func Load() (Config, error) {
	dir := Dir()
	if dir == "" {
		return Config{}, nil
	}
	path := filepath.Join(dir, "config.yaml")
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Config{}, nil
	}
	var c Config
	if err == nil {
		c, err = parse(raw)
	}
	if err != nil {
		return Config{}, fmt.Errorf("invalid configuration %s: %w", path, err)
	}
	return c, nil
}

// goType is the part of a parser error that names a Go type.
var goType = regexp.MustCompile(` in type \S+| into \S+$`)

func parse(raw []byte) (Config, error) {
	var c Config
	d := yaml.NewDecoder(bytes.NewReader(raw))
	d.KnownFields(true)
	if err := d.Decode(&c); err != nil && !errors.Is(err, io.EOF) {
		var typed *yaml.TypeError
		if errors.As(err, &typed) && len(typed.Errors) > 0 {
			return Config{}, errors.New(goType.ReplaceAllString(typed.Errors[0], ""))
		}
		return Config{}, err
	}
	switch c.MemberQueries {
	case "", QueriesAuto, QueriesOff:
	default:
		return Config{}, fmt.Errorf("memberQueries is %q: use auto or off", c.MemberQueries)
	}
	if err := d.Decode(&Config{}); !errors.Is(err, io.EOF) {
		return Config{}, errors.New("it has more than one document")
	}
	return c, nil
}

// of returns the settings of a context, from all keys that match.
func (c Config) of(context string) contextConfig {
	var out contextConfig
	for pattern, k := range c.Contexts {
		if Match(pattern, context) {
			out.ReadOnly = out.ReadOnly || k.ReadOnly
			out.Protected = out.Protected || k.Protected
		}
	}
	return out
}

// Match reports whether a pattern, in which * is any characters, is a name.
func Match(pattern, name string) bool {
	head, rest, star := strings.Cut(pattern, "*")
	if !star {
		return pattern == name
	}
	name, ok := strings.CutPrefix(name, head)
	if !ok {
		return false
	}
	for {
		if Match(rest, name) {
			return true
		}
		if name == "" {
			return false
		}
		name = name[1:]
	}
}

// Apply adds the settings of a context to s.
func (c Config) Apply(s *engine.Settings, context string) {
	k := c.of(context)
	s.Protected = s.Protected || k.Protected
	if k.ReadOnly && s.ReadOnly.IsZero() {
		s.Raisable = true
		s.ReadOnly = engine.Textf("the configuration makes context %s read-only", engine.Clean(context))
	}
}

// MemberContext is the name of the context that a member is reached with, and
// who says so, if anybody does. Of several keys that match, one without * counts,
// then the longest, then the first by name.
func (c Config) MemberContext(member string) (name, whence string) {
	const here = "is configured"
	best := ""
	for _, pattern := range slices.Sorted(maps.Keys(c.Members)) {
		switch {
		case pattern == member:
			return strings.ReplaceAll(c.Members[pattern], "{member}", member), here
		case Match(pattern, member) && len(pattern) > len(best):
			best = pattern
		}
	}
	if best == "" {
		return member, ""
	}
	return strings.ReplaceAll(c.Members[best], "{member}", member), here
}
