package drive

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// unplacedShown is how many clusters a message about unplaced ones names
// (facts 2).
const unplacedShown = 10

// plannedStage is one stage of a strategy with the clusters it takes.
type plannedStage struct {
	config   *placement.StageConfig
	clusters []string
}

// plan distributes the selected clusters over the stages of a strategy by the
// current labels of the member clusters (facts 3.2 step 10). When only the
// last check fails, it returns the plan beside the error.
func (p *pass) plan(strategy *placement.UpdateStrategySpec) ([]plannedStage, error) {
	placed := make(map[string]bool, len(p.selected))
	for _, b := range p.selected {
		placed[b.Spec.TargetCluster] = false
	}
	stages := make([]plannedStage, 0, len(strategy.Stages))
	for i := range strategy.Stages {
		stage := &strategy.Stages[i]
		if err := p.checkTasks(stage); err != nil {
			return nil, err
		}
		clusters, err := p.pick(stage, placed)
		if err != nil {
			return nil, err
		}
		stages = append(stages, plannedStage{stage, clusters})
	}
	var missing []string
	for name, done := range placed {
		if !done {
			missing = append(missing, name)
		}
	}
	if len(missing) == 0 {
		return stages, nil
	}
	slices.Sort(missing)
	return stages, invalid(user("some clusters are not placed in any stage, total %d, showing up to %d: %s",
		len(missing), unplacedShown, strings.Join(missing[:min(len(missing), unplacedShown)], ", ")))
}

func (p *pass) checkTasks(stage *placement.StageConfig) error {
	if err := checkBeforeTasks(stage.BeforeStageTasks); err != nil {
		return invalid(user("the before stage tasks are invalid, updateStrategy: `%s`, stage: %s, err: %w", p.strategyKey(), stage.Name, err))
	}
	if err := checkAfterTasks(stage.AfterStageTasks); err != nil {
		return invalid(user("the after stage tasks are invalid, updateStrategy: `%s`, stage: %s, err: %w", p.strategyKey(), stage.Name, err))
	}
	return nil
}

func checkBeforeTasks(tasks []placement.StageTask) error {
	if len(tasks) > 1 {
		return fmt.Errorf("beforeStageTasks can have at most one task")
	}
	for i, task := range tasks {
		if task.Type != placement.TaskApproval {
			return fmt.Errorf("task %d of type %s is not allowed in beforeStageTasks, allowed type: Approval", i, task.Type)
		}
		if task.WaitTime != nil {
			return fmt.Errorf("task %d of type Approval cannot have wait duration set", i)
		}
	}
	return nil
}

func checkAfterTasks(tasks []placement.StageTask) error {
	if len(tasks) == 2 && tasks[0].Type == tasks[1].Type {
		return fmt.Errorf("afterStageTasks cannot have two tasks of the same type: %s", tasks[0].Type)
	}
	for i, task := range tasks {
		if task.Type != placement.TaskTimedWait {
			continue
		}
		if task.WaitTime == nil {
			return fmt.Errorf("task %d of type TimedWait has wait duration set to nil", i)
		}
		if task.WaitTime.Duration <= 0 {
			return fmt.Errorf("task %d of type TimedWait has wait duration <= 0", i)
		}
	}
	return nil
}

// pick returns the selected clusters of one stage in the order of their
// update and marks them as placed.
func (p *pass) pick(stage *placement.StageConfig, placed map[string]bool) ([]string, error) {
	selector, err := metav1.LabelSelectorAsSelector(stage.LabelSelector)
	if err != nil {
		return nil, invalid(user("the stage label selector is invalid, updateStrategy: `%s`, stage: %s, err: %w", p.strategyKey(), stage.Name, err))
	}
	if err := p.in.Failed.Members; err != nil {
		return nil, server(err)
	}
	type candidate struct {
		name  string
		order int
	}
	var picked []candidate
	for _, m := range byName(p.in.Members) {
		already, chosen := placed[m.Name]
		if !chosen || !selector.Matches(labels.Set(m.Labels)) {
			continue
		}
		if already {
			return nil, invalid(user("cluster `%s` appears in more than one stages", m.Name))
		}
		order := 0
		if stage.SortingLabelKey != nil {
			value := m.Labels[*stage.SortingLabelKey]
			if order, err = strconv.Atoi(value); err != nil {
				return nil, invalid(user("the sorting label `%s:%s` on cluster `%s` is not valid: %w", *stage.SortingLabelKey, value, m.Name, err))
			}
		}
		picked = append(picked, candidate{m.Name, order})
		placed[m.Name] = true
	}
	// The members came by name, and the sort is stable.
	slices.SortStableFunc(picked, func(a, b candidate) int { return cmp.Compare(a.order, b.order) })
	names := make([]string, len(picked))
	for i := range picked {
		names[i] = picked[i].name
	}
	return names, nil
}

// stages turns a plan into the status of stages that have not begun.
func (p *pass) stages(plan []plannedStage) []placement.StageStatus {
	stages := make([]placement.StageStatus, len(plan))
	for i, planned := range plan {
		clusters := make([]placement.ClusterStatus, len(planned.clusters))
		for j, name := range planned.clusters {
			clusters[j].ClusterName = name
		}
		stages[i] = placement.StageStatus{
			StageName:             planned.config.Name,
			Clusters:              clusters,
			BeforeStageTaskStatus: p.tasks(planned.config, planned.config.BeforeStageTasks, true),
			AfterStageTaskStatus:  p.tasks(planned.config, planned.config.AfterStageTasks, false),
		}
	}
	return stages
}

// tasks returns the status of tasks that have not begun; approvals already
// know the name of their request.
func (p *pass) tasks(stage *placement.StageConfig, tasks []placement.StageTask, before bool) []placement.TaskStatus {
	status := make([]placement.TaskStatus, len(tasks))
	for i, task := range tasks {
		status[i].Type = task.Type
		if task.Type == placement.TaskApproval {
			status[i].ApprovalRequestName = approvalName(p.run.Name, stage.Name, before)
		}
	}
	return status
}

// maxConcurrency is how many clusters of a stage may update at the same time:
// a percentage is rounded down, and at least one may (facts 3.4 step 4).
func maxConcurrency(stage *placement.StageConfig, clusters int) (int, error) {
	n, err := intstr.GetScaledValueFromIntOrPercent(stage.MaxConcurrency, clusters, false)
	if err != nil {
		return 0, err
	}
	return max(n, 1), nil
}

func approvalName(run, stage string, before bool) string {
	if before {
		return placement.BeforeApprovalName(run, stage)
	}
	return placement.AfterApprovalName(run, stage)
}
