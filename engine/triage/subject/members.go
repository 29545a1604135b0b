package subject

import (
	"slices"
	"strings"

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

// NotMembers are those of the names, which a message lists, that are not members of the fleet now,
// whether their bindings are deleted already or not.
func NotMembers(k *Subject, names string) (left []string) {
	for name := range strings.SplitSeq(strings.TrimSuffix(names, "..."), ", ") {
		if m, known := k.Case.Member(name); known && m == nil && name != "" {
			left = append(left, name)
		}
	}
	return left
}

// Recorded reports whether each of the names, which a message lists, is a member that the
// run has in a stage.
func Recorded(k *Subject, names string) bool {
	var in []string
	for i := range k.View.Stages {
		for _, c := range k.Case.Stage(i).Clusters {
			in = append(in, c.ClusterName)
		}
	}
	list := strings.FieldsFunc(names, func(r rune) bool { return r == ',' || r == ' ' })
	return len(list) > 0 && !slices.ContainsFunc(list, func(name string) bool {
		m, _ := k.Case.Member(name)
		return m == nil || !slices.Contains(in, name)
	})
}

// JoinedAgain are those of the names, which a message lists, that the run recorded and whose
// MemberCluster was created after the run was initialized: they had left the fleet.
func JoinedAgain(k *Subject, names string) (back []string) {
	for name := range strings.SplitSeq(strings.TrimSuffix(names, "..."), ", ") {
		if m, _ := k.Case.Member(name); m != nil && Recorded(k, name) && m.Created.After(k.Case.Initialized.Since) {
			back = append(back, name)
		}
	}
	return back
}

// NotRemoved lists the clusters that have a binding and are not members, as after a member was
// deleted until the scheduler has seen that.
func (k *Subject) NotRemoved() (names []string) {
	bindings, _ := k.Case.PlacementBindings()
	for _, b := range bindings {
		if m, known := k.Case.Member(b.Cluster); known && m == nil && Picks(b) && !slices.Contains(names, b.Cluster) {
			names = append(names, b.Cluster)
		}
	}
	return names
}
