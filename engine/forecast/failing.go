package forecast

import (
	"k8s.io/apimachinery/pkg/api/meta"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/message"
)

// warnFailing warns, before a person starts or resumes a run, of clusters that another run
// gave its snapshot, and that fail with it: the controller writes nothing new there, and
// waits (docs/kubefleet.md#cluster-checks).
func (r *checker) warnFailing() {
	used := r.Run.Status.ResourceSnapshotIndexUsed
	if !r.out.Initialized || r.out.Finished || used == "" || !isHeld(r.Run) {
		return
	}
	pending := map[string]*placement.ClusterStatus{}
	for i := range r.Status().StagesStatus {
		for j := range r.Status().StagesStatus[i].Clusters {
			if c := &r.Status().StagesStatus[i].Clusters[j]; unfinished(*c) && !meta.IsStatusConditionTrue(c.Conditions, placement.ClusterStarted) {
				pending[c.ClusterName] = c
			}
		}
	}
	var failing []engine.Text
	for _, b := range r.Selected {
		c := pending[b.Spec.TargetCluster]
		if c == nil || message.SnapshotIndex(b.Spec.ResourceSnapshotName) != used || !r.InSync(b, c, b.Spec.ResourceSnapshotName) {
			continue // the run writes the binding anew, which may remove the cause
		}
		for _, kind := range []string{placement.BindingOverridden, placement.BindingWorkSynchronized, placement.BindingApplied, placement.BindingAvailable} {
			if c := meta.FindStatusCondition(b.Status.Conditions, kind); c != nil && c.Status == "False" && c.ObservedGeneration == b.Generation {
				failing = append(failing, engine.Textf("%s (%s False)", b.Spec.TargetCluster, kind))
				break
			}
		}
	}
	if len(failing) > 0 {
		r.out.Failing = failing
		r.out.Warnings = append(r.out.Warnings, engine.Textf("The run gets stuck on %s unless the cause is fixed: snapshot %s is there already, and fails.", engine.Enumerate(failing, 3), used))
	}
}
