package drive

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

func (p *executor) runProgressing(status metav1.ConditionStatus, reason, message string) {
	p.set(&p.status().Conditions, placement.RunProgressing, status, reason, message)
}

func (p *executor) markProgressing() {
	p.runProgressing(metav1.ConditionTrue, placement.ReasonRunProgressing, msgRunProgressing)
}

func (p *executor) markWaiting(when, stage string) {
	p.runProgressing(metav1.ConditionFalse, placement.ReasonRunWaiting, fmt.Sprintf(msgRunWaiting, when, stage))
}

// markStuck names up to three clusters; an ellipsis stands for the others
// (docs/kubefleet.md#cluster-checks).
func (p *executor) markStuck(stage string, stuck []string) {
	names := strings.Join(stuck[:min(len(stuck), stuckShown)], ", ")
	if len(stuck) > stuckShown {
		names += "..."
	}
	p.runProgressing(metav1.ConditionFalse, placement.ReasonRunStuck, fmt.Sprintf(msgRunStuck, names, stage))
}

func (p *executor) markStopping() {
	p.runProgressing(metav1.ConditionUnknown, placement.ReasonRunStopping, msgRunStopping)
}

func (p *executor) markStopped() {
	p.runProgressing(metav1.ConditionFalse, placement.ReasonRunStopped, msgRunStopped)
}

func (p *executor) markRunSucceeded() {
	p.runProgressing(metav1.ConditionFalse, placement.ReasonRunSucceeded, msgRunCompleted)
	p.set(&p.status().Conditions, placement.RunSucceeded, metav1.ConditionTrue, placement.ReasonRunSucceeded, msgRunSucceeded)
}

func (p *executor) markRunFailed(message string) {
	p.runProgressing(metav1.ConditionFalse, placement.ReasonRunFailed, msgRunAborted)
	p.set(&p.status().Conditions, placement.RunSucceeded, metav1.ConditionFalse, placement.ReasonRunFailed, message)
}

func (p *executor) stageProgressing(s *placement.StageStatus, status metav1.ConditionStatus, reason, message string) {
	p.set(&s.Conditions, placement.StageProgressing, status, reason, message)
}

func (p *executor) markStageStarted(s *placement.StageStatus) {
	if s.StartTime == nil {
		s.StartTime = p.now.DeepCopy()
	}
	p.stageProgressing(s, metav1.ConditionTrue, placement.ReasonStageStarted, msgStageStarted)
}

func (p *executor) markStageWaiting(s *placement.StageStatus, message string) {
	p.stageProgressing(s, metav1.ConditionFalse, placement.ReasonStageWaiting, message)
}

func (p *executor) markStageStopping(s *placement.StageStatus) {
	p.stageProgressing(s, metav1.ConditionUnknown, placement.ReasonStageStopping, msgStageStopping)
}

func (p *executor) markStageStopped(s *placement.StageStatus) {
	p.stageProgressing(s, metav1.ConditionFalse, placement.ReasonStageStopped, msgStageStopped)
}

func (p *executor) endStage(s *placement.StageStatus) {
	if s.EndTime == nil {
		s.EndTime = p.now.DeepCopy()
	}
}

func (p *executor) markStageSucceeded(s *placement.StageStatus) {
	p.endStage(s)
	p.stageProgressing(s, metav1.ConditionFalse, placement.ReasonStageSucceeded, msgStageCompleted)
	p.set(&s.Conditions, placement.StageSucceeded, metav1.ConditionTrue, placement.ReasonStageSucceeded, msgStageSucceeded)
}

func (p *executor) markStageSkipped(s *placement.StageStatus) {
	if s.StartTime == nil {
		s.StartTime = p.now.DeepCopy()
	}
	p.endStage(s)
	p.stageProgressing(s, metav1.ConditionFalse, placement.ReasonStageSkipped, msgStageSkipped)
	p.set(&s.Conditions, placement.StageSucceeded, metav1.ConditionTrue, placement.ReasonStageSkipped, msgStageSkipped)
}

func (p *executor) markStageFailed(s *placement.StageStatus, message string) {
	p.endStage(s)
	p.stageProgressing(s, metav1.ConditionFalse, placement.ReasonStageFailed, msgStageAborted)
	p.set(&s.Conditions, placement.StageSucceeded, metav1.ConditionFalse, placement.ReasonStageFailed, message)
}

func (p *executor) markClusterStarted(c *placement.ClusterStatus) {
	p.set(&c.Conditions, placement.ClusterStarted, metav1.ConditionTrue, placement.ReasonClusterStarted, msgClusterStarted)
}

func (p *executor) markClusterSucceeded(c *placement.ClusterStatus) {
	p.set(&c.Conditions, placement.ClusterSucceeded, metav1.ConditionTrue, placement.ReasonClusterSucceeded, msgClusterSucceeded)
}

func (p *executor) markClusterFailed(c *placement.ClusterStatus, message string) {
	p.set(&c.Conditions, placement.ClusterSucceeded, metav1.ConditionFalse, placement.ReasonClusterFailed, message)
}

// stuckShown is how many stuck clusters a message names
// (docs/kubefleet.md#constants).
const stuckShown = 3
