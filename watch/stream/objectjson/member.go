package objectjson

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	cluster "github.com/stagewatch/stagewatch/api/cluster/v1beta1"
)

// Member is what is read of a member cluster.
type Member struct {
	Metadata MemberMeta   `json:"metadata"`
	Spec     MemberSpec   `json:"spec"`
	Status   MemberStatus `json:"status"`
}

// MemberMeta is what is read of the metadata of a member cluster: all labels, which stages
// select by.
type MemberMeta struct {
	Meta
	Labels map[string]string `json:"labels"`
}

// MemberSpec is what is read of the spec of a member cluster.
type MemberSpec struct {
	Taints []cluster.Taint `json:"taints"`
	// HeartbeatPeriodSeconds is zero where the default holds.
	HeartbeatPeriodSeconds int64 `json:"heartbeatPeriodSeconds"`
}

// MemberStatus is what is read of the status of a member cluster. Its properties and
// resources, which are most of it, are not.
type MemberStatus struct {
	Conditions []metav1.Condition    `json:"conditions"`
	Agents     []cluster.AgentStatus `json:"agentStatus"`
}

// DecodeMember reads a member cluster.
func DecodeMember(raw []byte) (*Member, error) {
	m := &Member{}
	r := &runReader{parser: newParser(raw), exact: true}
	r.members(func(name string) {
		switch name {
		case "metadata":
			r.rowMeta(&m.Metadata.Meta, func() { r.allLabels(&m.Metadata.Labels) })
		case "spec":
			r.members(func(name string) {
				switch name {
				case "taints":
					r.into(&m.Spec.Taints)
				case "heartbeatPeriodSeconds":
					m.Spec.HeartbeatPeriodSeconds = r.integer()
				default:
					r.raw()
				}
			})
		case "status":
			r.members(func(name string) {
				switch name {
				case "conditions":
					m.Status.Conditions = r.conditions()
				case "agentStatus":
					m.Status.Agents = r.agents()
				default:
					r.raw()
				}
			})
		default:
			r.raw()
		}
	})
	if r.err != nil {
		return nil, r.err
	}
	return m, nil
}

// allLabels reads labels.
func (r *runReader) allLabels(labels *map[string]string) {
	if r.null() {
		*labels = nil
		return
	}
	if *labels == nil {
		*labels = map[string]string{}
	}
	r.members(func(label string) { (*labels)[label] = r.text() })
}

// agents reads the agents of a member.
func (r *runReader) agents() []cluster.AgentStatus {
	list := []cluster.AgentStatus{}
	if !r.elements(func() {
		var a cluster.AgentStatus
		r.members(func(name string) {
			switch name {
			case "type":
				a.Type = cluster.AgentType(r.text())
			case "conditions":
				a.Conditions = r.conditions()
			case "lastReceivedHeartbeat":
				if a.LastReceivedHeartbeat = nil; !r.null() {
					at := r.time()
					a.LastReceivedHeartbeat = &at
				}
			default:
				r.raw()
			}
		})
		list = append(list, a)
	}) {
		return nil
	}
	return list
}
