package engine

import (
	"strings"
	"unique"
)

// Kind is a kind of object on a hub, both scopes apart.
type Kind uint8

// The kinds that stagewatch names. The order is the order of lists.
const (
	KindUnknown Kind = iota
	KindClusterStagedUpdateRun
	KindStagedUpdateRun
	KindClusterApprovalRequest
	KindApprovalRequest
	KindClusterResourcePlacement
	KindResourcePlacement
	KindClusterResourceBinding
	KindResourceBinding
	KindMemberCluster
	KindClusterResourceSnapshot
	KindResourceSnapshot
	KindClusterSchedulingPolicySnapshot
	KindSchedulingPolicySnapshot
	KindClusterResourceOverrideSnapshot
	KindResourceOverrideSnapshot
	KindWork
)

// kindNames holds, per kind: Go name, plural for requests, short name for people and commands
// (docs/kubefleet.md#kinds; full plurals where short names collide).
var kindNames = [...][3]string{
	KindUnknown:                  {"Unknown", "", "?"},
	KindClusterStagedUpdateRun:   {"ClusterStagedUpdateRun", "clusterstagedupdateruns", "csur"},
	KindStagedUpdateRun:          {"StagedUpdateRun", "stagedupdateruns", "sur"},
	KindClusterApprovalRequest:   {"ClusterApprovalRequest", "clusterapprovalrequests", "careq"},
	KindApprovalRequest:          {"ApprovalRequest", "approvalrequests", "areq"},
	KindClusterResourcePlacement: {"ClusterResourcePlacement", "clusterresourceplacements", "crp"},
	KindResourcePlacement:        {"ResourcePlacement", "resourceplacements", "rp"},
	KindClusterResourceBinding:   {"ClusterResourceBinding", "clusterresourcebindings", "clusterresourcebinding"},
	KindResourceBinding:          {"ResourceBinding", "resourcebindings", "resourcebinding"},
	KindMemberCluster:            {"MemberCluster", "memberclusters", "membercluster"},

	KindClusterResourceSnapshot:         {"ClusterResourceSnapshot", "clusterresourcesnapshots", "clusterresourcesnapshot"},
	KindResourceSnapshot:                {"ResourceSnapshot", "resourcesnapshots", "resourcesnapshot"},
	KindClusterSchedulingPolicySnapshot: {"ClusterSchedulingPolicySnapshot", "clusterschedulingpolicysnapshots", "clusterschedulingpolicysnapshot"},
	KindSchedulingPolicySnapshot:        {"SchedulingPolicySnapshot", "schedulingpolicysnapshots", "schedulingpolicysnapshot"},
	KindClusterResourceOverrideSnapshot: {"ClusterResourceOverrideSnapshot", "clusterresourceoverridesnapshots", "clusterresourceoverridesnapshot"},
	KindResourceOverrideSnapshot:        {"ResourceOverrideSnapshot", "resourceoverridesnapshots", "resourceoverridesnapshot"},
	KindWork:                            {"Work", "works", "work"},
}

// RunGroup is the API group of runs.
const RunGroup = "placement.kubernetes-fleet.io"

// RunKindOf returns the kind of run that a word in front of a slash names, as kubectl spells
// resources: short name, singular or plural, with or without group; else KindUnknown.
func RunKindOf(word string) Kind {
	name, group, _ := strings.Cut(strings.ToLower(word), ".")
	if group != "" && group != RunGroup && !strings.HasSuffix(group, "."+RunGroup) {
		return KindUnknown
	}
	for _, k := range []Kind{KindClusterStagedUpdateRun, KindStagedUpdateRun} {
		if strings.EqualFold(name, k.String()) || strings.EqualFold(name, k.Plural()) || strings.EqualFold(name, k.Short()) && group == "" {
			return k
		}
	}
	return KindUnknown
}

// String returns the kind's API name, "ClusterStagedUpdateRun" for example.
func (k Kind) String() string { return k.names()[0] }

// Plural returns the resource name used in request paths and in kubectl
// commands; empty for KindUnknown.
func (k Kind) Plural() string { return k.names()[1] }

// Short returns the name people use: csur, sur, careq, areq, crp, rp.
func (k Kind) Short() string { return k.names()[2] }

func (k Kind) names() [3]string {
	if int(k) >= len(kindNames) {
		return kindNames[KindUnknown]
	}
	return kindNames[k]
}

// Namespaced reports whether objects of the kind live in a namespace.
func (k Kind) Namespaced() bool {
	switch k {
	case KindStagedUpdateRun, KindApprovalRequest, KindResourcePlacement, KindResourceBinding,
		KindResourceSnapshot, KindSchedulingPolicySnapshot, KindResourceOverrideSnapshot, KindWork:
		return true
	default:
		return false
	}
}

// InScope returns the one of two kinds that belongs to the scope of k: the approval
// requests, placement and bindings of a namespaced run are namespaced.
func (k Kind) InScope(cluster, namespaced Kind) Kind {
	if k.Namespaced() {
		return namespaced
	}
	return cluster
}

// HubName is the name of a hub: that of its kubeconfig context, or the address of its
// API server if the connection has no context; and the alias that people know it by, if it has
// one. It is comparable and has the size of a pointer. The zero HubName names no hub.
type HubName struct{ name unique.Handle[hubName] }

type hubName struct{ context, alias string }

// NewHubName returns the HubName of a context; the zero HubName if it is empty. Without an
// alias, that is empty.
func NewHubName(context, alias string) HubName {
	if context == "" {
		return HubName{}
	}
	return HubName{unique.Make(hubName{context, alias})}
}

// IsZero reports whether it names no hub.
func (h HubName) IsZero() bool { return h == HubName{} }

// Raw returns the name as the kubeconfig spells it: for comparisons and records,
// never for the screen.
func (h HubName) Raw() string {
	if h.IsZero() {
		return ""
	}
	return h.name.Value().context
}

// Text returns the alias, else the name; empty if it names no hub.
func (h HubName) Text() Text {
	if !h.IsZero() && h.name.Value().alias != "" {
		return Clean(h.name.Value().alias)
	}
	return h.Context()
}

// Context returns the name without the alias: for commands, JSON and dialogs.
func (h HubName) Context() Text { return Clean(h.Raw()) }

// ID returns the ID of an object of the hub; ns is empty for cluster scope.
func (h HubName) ID(kind Kind, ns, name, uid string) ID {
	return ID{hub: h, kind: kind, ns: ns, name: name, uid: uid}
}

// ID identifies one object: hub, kind, namespace, name and UID. An object that was
// deleted and created again under its old name has another ID. The zero ID
// identifies nothing. IDs are comparable.
type ID struct {
	hub      HubName
	kind     Kind
	ns, name string
	uid      string
}

// NewID returns the ID of an object without its hub; ns is empty for cluster scope. An object that
// was read from a hub gets its ID from HubName.ID, one that such an object names from ID.Beside.
func NewID(kind Kind, ns, name, uid string) ID { return HubName{}.ID(kind, ns, name, uid) }

// Beside returns the ID of another object of the same hub.
func (id ID) Beside(kind Kind, ns, name, uid string) ID { return id.hub.ID(kind, ns, name, uid) }

// On returns the ID with another hub.
func (id ID) On(hub HubName) ID { id.hub = hub; return id }

// Hub returns the hub that the object is on.
func (id ID) Hub() HubName { return id.hub }

// Kind returns the kind.
func (id ID) Kind() Kind { return id.kind }

// IsZero reports whether the ID names nothing.
func (id ID) IsZero() bool { return id == ID{} }

// Namespace returns the namespace for the screen; empty for cluster scope.
func (id ID) Namespace() Text { return Clean(id.ns) }

// Name returns the object's name for the screen.
func (id ID) Name() Text { return Clean(id.name) }

// Title returns "name", or "namespace/name", for the screen. In a namespace whose name
// stands for a kind of run where a person writes one, a run is "sur/namespace/name".
func (id ID) Title() Text {
	if id.kind == KindStagedUpdateRun && RunKindOf(id.ns) != KindUnknown {
		return Clean(id.kind.Short() + "/" + id.path())
	}
	return Clean(id.path())
}

func (id ID) path() string {
	if id.ns == "" {
		return id.name
	}
	return id.ns + "/" + id.name
}

// Raw returns namespace, name and UID as the hub spells them: for requests and
// for shell-quoted commands, never for the screen.
func (id ID) Raw() (ns, name, uid string) { return id.ns, id.name, id.uid }

// RawNamespace returns the namespace as the hub spells it, as Raw does.
func (id ID) RawNamespace() string { return id.ns }

// RawName returns the name as the hub spells it, as Raw does.
func (id ID) RawName() string { return id.name }

// Key returns the ID without its UID: a name that outlives the object.
func (id ID) Key() ID { id.uid = ""; return id }

// SameName reports whether both IDs have the same hub, kind, namespace and name,
// whatever their UIDs.
func (id ID) SameName(o ID) bool { return id.Key() == o.Key() }

// Compare orders IDs by kind, namespace, name, hub and UID.
func (id ID) Compare(o ID) int {
	if id.kind != o.kind {
		return int(id.kind) - int(o.kind)
	}
	if c := strings.Compare(id.ns, o.ns); c != 0 {
		return c
	}
	if c := strings.Compare(id.name, o.name); c != 0 {
		return c
	}
	if id.hub != o.hub {
		return strings.Compare(id.hub.Raw(), o.hub.Raw())
	}
	return strings.Compare(id.uid, o.uid)
}

// MarshalText writes "kind/name" or "kind/namespace/name", safe to print.
func (id ID) MarshalText() ([]byte, error) {
	return []byte(id.kind.Short() + "/" + Clean(id.path()).s), nil
}

// PlacementKey returns the key of the placement that a run of the given scope names.
func PlacementKey(run ID, name string) ID {
	kind := run.kind.InScope(KindClusterResourcePlacement, KindResourcePlacement)
	return run.Beside(kind, run.ns, name, "")
}
