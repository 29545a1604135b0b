package catalogue

import "github.com/stagewatch/stagewatch/engine"

const whyInactive engine.Literal = "Find out why the cluster loses its binding: it left the fleet, the placement no longer picks it, or somebody deleted the binding."

// EndsRun reports whether a cause of an updating cluster fails its run at the controller's next checks,
// also a run that is stopping.
func EndsRun(c engine.Cause) bool {
	return c == BindingGone.Cause || c == NoLongerPicked.Cause || c == BindingDeleting.Cause || c == MemberGone.Cause || c == MemberDeleting.Cause
}

// FailsStopping is the step of a run that is stopping and has such a cluster.
const FailsStopping engine.Literal = "Stop was requested, but this run fails before it is reported as stopped."

// What became of the placement of a run, of its clusters, or of the binding of a started cluster.
var (
	ClustersLeft = Entry{
		Cause: "clusters-left", Title: "Clusters of the run left the fleet", Short: "cluster left the fleet",
		Sign:    "message `some clusters are not placed in any stage, …` of an initialized run, and none of these clusters is a member",
		actions: onPlan, Recovery: engine.RecoveryByNewRun,
		Steps:    Literals{newRun, "Do not remove clusters from the fleet while a run is in progress."},
		Commands: []Command{ShowMembers, ShowBindings}, Check: StagesFit,
	}
	PlacementDeleting = Entry{
		Cause: "placement-being-deleted", Title: "The placement of an unfinished run is being deleted", Short: "placement is being deleted",
		Sign:    "the placement of a run without Succeeded has a deletionTimestamp",
		actions: onPlacement, Recovery: engine.RecoveryByPerson, RecoveryText: "Needs a person: decide whether the placement is to be deleted, before anything else of this run. The run fails when the hub agent has deleted its snapshots and bindings.",
		Steps:    Literals{"First find out why the placement is being deleted."},
		Commands: []Command{ShowPlacement, ShowRun},
	}
	BindingDeleting = Entry{
		Cause: "binding-being-deleted", Title: "The binding of a cluster is being deleted", Short: "binding is being deleted",
		Sign:    "the binding of a started cluster has a deletionTimestamp and is not Unscheduled",
		actions: onPlacement, Recovery: engine.RecoveryByNewRun, RecoveryText: "Needs a new run: the controller fails this run once the binding is gone.",
		Steps: Literals{
			whyInactive,
			"Create a new run ({clone}) when the cluster has a new binding; to leave the cluster out, create it when the binding is deleted.",
		},
		Commands: []Command{ShowBinding, ShowMember, ShowPlacement}, Hard: true,
	}
	BindingRecreated = Entry{
		Cause: "binding-re-created", Title: "The binding of a cluster was deleted and created again", Short: "binding was created again",
		Sign:    "as preempted, and the binding is Scheduled, without a snapshot and without RolloutStarted",
		actions: []engine.NextAction{engine.NextClone, engine.NextPlacement}, Recovery: engine.RecoveryByNewRun,
		Steps: Literals{
			"Create a new run ({clone}): it updates the new binding. Until then the cluster gets no resources of the placement.",
			"Find out why the binding was deleted: the cluster left the fleet and joined again, the placement did not pick it for some time, or somebody deleted the binding.",
		},
		Commands: []Command{ShowBinding, ShowMember, ShowPlacement},
	}
	PreemptedInactive = Entry{
		Cause: "preempted-binding-inactive", Title: "The cluster on which the run was preempted has no active binding", Short: "no active binding",
		Sign:    "as preempted, and the cluster has no binding, or its binding has a deletionTimestamp or is Unscheduled",
		actions: onPlacement, Recovery: engine.RecoveryByNewRun,
		Steps: Literals{
			whyInactive,
			"Create a new run ({clone}) if this snapshot is still wanted.",
		},
		Commands: []Command{ShowBindings, ShowMember, ShowPlacement},
	}
	PreemptedRestored = Entry{
		Cause: "preempted-restored", Title: "The cluster on which the run was preempted has this run's snapshot again", Short: "has its snapshot again",
		Sign:    "as preempted, and the binding has the snapshot, the overrides and the apply strategy of the run",
		actions: []engine.NextAction{engine.NextOwners, engine.NextPlacement}, Recovery: engine.RecoveryByPerson,
		Steps:    Literals{"Check which clusters do not have this snapshot ({owners}). Create a new run ({clone}) only if one of them should get this snapshot."},
		Commands: []Command{ShowBinding, ShowRuns},
	}
)
