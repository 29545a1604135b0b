package bench

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"

	cluster "github.com/stagewatch/stagewatch/api/cluster/v1beta1"
	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

var (
	runs       = schema.GroupResource{Group: placement.Group, Resource: "clusterstagedupdateruns"}
	placements = schema.GroupResource{Group: placement.Group, Resource: "clusterresourceplacements"}
	boundTo    = schema.GroupResource{Group: placement.Group, Resource: "clusterresourcebindings"}
	members    = schema.GroupResource{Group: cluster.Group, Resource: "memberclusters"}
)

// seeder makes the objects of a hub, as the API server stores them.
type seeder struct {
	size Size
	now  time.Time
	put  func(resource schema.GroupResource, name string, object any) error
	// change changes a run in the store, unless it does not exist, change returns false, or someone else writes it
	// meanwhile.
	change func(name string, change func(run *placement.StagedUpdateRun) bool) error
}

// batch is how many clusters of a run are started at a time, and check how often the
// controller looks whether they have succeeded.
const (
	batch = 20
	check = 15 * time.Second
)

func runName(i int) string     { return fmt.Sprintf("bench-%04d", i) }
func clusterName(i int) string { return fmt.Sprintf("member-%05d", i) }

// seed stores all objects: the stuck runs first, then those that make progress, then those
// that have succeeded. The first run is among the first rows of the list.
func (s *seeder) seed() error {
	for i := range s.size.Runs {
		if err := s.put(runs, runName(i), s.run(i, 1, s.size.Clusters-1)); err != nil {
			return err
		}
		if err := s.put(placements, runName(i), s.placement(i)); err != nil {
			return err
		}
	}
	if err := s.beat(s.now); err != nil {
		return err
	}
	for i := range s.size.Bindings {
		if err := s.put(boundTo, bindingName(i), s.binding(i, 0)); err != nil {
			return err
		}
	}
	return nil
}

func (s *seeder) meta(kind, name string, age time.Duration) (metav1.TypeMeta, metav1.ObjectMeta) {
	return metav1.TypeMeta{APIVersion: placement.GroupVersion.String(), Kind: kind},
		metav1.ObjectMeta{Name: name, UID: types.UID(kind + "-" + name), Generation: 1, CreationTimestamp: metav1.NewTime(s.now.Add(-age))}
}

// condition is one that became true, or false without a reason of success, age ago.
func (s *seeder) condition(kind string, ok bool, reason, message string, age time.Duration) metav1.Condition {
	c := metav1.Condition{
		Type: kind, Status: metav1.ConditionTrue, Reason: reason, Message: message,
		ObservedGeneration: 1, LastTransitionTime: metav1.NewTime(s.now.Add(-age).Truncate(time.Second)),
	}
	if !ok {
		c.Status = metav1.ConditionFalse
	}
	return c
}

// run is run i in its only stage, with the index of the snapshot that it rolls out and the
// number of clusters that have succeeded, unless it has finished.
func (s *seeder) run(i, index, done int) *placement.StagedUpdateRun {
	finished, stuck := i >= s.size.Runs-s.size.Finished, i < s.size.stuck()
	begun := time.Duration(i+1) * time.Minute
	updating := begun
	if !stuck {
		updating = min(begun, time.Minute)
	}
	list := make([]placement.ClusterStatus, s.size.Clusters)
	for j := range list {
		age := begun - time.Duration(j/batch)*begun/time.Duration(2*len(list)/batch+1)
		updates := j >= done && !finished
		if updates {
			age = updating
		}
		list[j].ClusterName = clusterName(j)
		list[j].Conditions = []metav1.Condition{s.condition(placement.ClusterStarted, true, placement.ReasonClusterStarted, "Cluster update started", age)}
		if !updates {
			list[j].Conditions = append(list[j].Conditions,
				s.condition(placement.ClusterSucceeded, true, placement.ReasonClusterSucceeded, "Cluster update completed successfully", age-time.Duration(j%3+1)*check))
		}
	}
	moving := s.condition(placement.RunProgressing, true, placement.ReasonRunProgressing, "The update run is making progress", updating)
	stageMoving := s.condition(placement.StageProgressing, true, placement.ReasonStageStarted, "Clusters in the stage started updating", begun)
	started, ended := metav1.NewTime(s.now.Add(-begun)), metav1.NewTime(s.now.Add(-begun/2))
	stage := placement.StageStatus{StageName: "prod", Clusters: list, StartTime: &started}
	conditions := []metav1.Condition{s.condition(placement.RunInitialized, true, placement.ReasonRunInitialized, "The UpdateRun initialized successfully", begun)}
	switch {
	case stuck:
		moving = s.condition(placement.RunProgressing, false, placement.ReasonRunStuck,
			"The updateRun is stuck waiting for 1 cluster(s) in stage prod to finish updating, please check placement status for potential errors", updating)
	case finished:
		const message = "The update run completed successfully"
		moving = s.condition(placement.RunProgressing, false, placement.ReasonRunSucceeded, message, begun/2)
		conditions = append(conditions, s.condition(placement.RunSucceeded, true, placement.ReasonRunSucceeded, message, begun/2))
		stageMoving = s.condition(placement.StageProgressing, false, placement.ReasonStageSucceeded, "Stage update completed successfully", begun/2)
		stage.Conditions = append(stage.Conditions, s.condition(placement.StageSucceeded, true, placement.ReasonStageSucceeded, "Stage update completed successfully", begun/2))
		stage.EndTime = &ended
	}
	stage.Conditions = append(stage.Conditions, stageMoving)
	atOnce := intstr.FromInt32(1)
	kind, meta := s.meta("ClusterStagedUpdateRun", runName(i), begun)
	written := metav1.NewTime(s.now.Add(-begun).Truncate(time.Second))
	fields := &metav1.FieldsV1{}
	fields.SetRawString(`{"f:spec":{".":{},"f:placementName":{},"f:stagedRolloutStrategyName":{},"f:state":{}}}`)
	meta.ManagedFields = []metav1.ManagedFieldsEntry{{ // without one the API server would not note who changes the run, and when
		Manager: "kubectl-create", Operation: metav1.ManagedFieldsOperationUpdate, APIVersion: kind.APIVersion,
		Time: &written, FieldsType: "FieldsV1", FieldsV1: fields,
	}}
	return &placement.StagedUpdateRun{
		TypeMeta: kind, ObjectMeta: meta,
		Spec: placement.UpdateRunSpec{PlacementName: runName(i), StagedRolloutStrategyName: "bench", State: placement.StateRun},
		Status: placement.UpdateRunStatus{
			PolicySnapshotIndexUsed: "0", ResourceSnapshotIndexUsed: fmt.Sprint(index),
			StagedUpdateStrategySnapshot: &placement.UpdateStrategySpec{
				Stages: []placement.StageConfig{{Name: "prod", MaxConcurrency: &atOnce}},
			},
			StagesStatus: []placement.StageStatus{stage},
			Conditions:   append(conditions, moving),
		},
	}
}

func (s *seeder) placement(i int) any {
	kind, meta := s.meta("ClusterResourcePlacement", runName(i), time.Hour)
	return map[string]any{
		"apiVersion": kind.APIVersion, "kind": kind.Kind, "metadata": meta,
		"spec": map[string]any{
			"resourceSelectors": []any{map[string]any{"group": "", "version": "v1", "kind": "Namespace", "name": runName(i)}},
			"strategy":          map[string]any{"type": string(placement.RolloutExternal)},
		},
		"status": map[string]any{"observedResourceIndex": "1"},
	}
}

func bindingName(i int) string { return fmt.Sprintf("binding-%06d", i) }

// binding is binding i, of a cluster that has what its run rolls out. version makes it
// another object than before.
func (s *seeder) binding(i, version int) *placement.ClusterResourceBinding {
	run := runName(i / s.size.Clusters)
	kind, meta := s.meta("ClusterResourceBinding", bindingName(i), time.Hour)
	meta.Labels = map[string]string{placement.LabelParentPlacement: run}
	meta.Finalizers = []string{"kubernetes-fleet.io/work-cleanup"}
	at, fields := metav1.NewTime(s.now), &metav1.FieldsV1{}
	fields.SetRawString(`{"f:status":{"f:conditions":{".":{},"k:{\"type\":\"Applied\"}":{".":{},"f:lastTransitionTime":{},"f:message":{},"f:observedGeneration":{},"f:reason":{},"f:status":{},"f:type":{}},` +
		`"k:{\"type\":\"Available\"}":{".":{},"f:lastTransitionTime":{},"f:message":{},"f:observedGeneration":{},"f:reason":{},"f:status":{},"f:type":{}}}}}`)
	meta.ManagedFields = []metav1.ManagedFieldsEntry{{
		Manager: "hub-agent", Operation: metav1.ManagedFieldsOperationUpdate, APIVersion: kind.APIVersion,
		Time: &at, FieldsType: "FieldsV1", FieldsV1: fields, Subresource: "status",
	}}
	b := &placement.ClusterResourceBinding{TypeMeta: kind, ObjectMeta: meta}
	b.Spec.State, b.Spec.TargetCluster = placement.BindingBound, clusterName(i%s.size.Clusters)
	b.Spec.ResourceSnapshotName, b.Spec.SchedulingPolicySnapshotName = run+"-1-snapshot", run+"-0"
	for _, c := range []struct{ kind, reason, message string }{
		{placement.BindingRolloutStarted, "RolloutStarted", "Detected the new changes on the resources and started the rollout process"},
		{placement.BindingOverridden, "NoOverrideSpecified", "No override rules are configured for the selected resources"},
		{placement.BindingWorkSynchronized, "AllWorkSynced", fmt.Sprintf("All of the works are synchronized to the latest (%d)", version)},
		{placement.BindingApplied, "AllWorkHaveBeenApplied", "All corresponding work objects are applied"},
		{placement.BindingAvailable, "AllWorkAreAvailable", "All corresponding work objects are available"},
	} {
		b.Status.Conditions = append(b.Status.Conditions, s.condition(c.kind, true, c.reason, c.message, time.Hour))
	}
	if (i+1)%s.size.Clusters == 0 { // the cluster that its run waits for
		b.Status.Conditions[4] = s.condition(placement.BindingAvailable, false, "NotAllWorkAreAvailable", "Work object web-work is not available", time.Minute)
	}
	return b
}
