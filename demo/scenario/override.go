package scenario

import (
	"encoding/json"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

// Override is a snapshot of an override for a placement: a JSON patch that
// replaces a path of one of its manifests.
type Override struct {
	// Namespace is where the manifest is; empty for the Namespace of a
	// cluster-scoped placement.
	Namespace       string
	Name, Placement string
	// Cluster is the only one that it is for; empty means all.
	Cluster string
	// Path and Value are what is replaced, and by what.
	Path, Value string
}

// imagePath is where a Deployment names the image of its only container.
const imagePath = "/spec/template/spec/containers/0/image"

func (o Override) policy() (*placement.OverridePolicy, error) {
	value, err := json.Marshal(o.Value)
	if err != nil {
		return nil, fmt.Errorf("encode value of override %s: %w", o.Name, err)
	}
	terms := []placement.ClusterSelectorTerm{}
	if o.Cluster != "" {
		terms = append(terms, placement.ClusterSelectorTerm{
			LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{placement.LabelMemberName: o.Cluster}},
		})
	}
	return &placement.OverridePolicy{OverrideRules: []placement.OverrideRule{{
		ClusterSelector:    &placement.ClusterSelector{ClusterSelectorTerms: terms},
		JSONPatchOverrides: []placement.JSONPatchOverride{{Op: "replace", Path: o.Path, Value: value}},
	}}}, nil
}

func (o Override) meta() metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: o.Namespace, Name: o.Name, Labels: map[string]string{placement.LabelIsLatestSnapshot: "true"}}
}

// ofNamespace is the snapshot of an override for a placement's Namespace.
func (o Override) ofNamespace() (*placement.ClusterResourceOverrideSnapshot, error) {
	policy, err := o.policy()
	if err != nil {
		return nil, err
	}
	return &placement.ClusterResourceOverrideSnapshot{
		ObjectMeta: o.meta(),
		Spec: placement.ClusterResourceOverrideSnapshotSpec{
			OverrideHash: []byte(o.Name),
			OverrideSpec: placement.ClusterResourceOverrideSpec{
				Placement:                &placement.PlacementRef{Name: o.Placement},
				ClusterResourceSelectors: []placement.ResourceSelectorTerm{{Version: "v1", Kind: "Namespace", Name: o.Placement}},
				Policy:                   policy,
			},
		},
	}, nil
}

// ofDeployment is the snapshot of an override for a placement's Deployment.
func (o Override) ofDeployment() (*placement.ResourceOverrideSnapshot, error) {
	policy, err := o.policy()
	if err != nil {
		return nil, err
	}
	return &placement.ResourceOverrideSnapshot{
		ObjectMeta: o.meta(),
		Spec: placement.ResourceOverrideSnapshotSpec{
			OverrideHash: []byte(o.Name),
			OverrideSpec: placement.ResourceOverrideSpec{
				Placement:         &placement.PlacementRef{Name: o.Placement},
				ResourceSelectors: []placement.ResourceSelector{{Group: "apps", Version: "v1", Kind: "Deployment", Name: o.Placement}},
				Policy:            policy,
			},
		},
	}, nil
}
