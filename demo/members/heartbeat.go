package members

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	cluster "github.com/stagewatch/stagewatch/api/cluster/v1beta1"
	"github.com/stagewatch/stagewatch/demo/store"
)

// heartbeats let the agents of all members that are not silent report to the
// hub as often as their MemberCluster asks for.
type heartbeats struct {
	world  *store.Store
	silent map[string]bool
}

// pass lets one member report if it is time to, and says when it is again.
func (h heartbeats) pass(ctx context.Context, k store.Key) (time.Duration, error) {
	m := h.world.Members.Get(k)
	if m == nil || h.silent[m.Name] {
		return 0, nil
	}
	period := time.Duration(max(m.Spec.HeartbeatPeriodSeconds, 1)) * time.Second
	now := metav1.NewTime(time.Now())
	for i, agent := range m.Status.AgentStatus {
		if agent.Type != cluster.AgentMember {
			continue
		}
		if agent.LastReceivedHeartbeat != nil {
			if wait := period - now.Sub(agent.LastReceivedHeartbeat.Time); wait > 0 {
				return wait, nil
			}
		}
		next := m.DeepCopy()
		next.Status.AgentStatus[i].LastReceivedHeartbeat = &now
		next.Status.ResourceUsage.ObservationTime = &now
		_, err := h.world.Members.Update(ctx, next, "status", metav1.UpdateOptions{})
		return period, err
	}
	return 0, nil
}
