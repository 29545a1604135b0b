package config

import (
	"cmp"
	"maps"
	"reflect"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"
)

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
	b.WriteString("STAGEWATCH_")
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
func (c *Config) override(getenv func(string) string, from map[string]string) error {
	fields := keysOf(reflect.TypeFor[Config]())
	for _, v := range Variables() {
		value := getenv(v.Name)
		if value == "" {
			continue
		}
		entry, err := entryOf(v.Key, value, fields[v.Key].Type)
		if err != nil {
			return &Invalid{v.Name, []string{strings.TrimPrefix(err.Error(), "yaml: ")}}
		}
		one := Default()
		switch v.Key {
		case "theme":
			one.Themes = c.Themes // it may be one of them
		case "views":
			one.Columns = c.Columns // they may name them
		}
		if problems := one.decode(entry, func(*yaml.Node) string { return "" }); len(problems) > 0 {
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
	return nil
}

// entryOf is a document that has one key, with the value of a variable.
func entryOf(key, value string, of reflect.Type) (*yaml.Node, error) {
	var doc yaml.Node
	n := &yaml.Node{Kind: yaml.SequenceNode}
	switch {
	case of.Kind() == reflect.String:
		n = &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: value}
	case of == reflect.TypeFor[[]string]() && !strings.HasPrefix(strings.TrimSpace(value), "["):
		for name := range strings.SplitSeq(value, ",") {
			if name = strings.TrimSpace(name); name != "" {
				n.Content = append(n.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: name})
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
	return &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Content: []*yaml.Node{{Kind: yaml.ScalarNode, Tag: "!!str", Value: key}, n}}, nil
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
