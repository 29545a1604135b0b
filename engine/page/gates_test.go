package page

import (
	"testing"

	"github.com/stagewatch/stagewatch/engine"
)

// A gate whose approval request does not exist does not read like one that can be approved.
func TestAGateWithoutItsRequest(t *testing.T) {
	request := engine.NewID(engine.KindClusterApprovalRequest, "", "web-r1-before-prod", "u")
	for _, tt := range []struct {
		gate engine.GateView
		want string
	}{
		{engine.GateView{State: engine.GateOpen, Request: request}, "open"},
		{engine.GateView{State: engine.GateOpen}, "open, request missing"},
		{engine.GateView{State: engine.GateComing}, "pending"},
	} {
		row := gateRow(&engine.RunView{}, engine.Lit("k"), &engine.StageView{Name: engine.Lit("prod")}, &tt.gate)
		if got := row.Cells[2].Text.String(); got != tt.want {
			t.Errorf("%+v reads %q, want %q", tt.gate, got, tt.want)
		}
	}
}

// A run that is being deleted starts nothing: it has no gates and no clusters ahead.
func TestADeletedRunHasNothingAhead(t *testing.T) {
	for _, word := range []engine.Word{engine.WordRunning, engine.WordDeleting} {
		v := &engine.RunView{Word: word, Stages: []engine.StageView{{
			Name: engine.Lit("prod"), Total: 1, Coming: []engine.Text{engine.Lit("a")}, Before: []engine.GateView{{State: engine.GateOpen}},
		}}}
		f := DiagnosisFacts{Run: v}
		gates, next := gateSection(v), f.nextSection()
		want := 1
		if word == engine.WordDeleting {
			want = 0
		}
		if len(gates.Rows) != want || len(next.Rows) != want {
			t.Errorf("%s: gates %v, next %v", word, gates.Rows, next.Rows)
		}
	}
}
