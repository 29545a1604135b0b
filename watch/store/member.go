package store

import (
	"reflect"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/world"
)

// member takes in a member. A heartbeat alone changes nothing on the screen,
// unless the member was silent: there are many of them.
func (f *folder) member(m *world.Member, now time.Time, moved *moves) {
	name := nameOf(m)
	old := f.world.Members[name]
	f.world.Members[name] = m
	if f.world.Covered[world.CoverAll(engine.KindMemberCluster)].State != engine.CoverComplete {
		moved.any = true
		return // all runs are read anew when the set is complete
	}
	if old != nil && !old.Silent(now) {
		was := *old
		was.Heartbeat = m.Heartbeat
		if reflect.DeepEqual(&was, m) {
			return
		}
	}
	f.runsOn(name, moved)
}

func (f *folder) forgetMember(id engine.ID, moved *moves) {
	_, name, _ := id.Raw()
	if m := f.world.Members[name]; m == nil || m.ID != id {
		return
	}
	delete(f.world.Members, name)
	f.runsOn(name, moved)
}

// runsOn marks the runs that have the cluster in one of their stages, and those
// that were refused, since the refusal may be about its labels.
func (f *folder) runsOn(name string, moved *moves) {
	moved.any = true
	for id, run := range f.world.Runs {
		if f.world.Packed[id].IsRowOnly() {
			continue // its row says nothing of clusters
		}
		stages := run.Status.StagesStatus
		found := len(stages) == 0
		for i := 0; i < len(stages) && !found; i++ {
			for j := range stages[i].Clusters {
				found = found || stages[i].Clusters[j].ClusterName == name
			}
		}
		if s := run.Status.DeletionStageStatus; s != nil {
			for j := range s.Clusters {
				found = found || s.Clusters[j].ClusterName == name
			}
		}
		if p := f.world.Packed[id]; found || p != nil && p.Has(name) {
			moved.run(id)
		}
	}
}

func nameOf(m *world.Member) string {
	_, name, _ := m.ID.Raw()
	return name
}
