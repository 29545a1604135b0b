package column

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stagewatch/stagewatch/engine"
)

func TestSort(t *testing.T) {
	runs := func() []*engine.RunView {
		var out []*engine.RunView
		for i, r := range []struct {
			name, snapshot string
			done, total    int
			since          time.Duration
			cause          string
		}{
			{"b", "9", 1, 2, time.Minute, "webhook"}, {"a", "10", 5, 10, time.Hour, ""}, {"c", "", 9, 10, 0, "quota"}, {"d", "2", 0, 0, time.Second, "approve"},
		} {
			v := &engine.RunView{ID: engine.NewID(engine.KindClusterStagedUpdateRun, "", r.name, "u"), Done: r.done, Total: r.total, Word: engine.WordRunning, Created: now.Add(-time.Duration(i) * time.Minute)}
			if v.Why.Short = engine.Clean(r.cause); r.total > 0 {
				v.Stages = []engine.StageView{{Name: engine.Lit("s")}}
			}
			if r.snapshot != "" {
				v.Index = engine.Clean(r.snapshot)
			}
			if r.since > 0 {
				v.Since = now.Add(-r.since)
			}
			out = append(out, v)
		}
		return out
	}
	for _, tt := range []struct {
		by   string
		desc bool
		want string
	}{
		{"run", false, "abcd"},
		{"run", true, "dcba"},
		{"snapshot", false, "dbac"}, // as numbers; an unknown one is last
		{"snapshot", true, "abdc"},
		{"clusters", false, "bacd"}, // equal shares by size
		{"clusters", true, "cabd"},
		{"instate", false, "dbac"},
		{"instate", true, "abdc"},
		{"cause", false, "dcba"},
		{"age", true, "dcab"},
		{"state", false, "bacd"}, // equal: the order stays
	} {
		c, _ := Named(tt.by)
		rows := runs()
		Sort(rows, c, tt.desc, now)
		got := ""
		for _, v := range rows {
			got += v.ID.RawName()
		}
		if got != tt.want {
			t.Errorf("by %s, descending %v: %s, want %s", tt.by, tt.desc, got, tt.want)
		}
	}
	names := []string{}
	for _, c := range Sortable(nil) {
		names = append(names, c.Name)
	}
	if slices.Contains(names, "stages") || !slices.Contains(names, "cause") {
		t.Errorf("sortable: %v", names)
	}
}

func BenchmarkSort(b *testing.B) {
	var runs []*engine.RunView
	for i := range 5000 {
		v := run(engine.WordRunning)
		v.Since = now.Add(-time.Duration(i*7919%5000) * time.Second)
		runs = append(runs, v)
	}
	c, _ := Named("instate")
	for b.Loop() {
		Sort(slices.Clone(runs), c, true, now)
	}
}

// ParseSort reads names, an order, and the paths of kubectl; for a wrong name it lists those
// that exist.
func TestParseSort(t *testing.T) {
	for _, tt := range []struct {
		by, name string
		desc     bool
	}{
		{"age", "age", false},
		{"-clusters", "clusters", true},
		{"PLACEMENT", "placement", false},
		{".metadata.name", "run", false},
		{"{.metadata.creationTimestamp}", "age", true},
	} {
		if o, no := ParseSort(tt.by, nil); no.Refused() || o.Column.Name != tt.name || o.Desc != tt.desc {
			t.Errorf("%s: %+v, %v", tt.by, o, no)
		}
	}
	_, no := ParseSort("clsters", nil)
	if got := no.Hint.String(); !strings.HasPrefix(got, `did you mean "clusters"? use state, hub, run, `) {
		t.Error(got)
	}
	if _, no := ParseSort("why", nil); !no.Refused() || strings.Contains(no.Hint.String(), "did you mean") {
		t.Errorf("a column without an order: %v", no)
	}
}
