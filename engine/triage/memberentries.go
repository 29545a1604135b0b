package triage

import (
	"github.com/stagewatch/stagewatch/engine"
)

// The causes that lie with the member itself.
var (
	memberGone = entry{
		cause: engine.NewCause("member-gone"), title: "There is no such member cluster",
		sign:    "the members are known, and none has the cluster's name",
		actions: []engine.Lead{engine.LeadCluster, engine.LeadOwners}, recovery: engine.HealMember, recoveryText: engine.Lit("After a fix on the member: it has to join again. Otherwise the run fails when the placement drops the cluster."),
		steps:    lits(engine.Lit("Let the cluster join again. Or create a new run (C) without it.")),
		commands: []command{cShowMembers, cShowBindings}, hard: true,
	}
	memberLeaving = entry{
		cause: engine.NewCause("member-leaving"), title: "The member is leaving the fleet",
		sign:    "MemberCluster with a deletionTimestamp, or Joined False",
		actions: []engine.Lead{engine.LeadCluster, engine.LeadOwners}, recovery: engine.HealMember, recoveryText: engine.Lit("After a fix on the member: it has to join again. Otherwise the run fails when the placement drops the cluster."),
		steps:    lits(engine.Lit("If the cluster is to leave the fleet, create a new run (C) when it is gone. If not, let it join again.")),
		commands: []command{cShowMember, cShowBinding}, hard: true,
	}
	memberNotJoined = entry{
		cause: engine.NewCause("member-not-joined"), title: "The member has not joined",
		sign:    "MemberCluster Joined absent or Unknown",
		actions: []engine.Lead{engine.LeadCluster, engine.LeadMember}, recovery: engine.HealMember, recoveryText: engine.Lit("After a fix on the member: its agent has to join."),
		steps:    lits(engine.Lit("Restore the member's agent: the cluster keeps its binding.")),
		commands: []command{cShowMember, cShowAgentOnMember}, hard: true,
	}
	memberUnhealthy = entry{
		cause: engine.NewCause("member-unhealthy"), title: "The member's agent is not healthy",
		sign:    "MemberAgent Healthy False or Unknown",
		actions: []engine.Lead{engine.LeadCluster, engine.LeadMember}, recovery: engine.HealMember, recoveryText: engine.Lit("After a fix on the member: the same run continues when its agent is healthy."),
		steps:    lits(engine.Lit("Restore the member's agent: the cluster keeps its binding.")),
		commands: []command{cShowMember, cShowAgentOnMember}, hard: true,
	}
	memberSilent = entry{
		cause: engine.NewCause("member-silent"), title: "The member is silent",
		sign:    "MemberAgent lastReceivedHeartbeat absent, or older than 5 minutes and 3 of its periods",
		actions: []engine.Lead{engine.LeadCluster, engine.LeadMember}, recovery: engine.HealMember, recoveryText: engine.Lit("After a fix on the member: the same run continues when its agent reports."),
		steps:    lits(engine.Lit("Restore the member's agent and its connection to the hub: the cluster keeps its binding.")),
		commands: []command{cShowMember, cShowAgentOnMember}, hard: true,
	}
	memberTroubleAhead = entry{
		cause: engine.NewCause("member-trouble-ahead"), title: "A member of a later stage is silent, unhealthy or gone",
		sign:    "as above, for a cluster that is still pending",
		actions: []engine.Lead{engine.LeadPlan}, recovery: engine.HealMember, note: true,
		steps: lits(engine.Lit("Restore these members before the run reaches them: the run would get stuck on each.")),
	}
)

var onMembers = []*entry{&memberGone, &memberLeaving, &memberNotJoined, &memberUnhealthy, &memberSilent, &memberTroubleAhead}
