package forecast

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	cluster "github.com/stagewatch/stagewatch/api/cluster/v1beta1"
	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/drive/initialize"
	"github.com/stagewatch/stagewatch/engine/drive/pass"
	"github.com/stagewatch/stagewatch/engine/message"
	"github.com/stagewatch/stagewatch/engine/plan"
)

// describe lists the stages of the status, which the checker has computed for a run
// that is not initialized yet.
func (r *checker) describe() {
	r.out.Snapshot.Index = engine.Clean(r.Status().ResourceSnapshotIndexUsed)
	r.out.Snapshot.Asked = engine.Clean(r.Run.Spec.ResourceSnapshotIndex)
	members := make(map[string]*cluster.MemberCluster, len(r.In.Members))
	for _, m := range r.In.Members {
		members[m.Name] = m
	}
	bindings := map[string]*placement.ResourceBinding{}
	for _, b := range r.In.Bindings {
		if r.Owned(b) {
			bindings[b.Spec.TargetCluster] = b
		}
	}
	frozen := r.Status().StagedUpdateStrategySnapshot
	r.out.Stages = make([]plan.Stage, 0, len(r.Status().StagesStatus))
	for i := range r.Status().StagesStatus {
		status := &r.Status().StagesStatus[i]
		stage := plan.Stage{
			Name:     engine.Clean(status.StageName),
			Clusters: make([]plan.Cluster, 0, len(status.Clusters)),
			Skipped:  len(status.Clusters) == 0,
		}
		config := &placement.StageConfig{}
		if frozen != nil && i < len(frozen.Stages) {
			config = &frozen.Stages[i]
			stage.Before = planTasks(config.BeforeStageTasks, initialize.ApprovalName(r.Run.Name, status.StageName, true))
			stage.After = planTasks(config.AfterStageTasks, initialize.ApprovalName(r.Run.Name, status.StageName, false))
			if n, err := initialize.MaxConcurrency(config, len(status.Clusters)); err == nil {
				stage.AtOnce = n
			}
		}
		done := true
		for j := range status.Clusters {
			c := &status.Clusters[j]
			done = done && meta.IsStatusConditionTrue(c.Conditions, placement.ClusterSucceeded)
			stage.Clusters = append(stage.Clusters, planCluster(c, config, members[c.ClusterName], bindings[c.ClusterName]))
		}
		stage.Succeeded = meta.IsStatusConditionTrue(status.Conditions, placement.StageSucceeded)
		passed(stage.Before, status.BeforeStageTaskStatus, stage.Succeeded, time.Time{})
		var since time.Time
		if p := meta.FindStatusCondition(status.Conditions, placement.StageProgressing); p != nil && done {
			since = p.LastTransitionTime.Time // the wait begins with it, again at each stop
		}
		passed(stage.After, status.AfterStageTaskStatus, stage.Succeeded, since)
		r.out.Stages = append(r.out.Stages, stage)
	}
	r.out.ReportDiff = engine.ReportsDiff(r.Status().AppliedStrategy)
	if r.Status().DeletionStageStatus != nil {
		var left []engine.Text
		for i := range r.Status().DeletionStageStatus.Clusters {
			c := &r.Status().DeletionStageStatus.Clusters[i]
			if meta.IsStatusConditionTrue(c.Conditions, placement.ClusterSucceeded) || bindings[c.ClusterName] == nil { // gone, by another run or a person
				r.out.Deletions = append(r.out.Deletions, engine.Clean(c.ClusterName))
				continue
			}
			left = append(left, engine.Clean(c.ClusterName))
		}
		r.out.Deleted = len(r.out.Deletions)
		r.out.Deletions = append(r.out.Deletions, left...)
	}
}

func planTasks(tasks []placement.StageTask, request string) []plan.Task {
	var out []plan.Task
	for _, task := range tasks {
		switch {
		case task.Type == placement.TaskApproval:
			out = append(out, plan.Task{Request: engine.Clean(request)})
		case task.WaitTime != nil:
			out = append(out, plan.Task{Wait: task.WaitTime.Duration})
		}
	}
	return out
}

// passed notes how far tasks are. since is when the timed waits began; zero if they have not.
func passed(tasks []plan.Task, status []placement.TaskStatus, all bool, since time.Time) {
	for i := range tasks {
		t := &tasks[i]
		t.Passed = all
		if t.Timed() && !since.IsZero() {
			t.Until = since.Add(t.Wait)
		}
		for j := range status {
			approved := meta.IsStatusConditionTrue(status[j].Conditions, placement.TaskApprovalRequestApproved)
			if name := status[j].ApprovalRequestName; !t.Timed() && status[j].Type == placement.TaskApproval && name != "" {
				t.Request = engine.Clean(name) // a hub of another version may have named it
			}
			t.Passed = t.Passed || !t.Timed() && status[j].Type == placement.TaskApproval && approved
		}
	}
}

func planCluster(c *placement.ClusterStatus, config *placement.StageConfig, m *cluster.MemberCluster, b *placement.ResourceBinding) plan.Cluster {
	out := plan.Cluster{
		Name:      engine.Clean(c.ClusterName),
		Started:   meta.IsStatusConditionTrue(c.Conditions, placement.ClusterStarted),
		Succeeded: meta.IsStatusConditionTrue(c.Conditions, placement.ClusterSucceeded),
	}
	if m != nil && config.SortingLabelKey != nil {
		out.SortLabel = engine.Clean(m.Labels[*config.SortingLabelKey])
	}
	if b != nil {
		out.Now = engine.Clean(b.Spec.ResourceSnapshotName)
	}
	for _, name := range c.ClusterResourceOverrideSnapshots {
		out.Overrides = append(out.Overrides, engine.Clean(name))
	}
	for _, name := range c.ResourceOverrideSnapshots {
		out.Overrides = append(out.Overrides, engine.Clean(pass.Key(name.Namespace, name.Name)))
	}
	return out
}

// mismatches lists the clusters that no stage or more than one stage selects, with the
// labels that the selectors use.
func (r *checker) mismatches(strategy *placement.UpdateStrategySpec, placed map[string]bool) {
	asked := selectorLabels(strategy)
	members := map[string]map[string]string{}
	for _, m := range r.In.Members {
		members[m.Name] = m.Labels
	}
	mismatchOf := func(name string, stages []engine.Text) plan.StageMismatch {
		out := plan.StageMismatch{Cluster: engine.Clean(name), Stages: stages}
		if _, known := members[name]; !known && len(members) > 0 {
			out.Missing = true
			return out
		}
		for _, k := range asked {
			if value, ok := members[name][k]; ok {
				k += "=" + value
			}
			out.Labels = append(out.Labels, engine.Clean(k))
		}
		return out
	}
	for _, name := range initialize.MissingIn(placed) {
		r.out.Unplaced = append(r.out.Unplaced, mismatchOf(name, nil))
	}
	for _, b := range r.Selected {
		var stages []engine.Text
		for i := range strategy.Stages {
			selector, err := metav1.LabelSelectorAsSelector(strategy.Stages[i].LabelSelector)
			if _, known := members[b.Spec.TargetCluster]; err == nil && known && selector.Matches(labels.Set(members[b.Spec.TargetCluster])) {
				stages = append(stages, engine.Clean(strategy.Stages[i].Name))
			}
		}
		if len(stages) > 1 {
			r.out.Overlapping = append(r.out.Overlapping, mismatchOf(b.Spec.TargetCluster, stages))
		}
	}
}

// selectorLabels lists the label keys that the stages' selectors use.
func selectorLabels(strategy *placement.UpdateStrategySpec) []string {
	var keys []string
	for i := range strategy.Stages {
		selector := strategy.Stages[i].LabelSelector
		if selector == nil {
			continue
		}
		for k := range selector.MatchLabels {
			keys = append(keys, k)
		}
		for _, e := range selector.MatchExpressions {
			keys = append(keys, e.Key)
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// competingRuns lists the other unfinished runs of the placement, and the clusters in
// which one would preempt the other (engine.SameRollout).
func (r *checker) competingRuns(others []*placement.StagedUpdateRun) {
	mine := clustersOf(r.Run)
	for _, other := range initialize.ByName(others) {
		if other.Namespace != r.Run.Namespace || other.Name == r.Run.Name || other.Spec.PlacementName != r.Run.Spec.PlacementName ||
			other.DeletionTimestamp != nil || pass.Finished(other) || pass.InitFailed(other) {
			continue
		}
		competing := plan.CompetingRun{
			Run:   pass.IDOf(other),
			State: engine.Clean(string(other.Spec.State)),
			Index: engine.Clean(other.Status.ResourceSnapshotIndexUsed),
			Stuck: engine.ReadCondition(other.Status.Conditions, placement.RunProgressing).Reason == placement.ReasonRunStuck,
		}
		contested := r.contested(mine, other)
		competing.Same = len(contested) == 0 && engine.SameRollout(r.Status(), nil, &other.Status, nil)
		competing.Moot = !r.out.Finished && r.neverStarts()
		competing.Fails = r.cannotInitialize(other)
		if !r.out.Finished && !competing.Same && !competing.Moot && competing.Fails.IsZero() {
			r.contest(&competing, contested, clustersOf(other), pass.Initialized(other))
			competing.Unknown = len(mine) == 0
		}
		r.out.CompetingRuns = append(r.out.CompetingRuns, competing)
	}
}

// cannotInitialize is the message with which another run of the placement fails its
// initialization for the snapshot that it names; empty for none. Its strategy is not read.
func (r *checker) cannotInitialize(other *placement.StagedUpdateRun) engine.Text {
	unread := pass.Initialized(r.Run) && r.In.ResourceSnapshots == nil
	if pass.Initialized(other) || other.Spec.ResourceSnapshotIndex == "" || unread {
		return engine.Text{}
	}
	in := *r.In
	in.Run = other
	if _, _, err := newChecker(&in, r.Now.Time).ChooseSnapshot(); pass.IsAborted(err) {
		return engine.Message(message.Core(err.Error()))
	}
	return engine.Text{}
}

// neverStarts reports whether a final check fails the run before its first stage.
func (r *checker) neverStarts() bool {
	return !r.out.Initialized && slices.ContainsFunc(r.out.Refusals, func(f plan.Refusal) bool { return f.Final })
}

// contested lists the clusters of a run that another run does not give the same.
func (r *checker) contested(mine []*placement.ClusterStatus, other *placement.StagedUpdateRun) (out []*placement.ClusterStatus) {
	theirs := map[string]*placement.ClusterStatus{}
	for _, c := range clustersOf(other) {
		theirs[c.ClusterName] = c
	}
	same := engine.SameRollout(r.Status(), nil, &other.Status, nil)
	for _, c := range mine {
		if own := theirs[c.ClusterName]; !same || own != nil && !engine.SameRollout(r.Status(), c, &other.Status, own) {
			out = append(out, c)
		}
	}
	return out
}

// contest compares the progress of two runs in each cluster. A run without stages may
// preempt the other in any cluster.
func (r *checker) contest(out *plan.CompetingRun, mine, theirs []*placement.ClusterStatus, planned bool) {
	has := map[string]*placement.ClusterStatus{}
	for _, c := range theirs {
		has[c.ClusterName] = c
	}
	for _, c := range mine {
		if meta.IsStatusConditionTrue(c.Conditions, placement.ClusterSucceeded) {
			continue
		}
		begun := meta.IsStatusConditionTrue(c.Conditions, placement.ClusterStarted)
		other := has[c.ClusterName]
		switch {
		case other == nil && planned:
		case other == nil || !meta.IsStatusConditionTrue(other.Conditions, placement.ClusterStarted):
			out.MayTake = append(out.MayTake, engine.Clean(c.ClusterName))
		case meta.IsStatusConditionTrue(other.Conditions, placement.ClusterSucceeded) && (!begun || !r.taken(c)): // the other one is not checked there any more
		case begun:
			out.BothStarted = append(out.BothStarted, engine.Clean(c.ClusterName))
			out.Holds = out.Holds || r.taken(c)
		default:
			out.WillLose = append(out.WillLose, engine.Clean(c.ClusterName))
		}
	}
}

// taken reports whether the binding of a cluster that the run has started is not what the run
// made it: the run fails there at its next check.
func (r *checker) taken(c *placement.ClusterStatus) bool {
	return slices.ContainsFunc(r.In.Bindings, func(b *placement.ResourceBinding) bool {
		return r.Owned(b) && b.Spec.TargetCluster == c.ClusterName && r.HeldByOther(c, b, r.SnapshotName())
	})
}

func clustersOf(run *placement.StagedUpdateRun) []*placement.ClusterStatus {
	var out []*placement.ClusterStatus
	for i := range run.Status.StagesStatus {
		s := &run.Status.StagesStatus[i]
		for j := range s.Clusters {
			out = append(out, &s.Clusters[j])
		}
	}
	return out
}
