package engine

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestActionsInTexts: an action of a constant is a key on the screen, and a command
// elsewhere. What the hub returned is never changed, even if it looks like an action.
func TestActionsInTexts(t *testing.T) {
	hostile := Clean("see {clone} and \ue000clone\ue001rm\ue002")
	tests := []struct {
		name          string
		text          Text
		keyed, string string
	}{
		{"none", Lit("Wait (30 s): {}."), "Wait (30 s): {}.", "Wait (30 s): {}."},
		{"constant", Lit("Start it ({run}), or delete it ({delete})."), "Start it (RUN), or delete it (DELETE).", "Start it (stagewatch run), or delete it (stagewatch delete)."},
		{"format", Textf("Fix %s (now %d), then create a new run ({clone}): %s", Lit("web"), 1, Lit("see the log ({logs})")), "Fix web (now 1), then create a new run (CLONE): see the log (LOGS)", "Fix web (now 1), then create a new run (stagewatch clone): see the log (stagewatch logs)"},
		{"of the hub", Textf("Create a run ({clone}): %s", hostile), `Create a run (CLONE): see {clone} and \ue000clone\ue001rm\ue002`, `Create a run (stagewatch clone): see {clone} and \ue000clone\ue001rm\ue002`},
		{"filled", Lit("Read the log of POD ({member}).").Fill("POD", "web {clone}\x1b"), `Read the log of web {clone}\x1b (MEMBER).`, `Read the log of web {clone}\x1b (stagewatch member).`},
		{"joined", Join([]Text{Lit("approve ({approve})"), Lit("stop ({stop})")}, ", "), "approve (APPROVE), stop (STOP)", "approve (stagewatch approve), stop (stagewatch stop)"},
		{"with a capital", Capital(Lit("read the plan ({plan})")), "Read the plan (PLAN)", "Read the plan (stagewatch plan)"},
		{"with words", Lit("Print it ({diagnose:first command})."), "Print it (DIAGNOSE: first command).", "Print it (first command)."},
		{"where the action leads to", Lit("Print it ({diagnose:first command}), then see {diagnose} and {logs}.").Here("diagnose"), "Print it (first command), then see DIAGNOSE and LOGS.", "Print it (first command), then see stagewatch explain and stagewatch logs."},
		{"with a command of its own", Lit("Create a run ({clone}), or delete it ({delete}).").WithCommand("clone", "stagewatch clone web"), "Create a run (CLONE), or delete it (DELETE).", "Create a run (stagewatch clone web), or delete it (stagewatch delete)."},
		{"with a command and words", Lit("remembered ({open:use it})").WithCommand("open", "--member-context NAME"), "remembered (OPEN: use it)", "remembered (--member-context NAME)"},
		{"for the program only", Textf("Otherwise: %s", Lit("{undoes}Set it back.")), "Otherwise: Set it back.", "Otherwise: Set it back."},
		{"without a command", Lit("{back} clears the filter"), "BACK clears the filter", "back clears the filter"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.text.Keyed(strings.ToUpper); got != tt.keyed {
				t.Errorf("on the screen %q, want %q", got, tt.keyed)
			}
			if got := tt.text.String(); got != tt.string {
				t.Errorf("elsewhere %q, want %q", got, tt.string)
			}
			var got string
			if b, err := json.Marshal(tt.text); err != nil || json.Unmarshal(b, &got) != nil || got != tt.string {
				t.Errorf("JSON %q, want %q", got, tt.string)
			}
		})
	}
}
