package drive

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

// msgInitialized is the message of condition Initialized (docs/kubefleet.md#conditions).
const msgInitialized = "The UpdateRun initialized successfully"

// countAll stands for the cluster count of a PickAll policy until the bindings
// have been counted; upstream stores it when a step between fails.
const countAll = -1

// initializer computes what a run does before its first stage: the clusters that
// the latest policy selects, the stages, the resource snapshot and the overrides.
type initializer struct {
	*pass
	// policy is the latest policy snapshot; selected are the bindings that it
	// selects, leaving those to be deleted. collect sets them.
	policy            *placement.SchedulingPolicySnapshot
	selected, leaving []*placement.ResourceBinding
}

// initialize computes and stores the whole plan of the run
// (docs/kubefleet.md#initialize). An error that isAborted is final; any other
// leaves the run as it was stored.
func (p *initializer) initialize() error {
	if err := p.readPlacement(p.status()); err != nil {
		return err
	}
	if err := p.readPolicy(p.status()); err != nil {
		return err
	}
	if err := p.collect(p.status()); err != nil {
		return err
	}
	if err := p.readStrategy(); err != nil {
		return err
	}
	plan, err := p.plan(p.status().StagedUpdateStrategySnapshot)
	if plan != nil {
		p.status().StagesStatus = p.stages(plan)
	}
	if err != nil {
		return err
	}
	p.status().DeletionStageStatus = p.deletionStage()
	group, master, err := p.chooseSnapshot()
	if err != nil {
		return err
	}
	p.status().ResourceSnapshotIndexUsed = master.Labels[placement.LabelResourceIndex]
	if err := p.recordOverrides(group, master); err != nil {
		return err
	}
	p.set(&p.status().Conditions, placement.RunInitialized, metav1.ConditionTrue, placement.ReasonRunInitialized, msgInitialized)
	return p.writeStatus()
}

// readPlacement checks the placement and records its apply strategy
// (docs/kubefleet.md#initialize, rows 1 to 3).
func (p *initializer) readPlacement(st *placement.UpdateRunStatus) error {
	if err := p.in.Failed.Placement; err != nil {
		return server(err)
	}
	if p.in.Placement == nil {
		return invalid(user("parent placement not found"))
	}
	spec := &p.in.Placement.Spec
	kind := spec.Strategy.Type
	if kind == "" {
		kind = placement.RolloutRollingUpdate
	}
	if kind != placement.RolloutExternal {
		return invalid(user("parent placement does not have an external rollout strategy, current strategy: %s", kind))
	}
	st.AppliedStrategy = applyDefaults(spec)
	return nil
}

// readPolicy finds the one latest policy snapshot and records its index and
// cluster count (docs/kubefleet.md#initialize, rows 4 to 7).
func (p *initializer) readPolicy(st *placement.UpdateRunStatus) error {
	if err := p.findPolicy(); err != nil {
		return err
	}
	if err := p.readIndex(st); err != nil {
		return err
	}
	if err := p.readCount(st); err != nil {
		return err
	}
	return p.checkScheduled()
}

func (p *initializer) findPolicy() error {
	if err := p.in.Failed.PolicySnapshots; err != nil {
		return server(err)
	}
	found := 0
	for _, s := range p.in.PolicySnapshots {
		if p.owned(s) && s.Labels[placement.LabelIsLatestSnapshot] == yes {
			p.policy = s
			found++
		}
	}
	if found == 0 {
		return invalid(fmt.Errorf("no latest policy snapshot found for placement %s", p.placementKey()))
	}
	if found > 1 {
		return invalid(unexpected("multiple active policy snapshots found for placement %s: got %d, want 1", p.placementKey(), found))
	}
	return nil
}

func (p *initializer) policyKey() string { return key(p.policy.Namespace, p.policy.Name) }

func (p *initializer) readIndex(st *placement.UpdateRunStatus) error {
	index := p.policy.Labels[placement.LabelPolicyIndex]
	if index == "" {
		return invalid(unexpected("policy snapshot `%s` does not have a policy index label", p.policyKey()))
	}
	st.PolicySnapshotIndexUsed = index
	return nil
}

func (p *initializer) readCount(st *placement.UpdateRunStatus) error {
	count, err := clusterCount(p.policy)
	if err != nil {
		// A comma, not a colon, follows the prefix here
		// (docs/kubefleet.md#conditions).
		return fmt.Errorf("%w, %w", errInvalid, unexpected("%w: the policy snapshot `%s` doesn't have valid cluster count annotation", err, p.policyKey()))
	}
	st.PolicyObservedClusterCount = count
	return nil
}

func (p *initializer) checkScheduled() error {
	if !trueAt(p.policy.Status.Conditions, placement.PlacementScheduled, p.policy.Generation) {
		return invalid(fmt.Errorf("policy snapshot `%s` not fully scheduled yet", p.policy.Name))
	}
	return nil
}

// clusterCount is the number of clusters that a policy asks for, or countAll.
func clusterCount(snapshot *placement.SchedulingPolicySnapshot) (int, error) {
	policy := snapshot.Spec.Policy
	if policy == nil {
		return countAll, nil
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
		return countAll, nil
	}
}

// orNil gives a nil error the text that upstream prints for it.
func orNil(err error) error {
	if err == nil {
		return errNil
	}
	return err
}

// collect sorts the placement's bindings and counts them
// (docs/kubefleet.md#initialize, row 8).
func (p *initializer) collect(st *placement.UpdateRunStatus) error {
	if err := p.in.Failed.Bindings; err != nil {
		return server(err)
	}
	if old := p.partition(); len(old) > 0 {
		return oldPolicy(old[0])
	}
	return p.count(st)
}

// partition sorts the placement's bindings into those that the latest policy
// selects and those that are to be deleted, and returns the others: an older
// policy selected them.
func (p *initializer) partition() (old []*placement.ResourceBinding) {
	p.selected = make([]*placement.ResourceBinding, 0, len(p.in.Bindings))
	for _, b := range byName(p.in.Bindings) {
		switch {
		case !p.owned(b):
		case b.Spec.State == placement.BindingUnscheduled:
			p.leaving = append(p.leaving, b)
		case b.Spec.SchedulingPolicySnapshotName == p.policy.Name:
			p.selected = append(p.selected, b)
		default:
			old = append(old, b)
		}
	}
	return old
}

// oldPolicy is the error of a binding that the scheduler is about to
// unschedule: worth another try.
func oldPolicy(b *placement.ResourceBinding) error {
	return fmt.Errorf("binding `%s` with old policy snapshot `%s` has state %s, we might observe a transient state, need retry",
		objectName(b), b.Spec.SchedulingPolicySnapshotName, b.Spec.State)
}

func (p *initializer) count(st *placement.UpdateRunStatus) error {
	if len(p.selected) == 0 && len(p.leaving) == 0 {
		return invalid(fmt.Errorf("no scheduled or to-be-deleted bindings found for the latest policy snapshot %s", p.policyKey()))
	}
	if st.PolicyObservedClusterCount == countAll {
		st.PolicyObservedClusterCount = len(p.selected)
	} else if st.PolicyObservedClusterCount != len(p.selected) {
		return invalid(unexpected("the number of selected bindings %d is not equal to the observed cluster count %d", len(p.selected), st.PolicyObservedClusterCount))
	}
	return nil
}

// byName returns objects in the order of their names, without touching the
// list that came in.
func byName[T Object](objects []T) []T {
	order := func(a, b T) int { return strings.Compare(a.GetName(), b.GetName()) }
	if slices.IsSortedFunc(objects, order) {
		return objects
	}
	objects = slices.Clone(objects)
	slices.SortStableFunc(objects, order)
	return objects
}

// strategyKey is how messages write the run's strategy.
func (p *initializer) strategyKey() string {
	return key(p.run.Namespace, p.run.Spec.StagedRolloutStrategyName)
}

// readStrategy freezes the strategy: later changes of it do not count
// (docs/kubefleet.md#initialize, rows 9 and 10).
func (p *initializer) readStrategy() error {
	if err := p.in.Failed.Strategy; err != nil {
		return server(err)
	}
	if p.in.Strategy == nil {
		return invalid(user("referenced updateStrategy not found: `%s`", p.strategyKey()))
	}
	p.status().StagedUpdateStrategySnapshot = p.in.Strategy.Spec.DeepCopy()
	return nil
}

// deletionStage lists the clusters whose bindings are to go, by name.
func (p *initializer) deletionStage() *placement.StageStatus {
	clusters := make([]placement.ClusterStatus, len(p.leaving))
	for i, b := range p.leaving {
		clusters[i].ClusterName = b.Spec.TargetCluster
	}
	slices.SortFunc(clusters, func(a, b placement.ClusterStatus) int { return strings.Compare(a.ClusterName, b.ClusterName) })
	return &placement.StageStatus{StageName: placement.DeletionStageName, Clusters: clusters}
}
