package triage

import (
	"regexp"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/engine"
)

// rung is one way for a condition of a binding to be False. Rungs
// are tried in order; an empty reason and a nil pattern match anything.
type rung struct {
	entry
	typ     string
	reason  string
	pattern *regexp.Regexp
	// says makes the clauses for the cluster.
	says func(f engine.Fact, cluster string) clause
}

// always says the same of every cluster.
func always(c clause) func(engine.Fact, string) clause {
	return func(engine.Fact, string) clause { return c }
}

// detailed ends a clause with the condition's message.
func detailed(lead engine.Text) func(engine.Fact, string) clause {
	return func(f engine.Fact, _ string) clause { return clause{lead: lead, detail: message(f.Message)} }
}

// ofMember is a clause about the member, with the condition's message.
func ofMember(does engine.Text) func(engine.Fact, string) clause {
	return func(f engine.Fact, name string) clause {
		return clause{lead: engine.Textf("Member %s %s", name, does), named: true, detail: message(f.Message)}
	}
}

func overridden(f engine.Fact, _ string) clause {
	return clause{lead: engine.Lit("Overrides failed to apply"), detail: message(f.Message)}
}

func unsynced(f engine.Fact, name string) clause {
	return clause{lead: engine.Textf("The Works for %s could not be written", name), named: true, detail: message(f.Message)}
}

var (
	healNoOverride = engine.Lit("Needs a new run: the error is not retried, and this run keeps its overrides.")
	healWhenMember = engine.Lit("After a fix on the member: its agent has to report.")
)

var rungs = []rung{
	{
		entry: entry{
			cause: engine.NewCause("rollout-blocked"), title: "The placement's own rolling update has not reached the cluster",
			sign:     "RolloutStarted False `RolloutNotStartedYet` (rolling updates only)",
			recovery: engine.HealItself, recoveryText: engine.Lit("Recovers automatically when the placement's rolling update reaches the cluster."),
			steps:    lits(engine.Lit("Check that the placement's strategy type is External: a run cannot update any other.")),
			commands: []command{cShowBinding, cShowPlacement},
		},
		typ: placement.BindingRolloutStarted, reason: placement.ReasonRolloutNotStartedYet,
		says: always(clause{lead: engine.Lit("The placement's own rolling update holds back the rollout")}),
	},
	{
		entry: entry{
			cause: engine.NewCause("override-path"), title: "An override patches a path that does not exist",
			sign:    "Overridden False `Failed to apply the override rules on the resources: … doc is missing path …`",
			actions: []engine.Lead{engine.LeadCluster, engine.LeadClone}, recovery: engine.HealNewRun, recoveryText: healNoOverride, hard: true, reads: engine.ReadOverrides,
			steps:    lits(engine.Lit("Fix the override, then create a new run (C)."), engine.Lit("Add the parent of the path first, in the same override: a JSON patch cannot add below a missing path.")),
			commands: []command{cShowOverrides, cShowBinding},
		},
		typ: placement.BindingOverridden, pattern: regexp.MustCompile(`doc is missing (?:path|key)|missing path`), says: overridden,
	},
	{
		entry: entry{
			cause: engine.NewCause("override-snapshot-missing"), title: "An override snapshot is gone",
			sign:    "Overridden False `… clusterResourceOverrideSnapshot … is not found`, `… resourceOverrideSnapshot … is not found`",
			actions: []engine.Lead{engine.LeadCluster, engine.LeadClone}, recovery: engine.HealNewRun, recoveryText: healNoOverride, hard: true, reads: engine.ReadOverrides,
			steps:    lits(engine.Lit("Create a new run (C): it uses the overrides that exist then."), engine.Lit("Restore the override first if it is still needed.")),
			commands: []command{cShowOverrides, cShowBinding},
		},
		typ: placement.BindingOverridden, pattern: regexp.MustCompile(`(?i)(?:cluster)?resourceOverrideSnapshot\b.* (?:is )?not found`), says: overridden,
	},
	{
		entry: entry{
			cause: engine.NewCause("override-label-missing"), title: "An override uses a label that the cluster does not have",
			sign:    "Overridden False `… label key … not found on cluster …`",
			actions: []engine.Lead{engine.LeadCluster, engine.LeadClone}, recovery: engine.HealNewRun, recoveryText: healNoOverride, hard: true, reads: engine.ReadOverrides,
			steps:    lits(engine.Lit("Label the cluster, or remove the variable from the override; then create a new run (C).")),
			commands: []command{cShowNamedMembers, cShowOverrides, cShowBinding}, check: cLabelNow,
		},
		typ: placement.BindingOverridden, pattern: regexp.MustCompile(`label key .* not found on cluster`), says: overridden,
	},
	{
		entry: entry{
			cause: engine.NewCause("override-variable"), title: "A variable in an override is not closed",
			sign:    "Overridden False `… missing the closing bracket …`",
			actions: []engine.Lead{engine.LeadCluster, engine.LeadClone}, recovery: engine.HealNewRun, recoveryText: healNoOverride, hard: true, reads: engine.ReadOverrides,
			steps:    lits(engine.Lit("Close the variable in the override's value with }, then create a new run (C).")),
			commands: []command{cShowOverrides, cShowBinding},
		},
		typ: placement.BindingOverridden, pattern: regexp.MustCompile(`missing the closing bracket`), says: overridden,
	},
	{
		entry: entry{
			cause: engine.NewCause("override-not-applicable"), title: "An override cannot be applied to a resource",
			sign:    "Overridden False `… ResourceOverrideSnapshot \"…\" failed to apply on …`",
			actions: []engine.Lead{engine.LeadCluster, engine.LeadClone}, recovery: engine.HealNewRun, recoveryText: healNoOverride, hard: true, reads: engine.ReadOverrides,
			steps:    lits(engine.Lit("Fix the override, then create a new run (C)."), engine.Lit("The message names the override and the resource.")),
			commands: []command{cShowOverrides, cShowBinding},
		},
		typ: placement.BindingOverridden, pattern: regexp.MustCompile(`(?:Cluster)?ResourceOverrideSnapshot ".*" failed to apply on`), says: overridden,
	},
	{
		entry: entry{
			cause: engine.NewCause("override-failed"), title: "Overrides could not be applied, for an unknown reason",
			sign:    "Overridden False, any other message",
			actions: []engine.Lead{engine.LeadCluster, engine.LeadClone}, recovery: engine.HealNewRun, recoveryText: healNoOverride, hard: true, reads: engine.ReadOverrides,
			steps:    lits(engine.Lit("Fix the override, then create a new run (C).")),
			commands: []command{cShowOverrides, cShowBinding, cShowLogs},
		},
		typ: placement.BindingOverridden, says: overridden,
	},
	{
		entry: entry{
			cause: engine.NewCause("member-namespace-terminating"), title: "The cluster is leaving the fleet",
			sign:    "WorkSynchronized False `… because it is being terminated`",
			actions: []engine.Lead{engine.LeadCluster, engine.LeadMember}, recovery: engine.HealMember, recoveryText: engine.Lit("After a fix on the member: it has to join again. Otherwise the run fails when the placement drops the cluster."),
			steps:    lits(engine.Lit("If the cluster is to leave the fleet, create a new run (C) when it is gone."), engine.Lit("If not, let it join again: the same run continues.")),
			commands: []command{cShowMember, cShowNamespace, cShowBinding}, hard: true, check: cStayingNow,
		},
		typ: placement.BindingWorkSynchronized, pattern: regexp.MustCompile(`because it is being terminated`), says: unsynced,
	},
	{
		entry: entry{
			cause: engine.NewCause("envelope-invalid"), title: "An envelope cannot be read",
			sign:    "WorkSynchronized False `… failed to parse the wrapped manifest …`, `… namespaced object … wrapped in a cluster resource envelope`, `… envelope …`",
			actions: []engine.Lead{engine.LeadCluster, engine.LeadDiff, engine.LeadClone}, recovery: engine.HealNewRun, recoveryText: engine.Lit("Needs a new run: the envelope is part of the snapshot, which this run keeps."),
			steps:    lits(engine.Lit("Repair the envelope on the hub, then create a new run (C).")),
			commands: []command{cShowBinding, cShowSnapshots}, hard: true,
		},
		typ: placement.BindingWorkSynchronized, pattern: regexp.MustCompile(`(?i)wrapped manifest|wrapped in a|envelope`), says: unsynced,
	},
	{
		entry: entry{
			cause: engine.NewCause("snapshot-gone"), title: "The resource snapshot is gone",
			sign:    "WorkSynchronized False with a resource snapshot that is not found",
			actions: onPlacement, recovery: engine.HealNewRun, recoveryText: engine.Lit("Needs a new run: the snapshot was deleted, and this run keeps it."),
			steps:    lits(engine.Lit("Create a new run (C) with a snapshot that exists, or without an index for the newest.")),
			commands: []command{cShowSnapshots, cShowBinding}, hard: true, check: cSnapshotGoneNow,
		},
		typ: placement.BindingWorkSynchronized, pattern: regexp.MustCompile(`(?i)(?:master ?)?resource ?snapshots?\b.*(?:not found|deleted|is gone)|no master ?resource ?snapshot`), says: unsynced,
	},
	{
		entry: entry{
			cause: engine.NewCause("works-not-written"), title: "The works for the member could not be written, for an unknown reason",
			sign:    "WorkSynchronized False `Failed to synchronize the work to the latest: …`, any other message",
			actions: []engine.Lead{engine.LeadCluster, engine.LeadLogs}, recovery: engine.HealHub, recoveryText: engine.Lit("After a fix on the hub: the cluster's namespace and the envelopes have to be usable."),
			steps:    lits(engine.Lit("Check whether the cluster is leaving the fleet, and whether an envelope is broken."), engine.Lit("Read the controller's log (L).")),
			commands: []command{cShowBinding, cShowMember, cShowNamespace, cShowLogs}, hard: true,
		},
		typ: placement.BindingWorkSynchronized, says: unsynced,
	},
	{
		entry: entry{
			cause: engine.NewCause("applying"), title: "The resources are being applied",
			sign:     "Applied False `ApplyInProgress`",
			recovery: engine.HealItself, recoveryText: engine.Lit("Recovers automatically: the resources are being applied."), steps: lits(engine.Lit("Wait."), engine.Lit("If it lasts, check whether the member's agent reports.")),
			commands: []command{cShowBinding, cShowWorks, cShowMember}, waits: true, check: cAgentNow,
		},
		typ: placement.BindingApplied, reason: placement.ReasonApplyInProgress,
		says: always(clause{lead: engine.Lit("The resources are still being applied")}),
	},
	{
		entry: entry{
			cause: engine.NewCause("apply-not-processed"), title: "The member has not answered a Work yet",
			sign:    "Applied False `Work object … has not yet completed the apply op`: the Work has no condition, or one about an older generation",
			actions: []engine.Lead{engine.LeadCluster, engine.LeadMember}, recovery: engine.HealMember, recoveryText: engine.Lit("After a fix on the member: its agent has to process the Work."),
			steps:    lits(engine.Lit("Check whether the member's agent runs and reaches the hub."), engine.Lit("Look at the Work's conditions and generation.")),
			commands: []command{cShowWorks, cShowMember, cShowAgentOnMember}, waits: true, check: cAgentNow,
		},
		typ: placement.BindingApplied, pattern: regexp.MustCompile(`has not yet completed the apply op`),
		says: ofMember(engine.Lit("has not reported on a Work")),
	},
	{
		entry: entry{
			cause: engine.NewCause("apply-failed"), title: "A Work failed to apply, and no manifest is listed",
			sign:    "Applied False `NotAllWorkHaveBeenApplied` `Work object … has failed to apply` (older: `… is not applied`), failedPlacements empty",
			actions: []engine.Lead{engine.LeadCluster, engine.LeadMember}, recovery: engine.HealUnknown, hard: true,
			steps:    lits(engine.Lit("Look at the cluster's Works and at the member (m)."), engine.Lit("The Work's manifestConditions name the manifest that failed.")),
			commands: []command{cShowWorks, cShowBinding, cShowMember},
		},
		typ: placement.BindingApplied, says: detailed(engine.Lit("A Work failed to apply")),
	},
	{
		entry: entry{
			cause: engine.NewCause("availability-not-checked"), title: "The member has not checked a Work's availability yet",
			sign:    "Available False `Work object … has not yet completed availability check`",
			actions: []engine.Lead{engine.LeadCluster, engine.LeadMember}, recovery: engine.HealMember, recoveryText: engine.Lit("After a fix on the member: its agent has to process the Work."),
			steps:    lits(engine.Lit("Check whether the member's agent runs and reaches the hub."), engine.Lit("Look at the Work's conditions and generation.")),
			commands: []command{cShowWorks, cShowMember, cShowAgentOnMember}, waits: true, check: cAgentNow,
		},
		typ: placement.BindingAvailable, pattern: regexp.MustCompile(`has not yet completed availability check`),
		says: ofMember(engine.Lit("has not checked the availability of a Work")),
	},
	{
		entry: entry{
			cause: notAvailable, title: "A Work is not available, and no manifest is listed",
			sign:    "Available False `NotAllWorkAreAvailable` `Work object … is not yet available`, failedPlacements empty",
			actions: []engine.Lead{engine.LeadCluster, engine.LeadMember}, recovery: engine.HealUnknown,
			steps:    lits(engine.Lit("Look at the cluster's Works and at the member (m).")),
			commands: []command{cShowWorks, cShowBinding, cShowMember},
		},
		typ: placement.BindingAvailable, says: detailed(engine.Lit("A Work is not available")),
	},
	{
		entry: entry{
			cause: engine.NewCause("diff-in-progress"), title: "Differences are being reported",
			sign:     "DiffReported False `DiffReportInProgress`, or `Work object … has not yet completed diff reporting`",
			recovery: engine.HealItself, recoveryText: engine.Lit("Recovers automatically: the differences are being reported."),
			steps:    lits(engine.Lit("Wait."), engine.Lit("If it lasts, check whether the member's agent reports.")),
			commands: []command{cShowWorks, cShowMember}, waits: true, check: cAgentNow,
		},
		typ: placement.BindingDiffReported, pattern: regexp.MustCompile(`in progress|has not yet completed diff reporting`),
		says: ofMember(engine.Lit("has not reported differences yet")),
	},
	{
		entry: entry{
			cause: engine.NewCause("diff-failed"), title: "Differences could not be reported",
			sign:    "DiffReported False `Work object … has failed to report diff`: FailedToReportDiff, or only differences found in degraded mode",
			actions: []engine.Lead{engine.LeadCluster, engine.LeadMember}, recovery: engine.HealMember, recoveryText: healWhenMember, hard: true,
			steps: lits(
				engine.Lit("Look at the manifests' conditions."),
				engine.Lit("If all have FoundDiffInDegradedMode, the controller counts the differences as not reported: set comparisonOption to PartialComparison or fix the manifest, then create a new run (C)."),
			),
			commands: []command{cShowWorks, cShowMember},
		},
		typ: placement.BindingDiffReported, says: detailed(engine.Lit("Differences could not be reported")),
	},
}

// What a binding may say besides.
var (
	notReached = entry{
		cause: engine.NewCause("not-reached"), title: "The run has not reached the cluster",
		sign:     "the cluster is not Started (on the placement: RolloutStarted Unknown)",
		recovery: engine.HealNotNeeded, recoveryText: engine.Lit("No recovery needed."), note: true,
	}
	rolloutNotStarted = entry{
		cause: engine.NewCause("rollout-not-started"), title: "The binding's rollout has not begun",
		sign:     "RolloutStarted absent, or about an older generation of the binding",
		recovery: engine.HealItself, recoveryText: engine.Lit("Recovers automatically at the controller's next check."),
		steps:    lits(engine.Lit("Wait. If it lasts, read the controller's log (L).")),
		commands: []command{cShowBinding, cShowLogs},
	}
	worksMissing = entry{
		cause: engine.NewCause("works-missing"), title: "No Work is written for the cluster yet",
		sign:     "RolloutStarted True, and neither Overridden nor WorkSynchronized about the binding's generation",
		recovery: engine.HealHub, recoveryText: engine.Lit("After a fix on the hub: its work generator has to write the Works."),
		steps:    lits(engine.Lit("Wait. If it lasts, read the controller's log (L)."), engine.Lit("Check whether the cluster is still a member.")),
		commands: []command{cShowWorks, cShowLogs, cShowMember}, waits: true,
	}
	nothingReported = entry{
		cause: engine.NewCause("nothing-reported"), title: "No condition is False, and the result is not reported",
		sign:    "RolloutStarted and WorkSynchronized True, no False condition, neither Available nor DiffReported True",
		actions: []engine.Lead{engine.LeadCluster, engine.LeadMember}, recovery: engine.HealUnknown, recoveryText: engine.Lit("Unknown: the member may be silent."),
		steps:    lits(engine.Lit("Check whether the member's agent still reports to the hub."), engine.Lit("Look at the Work's conditions and generation.")),
		commands: []command{cShowWorks, cShowMember, cShowAgentOnMember}, waits: true, check: cAgentNow,
	}
	landed = entry{
		cause: engine.NewCause("landed"), title: "The update of the cluster has finished and is not recorded in the run yet",
		sign:     "binding Available True or DiffReported True at its generation, cluster not Succeeded",
		recovery: engine.HealItself, recoveryText: engine.Lit("Recovers automatically: the controller checks every 15 s, less often after errors."), steps: lits(engine.Lit("Wait for the controller's next check.")),
		commands: []command{cShowBinding, cShowRun},
	}
	bindingGone = entry{
		cause: engine.NewCause("binding-gone"), title: "The cluster has no binding",
		sign:    "the bindings of the placement are known, and none is for a started cluster",
		actions: onPlacement, recovery: engine.HealNewRun, recoveryText: engine.Lit("Needs a new run: this run fails at the controller's next check of the cluster."),
		steps:    lits(engine.Lit("Create a new run (C)."), pickAgain),
		commands: []command{cShowBindings, cShowMember, cShowPlacement}, hard: true,
	}
	noLongerPicked = entry{
		cause: engine.NewCause("no-longer-picked"), title: "The placement no longer picks the cluster",
		sign:    "the binding of a started cluster is Unscheduled or being deleted",
		actions: onPlacement, recovery: engine.HealNewRun, recoveryText: engine.Lit("Needs a new run: this run fails at the controller's next check of the cluster."),
		steps:    lits(engine.Lit("Create a new run (C)."), pickAgain),
		commands: []command{cShowBinding, cShowMember, cShowPlacement}, hard: true,
	}
	notTrackable = entry{
		cause: engine.NewCause("not-trackable"), title: "Kinds without a readiness check count as available",
		sign:     "Available True `NotAllWorkAreAvailabilityTrackable` (older: `WorkNotTrackable`)",
		recovery: engine.HealNotNeeded, recoveryText: engine.Lit("No recovery needed."), note: true,
		steps:    lits(engine.Lit("Verify on the member that the objects work: their readiness is not checked.")),
		commands: []command{cShowWorks},
	}
	driftTolerated = entry{
		cause: engine.NewCause("drift-tolerated"), title: "Drift is found and tolerated",
		sign:     "driftedPlacements not empty, no condition False",
		recovery: engine.HealNotNeeded, recoveryText: engine.Lit("No recovery needed: the placement's apply strategy tolerates drift."), note: true,
		steps:    lits(engine.Lit("Compare targetClusterObservedGeneration with the object's generation on the member: the report may be old.")),
		commands: []command{cShowBinding},
	}
	diffReported = entry{
		cause: engine.NewCause("diff-reported"), title: "Differences are reported, as configured",
		sign:     "DiffReported True, diffedPlacements not empty (ReportDiff: no resource is changed)",
		recovery: engine.HealNotNeeded, recoveryText: engine.Lit("No recovery needed: the cluster counts as succeeded, and nothing was changed on it."), note: true,
		steps:    lits(engine.Lit("Read the differences on the binding.")),
		commands: []command{cShowBinding},
	}
	removalHeld = entry{
		cause: engine.NewCause("removal-held"), title: "The deletion from a cluster does not end",
		sign:    "deletion stage: cluster Started and not Succeeded, the binding has a deletionTimestamp and the finalizer kubernetes-fleet.io/work-cleanup",
		actions: []engine.Lead{engine.LeadCluster, engine.LeadMember}, recovery: engine.HealMember, recoveryText: engine.Lit("After a fix on the member: its agent has to remove the Works. The controller waits without a limit."),
		steps: lits(
			engine.Lit("Check the member's agent: it deletes the objects and removes its finalizer from the Works. The first command prints the Works that remain, with their finalizers."),
			engine.Lit("If a Work has a finalizer that is not Fleet's, the controller that set it has to remove it."),
			engine.Lit("Do not remove Fleet's finalizer while the member can come back: the objects would stay on it."),
		),
		commands: []command{cShowWorkFinalizers, cShowWorks, cShowMember, cShowBinding}, waits: true, reads: engine.ReadWorks,
	}
	clusterFailed = entry{
		cause: engine.NewCause("cluster-failed"), title: "The cluster has failed, for an unknown reason",
		sign:    "cluster Succeeded False, and no pattern matches",
		actions: []engine.Lead{engine.LeadCluster, engine.LeadClone}, recovery: engine.HealNewRun, recoveryText: engine.Lit("Needs a new run: a failed cluster fails its run permanently."),
		steps:    lits(engine.Lit("Remove the cause in the message, then create a new run (C).")),
		commands: []command{cShowBinding, cShowRun},
	}
)

func onBindings() []*entry {
	out := []*entry{&notReached, &rolloutNotStarted}
	for i := range rungs {
		out = append(out, &rungs[i].entry)
	}
	return append(out, &worksMissing, &nothingReported, &landed, &bindingGone, &noLongerPicked,
		&notTrackable, &driftTolerated, &diffReported, &removalHeld, &bindingHeld, &bindingNotReleased, &clusterFailed)
}

// rungOf finds the entry of a condition that is False.
func rungOf(typ string, f engine.Fact) *rung {
	for i := range rungs {
		r := &rungs[i]
		if r.typ == typ && (r.reason == "" || r.reason == f.Reason) && (r.pattern == nil || r.pattern.MatchString(f.Message)) {
			return r
		}
	}
	return nil
}
