package engine

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

// Detail is the opened run.
type Detail struct {
	Run *RunView
	// Clusters holds one list per stage of Run.Stages, in the hub's order.
	Clusters [][]ClusterView
	// Bindings says whether the conditions of the bindings can be trusted to be there.
	Bindings Coverage
	// Reading is true while what the diagnosis uses beside the streams is still
	// being read; Gaps are what of it could not be read.
	Reading bool
	Gaps    []Gap
}

// ClusterState is where a cluster stands in its stage.
type ClusterState uint8

// The states of a cluster.
const (
	ClusterComing ClusterState = iota
	ClusterUpdating
	ClusterSlow      // updating for more than half the stuck time
	ClusterStuck     // updating for longer than the stuck time
	ClusterPreempted // another run wrote the binding
	ClusterFailed
	ClusterDone
	ClusterDeleting // deletion stage: binding is going
	ClusterDeleted
)

// String returns the word for the screen.
func (c ClusterState) String() string {
	//exhaustive:enforce
	switch c {
	case ClusterComing:
		return "pending"
	case ClusterUpdating:
		return "updating"
	case ClusterSlow:
		return "SLOW"
	case ClusterStuck:
		return "STUCK"
	case ClusterPreempted:
		return "PREEMPTED"
	case ClusterFailed:
		return "FAILED"
	case ClusterDone:
		return "done"
	case ClusterDeleting:
		return "deleting"
	case ClusterDeleted:
		return "deleted"
	}
	return "unknown"
}

// ClusterWord is the word of a cluster in a state: nothing is pending any more when the run has ended.
func (v *RunView) ClusterWord(s ClusterState) string {
	if s == ClusterComing && v.Terminal {
		return notStarted
	}
	return s.String()
}

// StageWord is the word of a stage in a state, see ClusterWord.
func (v *RunView) StageWord(s StageState) string {
	if s == StageComing && v.Terminal {
		return notStarted
	}
	return s.String()
}

const notStarted = "not started"

// IsUpdating reports whether the run waits for the update of the cluster.
func (c ClusterState) IsUpdating() bool {
	return c == ClusterUpdating || c == ClusterSlow || c == ClusterStuck
}

// ClusterView is one cluster in a stage of the opened run.
type ClusterView struct {
	Name Text
	// Member names the cluster for questions about it.
	Member  ID
	State   ClusterState
	Started time.Time
	Ended   time.Time
	// StuckAt is when the stuck mark is reached; zero before the start.
	StuckAt time.Time
	// Why is the reason in words; empty for a healthy cluster.
	Why Text
	// Diagnosis says the same at length, and notes what is odd about a healthy
	// one; zero when there is nothing to say.
	Diagnosis Diagnosis
	// PreemptedBy is the run that owns the binding now, when it is another one.
	PreemptedBy ID
	// PreemptedAt is since when a cluster is preempted; zero for others.
	PreemptedAt time.Time
	// Bound says whether a binding for the cluster was found; what follows is read from it.
	Bound bool
	// InSync is set when the binding has what this run rolls out: its snapshot, overrides
	// and apply strategy.
	InSync bool
	// Foreign describes what the binding reports while its conditions are those
	// of another run's rollout: before this run has started the cluster, and
	// after another run replaced its rollout. BindingConditions, Failing, Drifted and
	// Differing are empty then: they describe this run's snapshot only.
	Foreign           Text
	BindingConditions BindingConditions
	// Index is the resource snapshot index the binding points at now.
	Index Text
	// Failing lists failed manifests (the API keeps at most 100); FailingMore
	// is how many are not in the list.
	Failing     []ManifestView
	FailingMore int
	Drifted     int
	Differing   int
}

// BindingCondition is one condition of a binding.
type BindingCondition struct {
	State  BindingConditionState
	Since  time.Time
	Reason Text
	Why    Text // message
}

// BindingConditionState is a condition's status as far as it counts: a condition about an
// older generation of the binding says nothing about this one.
type BindingConditionState uint8

// The states of a binding condition.
const (
	BindingConditionAbsent BindingConditionState = iota // condition absent
	BindingConditionTrue
	BindingConditionFalse
	BindingConditionUnknown
	BindingConditionOutdated // about an older generation of the binding
)

// BindingConditions holds the conditions of a binding in their order: RolloutStarted,
// Overridden, WorkSynchronized, Applied, Available. If the placement only
// reports diffs, DiffReported replaces the last two.
type BindingConditions struct {
	RolloutStarted, Overridden, WorkSynchronized, Applied, Available BindingCondition
	DiffReported                                                     BindingCondition
	ReportDiff                                                       bool
}

// ManifestView is a manifest that failed on a member.
type ManifestView struct {
	What   Text // "Deployment shop/web", with its envelope when it came in one
	Cond   Text // Applied or Available
	Reason Text
	Why    Text
	Since  time.Time
}

// BindingConditionOf reads one condition of a binding; one about an older generation is not observed.
func BindingConditionOf(conds []metav1.Condition, typ string, generation int64) BindingCondition {
	f := ReadCondition(conds, typ)
	return BindingCondition{State: f.StateAt(generation), Since: f.Since, Reason: Clean(f.Reason), Why: Message(f.Message)}
}

// StateAt is the state of a binding condition for a generation of its binding.
func (f Fact) StateAt(generation int64) BindingConditionState {
	if f.Truth == TruthAbsent {
		return BindingConditionAbsent
	} else if !f.At(generation) {
		return BindingConditionOutdated
	}
	return [...]BindingConditionState{TruthYes: BindingConditionTrue, TruthNo: BindingConditionFalse, TruthUnknown: BindingConditionUnknown}[f.Truth]
}

// ManifestName returns "Deployment shop/web", with the envelope it came in.
func ManifestName(m *placement.FailedResourcePlacement) Text {
	name := Textf("%s %s", m.Kind, m.Name)
	if m.Namespace != "" {
		name = Textf("%s %s/%s", m.Kind, m.Namespace, m.Name)
	}
	if e := m.Envelope; e != nil {
		return Textf("%s (in %s %s)", name, string(e.Type), e.Name)
	}
	return name
}

// HeldUp is the cluster that holds the run up and whose member may know more of
// it: one that is stuck, slow with failing manifests, left failing by a failed run, or of
// which the run's diagnosis is open until its member is read. The cluster of the run's
// diagnosis comes first. It is nil when there is none.
func (d *Detail) HeldUp() *ClusterView {
	if d == nil {
		return nil
	}
	var first *ClusterView
	for _, stage := range d.Clusters {
		for i := range stage {
			c := &stage[i]
			why := &d.Run.Why
			blamed := c.Member == why.Member && (!why.LeftFailing.IsZero() || why.AsksMember || !why.Read.At.IsZero())
			if c.State != ClusterStuck && (c.State != ClusterSlow || len(c.Failing) == 0) && !blamed {
				continue
			}
			if c.Member == why.Member {
				return c
			}
			if first == nil || len(first.Failing) == 0 && len(c.Failing) > 0 {
				first = c
			}
		}
	}
	return first
}

// Cluster is the cluster of a member, nil when there is none.
func (d *Detail) Cluster(member ID) *ClusterView {
	if d == nil || member.IsZero() {
		return nil
	}
	for _, stage := range d.Clusters {
		for i := range stage {
			if stage[i].Member == member {
				return &stage[i]
			}
		}
	}
	return nil
}
