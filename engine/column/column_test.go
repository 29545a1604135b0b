package column

import (
	"testing"
	"time"

	"github.com/stagewatch/stagewatch/engine"
)

var now = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// run is a cluster run in a state, in the first of two stages.
func run(w engine.Word) *engine.RunView {
	return &engine.RunView{
		ID: engine.NewID(engine.KindClusterStagedUpdateRun, "", "web-r4", "u"), Placement: engine.NewID(engine.KindClusterResourcePlacement, "", "web", ""),
		Word: w, Since: now.Add(-80 * time.Second), Strategy: engine.Lit("slow"), Index: engine.Lit("4"), Total: 6, Done: 3,
		Stages: []engine.StageView{{Name: engine.Lit("canary")}, {Name: engine.Lit("prod")}, {Name: engine.Lit("gone"), Deletion: true}},
	}
}

// cells are the cells of a row by the names of the columns.
func cells(v *engine.RunView) map[string]string {
	out := map[string]string{}
	for _, c := range All() {
		if c.Text != nil {
			out[c.Name] = c.Text(v, now).String()
		}
	}
	return out
}

func TestCells(t *testing.T) {
	change := func(w engine.Word, f func(*engine.RunView)) *engine.RunView {
		v := run(w)
		f(v)
		return v
	}
	for _, tt := range []struct {
		name string
		run  *engine.RunView
		want map[string]string
	}{
		{"running", run(engine.WordRunning), map[string]string{
			"state": "RUNNING", "run": "web-r4", "placement": "web", "snapshot": "4", "stage": "1/2 canary", "clusters": "3/6", "instate": "1m20s",
			"kind": "ClusterStagedUpdateRun", "strategy": "slow", "why": "",
		}},
		{"slow", change(engine.WordRunning, func(v *engine.RunView) { v.Slow = true }), map[string]string{"state": "RUNNING SLOW"}},
		{"waiting", change(engine.WordWaiting, func(v *engine.RunView) { v.Until = now.Add(599 * time.Second) }), map[string]string{"state": "WAITING 9m59s"}},
		{"waiting late", change(engine.WordWaiting, func(v *engine.RunView) { v.Until, v.Late = now.Add(-time.Minute), true }), map[string]string{"state": "WAITING LATE"}},
		{"deleting resources", change(engine.WordRunning, func(v *engine.RunView) { v.At = 2 }), map[string]string{"stage": "deletion"}},
		{"asked for a snapshot", change(engine.WordPending, func(v *engine.RunView) { v.Index, v.IndexAsked = engine.Text{}, engine.Lit("5") }), map[string]string{"snapshot": "5"}},
		{"loading", change(engine.WordUnknown, func(v *engine.RunView) { v.Partial, v.Since = true, time.Time{} }), map[string]string{"stage": "", "clusters": "", "instate": ""}},
		{"no run", change(engine.WordNoRun, func(v *engine.RunView) { v.ID = v.Placement }), map[string]string{"state": "NO RUN", "run": "(web)", "placement": "web"}},
	} {
		got := cells(tt.run)
		for name, want := range tt.want {
			if got[name] != want {
				t.Errorf("%s: %s is %q, want %q", tt.name, name, got[name], want)
			}
		}
	}
}

// TestColumns checks what the users of the table rely on: names and JSON fields are
// unique, a head fits its column, wide columns come last, each has a value for JSON.
func TestColumns(t *testing.T) {
	names, fields, wide := map[string]bool{}, map[string]bool{}, false
	for _, c := range All() {
		if c.Name == "" || names[c.Name] || c.JSON != "" && fields[c.JSON] {
			t.Errorf("%q, %q: not unique", c.Name, c.JSON)
		}
		names[c.Name], fields[c.JSON] = true, true
		if got, ok := Named(c.Name); !ok || got.Head != c.Head {
			t.Errorf("%s: found %v", c.Name, got)
		}
		if c.Max > 0 && len(c.HeadFor(true)) > c.Max {
			t.Errorf("%s: its head %s does not fit", c.Name, c.HeadFor(true))
		}
		if (c.JSON == "") != (c.Value == nil) || (c.Text == nil) != c.Drawn {
			t.Errorf("%s: a function is missing", c.Name)
		}
		if wide && !c.Wide {
			t.Errorf("%s stands after a wide column", c.Name)
		}
		wide = c.Wide
	}
	if _, ok := Named("nothing"); ok {
		t.Error("there is a column nothing")
	}
}

func TestHits(t *testing.T) {
	v := run(engine.WordStuck)
	v.Why.What, v.Why.Quote = engine.Lit("the cause"), engine.Lit("the quote")
	for name, word := range map[string]string{
		"state": "STUCK", "run": "web-r4", "placement": "web", "snapshot": "4", "stage": "canary", "clusters": "3/6",
		"kind": "ClusterStagedUpdateRun", "strategy": "slow", "why": "the quote",
	} {
		c, ok := Named(name)
		if !ok || !c.Hits(v, func(x engine.Text) bool { return x.String() == word }) {
			t.Errorf("%s does not hit %q", name, word)
		}
	}
	for _, name := range []string{"instate", "stages"} {
		if c, _ := Named(name); c.Hits(v, func(engine.Text) bool { return true }) {
			t.Errorf("%s has no constant text, and hits", name)
		}
	}
}

// Only a stage or a cluster is the place that a cause ends in.
func TestCausePlace(t *testing.T) {
	path := []engine.Hop{
		{Level: engine.Lit("run"), Name: engine.Lit("exist")}, {Level: engine.Lit("stage"), Name: engine.Lit("canary")}, {Level: engine.Lit("cluster"), Name: engine.Lit("weu-1")},
	}
	for short, want := range map[string]string{
		"snapshot does not exist": "", "timed wait after canary": "canary", "KIND has drifted on weu-1": "weu-1", "weu-1": "", "stop of precanary": "",
	} {
		v := &engine.RunView{Why: engine.Diagnosis{Short: engine.Clean(short), Path: path}}
		if got := CausePlace(v).String(); got != want {
			t.Errorf("%s ends in %q, want %q", short, got, want)
		}
	}
}

// TestSnapshotInJSON: like the table, the JSON has the index that is asked for until the controller
// has chosen one.
func TestSnapshotInJSON(t *testing.T) {
	for _, c := range all {
		if c.Name != "snapshot" {
			continue
		}
		for _, v := range []engine.RunView{{Index: engine.Lit("7"), IndexAsked: engine.Lit("07")}, {IndexAsked: engine.Lit("7")}} {
			if got := c.Value(&v); got != engine.Lit("7") {
				t.Errorf("index %q, asked %q: %v", v.Index, v.IndexAsked, got)
			}
		}
	}
}
