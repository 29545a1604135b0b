package page

import (
	"strconv"

	"github.com/stagewatch/stagewatch/engine"
)

// ChangesOf asks for the changes between the snapshots that a run moves its clusters
// between: from the one that a pending cluster has, else the one before, to its own. It is
// false when there are not two, and for a placement without a run. d has the clusters of the run, if
// they are known.
func ChangesOf(v *engine.RunView, d *engine.Detail) (SnapshotsQuestion, bool) {
	to, err := strconv.Atoi(v.Index.String())
	if err != nil || to < 1 || v.Placement.IsZero() || v.Word == engine.WordNoRun {
		return SnapshotsQuestion{}, false
	}
	q := SnapshotsQuestion{Placement: v.Placement, From: to - 1, To: to}
	if d == nil || d.Run.ID != v.ID {
		return q, true
	}
	for _, stage := range d.Clusters {
		for i := range stage {
			c := &stage[i]
			if from, err := strconv.Atoi(c.Index.String()); err == nil && c.Bound && c.State == engine.ClusterComing && from != to {
				q.From = from
				return q, true
			}
		}
	}
	return q, true
}
