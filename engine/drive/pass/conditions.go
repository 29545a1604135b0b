package pass

import (
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

// TrueAt reports whether the condition is True for the given generation of
// the object that carries it.
func TrueAt(conditions []metav1.Condition, kind string, generation int64) bool {
	return conditionAt(conditions, kind, metav1.ConditionTrue, generation)
}

// FalseAt reports whether the condition is False for the given generation.
func FalseAt(conditions []metav1.Condition, kind string, generation int64) bool {
	return conditionAt(conditions, kind, metav1.ConditionFalse, generation)
}

func conditionAt(conditions []metav1.Condition, kind string, status metav1.ConditionStatus, generation int64) bool {
	c := meta.FindStatusCondition(conditions, kind)
	return c != nil && c.Status == status && c.ObservedGeneration == generation
}

// Set writes a condition of the run's status. lastTransitionTime moves only
// when the status changes; a new condition goes to the end of the list.
func (p *Pass) Set(conditions *[]metav1.Condition, kind string, status metav1.ConditionStatus, reason, message string) {
	c := meta.FindStatusCondition(*conditions, kind)
	if c == nil {
		*conditions = append(*conditions, metav1.Condition{Type: kind})
		c = &(*conditions)[len(*conditions)-1]
	}
	if c.Status != status {
		c.Status, c.LastTransitionTime = status, p.Now
	}
	c.Reason, c.Message, c.ObservedGeneration = reason, message, p.Run.Generation
}

// observe stamps the run's generation on every condition of the status, in
// memory only: the next status write persists it (docs/kubefleet.md#reconcile,
// step 2, #generations).
func observe(st *placement.UpdateRunStatus, generation int64) {
	stamp(st.Conditions, generation)
	for i := range st.StagesStatus {
		observeStage(&st.StagesStatus[i], generation)
	}
	if st.DeletionStageStatus != nil {
		observeStage(st.DeletionStageStatus, generation)
	}
}

func observeStage(s *placement.StageStatus, generation int64) {
	stamp(s.Conditions, generation)
	for i := range s.BeforeStageTaskStatus {
		stamp(s.BeforeStageTaskStatus[i].Conditions, generation)
	}
	for i := range s.AfterStageTaskStatus {
		stamp(s.AfterStageTaskStatus[i].Conditions, generation)
	}
	for i := range s.Clusters {
		stamp(s.Clusters[i].Conditions, generation)
	}
}

func stamp(conditions []metav1.Condition, generation int64) {
	for i := range conditions {
		conditions[i].ObservedGeneration = generation
	}
}
