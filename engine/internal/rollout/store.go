package rollout

import (
	"errors"
	"strconv"
	"time"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine/drive/pass"
)

// stored is an object that Hub can keep.
type stored[T any] interface {
	pass.Object
	DeepCopy() T
}

var errModified = errors.New("the object has been modified; please apply your changes to the latest version and try again")

// do answers a request on one kind. It owns o.
func do[T stored[T]](m *Hub, all map[types.NamespacedName]T, resource string, verb pass.Verb, o T) (pass.Answer, error) {
	kind := schema.GroupResource{Group: placement.Group, Resource: resource}
	k := types.NamespacedName{Namespace: o.GetNamespace(), Name: o.GetName()}
	old, exists := all[k]
	if verb == pass.Create {
		if exists {
			return pass.Answer{}, apierrors.NewAlreadyExists(kind, k.Name)
		}
		m.version++
		o.SetUID(types.UID("uid-" + strconv.Itoa(m.version)))
		o.SetGeneration(1)
		o.SetCreationTimestamp(metav1.NewTime(m.Now.Truncate(time.Second)))
		return keep(m, all, k, o), nil
	}
	if !exists {
		return pass.Answer{}, apierrors.NewNotFound(kind, k.Name)
	}
	if version := o.GetResourceVersion(); (verb == pass.Update || verb == pass.UpdateStatus) && version != "" && version != old.GetResourceVersion() {
		return pass.Answer{}, apierrors.NewConflict(kind, k.Name, errModified)
	}
	switch verb {
	case pass.Update, pass.UpdateStatus:
		merge(old, o, verb == pass.UpdateStatus)
		normalize(o)
		if apiequality.Semantic.DeepEqual(old, o) {
			return pass.Answer{Object: o}, nil
		}
		if o.GetDeletionTimestamp() != nil && len(o.GetFinalizers()) == 0 {
			delete(all, k)
			return pass.Answer{Object: o}, nil
		}
		return keep(m, all, k, o), nil
	case pass.Delete:
		if len(old.GetFinalizers()) == 0 {
			delete(all, k)
			return pass.Answer{}, nil
		}
		if old.GetDeletionTimestamp() != nil {
			return pass.Answer{}, nil
		}
		o = old.DeepCopy()
		now := metav1.NewTime(m.Now.Truncate(time.Second))
		o.SetDeletionTimestamp(&now)
		o.SetGeneration(old.GetGeneration() + 1)
		return keep(m, all, k, o), nil
	default:
		return pass.Answer{Object: old.DeepCopy()}, nil
	}
}

// keep stores an object and returns a copy of what it stored.
func keep[T stored[T]](m *Hub, all map[types.NamespacedName]T, k types.NamespacedName, o T) pass.Answer {
	normalize(o)
	o.SetResourceVersion(m.next())
	all[k] = o
	return pass.Answer{Object: o.DeepCopy()}
}

// merge makes of a replace request what a server makes of it: the main
// resource leaves the status alone and counts changes of the spec, the status
// subresource leaves everything else alone.
func merge(old, o pass.Object, status bool) {
	generation, deleted := old.GetGeneration(), old.GetDeletionTimestamp()
	var changed bool
	switch o := o.(type) {
	case *placement.StagedUpdateRun:
		old := old.(*placement.StagedUpdateRun)
		if status {
			st := o.Status
			old.DeepCopyInto(o)
			o.Status = st
		} else {
			o.Status = *old.Status.DeepCopy()
			changed = !apiequality.Semantic.DeepEqual(old.Spec, o.Spec)
		}
	case *placement.ResourceBinding:
		old := old.(*placement.ResourceBinding)
		if status {
			st := o.Status
			old.DeepCopyInto(o)
			o.Status = st
		} else {
			o.Status = *old.Status.DeepCopy()
			changed = !apiequality.Semantic.DeepEqual(old.Spec, o.Spec)
		}
	case *placement.ApprovalRequest:
		old := old.(*placement.ApprovalRequest)
		if status {
			st := o.Status
			old.DeepCopyInto(o)
			o.Status = st
		} else {
			o.Status = *old.Status.DeepCopy()
			changed = !apiequality.Semantic.DeepEqual(old.Spec, o.Spec)
		}
	case *placement.ResourceSnapshot:
		changed = !apiequality.Semantic.DeepEqual(old.(*placement.ResourceSnapshot).Spec, o.Spec)
	}
	if changed {
		generation++
	}
	o.SetGeneration(generation)
	o.SetDeletionTimestamp(deleted)
}

// normalize stores an object's times to the second and its empty optional
// lists as absent, as JSON does.
func normalize(o pass.Object) {
	switch o := o.(type) {
	case *placement.StagedUpdateRun:
		truncate(o.Status.Conditions)
		for i := range o.Status.StagesStatus {
			normalizeStage(&o.Status.StagesStatus[i])
		}
		if o.Status.DeletionStageStatus != nil {
			normalizeStage(o.Status.DeletionStageStatus)
		}
		o.Status.StagesStatus = orAbsent(o.Status.StagesStatus)
	case *placement.ResourceBinding:
		truncate(o.Status.Conditions)
		o.Spec.ResourceOverrideSnapshots = orAbsent(o.Spec.ResourceOverrideSnapshots)
		o.Spec.ClusterResourceOverrideSnapshots = orAbsent(o.Spec.ClusterResourceOverrideSnapshots)
	case *placement.ApprovalRequest:
		truncate(o.Status.Conditions)
	}
}

func normalizeStage(s *placement.StageStatus) {
	for _, t := range []*metav1.Time{s.StartTime, s.EndTime} {
		if t != nil {
			t.Time = t.Truncate(time.Second)
		}
	}
	truncate(s.Conditions)
	for _, tasks := range [][]placement.TaskStatus{s.BeforeStageTaskStatus, s.AfterStageTaskStatus} {
		for i := range tasks {
			truncate(tasks[i].Conditions)
		}
	}
	s.BeforeStageTaskStatus, s.AfterStageTaskStatus = orAbsent(s.BeforeStageTaskStatus), orAbsent(s.AfterStageTaskStatus)
	for i := range s.Clusters {
		c := &s.Clusters[i]
		truncate(c.Conditions)
		c.ResourceOverrideSnapshots = orAbsent(c.ResourceOverrideSnapshots)
		c.ClusterResourceOverrideSnapshots = orAbsent(c.ClusterResourceOverrideSnapshots)
	}
}

func truncate(conditions []metav1.Condition) {
	for i := range conditions {
		conditions[i].LastTransitionTime.Time = conditions[i].LastTransitionTime.Truncate(time.Second)
	}
}

func orAbsent[T any](list []T) []T {
	if len(list) == 0 {
		return nil
	}
	return list
}
