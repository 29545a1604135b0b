package keybar

import (
	"slices"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/keymap"
	"github.com/stagewatch/stagewatch/ui/cell"
	"github.com/stagewatch/stagewatch/ui/theme"
)

// hintKeys are the keys for what serves a next step.
var hintKeys = map[engine.NextAction]keymap.Action{
	engine.NextMember: keymap.Member, engine.NextCluster: keymap.Cluster, engine.NextDiff: keymap.Diff,
	engine.NextPlan: keymap.Plan, engine.NextPlacement: keymap.Placement, engine.NextOwners: keymap.Owners,
	engine.NextPreempter: keymap.Taker, engine.NextApprovals: keymap.Inbox, engine.NextLogs: keymap.Logs,
	engine.NextApprove: keymap.Approve, engine.NextRun: keymap.Run, engine.NextStop: keymap.Stop, engine.NextClone: keymap.Clone,
}

// Hints are the keys for next actions, each once and in their order, among the entries of a scope. useful
// reports whether an action is possible at the moment, by its entry.
func Hints(actions []engine.NextAction, entries []keymap.Entry, useful func(engine.NextAction, keymap.Entry) bool) cell.Spans {
	var out cell.Spans
	for i, l := range actions {
		if slices.Contains(actions[:i], l) { // several causes may have the same one
			continue
		}
		for _, e := range entries {
			if e.Action != hintKeys[l] || !useful(l, e) {
				continue
			}
			h, sep := e.Short(), ""
			if len(out) > 0 {
				sep = "  "
			}
			out = append(out, cell.Styled(theme.Key|theme.Bold, sep+h.Key), cell.Styled(theme.Sub, " "+h.Desc))
			break
		}
	}
	return out
}
