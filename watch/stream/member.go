package stream

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/json"

	cluster "github.com/stagewatch/stagewatch/api/cluster/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/world"
	"github.com/stagewatch/stagewatch/watch/internal/intern"
	"github.com/stagewatch/stagewatch/watch/stream/objectjson"
)

// decodeMember reads of a MemberCluster what a row of it keeps.
func decodeMember(hub engine.HubName, raw []byte) (any, *metav1.ObjectMeta, error) {
	var o struct {
		Metadata struct {
			objectjson.Meta
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
	m := o.Metadata.Meta
	internConditions(o.Status.Conditions)
	row := &world.Member{
		ID:         hub.ID(engine.KindMemberCluster, "", m.Name, m.UID),
		Labels:     make(map[string]string, len(o.Metadata.Labels)),
		Taints:     o.Spec.Taints,
		Deleting:   when(m.DeletionTimestamp),
		Conditions: o.Status.Conditions,
		Period:     time.Duration(o.Spec.Seconds) * time.Second,
	}
	for k, v := range o.Metadata.Labels {
		row.Labels[intern.String(k)] = intern.String(v)
	}
	for i := range o.Status.Agents {
		if a := &o.Status.Agents[i]; a.Type == cluster.AgentMember {
			internConditions(a.Conditions)
			row.Agent, row.Heartbeat = a.Conditions, when(a.LastReceivedHeartbeat)
		}
	}
	return row, metaOf(m), nil
}
