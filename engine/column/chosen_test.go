package column

import (
	"slices"
	"testing"

	"github.com/stagewatch/stagewatch/engine"
)

// TestChosen checks the order of chosen columns, that the hub is one of them, and which value
// each column of a label or an annotation has.
func TestChosen(t *testing.T) {
	names := []string{"run", "label:app.kubernetes.io/name", "state", "annotation:owner", "nothing", "label:"}
	var got, cells []string
	v := run(engine.WordRunning)
	v.Metadata = []engine.Text{engine.Clean("web\x1b[31m"), engine.Lit("team-a")}
	for _, c := range Chosen(names, Metadata(names)) {
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
		if IsMetadata(c.Name) && !c.Text(v, now).IsZero() {
			t.Errorf("%s that is not read", c.Name)
		}
	}
	for _, c := range Chosen(names, Metadata(names)) {
		if IsMetadata(c.Name) && !c.Text(run(engine.WordRunning), now).IsZero() {
			t.Errorf("%s of a run without values", c.Name)
		}
	}
	if got := Metadata(names); !slices.Equal(got, []string{"label:app.kubernetes.io/name", "annotation:owner"}) {
		t.Errorf("metadata %q", got)
	}
	if Chosen(nil, nil) != nil || len(Chosen([]string{"hub", "run"}, nil)) != 2 {
		t.Error("no names, or the hub twice")
	}
}
