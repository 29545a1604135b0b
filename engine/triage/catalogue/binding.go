package catalogue

import (
	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
)

// BindingCause is one way for a condition of a binding to be False. An empty reason and a nil pattern match anything.
type BindingCause struct {
	Entry
	Typ     string
	reason  string
	pattern *Pattern
	lead    engine.Literal // what is wrong on the cluster
	member  engine.Literal // or what its member does
}

// Says makes the clauses for a cluster: with the message of the condition, unless the reason says all.
func (c *BindingCause) Says(f engine.Fact, cluster string) Clause {
	switch {
	case c.reason != "":
		return Clause{Lead: c.lead.Text()}
	case c.member != "":
		return Clause{Lead: engine.Textf("Member %s %s", cluster, c.member.Text()), Named: true, Detail: sentence(f.Message)}
	case c.Typ == placement.BindingWorkSynchronized:
		return Clause{Lead: engine.Textf("The Works for %s could not be written", cluster), Named: true, Detail: sentence(f.Message)}
	}
	return Clause{Lead: c.lead.Text(), Detail: sentence(f.Message)}
}

const (
	healNoOverride engine.Literal = "Needs a new run: the error is not retried, and this run keeps its overrides."
	notOverridden  engine.Literal = "Overrides failed to apply"
	keepFinalizer  engine.Literal = "Do not remove Fleet's finalizer if the member may come back: the objects would stay on the member."
)

// FixOverride is the step of an override that fails, when its name is not read.
const FixOverride engine.Literal = "{fixes-first}Fix the override, then create a new run ({clone})."

// BindingCauses are tried in order; the first that matches is the cause.
var BindingCauses = []BindingCause{
	{
		Entry: Entry{
			Cause: "rollout-blocked", Title: "The placement's own rolling update has not reached the cluster", Short: "rolling update has not come",
			Sign:     "RolloutStarted False `RolloutNotStartedYet` (rolling updates only)",
			Recovery: engine.RecoveryAutomatic, RecoveryText: "Recovers automatically when the placement's rolling update reaches the cluster.",
			Steps:    Literals{"Check that the placement's strategy type is External: a run cannot update a placement of another type."},
			Commands: []Command{ShowBinding, ShowPlacement},
		},
		Typ: placement.BindingRolloutStarted, reason: placement.ReasonRolloutNotStartedYet,
		lead: "The placement's own rolling update holds back the rollout",
	},
	{
		Entry: Entry{
			Cause: "override-path", Title: "An override patches a path that does not exist", Short: "override path does not exist",
			Sign:    "Overridden False `Failed to apply the override rules on the resources: … doc is missing path …`",
			actions: []engine.NextAction{engine.NextCluster, engine.NextClone}, Recovery: engine.RecoveryByNewRun, RecoveryText: healNoOverride, Hard: true, Reads: engine.ReadOverrides,
			Steps:    Literals{FixOverride, "To set a value that is not there, use add: replace and remove need a path that exists, and add needs its parent."},
			Commands: []Command{ShowOverrides, ShowBinding},
		},
		Typ: placement.BindingOverridden, pattern: &Pattern{expr: `doc is missing (?:path|key)|missing path`}, lead: notOverridden,
	},
	{
		Entry: Entry{
			Cause: OverrideSnapshotGone, Title: "An override snapshot is gone", Short: "override snapshot is gone",
			Sign:    "Overridden False `… clusterResourceOverrideSnapshot … is not found`, `… resourceOverrideSnapshot … is not found`",
			actions: []engine.NextAction{engine.NextCluster, engine.NextClone}, Recovery: engine.RecoveryByNewRun, RecoveryText: healNoOverride, Hard: true, Reads: engine.ReadOverrides,
			Steps:    Literals{"{fixes-first}If the override is still needed, create it again. Then create a new run ({clone}): it uses the overrides that exist then."},
			Commands: []Command{ShowOverrides, ShowBinding},
		},
		Typ: placement.BindingOverridden, pattern: &Pattern{expr: `(?i)(?:cluster)?resourceOverrideSnapshot\b.* (?:is )?not found`}, lead: notOverridden,
	},
	{
		Entry: Entry{
			Cause: "override-label-missing", Title: "An override uses a label that the cluster does not have", Short: "label of an override is missing",
			Sign:    "Overridden False `… label key … not found on cluster …`",
			actions: []engine.NextAction{engine.NextCluster, engine.NextClone}, Recovery: engine.RecoveryByNewRun, RecoveryText: healNoOverride, Hard: true, Reads: engine.ReadOverrides,
			Steps:    Literals{"Label the cluster, or remove the variable from the override.", LabelsAreShared, "{fixes-first}Then create a new run ({clone})."},
			Commands: []Command{ShowNamedMembers, ShowOverrides, ShowBinding}, Check: LabelNow,
		},
		Typ: placement.BindingOverridden, pattern: &Pattern{expr: `label key .* not found on cluster`}, lead: notOverridden,
	},
	{
		Entry: Entry{
			Cause: "override-variable", Title: "A variable in an override is not closed", Short: "override variable is not closed",
			Sign:    "Overridden False `… missing the closing bracket …`",
			actions: []engine.NextAction{engine.NextCluster, engine.NextClone}, Recovery: engine.RecoveryByNewRun, RecoveryText: healNoOverride, Hard: true, Reads: engine.ReadOverrides,
			Steps:    Literals{"{fixes-first}Close the variable in the override's value with }, then create a new run ({clone})."},
			Commands: []Command{ShowOverrides, ShowBinding},
		},
		Typ: placement.BindingOverridden, pattern: &Pattern{expr: `missing the closing bracket`}, lead: notOverridden,
	},
	{
		Entry: Entry{
			Cause: "override-not-applicable", Title: "An override cannot be applied to a resource", Short: "override cannot be applied",
			Sign:    "Overridden False `… ResourceOverrideSnapshot \"…\" failed to apply on …`",
			actions: []engine.NextAction{engine.NextCluster, engine.NextClone}, Recovery: engine.RecoveryByNewRun, RecoveryText: healNoOverride, Hard: true, Reads: engine.ReadOverrides,
			Steps:    Literals{FixOverride, "The message names the override and the resource."},
			Commands: []Command{ShowOverrides, ShowBinding},
		},
		Typ: placement.BindingOverridden, pattern: &Pattern{expr: `(?:Cluster)?ResourceOverrideSnapshot ".*" failed to apply on`}, lead: notOverridden,
	},
	{
		Entry: Entry{
			Cause: "override-failed", Title: "Overrides could not be applied, for an unknown reason", Short: "overrides failed",
			Sign:    "Overridden False, any other message",
			actions: []engine.NextAction{engine.NextCluster, engine.NextClone}, Recovery: engine.RecoveryByNewRun, RecoveryText: healNoOverride, Hard: true, Reads: engine.ReadOverrides,
			Steps:    Literals{FixOverride},
			Commands: []Command{ShowOverrides, ShowBinding, ShowLogs},
		},
		Typ: placement.BindingOverridden, lead: notOverridden,
	},
	{
		Entry: Entry{
			Cause: MemberNamespaceTerminating, Title: "The namespace of the member on the hub is being deleted", Short: "namespace of CLUSTER terminating",
			Sign:    "WorkSynchronized False `… because it is being terminated`",
			actions: []engine.NextAction{engine.NextCluster, engine.NextMember}, Recovery: engine.RecoveryOnMember, RecoveryText: "After a fix on the member: it has to join again. Otherwise the run fails when the placement drops the cluster.",
			Steps:    Literals{"If the cluster is meant to leave the fleet, create a new run ({clone}) after it has left.", "If not, let it join again: the same run continues."},
			Commands: []Command{ShowMember, ShowNamespace, ShowBinding}, Hard: true, Check: StayingNow,
		},
		Typ: placement.BindingWorkSynchronized, pattern: &Pattern{expr: `because it is being terminated`},
	},
	{
		Entry: Entry{
			Cause: "envelope-invalid", Title: "An envelope cannot be read", Short: "envelope cannot be read",
			Sign:    "WorkSynchronized False `… failed to parse the wrapped manifest …`, `… namespaced object … wrapped in a cluster resource envelope`, `… envelope …`",
			actions: []engine.NextAction{engine.NextCluster, engine.NextDiff, engine.NextClone}, Recovery: engine.RecoveryByNewRun, RecoveryText: "Needs a new run: the envelope is part of the snapshot, which this run keeps.",
			Steps:    Literals{"{fixes-first}Repair the envelope on the hub, then create a new run ({clone})."},
			Commands: []Command{ShowBinding, ShowSnapshots}, Hard: true,
		},
		Typ: placement.BindingWorkSynchronized, pattern: &Pattern{expr: `(?i)wrapped manifest|wrapped in a|envelope`},
	},
	{
		Entry: Entry{
			Cause: "snapshot-deleted", Title: "The resource snapshot is gone", Short: "snapshot is gone",
			Sign:    "WorkSynchronized False with a resource snapshot that is not found",
			actions: onPlacement, Recovery: engine.RecoveryByNewRun, RecoveryText: "Needs a new run: the snapshot was deleted, and this run keeps it.",
			Steps:    Literals{"Create a new run ({clone}) with an existing snapshot, or omit the index to use the newest."},
			Commands: []Command{ShowSnapshots, ShowBinding}, Hard: true, Check: SnapshotGoneNow,
		},
		Typ: placement.BindingWorkSynchronized, pattern: &Pattern{expr: `(?i)(?:master ?)?resource ?snapshots?\b.*(?:not found|deleted|is gone)|no master ?resource ?snapshot`},
	},
	{
		Entry: Entry{
			Cause: "works-not-written", Title: "The works for the member could not be written, for an unknown reason", Short: "Works could not be written",
			Sign:    "WorkSynchronized False `Failed to synchronize the work to the latest: …`, any other message",
			actions: []engine.NextAction{engine.NextCluster, engine.NextLogs}, Recovery: engine.RecoveryOnHub, RecoveryText: "After a fix on the hub: the cluster's namespace and the envelopes have to be usable.",
			Steps:    Literals{"Check whether the cluster is leaving the fleet, and whether an envelope is broken.", "Read the controller's log ({logs})."},
			Commands: []Command{ShowBinding, ShowMember, ShowNamespace, ShowLogs}, Hard: true,
		},
		Typ: placement.BindingWorkSynchronized,
	},
	{
		Entry: Entry{
			Cause: "applying", Title: "The resources are being applied", Short: "resources are being applied",
			Sign:     "Applied False `ApplyInProgress`",
			Recovery: engine.RecoveryAutomatic, RecoveryText: "Recovers automatically: the resources are being applied.", Steps: Literals{"Wait.", "If this persists, check that the member's agent reports to the hub."},
			Commands: []Command{ShowBinding, ShowWorks, ShowMember, ShowAgentOnMember}, Waits: true, Check: AgentNow,
		},
		Typ: placement.BindingApplied, reason: placement.ReasonApplyInProgress,
		lead: "The resources are still being applied",
	},
	{
		Entry: Entry{
			Cause: "apply-not-processed", Title: "The member has not reported on a Work yet", Short: "member has not reported yet",
			Sign:    "Applied False `Work object … has not yet completed the apply op`: the Work has no condition, or one about an older generation",
			actions: []engine.NextAction{engine.NextCluster, engine.NextMember}, Recovery: engine.RecoveryOnMember, RecoveryText: "After a fix on the member: its agent has to process the Work.",
			Steps:    Literals{"Check that the member's agent is running and can reach the hub.", "Look at the Work's conditions and generation."},
			Commands: []Command{ShowWorks, ShowMember, ShowAgentOnMember}, Waits: true, Check: AgentNow,
		},
		Typ: placement.BindingApplied, pattern: &Pattern{expr: `has not yet completed the apply op`},
		member: "has not reported on a Work",
	},
	{
		Entry: Entry{
			Cause: "apply-failed", Title: "A Work failed to apply, and no manifest is listed", Short: "a Work failed to apply",
			Sign:    "Applied False `NotAllWorkHaveBeenApplied` `Work object … has failed to apply` (older: `… is not applied`), failedPlacements empty",
			actions: []engine.NextAction{engine.NextCluster, engine.NextMember}, Recovery: engine.RecoveryUnknown, Hard: true,
			Steps:    Literals{"Look at the cluster's Works and at the member ({member}).", "The Work's manifestConditions name the manifest that failed."},
			Commands: []Command{ShowWorks, ShowBinding, ShowMember},
		},
		Typ: placement.BindingApplied, lead: "A Work failed to apply",
	},
	{
		Entry: Entry{
			Cause: "availability-not-checked", Title: "The member has not checked a Work's availability yet", Short: "availability is not checked yet",
			Sign:    "Available False `Work object … has not yet completed availability check`",
			actions: []engine.NextAction{engine.NextCluster, engine.NextMember}, Recovery: engine.RecoveryOnMember, RecoveryText: "After a fix on the member: its agent has to process the Work.",
			Steps:    Literals{"Check that the member's agent is running and can reach the hub.", "Look at the Work's conditions and generation."},
			Commands: []Command{ShowWorks, ShowMember, ShowAgentOnMember}, Waits: true, Check: AgentNow,
		},
		Typ: placement.BindingAvailable, pattern: &Pattern{expr: `has not yet completed availability check`},
		member: "has not checked the availability of a Work",
	},
	{
		Entry: Entry{
			Cause: NotAvailable, Title: "A Work is not available, and no manifest is listed", Short: "a Work is not available",
			Sign:    "Available False `NotAllWorkAreAvailable` `Work object … is not yet available`, failedPlacements empty",
			actions: []engine.NextAction{engine.NextCluster, engine.NextMember}, Recovery: engine.RecoveryUnknown,
			Steps:    Literals{"Look at the cluster's Works and at the member ({member})."},
			Commands: []Command{ShowWorks, ShowBinding, ShowMember},
		},
		Typ: placement.BindingAvailable, lead: "A Work is not available",
	},
	{
		Entry: Entry{
			Cause: "diff-in-progress", Title: "Differences are being reported", Short: "differences are being reported",
			Sign:     "DiffReported False `DiffReportInProgress`, or `Work object … has not yet completed diff reporting`",
			Recovery: engine.RecoveryAutomatic, RecoveryText: "Recovers automatically: the differences are being reported.",
			Steps:    Literals{"Wait.", "If this persists, check that the member's agent reports to the hub."},
			Commands: []Command{ShowWorks, ShowMember, ShowAgentOnMember}, Waits: true, Check: AgentNow,
		},
		Typ: placement.BindingDiffReported, pattern: &Pattern{expr: `in progress|has not yet completed diff reporting`},
		member: "has not reported differences yet",
	},
	{
		Entry: Entry{
			Cause: "diff-failed", Title: "Differences could not be reported", Short: "differences were not reported",
			Sign:    "DiffReported False `Work object … has failed to report diff`: FailedToReportDiff, or only differences found in degraded mode",
			actions: []engine.NextAction{engine.NextCluster, engine.NextMember}, Recovery: engine.RecoveryOnMember, RecoveryText: "After a fix on the member if a manifest has FailedToReportDiff. FoundDiffInDegradedMode needs a new run.", Hard: true,
			Steps: Literals{
				"Read the DiffReported conditions of the manifests in the Works ({diagnose:run the first command}).",
				// Only PartialComparison has a degraded mode (workapplier, partialDiffBetweenManifestAndInMemberClusterObjects).
				"{fixes-first}If one is FoundDiffInDegradedMode, the member's API server rejects that manifest, and its differences count as not reported: fix the manifest, then create a new run ({clone}).",
				"{fixes-first}Or set comparisonOption to FullComparison in the placement, which ends this run, then create a new run ({clone}).",
			},
			Commands: []Command{ShowWorks, ShowMember},
		},
		Typ: placement.BindingDiffReported, lead: "Differences could not be reported",
	},
}

// What a binding may say besides.
var (
	NotReached = Entry{
		Cause: "cluster-pending", Title: "The run has not reached the cluster", Short: "not started yet",
		Sign:     "the cluster is not Started (on the placement: RolloutStarted Unknown)",
		Recovery: engine.RecoveryNotNeeded, RecoveryText: "No recovery needed.", note: true,
		Steps: Literals{"Wait: the run starts this cluster after those before it."},
	}
	RolloutNotStarted = Entry{
		Cause: "rollout-not-started", Title: "The binding's rollout has not begun", Short: "rollout has not begun",
		Sign:     "RolloutStarted absent, or about an older generation of the binding",
		Recovery: engine.RecoveryAutomatic, RecoveryText: "Recovers automatically at the controller's next check.",
		Steps:    Literals{"Wait. If this persists, read the controller's log ({logs})."},
		Commands: []Command{ShowBinding, ShowLogs},
	}
	WorksMissing = Entry{
		Cause: "works-missing", Title: "No Work is written for the cluster yet", Short: "no Work is written yet",
		Sign:     "RolloutStarted True, and neither Overridden nor WorkSynchronized about the binding's generation",
		Recovery: engine.RecoveryOnHub, RecoveryText: "After a fix on the hub: its work generator has to write the Works.",
		Steps:    Literals{"Check that the hub agent is running, and read its log for the binding ({diagnose:run the second command}): it writes the Works."},
		Commands: []Command{ShowHubAgent, ShowLogs, ShowWorks, ShowMember}, Waits: true,
	}
	NothingReported = Entry{
		Cause: "result-not-reported", Title: "No condition is False, and the result is not reported", Short: "result is not reported",
		Sign:    "RolloutStarted and WorkSynchronized True, no False condition, neither Available nor DiffReported True",
		actions: []engine.NextAction{engine.NextCluster, engine.NextMember}, Recovery: engine.RecoveryUnknown, RecoveryText: "Unknown: check that the member sends heartbeats.",
		Steps:    Literals{"Check whether the member's agent still reports to the hub.", "Look at the Work's conditions and generation."},
		Commands: []Command{ShowWorks, ShowMember, ShowAgentOnMember}, Waits: true, Check: AgentNow,
	}
	Landed = Entry{
		Cause: "update-not-recorded", Title: "The update of the cluster has finished and is not recorded in the run yet", Short: "CLUSTER finished, not recorded",
		Sign:     "binding Available True or DiffReported True at its generation, cluster not Succeeded",
		Recovery: engine.RecoveryAutomatic, RecoveryText: "Recovers automatically: the controller checks every 15 s, less often after errors.", Steps: Literals{"Wait for the controller's next check."},
		Commands: []Command{ShowBinding, ShowRun},
	}
	BindingGone = Entry{
		Cause: "binding-missing", Title: "The cluster has no binding", Short: "no binding",
		Sign:    "the bindings of the placement are known, and none is for a started cluster",
		actions: onPlacement, Recovery: engine.RecoveryByNewRun, RecoveryText: "Needs a new run: this run fails at the controller's next check of the cluster.",
		Steps:    Literals{"Create a new run ({clone}).", PickAgain},
		Commands: []Command{ShowBindings, ShowMember, ShowPlacement}, Hard: true, Check: ClusterPicked,
	}
	NoLongerPicked = Entry{
		Cause: "no-longer-picked", Title: "The placement no longer picks the cluster", Short: "no longer picked",
		Sign:    "the binding of a started cluster is Unscheduled",
		actions: onPlacement, Recovery: engine.RecoveryByNewRun, RecoveryText: "Needs a new run: this run fails at the controller's next check of the cluster.",
		Steps:    Literals{"Create a new run ({clone}).", PickAgain},
		Commands: []Command{ShowBinding, ShowMember, ShowPlacement}, Hard: true, Check: ClusterPicked,
	}
	NotTrackable = Entry{
		Cause: "not-trackable", Title: "Kinds without a readiness check count as available", Short: "kinds without a readiness check",
		Sign:     "Available True `NotAllWorkAreAvailabilityTrackable` (older: `WorkNotTrackable`)",
		Recovery: engine.RecoveryNotNeeded, RecoveryText: "No recovery needed.", note: true,
		Steps:    Literals{"Verify on the member that the objects work: their readiness is not checked."},
		Commands: []Command{ShowWorks},
	}
	DriftTolerated = Entry{
		Cause: "drift-tolerated", Title: "Drift is found and tolerated", Short: "drift is tolerated",
		Sign:     "driftedPlacements not empty, no condition False",
		Recovery: engine.RecoveryNotNeeded, RecoveryText: "No recovery needed: the placement's apply strategy tolerates drift.", note: true,
		Steps:    Literals{"Compare targetClusterObservedGeneration with the object's generation on the member: the report may be old."},
		Commands: []Command{ShowBinding},
	}
	DiffReported = Entry{
		Cause: "diff-reported", Title: "Differences are reported, as configured", Short: "differences are reported",
		Sign:     "DiffReported True, diffedPlacements not empty (ReportDiff: no resource is changed)",
		Recovery: engine.RecoveryNotNeeded, RecoveryText: "No recovery needed: the cluster counts as succeeded, and nothing was changed on it.", note: true,
		Steps:    Literals{"Read the differences on the binding."},
		Commands: []Command{ShowBinding},
	}
	DeletionHeld = Entry{
		Cause: "cluster-deletion-blocked", Title: "The deletion from a cluster does not finish", Short: "deletion does not finish",
		Sign:    "deletion stage: cluster Started and not Succeeded, the binding has a deletionTimestamp and the finalizer kubernetes-fleet.io/work-cleanup, and its Works have Fleet's finalizer only",
		actions: []engine.NextAction{engine.NextCluster, engine.NextMember}, Recovery: engine.RecoveryOnMember, RecoveryText: "After a fix on the member: its agent has to remove the Works. The controller waits indefinitely.",
		Steps: Literals{
			"Check the member's agent: it deletes the objects and removes its finalizer from the Works.",
			"On the member, look for finalizers on the AppliedWork ({diagnose:second command}) and on the objects: the controllers that set them have to remove them.",
			keepFinalizer,
		},
		Commands: []Command{ShowWorkFinalizers, ShowAppliedWorksOnMember, ShowWorks, ShowMember, ShowAgentOnMember, ShowBinding}, Waits: true, Reads: engine.ReadWorks,
	}
	RemovalUnread = Entry{
		Cause: "cluster-deletion-not-read", Title: "The deletion from a cluster does not finish, for an unknown reason: its Works were not read", Short: "deletion does not finish",
		Sign:    "as `cluster-deletion-blocked`, and the Works in the member's namespace on the hub are not read",
		actions: []engine.NextAction{engine.NextCluster, engine.NextMember}, Recovery: engine.RecoveryUnknown, RecoveryText: "Unknown: the finalizers of the Works show whether the member's agent or another controller has to act.",
		Steps: Literals{
			"List the remaining Works and their finalizers ({diagnose:run the first command}).",
			"If a Work has a finalizer that is not Fleet's, the controller that set it has to remove it. Otherwise check the member's agent: it deletes the objects.",
			keepFinalizer,
		},
		Commands: []Command{ShowWorkFinalizers, ShowWorks, ShowMember, ShowBinding}, Waits: true, Reads: engine.ReadWorks,
	}
	WorkHeld = Entry{
		Cause: "work-blocked-by-finalizer", Title: "A finalizer of another controller blocks the deletion of a Work", Short: "finalizer of a Work blocks",
		Sign:    "as `cluster-deletion-blocked`, and a Work with a deletionTimestamp has a finalizer that neither KubeFleet nor Kubernetes sets",
		actions: []engine.NextAction{engine.NextCluster}, Recovery: engine.RecoveryOnHub, RecoveryText: "After a fix on the hub: the Work stays until the finalizer is removed; then the same run continues.",
		Steps:    Literals{"Check why the controller that set the finalizer has not removed it.", "If that controller is gone, remove the finalizer."},
		Commands: []Command{ShowWorkFinalizers, ShowWorks, ShowBinding}, Hard: true, Reads: engine.ReadWorks,
	}
	ClusterFailed = Entry{
		Cause: "cluster-failed", Title: "The cluster has failed, for an unknown reason", Short: "CLUSTER has failed",
		Sign:    "cluster Succeeded False, and no pattern matches",
		actions: []engine.NextAction{engine.NextCluster, engine.NextClone}, Recovery: engine.RecoveryByNewRun, RecoveryText: "Needs a new run: a failed cluster fails its run permanently.",
		Steps:    Literals{"{fixes-first}Fix the cause in the message, then create a new run ({clone})."},
		Commands: []Command{ShowBinding, ShowRun},
	}
)

// OnBindings lists the causes in the state of a binding.
func OnBindings() []*Entry {
	out := []*Entry{&NotReached, &RolloutNotStarted}
	for i := range BindingCauses {
		out = append(out, &BindingCauses[i].Entry)
	}
	return append(out, &WorksMissing, &NothingReported, &Landed, &BindingGone, &BindingDeleting, &NoLongerPicked,
		&NotTrackable, &DriftTolerated, &DiffReported, &DeletionHeld, &RemovalUnread, &WorkHeld, &BindingHeld, &BindingNotReleased, &ClusterFailed)
}

// BindingCauseOf finds the entry of a condition that is False.
func BindingCauseOf(typ string, f engine.Fact) *BindingCause {
	for i := range BindingCauses {
		r := &BindingCauses[i]
		if r.Typ == typ && (r.reason == "" || r.reason == f.Reason) && (r.pattern == nil || r.pattern.matches(f.Message)) {
			return r
		}
	}
	return nil
}
