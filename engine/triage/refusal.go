package triage

import (
	"regexp"
	"strings"

	"github.com/stagewatch/stagewatch/engine"
)

// refusals are what keeps a run from being initialized, and what a later check
// of the same things says.
var refusals = []failure{
	{
		entry: entry{
			cause: engine.NewCause("placement-missing"), title: "The placement does not exist",
			sign:    "message `parent placement not found`; `parent clusterResourcePlacement not found`, `parent resourcePlacement not found`",
			actions: onPlacement, recovery: engine.HealNewRun,
			steps:    lits(engine.Lit("Create the placement, or create a new run (C) of one that exists."), engine.Lit("A namespaced run uses only placements of its own namespace.")),
			commands: []command{cShowPlacements, cShowRun}, check: cPlacementMissing,
		},
		pattern: regexp.MustCompile(`parent (?:placement|clusterResourcePlacement|resourcePlacement) not found`),
		what:    plainly(engine.Lit("The placement that the run names did not exist.")),
	},
	{
		entry: entry{
			cause: engine.NewCause("placement-not-external"), title: "The placement is not External",
			sign:    "message `does not have an external rollout strategy, current strategy: …`",
			actions: onPlacement, recovery: engine.HealNewRun,
			steps:    lits(engine.Lit("Set the placement's strategy type to External (it cannot be set back), then create a new run (C).")),
			commands: []command{cShowPlacement}, check: cExternalNow,
		},
		pattern: regexp.MustCompile(`does not have an external rollout strategy, current strategy: (?P<type>\S+)`),
		what: func(s map[string]string) engine.Text {
			return engine.Textf("The placement's strategy type was %s, and a run needs External.", s["type"])
		},
	},
	{
		entry: entry{
			cause: engine.NewCause("no-policy-snapshot"), title: "No latest scheduling policy snapshot",
			sign:    "message `no latest policy snapshot found for placement …`",
			actions: onPlacement, recovery: engine.HealNewRun,
			steps: lits(
				engine.Lit("Wait until the placement is scheduled and has a policy snapshot, then create a new run (C)."),
				engine.Lit("If no policy snapshot is labelled latest, set the label is-latest-snapshot=true on the newest."),
			),
			commands: []command{cShowPolicySnapshots, cShowPlacement}, check: cLatestPolicy,
		},
		pattern: regexp.MustCompile(`no latest policy snapshot found for placement`),
		what:    plainly(engine.Lit("The placement had no latest scheduling policy snapshot: it was not scheduled yet, or a label was changed.")),
	},
	{
		entry: entry{
			cause: engine.NewCause("several-policy-snapshots"), title: "Several latest scheduling policy snapshots",
			sign:    "message `multiple active policy snapshots found for placement …`",
			actions: onPlacement, recovery: engine.HealNewRun,
			steps:    lits(engine.Lit("Keep the label is-latest-snapshot=true on the newest policy snapshot only, then create a new run (C).")),
			commands: []command{cShowPolicySnapshots}, check: cLatestPolicy,
		},
		pattern: regexp.MustCompile(`multiple active policy snapshots`),
		what:    plainly(engine.Lit("More than one scheduling policy snapshot of the placement was labelled latest.")),
	},
	{
		entry: entry{
			cause: engine.NewCause("policy-snapshot-damaged"), title: "The scheduling policy snapshot lacks its index or its cluster count",
			sign:    "message `does not have a policy index label` or `doesn't have valid cluster count annotation`",
			actions: onPlacement, recovery: engine.HealNewRun,
			steps:    lits(engine.Lit("Restore the label and the annotation of the policy snapshot, or change the placement's policy so that a new one is created. Then create a new run (C).")),
			commands: []command{cShowPolicySnapshots}, check: cDamagedPolicy,
		},
		pattern: regexp.MustCompile(`does not have a policy index label|valid cluster count annotation`),
		what:    plainly(engine.Lit("The placement's scheduling policy snapshot had no index label or no valid cluster count annotation.")),
	},
	{
		entry: entry{
			cause: engine.NewCause("not-scheduled"), title: "The placement is not fully scheduled",
			sign:    "message ``policy snapshot `…` not fully scheduled yet``",
			actions: onPlacement, recovery: engine.HealNewRun,
			steps: lits(
				engine.Lit("Fix labels, taints or the join state of clusters until the placement is scheduled, then create a new run (C)."),
				engine.Lit("Read status.targetClusters of the policy snapshot: it gives the reason for each cluster that was not picked."),
			),
			commands: []command{cShowPlacement, cShowPolicySnapshots, cShowMembers}, check: cScheduledNow,
		},
		pattern: regexp.MustCompile("policy snapshot `(?P<snapshot>[^`]+)` not fully scheduled yet"),
		what: func(s map[string]string) engine.Text {
			return engine.Textf("The placement was not fully scheduled when the run was created (policy snapshot %s).", s["snapshot"])
		},
	},
	{
		entry: entry{
			cause: engine.NewCause("nothing-to-update"), title: "The placement picks no cluster",
			sign:    "message `no scheduled or to-be-deleted bindings found …`",
			actions: onPlacement, recovery: engine.HealNewRun,
			steps:    lits(engine.Lit("Change the placement's policy so that it picks a cluster, then create a new run (C).")),
			commands: []command{cShowPlacement, cShowBindings, cShowMembers}, check: cPickedNow,
		},
		pattern: regexp.MustCompile(`no scheduled or to-be-deleted bindings found`),
		what:    plainly(engine.Lit("The placement picked no cluster.")),
	},
	{
		entry: entry{
			cause: engine.NewCause("binding-count"), title: "Bindings and policy disagree",
			sign:    "message `the number of selected bindings … is not equal to the observed cluster count …`",
			actions: onPlacement, recovery: engine.HealNewRun,
			steps:    lits(engine.Lit("Wait until the placement is scheduled, then create a new run (C).")),
			commands: []command{cShowBindings, cShowPlacement}, check: cPickedNow,
		},
		pattern: regexp.MustCompile(`number of selected bindings (?P<got>\d+) is not equal to the observed cluster count (?P<want>\d+)`),
		what: func(s map[string]string) engine.Text {
			return engine.Textf("The placement picked %s clusters and its policy asked for %s.", s["got"], s["want"])
		},
	},
	{
		entry: entry{
			cause: engine.NewCause("strategy-missing"), title: "The strategy does not exist",
			sign:    "message ``referenced updateStrategy not found: `…` ``; `referenced clusterStagedUpdateStrategy not found: …`",
			actions: onPlan, recovery: engine.HealNewRun,
			steps:    lits(engine.Lit("Create a new run (C) with a strategy that exists, or create the strategy first.")),
			commands: []command{cShowStrategies}, check: cStrategyMissing,
		},
		pattern: regexp.MustCompile("referenced (?:updateStrategy|clusterStagedUpdateStrategy|stagedUpdateStrategy) not found: `?/?(?P<strategy>[^`]+)"),
		what: func(s map[string]string) engine.Text {
			return engine.Textf("Strategy %s did not exist.", strings.TrimPrefix(s["strategy"], "/"))
		},
	},
	{
		entry: entry{
			cause: engine.NewCause("stage-tasks-invalid"), title: "Tasks of a stage are not valid",
			sign:    "message `the before stage tasks are invalid, …` or `the after stage tasks are invalid, …`",
			actions: onPlan, recovery: engine.HealNewRun,
			steps:    lits(engine.Lit("Correct the tasks in the strategy, then create a new run (C)."), engine.Lit("A stage takes one Approval before it; after it, one Approval and one TimedWait of more than 0.")),
			commands: []command{cShowStrategy}, check: cTasksNow,
		},
		pattern: regexp.MustCompile(`the (?P<when>before|after) stage tasks are invalid, .*stage: (?P<stage>[^,\s]+), err: (?P<err>.*)$`),
		what: func(s map[string]string) engine.Text {
			return engine.Textf("The %s-stage tasks of stage %s were not valid: %s.", s["when"], s["stage"], s["err"])
		},
	},
	{
		entry: entry{
			cause: engine.NewCause("stage-selector-invalid"), title: "The label selector of a stage is not valid",
			sign:    "message `the stage label selector is invalid, …`",
			actions: onPlan, recovery: engine.HealNewRun,
			steps:    lits(engine.Lit("Correct the label selector in the strategy, then create a new run (C).")),
			commands: []command{cShowStrategy}, check: cSelectorNow,
		},
		pattern: regexp.MustCompile(`the stage label selector is invalid(?:, .*stage: (?P<stage>[^,\s]+), err: (?P<err>.*))?`),
		what: func(s map[string]string) engine.Text {
			if s["stage"] == "" {
				return engine.Lit("The label selector of a stage was not valid.")
			}
			return engine.Textf("The label selector of stage %s was not valid: %s.", s["stage"], s["err"])
		},
	},
	{
		entry: entry{
			cause: engine.NewCause("stages-overlap"), title: "A cluster is in more than one stage",
			sign:    "message ``cluster `…` appears in more than one stages`` (in the guides: `… stage`)",
			actions: onPlan, recovery: engine.HealNewRun,
			steps:    lits(engine.Lit("Label the cluster for one stage, or change the stages of the strategy; then create a new run (C).")),
			commands: []command{cShowNamedMembers, cShowStrategy}, check: cStagesFit,
		},
		pattern: regexp.MustCompile("cluster `(?P<cluster>[^`]+)` appears in more than one stages?"),
		what: func(s map[string]string) engine.Text {
			return engine.Textf("Cluster %s matched more than one stage: label selectors overlap, or the cluster was relabelled.", s["cluster"])
		},
	},
	{
		entry: entry{
			cause: engine.NewCause("sorting-label"), title: "The sorting label of a cluster is not a number",
			sign:    "message ``the sorting label `KEY:VALUE` on cluster `…` is not valid``",
			actions: onPlan, recovery: engine.HealNewRun,
			steps: lits(
				engine.Lit("Correct sortingLabelKey in the strategy: it must name a label whose values are numbers. Then create a new run (C)."),
				engine.Lit("If it is the right key, label the cluster with a number."),
			),
			commands: []command{cShowStrategy, cShowNamedMembers}, check: cSortingFit,
		},
		pattern: regexp.MustCompile("the sorting label `(?P<key>[^:`]*):(?P<value>[^`]*)` on cluster `(?P<cluster>[^`]+)` is not valid"),
		what: func(s map[string]string) engine.Text {
			if s["value"] == "" {
				return engine.Textf("The strategy sorts by label %s, which cluster %s did not have: it must be a number.", s["key"], s["cluster"])
			}
			return engine.Textf("The strategy sorts by label %s, whose value %q on cluster %s was not a number.", s["key"], s["value"], s["cluster"])
		},
	},
	{
		entry: entry{
			cause: engine.NewCause("cluster-in-no-stage"), title: "A picked cluster matches no stage",
			sign:    "message `some clusters are not placed in any stage, total …, showing up to 10: …`",
			actions: onPlan, recovery: engine.HealNewRun,
			steps:    lits(engine.Lit("Label the clusters for a stage, add a stage for them, or exclude them by policy or taint; then create a new run (C).")),
			commands: []command{cShowNamedMembers, cShowStrategy}, check: cStagesFit,
		},
		pattern: regexp.MustCompile(`some clusters are not placed in any stage, total (?P<total>\d+), showing up to 10: (?P<names>.+)$`),
		what: func(s map[string]string) engine.Text {
			if s["total"] == "1" {
				return engine.Textf("1 picked cluster matched no stage of the strategy: %s.", s["names"])
			}
			return engine.Textf("%s picked clusters matched no stage of the strategy: %s.", s["total"], s["names"])
		},
	},
	{
		entry: entry{
			cause: engine.NewCause("index-invalid"), title: "The resource snapshot index is not a number",
			sign:    "message ``invalid resource snapshot index `…` provided``",
			actions: onPlacement, recovery: engine.HealNewRun,
			steps:    lits(engine.Lit("Create a new run (C) with a snapshot that exists, or without an index for the newest.")),
			commands: []command{cShowSnapshots}, check: cSnapshotsNow,
		},
		pattern: regexp.MustCompile("invalid resource snapshot index `(?P<idx>[^`]*)`"),
		what: func(s map[string]string) engine.Text {
			return engine.Textf("The resource snapshot index %q is not a number of 0 or more.", s["idx"])
		},
	},
	{
		entry: entry{
			cause: engine.NewCause("index-missing"), title: "The resource snapshot does not exist",
			sign:    "message ``no resourceSnapshots with index `…` found for placement …``; `no clusterResourceSnapshots …`, `… for clusterResourcePlacement …`",
			actions: onPlacement, recovery: engine.HealNewRun,
			steps: lits(
				engine.Lit("Create a new run (C) with a snapshot that exists, or without an index for the newest."),
				engine.Lit("On hubs since v0.3, an External placement has no snapshot before its first run without an index."),
			),
			commands: []command{cShowSnapshots}, check: cSnapshotsNow,
		},
		pattern: regexp.MustCompile("no (?:cluster)?[rR]esourceSnapshots with index `(?P<idx>\\d+)`(?: found for (?:placement|(?:clusterR|r)esourcePlacement) `/?(?P<placement>[^`]+)`)?"),
		what: func(s map[string]string) engine.Text {
			if s["asked"] != "" {
				return engine.Textf("Index %q matches no resource snapshot: the controller compares it with the snapshot's label as text, so it does not mean snapshot %s.", s["asked"], s["idx"])
			}
			if s["placement"] == "" {
				return engine.Textf("Resource snapshot %s did not exist: it was never created, or the revision history limit removed it.", s["idx"])
			}
			return engine.Textf("Resource snapshot %s of placement %s did not exist: it was never created, or the revision history limit removed it.", s["idx"], s["placement"])
		},
	},
	{
		entry: entry{
			cause: engine.NewCause("snapshot-incomplete"), title: "The resource snapshot is incomplete",
			sign:    "message `no master resourceSnapshot found for placement …`",
			actions: onPlacement, recovery: engine.HealNewRun,
			steps:    lits(engine.Lit("Create a new run (C) with another snapshot, or without an index for the newest.")),
			commands: []command{cShowSnapshots}, check: cSnapshotsNow,
		},
		pattern: regexp.MustCompile(`no master ?[rR]esourceSnapshot found`),
		what:    plainly(engine.Lit("The resource snapshot was incomplete: its first part was missing.")),
	},
	{
		entry: entry{
			cause: engine.NewCause("snapshot-in-the-making"), title: "The resource snapshot was still being created",
			sign:    "message `resource snapshots are still being created …`",
			actions: onPlacement, recovery: engine.HealNewRun,
			steps: lits(
				engine.Lit("Create a new run (C)."),
				engine.Lit("If it fails again for a namespaced placement, keep the snapshot below 800 KiB: the controller never accepts a namespaced snapshot of several parts while overrides exist."),
			),
			commands: []command{cShowSnapshots, cShowOverrides}, check: cSnapshotsNow,
		},
		pattern: regexp.MustCompile(`resource snapshots are still being created`),
		what:    plainly(engine.Lit("The resource snapshot was incomplete when the run was created.")),
	},
	{
		entry: entry{
			cause: engine.NewCause("resources-not-selectable"), title: "The placement selects what cannot be placed",
			sign:    "message `invalid placement …`, `invalid clusterResourcePlacement …`, `found duplicate resource …`",
			actions: onPlacement, recovery: engine.HealNewRun,
			steps:    lits(engine.Lit("Correct the placement's resource selectors, then create a new run (C)."), engine.Lit("Read the plan (i) first: it checks the selectors as they are now.")),
			commands: []command{cShowPlacement}, check: cSelectedNow,
		},
		pattern: regexp.MustCompile(`(?P<err>(?:invalid (?:placement|clusterRr?esourcePlacement|resourcePlacement) |found duplicate resource ).*)$`),
		what: func(s map[string]string) engine.Text {
			return engine.Textf("The placement selected what cannot be placed: %s.", s["err"])
		},
	},
}
