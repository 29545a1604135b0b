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
		row := gateRow(engine.Lit("k"), &engine.StageView{Name: engine.Lit("prod")}, &tt.gate)
		if got := row.Cells[2].Text.String(); got != tt.want {
			t.Errorf("%+v reads %q, want %q", tt.gate, got, tt.want)
		}
	}
}
