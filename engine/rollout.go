package engine

import (
	"reflect"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine/message"
)

// Rollout is what a binding says about the rollout that its conditions describe.
type Rollout struct {
	index string    // of the resource snapshot in its spec
	owner string    // run in RolloutStarted, with its namespace in some versions; may be empty
	since time.Time // of RolloutStarted
}

// SameRollout reports whether two runs give a cluster the same: then its binding is in
// sync with both, and neither preempts the other there. A nil cluster stands for any.
// What a run has not recorded is not compared.
func SameRollout(a *placement.UpdateRunStatus, in *placement.ClusterStatus, b *placement.UpdateRunStatus, on *placement.ClusterStatus) bool {
	if a.ResourceSnapshotIndexUsed == "" || a.ResourceSnapshotIndexUsed != b.ResourceSnapshotIndexUsed ||
		a.AppliedStrategy != nil && b.AppliedStrategy != nil && !reflect.DeepEqual(a.AppliedStrategy, b.AppliedStrategy) {
		return false
	}
	return in == nil || on == nil ||
		slices.Equal(in.ResourceOverrideSnapshots, on.ResourceOverrideSnapshots) && slices.Equal(in.ClusterResourceOverrideSnapshots, on.ClusterResourceOverrideSnapshots)
}

// RolloutOf reads the rollout from the snapshot and the conditions of a binding.
func RolloutOf(snapshotName string, conds []metav1.Condition) Rollout {
	o := Rollout{index: message.SnapshotIndex(snapshotName)}
	if f := ReadCondition(conds, placement.BindingRolloutStarted); f.Truth == TruthYes {
		o.owner, _ = message.RolloutBy(f.Message)
		o.since = f.Since
	}
	return o
}

// by reports whether run id started the rollout.
func (o *Rollout) by(id ID) bool {
	return o.owner != "" && (o.owner == id.name || o.owner == id.ns+"/"+id.name)
}

// Of reports whether the conditions are those of a run that rolls out a snapshot
// index, was created at a time, and started the cluster at another (zero for not).
// A cluster that had the snapshot already keeps the conditions and the owner that
// it had: the controller (updaterun, execution) writes neither then.
func (o *Rollout) Of(id ID, index string, created, started time.Time) bool {
	switch {
	case index == "" || o.index != index:
		return false
	case o.by(id) && !o.since.Before(created): // not by a deleted run of this name
		return true
	}
	return !started.IsZero() && !o.since.After(started)
}

// Words say how far the rollout is, "on snapshot 12, available", and whose it is
// where it replaced that of run id.
func (o *Rollout) Words(id ID, replaced, reportDiff bool, conds []metav1.Condition, generation int64) Text {
	if o.index == "" {
		return Lit("on no snapshot yet")
	}
	x := Textf("on snapshot %s", o.index)
	if replaced && o.owner != "" && !o.by(id) {
		x = Textf("%s by run %s", x, o.owner)
	}
	last, yes, no := placement.BindingAvailable, Lit("available"), Lit("not available")
	if reportDiff {
		last, yes, no = placement.BindingDiffReported, Lit("differences reported"), Lit("differences not reported")
	}
	switch ReadCondition(conds, last).StateAt(generation) {
	case BindingConditionTrue:
		return Textf("%s, %s", x, yes)
	case BindingConditionFalse:
		return Textf("%s, %s", x, no)
	case BindingConditionAbsent, BindingConditionUnknown, BindingConditionOutdated:
	}
	return Textf("%s, availability unknown", x)
}

// ForeignTo is foreign for a page that is read for run v; nil for none. The
// Snapshot says when the run started the cluster, if the run is open.
func ForeignTo(b *placement.ResourceBinding, v *RunView, s *Snapshot) Text {
	if v == nil {
		return Text{}
	}
	started, o := time.Time{}, RolloutOf(b.Spec.ResourceSnapshotName, b.Status.Conditions)
	if s != nil && s.Detail != nil && s.Detail.Run.ID == v.ID {
		for n, stage := range s.Detail.Clusters {
			for i := range stage {
				if stage[i].Name == Clean(b.Spec.TargetCluster) && !s.Detail.Run.Stages[n].Deletion {
					if started = stage[i].Started; stage[i].State.IsUpdating() && stage[i].InSync {
						return Text{} // the controller checks these, whoever started the rollout
					}
				}
			}
		}
	}
	if o.Of(v.ID, v.Index.s, v.Created, started) {
		return Text{}
	}
	return o.Words(v.ID, !started.IsZero(), ReportsDiff(b.Spec.ApplyStrategy), b.Status.Conditions, b.Generation)
}
