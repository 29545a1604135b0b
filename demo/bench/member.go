package bench

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	cluster "github.com/stagewatch/stagewatch/api/cluster/v1beta1"
	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

// beatEvery is the heartbeat period of members. One counts as silent after three of them, which
// is longer than a hub is measured.
const beatEvery = 10 * time.Minute

// beat stores the members of the fleet, heard at a moment.
func (s *seeder) beat(heard time.Time) error {
	for i := range s.size.Clusters {
		if err := s.put(members, clusterName(i), s.member(i, heard)); err != nil {
			return err
		}
	}
	return nil
}

func (s *seeder) member(i int, heard time.Time) *cluster.MemberCluster {
	kind, meta := s.meta("MemberCluster", clusterName(i), 90*24*time.Hour)
	kind.APIVersion = cluster.GroupVersion.String()
	meta.Labels = map[string]string{placement.LabelMemberName: meta.Name}
	meta.Finalizers = []string{placement.FinalizerMemberCluster}
	at := metav1.NewTime(heard.Truncate(time.Second))
	age := 90 * 24 * time.Hour
	return &cluster.MemberCluster{
		TypeMeta: kind, ObjectMeta: meta,
		Spec: cluster.MemberClusterSpec{
			Identity:               cluster.Subject{Kind: "ServiceAccount", Name: "fleet-member-agent-" + meta.Name, Namespace: "fleet-system"},
			HeartbeatPeriodSeconds: int32(beatEvery / time.Second),
		},
		Status: cluster.MemberClusterStatus{
			Conditions: []metav1.Condition{
				s.condition(cluster.MemberReadyToJoin, true, cluster.ReasonReadyToJoin, "the cluster is ready to join", age),
				s.condition(cluster.MemberJoined, true, cluster.ReasonJoined, "the cluster has joined", age),
			},
			AgentStatus: []cluster.AgentStatus{{
				Type: cluster.AgentMember,
				Conditions: []metav1.Condition{
					s.condition(cluster.AgentJoined, true, "InternalMemberClusterJoined", "the agent has joined", age),
					s.condition(cluster.AgentHealthy, true, "InternalMemberClusterHealthy", "the agent is healthy", age),
				},
				LastReceivedHeartbeat: &at,
			}},
			Properties: map[string]cluster.PropertyValue{"kubernetes-fleet.io/node-count": {Value: "12", ObservationTime: at}},
		},
	}
}
