package config

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"

	"github.com/stagewatch/stagewatch/engine"
)

// prefix begins the name of every variable.
const prefix = "STAGEWATCH_"

// Variable is an environment variable that sets a key.
type Variable struct{ Name, Key string }

// Variables returns the environment variable of every key, in the order of the keys.
func Variables() (out []Variable) {
	for _, key := range names(reflect.TypeFor[Config]()) {
		out = append(out, Variable{variableOf(key), key})
	}
	return out
}

// variableOf is STAGEWATCH_MEMBER_QUERIES for memberQueries.
func variableOf(key string) string {
	var b strings.Builder
	b.WriteString(prefix)
	for _, r := range key {
		if unicode.IsUpper(r) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToUpper(r))
	}
	return b.String()
}

// override sets the keys whose variables are set and not empty. A value is YAML; a list may
// be names with commas between them. Contexts are added to those of the file: no variable
// takes a protection away.
func (c *Config) override(env, from map[string]string) error {
	if err := misspelt(env); err != nil {
		return err
	}
	fields := keysOf(reflect.TypeFor[Config]())
	for _, v := range Variables() {
		value := env[v.Name]
		if value == "" {
			continue
		}
		n, err := valueOf(value, fields[v.Key].Type)
		if err != nil {
			return &Invalid{v.Name, []string{strings.TrimPrefix(err.Error(), "yaml: ")}}
		}
		one, problems := c.read(v.Key, n, "")
		if len(problems) > 0 {
			return &Invalid{v.Name, problems}
		}
		i := fields[v.Key].Index
		set := reflect.ValueOf(c).Elem().FieldByIndex(i)
		if v.Key == "contexts" {
			one.Contexts = stricter(c.Contexts, one.Contexts)
		}
		set.Set(reflect.ValueOf(one).FieldByIndex(i))
		from[v.Key] = v.Name
	}
	return c.stillNamed(from)
}

// environment returns the variables of the process.
func environment() map[string]string {
	env := map[string]string{}
	for _, set := range os.Environ() {
		name, value, _ := strings.Cut(set, "=")
		env[name] = value
	}
	return env
}

// misspelt returns an error if a variable has almost the name of one that sets a key: ignored
// silently, it could leave a cluster unprotected. Other names are allowed.
func misspelt(env map[string]string) error {
	var known []string
	for _, v := range Variables() {
		known = append(known, v.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(env)) {
		if !strings.HasPrefix(strings.ToUpper(name), prefix) || slices.Contains(known, name) || env[name] == "" {
			continue
		}
		if near := engine.Near(name, known); len(near) > 0 {
			return &Invalid{name, []string{fmt.Sprintf("unknown variable: did you mean %s?", near[0])}}
		}
	}
	return nil
}

// stillNamed checks the keys that name themes and columns which a variable may have replaced.
func (c *Config) stillNamed(from map[string]string) error {
	var all yaml.Node
	if err := all.Encode(c); err != nil {
		return err
	}
	for _, replaced := range []struct{ key, namedBy string }{{"themes", "theme"}, {"columns", "views"}} {
		name, by := variableOf(replaced.key), from[replaced.namedBy]
		if from[replaced.key] != name || by == "" {
			continue
		}
		if _, problems := c.read(replaced.namedBy, below(&all, replaced.namedBy), " of "+by); len(problems) > 0 {
			return &Invalid{name, problems}
		}
	}
	return nil
}

// read returns a configuration that has only one key, and what is wrong with it; where is added to
// the names in an error. A theme may be one of c, and views may name its columns.
func (c *Config) read(key string, value *yaml.Node, where string) (Config, []string) {
	one := Default()
	switch key {
	case "theme":
		one.Themes = c.Themes
	case "views":
		one.Columns = c.Columns
	}
	doc := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Content: []*yaml.Node{{Kind: yaml.ScalarNode, Tag: "!!str", Value: key}, value}}
	problems := one.decode(doc, func(*yaml.Node) string { return where })
	return one, problems
}

// valueOf is the value of a variable, for a key of a type.
func valueOf(value string, of reflect.Type) (*yaml.Node, error) {
	var doc yaml.Node
	n := &yaml.Node{Kind: yaml.SequenceNode}
	switch {
	case of.Kind() == reflect.String:
		n = text(value)
	case of == reflect.TypeFor[[]string]() && !strings.HasPrefix(strings.TrimSpace(value), "["):
		for name := range strings.SplitSeq(value, ",") {
			if name = strings.TrimSpace(name); name != "" {
				n.Content = append(n.Content, text(name))
			}
		}
	default:
		if err := yaml.Unmarshal([]byte(value), &doc); err != nil {
			return nil, err
		}
		if len(doc.Content) > 0 {
			n = doc.Content[0]
		}
	}
	return n, nil
}

// text is a YAML string, with or without quotes. Without quotes, off is a string too, not a boolean.
func text(value string) *yaml.Node {
	if n := (yaml.Node{}); yaml.Unmarshal([]byte(value), &n) == nil && len(n.Content) == 1 && n.Content[0].Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0 {
		value = n.Content[0].Value
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: value}
}

// stricter joins the settings of contexts: what one of them forbids is forbidden.
func stricter(a, b map[string]contextConfig) map[string]contextConfig {
	out := maps.Clone(b)
	for name, k := range a {
		k.ReadOnly = k.ReadOnly || out[name].ReadOnly
		k.Protected = k.Protected || out[name].Protected
		k.Favourite = k.Favourite || out[name].Favourite
		k.Alias, k.Colour = cmp.Or(out[name].Alias, k.Alias), cmp.Or(out[name].Colour, k.Colour)
		if out == nil {
			out = map[string]contextConfig{}
		}
		out[name] = k
	}
	return out
}
