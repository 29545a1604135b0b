package world

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

// PrintedRun is the row of a run in the hub's printed Table.
type PrintedRun struct {
	Placement, Index, Strategy, Initialized, Progressing, Succeeded string
	Created                                                         time.Time
	// Generation is zero if the row does not have it.
	Generation int64
	Deleting   bool
}

// HasSucceeded reports whether the run has succeeded and is not being deleted: its status does not change any more.
func (p *PrintedRun) HasSucceeded() bool {
	return p.Succeeded == "True" && p.Initialized == "True" && !p.Deleting
}

// RowOnly returns a run of which nothing but its row was read. It has no stages. A row that has not HasSucceeded may only stand
// for the whole run of the same version that is there already, or where only names are looked up.
func RowOnly(name metav1.ObjectMeta, row *PrintedRun) *PackedRun {
	run := &placement.StagedUpdateRun{ObjectMeta: name}
	run.Generation, run.CreationTimestamp = row.Generation, metav1.NewTime(row.Created)
	run.Spec.PlacementName, run.Spec.ResourceSnapshotIndex, run.Spec.StagedRolloutStrategyName = row.Placement, row.Index, row.Strategy
	run.Status.Conditions = []metav1.Condition{
		{Type: placement.RunInitialized, Status: metav1.ConditionStatus(row.Initialized), ObservedGeneration: row.Generation},
		{Type: placement.RunSucceeded, Status: metav1.ConditionStatus(row.Succeeded), ObservedGeneration: row.Generation},
	}
	return &PackedRun{Run: run, rowOnly: true}
}

// IsRowOnly reports whether nothing but the row of the run was read.
func (p *PackedRun) IsRowOnly() bool { return p != nil && p.rowOnly }
