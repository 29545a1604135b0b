// Package initialize implements what upstream's controller does before the first
// stage of a run: it checks the placement and its policy, distributes the clusters
// over the stages, selects or creates the resource snapshot and records the overrides
// (docs/kubefleet.md#initialize). The tests of package drive execute it in whole passes.
package initialize

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine/drive/pass"
)

// msgInitialized is the message of condition Initialized (docs/kubefleet.md#conditions).
const msgInitialized = "The UpdateRun initialized successfully"

// CountAll stands for the cluster count of a PickAll policy until the bindings
// have been counted; upstream stores it when a step between fails.
const CountAll = -1

// Initializer computes what a run does before its first stage: the clusters that
// the latest policy selects, the stages, the resource snapshot and the overrides.
type Initializer struct {
	*pass.Pass
	// Policy is the latest policy snapshot; selected are the bindings that it
	// selects, leaving those to be deleted. collect sets them.
	Policy            *placement.SchedulingPolicySnapshot
	Selected, Leaving []*placement.ResourceBinding
}

// Initialize computes and stores the whole plan of the run
// (docs/kubefleet.md#initialize). An error that isAborted is final; any other
// leaves the run as it was stored.
func (p *Initializer) Initialize() error {
	if err := p.ReadPlacement(p.Status()); err != nil {
		return err
	}
	if err := p.ReadPolicy(p.Status()); err != nil {
		return err
	}
	if err := p.Collect(p.Status()); err != nil {
		return err
	}
	if err := p.ReadStrategy(); err != nil {
		return err
	}
	plan, err := p.Plan(p.Status().StagedUpdateStrategySnapshot)
	if plan != nil {
		p.Status().StagesStatus = p.Stages(plan)
	}
	if err != nil {
		return err
	}
	p.Status().DeletionStageStatus = p.DeletionStage()
	group, master, err := p.ChooseSnapshot()
	if err != nil {
		return err
	}
	p.Status().ResourceSnapshotIndexUsed = master.Labels[placement.LabelResourceIndex]
	if err := p.RecordOverrides(group, master); err != nil {
		return err
	}
	p.Set(&p.Status().Conditions, placement.RunInitialized, metav1.ConditionTrue, placement.ReasonRunInitialized, msgInitialized)
	return p.WriteStatus()
}

// ReadPlacement checks the placement and records its apply strategy
// (docs/kubefleet.md#initialize, rows 1 to 3).
func (p *Initializer) ReadPlacement(st *placement.UpdateRunStatus) error {
	if err := p.In.Failed.Placement; err != nil {
		return pass.ServerError(err)
	}
	if p.In.Placement == nil {
		return pass.InvalidError(pass.UserError("parent placement not found"))
	}
	spec := &p.In.Placement.Spec
	kind := spec.Strategy.Type
	if kind == "" {
		kind = placement.RolloutRollingUpdate
	}
	if kind != placement.RolloutExternal {
		return pass.InvalidError(pass.UserError("parent placement does not have an external rollout strategy, current strategy: %s", kind))
	}
	st.AppliedStrategy = pass.ApplyDefaults(spec)
	return nil
}

// ReadPolicy finds the one latest policy snapshot and records its index and
// cluster count (docs/kubefleet.md#initialize, rows 4 to 7).
func (p *Initializer) ReadPolicy(st *placement.UpdateRunStatus) error {
	if err := p.FindPolicy(); err != nil {
		return err
	}
	if err := p.ReadIndex(st); err != nil {
		return err
	}
	if err := p.ReadCount(st); err != nil {
		return err
	}
	return p.CheckScheduled()
}

// FindPolicy sets Policy to the one latest policy snapshot of the placement.
func (p *Initializer) FindPolicy() error {
	if err := p.In.Failed.PolicySnapshots; err != nil {
		return pass.ServerError(err)
	}
	found := 0
	for _, s := range p.In.PolicySnapshots {
		if p.Owned(s) && s.Labels[placement.LabelIsLatestSnapshot] == pass.LabelTrue {
			p.Policy = s
			found++
		}
	}
	if found == 0 {
		return pass.InvalidError(fmt.Errorf("no latest policy snapshot found for placement %s", p.PlacementKey()))
	}
	if found > 1 {
		return pass.InvalidError(pass.UnexpectedError("multiple active policy snapshots found for placement %s: got %d, want 1", p.PlacementKey(), found))
	}
	return nil
}

func (p *Initializer) policyKey() string { return pass.Key(p.Policy.Namespace, p.Policy.Name) }

// ReadIndex records the index of the policy snapshot in st.
func (p *Initializer) ReadIndex(st *placement.UpdateRunStatus) error {
	index := p.Policy.Labels[placement.LabelPolicyIndex]
	if index == "" {
		return pass.InvalidError(pass.UnexpectedError("policy snapshot `%s` does not have a policy index label", p.policyKey()))
	}
	st.PolicySnapshotIndexUsed = index
	return nil
}

// ReadCount records in st how many clusters the policy asks for, or CountAll.
func (p *Initializer) ReadCount(st *placement.UpdateRunStatus) error {
	count, err := ClusterCount(p.Policy)
	if err != nil {
		// A comma, not a colon, follows the prefix here
		// (docs/kubefleet.md#conditions).
		return fmt.Errorf("%w, %w", pass.ErrInvalid, pass.UnexpectedError("%w: the policy snapshot `%s` doesn't have valid cluster count annotation", err, p.policyKey()))
	}
	st.PolicyObservedClusterCount = count
	return nil
}

// CheckScheduled returns an error while the scheduler has not finished with the policy
// snapshot.
func (p *Initializer) CheckScheduled() error {
	if !pass.TrueAt(p.Policy.Status.Conditions, placement.PlacementScheduled, p.Policy.Generation) {
		return pass.InvalidError(fmt.Errorf("policy snapshot `%s` not fully scheduled yet", p.Policy.Name))
	}
	return nil
}

// ClusterCount is the number of clusters that a policy asks for, or countAll.
func ClusterCount(snapshot *placement.SchedulingPolicySnapshot) (int, error) {
	policy := snapshot.Spec.Policy
	if policy == nil {
		return CountAll, nil
	}
	switch policy.PlacementType {
	case placement.PickFixed:
		return len(policy.ClusterNames), nil
	case placement.PickN:
		text, ok := snapshot.Annotations[placement.AnnotationNumberOfClusters]
		if !ok {
			return 0, fmt.Errorf("cannot find annotation %s", placement.AnnotationNumberOfClusters)
		}
		count, err := strconv.Atoi(text)
		if err != nil || count < 0 {
			return 0, fmt.Errorf("invalid annotation %s: %s is not a valid count: %w", placement.AnnotationNumberOfClusters, text, orNil(err))
		}
		return count, nil
	default:
		return CountAll, nil
	}
}

// orNil gives a nil error the text that upstream prints for it.
func orNil(err error) error {
	if err == nil {
		return pass.ErrNil
	}
	return err
}

// Collect sorts the placement's bindings and counts them
// (docs/kubefleet.md#initialize, row 8).
func (p *Initializer) Collect(st *placement.UpdateRunStatus) error {
	if err := p.In.Failed.Bindings; err != nil {
		return pass.ServerError(err)
	}
	if old := p.Partition(); len(old) > 0 {
		return OldPolicy(old[0])
	}
	return p.Count(st)
}

// Partition sorts the placement's bindings into those that the latest policy
// selects and those that are to be deleted, and returns the others: an older
// policy selected them.
func (p *Initializer) Partition() (old []*placement.ResourceBinding) {
	p.Selected = make([]*placement.ResourceBinding, 0, len(p.In.Bindings))
	for _, b := range ByName(p.In.Bindings) {
		switch {
		case !p.Owned(b):
		case b.Spec.State == placement.BindingUnscheduled:
			p.Leaving = append(p.Leaving, b)
		case b.Spec.SchedulingPolicySnapshotName == p.Policy.Name:
			p.Selected = append(p.Selected, b)
		default:
			old = append(old, b)
		}
	}
	return old
}

// OldPolicy is the error of a binding that the scheduler is about to
// unschedule: worth another try.
func OldPolicy(b *placement.ResourceBinding) error {
	return fmt.Errorf("binding `%s` with old policy snapshot `%s` has state %s, we might observe a transient state, need retry",
		pass.ObjectName(b), b.Spec.SchedulingPolicySnapshotName, b.Spec.State)
}

// Count compares the selected bindings with the count recorded in st, and records
// their number when the policy asks for all clusters.
func (p *Initializer) Count(st *placement.UpdateRunStatus) error {
	if len(p.Selected) == 0 && len(p.Leaving) == 0 {
		return pass.InvalidError(fmt.Errorf("no scheduled or to-be-deleted bindings found for the latest policy snapshot %s", p.policyKey()))
	}
	if st.PolicyObservedClusterCount == CountAll {
		st.PolicyObservedClusterCount = len(p.Selected)
	} else if st.PolicyObservedClusterCount != len(p.Selected) {
		return pass.InvalidError(pass.UnexpectedError("the number of selected bindings %d is not equal to the observed cluster count %d", len(p.Selected), st.PolicyObservedClusterCount))
	}
	return nil
}

// ByName returns objects in the order of their names, without touching the
// list that came in.
func ByName[T pass.Object](objects []T) []T {
	order := func(a, b T) int { return strings.Compare(a.GetName(), b.GetName()) }
	if slices.IsSortedFunc(objects, order) {
		return objects
	}
	objects = slices.Clone(objects)
	slices.SortStableFunc(objects, order)
	return objects
}

// strategyKey is how messages write the run's strategy.
func (p *Initializer) strategyKey() string {
	return pass.Key(p.Run.Namespace, p.Run.Spec.StagedRolloutStrategyName)
}

// ReadStrategy freezes the strategy: later changes of it do not count
// (docs/kubefleet.md#initialize, rows 9 and 10).
func (p *Initializer) ReadStrategy() error {
	if err := p.In.Failed.Strategy; err != nil {
		return pass.ServerError(err)
	}
	if p.In.Strategy == nil {
		return pass.InvalidError(pass.UserError("referenced updateStrategy not found: `%s`", p.strategyKey()))
	}
	p.Status().StagedUpdateStrategySnapshot = p.In.Strategy.Spec.DeepCopy()
	return nil
}

// DeletionStage lists the clusters whose bindings are to go, by name.
func (p *Initializer) DeletionStage() *placement.StageStatus {
	clusters := make([]placement.ClusterStatus, len(p.Leaving))
	for i, b := range p.Leaving {
		clusters[i].ClusterName = b.Spec.TargetCluster
	}
	sort.Slice(clusters, func(i, j int) bool { return clusters[i].ClusterName < clusters[j].ClusterName })
	return &placement.StageStatus{StageName: placement.DeletionStageName, Clusters: clusters}
}
