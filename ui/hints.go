package ui

import (
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

// hints are the keys to press for the next step. An act that is not
// possible at the moment is left out, as the key bar shows, and so is a
// page that would be about another cluster than the reasons.
func (m *Model) hints(d *engine.Diagnosis) cell.Spans {
	var out cell.Spans
	for _, l := range d.NextActions {
		if (l == engine.NextMember || l == engine.NextCluster) && (d.Member.IsZero() || m.subject().Member != d.Member) {
			continue
		}
		for _, e := range m.keys.In(m.scope()) {
			if e.Action != hintKeys[l] || e.Writes && !m.guard.can[writers[e.Action]] || l == engine.NextPreempter && !m.canJump() {
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
