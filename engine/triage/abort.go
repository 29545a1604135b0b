package triage

import (
	"regexp"

	"github.com/stagewatch/stagewatch/engine"
)

// aborts are what ends a run that was under way.
var aborts = []failure{
	{
		entry: entry{
			cause: engine.NewCause("apply-strategy-changed"), title: "The apply strategy was changed during the run",
			sign:    "message `the applyStrategy in the updateRun is outdated, …`",
			actions: onPlacement, recovery: engine.HealNewRun, steps: lits(newRun, engine.Lit("Do not change the placement while a run is in progress.")),
			commands: []command{cShowPlacement, cShowRun}, check: cApplyNow,
		},
		pattern: regexp.MustCompile(`the applyStrategy in the (?:clusterStagedU|stagedU|u)pdateRun is outdated(?:, latest: (?P<new>.*), recorded: (?P<old>.*))?`),
		what:    applyChanged,
	},
	{
		entry: entry{
			cause: engine.NewCause("policy-changed"), title: "The scheduling policy was changed during the run",
			sign:    "message `the policy snapshot index used in the updateRun is outdated, latest: …, recorded: …`",
			actions: onPlacement, recovery: engine.HealNewRun, steps: lits(newRun, engine.Lit("Do not change the placement while a run is in progress.")),
			commands: []command{cShowPolicySnapshots, cShowPlacement}, check: cPolicyNow,
		},
		pattern: regexp.MustCompile(`the policy snapshot index used in the (?:clusterStagedU|stagedU|u)pdateRun is outdated, latest: (?P<new>[^,\s]+), recorded: (?P<old>\S+)`),
		what: func(s map[string]string) engine.Text {
			return engine.Textf("The placement's scheduling policy was changed during the run: policy snapshot %s, was %s.", s["new"], s["old"])
		},
	},
	{
		entry: entry{
			cause: engine.NewCause("cluster-count-changed"), title: "The placement's number of clusters was changed",
			sign:    "message `the cluster count initialized in the updateRun is outdated, latest: …, recorded: …`",
			actions: onPlacement, recovery: engine.HealNewRun, steps: lits(newRun, engine.Lit("Do not change the placement while a run is in progress.")),
			commands: []command{cShowPlacement, cShowPolicySnapshots}, check: cPolicyNow,
		},
		pattern: regexp.MustCompile(`the cluster count initialized in the (?:clusterStagedU|stagedU|u)pdateRun is outdated(?:, latest: (?P<new>\d+), recorded: (?P<old>\d+))?`),
		what: func(s map[string]string) engine.Text {
			if s["new"] == "" {
				return engine.Lit("The placement's number of clusters was changed during the run.")
			}
			return engine.Textf("The placement's number of clusters was changed during the run: %s, was %s.", s["new"], s["old"])
		},
	},
	{
		entry: entry{
			cause: engine.NewCause("stage-clusters-changed"), title: "Clusters joined, left or were relabelled during the run",
			sign:    "message ``the number of clusters in index `…` stage has changed, new: …, existing: …``",
			actions: onPlan, recovery: engine.HealNewRun,
			steps:    lits(newRun, engine.Lit("Do not relabel, add or remove clusters while a run is in progress.")),
			commands: []command{cShowMembers, cShowBindings, cShowRun}, check: cStageClusters,
		},
		pattern: regexp.MustCompile("the number of clusters in index `(?P<idx>\\d+)` stage has changed, new: (?P<new>\\d+), existing: (?P<old>\\d+)"),
		what: func(s map[string]string) engine.Text {
			return engine.Textf("The clusters of %s changed during the run: %s, was %s.", stageAt(s), counted(s["new"]), s["old"])
		},
	},
	{
		entry: entry{
			cause: engine.NewCause("cluster-order-changed"), title: "Labels of clusters were changed during the run",
			sign:    "message ``the `…` cluster in the `…` stage has changed, new: …, existing: …``",
			actions: onPlan, recovery: engine.HealNewRun,
			steps:    lits(newRun, engine.Lit("Do not relabel clusters while a run is in progress.")),
			commands: []command{cShowMembers, cShowRun}, check: cStageClusters,
		},
		pattern: regexp.MustCompile("the `(?P<pos>\\d+)` cluster in the `(?P<idx>\\d+)` stage has changed(?:, new: (?P<new>[^,\\s]+), existing: (?P<old>\\S+))?"),
		what: func(s map[string]string) engine.Text {
			if s["new"] == "" {
				return engine.Textf("The order of clusters changed during the run: position %s (from 0) of %s has another cluster.", s["pos"], stageAt(s))
			}
			return engine.Textf("The order of clusters changed during the run: position %s (from 0) of %s has cluster %s, was %s.", s["pos"], stageAt(s), s["new"], s["old"])
		},
	},
	{
		entry: entry{
			cause: engine.NewCause("cluster-unscheduled"), title: "A cluster is no longer picked",
			sign:    "message ``the cluster `…` to be deleted is not in the delete stage``",
			actions: onPlan, recovery: engine.HealNewRun, steps: lits(newRun, pickAgain),
			commands: []command{cShowBindings, cShowPlacement, cShowNamedMembers}, check: cClusterPicked,
		},
		pattern: regexp.MustCompile("the cluster `(?P<cluster>[^`]+)` to be deleted is not in the delete stage"),
		what: func(s map[string]string) engine.Text {
			return engine.Textf("The placement stopped picking cluster %s during the run.", s["cluster"])
		},
	},
	{
		entry: entry{
			cause: engine.NewCause("binding-vanished"), title: "The binding of a cluster is gone",
			sign:    "message ``the binding for cluster `…` in stage `…` is not found in the toBeUpdatedBindings map``",
			actions: onPlacement, recovery: engine.HealNewRun,
			steps:    lits(newRun, pickAgain),
			commands: []command{cShowBindings, cShowPlacement, cShowNamedMembers}, check: cClusterPicked,
		},
		pattern: regexp.MustCompile("the binding for cluster `?(?P<cluster>[^` ]+)`? in stage `?(?P<stage>[^` ]+)`? is not found in the toBeUpdatedBindings map"),
		what: func(s map[string]string) engine.Text {
			return engine.Textf("The binding of cluster %s in stage %s was deleted during the run.", s["cluster"], s["stage"])
		},
	},
	{
		entry: entry{
			cause: engine.NewCause("foreign-approval"), title: "An approval request of the same name belongs to another run",
			sign:     "message `the approval request task … is targeting update run … and stage …`",
			recovery: engine.HealNewRun,
			steps:    lits(engine.Lit("Create a new run (C): its approval requests have other names."), engine.Lit("Delete the foreign approval request to use the same run name again.")),
			commands: []command{cDeleteApproval}, check: cRequestNow,
		},
		pattern: regexp.MustCompile("the approval request task `?/?(?P<request>[^` ]+)`? is targeting update run `?/?(?P<run>[^` ]+)`? and stage `?(?P<stage>[^`, ]+)"),
		what: func(s map[string]string) engine.Text {
			return engine.Textf("Approval request %s belonged to run %s, stage %s.", s["request"], s["run"], s["stage"])
		},
	},
	{
		entry: entry{
			cause: engine.NewCause("status-edited"), title: "The run's recorded status is inconsistent",
			sign:     "message `… exceeds maxConcurrency …`, `the updateRun has nil …`, `… stage name in the updateRun has changed …`, `the delete stage is active, …`, and the other checks of a status against itself",
			recovery: engine.HealNewRun,
			steps:    lits(newRun, engine.Lit("If the status was not edited, report it with the controller's log.")),
			commands: []command{cShowRun, cShowLogs}, check: cAnewNow,
		},
		pattern: regexp.MustCompile(`exceeds maxConcurrency|nil (?:updateStrategySnapshot|stagesStatus|deletionStageStatus)|stage name in the \S+ has changed|delete stage is active|the number of stages in the \S+ has changed|the finished stage .* is (?:after|not right after)|in the finished stage .* has not succeeded|is not right after the last finished stage|there is already a stage with index`),
		what:    plainly(engine.Lit("The run's recorded status is inconsistent: it was edited, or written by another version of the controller.")),
	},
	{
		entry: entry{
			cause: engine.NewCause("state-unsupported"), title: "The run's state belongs to an older version",
			sign:     "message `found unsupported updateRun state: …`",
			recovery: engine.HealNewRun, steps: lits(newRun, engine.Lit("Values of older hubs: NotStarted, Started, Stopped, Abandoned, Execute, Pause, Abandon.")),
			commands: []command{cShowRun}, check: cAnewNow,
		},
		pattern: regexp.MustCompile(`found unsupported updateRun state: (?P<state>.*)$`),
		what: func(s map[string]string) engine.Text {
			return engine.Textf("The run has state %q of an older version, which this hub does not support.", s["state"])
		},
	},
	{
		entry: entry{
			cause: engine.NewCause("removal-inconsistent"), title: "The deletion from a cluster is inconsistent",
			sign:     "message ``… cluster `…` in the deleting stage …``, ``to be deleted cluster `…` is not in the deleting stage``",
			recovery: engine.HealNewRun,
			steps:    lits(newRun, engine.Lit("Look at the cluster's binding first: the new run deletes what is left of it.")),
			commands: []command{cShowBindings, cShowRun}, check: cRemovalNow,
		},
		pattern: regexp.MustCompile("(?:deleted cluster|cluster) `(?P<name>[^`]+)` in the deleting stage|to be deleted cluster `(?P<cluster>[^`]+)` is not in the deleting stage"),
		what: func(s map[string]string) engine.Text {
			name := s["name"] + s["cluster"] // one of the two
			return engine.Textf("The binding of cluster %s was not in the state that the deletion stage expects.", name)
		},
	},
	{
		entry: entry{
			cause: engine.NewCause("stage-failed"), title: "A stage or a cluster of the run had failed",
			sign:     "message ``the stage `…` has failed``, `the delete stage has failed`, ``the cluster `…` in the stage … has failed``",
			recovery: engine.HealNewRun,
			steps:    lits(engine.Lit("Open the run (enter) to see the failed cluster. Remove its cause, then create a new run (C).")),
			commands: []command{cShowRun, cShowBindings}, check: cFailedNow,
		},
		pattern: regexp.MustCompile("the (?:stage `(?P<stage>[^`]+)`|delete stage) has failed|the cluster `(?P<cluster>[^`]+)` in the stage (?P<of>\\S+) has failed"),
		what:    plainly(engine.Lit("A stage or a cluster of the run had failed.")),
	},
}

// stageAt names the stage that a message gives by its position: as the run
// calls it where that is known (kit.placed), else by the position.
func stageAt(s map[string]string) engine.Text {
	if s["stage"] != "" {
		return engine.Textf("stage %s", s["stage"])
	}
	return engine.Textf("the stage at position %s (counted from 0)", s["idx"])
}

// counted returns "1 cluster", "3 clusters" for a number in a message.
func counted(n string) engine.Text {
	if n == "1" {
		return engine.Lit("1 cluster")
	}
	return engine.Textf("%s clusters", n)
}
