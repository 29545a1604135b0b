package catalogue

import (
	"github.com/stagewatch/stagewatch/engine"
)

// The causes that lie with the member itself.
var (
	MemberGone = Entry{
		Cause: "member-missing", Title: "The member cluster does not exist", Short: "member CLUSTER does not exist",
		Sign:    "the members are known, and none has the cluster's name",
		actions: []engine.NextAction{engine.NextClone, engine.NextCluster, engine.NextOwners}, Recovery: engine.RecoveryByNewRun, RecoveryText: "Needs a new run: this run fails at the controller's next check, because the cluster is not a member of the fleet.",
		Steps:    Literals{"Create a new run ({clone}): it leaves out the cluster.", "{undoes}To keep the cluster, first join it to the fleet again under the same name."},
		Commands: []Command{ShowMembers, ShowBindings}, Hard: true,
	}
	MemberDeleting = Entry{
		Cause: "member-being-deleted", Title: "The member is being deleted", Short: "member CLUSTER is being deleted",
		Sign:    "MemberCluster with a deletionTimestamp",
		actions: []engine.NextAction{engine.NextCluster, engine.NextOwners, engine.NextClone}, Recovery: engine.RecoveryByNewRun,
		RecoveryText: "Needs a new run: the deletion of a member cannot be undone, and this run fails when the placement no longer picks the cluster.",
		Steps: Literals{
			"{fixes-first}Wait until the member is deleted, which cannot be undone. Then create a new run ({clone}): it leaves out the cluster.",
			"To keep the cluster in the fleet, join it again under the same name after the deletion, before you create the new run ({clone}).",
		},
		Commands: []Command{ShowMember, ShowBinding}, Hard: true,
	}
	MemberLeaving = Entry{
		Cause: "member-leaving", Title: "The member has left the fleet", Short: "member CLUSTER has left the fleet",
		Sign:    "MemberCluster Joined False",
		actions: []engine.NextAction{engine.NextCluster, engine.NextOwners}, Recovery: engine.RecoveryOnMember, RecoveryText: "After a fix on the member: it has to join again. Otherwise the run fails when the placement drops the cluster.",
		Steps:    Literals{"If the cluster is meant to leave the fleet, create a new run ({clone}) after its MemberCluster is deleted. If not, join it again: restore its member agent."},
		Commands: []Command{ShowMember, ShowBinding}, Hard: true,
	}
	MemberNotJoined = Entry{
		Cause: "member-not-joined", Title: "The member has not joined", Short: "member CLUSTER has not joined",
		Sign:    "MemberCluster Joined absent or Unknown",
		actions: []engine.NextAction{engine.NextCluster, engine.NextMember}, Recovery: engine.RecoveryOnMember, RecoveryText: "After a fix on the member: its agent has to join.",
		Steps:    Literals{"Restore the member's agent. Until then the cluster keeps its current version."},
		Commands: []Command{ShowMember, ShowAgentOnMember}, Hard: true,
	}
	MemberUnhealthy = Entry{
		Cause: "member-unhealthy", Title: "The member's agent is not healthy", Short: "agent is not healthy",
		Sign:    "MemberAgent Healthy False or Unknown",
		actions: []engine.NextAction{engine.NextCluster, engine.NextMember}, Recovery: engine.RecoveryOnMember, RecoveryText: "After a fix on the member: the same run continues when its agent is healthy.",
		Steps:    Literals{"Restore the member's agent. Until then the cluster keeps its current version."},
		Commands: []Command{ShowMember, ShowAgentOnMember}, Hard: true,
	}
	MemberNoHeartbeat = Entry{
		Cause: "member-no-heartbeat", Title: "The member sends no heartbeat", Short: "no heartbeat from CLUSTER",
		Sign:    "MemberAgent lastReceivedHeartbeat absent, or older than 5 minutes and 3 of its periods",
		actions: []engine.NextAction{engine.NextCluster, engine.NextMember}, Recovery: engine.RecoveryOnMember, RecoveryText: "After a fix on the member: the same run continues when its agent reports.",
		Steps:    Literals{"Restore the member's agent and its connection to the hub. Until then the cluster keeps its current version."},
		Commands: []Command{ShowMember, ShowAgentOnMember}, Hard: true,
	}
	MemberTroubleAhead = Entry{
		Cause: "later-member-unhealthy", Title: "A member of a later stage sends no heartbeat, is unhealthy, is being deleted or does not exist", Short: "a later member has a problem",
		Sign:    "as above, for a cluster that is still pending",
		actions: []engine.NextAction{engine.NextPlan}, Recovery: engine.RecoveryOnMember, note: true,
		Steps: Literals{"Restore the agents of these members before the run reaches them: the run would get stuck on each. A member that is being deleted cannot be restored."},
	}
)

// OnMembers lists the causes in the state of a member cluster.
var OnMembers = []*Entry{&MemberGone, &MemberDeleting, &MemberLeaving, &MemberNotJoined, &MemberUnhealthy, &MemberNoHeartbeat, &MemberTroubleAhead}
