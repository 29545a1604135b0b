package keymap

import (
	"flag"
	"os"
	"strings"
	"testing"
)

//go:generate go test -run ^TestDocument$ . -update

var update = flag.Bool("update", false, "write docs/keys.md")

// TestDocument keeps the table of the keys up to date.
func TestDocument(t *testing.T) {
	const file = "../docs/keys.md"
	var b strings.Builder
	b.WriteString(`# Keys

The actions of the screen, and their keys in each preset. The [configuration](configuration.md#choose-the-keys) chooses the preset, and binds an action to other keys by its
name. Generated from ` + "`keymap`" + ` by ` + "`go generate ./keymap`" + `; a test fails when it differs.
`)
	maps := map[string]map[string]string{}
	for _, preset := range Presets() {
		maps[preset] = map[string]string{}
		for _, e := range Preset(preset).entries {
			if len(e.keys) > 0 {
				maps[preset][e.Action.Name()] = code(e.keys)
			}
		}
	}
	written := map[string]bool{}
	for _, s := range Scopes() {
		headed := false
		for _, e := range Default().In(s) {
			name := e.Action.Name()
			if written[name] || len(e.keys) == 0 {
				continue
			}
			if !headed {
				title := s.String()
				if s == ScopeRuns {
					title += " and everywhere"
				}
				b.WriteString("\n## " + strings.ToUpper(title[:1]) + title[1:] + "\n\n| Action | " + strings.Join(Presets(), " | ") + " | |\n|---|" + strings.Repeat("---|", len(Presets())+1) + "\n")
				headed = true
			}
			written[name] = true
			b.WriteString("| `" + name + "` |")
			for _, preset := range Presets() {
				b.WriteString(" " + maps[preset][name] + " |")
			}
			b.WriteString(" " + e.Key.Help().Desc + " |\n")
		}
	}
	if *update {
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(file); err != nil || string(got) != b.String() {
		t.Errorf("docs/keys.md differs from the keys (%v): go generate ./keymap", err)
	}
}

// code writes keys for a table in Markdown.
func code(keys []string) string {
	var out []string
	for k := range strings.FieldsSeq(spellAll(keys)) {
		out = append(out, "`"+strings.ReplaceAll(k, "|", "\\|")+"`")
	}
	return strings.Join(out, " ")
}
