package objectjson

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

// Placement is what is read of a placement.
type Placement struct {
	Metadata Meta            `json:"metadata"`
	Spec     PlacementSpec   `json:"spec"`
	Status   PlacementStatus `json:"status"`
}

// PlacementSpec is what is read of the spec of a placement.
type PlacementSpec struct {
	Strategy struct {
		Type   string                    `json:"type"`
		Apply  *placement.ApplyStrategy  `json:"applyStrategy"`
		Delete *placement.DeleteStrategy `json:"deleteStrategy"`
	} `json:"strategy"`
}

// PlacementStatus is what is read of the status of a placement.
type PlacementStatus struct {
	ObservedResourceIndex string             `json:"observedResourceIndex"`
	Conditions            []metav1.Condition `json:"conditions"`
	// Clusters is the number of the placementStatuses that name a cluster; the others are
	// of clusters that could not be picked (docs/kubefleet.md#placement).
	Clusters int `json:"-"`
}

// DecodePlacement reads a placement. Of the status of each of its clusters, which is nearly
// all of it, only the name is read.
func DecodePlacement(raw []byte) (*Placement, error) {
	o := &Placement{}
	r := &runReader{parser: newParser(raw), exact: true}
	r.members(func(name string) {
		switch name {
		case "metadata":
			r.bindingMeta(&o.Metadata)
		case "spec":
			r.members(func(name string) {
				if name == "strategy" {
					r.into(&o.Spec.Strategy)
				} else {
					r.raw()
				}
			})
		case "status":
			r.placementStatus(&o.Status)
		default:
			r.raw()
		}
	})
	if r.err != nil {
		return nil, r.err
	}
	return o, nil
}

func (r *runReader) placementStatus(s *PlacementStatus) {
	r.members(func(name string) {
		switch name {
		case "observedResourceIndex":
			s.ObservedResourceIndex = r.text()
		case "conditions":
			s.Conditions = r.conditions()
		case "placementStatuses":
			s.Clusters = 0
			r.elements(func() {
				named := false
				r.members(func(name string) {
					if name == "clusterName" {
						named = r.text() != ""
					} else {
						r.raw()
					}
				})
				if named {
					s.Clusters++
				}
			})
		default:
			r.raw()
		}
	})
}
