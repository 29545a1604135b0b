package config

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"
)

var update = flag.Bool("update", false, "write the published schema")

// TestSchema checks that the published schema is that of the type, and that it describes every key.
func TestSchema(t *testing.T) {
	const path = "../../docs/config.schema.json"
	got, err := Schema()
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if published, err := os.ReadFile(path); err != nil || string(published) != string(got) {
		t.Errorf("%s is not up to date: run go generate ./cli/config (%v)", path, err)
	}
	var p property
	if err := json.Unmarshal(got, &p); err != nil {
		t.Fatal(err)
	}
	for _, key := range names(reflect.TypeFor[Config]()) {
		if in := p.Properties[key]; in == nil || in.Description == "" {
			t.Errorf("%s is not described: %+v", key, in)
		}
	}
	if p.AdditionalProperties != false || len(p.Properties["theme"].AnyOf[0].Enum) < 10 || p.Properties["memberQueries"].Default != "auto" ||
		p.Properties["hubs"].Items == nil {
		t.Errorf("got %+v", p)
	}
}

// editor returns what an editor says of a file: an error of the JSON schema, or nil.
func editor(t *testing.T) func(file []byte) error {
	t.Helper()
	raw, err := Schema()
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("config.json", doc); err != nil {
		t.Fatal(err)
	}
	schema := c.MustCompile("config.json")
	return func(file []byte) error {
		var value any
		if err := yaml.Unmarshal(file, &value); err != nil {
			return err
		}
		return schema.Validate(value)
	}
}

// TestSchemaAgrees checks that an editor marks what the program rejects, and nothing else.
func TestSchemaAgrees(t *testing.T) {
	mark := editor(t)
	for _, tt := range []struct {
		in    string
		valid bool
	}{
		{"theme: mine\nthemes: {mine: {}}\n", true},
		{"theme: ''\nmemberQueries:\n", true},
		{"themes: {mine: {base: mono, colours: {done: 255, text: '255', bar: 0, key: '0', name: '10', faint: '199', cursor: '249', behind: '#a0B1c2'}}}\n", true},
		{"themes: {mine: {base: other}}\n", false},
		{"themes: {mine: {colours: {done: 256}}}\n", false},
		{"themes: {mine: {colours: {done: -1}}}\n", false},
		{"themes: {mine: {colours: {done: '256'}}}\n", false},
		{"themes: {mine: {colours: {done: '999'}}}\n", false},
		{"themes: {mine: {colours: {done: '01'}}}\n", false},
		{"themes: {mine: {colours: {done: red}}}\n", false},
		{"themes: {mine: {colours: {shade: 1}}}\n", false},
		{"views: {mine: {sort: team}}\ncolumns: [run, 'label:team']\n", true},
		{"columns: [run, 'label:']\n", false},
		{"keys: {preset: vim, bind: {approve: P, help: [f1, '?']}}\n", true},
		{"mose: true\n", false},
	} {
		if _, err := Parse("config.yaml", []byte(tt.in)); (err == nil) != tt.valid {
			t.Errorf("the program says of %q: %v", tt.in, err)
		}
		if err := mark([]byte(tt.in)); (err == nil) != tt.valid {
			t.Errorf("an editor says of %q: %v", tt.in, err)
		}
	}
}

// TestPrintedFitsTheSchema prints a configuration without and with values.
func TestPrintedFitsTheSchema(t *testing.T) {
	mark := editor(t)
	for _, in := range []string{"", "views: {a: {}}\nthemes: {mine: {colours: {done: 10}}}\ntheme: mine\nkeys: {bind: {approve: P}}\ncontexts: {a: {readOnly: true}}\n"} {
		home(t, in)
		out, err := Print()
		if err != nil {
			t.Fatal(err)
		}
		if err := mark(out); err != nil {
			t.Errorf("%v in\n%s", err, strings.TrimSpace(string(out)))
		}
	}
}
