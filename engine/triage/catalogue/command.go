package catalogue

// Command is a kubectl command that an entry shows. Its text depends on the case.
type Command int

// The commands of the catalogue. A command without what it names, such as a member's
// command for a run, is left out.
const (
	ShowNamespace Command = iota + 1
	ShowRun
	ShowRuns
	ShowPlacement
	ShowPlacements
	ShowBindings
	ShowPolicySnapshots
	ShowSnapshots
	ShowStrategy
	ShowStrategies
	ShowMembers
	ShowNamedMembers
	ShowApprovals
	Approve
	ShowApproval
	DeleteApproval
	Start
	ShowRival
	StopRival
	ShowWinner
	ShowLogs
	ShowHubAgent
	ShowBinding
	ShowBindingWriters
	ShowWorks
	ShowWorkFinalizers
	ShowKindOnMember
	ShowWorkObjects
	ShowOtherPlacement
	ShowAppliedWorksOnMember
	ShowMember
	ShowOnMember
	ShowOwnersOnMember
	ShowPodsOnMember
	ShowPodOnMember
	ShowPodLogOnMember
	ShowNodesOnMember
	ShowQuotaOnMember
	ShowLimitsOnMember
	ShowNamespaceOnMember
	ShowNamespacesOnMember
	ShowAdmissionOnMember
	ShowPermissionOnMember
	ShowAgentOnMember
	ShowOverrides
	ShowUsedOverrides
	ShowBroken
)
