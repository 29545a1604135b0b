package output

import "testing"

// TestCheckForm: a form that one command prints and another one does not is no misspelt one.
func TestCheckForm(t *testing.T) {
	for _, tt := range []struct {
		value string
		forms []string
		hint  string
	}{
		{"yaml", WatchForms(), "use json or jsonl for one object a line, or table, wide or name"},
		{"jsonpath={.a}", WatchForms(), "use json or jsonl for one object a line, or table, wide or name"},
		{"markdown", WatchForms(), "use json or jsonl for one object a line, or table, wide or name"},
		{"jsno", WatchForms(), `did you mean "json"? use table, wide, name, json, jsonl`},
		{"xml", WatchForms(), "use table, wide, name, json, jsonl"},
		{"yaml", []string{"text", "name", "json"}, "use text, name, json"},
		{"json", WatchForms(), ""},
	} {
		no := CheckForm(tt.value, tt.forms)
		if no.Refused() != (tt.hint != "") || no.Hint.String() != tt.hint {
			t.Errorf("-o %s: %q, want %q", tt.value, no.Hint, tt.hint)
		}
	}
}
