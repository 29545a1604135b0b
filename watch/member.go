package watch

import (
	"reflect"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/json"

	cluster "github.com/stagewatch/stagewatch/api/cluster/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
)

// decodeMember reads of a MemberCluster what a row of it keeps.
func decodeMember(raw []byte) (any, *metav1.ObjectMeta, error) {
	var o struct {
		Metadata struct {
			leanMeta
			Labels map[string]string `json:"labels"`
		} `json:"metadata"`
		Spec struct {
			Taints  []cluster.Taint `json:"taints"`
			Seconds int64           `json:"heartbeatPeriodSeconds"`
		} `json:"spec"`
		Status struct {
			Conditions []metav1.Condition    `json:"conditions"`
			Agents     []cluster.AgentStatus `json:"agentStatus"`
		} `json:"status"`
	}
	if err := json.Unmarshal(raw, &o); err != nil {
		return nil, nil, err
	}
	m := o.Metadata.leanMeta
	internConditions(o.Status.Conditions)
	row := &engine.Member{
		ID:         engine.NewID(engine.KindMemberCluster, "", m.Name, m.UID),
		Labels:     make(map[string]string, len(o.Metadata.Labels)),
		Taints:     o.Spec.Taints,
		Deleting:   when(m.DeletionTimestamp),
		Conditions: o.Status.Conditions,
		Period:     time.Duration(o.Spec.Seconds) * time.Second,
	}
	for k, v := range o.Metadata.Labels {
		row.Labels[intern(k)] = intern(v)
	}
	for i := range o.Status.Agents {
		if a := &o.Status.Agents[i]; a.Type == cluster.AgentMember {
			internConditions(a.Conditions)
			row.Agent, row.Heartbeat = a.Conditions, when(a.LastReceivedHeartbeat)
		}
	}
	return row, m.object(), nil
}

// member takes in a member. A heartbeat alone moves nothing that anybody sees,
// unless the member was silent: there are many of them.
func (f *folder) member(m *engine.Member, now time.Time, moved *moves) {
	name := nameOf(m)
	old := f.world.Members[name]
	f.world.Members[name] = m
	if f.world.Covered[engine.CoverAll(engine.KindMemberCluster)].State != engine.CoverComplete {
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
		if found {
			moved.run(id)
		}
	}
}

func nameOf(m *engine.Member) string {
	_, name, _ := m.ID.Raw()
	return name
}
