package reload

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"

	"github.com/stagewatch/stagewatch/cli/config"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/ui"
)

// TestFollow applies what becomes stricter to each hub, and names what is less strict as a
// matter of the next start.
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
		if c := write("contexts: {'*-prod': {readOnly: true, protected: true}}\n"); len(c.Later) > 0 {
			t.Errorf("later: %v", c.Later)
		}
		if p := got["hub-prod"]; p.ReadOnly.IsZero() || !p.Raisable || !p.Protected || !got["hub-test"].ReadOnly.IsZero() {
			t.Errorf("got %+v", got)
		}
		clear(got)
		if c := write("contexts: [wrong]\n"); c.Err.IsZero() || len(got) > 0 {
			t.Errorf("a wrong file: %+v, %v", c, got)
		}
		strict["hub-prod"] = false
		if c := write("theme: nord\n"); len(c.Later) != 1 || len(got) != 2 || got["hub-prod"].Protected {
			t.Errorf("less strict: %+v, %v", c, got)
		}
	})
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
		if c := next("theme: nord\nmouse: false\n"); c.Theme != "nord" || !c.Mouse || !c.Err.IsZero() || len(c.Later) > 0 {
			t.Errorf("a new file: %+v", c)
		}
		if c := next("themes: {mine: {base: mono, colours: {done: 10}}}\ntheme: mine\n"); c.Theme != "mine" || len(c.Themes) != 1 || c.Themes[0].Colours["done"] != "10" {
			t.Errorf("themes: %+v", c)
		}
		if c := next("keys: {preset: k9s, bind: {help: f1}}\ntheme: nord\n"); c.Keys.Shown("yaml") != "y" || c.Keys.Shown("help") != "f1" || len(c.Later) > 0 {
			t.Errorf("keys: %+v", c)
		}
		c := next("theme: mono\nviews: {mine: {filter: x}}\nhubs: [a]\ncolumns: [run, 'label:app']\ncontexts: {a: {alias: b, colour: red}}\n")
		if c.Theme != "mono" || c.ContextColour("a") != "red" || len(c.Views) != 1 || c.Views[0].Filter != "x" || len(c.Columns) != 3 {
			t.Errorf("changed: %+v", c)
		}
		if got := engine.Enumerate(c.Later, 5).String(); got != "hubs, aliases of contexts and new columns of labels, annotations and JSONPaths" {
			t.Errorf("later: %s", got)
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
