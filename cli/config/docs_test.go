package config

import (
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/stagewatch/stagewatch/engine/column"
)

// TestExamplesAreValid reads the configurations that the README and docs/configuration.md show, as
// the program and as an editor with the schema.
func TestExamplesAreValid(t *testing.T) {
	n, mark := 0, editor(t)
	for _, page := range []string{"../../README.md", "../../docs/configuration.md"} {
		raw, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllSubmatch(raw, -1) {
			n++
			if _, err := Parse(page, m[1]); err != nil {
				t.Errorf("%v in\n%s", err, m[1])
			}
			if err := mark(m[1]); err != nil {
				t.Errorf("the schema: %v in\n%s", err, m[1])
			}
		}
	}
	if n < 4 {
		t.Errorf("only %d examples were found", n)
	}
}

// TestExamplesOfVariables sets each variable to the example that docs/configuration.md shows.
func TestExamplesOfVariables(t *testing.T) {
	home(t, "")
	raw, err := os.ReadFile("../../docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile("(?m)^\\| `(STAGEWATCH_[A-Z_]+)` \\| `[a-zA-Z]+` \\| `([^`]+)`").FindAllSubmatch(raw, -1)
	if len(rows) != len(Variables()) {
		t.Errorf("%d examples were found", len(rows))
	}
	for _, row := range rows {
		if _, _, err := load(map[string]string{string(row[1]): string(row[2])}); err != nil {
			t.Errorf("%s=%s: %v", row[1], row[2], err)
		}
	}
}

// TestColumnsAreDocumented compares the names of columns that the docs list with the table of
// columns: all of them, and those that a list can be sorted by.
func TestColumnsAreDocumented(t *testing.T) {
	var names, sorted []string
	for _, c := range column.All() {
		names = append(names, c.Name)
		if c.Compare != nil {
			sorted = append(sorted, c.Name)
		}
	}
	word := regexp.MustCompile("`([a-z]+)`")
	for _, tt := range []struct {
		page, list string
		want       []string
	}{
		{"../../docs/configuration.md", "The names are (`state`.*?)\\. `run` is required", names},
		{"../../docs/commands.md", "`--sort-by` takes (.*?), with `-` before it", sorted},
	} {
		raw, err := os.ReadFile(tt.page)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		if list := regexp.MustCompile(tt.list).FindSubmatch(raw); list != nil {
			for _, m := range word.FindAllSubmatch(list[1], -1) {
				got = append(got, string(m[1]))
			}
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s lists %q, want %q", tt.page, got, tt.want)
		}
	}
}
