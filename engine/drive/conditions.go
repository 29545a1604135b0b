package drive

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

// trueAt reports whether the condition is True for the given generation of
// the object that carries it ("ok@gen" in the facts).
func trueAt(conditions []metav1.Condition, kind string, generation int64) bool {
	return at(conditions, kind, metav1.ConditionTrue, generation)
}

func falseAt(conditions []metav1.Condition, kind string, generation int64) bool {
	return at(conditions, kind, metav1.ConditionFalse, generation)
}

func at(conditions []metav1.Condition, kind string, status metav1.ConditionStatus, generation int64) bool {
	c := meta.FindStatusCondition(conditions, kind)
	return c != nil && c.Status == status && c.ObservedGeneration == generation
}

// set writes a condition of the run's status. lastTransitionTime moves only
// when the status changes; a new condition goes to the end of the list.
func (p *pass) set(conditions *[]metav1.Condition, kind string, status metav1.ConditionStatus, reason, message string) {
	c := meta.FindStatusCondition(*conditions, kind)
	if c == nil {
		*conditions = append(*conditions, metav1.Condition{Type: kind})
		c = &(*conditions)[len(*conditions)-1]
	}
	if c.Status != status {
		c.Status, c.LastTransitionTime = status, p.now
	}
	c.Reason, c.Message, c.ObservedGeneration = reason, message, p.gen
}

func (p *pass) runProgressing(status metav1.ConditionStatus, reason, message string) {
	p.set(&p.st.Conditions, placement.RunProgressing, status, reason, message)
}

func (p *pass) markProgressing() {
	p.runProgressing(metav1.ConditionTrue, placement.ReasonRunProgressing, msgRunProgressing)
}

func (p *pass) markWaiting(when, stage string) {
	p.runProgressing(metav1.ConditionFalse, placement.ReasonRunWaiting, fmt.Sprintf(msgRunWaiting, when, stage))
}

// stuckShown is how many stuck clusters a message names
// (docs/kubefleet.md#constants).
const stuckShown = 3

// markStuck names up to three clusters; an ellipsis stands for the others
// (docs/kubefleet.md#cluster-checks).
func (p *pass) markStuck(stage string, stuck []string) {
	names := strings.Join(stuck[:min(len(stuck), stuckShown)], ", ")
	if len(stuck) > stuckShown {
		names += "..."
	}
	p.runProgressing(metav1.ConditionFalse, placement.ReasonRunStuck, fmt.Sprintf(msgRunStuck, names, stage))
}

func (p *pass) markStopping() {
	p.runProgressing(metav1.ConditionUnknown, placement.ReasonRunStopping, msgRunStopping)
}

func (p *pass) markStopped() {
	p.runProgressing(metav1.ConditionFalse, placement.ReasonRunStopped, msgRunStopped)
}

func (p *pass) markRunSucceeded() {
	p.runProgressing(metav1.ConditionFalse, placement.ReasonRunSucceeded, msgRunCompleted)
	p.set(&p.st.Conditions, placement.RunSucceeded, metav1.ConditionTrue, placement.ReasonRunSucceeded, msgRunSucceeded)
}

func (p *pass) markRunFailed(message string) {
	p.runProgressing(metav1.ConditionFalse, placement.ReasonRunFailed, msgRunAborted)
	p.set(&p.st.Conditions, placement.RunSucceeded, metav1.ConditionFalse, placement.ReasonRunFailed, message)
}

func (p *pass) stageProgressing(s *placement.StageStatus, status metav1.ConditionStatus, reason, message string) {
	p.set(&s.Conditions, placement.StageProgressing, status, reason, message)
}

func (p *pass) markStageStarted(s *placement.StageStatus) {
	if s.StartTime == nil {
		s.StartTime = p.now.DeepCopy()
	}
	p.stageProgressing(s, metav1.ConditionTrue, placement.ReasonStageStarted, msgStageStarted)
}

func (p *pass) markStageWaiting(s *placement.StageStatus, message string) {
	p.stageProgressing(s, metav1.ConditionFalse, placement.ReasonStageWaiting, message)
}

func (p *pass) markStageStopping(s *placement.StageStatus) {
	p.stageProgressing(s, metav1.ConditionUnknown, placement.ReasonStageStopping, msgStageStopping)
}

func (p *pass) markStageStopped(s *placement.StageStatus) {
	p.stageProgressing(s, metav1.ConditionFalse, placement.ReasonStageStopped, msgStageStopped)
}

func (p *pass) endStage(s *placement.StageStatus) {
	if s.EndTime == nil {
		s.EndTime = p.now.DeepCopy()
	}
}

func (p *pass) markStageSucceeded(s *placement.StageStatus) {
	p.endStage(s)
	p.stageProgressing(s, metav1.ConditionFalse, placement.ReasonStageSucceeded, msgStageCompleted)
	p.set(&s.Conditions, placement.StageSucceeded, metav1.ConditionTrue, placement.ReasonStageSucceeded, msgStageSucceeded)
}

func (p *pass) markStageSkipped(s *placement.StageStatus) {
	if s.StartTime == nil {
		s.StartTime = p.now.DeepCopy()
	}
	p.endStage(s)
	p.stageProgressing(s, metav1.ConditionFalse, placement.ReasonStageSkipped, msgStageSkipped)
	p.set(&s.Conditions, placement.StageSucceeded, metav1.ConditionTrue, placement.ReasonStageSkipped, msgStageSkipped)
}

func (p *pass) markStageFailed(s *placement.StageStatus, message string) {
	p.endStage(s)
	p.stageProgressing(s, metav1.ConditionFalse, placement.ReasonStageFailed, msgStageAborted)
	p.set(&s.Conditions, placement.StageSucceeded, metav1.ConditionFalse, placement.ReasonStageFailed, message)
}

func (p *pass) markClusterStarted(c *placement.ClusterStatus) {
	p.set(&c.Conditions, placement.ClusterStarted, metav1.ConditionTrue, placement.ReasonClusterStarted, msgClusterStarted)
}

func (p *pass) markClusterSucceeded(c *placement.ClusterStatus) {
	p.set(&c.Conditions, placement.ClusterSucceeded, metav1.ConditionTrue, placement.ReasonClusterSucceeded, msgClusterSucceeded)
}

func (p *pass) markClusterFailed(c *placement.ClusterStatus, message string) {
	p.set(&c.Conditions, placement.ClusterSucceeded, metav1.ConditionFalse, placement.ReasonClusterFailed, message)
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
