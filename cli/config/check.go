package config

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sort"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/column"
	"github.com/stagewatch/stagewatch/engine/field"
	"github.com/stagewatch/stagewatch/keymap"
	"github.com/stagewatch/stagewatch/ui/filter"
	"github.com/stagewatch/stagewatch/ui/notify"
	"github.com/stagewatch/stagewatch/ui/runlist"
	"github.com/stagewatch/stagewatch/ui/theme"
	"github.com/stagewatch/stagewatch/watch/jsonpath"
)

// checker collects what is wrong with a document.
type checker struct {
	// where says where a node is.
	where    func(*yaml.Node) string
	problems []string
	themes   []string        // names of the themes of the configuration
	columns  []column.Column // of the configuration
}

// inFile names the line of a node.
func inFile(n *yaml.Node) string { return fmt.Sprintf(" in line %d", n.Line) }

func (c *checker) add(format string, args ...any) {
	c.problems = append(c.problems, fmt.Sprintf(format, args...))
}

// decode sets what a document has, and returns what is wrong with it. With a problem the
// configuration is not usable.
func (c *Config) decode(doc *yaml.Node, where func(*yaml.Node) string) []string {
	k := checker{where: where}
	root := doc
	if doc.Kind == yaml.DocumentNode {
		root = doc.Content[0]
	}
	k.themes = slices.Sorted(maps.Keys(c.Themes))
	if n := below(root, "themes"); n != nil {
		for i := 0; i < len(n.Content); i += 2 {
			k.themes = append(k.themes, n.Content[i].Value)
		}
	}
	chosen := c.Columns
	if n := below(root, "columns"); n != nil {
		_ = n.Decode(&chosen) // check reports what is wrong
	}
	k.columns = column.Chosen(chosen, nil)
	k.check(root, reflect.TypeFor[Config](), "the configuration", "")
	if len(k.problems) == 0 {
		if err := root.Decode(c); err != nil {
			k.add("%s", strings.TrimPrefix(err.Error(), "yaml: "))
		}
	}
	if len(k.problems) == 0 {
		k.collisions(root, c.Keys)
	}
	// An empty value is the default.
	c.Theme, c.Layout, c.MemberQueries = cmp.Or(c.Theme, Default().Theme), cmp.Or(c.Layout, LayoutAuto), cmp.Or(c.MemberQueries, QueriesAuto)
	c.Notifications.Desktop = cmp.Or(c.Notifications.Desktop, Default().Notifications.Desktop)
	return k.problems
}

// check compares a node with the type of its key; list names the possible values.
func (c *checker) check(n *yaml.Node, of reflect.Type, key, list string) {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if n.Kind == yaml.ScalarNode && n.Tag == "!!null" {
		return
	}
	if of == reflect.TypeFor[Views]() {
		of = reflect.TypeFor[map[string]View]()
	}
	if of == reflect.TypeFor[bindings]() {
		c.bindings(n, key, values(list))
		return
	}
	switch of.Kind() {
	case reflect.Struct:
		fields := keysOf(of)
		c.mapping(n, key, names(of), func(name, value *yaml.Node, path string) {
			f, ok := fields[name.Value]
			if !ok {
				c.unknown(name, "key", name.Value, names(of))
				return
			}
			c.check(value, f.Type, path, f.Tag.Get("values"))
		})
	case reflect.Map:
		if of.Elem() == reflect.TypeFor[contextConfig]() {
			c.aliases(n, key)
		}
		c.mapping(n, key, nil, func(name, value *yaml.Node, path string) {
			if of.Elem() == reflect.TypeFor[View]() && (name.Value == "" || name.Value == runlist.NoView) {
				c.add("%q%s cannot be the name of a view", name.Value, c.where(name))
			}
			if of.Elem() == reflect.TypeFor[themeConfig]() && slices.Contains(theme.Names(), name.Value) {
				c.add("%q%s is a built-in theme: choose another name", name.Value, c.where(name))
			}
			if list == "colours" {
				c.colour(name, value, path)
				return
			}
			c.check(value, of.Elem(), path, list)
		})
	case reflect.Slice:
		if n.Kind != yaml.SequenceNode {
			c.add("%s%s must be a list", key, c.where(n))
			return
		}
		for _, e := range n.Content {
			c.check(e, of.Elem(), key, list)
		}
		if list == "columns" {
			c.together(n, key)
		}
	case reflect.Bool:
		var b bool
		if n.Kind != yaml.ScalarNode || n.Decode(&b) != nil {
			c.add("%s%s must be true or false", key, c.where(n))
		}
	default:
		all := values(list)
		switch list {
		case "themes":
			all = append(all, c.themes...)
		case "sorts":
			all = column.SortNames(c.columns)
		}
		switch {
		case n.Kind != yaml.ScalarNode:
			form := ""
			if list == "columns" {
				form = ", such as " + strings.Join(field.Forms(), ", ")
			}
			c.add("%s%s must be a text%s", key, c.where(n), form)
		case list == "columns" && isField(n.Value):
			c.path(n, key)
		case len(all) > 0 && n.Value != "" && !slices.Contains(all, n.Value):
			if list == "columns" {
				key, all = "column", append(all, field.Forms()...)
			}
			c.unknown(n, key, n.Value, all)
		case list == "hours":
			if _, ok := notify.ParseHours(n.Value); !ok {
				c.add("%s%s must be hours such as 22:00-07:00", key, c.where(n))
			}
		case list == "filters":
			if f := filter.New(n.Value, c.columns...); !f.Err.IsZero() {
				c.add("%s%s: %s", key, c.where(n), f.Err)
			}
		}
	}
}

// isField reports whether the name of a column is that of a field.
func isField(name string) bool {
	_, ok := field.Parse(name)
	return ok
}

// path checks the JSONPath of a column, if it has one.
func (c *checker) path(n *yaml.Node, key string) {
	f, _ := field.Parse(n.Value)
	if f.Source != field.Path {
		return
	}
	if _, err := jsonpath.Parse(f.Key); err != nil {
		c.add("%s%s has an invalid JSONPath %q: %s", key, c.where(n), f.Key, err)
	}
}

// aliases checks the aliases of contexts together: each names one context.
func (c *checker) aliases(contexts *yaml.Node, key string) {
	first := map[string]int{}
	for i := 0; i+1 < len(contexts.Content); i += 2 {
		name, n := contexts.Content[i].Value, below(contexts.Content[i+1], "alias")
		if n == nil || n.Value == "" {
			continue
		}
		line, again := first[n.Value]
		switch {
		case strings.Contains(name, "*"):
			c.add("%s.%s.alias%s: an alias names one context, but %q can match several", key, name, c.where(n), name)
		case again:
			c.add("%s.%s.alias%s: %q is already an alias in line %d", key, name, c.where(n), n.Value, line)
		case n.Value != name && below(contexts, n.Value) != nil:
			c.add("%s.%s.alias%s: %q is the name of another context", key, name, c.where(n), n.Value)
		case strings.Contains(n.Value, ","):
			c.add("%s.%s.alias%s cannot contain a comma", key, name, c.where(n))
		}
		first[n.Value] = n.Line
	}
}

// colour checks one colour of a theme.
func (c *checker) colour(name, value *yaml.Node, path string) {
	switch {
	case !slices.Contains(theme.ColourNames(), name.Value):
		c.unknown(name, "colour", name.Value, theme.ColourNames())
	case value.Kind != yaml.ScalarNode || !theme.IsColour(value.Value):
		c.add("%s%s must be a colour: \"#rrggbb\" in quotes, or 0 to 255", path, c.where(value))
	}
}

// bindings checks the keys of each action.
func (c *checker) bindings(n *yaml.Node, key string, actions []string) {
	c.mapping(n, key, nil, func(name, value *yaml.Node, path string) {
		if !slices.Contains(actions, name.Value) {
			c.unknown(name, "action", name.Value, actions)
			return
		}
		var keys keyList
		if value.Kind == yaml.MappingNode || value.Decode(&keys) != nil {
			c.add("%s%s must be a key or a list of keys", path, c.where(value))
			return
		}
		if _, err := keymap.Default().Bind(name.Value, keys); err != nil {
			c.add("%s%s: %s", key, c.where(value), err)
		}
	})
}

// collisions finds the keys that two actions have, once each action has keys that it can have.
func (c *checker) collisions(root *yaml.Node, k keysConfig) {
	m, err := k.Map()
	if err != nil { // bindings reports it
		return
	}
	type found struct {
		at   *yaml.Node
		both keymap.Collision
	}
	var all []found
	for _, both := range m.Collisions() {
		var at *yaml.Node
		for _, action := range []string{both.First.Name(), both.Second.Name()} {
			if n := below(root, "keys", "bind", action); n != nil && (at == nil || n.Line > at.Line) {
				at = n
			}
		}
		all = append(all, found{at, both})
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].at.Line < all[j].at.Line })
	for _, f := range all {
		c.add("keys.bind%s: %s; bind one of them to another key", c.where(f.at), f.both)
	}
}

// below returns the value at a path of keys; nil for none.
func below(n *yaml.Node, path ...string) *yaml.Node {
	for _, key := range path {
		if n.Kind == yaml.AliasNode {
			n = n.Alias
		}
		i := 0
		for ; i+1 < len(n.Content) && n.Content[i].Value != key; i += 2 {
		}
		if i+1 >= len(n.Content) {
			return nil
		}
		n = n.Content[i+1]
	}
	return n
}

// together checks the columns of a list together.
func (c *checker) together(n *yaml.Node, key string) {
	run, seen := len(n.Content) == 0, map[string]bool{}
	for _, e := range n.Content {
		if run = run || e.Value == "run"; seen[e.Value] {
			c.add("%s%s has %q twice", key, c.where(e), e.Value)
		}
		seen[e.Value] = true
	}
	if !run {
		c.add("%s%s must have the column \"run\"", key, c.where(n))
	}
	if len(n.Content) > column.Most {
		c.add("%s%s has %d columns: at most %d are possible", key, c.where(n), len(n.Content), column.Most)
	}
}

// mapping calls each for the entries of a mapping; keys are those that it can have, if they are
// fixed.
func (c *checker) mapping(n *yaml.Node, key string, keys []string, each func(name, value *yaml.Node, path string)) {
	if n.Kind != yaml.MappingNode {
		with := ""
		if len(keys) > 0 {
			with = " with the keys " + strings.Join(keys, ", ")
		}
		c.add("%s%s must be a mapping%s", key, c.where(n), with)
		return
	}
	seen := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, value := n.Content[i], n.Content[i+1]
		switch first, again := seen[name.Value]; {
		case name.Kind != yaml.ScalarNode || name.Tag == "!!merge":
			c.add("%s%s has a key that is not a name", key, c.where(name))
		case again:
			c.add("key %q%s is already in line %d", name.Value, c.where(name), first)
		default:
			seen[name.Value] = name.Line
			path := name.Value
			if key != "the configuration" {
				path = key + "." + path
			}
			each(name, value, path)
		}
	}
}

// unknown reports a name that is none of those that exist, with the nearest.
func (c *checker) unknown(n *yaml.Node, what, name string, known []string) {
	hint := "use " + strings.Join(known, ", ")
	if near := engine.DidYouMean(name, known); !near.IsZero() {
		hint = strings.TrimSpace(near.String())
	}
	c.add("unknown %s %q%s: %s", what, name, c.where(n), hint)
}

// keysOf are the fields of a struct by their keys.
func keysOf(of reflect.Type) map[string]reflect.StructField {
	out := map[string]reflect.StructField{}
	for f := range of.Fields() {
		if key := keyOf(&f); key != "-" {
			out[key] = f
		}
	}
	return out
}

// names are the keys of a struct in their order.
func names(of reflect.Type) (out []string) {
	for f := range of.Fields() {
		if key := keyOf(&f); key != "-" {
			out = append(out, key)
		}
	}
	return out
}

// keyOf is the key of a field.
func keyOf(f *reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
	return name
}
