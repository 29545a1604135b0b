package triage

import (
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/message"
	"github.com/stagewatch/stagewatch/engine/world"
)

// leftFailing adds to a failed run what still fails on a cluster that it had started: the
// new run gets stuck there, too.
func (k *finder) leftFailing(f *finding) {
	cl, t := k.worst(func(cl *world.CaseCluster, t *trouble) bool {
		switch b := cl.Binding; {
		case b == nil:
			return false
		case cl.State == engine.ClusterDeleting:
			return !b.Deleting.IsZero() && (t.Hard || t.member != nil || len(t.blocks) > 0)
		}
		return cl.State == engine.ClusterUpdating && (t.Hard || t.failing) && message.SnapshotIndex(cl.Binding.SnapshotName) == k.View.Index.String()
	})
	if cl == nil {
		return
	}
	f.LeftFailing = t.sentence()
	f.What = engine.Textf("%s Besides, a cluster that this run had started still fails: %s", f.What, f.LeftFailing)
	steps := t.diagnosis().Steps
	if len(steps) > 0 {
		f.Steps = append([]engine.Text{engine.Textf("First remove what holds cluster %s, or the new run gets stuck there, too: %s", cl.Name, engine.Uncapital(steps[0]))}, f.Steps...)
	}
	f.Evidence = append(f.Evidence, t.evidence...)
}

// withoutBindings are the clusters on which the run had started and that have no binding
// now, or one that is being deleted: the hub agent removes the resources from them.
func (k *finder) withoutBindings() (names []engine.Text) {
	all, known := k.Case.PlacementBindings()
	if !known {
		return nil
	}
	kept := map[string]bool{}
	for _, b := range all {
		kept[b.Cluster] = kept[b.Cluster] || b.Deleting.IsZero()
	}
	for i := range k.View.Stages {
		if k.View.Stages[i].Deletion {
			continue
		}
		for _, c := range k.Case.Stage(i).Clusters {
			if len(c.Conditions) > 0 && !kept[c.ClusterName] {
				names = append(names, engine.Clean(c.ClusterName))
			}
		}
	}
	return names
}
