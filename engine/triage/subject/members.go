package subject

import (
	cluster "github.com/stagewatch/stagewatch/api/cluster/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
)

// JoinedMembers counts the members that have joined and are not being deleted, and those
// of them that have a taint.
func (k *Subject) JoinedMembers() (joined, tainted int) {
	members, _ := k.Case.Members()
	for _, m := range members {
		if m.Deleting.IsZero() && engine.ReadCondition(m.Conditions, cluster.MemberJoined).Truth == engine.TruthYes {
			if joined++; len(m.Taints) > 0 {
				tainted++
			}
		}
	}
	return joined, tainted
}
