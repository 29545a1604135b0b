package engine

import (
	"encoding/json"
	"testing"
)

// TestHeadlessNamesCommands: a key of a constant is shown on the screen only. What the
// hub returned is never changed, even if it looks like a key.
func TestHeadlessNamesCommands(t *testing.T) {
	hostile := Clean("see (C) and \ue000C\ue001rm\ue002")
	tests := []struct {
		name             string
		text             Text
		screen, headless string
	}{
		{"none", Lit("Wait (30 s)."), "Wait (30 s).", "Wait (30 s)."},
		{"plural", Lit("1 cluster(s)"), "1 cluster(s)", "1 cluster(s)"},
		{"constant", Lit("Start it (R), or delete it (X)."), "Start it (R), or delete it (X).", "Start it (stagewatch run), or delete it (stagewatch delete)."},
		{"format", Textf("Fix %s (now %d), then create a new run (C): %s", Lit("web"), 1, Lit("see the log (L)")), "Fix web (now 1), then create a new run (C): see the log (L)", "Fix web (now 1), then create a new run (stagewatch clone): see the log (stagewatch logs)"},
		{"of the hub", Textf("Create a run (C): %s", hostile), `Create a run (C): see (C) and \ue000C\ue001rm\ue002`, `Create a run (stagewatch clone): see (C) and \ue000C\ue001rm\ue002`},
		{"filled", Lit("Read the log of POD (m).").Fill("POD", "web (C)\x1b"), `Read the log of web (C)\x1b (m).`, `Read the log of web (C)\x1b (stagewatch member).`},
		{"joined", Join([]Text{Lit("approve (A)"), Lit("stop (S)")}, ", "), "approve (A), stop (S)", "approve (stagewatch approve), stop (stagewatch stop)"},
		{"with a capital", Capital(Lit("read the plan (i)")), "Read the plan (i)", "Read the plan (stagewatch plan)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.text.String(); got != tt.screen {
				t.Errorf("screen %q, want %q", got, tt.screen)
			}
			if got := tt.text.Headless(); got != tt.headless {
				t.Errorf("headless %q, want %q", got, tt.headless)
			}
			var got string
			if b, err := json.Marshal(tt.text); err != nil || json.Unmarshal(b, &got) != nil || got != tt.headless {
				t.Errorf("JSON %q, want %q", got, tt.headless)
			}
		})
	}
}
