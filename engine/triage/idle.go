package triage

import "github.com/stagewatch/stagewatch/engine"

// The causes for which a run waits, or looks as if it did.
var (
	neverObserved = entry{
		cause: engine.NewCause("not-picked-up"), title: "The controller has written nothing about the run",
		seen:  "no condition at all for 10 s",
		heals: engine.HealHub, heal: engine.Lit("After a fix on the hub: the controller has to run; it normally reacts within a second."),
		steps: lits(
			engine.Lit("Check that the hub agent runs with staged update runs enabled. Its log (L) has the errors that it retries."),
			engine.Lit("The hub agent needs the flag --enable-staged-update-run-apis; for namespaced runs --enable-resource-placement too."),
		),
		shows: []command{showHubAgent, showLogs, showBindings},
	}
	changeNotObserved = entry{
		cause: engine.NewCause("change-not-noticed"), title: "The controller has not reacted to a change",
		seen:  "newest observedGeneration below metadata.generation for 10 s",
		heals: engine.HealHub, heal: engine.Lit("After a fix on the hub: the controller has to run; it normally reacts within a second."),
		steps: lits(
			engine.Lit("Check that the hub agent runs. Another run that keeps it busy delays this one."),
			engine.Lit("One worker processes all runs of a scope, one after the other."),
		),
		shows: []command{showHubAgent, showLogs, showRuns},
	}
	initializing = entry{
		cause: engine.NewCause("initializing"), title: "The run is new and not initialized yet",
		seen:  "no Initialized condition, for less than 30 s",
		heals: engine.HealItself, heal: engine.Lit("Recovers automatically: the controller processes one run after the other."),
		steps: lits(engine.Lit("Wait. After 30 s the diagnosis (d) names the reason.")),
		shows: []command{showRun, showHubAgent, showLogs},
	}
	ready = entry{
		cause: engine.NewCause("not-started"), title: "The run waits to be started",
		seen:  "Initialized True, spec.state Initialize, no stage begun",
		leads: []engine.Lead{engine.LeadRun, engine.LeadPlan}, heals: engine.HealPerson, heal: engine.Lit("Needs a person: start the run."),
		shows: []command{start, showRun},
	}
	frozen = entry{
		cause: engine.NewCause("state-initialize-but-begun"), title: "State Initialize although stages have begun",
		seen:  "spec.state Initialize or of an old version, and a stage begun",
		leads: []engine.Lead{engine.LeadRun, engine.LeadPlan}, heals: engine.HealPerson, heal: engine.Lit("Needs a person: a hub since v0.2 holds the run until it is started; an older one ignores the state."),
		steps: lits(
			engine.Lit("If nothing moves, start it (R)."),
			engine.Lit("An upgrade of the hub to v0.2 or later during a run has this effect."),
		),
		shows: []command{start, showRun},
	}
	stopped = entry{
		cause: engine.NewCause("stopped"), title: "The run is stopped",
		seen:  "Progressing False UpdateRunStopped",
		leads: []engine.Lead{engine.LeadRun, engine.LeadPlan}, heals: engine.HealPerson, heal: engine.Lit("Needs a person: resume the run."),
		shows: []command{start, showRun},
	}
	stoppingInFlight = entry{
		cause: engine.NewCause("stopping-in-flight"), title: "Stopping waits for updating clusters",
		seen:  "Progressing Unknown UpdateRunStopping, a cluster Started and not Succeeded",
		leads: []engine.Lead{engine.LeadRun}, heals: engine.HealItself, heal: engine.Lit("Recovers automatically: the run stops when these clusters have finished."),
		steps: lits(engine.Lit("Check the updating clusters: a stuck one keeps the run from stopping."), engine.Lit("To continue the rollout instead, resume the run (R).")),
		shows: []command{showBindings, showRun, start},
	}
	stoppingIdle = entry{
		cause: engine.NewCause("stopping"), title: "Stop was requested and no cluster is updating",
		seen:  "spec.state Stop or UpdateRunStopping, no cluster updating",
		leads: []engine.Lead{engine.LeadRun}, heals: engine.HealItself, heal: engine.Lit("Recovers automatically: the controller reports the run as stopped shortly."),
		steps: lits(engine.Lit("Wait until the controller reports the run as stopped. To continue the rollout instead, resume the run (R).")),
		shows: []command{showRun, start},
	}
	stoppingRemoval = entry{
		cause: engine.NewCause("stopping-before-removal"), title: "Stopped before the deletion stage began: never reported as stopped",
		seen:  "Progressing Unknown UpdateRunStopping, all stages done, the deletion stage StageUpdatingStopped",
		leads: []engine.Lead{engine.LeadRun}, heals: engine.HealPerson, heal: engine.Lit("Needs a person: the controller never reports it as stopped."),
		steps: lits(engine.Lit("Resume it (R) to delete the placement from those clusters and finish.")),
		shows: []command{start, showRun, showBindings},
	}
	approvalBefore = entry{
		cause: engine.NewCause("approval-before-stage"), title: "A stage waits for an approval before it begins",
		seen:  "UpdateRunWaiting `before-stage`, request <run>-before-<stage> not approved",
		leads: []engine.Lead{engine.LeadApprove, engine.LeadInbox}, heals: engine.HealPerson, heal: engine.Lit("Needs a person: approve the stage."),
		shows: []command{approve, showApprovals},
	}
	approvalAfter = entry{
		cause: engine.NewCause("approval-after-stage"), title: "A stage waits for an approval before it ends",
		seen:  "UpdateRunWaiting `after-stage`, request <run>-after-<stage> (older hubs: <run>-<stage>) not approved",
		leads: []engine.Lead{engine.LeadApprove, engine.LeadInbox}, heals: engine.HealPerson, heal: engine.Lit("Needs a person: approve the stage."),
		shows: []command{approve, showApprovals},
	}
	approvalGone = entry{
		cause: engine.NewCause("approval-request-absent"), title: "The approval request does not exist",
		seen:  "ApprovalRequestCreated True, and no such request on the hub",
		heals: engine.HealHub, heal: engine.Lit("After a fix on the hub: the controller creates the request again while the run's state is Run. Then a person has to approve."),
		shows: []command{showApprovals, showLogs},
	}
	approvalForeign = entry{
		cause: engine.NewCause("approval-request-foreign"), title: "The approval request of that name is for another run or stage",
		seen:  "the request's spec names another run or stage",
		leads: []engine.Lead{engine.LeadInbox}, heals: engine.HealPerson, heal: engine.Lit("Needs a person: the run fails unless the request is deleted first."),
		steps: lits(engine.Lit("Delete the approval request: the controller creates a new one.")),
		shows: []command{deleteApproval, showApprovals},
	}
	approvalNotAccepted = entry{
		cause: engine.NewCause("approval-not-accepted"), title: "An approval with a wrong observedGeneration has no effect",
		seen:  "Approved True, no ApprovalAccepted, observedGeneration differs from metadata.generation",
		leads: []engine.Lead{engine.LeadApprove, engine.LeadInbox}, heals: engine.HealPerson, heal: engine.Lit("Needs a person: the controller ignores this approval."),
		steps: lits(engine.Lit("Approve again (A): stagewatch sets the right observedGeneration.")),
		shows: []command{approve, showApprovals},
	}
	approvalSent = entry{
		cause: engine.NewCause("approval-sent"), title: "An approval is given and not accepted yet",
		seen:  "Approved True at the request's generation, no ApprovalAccepted",
		heals: engine.HealItself, heal: engine.Lit("Recovers automatically: the controller normally accepts it within a second."),
		steps: lits(engine.Lit("Wait. If it lasts, check that the hub agent runs.")),
		shows: []command{showApprovals, showLogs},
	}
	approvalNotObserved = entry{
		cause: engine.NewCause("approval-not-noticed"), title: "The controller has not reacted to an approval",
		seen:  "Approved True at the request's generation, no ApprovalAccepted for 10 s while the run's state is Run",
		heals: engine.HealHub, heal: engine.Lit("After a fix on the hub: the controller has to run; it normally reacts within a second."),
		steps: lits(
			engine.Lit("Check that the hub agent runs. Another run that keeps it busy delays this one."),
			engine.Lit("Do not approve again: the approval is valid."),
		),
		shows: []command{showHubAgent, showLogs, showApprovals},
	}
	timedWait = entry{
		cause: engine.NewCause("timed-wait"), title: "A stage is in a timed wait",
		seen:  "UpdateRunWaiting `after-stage` with a TimedWait; the end is the stage's Progressing time + waitTime",
		leads: []engine.Lead{engine.LeadPlan}, heals: engine.HealItself, heal: engine.Lit("Recovers automatically when the wait has elapsed."),
		steps: lits(engine.Lit("Nothing to do."), engine.Lit("A stop restarts the wait.")),
		shows: []command{showRun},
	}
	preempted = entry{
		cause: engine.NewCause("preempted"), title: "Another run preempted this run on a cluster",
		seen:  "a started cluster's binding names another run or another snapshot; message `… is not up-to-date with the desired status …`, `… does not match the cluster status …`, `… does not have expected status …`",
		leads: onTaker, heals: engine.HealNewRun,
		shows: []command{showWinner, showBinding, showRuns},
	}
	takenByHand = entry{
		cause: engine.NewCause("binding-changed-by-hand"), title: "A binding was changed, by another run or by hand",
		seen:  "as preempted, and the binding names no other run",
		leads: []engine.Lead{engine.LeadOwners, engine.LeadClone}, heals: engine.HealNewRun,
		steps: lits(engine.Lit("Find who changed the cluster's binding. Then create a new run (C) if this snapshot is still wanted.")),
		shows: []command{showBinding, showRuns},
	}
	takenUnread = entry{
		cause: engine.NewCause("taken-by-unread"), title: "Preempted on a cluster; the bindings, which name the other run, are not read",
		seen:  "as preempted, and the placement's bindings are not read",
		leads: []engine.Lead{engine.LeadOwners, engine.LeadClone}, heals: engine.HealNewRun,
		steps: lits(engine.Lit("Find which run has the cluster now (o). Then create a new run (C) if this snapshot is still wanted.")),
		shows: []command{showBindings, showRuns},
	}
	rivalRuns = entry{
		cause: engine.NewCause("two-runs-on-one-placement"), title: "Competing runs: two unfinished runs on one placement",
		seen:  "another unfinished run of the placement, with another snapshot, has clusters in common that neither has done",
		leads: []engine.Lead{engine.LeadOwners, engine.LeadStop}, heals: engine.HealPerson, heal: engine.Lit("Needs a person: the run that writes a cluster last preempts the other, which then fails."),
		shows: []command{showRival, stopRival, showBindings},
	}
	updating = entry{
		cause: engine.NewCause("updating"), title: "Clusters are updating",
		seen:  "Progressing True, a cluster Started for less than half of the stuck threshold",
		leads: []engine.Lead{engine.LeadPlan}, heals: engine.HealNotNeeded, heal: engine.Lit("No recovery needed."), steps: lits(engine.Lit("Nothing to do.")),
		shows: []command{showRun},
	}
	betweenLooks = entry{
		cause: engine.NewCause("between-two-looks"), title: "The controller's next check is due",
		seen:  "every started cluster's binding has succeeded, or the next stage starts",
		heals: engine.HealItself, heal: engine.Lit("Recovers automatically: the controller checks every 15 s, less often after errors."),
		steps: lits(engine.Lit("Wait for the controller's next check.")),
		shows: []command{showBindings, showRun},
	}
	failingEarly = entry{
		cause: engine.NewCause("failing-before-stuck"), title: "A cluster fails before the stuck threshold",
		seen:  "Progressing True, a started cluster's binding has a False condition that does not recover automatically (the cause is that of the condition)",
		leads: []engine.Lead{engine.LeadCluster}, heals: engine.HealUnknown,
	}
	removing = entry{
		cause: engine.NewCause("removing"), title: "The placement is deleted from clusters that it no longer picks",
		seen:  "the deletion stage is not done",
		heals: engine.HealItself, heal: engine.Lit("Recovers automatically when the member's agent has deleted the Works."), steps: lits(engine.Lit("Nothing to do.")),
		shows: []command{showBindings, showRun},
	}
	stuckUnknown = entry{
		cause: engine.NewCause("stuck"), title: "A cluster is over the stuck threshold",
		seen:  "Progressing False UpdateRunStuck (`… stuck waiting for …`), or a started cluster over the stuck threshold, and its binding shows no cause",
		heals: engine.HealUnknown,
		steps: lits(engine.Lit("Open the run: the cluster's conditions and failing manifests show the cause.")),
		shows: []command{showBinding, showMember, showWorks},
	}
	stuckUnnamed = entry{
		cause: engine.NewCause("stuck-but-nothing-in-flight"), title: "Reported as stuck, and no cluster is updating",
		seen:  "UpdateRunStuck, and no cluster Started without Succeeded",
		heals: engine.HealItself, heal: engine.Lit("Recovers automatically when the clusters have finished."),
		steps: lits(engine.Lit("Open the run and look at its clusters.")),
		shows: []command{showRun, showBindings},
	}
	slowUnknown = entry{
		cause: engine.NewCause("slow"), title: "A cluster is past half of the stuck threshold",
		seen:  "a cluster Started for more than half of the stuck threshold, and its binding shows no cause",
		heals: engine.HealUnknown, heal: engine.Lit("Unknown: the binding is not read yet."),
		steps: lits(engine.Lit("Open the run: the cluster's conditions show the cause.")),
		shows: []command{showBinding, showMember, showWorks},
	}
	deleting = entry{
		cause: engine.NewCause("deleting"), title: "The run is being deleted",
		seen:  "metadata.deletionTimestamp",
		heals: engine.HealItself, heal: engine.Lit("Recovers automatically: the controller deletes the approval requests, then the run."),
		shows: []command{showRun, showHubAgent},
	}
	done = entry{
		cause: engine.NewCause("done"), title: "All stages are done",
		seen:  "Succeeded True",
		heals: engine.HealNotNeeded, heal: engine.Lit("No recovery needed."), steps: lits(engine.Lit("Nothing to do.")),
		shows: []command{showRun},
	}
	changedAfterEnd = entry{
		cause: engine.NewCause("changed-after-its-end"), title: "A run that is over was changed",
		seen:  "Succeeded set or Initialized False, and observedGeneration below metadata.generation",
		heals: engine.HealNotNeeded, note: true,
	}
	unknownFailure = entry{
		cause: engine.NewCause("unknown-failure"), title: "The run failed with a message that is not in this catalogue",
		seen:  "Initialized False or Succeeded False, and no pattern matches",
		heals: engine.HealNewRun,
		steps: lits(engine.Lit("Remove the cause in the message, then create a new run (C).")),
		shows: []command{showRun, showLogs},
	}
	noRun = entry{
		cause: engine.NewCause("no-run"), title: "An External placement that no run rolls out",
		seen:  "spec.strategy.type External, and no run names it, or only runs with Initialized False",
		leads: []engine.Lead{engine.LeadPlan, engine.LeadClone, engine.LeadPlacement}, heals: engine.HealPerson, heal: engine.Lit("Needs a person: nothing is rolled out before a run is created."),
		steps: lits(engine.Lit("Create a run of it (C)."), engine.Lit("Open the placement (enter) to see its snapshots, clusters and earlier runs.")),
		shows: []command{showPlacement, showSnapshots, showStrategies},
	}
	notScheduledYet = entry{
		cause: engine.NewCause("schedule-failed"), title: "The placement cannot be scheduled",
		seen:  "placement Scheduled False `SchedulingPolicyUnfulfilled` (per cluster `ScheduleFailed`), `could not find all (the) clusters needed as specified by the scheduling policy`",
		leads: []engine.Lead{engine.LeadPlacement}, heals: engine.HealHub, heal: engine.Lit("After a fix on the hub: enough clusters have to fit the policy. A run created before that fails."),
		steps: lits(
			engine.Lit("Label or join clusters, or change the policy. status.targetClusters of the policy snapshot gives the reasons."),
			engine.Lit("Reasons are affinity, taints, clusters that have not joined or are silent, and names in PickFixed that do not exist."),
		),
		shows: []command{showPolicySnapshots, showPlacement, showMembers},
		now:   func(k *kit) present { return present{evidence: placementEvidence(k)} },
	}
	badSelectors = entry{
		cause: engine.NewCause("selectors-invalid"), title: "The placement's resource selectors are not valid",
		seen:  "placement Scheduled False `InvalidResourceSelectors`",
		leads: []engine.Lead{engine.LeadPlacement}, heals: engine.HealHub, heal: engine.Lit("After a fix on the hub: correct the selectors. A run created before that fails."),
		steps: lits(engine.Lit("Correct the placement's resource selectors.")),
		shows: []command{showPlacement},
		now:   func(k *kit) present { return present{evidence: placementEvidence(k)} },
	}
	unreadable = entry{
		cause: engine.NewCause("unreadable"), title: "The object cannot be decoded",
		seen:  "the object does not match the types of any supported version",
		leads: []engine.Lead{}, heals: engine.HealUnknown, heal: engine.Lit("Unknown: the object has to be repaired or written again."),
		steps: lits(engine.Lit("Look at it with kubectl. A newer hub may need a newer stagewatch.")),
		shows: []command{showBroken},
	}
	loading = entry{
		cause: engine.NewCause("loading"), title: "The details of the run are still loading",
		seen:  "only the run's row of the table is read",
		leads: []engine.Lead{}, heals: engine.HealUnknown,
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

// showBroken shows a run that could not be decoded.
func showBroken(k *kit) engine.Text {
	_, name, _ := k.v.ID.Raw()
	return k.hub("get", k.v.ID.Kind().Plural(), name, "-o", "yaml")
}
