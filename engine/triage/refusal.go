package triage

import (
	"regexp"

	"github.com/stagewatch/stagewatch/engine"
)

// refusals are what keeps a run from being initialized, and what a later check
// of the same things says.
var refusals = []failure{
	{
		entry: entry{
			cause: engine.NewCause("placement-missing"), row: "5.1", title: "The placement does not exist",
			seen:  "message `parent placement not found`; `parent clusterResourcePlacement not found`, `parent resourcePlacement not found`",
			leads: onPlacement, heals: engine.HealNewRun,
			steps: lits(engine.Lit("Create the placement, or name an existing one in a new run."), engine.Lit("A namespaced run looks for its placement in its own namespace only.")),
			shows: []command{showPlacements, showRun}, proof: placementProof,
		},
		pattern: regexp.MustCompile(`parent (?:placement|clusterResourcePlacement|resourcePlacement) not found`),
		what:    plainly(engine.Lit("The placement that the run names does not exist, or was deleted meanwhile.")),
	},
	{
		entry: entry{
			cause: engine.NewCause("placement-not-external"), row: "5.1", title: "The placement rolls out by itself",
			seen:  "message `does not have an external rollout strategy, current strategy: …`",
			leads: onPlacement, heals: engine.HealNewRun,
			steps: lits(engine.Lit("Set the placement's strategy type to External (it cannot be set back), then make a new run.")),
			shows: []command{showPlacement}, proof: placementProof,
		},
		pattern: regexp.MustCompile(`does not have an external rollout strategy, current strategy: (?P<type>\S+)`),
		what: func(s map[string]string) engine.Text {
			return engine.Textf("The placement rolls out by itself: its strategy type is %s, and a run needs External.", s["type"])
		},
	},
	{
		entry: entry{
			cause: engine.NewCause("no-policy-snapshot"), row: "5.1", title: "No latest scheduling policy snapshot",
			seen:  "message `no latest policy snapshot found for placement …`",
			leads: onPlacement, heals: engine.HealNewRun,
			steps: lits(
				engine.Lit("Wait until the placement is Scheduled and look at its policy snapshots, then make a new run."),
				engine.Lit("If none is labelled latest, a label was changed by hand: restore is-latest-snapshot on the newest."),
			),
			shows: []command{showPolicySnapshots, showPlacement}, proof: placementProof,
		},
		pattern: regexp.MustCompile(`no latest policy snapshot found for placement`),
		what:    plainly(engine.Lit("The placement has no latest scheduling policy snapshot: the scheduler has not worked on it yet, or a label was changed.")),
	},
	{
		entry: entry{
			cause: engine.NewCause("several-policy-snapshots"), row: "5.1", title: "Several latest scheduling policy snapshots",
			seen:  "message `multiple active policy snapshots found for placement …`",
			leads: onPlacement, heals: engine.HealNewRun,
			steps: lits(engine.Lit("Repair the is-latest-snapshot labels of the policy snapshots, then make a new run.")),
			shows: []command{showPolicySnapshots},
		},
		pattern: regexp.MustCompile(`multiple active policy snapshots`),
		what:    plainly(engine.Lit("The placement has more than one scheduling policy snapshot that is labelled latest.")),
	},
	{
		entry: entry{
			cause: engine.NewCause("policy-snapshot-damaged"), row: "5.1", title: "The scheduling policy snapshot lost its marks",
			seen:  "message `does not have a policy index label` or `doesn't have valid cluster count annotation`",
			leads: onPlacement, heals: engine.HealNewRun,
			steps: lits(engine.Lit("Restore it, or change the placement's policy so that a new snapshot is made; then make a new run.")),
			shows: []command{showPolicySnapshots},
		},
		pattern: regexp.MustCompile(`does not have a policy index label|valid cluster count annotation`),
		what:    plainly(engine.Lit("The placement's scheduling policy snapshot lost its index label or its cluster count annotation.")),
	},
	{
		entry: entry{
			cause: engine.NewCause("not-scheduled"), row: "5.1", title: "The placement is not fully scheduled",
			seen:  "message ``policy snapshot `…` not fully scheduled yet``",
			leads: onPlacement, heals: engine.HealNewRun,
			steps: lits(
				engine.Lit("Look at the placement's Scheduled condition; fix labels, taints or the join state of clusters, then make a new run."),
				engine.Lit("status.targetClusters of the policy snapshot says for each cluster why it was not picked."),
			),
			shows: []command{showPlacement, showPolicySnapshots, showMembers}, proof: placementProof,
		},
		pattern: regexp.MustCompile("policy snapshot `(?P<snapshot>[^`]+)` not fully scheduled yet"),
		what: func(s map[string]string) engine.Text {
			return engine.Textf("The placement was not fully scheduled when the run began (policy snapshot %s): too few clusters fit, or the run came too early.", s["snapshot"])
		},
	},
	{
		entry: entry{
			cause: engine.NewCause("nothing-to-update"), row: "5.1", title: "The placement picks no cluster",
			seen:  "message `no scheduled or to-be-deleted bindings found …`",
			leads: onPlacement, heals: engine.HealNewRun,
			steps: lits(engine.Lit("Fix the placement's policy, then make a new run.")),
			shows: []command{showPlacement, showBindings, showMembers}, proof: placementProof,
		},
		pattern: regexp.MustCompile(`no scheduled or to-be-deleted bindings found`),
		what:    plainly(engine.Lit("The placement picks no cluster, so there is nothing to update.")),
	},
	{
		entry: entry{
			cause: engine.NewCause("binding-count"), row: "5.1", title: "Bindings and policy disagree",
			seen:  "message `the number of selected bindings … is not equal to the observed cluster count …`",
			leads: onPlacement, heals: engine.HealNewRun,
			steps: lits(engine.Lit("Wait until the scheduler has settled, then make a new run.")),
			shows: []command{showBindings, showPlacement}, proof: placementProof,
		},
		pattern: regexp.MustCompile(`number of selected bindings (?P<got>\d+) is not equal to the observed cluster count (?P<want>\d+)`),
		what: func(s map[string]string) engine.Text {
			return engine.Textf("The placement picked %s clusters while its policy asks for %s.", s["got"], s["want"])
		},
	},
	{
		entry: entry{
			cause: engine.NewCause("strategy-missing"), row: "5.1", title: "The strategy does not exist",
			seen:  "message ``referenced updateStrategy not found: `…` ``; `referenced clusterStagedUpdateStrategy not found: …`",
			leads: onPlan, heals: engine.HealNewRun,
			steps: lits(engine.Lit("Create the strategy, or name an existing one in a new run.")),
			shows: []command{showStrategies},
		},
		pattern: regexp.MustCompile("referenced (?:updateStrategy|clusterStagedUpdateStrategy|stagedUpdateStrategy) not found: `?/?(?P<strategy>[^`]+)"),
		what: func(s map[string]string) engine.Text {
			return engine.Textf("The strategy %s does not exist.", s["strategy"])
		},
	},
	{
		entry: entry{
			cause: engine.NewCause("stage-tasks-invalid"), row: "5.1", title: "Tasks of a stage are not valid",
			seen:  "message `the before stage tasks are invalid, …` or `the after stage tasks are invalid, …`",
			leads: onPlan, heals: engine.HealNewRun,
			steps: lits(engine.Lit("Correct the strategy, then make a new run."), engine.Lit("Allowed are one Approval before a stage, and one Approval and one TimedWait of more than 0 after it.")),
			shows: []command{showStrategy},
		},
		pattern: regexp.MustCompile(`the (?P<when>before|after) stage tasks are invalid, .*stage: (?P<stage>[^,\s]+), err: (?P<err>.*)$`),
		what: func(s map[string]string) engine.Text {
			return engine.Textf("The strategy's %s-stage tasks of stage %s are not valid: %s.", s["when"], s["stage"], s["err"])
		},
	},
	{
		entry: entry{
			cause: engine.NewCause("stage-selector-invalid"), row: "5.1", title: "The label selector of a stage is not valid",
			seen:  "message `the stage label selector is invalid, …`",
			leads: onPlan, heals: engine.HealNewRun,
			steps: lits(engine.Lit("Correct the strategy, then make a new run.")),
			shows: []command{showStrategy},
		},
		pattern: regexp.MustCompile(`the stage label selector is invalid(?:, .*stage: (?P<stage>[^,\s]+), err: (?P<err>.*))?`),
		what: func(s map[string]string) engine.Text {
			if s["stage"] == "" {
				return engine.Lit("The label selector of a stage is not valid.")
			}
			return engine.Textf("The label selector of stage %s is not valid: %s.", s["stage"], s["err"])
		},
	},
	{
		entry: entry{
			cause: engine.NewCause("stages-overlap"), row: "5.1", title: "A cluster is in more than one stage",
			seen:  "message ``cluster `…` appears in more than one stages`` (in the guides: `… stage`)",
			leads: onPlan, heals: engine.HealNewRun,
			steps: lits(engine.Lit("Make labels and selectors disjoint, then make a new run.")),
			shows: []command{showNamedMembers, showStrategy}, proof: labelProof,
		},
		pattern: regexp.MustCompile("cluster `(?P<cluster>[^`]+)` appears in more than one stages?"),
		what: func(s map[string]string) engine.Text {
			return engine.Textf("Cluster %s is in more than one stage: the stages' label selectors overlap, or it was relabelled during the run.", s["cluster"])
		},
	},
	{
		entry: entry{
			cause: engine.NewCause("sorting-label"), row: "5.1", title: "The sorting label of a cluster is not a number",
			seen:  "message ``the sorting label `KEY:VALUE` on cluster `…` is not valid``",
			leads: onPlan, heals: engine.HealNewRun,
			steps: lits(engine.Lit("Label the cluster with a number, then make a new run.")),
			shows: []command{showNamedMembers, showStrategy}, proof: sortingProof,
		},
		pattern: regexp.MustCompile("the sorting label `(?P<key>[^:`]*):(?P<value>[^`]*)` on cluster `(?P<cluster>[^`]+)` is not valid"),
		what: func(s map[string]string) engine.Text {
			if s["value"] == "" {
				return engine.Textf("The stage sorts by the label %s, which cluster %s does not have (or it is empty): it has to be a number.", s["key"], s["cluster"])
			}
			return engine.Textf("The stage sorts by the label %s, whose value %q on cluster %s is not a number.", s["key"], s["value"], s["cluster"])
		},
	},
	{
		entry: entry{
			cause: engine.NewCause("cluster-in-no-stage"), row: "5.1", title: "A picked cluster matches no stage",
			seen:  "message `some clusters are not placed in any stage, total …, showing up to 10: …`",
			leads: onPlan, heals: engine.HealNewRun,
			steps: lits(engine.Lit("Label the clusters, add a stage that takes the rest, or keep them out by policy or taint; then make a new run.")),
			shows: []command{showNamedMembers, showStrategy}, proof: labelProof,
		},
		pattern: regexp.MustCompile(`some clusters are not placed in any stage, total (?P<total>\d+), showing up to 10: (?P<names>.+)$`),
		what: func(s map[string]string) engine.Text {
			if s["total"] == "1" {
				return engine.Textf("1 picked cluster matches no stage of the strategy: %s.", s["names"])
			}
			return engine.Textf("%s picked clusters match no stage of the strategy: %s.", s["total"], s["names"])
		},
	},
	{
		entry: entry{
			cause: engine.NewCause("index-invalid"), row: "5.1", title: "The resource snapshot index is not a number",
			seen:  "message ``invalid resource snapshot index `…` provided``",
			leads: onPlacement, heals: engine.HealNewRun,
			steps: lits(engine.Lit("Make a new run with an index that exists, or without one for the newest.")),
			shows: []command{showSnapshots},
		},
		pattern: regexp.MustCompile("invalid resource snapshot index `(?P<idx>[^`]*)`"),
		what: func(s map[string]string) engine.Text {
			return engine.Textf("The resource snapshot index %q is not a number of 0 or more.", s["idx"])
		},
	},
	{
		entry: entry{
			cause: engine.NewCause("index-missing"), row: "5.1", title: "The resource snapshot does not exist",
			seen:  "message ``no resourceSnapshots with index `…` found for placement …``; `no clusterResourceSnapshots …`, `… for clusterResourcePlacement …`",
			leads: onPlacement, heals: engine.HealNewRun,
			steps: lits(
				engine.Lit("Make a new run with an index that exists, or without one for the newest."),
				engine.Lit("An External placement has no snapshot before its first run without an index, on hubs since v0.3."),
			),
			shows: []command{showSnapshots}, proof: indexProof,
		},
		pattern: regexp.MustCompile("no (?:cluster)?[rR]esourceSnapshots with index `(?P<idx>\\d+)`(?: found for (?:placement|(?:clusterR|r)esourcePlacement) `/?(?P<placement>[^`]+)`)?"),
		what: func(s map[string]string) engine.Text {
			if s["placement"] == "" {
				return engine.Textf("Resource snapshot %s does not exist: it never did, or it was removed by the revision limit.", s["idx"])
			}
			return engine.Textf("Resource snapshot %s of placement %s does not exist: it never did, or it was removed by the revision limit.", s["idx"], s["placement"])
		},
	},
	{
		entry: entry{
			cause: engine.NewCause("snapshot-incomplete"), row: "5.1", title: "The resource snapshot is not whole",
			seen:  "message `no master resourceSnapshot found for placement …`",
			leads: onPlacement, heals: engine.HealNewRun,
			steps: lits(engine.Lit("Make a new run with another index, or without one for the newest.")),
			shows: []command{showSnapshots},
		},
		pattern: regexp.MustCompile(`no master ?[rR]esourceSnapshot found`),
		what:    plainly(engine.Lit("The resource snapshot is not whole: its first part is missing.")),
	},
	{
		entry: entry{
			cause: engine.NewCause("snapshot-in-the-making"), row: "5.1", title: "The resource snapshot was still being made",
			seen:  "message `resource snapshots are still being created …`",
			leads: onPlacement, heals: engine.HealNewRun,
			steps: lits(
				engine.Lit("Make a new run. For a namespaced placement with a large snapshot and overrides on the hub this never works."),
				engine.Lit("If it fails again in a namespace, make the snapshot smaller than 800 KiB: an error of the hub refuses larger ones there."),
			),
			shows: []command{showSnapshots, showOverrides},
		},
		pattern: regexp.MustCompile(`resource snapshots are still being created`),
		what:    plainly(engine.Lit("The resource snapshot was not complete when the run began.")),
	},
	{
		entry: entry{
			cause: engine.NewCause("resources-not-selectable"), row: "3.11", title: "The placement selects what cannot be placed",
			seen:  "message `invalid placement …`, `invalid clusterResourcePlacement …`, `found duplicate resource …`",
			leads: onPlacement, heals: engine.HealNewRun,
			steps: lits(engine.Lit("Correct the placement's resource selectors, then make a new run.")),
			shows: []command{showPlacement},
		},
		pattern: regexp.MustCompile(`(?P<err>(?:invalid (?:placement|clusterRr?esourcePlacement|resourcePlacement) |found duplicate resource ).*)$`),
		what: func(s map[string]string) engine.Text {
			return engine.Textf("What the placement selects cannot be placed: %s.", s["err"])
		},
	},
}
