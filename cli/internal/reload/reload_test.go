package reload

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"testing/synctest"

	"github.com/stagewatch/stagewatch/cli/config"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/ui"
)

// TestFollow applies what becomes stricter to each hub, and what is less strict by a screen that
// opens again.
func TestFollow(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", dir)
	path := filepath.Join(dir, "stagewatch", "config.yaml")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		got, strict := map[string]engine.Settings{}, map[string]bool{"hub-prod": true, "hub-test": true}
		var hubs []Hub
		for _, name := range []string{"hub-prod", "hub-test"} {
			hubs = append(hubs, Hub{name, func(set engine.Settings) bool { got[name] = set; return strict[name] }})
		}
		next := New(config.Default(), func(*config.Config) {}).Follow(hubs)
		write := func(content string) ui.Change {
			t.Helper()
			if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
			waiting, stop := context.WithTimeout(t.Context(), 10*every)
			defer stop()
			c, ok := next(waiting)
			if !ok {
				t.Fatalf("no change for %q", content)
			}
			return c
		}
		if c := write("contexts: {'*-prod': {readOnly: true, protected: true}}\n"); len(c.Reopens) > 0 {
			t.Errorf("reopens: %v", c.Reopens)
		}
		if p := got["hub-prod"]; p.ReadOnly.IsZero() || !p.Raisable || !p.Protected || !got["hub-test"].ReadOnly.IsZero() {
			t.Errorf("got %+v", got)
		}
		clear(got)
		if c := write("contexts: [wrong]\n"); c.Err.IsZero() || len(got) > 0 {
			t.Errorf("a wrong file: %+v, %v", c, got)
		}
		strict["hub-prod"] = false
		if c := write("theme: nord\n"); engine.Enumerate(c.Reopens, 5).String() != "fewer restrictions in contexts" || len(got) != 2 || got["hub-prod"].Protected {
			t.Errorf("less strict: %+v, %v", c, got)
		}
	})
}

// TestEverySetting changes each key of the configuration and finds it applied: by the screen, by
// the hubs of the session where it restricts them, or by a screen that opens again.
func TestEverySetting(t *testing.T) {
	const screen, hub, again = "screen", "hub", "another screen"
	settings := map[string]struct{ was, is, applies string }{
		"contexts.readOnly":      {"{}", "contexts: {hub: {readOnly: true}}", hub},
		"contexts.protected":     {"{}", "contexts: {hub: {protected: true}}", hub},
		"contexts.alias":         {"{}", "contexts: {hub: {alias: prod}}", again},
		"contexts.colour":        {"{}", "contexts: {hub: {colour: red}}", screen},
		"contexts.favourite":     {"{}", "contexts: {hub: {favourite: true}}", again},
		"hubs":                   {"{}", "hubs: [a, b]", again},
		"mouse":                  {"{}", "mouse: true", screen},
		"notify":                 {"{}", "notify: true", screen},
		"notifications.bell":     {"{}", "notifications: {bell: false}", screen},
		"notifications.desktop":  {"{}", "notifications: {desktop: osc777}", screen},
		"notifications.progress": {"{}", "notifications: {progress: true}", screen},
		"notifications.exec":     {"{}", "notifications: {exec: [ring]}", screen},
		"notifications.quiet":    {"{}", "notifications: {quiet: '22:00-07:00'}", screen},
		"members":                {"{}", "members: {'eu-*': admin}", again},
		"keys.preset":            {"{}", "keys: {preset: vim}", screen},
		"keys.bind":              {"{}", "keys: {bind: {help: f1}}", screen},
		"themes.base":            {"themes: {mine: {base: mono}}", "themes: {mine: {base: nord}}", screen},
		"themes.colours":         {"themes: {mine: {base: mono}}", "themes: {mine: {base: mono, colours: {done: 10}}}", screen},
		"theme":                  {"{}", "theme: nord", screen},
		"columns":                {"{}", "columns: [run, state]", screen},
		"columns that are read":  {"{}", "columns: [run, 'label:app']", again},
		"views.filter":           {"views: {v: {filter: a}}", "views: {v: {filter: b}}", screen},
		"views.sort":             {"views: {v: {filter: a}}", "views: {v: {filter: a, sort: run}}", screen},
		"views.descending":       {"views: {v: {filter: a, sort: run}}", "views: {v: {filter: a, sort: run, descending: true}}", screen},
		"layout":                 {"{}", "layout: one", screen},
		"memberQueries":          {"{}", "memberQueries: 'off'", again},
	}
	for _, key := range keysOf(reflect.TypeFor[config.Config](), "") {
		if _, ok := settings[key]; !ok {
			t.Errorf("nothing says how a change of %s applies", key)
		}
	}
	dir := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", dir)
	path := filepath.Join(dir, "stagewatch", "config.yaml")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	load := func(content string) config.Config {
		t.Helper()
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := config.Load()
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	for key, x := range settings {
		was, is := load(x.was), load(x.is)
		source := New(was, func(*config.Config) {})
		before, after := source.change(&was), source.change(&is)
		var restricted, free engine.Settings
		is.Apply(&restricted, "hub")
		was.Apply(&free, "hub")
		restricted.Alias = free.Alias
		applies := ""
		switch {
		case len(after.Reopens) > 0:
			applies = again
		case !reflect.DeepEqual(restricted, free):
			applies = hub
		case !reflect.DeepEqual(shown(before), shown(after)):
			applies = screen
		}
		if applies != x.applies {
			t.Errorf("%s applies to %q, want %q", key, applies, x.applies)
		}
	}
}

// keysOf are the keys of a type of the configuration.
func keysOf(t reflect.Type, in string) (out []string) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, of := in+f.Tag.Get("yaml"), f.Type
		if name == in+"-" {
			continue
		}
		for of.Kind() == reflect.Map || of.Kind() == reflect.Slice {
			of = of.Elem()
		}
		if of.Kind() == reflect.Struct {
			out = append(out, keysOf(of, name+".")...)
		} else {
			out = append(out, name)
		}
	}
	return out
}

// shown is what a screen uses of a change, in a form that can be compared.
func shown(c ui.Change) []any {
	var names []string
	for _, col := range c.Columns {
		names = append(names, col.Name)
	}
	return []any{c.Theme, c.Themes, c.Mouse, c.MostPanes, c.Notify, c.Views, names, c.ContextColour("hub"), fmt.Sprint(c.Keys)}
}

// TestNext follows a file through its life: it appears, changes, becomes wrong, is corrected,
// and is removed. Each change that the screen uses is returned once; flags keep overriding it.
func TestNext(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", dir)
	path, err := config.Path()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		first, err := config.Load()
		if err != nil {
			t.Fatal(err)
		}
		ctx, end := context.WithCancel(t.Context())
		s := New(first, func(c *config.Config) { c.Mouse = true })
		next := func(content string) ui.Change {
			t.Helper()
			if content == "" {
				err = os.Remove(path)
			} else {
				err = os.WriteFile(path, []byte(content), 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
			waiting, stop := context.WithTimeout(ctx, 10*every)
			defer stop()
			c, ok := s.Next(waiting)
			if !ok {
				t.Fatalf("no change for %q", content)
			}
			return c
		}
		if c := next("theme: nord\nmouse: false\n"); c.Theme != "nord" || !c.Mouse || !c.Err.IsZero() || len(c.Reopens) > 0 {
			t.Errorf("a new file: %+v", c)
		}
		if c := next("themes: {mine: {base: mono, colours: {done: 10}}}\ntheme: mine\n"); c.Theme != "mine" || len(c.Themes) != 1 || c.Themes[0].Colours["done"] != "10" {
			t.Errorf("themes: %+v", c)
		}
		if c := next("keys: {preset: k9s, bind: {help: f1}}\ntheme: nord\n"); c.Keys.Shown("yaml") != "y" || c.Keys.Shown("help") != "f1" || len(c.Reopens) > 0 {
			t.Errorf("keys: %+v", c)
		}
		c := next("theme: mono\nviews: {mine: {filter: x}}\nhubs: [a]\ncolumns: [run, 'label:app']\ncontexts: {a: {alias: b, colour: red}}\n")
		if c.Theme != "mono" || c.ContextColour("a") != "red" || len(c.Views) != 1 || c.Views[0].Filter != "x" || len(c.Columns) != 3 {
			t.Errorf("changed: %+v", c)
		}
		if got := engine.Enumerate(c.Reopens, 5).String(); got != "hubs, aliases of contexts and new columns of labels, annotations and JSONPaths" {
			t.Errorf("reopens: %s", got)
		}
		if c := next("theme: nord\n\nmose: true\n"); c.Err.String() != `unknown key "mose" in line 3: did you mean "mouse"?` || c.Theme != "" {
			t.Errorf("wrong: %+v", c)
		}
		if c := next("theme: mono\nviews: {mine: {filter: x}}\nhubs: [a]\ncolumns: [run, 'label:app'] # as before\n"); c.Theme != "mono" || !c.Err.IsZero() {
			t.Errorf("corrected: %+v", c)
		}
		if err := os.WriteFile(path, []byte("# the same\ntheme: mono\nviews: {mine: {filter: x}}\nhubs: [a]\ncolumns: [run, 'label:app']\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		same := make(chan bool, 1)
		waiting, stop := context.WithTimeout(ctx, 10*every)
		defer stop()
		go func() {
			_, ok := s.Next(waiting)
			same <- ok
		}()
		if <-same {
			t.Error("another text of the same configuration is a change")
		}
		if c := next(""); c.Theme != "default" || c.Views != nil {
			t.Errorf("removed: %+v", c)
		}
		end()
		if _, ok := s.Next(ctx); ok {
			t.Error("a change after the end")
		}
	})
}
