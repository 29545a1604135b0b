package catalogue

import "github.com/stagewatch/stagewatch/engine"

// The causes for which a run waits, or looks as if it did.
var (
	NeverObserved = Entry{
		Cause: "run-not-observed", Title: "The controller has written nothing about the run", Short: "controller has not reacted",
		Sign:     "no condition at all for 10 s",
		Recovery: engine.RecoveryOnHub, RecoveryText: "After a fix on the hub: the controller has to run; it normally reacts within a second.",
		Steps: Literals{
			"Check that the hub agent is running and has staged update runs enabled. Read its log ({logs}) for errors that it retries.",
			"The hub agent needs the flag --enable-staged-update-run-apis; for namespaced runs --enable-resource-placement too.",
		},
		Commands: []Command{ShowHubAgent, ShowLogs, ShowBindings},
	}
	ChangeNotObserved = Entry{
		Cause: "change-not-observed", Title: "The controller has not reacted to a change", Short: "controller has not reacted",
		Sign:     "newest observedGeneration below metadata.generation for 10 s",
		Recovery: engine.RecoveryOnHub, RecoveryText: "After a fix on the hub: the controller has to run; it normally reacts within a second.",
		Steps: Literals{
			"Check that the hub agent is running. It may be busy with another run.",
			"One worker processes all runs of a scope, one after the other.",
		},
		Commands: []Command{ShowHubAgent, ShowLogs, ShowRuns},
	}
	Initializing = Entry{
		Cause: "initializing", Title: "The run is new and not initialized yet", Short: "not initialized yet",
		Sign:     "no Initialized condition, for less than 30 s",
		Recovery: engine.RecoveryAutomatic, RecoveryText: "Recovers automatically: the controller processes one run after the other.",
		Steps:    Literals{"Wait. After 30 s the diagnosis ({diagnose}) names the reason."},
		Commands: []Command{ShowRun, ShowHubAgent, ShowLogs},
	}
	Ready = Entry{
		Cause: "not-started", Title: "The run waits to be started", Short: "waits to be started",
		Sign:    "Initialized True, spec.state Initialize, no stage begun",
		actions: []engine.NextAction{engine.NextRun, engine.NextPlan}, Recovery: engine.RecoveryByPerson, RecoveryText: "Needs a person: start the run.",
		Steps:    Literals{"Read the plan ({plan}): it shows what the start does. Then start the run ({run})."},
		Commands: []Command{Start, ShowRun},
	}
	Frozen = Entry{
		Cause: "initialize-after-start", Title: "spec.state is Initialize, but stages have started", Short: "state Initialize after the start",
		Sign:    "spec.state Initialize or of an old version, and a stage begun",
		actions: []engine.NextAction{engine.NextRun, engine.NextPlan}, Recovery: engine.RecoveryByPerson, RecoveryText: "Needs a person: a hub since v0.2 holds the run until it is started; an older one ignores the state.",
		Steps: Literals{
			"If the run does not continue, start it ({run}).",
			"Upgrading the hub to v0.2 or later during a run causes this.",
		},
		Commands: []Command{Start, ShowRun},
	}
	Stopped = Entry{
		Cause: "stopped", Title: "The run is stopped", Short: "stopped before STAGE is done",
		Sign:    "Progressing False UpdateRunStopped",
		actions: []engine.NextAction{engine.NextRun, engine.NextPlan}, Recovery: engine.RecoveryByPerson, RecoveryText: "Needs a person: resume the run.",
		Steps:    Literals{"Resume the run ({run}). Timed waits of the current stage start again."},
		Commands: []Command{Start, ShowRun},
	}
	StoppedDone = Entry{
		Cause: "stopped-when-done", Title: "The run is stopped and all its clusters are done", Short: "stopped, nothing is left to update",
		Sign:    "Progressing False UpdateRunStopped, all clusters and deletions done, no approval open",
		actions: []engine.NextAction{engine.NextRun}, Recovery: engine.RecoveryByPerson, RecoveryText: "Needs a person: resume the run, which then finishes.",
		Steps:    Literals{"Resume the run ({run}): nothing is left to update, and it finishes."},
		Commands: []Command{Start, ShowRun},
	}
	StoppingWhileUpdating = Entry{
		Cause: "stopping-while-updating", Title: "Stopping waits for updating clusters", Short: "stop waits for work in progress",
		Sign:    "Progressing Unknown UpdateRunStopping, a cluster Started and not Succeeded",
		actions: []engine.NextAction{engine.NextRun}, Recovery: engine.RecoveryAutomatic, RecoveryText: "Recovers automatically: the run stops when these clusters have finished.",
		Steps:    Literals{"Check the updating clusters: a stuck one keeps the run from stopping.", "To continue the rollout instead, resume the run ({run})."},
		Commands: []Command{ShowBindings, ShowRun, Start},
	}
	StoppingIdle = Entry{
		Cause: "stopping", Title: "Stop was requested and no cluster is updating", Short: "stop is requested",
		Sign:    "spec.state Stop or UpdateRunStopping, no cluster updating",
		actions: []engine.NextAction{engine.NextRun}, Recovery: engine.RecoveryAutomatic, RecoveryText: "Recovers automatically: the controller shortly reports the run as stopped.",
		Steps:    Literals{"Wait until the controller reports the run as stopped. To continue the rollout instead, resume the run ({run})."},
		Commands: []Command{ShowRun, Start},
	}
	StoppingRemoval = Entry{
		Cause: "stopping-before-deletion-stage", Title: "Stopped before the deletion stage began: never reported as stopped", Short: "stopped before the deletion stage",
		Sign:    "Progressing Unknown UpdateRunStopping, all stages done, the deletion stage StageUpdatingStopped",
		actions: []engine.NextAction{engine.NextRun}, Recovery: engine.RecoveryByPerson, RecoveryText: "Needs a person: the controller never reports it as stopped.",
		Steps:    Literals{"Resume the run ({run}): it deletes the resources from the clusters of the deletion stage, then finishes."},
		Commands: []Command{Start, ShowRun, ShowBindings},
	}
	ApprovalBefore = Entry{
		Cause: "approval-before-stage", Title: "A stage waits for an approval before it begins", Short: "approve before STAGE",
		Sign:    "UpdateRunWaiting `before-stage`, request <run>-before-<stage> not approved",
		actions: []engine.NextAction{engine.NextApprove, engine.NextApprovals}, Recovery: engine.RecoveryByPerson, RecoveryText: "Needs a person: approve the stage.",
		Steps:    Literals{"Approve the stage ({approve}). With kubectl, patch --subresource=status and set observedGeneration to the request's generation: the controller ignores other approvals."},
		Commands: []Command{Approve, ShowApprovals},
	}
	ApprovalAfter = Entry{
		Cause: "approval-after-stage", Title: "A stage waits for an approval before it ends", Short: "approve after STAGE",
		Sign:    "UpdateRunWaiting `after-stage`, request <run>-after-<stage> (older hubs: <run>-<stage>) not approved",
		actions: []engine.NextAction{engine.NextApprove, engine.NextApprovals}, Recovery: engine.RecoveryByPerson, RecoveryText: "Needs a person: approve the stage.",
		Steps:    Literals{"Approve the stage ({approve}). With kubectl, patch --subresource=status and set observedGeneration to the request's generation: the controller ignores other approvals."},
		Commands: []Command{Approve, ShowApprovals},
	}
	ApprovalGone = Entry{
		Cause: "approval-request-missing", Title: "The approval request does not exist", Short: "approval request does not exist",
		Sign:     "ApprovalRequestCreated True, and no such request on the hub",
		Recovery: engine.RecoveryOnHub, RecoveryText: "After a fix on the hub: the controller creates the request again while the run's state is Run. Then a person has to approve.",
		Steps:    Literals{"Wait until the controller has created the approval request again, then approve it ({approve}).", "If it does not appear within a minute, check that spec.state is Run and that the hub agent is running, and read its log ({logs})."},
		Commands: []Command{ShowApprovals, ShowLogs},
	}
	ApprovalDeleting = Entry{
		Cause: "approval-request-deleting", Title: "The approval request is being deleted", Short: "approval request is being deleted",
		Sign:    "the open approval request has a deletionTimestamp",
		actions: []engine.NextAction{engine.NextApprovals}, Recovery: engine.RecoveryOnHub, RecoveryText: "After a fix on the hub: the controller creates the request again when the old one is gone and the run's state is Run. Then a person has to approve.",
		Steps:    Literals{"Wait until the request is deleted and the controller has created it again, then approve it ({approve})."},
		Commands: []Command{ShowApprovals},
	}
	ApprovalForeign = Entry{
		Cause: "approval-request-mismatch", Title: "The approval request of that name is for another run or stage", Short: "approval request is another run's",
		Sign:    "the request's spec names another run or stage",
		actions: []engine.NextAction{engine.NextApprovals}, Recovery: engine.RecoveryByPerson, RecoveryText: "Needs a person: the run fails unless the request is deleted first.",
		Steps:    Literals{"Delete the approval request: the controller creates a new one."},
		Commands: []Command{ShowApproval, DeleteApproval, ShowApprovals},
	}
	ApprovalNotAccepted = Entry{
		Cause: "approval-not-accepted", Title: "An approval with a wrong observedGeneration has no effect", Short: "approval has a wrong generation",
		Sign:    "Approved True, no ApprovalAccepted, observedGeneration differs from metadata.generation",
		actions: []engine.NextAction{engine.NextApprove, engine.NextApprovals}, Recovery: engine.RecoveryByPerson, RecoveryText: "Needs a person: the controller ignores this approval.",
		Steps:    Literals{"Approve again ({approve}): stagewatch sets the right observedGeneration."},
		Commands: []Command{Approve, ShowApprovals},
	}
	ApprovalSent = Entry{
		Cause: "approval-sent", Title: "The approval is not accepted yet", Short: "approval is not accepted yet",
		Sign:     "Approved True at the request's generation, no ApprovalAccepted",
		Recovery: engine.RecoveryAutomatic, RecoveryText: "Recovers automatically: the controller normally accepts it within a second.",
		Steps:    Literals{"Wait. If this persists, check that the hub agent is running."},
		Commands: []Command{ShowApprovals, ShowLogs},
	}
	ApprovalNotObserved = Entry{
		Cause: "approval-not-processed", Title: "The controller has not reacted to an approval", Short: "controller has not reacted",
		Sign:     "Approved True at the request's generation, no ApprovalAccepted for 10 s while the run's state is Run",
		Recovery: engine.RecoveryOnHub, RecoveryText: "After a fix on the hub: the controller has to run; it normally reacts within a second.",
		Steps: Literals{
			"Check that the hub agent is running. It may be busy with another run.",
			"Do not approve again: the approval is valid.",
		},
		Commands: []Command{ShowHubAgent, ShowLogs, ShowApprovals},
	}
	DoneFailing = Entry{
		Cause: "done-cluster-failing", Title: "A done cluster fails now", Short: "CLUSTER fails after its update",
		Sign:    "a cluster that the run has recorded as done, and a condition of its binding that is False",
		actions: []engine.NextAction{engine.NextPlacement}, Recovery: engine.RecoveryByPerson, RecoveryText: "Needs a person: decide whether the run should continue. The controller does not check a done cluster again.",
		Steps:    Literals{"Find out what fails on the cluster. Stop the run ({stop}) if the new version is the cause."},
		Commands: []Command{ShowBindings, ShowRun},
	}
	TimedWait = Entry{
		Cause: "timed-wait", Title: "A stage is in a timed wait", Short: "timed wait after STAGE",
		Sign:    "UpdateRunWaiting `after-stage` with a TimedWait; the end is the stage's Progressing time + waitTime",
		actions: []engine.NextAction{engine.NextPlan}, Recovery: engine.RecoveryAutomatic, RecoveryText: "Recovers automatically when the wait has elapsed.",
		Steps:    Literals{"Nothing to do.", "Stopping the run restarts the wait."},
		Commands: []Command{ShowRun},
	}
	Preempted = Entry{
		Cause: "preempted", Title: "Another run preempted this run on a cluster", Short: "preempted by another run",
		Sign:    "a started cluster's binding names another run, another snapshot or other overrides; message `… is not up-to-date with the desired status …`, `… does not match the cluster status …`, `… does not have expected status …`",
		actions: onTaker, Recovery: engine.RecoveryByNewRun,
		Steps:    Literals{"Wait until the other run ends, or stop it.", NewRunIfWanted},
		Commands: []Command{ShowWinner, ShowBinding, ShowRuns},
	}
	BindingChanged = Entry{
		Cause: "binding-changed", Title: "A binding was changed, by another run or by hand", Short: "binding was changed",
		Sign:    "as preempted, and the binding names no other run",
		actions: []engine.NextAction{engine.NextOwners, engine.NextClone}, Recovery: engine.RecoveryByNewRun,
		Steps:    Literals{"Find out who changed the cluster's binding: its managedFields list the writers ({diagnose:run the first command}).", NewRunIfWanted},
		Commands: []Command{ShowBindingWriters, ShowRuns},
	}
	PreemptedUnread = Entry{
		Cause: "preempted-by-unknown-run", Title: "Preempted on a cluster by an unknown run: the bindings were not read", Short: "preempted by an unknown run",
		Sign:    "as preempted, and the placement's bindings are not read",
		actions: []engine.NextAction{engine.NextOwners, engine.NextClone}, Recovery: engine.RecoveryByNewRun,
		Steps:    Literals{"Find the run that owns the cluster now ({owners}).", NewRunIfWanted},
		Commands: []Command{ShowBindings, ShowRuns},
	}
	CompetingRuns = Entry{
		Cause: "competing-runs", Title: "Competing runs: two unfinished runs on one placement", Short: "competes with another run",
		Sign:    "another unfinished run of the placement, with another snapshot or other overrides, has clusters in common that neither has done",
		actions: []engine.NextAction{engine.NextOwners, engine.NextStop}, Recovery: engine.RecoveryByPerson, RecoveryText: "Needs a person: the run that updates a cluster last preempts the other run, which then fails.",
		Steps:    Literals{"First decide which run continues: stop one, or let one finish before the other."},
		Commands: []Command{ShowRival, StopRival, ShowBindings},
	}
	Updating = Entry{
		Cause: "updating", Title: "Clusters are updating", Short: "clusters are updating",
		Sign:    "Progressing True, a cluster Started for less than half of the stuck threshold",
		actions: []engine.NextAction{engine.NextPlan}, Recovery: engine.RecoveryNotNeeded, RecoveryText: "No recovery needed.", Steps: Literals{"Nothing to do."},
		Commands: []Command{ShowRun},
	}
	BetweenLooks = Entry{
		Cause: "next-check-due", Title: "The controller's next check is due", Short: "next check is due",
		Sign:     "every started cluster's binding has succeeded, or the next stage starts",
		Recovery: engine.RecoveryAutomatic, RecoveryText: "Recovers automatically: the controller checks every 15 s, less often after errors.",
		Steps:    Literals{"Wait for the controller's next check."},
		Commands: []Command{ShowBindings, ShowRun},
	}
	FailingEarly = Entry{
		Cause: "failing-before-stuck", Title: "A cluster fails before the stuck threshold", Short: "fails, counts as stuck soon",
		Sign:    "Progressing True, a started cluster's binding has a False condition that does not recover automatically (the cause is that of the condition)",
		actions: []engine.NextAction{engine.NextCluster}, Recovery: engine.RecoveryUnknown,
		Steps: Literals{"Fix the cause of the condition now: the cluster counts as stuck when the threshold has passed."},
	}
	DeletionInProgress = Entry{
		Cause: "deletion-stage", Title: "Resources are deleted from clusters that the placement no longer picks", Short: "resources are being deleted",
		Sign:     "the deletion stage is not done",
		Recovery: engine.RecoveryAutomatic, RecoveryText: "Recovers automatically when the member's agent has deleted the Works.", Steps: Literals{"Nothing to do."},
		Commands: []Command{ShowBindings, ShowRun},
	}
	DeletionContradicted = Entry{
		Cause: "deletion-stage-contradicted", Title: "The deletion stage and a binding contradict each other: the run fails at the controller's next check", Short: "fails, a binding is not deleted",
		Sign:    "a binding of the deletion stage is Unscheduled, and has no deletionTimestamp although its cluster is Started, or exists although its cluster is Succeeded",
		actions: []engine.NextAction{engine.NextClone}, Recovery: engine.RecoveryByNewRun, RecoveryText: "Needs a new run: this run fails at the controller's next check. All stages before the deletion stage are done.", Hard: true,
		Steps:    Literals{"Create a new run ({clone}) with the same snapshot: its deletion stage deletes the binding."},
		Commands: []Command{ShowBinding, ShowRun},
	}
	StuckUnknown = Entry{
		Cause: "stuck", Title: "A cluster is over the stuck threshold", Short: "over the stuck threshold",
		Sign:     "Progressing False UpdateRunStuck (`… stuck waiting for …`), or a started cluster over the stuck threshold, and its binding shows no cause",
		Recovery: engine.RecoveryUnknown,
		Steps:    Literals{"Open the run: the cluster's conditions and failing manifests show the cause."},
		Commands: []Command{ShowBinding, ShowMember, ShowWorks},
	}
	StuckUnnamed = Entry{
		Cause: "stuck-without-updating", Title: "Reported as stuck, and no cluster is updating", Short: "stuck, no cluster is updating",
		Sign:     "UpdateRunStuck, and no cluster Started without Succeeded",
		Recovery: engine.RecoveryAutomatic, RecoveryText: "Recovers automatically: the controller's next check finds no cluster that is stuck.",
		Steps:    Literals{"Wait for the controller's next check."},
		Commands: []Command{ShowRun, ShowBindings},
	}
	SlowUnknown = Entry{
		Cause: "slow", Title: "A cluster is past half of the stuck threshold", Short: "past half of the stuck threshold",
		Sign:     "a cluster Started for more than half of the stuck threshold, and its binding shows no cause",
		Recovery: engine.RecoveryUnknown, RecoveryText: "Unknown: the binding is not read yet.",
		Steps:    Literals{"Open the run: the cluster's conditions show the cause."},
		Commands: []Command{ShowBinding, ShowMember, ShowWorks},
	}
	Deleting = Entry{
		Cause: "deleting", Title: "The run is being deleted", Short: "the run is being deleted",
		Sign:     "metadata.deletionTimestamp",
		Recovery: engine.RecoveryAutomatic, RecoveryText: "Recovers automatically: the controller deletes the approval requests, then the run.",
		Steps:    Literals{"Wait for the controller."},
		Commands: []Command{ShowRun, ShowHubAgent},
	}
	Done = Entry{
		Cause: "done", Title: "All stages are done", Short: "all stages are done",
		Sign:     "Succeeded True",
		Recovery: engine.RecoveryNotNeeded, RecoveryText: "No recovery needed.", Steps: Literals{"Nothing to do."},
		Commands: []Command{ShowRun},
	}
	ChangedAfterEnd = Entry{
		Cause: "changed-after-completion", Title: "A finished run was changed", Short: "changed after it finished",
		Sign:     "Succeeded set or Initialized False, and observedGeneration below metadata.generation",
		Recovery: engine.RecoveryNotNeeded, note: true,
		Steps: Literals{"Nothing to do: the controller ignores changes of a finished run."},
	}
	DoneReplaced = Entry{
		Cause: "done-clusters-updated-since", Title: "Done clusters of this run do not have what it rolled out", Short: "clusters were updated since",
		Sign:     "an unfinished run, and the binding of a cluster with Succeeded True has another snapshot, other overrides or another apply strategy",
		Recovery: engine.RecoveryNotNeeded, note: true,
		Steps: Literals{"Decide which snapshot these clusters should keep ({owners}): this run does not update them again."},
	}
	UnknownFailure = Entry{
		Cause: "unknown-failure", Title: "The run failed with a message that is not in this catalogue", Short: "unknown failure",
		Sign:     "Initialized False or Succeeded False, and no pattern matches",
		Recovery: engine.RecoveryByNewRun,
		Steps:    Literals{"{fixes-first}Fix the cause in the message, then create a new run ({clone})."},
		Commands: []Command{ShowRun, ShowLogs},
	}
	NoRun = Entry{
		Cause: "no-run", Title: "No run rolls out this External placement", Short: "no run rolls it out",
		Sign:    "spec.strategy.type External, and no run names it, or only runs with Initialized False",
		actions: []engine.NextAction{engine.NextPlan, engine.NextClone, engine.NextPlacement}, Recovery: engine.RecoveryByPerson, RecoveryText: "Needs a person: nothing is rolled out until a run is created.",
		Steps:    Literals{"Create a run for it ({clone}).", "Read the placement ({placement}): its snapshots, clusters and earlier runs."},
		Commands: []Command{ShowPlacement, ShowSnapshots, ShowStrategies},
	}
	NotScheduledYet = Entry{
		Cause: "schedule-failed", Title: "The placement cannot be scheduled", Short: "placement cannot be scheduled",
		Sign:    "placement Scheduled False `SchedulingPolicyUnfulfilled` (per cluster `ScheduleFailed`), `could not find all (the) clusters needed as specified by the scheduling policy`",
		actions: []engine.NextAction{engine.NextPlacement}, Recovery: engine.RecoveryOnHub, RecoveryText: "After a fix on the hub: enough clusters have to fit the policy. A run created before that fails.",
		Steps: Literals{
			"Label or join clusters, or change the policy. status.targetClusters of the policy snapshot gives the reasons.",
			"Reasons are affinity, taints, clusters that have not joined or send no heartbeat, and names in PickFixed that do not exist.",
			LabelsAreShared,
		},
		Commands: []Command{ShowPolicySnapshots, ShowPlacement, ShowMembers},
		Check:    ScheduledNow,
	}
	BadSelectors = Entry{
		Cause: "selectors-invalid", Title: "The placement's resource selectors are not valid", Short: "resource selectors are not valid",
		Sign:    "placement Scheduled False `InvalidResourceSelectors`",
		actions: []engine.NextAction{engine.NextPlacement}, Recovery: engine.RecoveryOnHub, RecoveryText: "After a fix on the hub: correct the selectors. A run created before that fails.",
		Steps:    Literals{"Correct the placement's resource selectors."},
		Commands: []Command{ShowPlacement},
		Check:    PlacementNow,
	}
	LastDeleted = Entry{
		Cause: "last-bindings-deleted", Title: "The run deleted the last bindings of its placement", Short: "last bindings are deleted",
		Sign:    "message `no scheduled or to-be-deleted bindings found …` of a run that updates no cluster and has started its deletion stage",
		actions: []engine.NextAction{engine.NextPlacement}, Recovery: engine.RecoveryNotNeeded, RecoveryText: "No recovery needed: nothing is left to delete. The controller fails a run whose placement has no binding.",
		Steps:    Literals{"{fixes-first}Nothing to do if the placement is to have no cluster. Otherwise change its policy, then create a new run ({clone})."},
		Commands: []Command{ShowBindings, ShowPlacement},
	}
	Unreadable = Entry{
		Cause: "unreadable", Title: "The object cannot be decoded", Short: "cannot be decoded",
		Sign:    "the object does not match the types of any supported version",
		actions: []engine.NextAction{}, Recovery: engine.RecoveryUnknown, RecoveryText: "Unknown: the object has to be repaired or written again.",
		Steps:    Literals{"Look at it with kubectl. A newer hub may need a newer stagewatch."},
		Commands: []Command{ShowBroken},
	}
	Loading = Entry{
		Cause: "loading", Title: "The details of the run are still loading", Short: "details are loading",
		Sign:    "only the run's row of the table is read",
		actions: []engine.NextAction{}, Recovery: engine.RecoveryUnknown, RecoveryText: "Unknown until the run is read.",
		Steps: Literals{"Wait until the run is read: the list shows the API server's own table first."},
	}
)

// OnRuns lists the causes of runs that wait, or look as if they did.
func OnRuns() []*Entry {
	return []*Entry{
		&NeverObserved, &ChangeNotObserved, &Initializing, &InitRetried, &VersionNotWatched, &InitFails, &WillFail, &NotContinued, &Ready, &Frozen, &Stopped, &StoppedDone, &StoppingWhileUpdating, &StoppingIdle, &StoppingRemoval, &HeldWhileStopping, &ChangedWhileStopping,
		&ApprovalBefore, &ApprovalAfter, &ApprovalGone, &ApprovalDeleting, &ApprovalForeign, &ApprovalNotAccepted, &ApprovalSent, &ApprovalNotObserved, &TimedWait, &DoneFailing,
		&Preempted, &BindingChanged, &BindingRecreated, &PreemptedInactive, &PreemptedRestored, &PreemptedUnread, &CompetingRuns, &Updating, &BetweenLooks, &FailingEarly, &StuckUnknown, &StuckUnnamed, &SlowUnknown,
		&PlacementDeleting, &ClustersLeft, &DeletionInProgress, &DeletionContradicted, &Deleting, &DeletingHeld, &DeletingLate, &ControllerLate, &Done, &DoneContradicted, &ChangedAfterEnd, &DoneReplaced, &NoStages, &UnknownProgress, &UnknownFailure, &NoRun, &NotScheduledYet, &BadSelectors, &LastDeleted, &Unreadable, &Loading,
	}
}

// The causes of a run that is not initialized after 30 s.
var (
	InitRetried = Entry{
		Cause: "initialization-retried", Title: "The controller retries initialization", Short: "initialization is retried",
		Sign:    "no Initialized condition for 30 s, and an error in the run's plan that is retried",
		actions: []engine.NextAction{engine.NextPlan, engine.NextLogs}, Recovery: engine.RecoveryOnHub,
		RecoveryText: "After a fix on the hub: the controller retries with a backoff of up to 17 minutes, and writes nothing to the run meanwhile.",
		Steps:        Literals{SameRunInitializes},
		Commands:     []Command{ShowBindings, ShowLogs},
	}
	VersionNotWatched = Entry{
		Cause: "version-not-watched", Title: "The placement selects a version that the controller does not watch yet", Short: "version is not watched yet",
		Sign:    "no Initialized condition for 30 s to 2 minutes, and a selected version in the run's plan that is not preferred",
		actions: []engine.NextAction{engine.NextPlan, engine.NextLogs}, Recovery: engine.RecoveryAutomatic,
		RecoveryText: "Recovers automatically when the controller has started to watch the version.",
		Steps:        Literals{"Wait until the run is 2 minutes old. If it is still not initialized then, read the controller's log ({logs})."},
		Commands:     []Command{ShowLogs},
	}
	InitFails = Entry{
		Cause: "initialization-will-fail", Title: "Initialization will fail when the controller tries it", Short: "initialization will fail",
		Sign:    "no Initialized condition for 30 s, and a final error in the run's plan",
		actions: []engine.NextAction{engine.NextPlan, engine.NextLogs}, Recovery: engine.RecoveryOnHub,
		RecoveryText: "After a fix on the hub, before the controller tries: failed initialization is not retried.",
		Steps: Literals{
			"Fix the cause first: the controller has written nothing yet.",
			"Then check that the hub agent is running and has staged update runs enabled.",
		},
		Commands: []Command{ShowHubAgent, ShowLogs, ShowBindings},
	}
)

// What a run says that no hub known here says, or that contradicts itself.
var (
	UnknownProgress = Entry{
		Cause: "unknown-progress", Title: "The run has a reason that is not in this catalogue", Short: "unknown reason",
		Sign:     "Progressing with an unknown reason, or Succeeded Unknown",
		Recovery: engine.RecoveryUnknown, RecoveryText: "Unknown: the reason is not in the catalogue.",
		Steps:    Literals{"Read the message: a newer hub may need a newer stagewatch.", "Read the controller's log ({logs})."},
		Commands: []Command{ShowRun, ShowLogs}, actions: []engine.NextAction{engine.NextLogs},
	}
	NoStages = Entry{
		Cause: "no-stages-recorded", Title: "An initialized run without stages", Short: "no stages are recorded",
		Sign:     "Initialized True, and status.stagesStatus empty",
		Recovery: engine.RecoveryByNewRun, RecoveryText: "Needs a new run: the controller fails a run without recorded stages. The status was edited, or written by an unknown version.",
		Steps:    Literals{"Create a new run ({clone}).", "{deletes-run}Delete this run ({delete}) after the new one is created."},
		Commands: []Command{ShowRun, ShowLogs}, actions: []engine.NextAction{engine.NextClone},
	}
	DoneContradicted = Entry{
		Cause: "done-inconsistent", Title: "The run is DONE, but some of its clusters are not", Short: "DONE, but not all clusters are",
		Sign:     "Succeeded True, and a cluster of a stage without Succeeded True",
		Recovery: engine.RecoveryUnknown, RecoveryText: "Unknown: the status is inconsistent; it was edited, or written by another version of the controller.",
		Steps:    Literals{"Check which snapshot those clusters have ({owners}). Create a new run ({clone}) for what is missing."},
		Commands: []Command{ShowBindings, ShowRun}, actions: []engine.NextAction{engine.NextOwners, engine.NextClone},
	}
)

// NoneStarts adds to what is said of a stopping run that nothing else starts, which holds once the controller has observed
// the stop. starts names what may start until then.
func NoneStarts(v *engine.RunView, what, none engine.Text, starts string) engine.Text {
	if v.Observed != v.Generation {
		return engine.Textf("%s. The controller has not observed the stop yet: until then it may still start %s.", what, starts)
	}
	return engine.Textf("%s%s.", what, none)
}
