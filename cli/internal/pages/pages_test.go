package pages

import (
	"errors"
	"testing"

	"github.com/stagewatch/stagewatch/cli/exit"
	"github.com/stagewatch/stagewatch/engine"
)

// TestMemberThatIsNotThere names the cluster that is meant, and the others.
func TestMemberThatIsNotThere(t *testing.T) {
	s := Subject{Run: &engine.RunView{}, Detail: &engine.Detail{Clusters: [][]engine.ClusterView{{{Name: engine.Lit("eu-1")}, {Name: engine.Lit("weu-canary-1")}}}}, Member: "weu-canary"}
	var f *exit.Failure
	if _, err := memberOf(s); !errors.As(err, &f) || f.Code != exit.NotFound || f.Hint.String() != `did you mean "weu-canary-1"? clusters of the run: weu-canary-1 and eu-1` {
		t.Errorf("%+v", f)
	}
}
