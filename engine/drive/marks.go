package drive

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

func (p *Executor) runProgressing(status metav1.ConditionStatus, reason, message string) {
	p.Set(&p.Status().Conditions, placement.RunProgressing, status, reason, message)
}

func (p *Executor) markProgressing() {
	p.runProgressing(metav1.ConditionTrue, placement.ReasonRunProgressing, msgRunProgressing)
}

func (p *Executor) markWaiting(when, stage string) {
	p.runProgressing(metav1.ConditionFalse, placement.ReasonRunWaiting, fmt.Sprintf(msgRunWaiting, when, stage))
}

// markStuck names up to three clusters; an ellipsis stands for the others
// (docs/kubefleet.md#cluster-checks).
func (p *Executor) markStuck(stage string, stuck []string) {
	names := strings.Join(stuck[:min(len(stuck), stuckShown)], ", ")
	if len(stuck) > stuckShown {
		names += "..."
	}
	p.runProgressing(metav1.ConditionFalse, placement.ReasonRunStuck, fmt.Sprintf(msgRunStuck, names, stage))
}

func (p *Executor) markStopping() {
	p.runProgressing(metav1.ConditionUnknown, placement.ReasonRunStopping, msgRunStopping)
}

func (p *Executor) markStopped() {
	p.runProgressing(metav1.ConditionFalse, placement.ReasonRunStopped, msgRunStopped)
}

func (p *Executor) markRunSucceeded() {
	p.runProgressing(metav1.ConditionFalse, placement.ReasonRunSucceeded, msgRunCompleted)
	p.Set(&p.Status().Conditions, placement.RunSucceeded, metav1.ConditionTrue, placement.ReasonRunSucceeded, msgRunSucceeded)
}

func (p *Executor) markRunFailed(message string) {
	p.runProgressing(metav1.ConditionFalse, placement.ReasonRunFailed, msgRunAborted)
	p.Set(&p.Status().Conditions, placement.RunSucceeded, metav1.ConditionFalse, placement.ReasonRunFailed, message)
}

func (p *Executor) stageProgressing(s *placement.StageStatus, status metav1.ConditionStatus, reason, message string) {
	p.Set(&s.Conditions, placement.StageProgressing, status, reason, message)
}

func (p *Executor) markStageStarted(s *placement.StageStatus) {
	if s.StartTime == nil {
		s.StartTime = p.Now.DeepCopy()
	}
	p.stageProgressing(s, metav1.ConditionTrue, placement.ReasonStageStarted, msgStageStarted)
}

func (p *Executor) markStageWaiting(s *placement.StageStatus, message string) {
	p.stageProgressing(s, metav1.ConditionFalse, placement.ReasonStageWaiting, message)
}

func (p *Executor) markStageStopping(s *placement.StageStatus) {
	p.stageProgressing(s, metav1.ConditionUnknown, placement.ReasonStageStopping, msgStageStopping)
}

func (p *Executor) markStageStopped(s *placement.StageStatus) {
	p.stageProgressing(s, metav1.ConditionFalse, placement.ReasonStageStopped, msgStageStopped)
}

func (p *Executor) endStage(s *placement.StageStatus) {
	if s.EndTime == nil {
		s.EndTime = p.Now.DeepCopy()
	}
}

func (p *Executor) markStageSucceeded(s *placement.StageStatus) {
	p.endStage(s)
	p.stageProgressing(s, metav1.ConditionFalse, placement.ReasonStageSucceeded, msgStageCompleted)
	p.Set(&s.Conditions, placement.StageSucceeded, metav1.ConditionTrue, placement.ReasonStageSucceeded, msgStageSucceeded)
}

func (p *Executor) markStageSkipped(s *placement.StageStatus) {
	if s.StartTime == nil {
		s.StartTime = p.Now.DeepCopy()
	}
	p.endStage(s)
	p.stageProgressing(s, metav1.ConditionFalse, placement.ReasonStageSkipped, msgStageSkipped)
	p.Set(&s.Conditions, placement.StageSucceeded, metav1.ConditionTrue, placement.ReasonStageSkipped, msgStageSkipped)
}

func (p *Executor) markStageFailed(s *placement.StageStatus, message string) {
	p.endStage(s)
	p.stageProgressing(s, metav1.ConditionFalse, placement.ReasonStageFailed, msgStageAborted)
	p.Set(&s.Conditions, placement.StageSucceeded, metav1.ConditionFalse, placement.ReasonStageFailed, message)
}

func (p *Executor) markClusterStarted(c *placement.ClusterStatus) {
	p.Set(&c.Conditions, placement.ClusterStarted, metav1.ConditionTrue, placement.ReasonClusterStarted, msgClusterStarted)
}

func (p *Executor) markClusterSucceeded(c *placement.ClusterStatus) {
	p.Set(&c.Conditions, placement.ClusterSucceeded, metav1.ConditionTrue, placement.ReasonClusterSucceeded, msgClusterSucceeded)
}

func (p *Executor) markClusterFailed(c *placement.ClusterStatus, message string) {
	p.Set(&c.Conditions, placement.ClusterSucceeded, metav1.ConditionFalse, placement.ReasonClusterFailed, message)
}

// stuckShown is how many stuck clusters a message names
// (docs/kubefleet.md#constants).
const stuckShown = 3
