package triage

import (
	"regexp"

	"github.com/stagewatch/stagewatch/engine"
)

// aborts are what ends a run that was under way.
var aborts = []failure{
	{
		entry: entry{
			cause: engine.NewCause("apply-strategy-changed"), row: "5.1", title: "The apply strategy was changed during the run",
			seen:  "message `the applyStrategy in the updateRun is outdated, …`",
			leads: onPlacement, heals: engine.HealNewRun, steps: lits(again, engine.Lit("Leave the placement as it is while a run goes on.")),
			shows: []command{showPlacement, showRun},
		},
		pattern: regexp.MustCompile(`the applyStrategy in the (?:clusterStagedU|stagedU|u)pdateRun is outdated`),
		what:    plainly(engine.Lit("The placement's apply strategy was changed during the run.")),
	},
	{
		entry: entry{
			cause: engine.NewCause("policy-changed"), row: "5.1", title: "The scheduling policy was changed during the run",
			seen:  "message `the policy snapshot index used in the updateRun is outdated, latest: …, recorded: …`",
			leads: onPlacement, heals: engine.HealNewRun, steps: lits(again, engine.Lit("Leave the placement as it is while a run goes on.")),
			shows: []command{showPolicySnapshots, showPlacement},
		},
		pattern: regexp.MustCompile(`the policy snapshot index used in the (?:clusterStagedU|stagedU|u)pdateRun is outdated, latest: (?P<new>[^,\s]+), recorded: (?P<old>\S+)`),
		what: func(s map[string]string) engine.Text {
			return engine.Textf("The placement's scheduling policy was changed during the run: the latest is %s, the run began with %s.", s["new"], s["old"])
		},
	},
	{
		entry: entry{
			cause: engine.NewCause("cluster-count-changed"), row: "5.1", title: "The number of clusters asked for was changed",
			seen:  "message `the cluster count initialized in the updateRun is outdated, latest: …, recorded: …`",
			leads: onPlacement, heals: engine.HealNewRun, steps: lits(again, engine.Lit("Leave the placement as it is while a run goes on.")),
			shows: []command{showPlacement, showPolicySnapshots},
		},
		pattern: regexp.MustCompile(`the cluster count initialized in the (?:clusterStagedU|stagedU|u)pdateRun is outdated(?:, latest: (?P<new>\d+), recorded: (?P<old>\d+))?`),
		what: func(s map[string]string) engine.Text {
			if s["new"] == "" {
				return engine.Lit("The number of clusters that the placement asks for was changed during the run.")
			}
			return engine.Textf("The number of clusters that the placement asks for was changed during the run, to %s from %s.", s["new"], s["old"])
		},
	},
	{
		entry: entry{
			cause: engine.NewCause("stage-clusters-changed"), row: "5.1", title: "Clusters joined, left or were relabelled during the run",
			seen:  "message ``the number of clusters in index `…` stage has changed, new: …, existing: …``",
			leads: onPlan, heals: engine.HealNewRun,
			steps: lits(engine.Lit("Keep clusters and their labels as they are while a run goes on; make a new run.")),
			shows: []command{showMembers, showBindings, showRun},
		},
		pattern: regexp.MustCompile("the number of clusters in index `(?P<idx>\\d+)` stage has changed, new: (?P<new>\\d+), existing: (?P<old>\\d+)"),
		what: func(s map[string]string) engine.Text {
			return engine.Textf("Clusters joined, left or were relabelled during the run: %s has %s now and had %s.", stageAt(s), counted(s["new"]), s["old"])
		},
	},
	{
		entry: entry{
			cause: engine.NewCause("cluster-order-changed"), row: "5.1", title: "Labels of clusters were changed during the run",
			seen:  "message ``the `…` cluster in the `…` stage has changed, new: …, existing: …``",
			leads: onPlan, heals: engine.HealNewRun,
			steps: lits(engine.Lit("Keep the labels of clusters as they are while a run goes on; make a new run.")),
			shows: []command{showMembers, showRun},
		},
		pattern: regexp.MustCompile("the `(?P<pos>\\d+)` cluster in the `(?P<idx>\\d+)` stage has changed(?:, new: (?P<new>[^,\\s]+), existing: (?P<old>\\S+))?"),
		what: func(s map[string]string) engine.Text {
			if s["new"] == "" {
				return engine.Textf("Labels were changed during the run: place %s (counted from 0) of %s has another cluster now.", s["pos"], stageAt(s))
			}
			return engine.Textf("Labels were changed during the run: place %s (counted from 0) of %s has cluster %s now and had %s.", s["pos"], stageAt(s), s["new"], s["old"])
		},
	},
	{
		entry: entry{
			cause: engine.NewCause("cluster-unscheduled"), row: "5.1", title: "A cluster is no longer picked",
			seen:  "message ``the cluster `…` to be deleted is not in the delete stage``",
			leads: onPlan, heals: engine.HealNewRun, steps: lits(again),
			shows: []command{showBindings, showPlacement, showNamedMembers},
		},
		pattern: regexp.MustCompile("the cluster `(?P<cluster>[^`]+)` to be deleted is not in the delete stage"),
		what: func(s map[string]string) engine.Text {
			return engine.Textf("Cluster %s is no longer picked by the placement; it was when the run began.", s["cluster"])
		},
	},
	{
		entry: entry{
			cause: engine.NewCause("binding-vanished"), row: "5.2", title: "The binding of a cluster is gone",
			seen:  "message ``the binding for cluster `…` in stage `…` is not found in the toBeUpdatedBindings map``",
			leads: onPlacement, heals: engine.HealNewRun,
			steps: lits(engine.Lit("See why the placement no longer picks the cluster, then make a new run.")),
			shows: []command{showBindings, showPlacement, showNamedMembers},
		},
		pattern: regexp.MustCompile("the binding for cluster `?(?P<cluster>[^` ]+)`? in stage `?(?P<stage>[^` ]+)`? is not found in the toBeUpdatedBindings map"),
		what: func(s map[string]string) engine.Text {
			return engine.Textf("The binding of cluster %s in stage %s is gone.", s["cluster"], s["stage"])
		},
	},
	{
		entry: entry{
			cause: engine.NewCause("foreign-approval"), row: "5.1", title: "An approval request of the same name belongs to another run",
			seen:  "message `the approval request task … is targeting update run … and stage …`",
			heals: engine.HealNewRun,
			steps: lits(engine.Lit("Delete that approval request, then make a new run.")),
			shows: []command{deleteApproval},
		},
		pattern: regexp.MustCompile("the approval request task `?/?(?P<request>[^` ]+)`? is targeting update run `?/?(?P<run>[^` ]+)`? and stage `?(?P<stage>[^`, ]+)"),
		what: func(s map[string]string) engine.Text {
			return engine.Textf("An approval request %s exists that belongs to run %s, stage %s.", s["request"], s["run"], s["stage"])
		},
	},
	{
		entry: entry{
			cause: engine.NewCause("status-edited"), row: "5.1", title: "The run's recorded status contradicts itself",
			seen:  "message `… exceeds maxConcurrency …`, `the updateRun has nil …`, `… stage name in the updateRun has changed …`, `the delete stage is active, …`, and the other checks of a status against itself",
			heals: engine.HealNewRun,
			steps: lits(engine.Lit("Make a new run; if nobody edited the status, report it.")),
			shows: []command{showRun, showLogs},
		},
		pattern: regexp.MustCompile(`exceeds maxConcurrency|nil (?:updateStrategySnapshot|stagesStatus|deletionStageStatus)|stage name in the \S+ has changed|delete stage is active|the number of stages in the \S+ has changed|the finished stage .* is (?:after|not right after)|in the finished stage .* has not succeeded|is not right after the last finished stage|there is already a stage with index`),
		what:    plainly(engine.Lit("The run's recorded status contradicts itself: it was edited by hand, or written by another version of the hub.")),
	},
	{
		entry: entry{
			cause: engine.NewCause("state-unsupported"), row: "5.1", title: "The state is of an older version",
			seen:  "message `found unsupported updateRun state: …`",
			heals: engine.HealNewRun, steps: lits(again, engine.Lit("Values of older hubs: NotStarted, Started, Stopped, Abandoned, Execute, Pause, Abandon.")),
			shows: []command{showRun},
		},
		pattern: regexp.MustCompile(`found unsupported updateRun state: (?P<state>.*)$`),
		what: func(s map[string]string) engine.Text {
			return engine.Textf("The run holds the state %q of an older version, which this hub does not know.", s["state"])
		},
	},
	{
		entry: entry{
			cause: engine.NewCause("removal-inconsistent"), row: "3.7", title: "The removal from a cluster went wrong",
			seen:  "message ``… cluster `…` in the deleting stage …``, ``to be deleted cluster `…` is not in the deleting stage``",
			heals: engine.HealNewRun,
			steps: lits(engine.Lit("Look at the cluster's binding, then make a new run.")),
			shows: []command{showBindings, showRun},
		},
		pattern: regexp.MustCompile("(?:deleted cluster|cluster) `(?P<name>[^`]+)` in the deleting stage|to be deleted cluster `(?P<cluster>[^`]+)` is not in the deleting stage"),
		what: func(s map[string]string) engine.Text {
			name := s["name"] + s["cluster"] // one of the two
			return engine.Textf("The removal from a cluster went wrong: the binding of %s is not in the state that the run expects.", name)
		},
	},
	{
		entry: entry{
			cause: engine.NewCause("stage-failed"), row: "3.3", title: "A stage or a cluster of the run has failed before",
			seen:  "message ``the stage `…` has failed``, `the delete stage has failed`, ``the cluster `…` in the stage … has failed``",
			heals: engine.HealNewRun,
			steps: lits(engine.Lit("Open the run to see the failed cluster; make a new run when its cause is gone.")),
			shows: []command{showRun, showBindings},
		},
		pattern: regexp.MustCompile("the (?:stage `(?P<stage>[^`]+)`|delete stage) has failed|the cluster `(?P<cluster>[^`]+)` in the stage (?P<of>\\S+) has failed"),
		what:    plainly(engine.Lit("A stage or a cluster of the run has failed.")),
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
