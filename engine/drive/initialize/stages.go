package initialize

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"

	cluster "github.com/stagewatch/stagewatch/api/cluster/v1beta1"
	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine/drive/pass"
)

// unplacedShown is how many clusters a message about unplaced ones names
// (docs/kubefleet.md#constants).
const unplacedShown = 10

// PlannedStage is one stage of a strategy with the clusters it takes.
type PlannedStage struct {
	Config   *placement.StageConfig
	Clusters []string
	// Errs are the reasons for which the stage is refused, in upstream's order.
	Errs []error
}

// Plan distributes the selected clusters over the stages of a strategy by the
// current labels of the member clusters (docs/kubefleet.md#initialize, row
// 10). When only the last check fails, it returns the plan beside the error.
func (p *Initializer) Plan(strategy *placement.UpdateStrategySpec) ([]PlannedStage, error) {
	placed := p.Unplaced()
	stages := make([]PlannedStage, 0, len(strategy.Stages))
	for i := range strategy.Stages {
		stage := p.PlanStage(&strategy.Stages[i], placed)
		if len(stage.Errs) > 0 {
			return nil, stage.Errs[0]
		}
		stages = append(stages, stage)
	}
	return stages, CheckPlaced(placed)
}

// Unplaced is the set of selected clusters, none of them in a stage yet.
func (p *Initializer) Unplaced() map[string]bool {
	placed := make(map[string]bool, len(p.Selected))
	for _, b := range p.Selected {
		placed[b.Spec.TargetCluster] = false
	}
	return placed
}

// CheckPlaced is the error of the clusters that no stage has taken.
func CheckPlaced(placed map[string]bool) error {
	missing := MissingIn(placed)
	if len(missing) == 0 {
		return nil
	}
	return pass.InvalidError(pass.UserError("some clusters are not placed in any stage, total %d, showing up to %d: %s",
		len(missing), unplacedShown, strings.Join(missing[:min(len(missing), unplacedShown)], ", ")))
}

// MissingIn returns the clusters that no stage selects, in the order of their names.
func MissingIn(placed map[string]bool) []string {
	var missing []string
	for name, done := range placed {
		if !done {
			missing = append(missing, name)
		}
	}
	slices.Sort(missing)
	return missing
}

// checkTasks returns the errors of a stage's before and after tasks, at most
// one of each.
func (p *Initializer) checkTasks(stage *placement.StageConfig) (errs []error) {
	if err := checkBeforeTasks(stage.BeforeStageTasks); err != nil {
		errs = append(errs, pass.InvalidError(pass.UserError("the before stage tasks are invalid, updateStrategy: `%s`, stage: %s, err: %w", p.strategyKey(), stage.Name, err)))
	}
	if err := checkAfterTasks(stage.AfterStageTasks); err != nil {
		errs = append(errs, pass.InvalidError(pass.UserError("the after stage tasks are invalid, updateStrategy: `%s`, stage: %s, err: %w", p.strategyKey(), stage.Name, err)))
	}
	return errs
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

// PlanStage checks a stage, finds the selected clusters that it takes, in the
// order of their update, and marks them as placed.
func (p *Initializer) PlanStage(config *placement.StageConfig, placed map[string]bool) PlannedStage {
	stage := PlannedStage{Config: config, Errs: p.checkTasks(config)}
	refuse := func(err error) { stage.Errs = append(stage.Errs, err) }
	selector, err := metav1.LabelSelectorAsSelector(config.LabelSelector)
	if err != nil {
		refuse(pass.InvalidError(pass.UserError("the stage label selector is invalid, updateStrategy: `%s`, stage: %s, err: %w", p.strategyKey(), config.Name, err)))
		return stage
	}
	if err := p.In.Failed.Members; err != nil {
		refuse(pass.ServerError(err))
		return stage
	}
	type candidate struct {
		name  string
		order int
	}
	var picked []candidate
	for _, m := range ByName(p.In.Members) {
		already, chosen := placed[m.Name]
		if !chosen || !selector.Matches(labels.Set(m.Labels)) {
			continue
		}
		if already {
			refuse(pass.InvalidError(pass.UserError("cluster `%s` appears in more than one stages", m.Name)))
			continue
		}
		order, err := sortingValue(config, m)
		if err != nil {
			refuse(err)
		}
		picked = append(picked, candidate{m.Name, order})
		placed[m.Name] = true
	}
	// The members came by name, and the sort is stable.
	sort.SliceStable(picked, func(i, j int) bool { return picked[i].order < picked[j].order })
	stage.Clusters = make([]string, len(picked))
	for i := range picked {
		stage.Clusters[i] = picked[i].name
	}
	return stage
}

// sortingValue is a member's place in the order of a stage; 0 when the stage
// does not sort.
func sortingValue(config *placement.StageConfig, m *cluster.MemberCluster) (int, error) {
	if config.SortingLabelKey == nil {
		return 0, nil
	}
	value := m.Labels[*config.SortingLabelKey]
	order, err := strconv.Atoi(value)
	if err != nil {
		return 0, pass.InvalidError(pass.UserError("the sorting label `%s:%s` on cluster `%s` is not valid: %w", *config.SortingLabelKey, value, m.Name, err))
	}
	return order, nil
}

// Stages turns a plan into the status of stages that have not begun.
func (p *Initializer) Stages(plan []PlannedStage) []placement.StageStatus {
	stages := make([]placement.StageStatus, len(plan))
	for i, planned := range plan {
		clusters := make([]placement.ClusterStatus, len(planned.Clusters))
		for j, name := range planned.Clusters {
			clusters[j].ClusterName = name
		}
		stages[i] = placement.StageStatus{
			StageName:             planned.Config.Name,
			Clusters:              clusters,
			BeforeStageTaskStatus: p.tasks(planned.Config, planned.Config.BeforeStageTasks, true),
			AfterStageTaskStatus:  p.tasks(planned.Config, planned.Config.AfterStageTasks, false),
		}
	}
	return stages
}

// tasks returns the status of tasks that have not begun; approvals already
// know the name of their request.
func (p *Initializer) tasks(stage *placement.StageConfig, tasks []placement.StageTask, before bool) []placement.TaskStatus {
	status := make([]placement.TaskStatus, len(tasks))
	for i, task := range tasks {
		status[i].Type = task.Type
		if task.Type == placement.TaskApproval {
			status[i].ApprovalRequestName = ApprovalName(p.Run.Name, stage.Name, before)
		}
	}
	return status
}

// MaxConcurrency is how many clusters of a stage may update at the same time: a
// percentage is rounded down, and at least one may (docs/kubefleet.md#execute,
// row 4).
func MaxConcurrency(stage *placement.StageConfig, clusters int) (int, error) {
	n, err := intstr.GetScaledValueFromIntOrPercent(stage.MaxConcurrency, clusters, false)
	if err != nil {
		return 0, err
	}
	return max(n, 1), nil
}

// ApprovalName returns the name of the approval request before or after a stage.
func ApprovalName(run, stage string, before bool) string {
	if before {
		return placement.BeforeApprovalName(run, stage)
	}
	return placement.AfterApprovalName(run, stage)
}
