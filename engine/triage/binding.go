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
			seen:  "RolloutStarted False `RolloutNotStartedYet` (rolling updates only)",
			heals: engine.HealItself, heal: engine.Lit("Recovers automatically when the placement's rolling update reaches the cluster."),
			steps: lits(engine.Lit("Check that the placement's strategy type is External: a run cannot update any other.")),
			shows: []command{showBinding, showPlacement},
		},
		typ: placement.BindingRolloutStarted, reason: placement.ReasonRolloutNotStartedYet,
		says: always(clause{lead: engine.Lit("The placement's own rolling update holds back the rollout")}),
	},
	{
		entry: entry{
			cause: engine.NewCause("override-path"), title: "An override patches a path that does not exist",
			seen:  "Overridden False `Failed to apply the override rules on the resources: … doc is missing path …`",
			leads: []engine.Lead{engine.LeadCluster, engine.LeadClone}, heals: engine.HealNewRun, heal: healNoOverride, hard: true, reads: engine.ReadOverrides,
			steps: lits(engine.Lit("Fix the override, then create a new run (C)."), engine.Lit("Add the parent of the path first, in the same override: a JSON patch cannot add below a missing path.")),
			shows: []command{showOverrides, showBinding},
		},
		typ: placement.BindingOverridden, pattern: regexp.MustCompile(`doc is missing (?:path|key)|missing path`), says: overridden,
	},
	{
		entry: entry{
			cause: engine.NewCause("override-snapshot-missing"), title: "An override snapshot is gone",
			seen:  "Overridden False `… clusterResourceOverrideSnapshot … is not found`, `… resourceOverrideSnapshot … is not found`",
			leads: []engine.Lead{engine.LeadCluster, engine.LeadClone}, heals: engine.HealNewRun, heal: healNoOverride, hard: true, reads: engine.ReadOverrides,
			steps: lits(engine.Lit("Create a new run (C): it uses the overrides that exist then."), engine.Lit("Restore the override first if it is still needed.")),
			shows: []command{showOverrides, showBinding},
		},
		typ: placement.BindingOverridden, pattern: regexp.MustCompile(`(?i)(?:cluster)?resourceOverrideSnapshot\b.* (?:is )?not found`), says: overridden,
	},
	{
		entry: entry{
			cause: engine.NewCause("override-label-missing"), title: "An override uses a label that the cluster does not have",
			seen:  "Overridden False `… label key … not found on cluster …`",
			leads: []engine.Lead{engine.LeadCluster, engine.LeadClone}, heals: engine.HealNewRun, heal: healNoOverride, hard: true, reads: engine.ReadOverrides,
			steps: lits(engine.Lit("Label the cluster, or remove the variable from the override; then create a new run (C).")),
			shows: []command{showNamedMembers, showOverrides, showBinding}, now: labelNow,
		},
		typ: placement.BindingOverridden, pattern: regexp.MustCompile(`label key .* not found on cluster`), says: overridden,
	},
	{
		entry: entry{
			cause: engine.NewCause("override-variable"), title: "A variable in an override is not closed",
			seen:  "Overridden False `… missing the closing bracket …`",
			leads: []engine.Lead{engine.LeadCluster, engine.LeadClone}, heals: engine.HealNewRun, heal: healNoOverride, hard: true, reads: engine.ReadOverrides,
			steps: lits(engine.Lit("Close the variable in the override's value with }, then create a new run (C).")),
			shows: []command{showOverrides, showBinding},
		},
		typ: placement.BindingOverridden, pattern: regexp.MustCompile(`missing the closing bracket`), says: overridden,
	},
	{
		entry: entry{
			cause: engine.NewCause("override-not-applicable"), title: "An override cannot be applied to a resource",
			seen:  "Overridden False `… ResourceOverrideSnapshot \"…\" failed to apply on …`",
			leads: []engine.Lead{engine.LeadCluster, engine.LeadClone}, heals: engine.HealNewRun, heal: healNoOverride, hard: true, reads: engine.ReadOverrides,
			steps: lits(engine.Lit("Fix the override, then create a new run (C)."), engine.Lit("The message names the override and the resource.")),
			shows: []command{showOverrides, showBinding},
		},
		typ: placement.BindingOverridden, pattern: regexp.MustCompile(`(?:Cluster)?ResourceOverrideSnapshot ".*" failed to apply on`), says: overridden,
	},
	{
		entry: entry{
			cause: engine.NewCause("override-failed"), title: "Overrides could not be applied, for an unknown reason",
			seen:  "Overridden False, any other message",
			leads: []engine.Lead{engine.LeadCluster, engine.LeadClone}, heals: engine.HealNewRun, heal: healNoOverride, hard: true, reads: engine.ReadOverrides,
			steps: lits(engine.Lit("Fix the override, then create a new run (C).")),
			shows: []command{showOverrides, showBinding, showLogs},
		},
		typ: placement.BindingOverridden, says: overridden,
	},
	{
		entry: entry{
			cause: engine.NewCause("member-namespace-terminating"), title: "The cluster is leaving the fleet",
			seen:  "WorkSynchronized False `… because it is being terminated`",
			leads: []engine.Lead{engine.LeadCluster, engine.LeadMember}, heals: engine.HealMember, heal: engine.Lit("After a fix on the member: it has to join again. Otherwise the run fails when the placement drops the cluster."),
			steps: lits(engine.Lit("If the cluster is to leave the fleet, create a new run (C) when it is gone."), engine.Lit("If not, let it join again: the same run continues.")),
			shows: []command{showMember, showNamespace, showBinding}, hard: true, now: stayingNow,
		},
		typ: placement.BindingWorkSynchronized, pattern: regexp.MustCompile(`because it is being terminated`), says: unsynced,
	},
	{
		entry: entry{
			cause: engine.NewCause("envelope-invalid"), title: "An envelope cannot be read",
			seen:  "WorkSynchronized False `… failed to parse the wrapped manifest …`, `… namespaced object … wrapped in a cluster resource envelope`, `… envelope …`",
			leads: []engine.Lead{engine.LeadCluster, engine.LeadDiff, engine.LeadClone}, heals: engine.HealNewRun, heal: engine.Lit("Needs a new run: the envelope is part of the snapshot, which this run keeps."),
			steps: lits(engine.Lit("Repair the envelope on the hub, then create a new run (C).")),
			shows: []command{showBinding, showSnapshots}, hard: true,
		},
		typ: placement.BindingWorkSynchronized, pattern: regexp.MustCompile(`(?i)wrapped manifest|wrapped in a|envelope`), says: unsynced,
	},
	{
		entry: entry{
			cause: engine.NewCause("snapshot-gone"), title: "The resource snapshot is gone",
			seen:  "WorkSynchronized False with a resource snapshot that is not found",
			leads: onPlacement, heals: engine.HealNewRun, heal: engine.Lit("Needs a new run: the snapshot was deleted, and this run keeps it."),
			steps: lits(engine.Lit("Create a new run (C) with a snapshot that exists, or without an index for the newest.")),
			shows: []command{showSnapshots, showBinding}, hard: true, now: snapshotGoneNow,
		},
		typ: placement.BindingWorkSynchronized, pattern: regexp.MustCompile(`(?i)(?:master ?)?resource ?snapshots?\b.*(?:not found|deleted|is gone)|no master ?resource ?snapshot`), says: unsynced,
	},
	{
		entry: entry{
			cause: engine.NewCause("works-not-written"), title: "The works for the member could not be written, for an unknown reason",
			seen:  "WorkSynchronized False `Failed to synchronize the work to the latest: …`, any other message",
			leads: []engine.Lead{engine.LeadCluster, engine.LeadLogs}, heals: engine.HealHub, heal: engine.Lit("After a fix on the hub: the cluster's namespace and the envelopes have to be usable."),
			steps: lits(engine.Lit("Check whether the cluster is leaving the fleet, and whether an envelope is broken."), engine.Lit("Read the controller's log (L).")),
			shows: []command{showBinding, showMember, showNamespace, showLogs}, hard: true,
		},
		typ: placement.BindingWorkSynchronized, says: unsynced,
	},
	{
		entry: entry{
			cause: engine.NewCause("applying"), title: "The resources are being applied",
			seen:  "Applied False `ApplyInProgress`",
			heals: engine.HealItself, heal: engine.Lit("Recovers automatically: the resources are being applied."), steps: lits(engine.Lit("Wait."), engine.Lit("If it lasts, check whether the member's agent reports.")),
			shows: []command{showBinding, showWorks, showMember}, waits: true, now: agentNow,
		},
		typ: placement.BindingApplied, reason: placement.ReasonApplyInProgress,
		says: always(clause{lead: engine.Lit("The resources are still being applied")}),
	},
	{
		entry: entry{
			cause: engine.NewCause("apply-not-processed"), title: "The member has not answered a Work yet",
			seen:  "Applied False `Work object … has not yet completed the apply op`: the Work has no condition, or one about an older generation",
			leads: []engine.Lead{engine.LeadCluster, engine.LeadMember}, heals: engine.HealMember, heal: engine.Lit("After a fix on the member: its agent has to process the Work."),
			steps: lits(engine.Lit("Check whether the member's agent runs and reaches the hub."), engine.Lit("Look at the Work's conditions and generation.")),
			shows: []command{showWorks, showMember, showAgentOnMember}, waits: true, now: agentNow,
		},
		typ: placement.BindingApplied, pattern: regexp.MustCompile(`has not yet completed the apply op`),
		says: ofMember(engine.Lit("has not reported on a Work")),
	},
	{
		entry: entry{
			cause: engine.NewCause("apply-failed"), title: "A Work failed to apply, and no manifest is listed",
			seen:  "Applied False `NotAllWorkHaveBeenApplied` `Work object … has failed to apply` (older: `… is not applied`), failedPlacements empty",
			leads: []engine.Lead{engine.LeadCluster, engine.LeadMember}, heals: engine.HealUnknown, hard: true,
			steps: lits(engine.Lit("Look at the cluster's Works and at the member (m)."), engine.Lit("The Work's manifestConditions name the manifest that failed.")),
			shows: []command{showWorks, showBinding, showMember},
		},
		typ: placement.BindingApplied, says: detailed(engine.Lit("A Work failed to apply")),
	},
	{
		entry: entry{
			cause: engine.NewCause("availability-not-checked"), title: "The member has not checked a Work's availability yet",
			seen:  "Available False `Work object … has not yet completed availability check`",
			leads: []engine.Lead{engine.LeadCluster, engine.LeadMember}, heals: engine.HealMember, heal: engine.Lit("After a fix on the member: its agent has to process the Work."),
			steps: lits(engine.Lit("Check whether the member's agent runs and reaches the hub."), engine.Lit("Look at the Work's conditions and generation.")),
			shows: []command{showWorks, showMember, showAgentOnMember}, waits: true, now: agentNow,
		},
		typ: placement.BindingAvailable, pattern: regexp.MustCompile(`has not yet completed availability check`),
		says: ofMember(engine.Lit("has not checked the availability of a Work")),
	},
	{
		entry: entry{
			cause: notAvailable, title: "A Work is not available, and no manifest is listed",
			seen:  "Available False `NotAllWorkAreAvailable` `Work object … is not yet available`, failedPlacements empty",
			leads: []engine.Lead{engine.LeadCluster, engine.LeadMember}, heals: engine.HealUnknown,
			steps: lits(engine.Lit("Look at the cluster's Works and at the member (m).")),
			shows: []command{showWorks, showBinding, showMember},
		},
		typ: placement.BindingAvailable, says: detailed(engine.Lit("A Work is not available")),
	},
	{
		entry: entry{
			cause: engine.NewCause("diff-in-progress"), title: "Differences are being reported",
			seen:  "DiffReported False `DiffReportInProgress`, or `Work object … has not yet completed diff reporting`",
			heals: engine.HealItself, heal: engine.Lit("Recovers automatically: the differences are being reported."),
			steps: lits(engine.Lit("Wait."), engine.Lit("If it lasts, check whether the member's agent reports.")),
			shows: []command{showWorks, showMember}, waits: true, now: agentNow,
		},
		typ: placement.BindingDiffReported, pattern: regexp.MustCompile(`in progress|has not yet completed diff reporting`),
		says: ofMember(engine.Lit("has not reported differences yet")),
	},
	{
		entry: entry{
			cause: engine.NewCause("diff-failed"), title: "Differences could not be reported",
			seen:  "DiffReported False `Work object … has failed to report diff`: FailedToReportDiff, or only differences found in degraded mode",
			leads: []engine.Lead{engine.LeadCluster, engine.LeadMember}, heals: engine.HealMember, heal: healWhenMember, hard: true,
			steps: lits(
				engine.Lit("Look at the manifests' conditions."),
				engine.Lit("If all have FoundDiffInDegradedMode, the controller counts the differences as not reported: set comparisonOption to PartialComparison or fix the manifest, then create a new run (C)."),
			),
			shows: []command{showWorks, showMember},
		},
		typ: placement.BindingDiffReported, says: detailed(engine.Lit("Differences could not be reported")),
	},
}

// What a binding may say besides.
var (
	notReached = entry{
		cause: engine.NewCause("not-reached"), title: "The run has not reached the cluster",
		seen:  "the cluster is not Started (on the placement: RolloutStarted Unknown)",
		heals: engine.HealNotNeeded, heal: engine.Lit("No recovery needed."), note: true,
	}
	rolloutNotStarted = entry{
		cause: engine.NewCause("rollout-not-started"), title: "The binding's rollout has not begun",
		seen:  "RolloutStarted absent, or about an older generation of the binding",
		heals: engine.HealItself, heal: engine.Lit("Recovers automatically at the controller's next check."),
		steps: lits(engine.Lit("Wait. If it lasts, read the controller's log (L).")),
		shows: []command{showBinding, showLogs},
	}
	worksMissing = entry{
		cause: engine.NewCause("works-missing"), title: "No Work is written for the cluster yet",
		seen:  "RolloutStarted True, and neither Overridden nor WorkSynchronized about the binding's generation",
		heals: engine.HealHub, heal: engine.Lit("After a fix on the hub: its work generator has to write the Works."),
		steps: lits(engine.Lit("Wait. If it lasts, read the controller's log (L)."), engine.Lit("Check whether the cluster is still a member.")),
		shows: []command{showWorks, showLogs, showMember}, waits: true,
	}
	nothingReported = entry{
		cause: engine.NewCause("nothing-reported"), title: "No condition is False, and the result is not reported",
		seen:  "RolloutStarted and WorkSynchronized True, no False condition, neither Available nor DiffReported True",
		leads: []engine.Lead{engine.LeadCluster, engine.LeadMember}, heals: engine.HealUnknown, heal: engine.Lit("Unknown: the member may be silent."),
		steps: lits(engine.Lit("Check whether the member's agent still reports to the hub."), engine.Lit("Look at the Work's conditions and generation.")),
		shows: []command{showWorks, showMember, showAgentOnMember}, waits: true, now: agentNow,
	}
	landed = entry{
		cause: engine.NewCause("landed"), title: "The update of the cluster has finished and is not recorded in the run yet",
		seen:  "binding Available True or DiffReported True at its generation, cluster not Succeeded",
		heals: engine.HealItself, heal: engine.Lit("Recovers automatically: the controller checks every 15 s, less often after errors."), steps: lits(engine.Lit("Wait for the controller's next check.")),
		shows: []command{showBinding, showRun},
	}
	bindingGone = entry{
		cause: engine.NewCause("binding-gone"), title: "The cluster has no binding",
		seen:  "the bindings of the placement are known, and none is for a started cluster",
		leads: onPlacement, heals: engine.HealNewRun, heal: engine.Lit("Needs a new run: this run fails at the controller's next check of the cluster."),
		steps: lits(engine.Lit("Create a new run (C)."), pickAgain),
		shows: []command{showBindings, showMember, showPlacement}, hard: true,
	}
	noLongerPicked = entry{
		cause: engine.NewCause("no-longer-picked"), title: "The placement no longer picks the cluster",
		seen:  "the binding of a started cluster is Unscheduled or being deleted",
		leads: onPlacement, heals: engine.HealNewRun, heal: engine.Lit("Needs a new run: this run fails at the controller's next check of the cluster."),
		steps: lits(engine.Lit("Create a new run (C)."), pickAgain),
		shows: []command{showBinding, showMember, showPlacement}, hard: true,
	}
	notTrackable = entry{
		cause: engine.NewCause("not-trackable"), title: "Kinds without a readiness check count as available",
		seen:  "Available True `NotAllWorkAreAvailabilityTrackable` (older: `WorkNotTrackable`)",
		heals: engine.HealNotNeeded, heal: engine.Lit("No recovery needed."), note: true,
		steps: lits(engine.Lit("Verify on the member that the objects work: their readiness is not checked.")),
		shows: []command{showWorks},
	}
	driftTolerated = entry{
		cause: engine.NewCause("drift-tolerated"), title: "Drift is found and tolerated",
		seen:  "driftedPlacements not empty, no condition False",
		heals: engine.HealNotNeeded, heal: engine.Lit("No recovery needed: the placement's apply strategy tolerates drift."), note: true,
		steps: lits(engine.Lit("Compare targetClusterObservedGeneration with the object's generation on the member: the report may be old.")),
		shows: []command{showBinding},
	}
	diffReported = entry{
		cause: engine.NewCause("diff-reported"), title: "Differences are reported, as configured",
		seen:  "DiffReported True, diffedPlacements not empty (ReportDiff: no resource is changed)",
		heals: engine.HealNotNeeded, heal: engine.Lit("No recovery needed: the cluster counts as succeeded, and nothing was changed on it."), note: true,
		steps: lits(engine.Lit("Read the differences on the binding.")),
		shows: []command{showBinding},
	}
	removalHeld = entry{
		cause: engine.NewCause("removal-held"), title: "The deletion from a cluster does not end",
		seen:  "deletion stage: cluster Started and not Succeeded, the binding has a deletionTimestamp and the finalizer kubernetes-fleet.io/work-cleanup",
		leads: []engine.Lead{engine.LeadCluster, engine.LeadMember}, heals: engine.HealMember, heal: engine.Lit("After a fix on the member: its agent has to remove the Works. The controller waits without a limit."),
		steps: lits(
			engine.Lit("Check the member's agent: it deletes the objects and removes its finalizer from the Works. The first command prints the Works that remain, with their finalizers."),
			engine.Lit("If a Work has a finalizer that is not Fleet's, the controller that set it has to remove it."),
			engine.Lit("Do not remove Fleet's finalizer while the member can come back: the objects would stay on it."),
		),
		shows: []command{showWorkFinalizers, showWorks, showMember, showBinding}, waits: true, reads: engine.ReadWorks,
	}
	clusterFailed = entry{
		cause: engine.NewCause("cluster-failed"), title: "The cluster has failed, for an unknown reason",
		seen:  "cluster Succeeded False, and no pattern matches",
		leads: []engine.Lead{engine.LeadCluster, engine.LeadClone}, heals: engine.HealNewRun, heal: engine.Lit("Needs a new run: a failed cluster fails its run permanently."),
		steps: lits(engine.Lit("Remove the cause in the message, then create a new run (C).")),
		shows: []command{showBinding, showRun},
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

func showNamespace(k *kit) engine.Text {
	if k.cluster == nil {
		return engine.Text{}
	}
	return k.fleet("get", "namespaces", placement.MemberNamespace(k.cluster.Name), "-o", "yaml")
}
