package catalogue

import (
	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/applystrategy"
)

// aborts are what ends a run that was under way.
var aborts = []failure{
	{
		Entry: Entry{
			Cause: "apply-strategy-changed", Title: "The apply strategy was changed during the run", Short: "apply strategy was changed",
			Sign:    "message `the applyStrategy in the updateRun is outdated, …`",
			actions: onPlacement, Recovery: engine.RecoveryByNewRun, Steps: Literals{newRun, "Do not change the placement while a run is in progress."},
			Commands: []Command{ShowPlacement, ShowRun}, Check: ApplyNow,
		},
		pattern: &Pattern{expr: `the applyStrategy in the (?:clusterStagedU|stagedU|u)pdateRun is outdated(?:, latest: (?P<new>.*), recorded: (?P<old>.*)|: (?P<diff>.*))?`},
		what:    applyChanged,
	},
	{
		Entry: Entry{
			Cause: "policy-changed", Title: "The scheduling policy was changed during the run", Short: "scheduling policy was changed",
			Sign:    "message `the policy snapshot index used in the updateRun is outdated, latest: …, recorded: …`",
			actions: onPlacement, Recovery: engine.RecoveryByNewRun, Steps: Literals{newRun, "Do not change the placement while a run is in progress."},
			Commands: []Command{ShowPolicySnapshots, ShowPlacement}, Check: PolicyNow,
		},
		pattern: &Pattern{expr: `the policy snapshot index used in the (?:clusterStagedU|stagedU|u)pdateRun is outdated, latest: (?P<new>[^,\s]+), recorded: (?P<old>\S+)`},
		what: func(s map[string]string) engine.Text {
			return engine.Textf("The placement's scheduling policy was changed during the run: policy snapshot %s, was %s.", s["new"], s["old"])
		},
	},
	{
		Entry: Entry{
			Cause: "cluster-count-changed", Title: "The placement's number of clusters was changed", Short: "number of clusters was changed",
			Sign:    "message `the cluster count initialized in the updateRun is outdated, latest: …, recorded: …`",
			actions: onPlacement, Recovery: engine.RecoveryByNewRun, Steps: Literals{newRun, "Do not change the placement while a run is in progress."},
			Commands: []Command{ShowPlacement, ShowPolicySnapshots}, Check: PolicyNow,
		},
		pattern: &Pattern{expr: `the cluster count initialized in the (?:clusterStagedU|stagedU|u)pdateRun is outdated(?:, latest: (?P<new>\d+), recorded: (?P<old>\d+))?`},
		what: func(s map[string]string) engine.Text {
			if s["new"] == "" {
				return engine.Lit("The placement's number of clusters was changed during the run.")
			}
			return engine.Textf("The placement's number of clusters was changed during the run: %s, was %s.", s["new"], s["old"])
		},
	},
	{
		Entry: Entry{
			Cause: "stage-clusters-changed", Title: "Clusters joined, left or were relabelled during the run", Short: "clusters of a stage changed",
			Sign:    "message ``the number of clusters in index `…` stage has changed, new: …, existing: …``",
			actions: onPlan, Recovery: engine.RecoveryByNewRun,
			Steps:    Literals{newRun, "Do not relabel, add or remove clusters while a run is in progress."},
			Commands: []Command{ShowMembers, ShowBindings, ShowRun}, Check: StageClusters,
		},
		pattern: &Pattern{expr: "the number of clusters in index `(?P<idx>\\d+)` stage has changed, new: (?P<new>\\d+), existing: (?P<old>\\d+)"},
		what: func(s map[string]string) engine.Text {
			return engine.Textf("The clusters of %s changed during the run: %s, was %s.", stageAt(s), Counted(s["new"]), s["old"])
		},
	},
	{
		Entry: Entry{
			Cause: "cluster-order-changed", Title: "Labels of clusters were changed during the run", Short: "labels of clusters were changed",
			Sign:    "message ``the `…` cluster in the `…` stage has changed, new: …, existing: …``",
			actions: onPlan, Recovery: engine.RecoveryByNewRun,
			Steps:    Literals{newRun, "Do not relabel clusters while a run is in progress."},
			Commands: []Command{ShowMembers, ShowRun}, Check: StageClusters,
		},
		pattern: &Pattern{expr: "the `(?P<pos>\\d+)` cluster in the `(?P<idx>\\d+)` stage has changed(?:, new: (?P<new>[^,\\s]+), existing: (?P<old>\\S+))?"},
		what: func(s map[string]string) engine.Text {
			if s["new"] == "" {
				return engine.Textf("The order of clusters changed during the run: position %s (from 0) of %s has another cluster.", s["pos"], stageAt(s))
			}
			return engine.Textf("The order of clusters changed during the run: position %s (from 0) of %s has cluster %s, was %s.", s["pos"], stageAt(s), s["new"], s["old"])
		},
	},
	{
		Entry: Entry{
			Cause: "cluster-unscheduled", Title: "A cluster is no longer picked", Short: "cluster is no longer picked",
			Sign:    "message ``the cluster `…` to be deleted is not in the delete stage``",
			actions: onPlan, Recovery: engine.RecoveryByNewRun, Steps: Literals{newRun, PickAgain},
			Commands: []Command{ShowBindings, ShowPlacement, ShowNamedMembers}, Check: ClusterPicked,
		},
		pattern: &Pattern{expr: "the cluster `(?P<cluster>[^`]+)` to be deleted is not in the delete stage"},
		what: func(s map[string]string) engine.Text {
			return engine.Textf("The placement stopped picking cluster %s during the run.", s["cluster"])
		},
	},
	{
		Entry: Entry{
			Cause: "binding-deleted", Title: "The binding of a cluster is gone", Short: "binding is gone",
			Sign:    "message ``the binding for cluster `…` in stage `…` is not found in the toBeUpdatedBindings map``",
			actions: onPlacement, Recovery: engine.RecoveryByNewRun,
			Steps:    Literals{newRun, PickAgain},
			Commands: []Command{ShowBindings, ShowPlacement, ShowNamedMembers}, Check: ClusterPicked,
		},
		pattern: &Pattern{expr: "the binding for cluster `?(?P<cluster>[^` ]+)`? in stage `?(?P<stage>[^` ]+)`? is not found in the toBeUpdatedBindings map"},
		what: func(s map[string]string) engine.Text {
			return engine.Textf("The binding of cluster %s in stage %s was deleted during the run.", s["cluster"], s["stage"])
		},
	},
	{
		Entry: Entry{
			Cause: "approval-of-another-run", Title: "An approval request of the same name belongs to another run", Short: "approval request of another run",
			Sign:     "message `the approval request task … is targeting update run … and stage …`",
			Recovery: engine.RecoveryByNewRun,
			Steps:    Literals{"Create a new run ({clone}): its approval requests have other names.", "To reuse the run name, delete that approval request first."},
			Commands: []Command{ShowApproval, DeleteApproval, ShowApprovals}, Check: RequestNow,
		},
		pattern: &Pattern{expr: "the approval request task `?/?(?P<request>[^` ]+)`? is targeting update run `?/?(?P<run>[^` ]+)`? and stage `?(?P<stage>[^`, ]+)"},
		what: func(s map[string]string) engine.Text {
			return engine.Textf("Approval request %s belonged to run %s, stage %s.", s["request"], s["run"], s["stage"])
		},
	},
	{
		Entry: Entry{
			Cause: "status-edited", Title: "The run's recorded status is inconsistent", Short: "recorded status is inconsistent",
			Sign:     "message `… exceeds maxConcurrency …`, `the updateRun has nil …`, `… stage name in the updateRun has changed …`, `the delete stage is active, …`, and the other checks of a status against itself",
			Recovery: engine.RecoveryByNewRun,
			Steps:    Literals{newRun, "If the status was not edited, report it with the controller's log."},
			Commands: []Command{ShowRun, ShowLogs}, Check: RestoredNow,
		},
		pattern: &Pattern{expr: `exceeds maxConcurrency|nil (?:updateStrategySnapshot|stagesStatus|deletionStageStatus)|stage name in the \S+ has changed|delete stage is active|the number of stages in the \S+ has changed|the finished stage .* is (?:after|not right after)|in the finished stage .* has not succeeded|is not right after the last finished stage|there is already a stage with index`},
		plain:   "The run's recorded status is inconsistent: it was edited, or written by another version of the controller.",
	},
	{
		Entry: Entry{
			Cause: "state-unsupported", Title: "The run's state belongs to an older version", Short: "state of an older version",
			Sign:     "message `found unsupported updateRun state: …`",
			Recovery: engine.RecoveryByNewRun, Steps: Literals{newRun, "Values of older hubs: NotStarted, Started, Stopped, Abandoned, Execute, Pause, Abandon."},
			Commands: []Command{ShowRun}, Check: RestoredNow,
		},
		pattern: &Pattern{expr: `found unsupported updateRun state: (?P<state>.*)$`},
		what: func(s map[string]string) engine.Text {
			return engine.Textf("The run has state %q of an older version, which this hub does not support.", s["state"])
		},
	},
	{
		Entry: Entry{
			Cause: "deletion-inconsistent", Title: "The deletion from a cluster is inconsistent", Short: "deletion is inconsistent",
			Sign:     "message ``… cluster `…` in the deleting stage …``, ``to be deleted cluster `…` is not in the deleting stage``",
			Recovery: engine.RecoveryByNewRun,
			Steps:    Literals{"{fixes-first}Look at the cluster's binding ({diagnose:run the first command}), then create a new run ({clone}): it deletes the binding if it still exists."},
			Commands: []Command{ShowBindings, ShowRun}, Check: RemovalNow,
		},
		pattern: &Pattern{expr: "(?:deleted cluster|cluster) `(?P<name>[^`]+)` in the deleting stage|to be deleted cluster `(?P<cluster>[^`]+)` is not in the deleting stage"},
		what: func(s map[string]string) engine.Text {
			name := s["name"] + s["cluster"] // one of the two
			return engine.Textf("The binding of cluster %s was not in the state that the deletion stage expects.", name)
		},
	},
	{
		Entry: Entry{
			Cause: "stage-failed", Title: "A stage or a cluster of the run had failed", Short: "a stage has failed",
			Sign:     "message ``the stage `…` has failed``, `the delete stage has failed`, ``the cluster `…` in the stage … has failed``",
			Recovery: engine.RecoveryByNewRun,
			Steps:    Literals{"{fixes-first}Find out why it failed ({diagnose:run the first command}), and fix the cause. Then create a new run ({clone})."},
			Commands: []Command{ShowRun, ShowBindings}, Check: FailedNow,
		},
		pattern: &Pattern{expr: "the (?:stage `(?P<stage>[^`]+)`|delete stage) has failed|the cluster `(?P<cluster>[^`]+)` in the stage (?P<in>\\S+) has failed"},
		what: func(s map[string]string) engine.Text {
			switch {
			case s["cluster"] != "":
				return engine.Textf("Cluster %s in stage %s had failed.", s["cluster"], s["in"])
			case s["stage"] != "":
				return engine.Textf("Stage %s had failed.", s["stage"])
			}
			return engine.Lit("The deletion stage had failed.")
		},
	},
}

// stageAt names the stage that a message gives by its position: by its
// name where the run has it, else by the position.
func stageAt(s map[string]string) engine.Text {
	if s["stage"] != "" {
		return engine.Textf("stage %s", s["stage"])
	}
	return engine.Textf("the stage at position %s (counted from 0)", s["idx"])
}

// Counted returns "1 cluster", "3 clusters" for a number in a message.
func Counted(n string) engine.Text {
	if n == "1" {
		return engine.Lit("1 cluster")
	}
	return engine.Textf("%s clusters", n)
}

// applyChanged is the sentence of the message: which fields differed then.
func applyChanged(said map[string]string) engine.Text {
	diff := engine.Join(applystrategy.Diff(applystrategy.Printed(said["new"]), applystrategy.Printed(said["old"])), "; ")
	if said["diff"] != "" { // by the plan, which names the fields
		diff = engine.Clean(said["diff"])
	}
	if !diff.IsZero() {
		return engine.Textf("The placement's apply strategy was changed during the run: %s.", diff)
	}
	return engine.Lit("The placement's apply strategy was changed during the run.")
}
