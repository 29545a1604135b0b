package catalogue

import (
	"strings"

	"github.com/stagewatch/stagewatch/engine"
)

// PlacementMissingCause is the cause of a run whose placement is not there.
const PlacementMissingCause engine.Cause = "placement-missing"

// StrategyMissingCause is the cause of a run whose strategy is not there.
const StrategyMissingCause engine.Cause = "strategy-missing"

// IndexInvalidCause is the cause of a run whose resource snapshot index is no number.
const IndexInvalidCause engine.Cause = "index-invalid"

// IndexMissingCause is the cause of a run whose resource snapshot index no snapshot has.
const IndexMissingCause engine.Cause = "index-missing"

// SnapshotIncompleteCause is the cause of a run whose resource snapshot has no first part.
const SnapshotIncompleteCause engine.Cause = "snapshot-incomplete"

// NoClusterPickedCause is the cause of a run whose placement has no active binding.
const NoClusterPickedCause engine.Cause = "no-cluster-picked"

// refusals are what keeps a run from being initialized, and what a later check
// of the same things says.
var refusals = []failure{
	{
		Entry: Entry{
			Cause: PlacementMissingCause, Title: "The placement does not exist", Short: "placement does not exist",
			Sign:    "message `parent placement not found`; `parent clusterResourcePlacement not found`, `parent resourcePlacement not found`",
			actions: onPlacement, Recovery: engine.RecoveryByNewRun,
			Steps:    Literals{"Create the placement, or create a new run ({clone}) for a placement that exists.", "A namespaced run uses only placements in its own namespace."},
			Commands: []Command{ShowPlacements, ShowRun}, Check: PlacementMissing,
		},
		pattern: &Pattern{expr: `parent (?:placement|clusterResourcePlacement|resourcePlacement) not found`},
		what:    func(s map[string]string) engine.Text { return engine.Textf("Placement %s did not exist.", s["of"]) },
	},
	{
		Entry: Entry{
			Cause: "placement-not-external", Title: "The placement is not External", Short: "placement is not External",
			Sign:    "message `does not have an external rollout strategy, current strategy: …`",
			actions: onPlacement, Recovery: engine.RecoveryByNewRun,
			Steps:    Literals{"{fixes-first}Set the placement's strategy type to External (this cannot be undone), then create a new run ({clone})."},
			Commands: []Command{ShowPlacement}, Check: ExternalNow,
		},
		pattern: &Pattern{expr: `does not have an external rollout strategy, current strategy: (?P<type>\S+)`},
		what: func(s map[string]string) engine.Text {
			return engine.Textf("The placement's strategy type was %s, and a run needs External.", s["type"])
		},
	},
	{
		Entry: Entry{
			Cause: "no-policy-snapshot", Title: "No latest scheduling policy snapshot", Short: "no latest policy snapshot",
			Sign:    "message `no latest policy snapshot found for placement …`",
			actions: onPlacement, Recovery: engine.RecoveryByNewRun,
			Steps: Literals{
				"{fixes-first}Wait until the placement is scheduled and has a policy snapshot, then create a new run ({clone}).",
				"If no policy snapshot is labelled latest, set the label is-latest-snapshot=true on the newest.",
			},
			Commands: []Command{ShowPolicySnapshots, ShowPlacement}, Check: LatestPolicy,
		},
		pattern: &Pattern{expr: `no latest policy snapshot found for placement`},
		plain:   "The placement had no latest scheduling policy snapshot: it had not been scheduled yet, or a policy snapshot was deleted or relabelled.",
	},
	{
		Entry: Entry{
			Cause: "several-policy-snapshots", Title: "Several latest scheduling policy snapshots", Short: "several latest policy snapshots",
			Sign:    "message `multiple active policy snapshots found for placement …`",
			actions: onPlacement, Recovery: engine.RecoveryByNewRun,
			Steps:    Literals{"{fixes-first}Keep the label is-latest-snapshot=true only on the policy snapshot that has the placement's current policy, then create a new run ({clone})."},
			Commands: []Command{ShowPolicySnapshots}, Check: LatestPolicy,
		},
		pattern: &Pattern{expr: `multiple active policy snapshots`},
		plain:   "More than one scheduling policy snapshot of the placement was labelled latest.",
	},
	{
		Entry: Entry{
			Cause: "policy-snapshot-incomplete", Title: "The scheduling policy snapshot lacks its index or its cluster count", Short: "policy snapshot is incomplete",
			Sign:    "message `does not have a policy index label` or `doesn't have valid cluster count annotation`",
			actions: onPlacement, Recovery: engine.RecoveryByNewRun,
			Steps:    Literals{"{fixes-first}Restore the label and the annotation of the policy snapshot, or change the placement's policy so that a new one is created. Then create a new run ({clone})."},
			Commands: []Command{ShowPolicySnapshots}, Check: DamagedPolicy,
		},
		pattern: &Pattern{expr: `does not have a policy index label|valid cluster count annotation`},
		plain:   "The placement's scheduling policy snapshot had no index label or no valid cluster count annotation.",
	},
	{
		Entry: Entry{
			Cause: "not-scheduled", Title: "The placement is not fully scheduled", Short: "placement is not fully scheduled",
			Sign:    "message ``policy snapshot `…` not fully scheduled yet``",
			actions: onPlacement, Recovery: engine.RecoveryByNewRun,
			Steps: Literals{
				"Fix labels, taints or the join state of clusters until the placement is scheduled: status.targetClusters of the policy snapshot gives the reason for each cluster that was not picked.",
				LabelsAreShared, "{fixes-first}Then create a new run ({clone}).",
			},
			Commands: []Command{ShowPlacement, ShowPolicySnapshots, ShowMembers}, Check: ScheduledNow,
		},
		pattern: &Pattern{expr: "policy snapshot `(?P<snapshot>[^`]+)` not fully scheduled yet"},
		what: func(s map[string]string) engine.Text {
			return engine.Textf("The placement was not fully scheduled when the controller checked the run (policy snapshot %s).", s["snapshot"])
		},
	},
	{
		Entry: Entry{
			Cause: NoClusterPickedCause, Title: "The placement has no bindings", Short: "placement has no bindings",
			Sign:    "message `no scheduled or to-be-deleted bindings found …`",
			actions: onPlacement, Recovery: engine.RecoveryByNewRun,
			Steps:    Literals{"{fixes-first}Change the placement's policy so that it picks a cluster, then create a new run ({clone})."},
			Commands: []Command{ShowPlacement, ShowBindings, ShowMembers}, Check: PickedNow,
		},
		pattern: &Pattern{expr: `no scheduled or to-be-deleted bindings found`},
		plain:   "The placement had no binding: it picked no cluster, or its bindings did not exist yet.",
	},
	{
		Entry: Entry{
			Cause: "binding-count", Title: "The number of bindings differs from the policy's cluster count", Short: "number of bindings differs",
			Sign:    "message `the number of selected bindings … is not equal to the observed cluster count …`",
			actions: onPlacement, Recovery: engine.RecoveryByNewRun,
			Steps:    Literals{"{fixes-first}Compare the bindings ({diagnose:run the first command}) with the clusters that the policy snapshot picks (status.targetClusters), and wait until the hub agent has created the missing binding. Then create a new run ({clone})."},
			Commands: []Command{ShowBindings, ShowPolicySnapshots, ShowPlacement, ShowHubAgent}, Check: PickedNow,
		},
		pattern: &Pattern{expr: `number of selected bindings (?P<got>\d+) is not equal to the observed cluster count (?P<want>\d+)`},
		what: func(s map[string]string) engine.Text {
			return engine.Textf("The number of clusters with a binding was %s, but the placement's policy requires %s.", s["got"], s["want"])
		},
	},
	{
		Entry: Entry{
			Cause: StrategyMissingCause, Title: "The strategy does not exist", Short: "strategy does not exist",
			Sign:    "message ``referenced updateStrategy not found: `…` ``; `referenced clusterStagedUpdateStrategy not found: …`",
			actions: onPlan, Recovery: engine.RecoveryByNewRun,
			Steps:    Literals{"Create a new run ({clone}) with a strategy that exists, or create the strategy first."},
			Commands: []Command{ShowStrategies}, Check: StrategyMissing,
		},
		pattern: &Pattern{expr: "referenced (?:updateStrategy|clusterStagedUpdateStrategy|stagedUpdateStrategy) not found: `?/?(?P<strategy>[^`]+)"},
		what: func(s map[string]string) engine.Text {
			return engine.Textf("Strategy %s did not exist.", strings.TrimPrefix(s["strategy"], "/"))
		},
	},
	{
		Entry: Entry{
			Cause: "stage-tasks-invalid", Title: "Tasks of a stage are not valid", Short: "stage tasks are not valid",
			Sign:    "message `the before stage tasks are invalid, …` or `the after stage tasks are invalid, …`",
			actions: onPlan, Recovery: engine.RecoveryByNewRun,
			Steps:    Literals{"{fixes-first}Correct the tasks in the strategy, then create a new run ({clone}).", "A stage can have one Approval before it, and one Approval and one TimedWait longer than 0 after it."},
			Commands: []Command{ShowStrategy}, Check: TasksNow,
		},
		pattern: &Pattern{expr: `the (?P<when>before|after) stage tasks are invalid, (?:updateStrategy: .(?P<strategy>[^,]+)., )?.*?stage: (?P<stage>[^,\s]+), err: (?P<err>.*)$`},
		what: func(s map[string]string) engine.Text {
			return engine.Textf("The %s-stage tasks of stage %s%s were not valid: %s.", s["when"], s["stage"], inStrategy(s), s["err"])
		},
	},
	{
		Entry: Entry{
			Cause: "stage-selector-invalid", Title: "The label selector of a stage is not valid", Short: "stage selector is not valid",
			Sign:    "message `the stage label selector is invalid, …`",
			actions: onPlan, Recovery: engine.RecoveryByNewRun,
			Steps:    Literals{"{fixes-first}Correct the label selector in the strategy, then create a new run ({clone})."},
			Commands: []Command{ShowStrategy}, Check: SelectorNow,
		},
		pattern: &Pattern{expr: `the stage label selector is invalid(?:, (?:updateStrategy: .(?P<strategy>[^,]+)., )?.*?stage: (?P<stage>[^,\s]+), err: (?P<err>.*))?`},
		what: func(s map[string]string) engine.Text {
			if s["stage"] == "" {
				return engine.Lit("The label selector of a stage was not valid.")
			}
			return engine.Textf("The label selector of stage %s%s was not valid: %s.", s["stage"], inStrategy(s), s["err"])
		},
	},
	{
		Entry: Entry{
			Cause: "stages-overlap", Title: "A cluster is in more than one stage", Short: "cluster is in several stages",
			Sign:    "message ``cluster `…` appears in more than one stages`` (in the guides: `… stage`)",
			actions: onPlan, Recovery: engine.RecoveryByNewRun,
			Steps:    Literals{"Change the strategy, or relabel the cluster, so that the cluster matches only one stage.", LabelsAreShared, "{fixes-first}Then create a new run ({clone})."},
			Commands: []Command{ShowNamedMembers, ShowStrategy}, Check: StagesFit,
		},
		pattern: &Pattern{expr: "cluster `(?P<cluster>[^`]+)` appears in more than one stages?"},
		what: func(s map[string]string) engine.Text {
			return engine.Textf("Cluster %s matched more than one stage: label selectors overlap, or the cluster was relabelled.", s["cluster"])
		},
	},
	{
		Entry: Entry{
			Cause: "sorting-label", Title: "The sorting label of a cluster is not a number", Short: "sorting label is not a number",
			Sign:    "message ``the sorting label `KEY:VALUE` on cluster `…` is not valid``",
			actions: onPlan, Recovery: engine.RecoveryByNewRun,
			Steps: Literals{
				"Correct sortingLabelKey in the strategy: it must name a label whose values are numbers.",
				"Or, if it is the right key, label the cluster with a number.", LabelsAreShared,
				"{fixes-first}Then create a new run ({clone}).",
			},
			Commands: []Command{ShowStrategy, ShowNamedMembers}, Check: SortingFit,
		},
		pattern: &Pattern{expr: "the sorting label `(?P<key>[^:`]*):(?P<value>[^`]*)` on cluster `(?P<cluster>[^`]+)` is not valid"},
		what: func(s map[string]string) engine.Text {
			if s["value"] == "" {
				return engine.Textf("The strategy sorts by label %s, which cluster %s did not have: it must be a number.", s["key"], s["cluster"])
			}
			return engine.Textf("The strategy sorts by label %s, whose value %q on cluster %s was not a number.", s["key"], s["value"], s["cluster"])
		},
	},
	{
		Entry: Entry{
			Cause: "cluster-in-no-stage", Title: "A picked cluster matches no stage", Short: "cluster matches no stage",
			Sign:    "message `some clusters are not placed in any stage, total …, showing up to 10: …`",
			actions: onPlan, Recovery: engine.RecoveryByNewRun,
			Steps:    Literals{"Add a stage for the clusters, relabel them to match a stage, or exclude them with a policy or taint.", LabelsAreShared, "{fixes-first}Then create a new run ({clone})."},
			Commands: []Command{ShowNamedMembers, ShowStrategy}, Check: StagesFit,
		},
		pattern: &Pattern{expr: `some clusters are not placed in any stage, total (?P<total>\d+), showing up to 10: (?P<names>.+)$`},
		what: func(s map[string]string) engine.Text {
			if s["total"] == "1" {
				return engine.Textf("1 picked cluster matched no stage of the strategy: %s.", s["names"])
			}
			return engine.Textf("%s picked clusters matched no stage of the strategy: %s.", s["total"], s["names"])
		},
	},
	{
		Entry: Entry{
			Cause: IndexInvalidCause, Title: "The resource snapshot index is not a number", Short: "snapshot index is not a number",
			Sign:    "message ``invalid resource snapshot index `…` provided``",
			actions: onPlacement, Recovery: engine.RecoveryByNewRun,
			Steps:    Literals{"Create a new run ({clone}) with an existing snapshot, or omit the index to use the newest."},
			Commands: []Command{ShowSnapshots}, Check: SnapshotsNow,
		},
		pattern: &Pattern{expr: "invalid resource snapshot index `(?P<idx>[^`]*)`"},
		what: func(s map[string]string) engine.Text {
			return engine.Textf("The resource snapshot index %q is not a number of 0 or more.", s["idx"])
		},
	},
	{
		Entry: Entry{
			Cause: IndexMissingCause, Title: "The resource snapshot does not exist", Short: "snapshot does not exist",
			Sign:    "message ``no resourceSnapshots with index `…` found for placement …``; `no clusterResourceSnapshots …`, `… for clusterResourcePlacement …`",
			actions: onPlacement, Recovery: engine.RecoveryByNewRun,
			Steps: Literals{
				"Create a new run ({clone}) with an existing snapshot, or omit the index to use the newest.",
				"On hubs since v0.3, an External placement has no snapshot before its first run without an index.",
			},
			Commands: []Command{ShowSnapshots}, Check: SnapshotsNow,
		},
		pattern: &Pattern{expr: "no (?:cluster)?[rR]esourceSnapshots with index `(?P<idx>\\d+)`(?: found for (?:placement|(?:clusterR|r)esourcePlacement) `/?(?P<placement>[^`]+)`)?"},
		what: func(s map[string]string) engine.Text {
			if s["asked"] != "" {
				return engine.Textf("Index %q matches no resource snapshot: the controller compares it with the snapshot's label as text, so it does not mean snapshot %s.", s["asked"], s["idx"])
			}
			if s["placement"] == "" {
				return engine.Textf("Resource snapshot %s did not exist.", s["idx"])
			}
			return engine.Textf("Resource snapshot %s of placement %s did not exist.", s["idx"], s["placement"])
		},
	},
	{
		Entry: Entry{
			Cause: SnapshotIncompleteCause, Title: "The resource snapshot is incomplete", Short: "snapshot is incomplete",
			Sign:    "message `no master resourceSnapshot found for placement …`",
			actions: onPlacement, Recovery: engine.RecoveryByNewRun,
			Steps:    Literals{"Create a new run ({clone}) with another snapshot, or omit the index to use the newest."},
			Commands: []Command{ShowSnapshots}, Check: SnapshotsNow,
		},
		pattern: &Pattern{expr: `no master ?[rR]esourceSnapshot found`},
		plain:   "The resource snapshot was incomplete: its first part was missing.",
	},
	{
		Entry: Entry{
			Cause: "snapshot-being-created", Title: "The resource snapshot was still being created", Short: "snapshot was being created",
			Sign:    "message `resource snapshots are still being created …`",
			actions: onPlacement, Recovery: engine.RecoveryByNewRun,
			Steps: Literals{
				"Create a new run ({clone}).",
				"If it fails again for a namespaced placement, keep the snapshot below 800 KiB: the controller never accepts a namespaced snapshot of several parts while overrides exist.",
			},
			Commands: []Command{ShowSnapshots, ShowOverrides}, Check: SnapshotsNow,
		},
		pattern: stillCreated,
		plain:   "The resource snapshot was incomplete when the run was created.",
	},
	{
		Entry: Entry{
			Cause: "snapshot-count-invalid", Title: "The number of parts of the resource snapshot is not valid", Short: "snapshot has no valid part count",
			Sign:    "message `master resource snapshot … has an invalid snapshot count …`",
			actions: onPlacement, Recovery: engine.RecoveryByNewRun,
			Steps: Literals{
				"{fixes-first}Set annotation kubernetes-fleet.io/number-of-resource-snapshots of the snapshot in the message to the number of its parts, itself included. Then create a new run ({clone}).",
				OtherSnapshot,
			},
			Commands: []Command{ShowSnapshots, ShowOverrides}, Check: PartCountNow,
		},
		pattern: &Pattern{expr: `master resource snapshot (?P<snapshot>\S+) for placement \S+ has an invalid snapshot count`},
		what: func(s map[string]string) engine.Text {
			return engine.Textf("Annotation kubernetes-fleet.io/number-of-resource-snapshots of resource snapshot %s was not a positive number.", s["snapshot"])
		},
	},
	{
		Entry: Entry{
			Cause: "resource-not-cluster-scoped", Title: "A ClusterResourcePlacement selects a namespace-scoped kind, or a version that is not preferred", Short: "namespace-scoped kind selected",
			Sign:    "message `cannot select namespace-scoped resource … in a clusterResourcePlacement`",
			actions: onPlacement, Recovery: engine.RecoveryByNewRun,
			Steps: Literals{
				"{fixes-first}If the kind is namespaced, select its namespace instead, or use a ResourcePlacement. Then create a new run ({clone}).",
				"If it is cluster-scoped, the selector has a version that is not the preferred one of its API group: select the preferred version. The plan ({plan}) names it.",
			},
			Commands: []Command{ShowPlacement}, Check: SelectedNow,
		},
		pattern: &Pattern{expr: `cannot select namespace-scoped resource /?(?P<version>\S+), Resource=(?P<resource>\S+) in a clusterResourcePlacement`},
		what: func(s map[string]string) engine.Text {
			return engine.Textf("The placement selected %s (%s), which the controller handles as namespace-scoped: a ClusterResourcePlacement selects only namespaces and cluster-scoped kinds.", s["resource"], s["version"])
		},
	},
	{
		Entry: Entry{
			Cause: "resources-not-selectable", Title: "The placement selects resources that cannot be placed", Short: "resources cannot be placed",
			Sign:    "message `invalid placement …`, `invalid clusterResourcePlacement …`, `found duplicate resource …`",
			actions: onPlacement, Recovery: engine.RecoveryByNewRun,
			Steps:    Literals{"{fixes-first}Correct the placement's resource selectors, then create a new run ({clone}).", "Read the plan ({plan}) first: it checks the selectors as they are now."},
			Commands: []Command{ShowPlacement}, Check: SelectedNow,
		},
		pattern: &Pattern{expr: `(?P<err>(?:invalid (?:placement|clusterRr?esourcePlacement|resourcePlacement) |found duplicate resource ).*)$`},
		what: func(s map[string]string) engine.Text {
			return engine.Textf("The placement selected resources that cannot be placed: %s.", s["err"])
		},
	},
}

var stillCreated = &Pattern{expr: `resource snapshots are still being created`}

// StillCreated reports whether a message says that the parts of a snapshot do not all exist, as
// it does of each namespaced snapshot of several parts (docs/kubefleet.md#quirks, 7.6).
func StillCreated(message string) bool { return stillCreated.matches(message) }

// inStrategy names the strategy of a stage, if the message does; without its namespace, which is
// that of the run.
func inStrategy(said map[string]string) engine.Text {
	name := said["strategy"][strings.LastIndex(said["strategy"], "/")+1:]
	if name == "" {
		return engine.Text{}
	}
	return engine.Textf(" in strategy %s", name)
}
