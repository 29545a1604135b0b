package reload

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stagewatch/stagewatch/cli/config"
	"github.com/stagewatch/stagewatch/ui"
)

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
		c := next("theme: mono\nviews: {mine: {filter: x}}\nhubs: [a]\ncolumns: [run, 'label:app']\n")
		if c.Theme != "mono" || len(c.Views) != 1 || c.Views[0].Filter != "x" || len(c.Columns) != 3 {
			t.Errorf("changed: %+v", c)
		}
		if len(c.Later) != 2 || c.Later[0].String() != "hubs" || c.Later[1].String() != "new label and annotation columns" {
			t.Errorf("later: %v", c.Later)
		}
		if c := next("theme: nord\n\nmose: true\n"); !strings.HasSuffix(c.Err.String(), `config.yaml: unknown key "mose" in line 3: did you mean "mouse"?`) || c.Theme != "" {
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
