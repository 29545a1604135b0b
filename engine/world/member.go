package world

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	cluster "github.com/stagewatch/stagewatch/api/cluster/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
)

// silentDefault is how long a member may say nothing before the scheduler no
// longer picks it (docs/kubefleet.md#member).
const silentDefault = 5 * time.Minute

// Member is what the monitor keeps of a MemberCluster
// (docs/kubefleet.md#member).
type Member struct {
	ID       engine.ID
	Labels   map[string]string // what stages select and sort by
	Taints   []cluster.Taint
	Created  time.Time // a cluster that joins again has a new object
	Deleting time.Time
	// Conditions are the member's own, Agent those of its member agent.
	Conditions []metav1.Condition
	Agent      []metav1.Condition
	// Heartbeat is the time of the member agent's last heartbeat; zero: never.
	Heartbeat time.Time
	// Period is how often the agent is to report; zero: not known.
	Period time.Duration
}

// SilentAt returns when the member counts as silent without another heartbeat:
// five minutes after the last one, as for the scheduler, or three of its
// periods if those are longer. It is zero without any heartbeat.
func (m *Member) SilentAt() time.Time {
	if m.Heartbeat.IsZero() {
		return time.Time{}
	}
	return m.Heartbeat.Add(max(silentDefault, 3*m.Period))
}

// Silent reports whether the member counts as silent at now; one without any
// heartbeat does.
func (m *Member) Silent(now time.Time) bool { return !now.Before(m.SilentAt()) }
