package output

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/column"
)

// TestChosenColumns prints the columns of the configuration in a plain table, and all others
// behind them in a wide one. Without a choice both are as they were.
func TestChosenColumns(t *testing.T) {
	v := &engine.RunView{
		ID: engine.NewID(engine.KindClusterStagedUpdateRun, "", "web-r4", "u"), Word: engine.WordStuck,
		Fields: []engine.Text{engine.Lit("team-a")},
	}
	v.Why.Short = engine.Lit("quota")
	s := &engine.Snapshot{At: time.Unix(1e9, 0), Runs: []*engine.RunView{v}}
	chosen := column.Chosen([]string{"cause", "label:team", "stages", "run"}, []string{"label:team"})
	for _, tt := range []struct {
		name    string
		columns []column.Column
		wide    bool
		heads   string
		row     []string
	}{
		{"chosen", chosen, false, "CAUSE,TEAM,RUN", []string{"quota", "team-a", "web-r4"}},
		{"chosen, wide", chosen, true, "CAUSE,TEAM,RUN," + heads(func(c column.Column) bool { return c.Name != "run" && c.Name != "cause" }), []string{"quota", "team-a", "web-r4", "STUCK"}},
		{"all", nil, false, heads(func(c column.Column) bool { return !c.Wide && !c.Bindings }), []string{"STUCK", "web-r4"}},
	} {
		table := tableOf(s, s.Runs, tt.columns, tt.wide)
		if got := strings.Join(table[0], ","); got != tt.heads {
			t.Errorf("%s: heads %s, want %s", tt.name, got, tt.heads)
		}
		if !slices.Equal(table[1][:len(tt.row)], tt.row) {
			t.Errorf("%s: row %q, want %q", tt.name, table[1], tt.row)
		}
	}
}

// heads are those of the columns of one hub that can be printed and are as wanted.
func heads(wanted func(column.Column) bool) string {
	var out []string
	for _, c := range column.All() {
		if !c.Drawn && !c.Hubs && wanted(c) {
			out = append(out, c.Head)
		}
	}
	return strings.Join(out, ",")
}
