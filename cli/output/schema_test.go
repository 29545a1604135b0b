package output

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stagewatch/stagewatch/cli/config"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/column"
	"github.com/stagewatch/stagewatch/watch"
)

// sections are the headings of docs/schema.md with the type of each.
var sections = []struct {
	heading string
	typ     reflect.Type
}{
	{"List", reflect.TypeFor[document]()},
	{"Explain", reflect.TypeFor[explainDocument]()},
	{"Change", reflect.TypeFor[changeDocument]()},
	{"Page", reflect.TypeFor[pageDocument]()},
	{"Run", reflect.TypeFor[runDocument]()},
	{"Counts", reflect.TypeFor[clusterCounts]()},
	{"Gate", reflect.TypeFor[gateDocument]()},
	{"Cluster", reflect.TypeFor[clusterDocument]()},
	{"Diagnosis", reflect.TypeFor[diagnosisDocument]()},
	{"Missing", reflect.TypeFor[gapDocument]()},
	{"Failure", reflect.TypeFor[failureDocument]()},
	{"Plan", reflect.TypeFor[planDocument]()},
	{"Task", reflect.TypeFor[planTask]()},
	{"Match", reflect.TypeFor[planMatch]()},
	{"Estimate", reflect.TypeFor[planMoment]()},
	{"Versions", reflect.TypeFor[versionDocument]()},
	{"Contexts", reflect.TypeFor[contextsDocument]()},
	{"Notification", reflect.TypeFor[notificationDocument]()},
	{"Audit log", reflect.TypeFor[watch.Record]()},
	{"Configuration file", reflect.TypeFor[config.Config]()},
}

// TestKeysAreDocumented compares docs/schema.md with the types: each key of each
// document is in it, in order, with its type. A key that is renamed or removed
// breaks scripts; a new one needs a row.
func TestKeysAreDocumented(t *testing.T) {
	raw, err := os.ReadFile("../../docs/schema.md")
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string]string{}
	for _, part := range strings.Split(string(raw), "\n## ")[1:] {
		heading, body, _ := strings.Cut(part, "\n")
		var rows []string
		for _, m := range regexp.MustCompile("(?m)^\\| (?:`([^`]+)`|(all keys of [^|]+?)) \\|(?: (.+?))? \\| ").FindAllStringSubmatch(body, -1) {
			rows = append(rows, strings.TrimSpace(m[1]+m[2]+": "+m[3]))
		}
		documented[heading] = strings.Join(rows, "\n")
	}
	if len(documented) != len(sections) {
		t.Errorf("docs/schema.md has %d sections, want %d", len(documented), len(sections))
	}
	for _, s := range sections {
		var rows []string
		if s.typ == reflect.TypeFor[runDocument]() {
			rows = append(keysOf("", reflect.TypeFor[identity]()), columnKeys()...)
		}
		rows = append(rows, keysOf("", s.typ)...)
		if want := strings.Join(rows, "\n"); documented[s.heading] != want {
			t.Errorf("section %q of docs/schema.md has\n%s\n\nthe type has\n%s", s.heading, documented[s.heading], want)
		}
	}
}

// columnKeys are the keys of a run that the column table has.
func columnKeys() []string {
	var out []string
	columns := column.All()
	for i := range columns {
		if c := &columns[i]; c.JSON != "" {
			out = append(out, c.JSON+": "+typeName(reflect.TypeOf(c.Value(&engine.RunView{})))+", optional")
		}
	}
	return out
}

// keysOf returns "path: type" of each key of a struct.
func keysOf(path string, of reflect.Type) []string {
	var out []string
	for f := range of.Fields() {
		tag, isJSON := f.Tag.Lookup("json")
		if !isJSON {
			tag = f.Tag.Get("yaml")
		}
		name, options, _ := strings.Cut(tag, ",")
		inner := f.Type
		for inner.Kind() == reflect.Slice || inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		switch {
		case name == "-" || name == "" && !f.Anonymous:
		case name == "" && heading(inner) != "":
			out = append(out, "all keys of "+typeName(inner)+":")
		case name == "":
			out = append(out, keysOf(path, inner)...)
		case f.Type == reflect.TypeFor[config.Views](): // written as a mapping
			out = append(out, keysOf(path+name+".NAME.", inner)...)
		case inner.Kind() == reflect.Map && inner.Elem().Kind() == reflect.Struct:
			out = append(out, keysOf(path+name+".NAME.", inner.Elem())...)
		case inner.Kind() == reflect.Map:
			out = append(out, path+name+".NAME: "+typeName(inner.Elem()))
		default:
			row := path + name + ": " + typeName(f.Type)
			if strings.Contains(options, "omit") {
				row += ", optional"
			}
			out = append(out, row)
			if strings.HasSuffix(typeName(inner), "object") {
				sub := path + name + "."
				if f.Type.Kind() == reflect.Slice {
					sub = path + name + "[]."
				}
				out = append(out, keysOf(sub, inner)...)
			}
		}
	}
	return out
}

func heading(of reflect.Type) string {
	for _, s := range sections {
		if s.typ == of {
			return s.heading
		}
	}
	return ""
}

// typeName returns the name of a type in docs/schema.md.
func typeName(of reflect.Type) string {
	if h := heading(of); h != "" {
		return "[" + h + "](#" + strings.ToLower(h) + ")"
	}
	switch of {
	case reflect.TypeFor[time.Time]():
		return "time"
	case reflect.TypeFor[engine.Text]():
		return "string"
	}
	switch of.Kind() {
	case reflect.Slice:
		return "list of " + typeName(of.Elem())
	case reflect.Pointer:
		return typeName(of.Elem())
	case reflect.Bool:
		return "boolean"
	case reflect.Int, reflect.Int64:
		return "integer"
	case reflect.Float64:
		return "number"
	case reflect.Struct:
		return "object"
	}
	return of.Kind().String()
}
