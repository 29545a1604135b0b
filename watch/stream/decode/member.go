package decode

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	cluster "github.com/stagewatch/stagewatch/api/cluster/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/world"
	"github.com/stagewatch/stagewatch/watch/stream/objectjson"
)

// memberRow reads of a MemberCluster what a row of it keeps.
func memberRow(hub engine.HubName, raw []byte) (any, *metav1.ObjectMeta, error) {
	o, err := objectjson.DecodeMember(raw)
	if err != nil {
		return nil, nil, err
	}
	m := o.Metadata.Meta
	row := &world.Member{
		ID:         hub.ID(engine.KindMemberCluster, "", m.Name, m.UID),
		Labels:     o.Metadata.Labels,
		Taints:     o.Spec.Taints,
		Created:    m.CreationTimestamp.Time,
		Deleting:   when(m.DeletionTimestamp),
		Conditions: o.Status.Conditions,
		Period:     time.Duration(o.Spec.HeartbeatPeriodSeconds) * time.Second,
	}
	if row.Labels == nil {
		row.Labels = map[string]string{}
	}
	for i := range o.Status.Agents {
		if a := &o.Status.Agents[i]; a.Type == cluster.AgentMember {
			row.Agent, row.Heartbeat = a.Conditions, when(a.LastReceivedHeartbeat)
		}
	}
	return row, metaOf(m), nil
}
