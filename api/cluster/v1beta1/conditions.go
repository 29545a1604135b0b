package v1beta1

// Condition types of a MemberCluster (docs/kubefleet.md#member).
const (
	// MemberReadyToJoin tells whether the hub side of a join is done.
	MemberReadyToJoin = "ReadyToJoin"
	// MemberJoined tells whether all agents joined; Unknown while only some did.
	MemberJoined = "Joined"
	// MemberPropertyProviderStarted tells whether properties are read.
	MemberPropertyProviderStarted = "ClusterPropertyProviderStarted"
	// MemberPropertyCollectionSucceeded tells whether reading them worked.
	MemberPropertyCollectionSucceeded = "ClusterPropertyCollectionSucceeded"
)

// Reasons of a MemberCluster's conditions (docs/kubefleet.md#member).
const (
	ReasonReadyToJoin    = "MemberClusterReadyToJoin"
	ReasonNotReadyToJoin = "MemberClusterNotReadyToJoin"
	ReasonJoined         = "MemberClusterJoined"
	ReasonLeft           = "MemberClusterLeft"
	ReasonJoinUnknown    = "MemberClusterJoinStateUnknown"
)

// Condition types of an agent's status (docs/kubefleet.md#member).
const (
	// AgentJoined tells whether the agent joined.
	AgentJoined = "Joined"
	// AgentHealthy tells whether the agent is well.
	AgentHealthy = "Healthy"
)
