package column

import (
	"slices"
	"strings"
	"testing"

	"github.com/stagewatch/stagewatch/engine"
)

// TestFields sorts by the values of fields: numbers by their size, then texts, then runs that
// have none, and finds the columns by their words.
func TestFields(t *testing.T) {
	names := []string{"run", "label:a/State", "jsonpath:Weight:.spec.weight"}
	chosen := Chosen(names, Fields(names))
	var rows []*engine.RunView
	for _, weight := range []string{"b", "10", "", "9", "a"} {
		v := run(engine.WordRunning)
		v.Fields = []engine.Text{{}, engine.Clean(weight)}
		rows = append(rows, v)
	}
	for _, tt := range []struct{ by, want string }{{"weight", "9 10 a b "}, {"-weight", "b a 10 9 "}} {
		sorted, no := ParseSort(tt.by, chosen)
		if no.Refused() {
			t.Fatal(no.Why)
		}
		var got []string
		for _, v := range sorted.Apply(rows, now) {
			got = append(got, v.Fields[1].String())
		}
		if s := strings.Join(got, " "); s != tt.want {
			t.Errorf("%s: %q, want %q", tt.by, s, tt.want)
		}
	}
	for word, want := range map[string]string{"weight": names[2], names[2]: names[2], "state": "state", names[1]: names[1], "WEIGHT": ""} {
		if c, ok := Find(chosen, word); ok != (want != "") || ok && c.Name != want {
			t.Errorf("%s is %v", word, c)
		}
	}
	labels := WithLabels([]string{"run", "label:team"}, []string{"stage", " x.io/hub ", "team", "stage", "x.io/Tier"}, false)
	if want := []string{"run", "label:team", "label:stage", "label:x.io/hub", "label:x.io/Tier"}; !slices.Equal(labels, want) {
		t.Errorf("with labels %q, want %q", labels, want)
	}
	for by, want := range map[string]string{"stage": "label:stage", "hub": "hub", "x.io/hub": "label:x.io/hub", "team": "label:team", "x.io/Tier": "label:x.io/Tier", "label:x.io/Tier": "label:x.io/Tier"} {
		if sorted, no := ParseSort(by, Chosen(labels, Fields(labels))); no.Refused() || sorted.Column.Name != want {
			t.Errorf("by %s: %v, %s", by, sorted.Column, no.Why)
		}
	}
	if got, want := SortNames(chosen), append(SortNames(nil), "state", "weight"); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestChosen checks the order of chosen columns, that the hub is one of them, and which value
// each column of a label or an annotation has.
func TestChosen(t *testing.T) {
	names := []string{"run", "label:app.kubernetes.io/name", "state", "annotation:owner", "nothing", "label:"}
	var got, cells []string
	v := run(engine.WordRunning)
	v.Fields = []engine.Text{engine.Clean("web\x1b[31m"), engine.Lit("team-a")}
	for _, c := range Chosen(names, Fields(names)) {
		got = append(got, c.Name+" "+c.Head)
		cells = append(cells, c.Text(v, now).String())
	}
	if want := []string{"hub HUB", "run RUN", "label:app.kubernetes.io/name NAME", "state STATE", "annotation:owner OWNER"}; !slices.Equal(got, want) {
		t.Errorf("columns %q, want %q", got, want)
	}
	if want := []string{"", "web-r4", engine.Clean("web\x1b[31m").String(), "RUNNING", "team-a"}; !slices.Equal(cells, want) {
		t.Errorf("cells %q, want %q", cells, want)
	}
	for _, c := range Chosen(names, nil) {
		if c.IsField() && !c.Text(v, now).IsZero() {
			t.Errorf("%s that is not read", c.Name)
		}
	}
	for _, c := range Chosen(names, Fields(names)) {
		if c.IsField() && !c.Text(run(engine.WordRunning), now).IsZero() {
			t.Errorf("%s of a run without values", c.Name)
		}
	}
	if got := Fields(names); !slices.Equal(got, []string{"label:app.kubernetes.io/name", "annotation:owner"}) {
		t.Errorf("fields %q", got)
	}
	if Chosen(nil, nil) != nil || len(Chosen([]string{"hub", "run"}, nil)) != 2 {
		t.Error("no names, or the hub twice")
	}
}
