package page_test

import (
	"testing"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/page"
)

// TestGateWord checks what every list of gates calls one.
func TestGateWord(t *testing.T) {
	request := engine.NewID(engine.KindClusterApprovalRequest, "", "r1-before-prod", "u")
	foreign := &engine.RequestSeen{Foreign: true}
	for want, g := range map[string]engine.GateView{
		"pending":                         {State: engine.GateComing, Before: true},
		"request of another run or stage": {State: engine.GateComing, Before: true, Request: request, Seen: foreign},
		"approved ahead":                  {State: engine.GateSent, Before: true, Request: request},
		"open":                            {State: engine.GateOpen, Before: true, Request: request},
		"open, request missing":           {State: engine.GateOpen, Before: true},
	} {
		v := &engine.RunView{At: 0, Stages: []engine.StageView{{Name: engine.Lit("dev"), Total: 1}, {Name: engine.Lit("prod"), Before: []engine.GateView{g}}}}
		if got := page.GateWord(v, &v.Stages[1], &v.Stages[1].Before[0]).String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
