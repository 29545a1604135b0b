// Package v1beta1 contains the types of the hub's cluster API: MemberCluster, with
// every field of the v1beta1 schema that a hub serves. The CRD and the deep copies
// are generated from them.
//
// +kubebuilder:object:generate=true
// +groupName=cluster.kubernetes-fleet.io
// +versionName=v1beta1
package v1beta1

//go:generate go tool -modfile=../../../tools/go.mod controller-gen object crd:maxDescLen=0,crdVersions=v1 paths=. output:object:dir=. output:crd:dir=../../crds
//go:generate go -C ../../../tools run ./servedversions ../api/crds
