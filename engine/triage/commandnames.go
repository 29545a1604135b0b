package triage

// command is a kubectl command that an entry shows. Its text depends on the case.
type command int

// The commands of the catalogue. A command without what it names, such as a member's
// command for a run, is left out.
const (
	cShowNamespace command = iota + 1
	cShowRun
	cShowRuns
	cShowPlacement
	cShowPlacements
	cShowBindings
	cShowPolicySnapshots
	cShowSnapshots
	cShowStrategy
	cShowStrategies
	cShowMembers
	cShowNamedMembers
	cShowApprovals
	cApprove
	cDeleteApproval
	cStart
	cShowRival
	cStopRival
	cShowWinner
	cShowLogs
	cShowHubAgent
	cShowBinding
	cShowWorks
	cShowWorkFinalizers
	cShowMember
	cShowOnMember
	cShowOwnersOnMember
	cShowPodsOnMember
	cShowPodOnMember
	cShowPodLogOnMember
	cShowNodesOnMember
	cShowQuotaOnMember
	cShowAgentOnMember
	cShowOverrides
	cShowBroken
)
