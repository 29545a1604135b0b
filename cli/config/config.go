// Package config reads the configuration: the file, whose errors have a line, and the
// environment variables, which override it. It makes the JSON schema of the file.
package config

import (
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/column"
	"github.com/stagewatch/stagewatch/keymap"
	"github.com/stagewatch/stagewatch/ui/notify"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// The values of memberQueries and --member-queries.
const (
	QueriesAuto = "auto"
	QueriesOff  = "off"
)

// The values of layout: as many panes side by side as the terminal has room for, or at most
// that many.
const (
	LayoutAuto = "auto"
	LayoutOne  = "one"
	LayoutTwo  = "two"
)

// Config is the configuration file. Each key has its documentation and, where only some
// values are possible, the name of their list as tags: errors, the schema and the
// environment variables are made from them.
type Config struct {
	Contexts      map[string]contextConfig `yaml:"contexts" doc:"settings of kubeconfig contexts; * in a name is any characters, and all names that match apply"`
	Hubs          []string                 `yaml:"hubs" doc:"the kubeconfig contexts, or their aliases, whose runs are listed unless a flag names others; * is any characters"`
	Mouse         bool                     `yaml:"mouse" doc:"the mouse is on from the start"`
	Notify        bool                     `yaml:"notify" doc:"ring when a run begins to need attention"`
	Notifications notifications            `yaml:"notifications" doc:"how notifications are sent"`
	Members       map[string]string        `yaml:"members" doc:"the kubeconfig context of each member cluster; * in a name is any characters, {member} in a context is the member's name"`
	Keys          keysConfig               `yaml:"keys" doc:"the keys of the screen"`
	Themes        map[string]themeConfig   `yaml:"themes" doc:"themes of your own, by their names"`
	Theme         string                   `yaml:"theme" doc:"the theme of the screen" values:"themes"`
	Columns       []string                 `yaml:"columns" doc:"the columns of the list and of -o table, in their order; label:KEY, annotation:KEY and jsonpath:HEAD:PATH show a label, an annotation or another value of the run" values:"columns"`
	Views         Views                    `yaml:"views" doc:"filters and orders of the list with a name, in the order of the keys 1 to 9"`
	Layout        string                   `yaml:"layout" doc:"how many panes stand side by side at most; auto: as many as the terminal has room for" values:"layouts"`
	MemberQueries string                   `yaml:"memberQueries" doc:"whether the pods of a stuck cluster are read automatically" values:"queries"`
}

// contextConfig are the settings of a context.
type contextConfig struct {
	ReadOnly  bool `yaml:"readOnly" doc:"nothing is written, unless a person permits writes for a while"`
	Protected bool `yaml:"protected" doc:"every write requires the context's name to be typed"`
	// What a person sees of it.
	Alias     string `yaml:"alias" doc:"a name for the context, shown in its place; only for a name without *" values:"aliases"`
	Colour    string `yaml:"colour" doc:"the colour of the context's name, as the theme has it" values:"contextColours"`
	Favourite bool   `yaml:"favourite" doc:":ctx lists it first"`
}

// keysConfig are the keys of the screen.
type keysConfig struct {
	Preset string   `yaml:"preset" doc:"the keys to start from" values:"presets"`
	Bind   bindings `yaml:"bind" doc:"the keys of an action, in place of those of the preset: one, or a list" values:"actions"`
}

// bindings are keys by the name of their action.
type bindings map[string]keyList

// keyList is one key, or a list.
type keyList []string

// UnmarshalYAML reads both.
func (k *keyList) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		*k = keyList{n.Value}
		return nil
	}
	return n.Decode((*[]string)(k))
}

// Map returns the keys of the screen; the error names an action that cannot have its keys. A key of
// the configuration overrides the preset where the action that has it there keeps another key.
func (k keysConfig) Map() (keymap.Map, error) {
	m := keymap.Preset(k.Preset)
	actions := slices.Sorted(maps.Keys(k.Bind))
	for _, action := range actions {
		bound, err := m.Bind(action, k.Bind[action])
		if err != nil {
			return m, err
		}
		m = bound
	}
	return m.Yield(actions), nil
}

// notifications are how notifications are sent.
type notifications struct {
	Bell     bool     `yaml:"bell" doc:"ring the bell of the terminal"`
	Desktop  string   `yaml:"desktop" doc:"desktop notifications: the escape sequence that the terminal supports, or off" values:"desktops"`
	Progress bool     `yaml:"progress" doc:"show the progress of the opened run in the task bar (OSC 9;4)"`
	Exec     []string `yaml:"exec" doc:"a program and its arguments, which is executed for each notification with JSON on stdin, without a shell"`
	Quiet    string   `yaml:"quiet" doc:"hours of the day, such as 22:00-07:00, in which notifications show only on the screen" values:"hours"`
}

// themeConfig is a theme.
type themeConfig struct {
	Base    string            `yaml:"base" doc:"the theme that supplies the colours not set here" values:"bases"`
	Colours map[string]string `yaml:"colours" doc:"#rrggbb, or 0 to 255 for a colour of the terminal" values:"colours"`
}

// OwnThemes returns the themes of the configuration, by name.
func (c *Config) OwnThemes() (out []theme.Own) {
	for _, name := range slices.Sorted(maps.Keys(c.Themes)) {
		out = append(out, theme.Own{Name: name, Base: c.Themes[name].Base, Colours: c.Themes[name].Colours})
	}
	return out
}

// View is a filter and an order of the list.
type View struct {
	Name       string `yaml:"-"`
	Filter     string `yaml:"filter" doc:"as typed after /" values:"filters"`
	Sort       string `yaml:"sort" doc:"the name of a column that can be sorted by; without it, runs that need attention come first" values:"sorts"`
	Descending bool   `yaml:"descending" doc:"the largest first"`
}

// Views are written as a mapping, whose order counts.
type Views []View

// UnmarshalYAML reads the mapping.
func (v *Views) UnmarshalYAML(n *yaml.Node) error {
	*v = nil
	for i := 0; i+1 < len(n.Content); i += 2 {
		one := View{Name: n.Content[i].Value}
		if err := n.Content[i+1].Decode(&one); err != nil {
			return err
		}
		*v = append(*v, one)
	}
	return nil
}

// MarshalYAML returns the mapping.
func (v Views) MarshalYAML() (any, error) {
	out := &yaml.Node{Kind: yaml.MappingNode}
	for _, one := range v {
		var value yaml.Node
		if err := value.Encode(one); err != nil {
			return nil, err
		}
		out.Content = append(out.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: one.Name}, &value)
	}
	return out, nil
}

// Default returns the configuration of a program without a file and variables.
func Default() Config {
	return Config{
		Keys: keysConfig{Preset: keymap.DefaultPreset}, Theme: theme.Default, Layout: LayoutAuto, MemberQueries: QueriesAuto,
		Notifications: notifications{Bell: true, Desktop: notify.DesktopOSC9},
	}
}

// values returns the list that a values tag names.
func values(list string) []string {
	switch list {
	case "themes", "bases":
		return theme.Names()
	case "columns":
		return column.Names()
	case "sorts":
		return column.SortNames(nil)
	case "colours":
		return theme.ColourNames()
	case "contextColours":
		return theme.ContextColours()
	case "presets":
		return keymap.Presets()
	case "actions":
		return keymap.Names()
	case "desktops":
		return notify.Desktops()
	case "layouts":
		return []string{LayoutAuto, LayoutOne, LayoutTwo}
	case "queries":
		return []string{QueriesAuto, QueriesOff}
	}
	return nil
}

// MostPanes returns how many panes stand side by side at most; 0 for as many as have room.
func (c Config) MostPanes() int {
	return slices.Index([]string{LayoutAuto, LayoutOne, LayoutTwo}, c.Layout)
}

// Means returns how notifications are sent.
func (c Config) Means() notify.Means {
	n := c.Notifications
	quiet, _ := notify.ParseHours(n.Quiet) // checked when it was read
	return notify.Means{All: c.Notify, Silent: !n.Bell, Desktop: n.Desktop, Progress: n.Progress, Exec: n.Exec, Quiet: quiet}
}

// of returns the settings of a context, from all keys that match. Of several colours that of the
// context's name counts, else that of the longest key.
func (c Config) of(context string) contextConfig {
	out := contextConfig{Alias: c.Contexts[context].Alias}
	of := ""
	for _, pattern := range slices.Sorted(maps.Keys(c.Contexts)) {
		k := c.Contexts[pattern]
		if !Match(pattern, context) {
			continue
		}
		out.ReadOnly = out.ReadOnly || k.ReadOnly
		out.Protected = out.Protected || k.Protected
		out.Favourite = out.Favourite || k.Favourite
		if k.Colour != "" && (out.Colour == "" || pattern == context || of != context && len(pattern) > len(of)) {
			out.Colour, of = k.Colour, pattern
		}
	}
	return out
}

// ContextColour returns the colour of a context; empty for none.
func (c Config) ContextColour(context string) string { return c.of(context).Colour }

// ContextAlias returns the alias of a context; empty for none.
func (c Config) ContextAlias(context string) string { return c.Contexts[context].Alias }

// Favourite reports whether a context is listed first.
func (c Config) Favourite(context string) bool { return c.of(context).Favourite }

// Favourites returns the names and patterns of contexts that are listed first.
func (c Config) Favourites() (out []string) {
	for name, k := range c.Contexts {
		if k.Favourite {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// Aliases returns the contexts by their aliases.
func (c Config) Aliases() map[string]string {
	out := map[string]string{}
	for name, k := range c.Contexts {
		if k.Alias != "" {
			out[k.Alias] = name
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
	s.Alias = k.Alias
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
