package config

import (
	"encoding/json"
	"flag"
	"os"
	"reflect"
	"testing"
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
	if p.AdditionalProperties != false || len(p.Properties["theme"].Enum) < 10 || p.Properties["memberQueries"].Default != "auto" ||
		p.Properties["hubs"].Items == nil {
		t.Errorf("got %+v", p)
	}
}
