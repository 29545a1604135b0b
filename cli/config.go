package cli

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

	"github.com/stagewatch/stagewatch/engine"
	"go.yaml.in/yaml/v3"
)

// The values of memberQueries and --member-queries.
const (
	queriesAuto = "auto"
	queriesOff  = "off"
)

// config is the configuration file. An unknown key is an error: a misspelt one
// must not leave a hub unprotected.
type config struct {
	// Contexts holds the settings of kubeconfig contexts. A key may contain * for any
	// characters; all keys that match apply.
	Contexts map[string]contextConfig `yaml:"contexts"`
	// Mouse turns the mouse on from the start.
	Mouse bool `yaml:"mouse"`
	// Notify rings when a run begins to need attention.
	Notify bool `yaml:"notify"`
	// Members names the kubeconfig context of each member cluster; a key may
	// hold *, and the context {member}, which is the member's name.
	Members map[string]string `yaml:"members"`
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

// configHint names the keys of the configuration.
const configHint = "its keys are contexts.NAME.readOnly, contexts.NAME.protected, members.NAME, memberQueries, mouse and notify"

// configDir returns where the configuration is, empty when there is no home.
func configDir() string {
	if d := os.Getenv("XDG_CONFIG_HOME"); filepath.IsAbs(d) {
		return filepath.Join(d, directory)
	}
	if h, err := os.UserHomeDir(); err == nil {
		return filepath.Join(h, ".config", directory)
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
		return config{}, fmt.Errorf("invalid configuration %s: %w", path, err)
	}
	return c, nil
}

// goType is the part of a parser error that names a Go type.
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

// of returns the settings of a context, from all keys that match.
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

// apply adds the settings of a context to s.
func (c config) apply(s *engine.Settings, context string) {
	k := c.of(context)
	s.Protected = s.Protected || k.Protected
	if k.ReadOnly && s.ReadOnly.IsZero() {
		s.Raisable = true
		s.ReadOnly = engine.Textf("the configuration makes context %s read-only", engine.Clean(context))
	}
}

// memberContext is the name of the context that a member is reached with, and
// who says so, if anybody does. Of several keys that match, one without * counts,
// then the longest, then the first by name.
func (c config) memberContext(member string) (name, whence string) {
	const here = "is configured"
	best := ""
	for _, pattern := range slices.Sorted(maps.Keys(c.Members)) {
		switch {
		case pattern == member:
			return strings.ReplaceAll(c.Members[pattern], "{member}", member), here
		case globMatch(pattern, member) && len(pattern) > len(best):
			best = pattern
		}
	}
	if best == "" {
		return member, ""
	}
	return strings.ReplaceAll(c.Members[best], "{member}", member), here
}
