package objectjson

import (
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/watch/internal/intern"
)

// Meta is the part of an object's metadata that rows keep.
type Meta struct {
	Name              string       `json:"name"`
	Namespace         string       `json:"namespace"`
	UID               string       `json:"uid"`
	ResourceVersion   string       `json:"resourceVersion"`
	Generation        int64        `json:"generation"`
	CreationTimestamp metav1.Time  `json:"creationTimestamp"`
	DeletionTimestamp *metav1.Time `json:"deletionTimestamp"`
	Finalizers        []string     `json:"finalizers"`
	Labels            Labels       `json:"labels"`
}

// Labels are those of the labels of an object that are read.
type Labels struct {
	// Placement is the placement of a binding.
	Placement string `json:"kubernetes-fleet.io/parent-CRP"`
}

// Binding is what is read of a binding.
type Binding struct {
	Metadata Meta          `json:"metadata"`
	Spec     BindingSpec   `json:"spec"`
	Status   BindingStatus `json:"status"`
}

// BindingSpec is what is read of the spec of a binding.
type BindingSpec struct {
	State                string                     `json:"state"`
	ResourceSnapshotName string                     `json:"resourceSnapshotName"`
	PolicySnapshotName   string                     `json:"schedulingPolicySnapshotName"`
	TargetCluster        string                     `json:"targetCluster"`
	ResourceOverrides    []placement.NamespacedName `json:"resourceOverrideSnapshots"`
	ClusterOverrides     []string                   `json:"clusterResourceOverrideSnapshots"`
	// ApplyStrategy is shared with other bindings.
	ApplyStrategy *placement.ApplyStrategy `json:"applyStrategy"`
}

// BindingStatus is what is read of the status of a binding. What drifted or differs is
// decoded where it is needed.
type BindingStatus struct {
	Conditions        []metav1.Condition                  `json:"conditions"`
	FailedPlacements  []placement.FailedResourcePlacement `json:"failedPlacements"`
	DriftedPlacements []json.RawMessage                   `json:"driftedPlacements"`
	DiffedPlacements  []json.RawMessage                   `json:"diffedPlacements"`
}

// DecodeBinding reads a binding.
func DecodeBinding(raw []byte) (*Binding, error) {
	b := &Binding{}
	r := &runReader{parser: newParser(raw), exact: true}
	r.members(func(name string) {
		switch name {
		case "metadata":
			r.bindingMeta(&b.Metadata)
		case "spec":
			r.bindingSpec(&b.Spec)
		case "status":
			r.bindingStatus(&b.Status)
		default:
			r.raw()
		}
	})
	if r.err != nil {
		return nil, r.err
	}
	return b, nil
}

// bindingMeta reads metadata; of the labels, the placement of a binding.
func (r *runReader) bindingMeta(m *Meta) {
	r.rowMeta(m, func() {
		r.members(func(label string) {
			if label == placement.LabelParentPlacement {
				m.Labels.Placement = r.text()
			} else {
				r.raw()
			}
		})
	})
}

// rowMeta reads metadata; labels takes their value.
func (r *runReader) rowMeta(m *Meta, labels func()) {
	r.members(func(name string) {
		switch name {
		case "name":
			m.Name = r.ownText()
		case "namespace":
			m.Namespace = r.text()
		case "uid":
			m.UID = r.ownText()
		case "resourceVersion":
			m.ResourceVersion = r.ownText()
		case "generation":
			m.Generation = r.integer()
		case "creationTimestamp":
			m.CreationTimestamp = r.time()
		case "deletionTimestamp":
			r.into(&m.DeletionTimestamp)
		case "finalizers":
			m.Finalizers = r.texts()
		case "labels":
			labels()
		default:
			r.raw()
		}
	})
}

func (r *runReader) bindingSpec(s *BindingSpec) {
	r.members(func(name string) {
		switch name {
		case "state":
			s.State = r.text()
		case "resourceSnapshotName":
			s.ResourceSnapshotName = r.text()
		case "schedulingPolicySnapshotName":
			s.PolicySnapshotName = r.text()
		case "targetCluster":
			s.TargetCluster = r.text()
		case "resourceOverrideSnapshots":
			r.into(&s.ResourceOverrides)
		case "clusterResourceOverrideSnapshots":
			s.ClusterOverrides = r.texts()
		case "applyStrategy":
			s.ApplyStrategy = applyStrategies.read(r)
		default:
			r.raw()
		}
	})
}

func (r *runReader) bindingStatus(s *BindingStatus) {
	r.members(func(name string) {
		switch name {
		case "conditions":
			s.Conditions = r.conditions()
		case "failedPlacements":
			r.into(&s.FailedPlacements)
		case "driftedPlacements":
			r.into(&s.DriftedPlacements)
		case "diffedPlacements":
			r.into(&s.DiffedPlacements)
		default:
			r.raw()
		}
	})
}

// texts reads a list of strings.
func (r *runReader) texts() []string {
	var list []string
	if r.elements(func() { list = append(list, r.text()) }) && list == nil {
		return []string{}
	}
	return list
}

// ownText takes a string that no other object has, or null.
func (p *parser) ownText() string {
	return p.textBy(func(b []byte) string { return string(b) }, func(s string) string { return s })
}

// text takes a string that other objects have, too, or null.
func (p *parser) text() string { return p.textBy(intern.Bytes, intern.String) }

// sameText is text for one that is likely to be the same as another.
func (p *parser) sameText(likely string) string {
	if n := len(likely); p.err == nil && n > 0 && p.peek() == '"' {
		if rest := p.b[p.i:]; len(rest) > n+1 && rest[n+1] == '"' && string(rest[1:n+1]) == likely && printable(rest[1:n+1]) && plainName(likely) {
			p.i += n + 2
			return likely
		}
	}
	return p.text()
}
