package act

import (
	"strings"
	"testing"

	"github.com/stagewatch/stagewatch/engine"
)

// The dialogs that continue a run warn of done clusters that another run has updated
// since, and of pending clusters that the run moves back.
func TestWarningsOfReplacedAndMovedBackClusters(t *testing.T) {
	v := &engine.RunView{Word: engine.WordApproval, Index: engine.Lit("3"), Done: 5, Total: 9, Replaced: 2, ReplacedBy: engine.NewID(engine.KindStagedUpdateRun, "shop", "r2", "u")}
	v.Stages = []engine.StageView{{Back: []engine.Text{engine.Lit("a"), engine.Lit("b"), engine.Lit("c")}, BackMore: 4}, {Back: []engine.Text{engine.Lit("d")}}}
	for name, warnings := range map[string][]engine.Text{"approve": ApproveWarnings(&engine.Snapshot{}, v), "run": runWarnings(&engine.Snapshot{}, v)} {
		all := engine.Join(warnings, "\n").String()
		for _, want := range []string{
			"The run moves 8 pending clusters back to the older snapshot 3: a, b, c and 5 more.",
			"Clusters: 5 of 9 done, 2 of them updated by r2 since. This run does not update these again.",
		} {
			if !strings.Contains(all, want) {
				t.Errorf("%s: %q lacks %q", name, all, want)
			}
		}
	}
}
