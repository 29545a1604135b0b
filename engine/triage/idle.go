package triage

import "github.com/stagewatch/stagewatch/engine"

// The causes for which a run waits, or looks as if it did.
var (
	neverObserved = entry{
		cause: engine.NewCause("not-picked-up"), title: "The controller has written nothing about the run",
		sign:     "no condition at all for 10 s",
		recovery: engine.HealHub, recoveryText: engine.Lit("After a fix on the hub: the controller has to run; it normally reacts within a second."),
		steps: lits(
			engine.Lit("Check that the hub agent runs with staged update runs enabled. Its log (L) has the errors that it retries."),
			engine.Lit("The hub agent needs the flag --enable-staged-update-run-apis; for namespaced runs --enable-resource-placement too."),
		),
		commands: []command{cShowHubAgent, cShowLogs, cShowBindings},
	}
	changeNotObserved = entry{
		cause: engine.NewCause("change-not-noticed"), title: "The controller has not reacted to a change",
		sign:     "newest observedGeneration below metadata.generation for 10 s",
		recovery: engine.HealHub, recoveryText: engine.Lit("After a fix on the hub: the controller has to run; it normally reacts within a second."),
		steps: lits(
			engine.Lit("Check that the hub agent runs. Another run that keeps it busy delays this one."),
			engine.Lit("One worker processes all runs of a scope, one after the other."),
		),
		commands: []command{cShowHubAgent, cShowLogs, cShowRuns},
	}
	initializing = entry{
		cause: engine.NewCause("initializing"), title: "The run is new and not initialized yet",
		sign:     "no Initialized condition, for less than 30 s",
		recovery: engine.HealItself, recoveryText: engine.Lit("Recovers automatically: the controller processes one run after the other."),
		steps:    lits(engine.Lit("Wait. After 30 s the diagnosis (d) names the reason.")),
		commands: []command{cShowRun, cShowHubAgent, cShowLogs},
	}
	ready = entry{
		cause: engine.NewCause("not-started"), title: "The run waits to be started",
		sign:    "Initialized True, spec.state Initialize, no stage begun",
		actions: []engine.Lead{engine.LeadRun, engine.LeadPlan}, recovery: engine.HealPerson, recoveryText: engine.Lit("Needs a person: start the run."),
		commands: []command{cStart, cShowRun},
	}
	frozen = entry{
		cause: engine.NewCause("state-initialize-but-begun"), title: "State Initialize although stages have begun",
		sign:    "spec.state Initialize or of an old version, and a stage begun",
		actions: []engine.Lead{engine.LeadRun, engine.LeadPlan}, recovery: engine.HealPerson, recoveryText: engine.Lit("Needs a person: a hub since v0.2 holds the run until it is started; an older one ignores the state."),
		steps: lits(
			engine.Lit("If nothing moves, start it (R)."),
			engine.Lit("An upgrade of the hub to v0.2 or later during a run has this effect."),
		),
		commands: []command{cStart, cShowRun},
	}
	stopped = entry{
		cause: engine.NewCause("stopped"), title: "The run is stopped",
		sign:    "Progressing False UpdateRunStopped",
		actions: []engine.Lead{engine.LeadRun, engine.LeadPlan}, recovery: engine.HealPerson, recoveryText: engine.Lit("Needs a person: resume the run."),
		commands: []command{cStart, cShowRun},
	}
	stoppingInFlight = entry{
		cause: engine.NewCause("stopping-in-flight"), title: "Stopping waits for updating clusters",
		sign:    "Progressing Unknown UpdateRunStopping, a cluster Started and not Succeeded",
		actions: []engine.Lead{engine.LeadRun}, recovery: engine.HealItself, recoveryText: engine.Lit("Recovers automatically: the run stops when these clusters have finished."),
		steps:    lits(engine.Lit("Check the updating clusters: a stuck one keeps the run from stopping."), engine.Lit("To continue the rollout instead, resume the run (R).")),
		commands: []command{cShowBindings, cShowRun, cStart},
	}
	stoppingIdle = entry{
		cause: engine.NewCause("stopping"), title: "Stop was requested and no cluster is updating",
		sign:    "spec.state Stop or UpdateRunStopping, no cluster updating",
		actions: []engine.Lead{engine.LeadRun}, recovery: engine.HealItself, recoveryText: engine.Lit("Recovers automatically: the controller reports the run as stopped shortly."),
		steps:    lits(engine.Lit("Wait until the controller reports the run as stopped. To continue the rollout instead, resume the run (R).")),
		commands: []command{cShowRun, cStart},
	}
	stoppingRemoval = entry{
		cause: engine.NewCause("stopping-before-removal"), title: "Stopped before the deletion stage began: never reported as stopped",
		sign:    "Progressing Unknown UpdateRunStopping, all stages done, the deletion stage StageUpdatingStopped",
		actions: []engine.Lead{engine.LeadRun}, recovery: engine.HealPerson, recoveryText: engine.Lit("Needs a person: the controller never reports it as stopped."),
		steps:    lits(engine.Lit("Resume it (R) to delete the placement from those clusters and finish.")),
		commands: []command{cStart, cShowRun, cShowBindings},
	}
	approvalBefore = entry{
		cause: engine.NewCause("approval-before-stage"), title: "A stage waits for an approval before it begins",
		sign:    "UpdateRunWaiting `before-stage`, request <run>-before-<stage> not approved",
		actions: []engine.Lead{engine.LeadApprove, engine.LeadInbox}, recovery: engine.HealPerson, recoveryText: engine.Lit("Needs a person: approve the stage."),
		commands: []command{cApprove, cShowApprovals},
	}
	approvalAfter = entry{
		cause: engine.NewCause("approval-after-stage"), title: "A stage waits for an approval before it ends",
		sign:    "UpdateRunWaiting `after-stage`, request <run>-after-<stage> (older hubs: <run>-<stage>) not approved",
		actions: []engine.Lead{engine.LeadApprove, engine.LeadInbox}, recovery: engine.HealPerson, recoveryText: engine.Lit("Needs a person: approve the stage."),
		commands: []command{cApprove, cShowApprovals},
	}
	approvalGone = entry{
		cause: engine.NewCause("approval-request-absent"), title: "The approval request does not exist",
		sign:     "ApprovalRequestCreated True, and no such request on the hub",
		recovery: engine.HealHub, recoveryText: engine.Lit("After a fix on the hub: the controller creates the request again while the run's state is Run. Then a person has to approve."),
		commands: []command{cShowApprovals, cShowLogs},
	}
	approvalForeign = entry{
		cause: engine.NewCause("approval-request-foreign"), title: "The approval request of that name is for another run or stage",
		sign:    "the request's spec names another run or stage",
		actions: []engine.Lead{engine.LeadInbox}, recovery: engine.HealPerson, recoveryText: engine.Lit("Needs a person: the run fails unless the request is deleted first."),
		steps:    lits(engine.Lit("Delete the approval request: the controller creates a new one.")),
		commands: []command{cDeleteApproval, cShowApprovals},
	}
	approvalNotAccepted = entry{
		cause: engine.NewCause("approval-not-accepted"), title: "An approval with a wrong observedGeneration has no effect",
		sign:    "Approved True, no ApprovalAccepted, observedGeneration differs from metadata.generation",
		actions: []engine.Lead{engine.LeadApprove, engine.LeadInbox}, recovery: engine.HealPerson, recoveryText: engine.Lit("Needs a person: the controller ignores this approval."),
		steps:    lits(engine.Lit("Approve again (A): stagewatch sets the right observedGeneration.")),
		commands: []command{cApprove, cShowApprovals},
	}
	approvalSent = entry{
		cause: engine.NewCause("approval-sent"), title: "An approval is given and not accepted yet",
		sign:     "Approved True at the request's generation, no ApprovalAccepted",
		recovery: engine.HealItself, recoveryText: engine.Lit("Recovers automatically: the controller normally accepts it within a second."),
		steps:    lits(engine.Lit("Wait. If it lasts, check that the hub agent runs.")),
		commands: []command{cShowApprovals, cShowLogs},
	}
	approvalNotObserved = entry{
		cause: engine.NewCause("approval-not-noticed"), title: "The controller has not reacted to an approval",
		sign:     "Approved True at the request's generation, no ApprovalAccepted for 10 s while the run's state is Run",
		recovery: engine.HealHub, recoveryText: engine.Lit("After a fix on the hub: the controller has to run; it normally reacts within a second."),
		steps: lits(
			engine.Lit("Check that the hub agent runs. Another run that keeps it busy delays this one."),
			engine.Lit("Do not approve again: the approval is valid."),
		),
		commands: []command{cShowHubAgent, cShowLogs, cShowApprovals},
	}
	timedWait = entry{
		cause: engine.NewCause("timed-wait"), title: "A stage is in a timed wait",
		sign:    "UpdateRunWaiting `after-stage` with a TimedWait; the end is the stage's Progressing time + waitTime",
		actions: []engine.Lead{engine.LeadPlan}, recovery: engine.HealItself, recoveryText: engine.Lit("Recovers automatically when the wait has elapsed."),
		steps:    lits(engine.Lit("Nothing to do."), engine.Lit("A stop restarts the wait.")),
		commands: []command{cShowRun},
	}
	preempted = entry{
		cause: engine.NewCause("preempted"), title: "Another run preempted this run on a cluster",
		sign:    "a started cluster's binding names another run or another snapshot; message `… is not up-to-date with the desired status …`, `… does not match the cluster status …`, `… does not have expected status …`",
		actions: onTaker, recovery: engine.HealNewRun,
		commands: []command{cShowWinner, cShowBinding, cShowRuns},
	}
	takenByHand = entry{
		cause: engine.NewCause("binding-changed-by-hand"), title: "A binding was changed, by another run or by hand",
		sign:    "as preempted, and the binding names no other run",
		actions: []engine.Lead{engine.LeadOwners, engine.LeadClone}, recovery: engine.HealNewRun,
		steps:    lits(engine.Lit("Find who changed the cluster's binding. Then create a new run (C) if this snapshot is still wanted.")),
		commands: []command{cShowBinding, cShowRuns},
	}
	takenUnread = entry{
		cause: engine.NewCause("taken-by-unread"), title: "Preempted on a cluster; the bindings, which name the other run, are not read",
		sign:    "as preempted, and the placement's bindings are not read",
		actions: []engine.Lead{engine.LeadOwners, engine.LeadClone}, recovery: engine.HealNewRun,
		steps:    lits(engine.Lit("Find which run has the cluster now (o). Then create a new run (C) if this snapshot is still wanted.")),
		commands: []command{cShowBindings, cShowRuns},
	}
	rivalRuns = entry{
		cause: engine.NewCause("two-runs-on-one-placement"), title: "Competing runs: two unfinished runs on one placement",
		sign:    "another unfinished run of the placement, with another snapshot, has clusters in common that neither has done",
		actions: []engine.Lead{engine.LeadOwners, engine.LeadStop}, recovery: engine.HealPerson, recoveryText: engine.Lit("Needs a person: the run that writes a cluster last preempts the other, which then fails."),
		commands: []command{cShowRival, cStopRival, cShowBindings},
	}
	updating = entry{
		cause: engine.NewCause("updating"), title: "Clusters are updating",
		sign:    "Progressing True, a cluster Started for less than half of the stuck threshold",
		actions: []engine.Lead{engine.LeadPlan}, recovery: engine.HealNotNeeded, recoveryText: engine.Lit("No recovery needed."), steps: lits(engine.Lit("Nothing to do.")),
		commands: []command{cShowRun},
	}
	betweenLooks = entry{
		cause: engine.NewCause("between-two-looks"), title: "The controller's next check is due",
		sign:     "every started cluster's binding has succeeded, or the next stage starts",
		recovery: engine.HealItself, recoveryText: engine.Lit("Recovers automatically: the controller checks every 15 s, less often after errors."),
		steps:    lits(engine.Lit("Wait for the controller's next check.")),
		commands: []command{cShowBindings, cShowRun},
	}
	failingEarly = entry{
		cause: engine.NewCause("failing-before-stuck"), title: "A cluster fails before the stuck threshold",
		sign:    "Progressing True, a started cluster's binding has a False condition that does not recover automatically (the cause is that of the condition)",
		actions: []engine.Lead{engine.LeadCluster}, recovery: engine.HealUnknown,
	}
	removing = entry{
		cause: engine.NewCause("removing"), title: "The placement is deleted from clusters that it no longer picks",
		sign:     "the deletion stage is not done",
		recovery: engine.HealItself, recoveryText: engine.Lit("Recovers automatically when the member's agent has deleted the Works."), steps: lits(engine.Lit("Nothing to do.")),
		commands: []command{cShowBindings, cShowRun},
	}
	stuckUnknown = entry{
		cause: engine.NewCause("stuck"), title: "A cluster is over the stuck threshold",
		sign:     "Progressing False UpdateRunStuck (`… stuck waiting for …`), or a started cluster over the stuck threshold, and its binding shows no cause",
		recovery: engine.HealUnknown,
		steps:    lits(engine.Lit("Open the run: the cluster's conditions and failing manifests show the cause.")),
		commands: []command{cShowBinding, cShowMember, cShowWorks},
	}
	stuckUnnamed = entry{
		cause: engine.NewCause("stuck-but-nothing-in-flight"), title: "Reported as stuck, and no cluster is updating",
		sign:     "UpdateRunStuck, and no cluster Started without Succeeded",
		recovery: engine.HealItself, recoveryText: engine.Lit("Recovers automatically when the clusters have finished."),
		steps:    lits(engine.Lit("Open the run and look at its clusters.")),
		commands: []command{cShowRun, cShowBindings},
	}
	slowUnknown = entry{
		cause: engine.NewCause("slow"), title: "A cluster is past half of the stuck threshold",
		sign:     "a cluster Started for more than half of the stuck threshold, and its binding shows no cause",
		recovery: engine.HealUnknown, recoveryText: engine.Lit("Unknown: the binding is not read yet."),
		steps:    lits(engine.Lit("Open the run: the cluster's conditions show the cause.")),
		commands: []command{cShowBinding, cShowMember, cShowWorks},
	}
	deleting = entry{
		cause: engine.NewCause("deleting"), title: "The run is being deleted",
		sign:     "metadata.deletionTimestamp",
		recovery: engine.HealItself, recoveryText: engine.Lit("Recovers automatically: the controller deletes the approval requests, then the run."),
		commands: []command{cShowRun, cShowHubAgent},
	}
	done = entry{
		cause: engine.NewCause("done"), title: "All stages are done",
		sign:     "Succeeded True",
		recovery: engine.HealNotNeeded, recoveryText: engine.Lit("No recovery needed."), steps: lits(engine.Lit("Nothing to do.")),
		commands: []command{cShowRun},
	}
	changedAfterEnd = entry{
		cause: engine.NewCause("changed-after-its-end"), title: "A run that is over was changed",
		sign:     "Succeeded set or Initialized False, and observedGeneration below metadata.generation",
		recovery: engine.HealNotNeeded, note: true,
	}
	unknownFailure = entry{
		cause: engine.NewCause("unknown-failure"), title: "The run failed with a message that is not in this catalogue",
		sign:     "Initialized False or Succeeded False, and no pattern matches",
		recovery: engine.HealNewRun,
		steps:    lits(engine.Lit("Remove the cause in the message, then create a new run (C).")),
		commands: []command{cShowRun, cShowLogs},
	}
	noRun = entry{
		cause: engine.NewCause("no-run"), title: "An External placement that no run rolls out",
		sign:    "spec.strategy.type External, and no run names it, or only runs with Initialized False",
		actions: []engine.Lead{engine.LeadPlan, engine.LeadClone, engine.LeadPlacement}, recovery: engine.HealPerson, recoveryText: engine.Lit("Needs a person: nothing is rolled out before a run is created."),
		steps:    lits(engine.Lit("Create a run of it (C)."), engine.Lit("Open the placement (enter) to see its snapshots, clusters and earlier runs.")),
		commands: []command{cShowPlacement, cShowSnapshots, cShowStrategies},
	}
	notScheduledYet = entry{
		cause: engine.NewCause("schedule-failed"), title: "The placement cannot be scheduled",
		sign:    "placement Scheduled False `SchedulingPolicyUnfulfilled` (per cluster `ScheduleFailed`), `could not find all (the) clusters needed as specified by the scheduling policy`",
		actions: []engine.Lead{engine.LeadPlacement}, recovery: engine.HealHub, recoveryText: engine.Lit("After a fix on the hub: enough clusters have to fit the policy. A run created before that fails."),
		steps: lits(
			engine.Lit("Label or join clusters, or change the policy. status.targetClusters of the policy snapshot gives the reasons."),
			engine.Lit("Reasons are affinity, taints, clusters that have not joined or are silent, and names in PickFixed that do not exist."),
		),
		commands: []command{cShowPolicySnapshots, cShowPlacement, cShowMembers},
		check:    cPlacementNow,
	}
	badSelectors = entry{
		cause: engine.NewCause("selectors-invalid"), title: "The placement's resource selectors are not valid",
		sign:    "placement Scheduled False `InvalidResourceSelectors`",
		actions: []engine.Lead{engine.LeadPlacement}, recovery: engine.HealHub, recoveryText: engine.Lit("After a fix on the hub: correct the selectors. A run created before that fails."),
		steps:    lits(engine.Lit("Correct the placement's resource selectors.")),
		commands: []command{cShowPlacement},
		check:    cPlacementNow,
	}
	unreadable = entry{
		cause: engine.NewCause("unreadable"), title: "The object cannot be decoded",
		sign:    "the object does not match the types of any supported version",
		actions: []engine.Lead{}, recovery: engine.HealUnknown, recoveryText: engine.Lit("Unknown: the object has to be repaired or written again."),
		steps:    lits(engine.Lit("Look at it with kubectl. A newer hub may need a newer stagewatch.")),
		commands: []command{cShowBroken},
	}
	loading = entry{
		cause: engine.NewCause("loading"), title: "The details of the run are still loading",
		sign:    "only the run's row of the table is read",
		actions: []engine.Lead{}, recovery: engine.HealUnknown,
	}
)

func idle() []*entry {
	return []*entry{
		&neverObserved, &changeNotObserved, &initializing, &initRetried, &initFails, &ready, &frozen, &stopped, &stoppingInFlight, &stoppingIdle, &stoppingRemoval, &heldWhileStopping,
		&approvalBefore, &approvalAfter, &approvalGone, &approvalForeign, &approvalNotAccepted, &approvalSent, &approvalNotObserved, &timedWait,
		&preempted, &takenByHand, &takenUnread, &rivalRuns, &updating, &betweenLooks, &failingEarly, &stuckUnknown, &stuckUnnamed, &slowUnknown,
		&removing, &deleting, &deletingHeld, &deletingLate, &controllerLate, &done, &doneContradicted, &changedAfterEnd, &noStages, &unknownProgress, &unknownFailure, &noRun, &notScheduledYet, &badSelectors, &unreadable, &loading,
	}
}

var (
	initRetried = entry{
		cause: engine.NewCause("initialization-retried"), title: "The controller retries initialization",
		sign:    "no Initialized condition for 30 s, and an error in the run's plan that is retried",
		actions: []engine.Lead{engine.LeadPlan, engine.LeadLogs}, recovery: engine.HealHub,
		recoveryText: engine.Lit("After a fix on the hub: the controller retries with a backoff of up to 17 minutes, and writes nothing to the run meanwhile."),
		steps:        lits(engine.Lit("Remove the cause. The same run then initializes; no new run is needed.")),
		commands:     []command{cShowBindings, cShowLogs},
	}
	initFails = entry{
		cause: engine.NewCause("initialization-will-fail"), title: "Initialization will fail when the controller tries it",
		sign:    "no Initialized condition for 30 s, and a final error in the run's plan",
		actions: []engine.Lead{engine.LeadPlan, engine.LeadLogs}, recovery: engine.HealHub,
		recoveryText: engine.Lit("After a fix on the hub, made before the controller tries: a run that failed initialization is not retried."),
		steps: lits(
			engine.Lit("Fix the cause first: the controller has written nothing yet."),
			engine.Lit("Then check that the hub agent runs and has staged update runs enabled."),
		),
		commands: []command{cShowHubAgent, cShowLogs, cShowBindings},
	}
)

// What a run says that no hub known here says, or that contradicts itself.
var (
	unknownProgress = entry{
		cause: engine.NewCause("unknown-progress"), title: "The run has a reason that is not in this catalogue",
		sign:     "Progressing with an unknown reason, or Succeeded Unknown",
		recovery: engine.HealUnknown, recoveryText: engine.Lit("Unknown: the reason is not in the catalogue."),
		steps:    lits(engine.Lit("Read the message: a newer hub may need a newer stagewatch."), engine.Lit("Read the controller's log (L).")),
		commands: []command{cShowRun, cShowLogs}, actions: []engine.Lead{engine.LeadLogs},
	}
	noStages = entry{
		cause: engine.NewCause("no-stages-recorded"), title: "An initialized run without stages",
		sign:     "Initialized True, and status.stagesStatus empty",
		recovery: engine.HealUnknown, recoveryText: engine.Lit("Unknown: the status was edited, or written by an unknown version."),
		steps:    lits(engine.Lit("Look at the object. If it stays so, create a new run (C).")),
		commands: []command{cShowRun, cShowLogs}, actions: []engine.Lead{engine.LeadClone},
	}
	doneContradicted = entry{
		cause: engine.NewCause("done-contradicted"), title: "A run that is DONE has clusters that are not",
		sign:     "Succeeded True, and a cluster of a stage without Succeeded True",
		recovery: engine.HealUnknown, recoveryText: engine.Lit("Unknown: the status is inconsistent; it was edited, or written by another version of the controller."),
		steps:    lits(engine.Lit("Check which snapshot those clusters have (o). Create a new run (C) for what is missing.")),
		commands: []command{cShowBindings, cShowRun}, actions: []engine.Lead{engine.LeadOwners, engine.LeadClone},
	}
)

// heldWhileStopping is a cluster that another run took from a run that is
// stopping: the controller checks the owner of a binding only in runs that are not
// (updaterun, stopUpdatingStage).
var heldWhileStopping = entry{
	cause: engine.NewCause("held-while-stopping"), title: "Another run holds a cluster of a run that is stopping",
	sign:    "spec.state Stop, and the binding of a started, unfinished cluster names another run or another snapshot",
	actions: []engine.Lead{engine.LeadTaker, engine.LeadOwners, engine.LeadClone}, recovery: engine.HealItself,
	recoveryText: engine.Lit("Recovers automatically: the run stops when the cluster has finished with the other run's snapshot."),
	steps:        lits(engine.Lit("Wait until the cluster has finished. A resume (R) before that preempts this run.")),
	commands:     []command{cShowWinner, cShowBinding, cShowRuns},
}
