package observe

import (
	"sort"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
)

// outlived are the approvals whose run does not exist: the controller deletes requests with
// their run by a label, and takes over one that exists by its name
// (docs/kubefleet.md#approval). None is known to be one before all runs are.
func (o *observation) outlived(s *engine.Snapshot) []engine.OutlivedApproval {
	if o.prev != nil && o.prev.Complete == s.Complete && !o.changed.All && !o.changed.Requests {
		return o.prev.Outlived
	}
	if !s.Complete || len(o.w.Approvals) == 0 {
		return nil
	}
	there := map[engine.ID]bool{}
	for _, v := range s.Runs {
		there[v.ID.Key()] = true
	}
	var out []engine.OutlivedApproval
	for id, a := range o.w.Approvals {
		run, stage := a.Spec.ParentStageRollout, a.Spec.TargetStage
		of := id.Beside(id.Kind().InScope(engine.KindClusterStagedUpdateRun, engine.KindStagedUpdateRun), id.RawNamespace(), run, "")
		if there[of.Key()] || !grants(a) || a.DeletionTimestamp != nil ||
			id.RawName() != placement.BeforeApprovalName(run, stage) && id.RawName() != placement.AfterApprovalName(run, stage) {
			continue
		}
		out = append(out, engine.OutlivedApproval{Request: id, Run: engine.NewRaw(run), Stage: engine.NewRaw(stage)})
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Request.Compare(out[j].Request) < 0 })
	return out
}

// grants reports whether the controller passes the gate of a request (docs/kubefleet.md#approval).
func grants(a *placement.ApprovalRequest) bool {
	for _, kind := range []string{placement.ApprovalApproved, placement.ApprovalAccepted} {
		if c := engine.ReadCondition(a.Status.Conditions, kind); c.Truth == engine.TruthYes && c.At(a.Generation) {
			return true
		}
	}
	return false
}
