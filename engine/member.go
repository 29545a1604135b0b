package engine

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	cluster "github.com/stagewatch/stagewatch/api/cluster/v1beta1"
)

// silentDefault is how long a member may say nothing before the scheduler no
// longer picks it (docs/kubefleet.md#member).
const silentDefault = 5 * time.Minute

// Member is what the monitor keeps of a MemberCluster
// (docs/kubefleet.md#member).
type Member struct {
	ID       ID
	Labels   map[string]string // what stages select and sort by
	Taints   []cluster.Taint
	Deleting time.Time
	// Conditions are the member's own, Agent those of its member agent.
	Conditions []metav1.Condition
	Agent      []metav1.Condition
	// Heartbeat is when the hub last heard the member agent; zero: never.
	Heartbeat time.Time
	// Period is how often the agent is to report; zero: not known.
	Period time.Duration
}

// SilentAt returns when the member counts as silent if nothing is heard from it
// until then: five minutes after its last heartbeat, as the scheduler has it,
// or three of its periods when those are longer. Zero when it never was heard.
func (m *Member) SilentAt() time.Time {
	if m.Heartbeat.IsZero() {
		return time.Time{}
	}
	return m.Heartbeat.Add(max(silentDefault, 3*m.Period))
}

// Silent reports whether the member counts as silent at now; one that was never
// heard does.
func (m *Member) Silent(now time.Time) bool { return !now.Before(m.SilentAt()) }
