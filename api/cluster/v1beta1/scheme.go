package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Group is the API group of MemberCluster.
const Group = "cluster.kubernetes-fleet.io"

// Version is the version of the types here and the one hubs store.
const Version = "v1beta1"

// GroupVersion is the group and version that AddToScheme registers.
var GroupVersion = schema.GroupVersion{Group: Group, Version: Version}

// KindMemberCluster is the kind and ResourceMemberClusters the plural name in a
// request's path.
const (
	KindMemberCluster      = "MemberCluster"
	ResourceMemberClusters = "memberclusters"
)

// AddToScheme registers MemberCluster and its list with the scheme.
func AddToScheme(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(GroupVersion, &MemberCluster{}, &MemberClusterList{})
	metav1.AddToGroupVersion(scheme, GroupVersion)
	return nil
}
