package objectjson

import (
	"reflect"
	"strings"
	"testing"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

// TestFrequentNames looks up every field of runs and bindings: a frequent name is itself.
func TestFrequentNames(t *testing.T) {
	found, seen := map[string]bool{}, map[reflect.Type]bool{}
	var walk func(reflect.Type)
	walk = func(of reflect.Type) {
		switch of.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Map:
			walk(of.Elem())
			return
		case reflect.Struct:
		default:
			return
		}
		if seen[of] {
			return
		}
		seen[of] = true
		for i := range of.NumField() {
			name, _, _ := strings.Cut(of.Field(i).Tag.Get("json"), ",")
			switch frequent := frequentName([]byte(name)); {
			case frequent == "":
			case frequent != name || len(name) > longestName:
				t.Errorf("%q is %q", name, frequent)
			default:
				found[name] = true
				p := newParser([]byte(`"` + name + `": 1`))
				if got := p.name(); got != name || !p.take(':') {
					t.Errorf("%q is read as %q", name, got)
				}
			}
			walk(of.Field(i).Type)
		}
	}
	walk(reflect.TypeFor[placement.StagedUpdateRun]())
	walk(reflect.TypeFor[placement.ResourceBinding]())
	if len(found) != 31 {
		t.Errorf("%d names were found", len(found))
	}
	// Names that only begin or end like one, and escapes, are read as they are.
	for json, want := range map[string]string{`"statu"`: "statu", `"statuses"`: "statuses", `"st\u0061tus"`: "status", `"status\""`: `status"`, `""`: ""} {
		p := newParser([]byte(json + ":"))
		if got := p.name(); got != want || !p.take(':') {
			t.Errorf("%s is read as %q", json, got)
		}
	}
}
