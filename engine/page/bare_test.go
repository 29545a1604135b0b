package page_test

import (
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/act"
	"github.com/stagewatch/stagewatch/engine/page"
)

// questions are the types of Question; the source is compared with them.
func questions(t *testing.T) []reflect.Type {
	t.Helper()
	all := []page.Question{
		page.YAMLQuestion{},
		page.DryRunQuestion{},
		page.PlanQuestion{},
		page.NewRunQuestion{},
		page.ClusterQuestion{},
		page.OwnersQuestion{},
		page.AllOwnersQuestion{},
		page.PlacementQuestion{},
		page.SnapshotsQuestion{},
		page.ApprovalsQuestion{},
		page.TimelineQuestion{},
		page.EventsQuestion{},
		page.LogsQuestion{},
		page.MemberQuestion{},
		page.PodQuestion{},
		page.PodLogQuestion{},
		page.PodsQuestion{},
		page.ForgetContextQuestion{},
		page.ChoicesQuestion{},
		page.DiagnosisQuestion{},
		page.SelectQuestion{},
	}
	source, err := os.ReadFile("question.go")
	if err != nil {
		t.Fatal(err)
	}
	var out []reflect.Type
	for _, q := range all {
		out = append(out, reflect.TypeOf(q))
		if !strings.Contains(string(source), reflect.TypeOf(q).Name()+") subject() engine.ID") {
			t.Errorf("%T is not in question.go", q)
		}
	}
	if n := strings.Count(string(source), " subject() engine.ID") - 1; n != len(out) {
		t.Errorf("question.go has %d questions, this list %d", n, len(out))
	}
	return out
}

// TestQuestionsAreComparable checks that an answer to any question can be compared
// with the one that is waited for, without a panic.
func TestQuestionsAreComparable(t *testing.T) {
	for _, q := range questions(t) {
		if !q.Comparable() {
			t.Errorf("%s is not comparable", q)
		}
	}
}

// TestNoBareStrings walks every type that the screen can reach and fails on a
// string that did not pass through Text (docs/architecture.md#hub-text).
func TestNoBareStrings(t *testing.T) {
	// Unexported strings are raw on purpose: what goes back to the hub.
	CleanCell := map[string]bool{
		"engine.ID": true, "engine.Text": true, "engine.Raw": true, "engine.Right": true, "act.Intent": true, "act.made": true,
		"engine.Intent": true, "engine.made": true,
	}
	// TestConstantTypesAreConstants holds that a Cause is no text of the hub.
	opaque := map[reflect.Type]bool{reflect.TypeFor[time.Time](): true, reflect.TypeFor[engine.HubName](): true, reflect.TypeFor[engine.Cause](): true}
	seen := map[reflect.Type]bool{}
	var walk func(typ reflect.Type, path string)
	walk = func(typ reflect.Type, path string) {
		if seen[typ] || opaque[typ] {
			return
		}
		seen[typ] = true
		switch typ.Kind() {
		case reflect.String:
			t.Errorf("%s is a bare %s", path, typ)
		case reflect.Pointer, reflect.Array:
			walk(typ.Elem(), path)
		case reflect.Slice:
			if typ.Elem().Kind() == reflect.Uint8 && typ.Elem().PkgPath() == "" {
				t.Errorf("%s is bare bytes", path)
			}
			walk(typ.Elem(), path)
		case reflect.Map:
			walk(typ.Key(), path+" key")
			walk(typ.Elem(), path)
		case reflect.Struct:
			for f := range typ.Fields() {
				delete(seen, reflect.TypeFor[string]())
				if !f.IsExported() && CleanCell[typ.String()] && f.Type.Kind() == reflect.String {
					continue
				}
				walk(f.Type, path+"."+f.Name)
			}
		case reflect.Interface:
			if typ != reflect.TypeFor[page.Question]() {
				t.Errorf("%s is a %s: what it holds cannot be checked", path, typ)
				return
			}
			for _, q := range questions(t) {
				walk(q, path+" "+q.Name())
			}
		case reflect.Func, reflect.Chan, reflect.UnsafePointer, reflect.Uintptr:
			t.Errorf("%s is a %s: what it holds cannot be checked", path, typ.Kind())
		default: // numbers and booleans
		}
	}
	walk(reflect.TypeFor[engine.Snapshot](), "Snapshot")
	walk(reflect.TypeFor[page.Answer](), "Answer")
	walk(reflect.TypeFor[act.Outcome](), "Outcome")
	walk(reflect.TypeFor[act.Intent](), "Intent")
	walk(reflect.TypeFor[engine.Refusal](), "Refusal")
	if len(seen) < 20 {
		t.Errorf("only %d types were walked", len(seen))
	}
}
