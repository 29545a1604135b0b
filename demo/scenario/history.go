package scenario

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/demo/store"
	"github.com/stagewatch/stagewatch/demo/works"
)

// placements creates each placement with its snapshots, and on each of its
// clusters what an earlier run left there.
func (s *seed) placements() []job {
	var jobs []job
	for _, p := range s.scenario.Placements {
		jobs = append(jobs, func(ctx context.Context) error {
			made, err := s.world.Placements.Place(ctx, placementObject(p))
			if err != nil {
				return err
			}
			return inTurn(ctx, s.historyOf(p, made))
		})
	}
	return jobs
}

func (s *seed) historyOf(p Placement, made *placement.ResourcePlacement) []job {
	owner := ownerOf(s.world.Kinds.Placements.In(p.Namespace).Kind, made)
	var jobs []job
	if p.Odd != noPolicySnapshot {
		jobs = append(jobs, func(ctx context.Context) error { return s.policies(ctx, p, made, owner) })
	}
	if len(p.Snapshots) > 0 { // before the snapshot: what was changed after it may be the fix of a run
		jobs = append(jobs, func(ctx context.Context) error { return s.content(ctx, p) })
	}
	for i, snap := range p.Snapshots {
		jobs = append(jobs, func(ctx context.Context) error {
			snapshot, err := resourceSnapshot(p, snap, i == len(p.Snapshots)-1, owner)
			if err != nil {
				return err
			}
			_, err = s.world.ResourceSnapshots.Place(ctx, snapshot)
			return err
		})
	}
	for _, name := range slices.Concat(p.Clusters, p.Leaving) {
		jobs = append(jobs, func(ctx context.Context) error {
			_, err := s.world.Bindings.Place(ctx, s.binding(p, name))
			return err
		})
	}
	return jobs
}

func (s *seed) policies(ctx context.Context, p Placement, made *placement.ResourcePlacement, owner metav1.OwnerReference) error {
	snapshot, err := policySnapshot(p, made, owner, s.at)
	if err != nil {
		return err
	}
	if _, err := s.world.PolicySnapshots.Place(ctx, snapshot); err != nil || p.Odd != twoPolicySnapshots {
		return err
	}
	second := snapshot.DeepCopy()
	second.Name = placement.PolicySnapshotName(p.Name, "1")
	second.Labels[placement.LabelPolicyIndex] = "1"
	_, err = s.world.PolicySnapshots.Place(ctx, second)
	return err
}

// inTurn runs the jobs one after the other: those of one placement, of which
// several are seeded at once.
func inTurn(ctx context.Context, jobs []job) error {
	for _, do := range jobs {
		if err := do(ctx); err != nil {
			return err
		}
	}
	return nil
}

// works are the Works that the members have applied, one for each binding.
func (s *seed) works() []job {
	var jobs []job
	for _, p := range s.scenario.Placements {
		for _, name := range slices.Concat(p.Clusters, p.Leaving) {
			jobs = append(jobs, func(ctx context.Context) error { return s.work(ctx, p, name) })
		}
	}
	return jobs
}

// work creates what an earlier run left on one cluster, unless a newer run has
// been there since.
func (s *seed) work(ctx context.Context, p Placement, name string) error {
	at := slices.IndexFunc(p.Snapshots, func(snap Snapshot) bool { return snap.Index == p.At })
	if at < 0 {
		return fmt.Errorf("seed works of %s: there is no snapshot %d", p.Key(), p.At)
	}
	contents, err := manifests(p, p.Snapshots[at])
	if err != nil {
		return err
	}
	binding := s.binding(p, name)
	work := works.NewWork(binding, works.Source{
		Index: strconv.Itoa(p.At), Snapshot: binding.Spec.ResourceSnapshotName, Manifests: contents,
	})
	work.Status = works.ReportApplied(work, 1, metav1.NewTime(s.at), nil, nil)
	_, err = s.world.Works.Place(ctx, work)
	if apierrors.IsConflict(err) {
		return nil // a run came between the Work and its status
	}
	return err
}

func (s *seed) binding(p Placement, name string) *placement.ResourceBinding {
	at := metav1.NewTime(s.at)
	index := strconv.Itoa(p.At)
	binding := &placement.ResourceBinding{
		ObjectMeta: metav1.ObjectMeta{
			Namespace:  p.Namespace,
			Name:       placement.BindingName(p.Name, name, store.NameSuffix(p.Key(), name)),
			Labels:     map[string]string{placement.LabelParentPlacement: p.Name},
			Finalizers: []string{placement.FinalizerSchedulerBinding, placement.FinalizerWork},
		},
		Spec: placement.BindingSpec{
			State:                        placement.BindingBound,
			ResourceSnapshotName:         placement.MasterSnapshotName(p.Name, index),
			SchedulingPolicySnapshotName: placement.PolicySnapshotName(p.Name, policyIndex),
			TargetCluster:                name,
			ClusterDecision:              decision(name),
			ApplyStrategy:                applyStrategy(p.Odd),
		},
	}
	if slices.Contains(p.Leaving, name) {
		binding.Spec.State = placement.BindingUnscheduled
		binding.Annotations = map[string]string{
			placement.AnnotationPreviousBindingState: string(placement.BindingBound),
		}
	}
	binding.Status.Conditions = append(binding.Status.Conditions, metav1.Condition{
		Type: placement.BindingRolloutStarted, Status: metav1.ConditionTrue, Reason: placement.ReasonRolloutStarted,
		Message: fmt.Sprintf("Detected the new changes on the resources and started the rollout process, "+
			"resourceSnapshotIndex: %s, updateRun: %s-r%s", index, p.Name, index),
		ObservedGeneration: 1, LastTransitionTime: at,
	})
	binding.Status.Conditions = append(binding.Status.Conditions, works.SettledConditions(1, at)...)
	return binding
}
