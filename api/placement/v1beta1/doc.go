// Package v1beta1 contains the types of the hub's placement API: the staged update
// kinds in full, and of the other kinds every field of the v1beta1 schema that a
// hub serves. CRDs and deep copies are generated from these types.
//
// The two scopes of a kind share their Spec and Status types, so that
// ClusterStagedUpdateRun(run) and StagedUpdateRun(run) convert into each other.
// A rule is written once, for an object with or without a namespace.
//
// The types are v1beta1, the storage version of every hub so far
// (docs/kubefleet.md#kinds). v1 has the same JSON for everything that a rollout
// reads or writes.
//
// +kubebuilder:object:generate=true
// +groupName=placement.kubernetes-fleet.io
// +versionName=v1beta1
package v1beta1

//go:generate go tool -modfile=../../../tools/go.mod controller-gen object crd:maxDescLen=0,crdVersions=v1 paths=. output:object:dir=. output:crd:dir=../../crds
//go:generate go -C ../../../tools run ./servedversions ../api/crds
