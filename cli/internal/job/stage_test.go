package job

import (
	"errors"
	"testing"

	"github.com/stagewatch/stagewatch/cli/exit"
	"github.com/stagewatch/stagewatch/engine"
)

// TestNoStage names the stage that is meant, and the stages in their order.
func TestNoStage(t *testing.T) {
	v := &engine.RunView{Stages: []engine.StageView{{Name: engine.Lit("prod")}, {Name: engine.Lit("canary")}, {Name: engine.Lit("deletion"), Deletion: true}}}
	if err := NoStage(v, "canary"); err != nil {
		t.Error(err)
	}
	for name, want := range map[string]string{"cnary": `did you mean "canary"? stages: prod and canary`, "xyz": "stages: prod and canary"} {
		var f *exit.Failure
		if err := NoStage(v, name); !errors.As(err, &f) || f.Code != exit.NotFound || f.Hint.String() != want {
			t.Errorf("%s: %+v, want the hint %q", name, f, want)
		}
	}
}
