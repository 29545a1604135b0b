package cli

import (
	"errors"
	"testing"

	"github.com/stagewatch/stagewatch/cli/exit"
	"github.com/stagewatch/stagewatch/cli/internal/usage"
	"github.com/stagewatch/stagewatch/engine"
)

// A single word is read as a RUN: when no run has the name, the hint names the
// command that was meant.
func TestMistypedCommandIsSuggested(t *testing.T) {
	cmd := newCommand(&terminal{})
	missing := &exit.Failure{Code: exit.NotFound, What: engine.Lit("run not found"), Hint: engine.Lit("list the runs")}
	for _, tt := range []struct {
		args []string
		err  error
		hint string
	}{
		{[]string{"explan"}, missing, `did you mean "stagewatch explain"?`},
		{[]string{"aprove"}, missing, `did you mean "stagewatch approve"?`},
		{[]string{"describe"}, missing, `did you mean "stagewatch explain"?`},
		{[]string{"list"}, missing, `did you mean "stagewatch get"?`},
		{[]string{"web-r5"}, missing, "list the runs"},
		{[]string{"explan"}, &exit.Failure{Code: exit.Forbidden, Hint: engine.Lit("ask")}, "ask"},
	} {
		var f *exit.Failure
		if err := usage.Meant(cmd, tt.args, tt.err); !errors.As(err, &f) || f.Hint.String() != tt.hint {
			t.Errorf("%v: hint %q, want %q", tt.args, f.Hint, tt.hint)
		}
	}
	if missing.Hint.String() != "list the runs" {
		t.Error("the failure itself was changed")
	}
	if err := usage.Meant(cmd, []string{"explan"}, nil); err != nil {
		t.Error(err)
	}
}
