package config

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// home makes a home directory with a configuration.
func home(t *testing.T, conf string) (path string) {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", dir)
	path = filepath.Join(dir, directory, "config.yaml")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(conf), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestQuotedVariable reads a text with the quotes that the file needs, as YAML has it.
func TestQuotedVariable(t *testing.T) {
	home(t, "")
	for value, want := range map[string]string{"off": QueriesOff, `"off"`: QueriesOff, "'auto'": QueriesAuto} {
		c, _, err := load(map[string]string{"STAGEWATCH_MEMBER_QUERIES": value, "STAGEWATCH_HUBS": `"a", b`})
		if err != nil || c.MemberQueries != want || !slices.Equal(c.Hubs, []string{"a", "b"}) {
			t.Errorf("%s: %v, %q, %v", value, c.MemberQueries, c.Hubs, err)
		}
	}
}

// TestVariables sets every variable: each overrides the file, except that contexts only become
// stricter.
func TestVariables(t *testing.T) {
	home(t, "mouse: true\nnotify: true\ntheme: nord\nhubs: [file]\nmembers: {a: file, b: file}\ncontexts:\n  prod: {readOnly: true}\n  test: {protected: true}\n")
	values := map[string]string{
		"STAGEWATCH_CONTEXTS":       "{prod: {readOnly: false, protected: true}, stage: {readOnly: true}}",
		"STAGEWATCH_HUBS":           "a, b*",
		"STAGEWATCH_MOUSE":          "false",
		"STAGEWATCH_MEMBERS":        `{"eu-*": "aks-{member}"}`,
		"STAGEWATCH_KEYS":           "{preset: vim, bind: {approve: P}}",
		"STAGEWATCH_THEMES":         "{mine: {base: nord, colours: {done: 10}}}",
		"STAGEWATCH_THEME":          "mine",
		"STAGEWATCH_COLUMNS":        "run, label:app, jsonpath:A:.spec.a",
		"STAGEWATCH_VIEWS":          "{mine: {filter: 'app:shop', sort: a}}",
		"STAGEWATCH_LAYOUT":         "two",
		"STAGEWATCH_MEMBER_QUERIES": "off",
	}
	c, from, err := load(values)
	if err != nil {
		t.Fatal(err)
	}
	want := Config{
		Contexts: map[string]contextConfig{"prod": {ReadOnly: true, Protected: true}, "test": {Protected: true}, "stage": {ReadOnly: true}},
		Hubs:     []string{"a", "b*"}, Notify: true, Members: map[string]string{"eu-*": "aks-{member}"}, Theme: "mine", Layout: LayoutTwo, MemberQueries: QueriesOff,
		Themes:        map[string]themeConfig{"mine": {"nord", map[string]string{"done": "10"}}},
		Keys:          keysConfig{"vim", bindings{"approve": {"P"}}},
		Notifications: Default().Notifications,
		Columns:       []string{"run", "label:app", "jsonpath:A:.spec.a"},
		Views:         Views{{Name: "mine", Filter: "app:shop", Sort: "a"}},
	}
	if diff := cmp.Diff(want, c); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for _, v := range Variables() {
		if set := values[v.Name] != ""; set != (from[v.Key] == v.Name) {
			t.Errorf("%s is set by %q", v.Key, from[v.Key])
		}
	}
	for name, value := range map[string]string{"STAGEWATCH_MOUSE": "perhaps", "STAGEWATCH_THEME": "drakula", "STAGEWATCH_CONTEXTS": "{prod: {readonly: true}}", "STAGEWATCH_HUBS": "[a"} {
		_, _, err := load(map[string]string{name: value})
		if err == nil || !strings.HasPrefix(err.Error(), "invalid configuration "+name+": ") || strings.Contains(err.Error(), "in line") {
			t.Errorf("%s=%s: %v", name, value, err)
		}
	}
}

// TestVariablesDoNotRemoveWhatIsNamed replaces the themes and the columns that the file names: its
// theme and its views are errors then, unless a variable replaces them, too.
func TestVariablesDoNotRemoveWhatIsNamed(t *testing.T) {
	path := home(t, "themes: {mine: {}}\ntheme: mine\ncolumns: [run, 'label:team']\nviews: {a: {filter: 'team:x', sort: team}}\n")
	for _, tt := range []struct {
		values map[string]string
		want   string
	}{
		{map[string]string{"STAGEWATCH_THEMES": "{other: {}, mine: {base: nord}}", "STAGEWATCH_COLUMNS": "[run, state, label:team]"}, ""},
		{map[string]string{"STAGEWATCH_THEMES": "{other: {}}", "STAGEWATCH_THEME": "other"}, ""},
		{map[string]string{"STAGEWATCH_COLUMNS": "run", "STAGEWATCH_VIEWS": "{b: {sort: age}}"}, ""},
		{map[string]string{"STAGEWATCH_THEMES": "{mime: {}}"}, `invalid configuration STAGEWATCH_THEMES: unknown theme "mine" of ` + path + `: did you mean "mime"?`},
		{map[string]string{"STAGEWATCH_COLUMNS": "run,label:teams"}, `invalid configuration STAGEWATCH_COLUMNS: views.a.filter of ` + path + `: unknown field team; nearest: teams (and 1 more)`},
	} {
		_, _, err := load(tt.values)
		if got := more.ReplaceAllString(fmt.Sprint(err), " and N more"); got != tt.want && (err != nil || tt.want != "") {
			t.Errorf("%v: %v, want %s", tt.values, err, tt.want)
		}
	}
}

// TestVariablesAreDocumented compares the table of docs/configuration.md with the keys.
func TestVariablesAreDocumented(t *testing.T) {
	raw, err := os.ReadFile("../../docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	at := -1
	for _, v := range Variables() {
		i := strings.Index(string(raw), "\n| `"+v.Name+"` | `"+v.Key+"` | ")
		if i <= at {
			t.Errorf("%s of %s has no row, or one in another order", v.Name, v.Key)
		}
		at = i
	}
	if n := strings.Count(string(raw), "\n| `STAGEWATCH_"); n != len(Variables()) {
		t.Errorf("%d variables are documented, want %d", n, len(Variables()))
	}
}

// TestPrint checks that the effective configuration has every key with what set it, and is a
// configuration itself.
func TestPrint(t *testing.T) {
	path := home(t, "notify: true\nhubs: [a]\nviews: {z: {sort: age}, a: {filter: x}}\n")
	t.Setenv("STAGEWATCH_THEME", "mono")
	out, err := Print()
	if err != nil {
		t.Fatal(err)
	}
	want := "contexts: {} # default\nhubs: # " + path + "\n    - a\nmouse: false # default\nnotify: true # " + path + "\nnotifications: # default\n    bell: true\n    desktop: osc9\n    progress: false\n    exec: []\n    quiet: \"\"\nmembers: {} # default\nkeys: # default\n    preset: default\n    bind: {}\nthemes: {} # default\ntheme: mono # STAGEWATCH_THEME\ncolumns: [] # default\nviews: # " + path + "\n    z:\n        filter: \"\"\n        sort: age\n        descending: false\n    a:\n        filter: x\n        sort: \"\"\n        descending: false\nlayout: auto # default\nmemberQueries: auto # default\n"
	if got := string(out); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	c, err := Parse("printed", out)
	if err != nil || !c.Notify || c.Theme != "mono" {
		t.Errorf("read again: %+v, %v", c, err)
	}
}

// TestMisspeltVariables rejects a name that is almost that of a variable, and no other.
func TestMisspeltVariables(t *testing.T) {
	home(t, "")
	for name, meant := range map[string]string{
		"STAGEWATCH_THEM":          "STAGEWATCH_THEME",
		"STAGEWATCH_CONTEXT":       "STAGEWATCH_CONTEXTS",
		"STAGEWATCH_MEMBERQUERIES": "STAGEWATCH_MEMBER_QUERIES",
		"stagewatch_theme":         "STAGEWATCH_THEME",
		"STAGEWATCH_VERSION":       "",
		"STAGEWATCHER_THEME":       "",
		"THEME":                    "",
	} {
		_, _, err := load(map[string]string{name: "nord", "STAGEWATCH_THEME": "nord"})
		want := ""
		if meant != "" {
			want = "invalid configuration " + name + ": unknown variable: did you mean " + meant + "?"
		}
		if got := fmt.Sprint(err); got != want && (err != nil || want != "") {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
		if _, _, err := load(map[string]string{name: ""}); err != nil {
			t.Errorf("%s, empty: %v", name, err)
		}
	}
}
