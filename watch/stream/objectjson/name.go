package objectjson

import "bytes"

// name reads the name of a member. Frequent names are not looked up among interned strings.
func (p *parser) name() string {
	if p.err == nil && p.peek() == '"' {
		rest := p.b[p.i+1:]
		if n := bytes.IndexByte(rest[:min(len(rest), longestName+1)], '"'); n > 0 {
			if name := frequentName(rest[:n]); name != "" {
				p.i += n + 2
				return name
			}
		}
	}
	return p.text()
}

// longestName is the length of the longest frequent name.
const longestName = len("clusterResourceOverrideSnapshots")

// frequentName returns the name of a member of clusters, conditions, bindings and their metadata; empty for others.
func frequentName(b []byte) string {
	switch string(b) {
	case "conditions":
		return "conditions"
	case "clusterName":
		return "clusterName"
	case "lastTransitionTime":
		return "lastTransitionTime"
	case "message":
		return "message"
	case "observedGeneration":
		return "observedGeneration"
	case "reason":
		return "reason"
	case "status":
		return "status"
	case "type":
		return "type"
	case "metadata":
		return "metadata"
	case "spec":
		return "spec"
	case "apiVersion":
		return "apiVersion"
	case "kind":
		return "kind"
	case "name":
		return "name"
	case "namespace":
		return "namespace"
	case "uid":
		return "uid"
	case "resourceVersion":
		return "resourceVersion"
	case "generation":
		return "generation"
	case "creationTimestamp":
		return "creationTimestamp"
	case "finalizers":
		return "finalizers"
	case "labels":
		return "labels"
	case "annotations":
		return "annotations"
	case "ownerReferences":
		return "ownerReferences"
	case "managedFields":
		return "managedFields"
	case "state":
		return "state"
	case "resourceSnapshotName":
		return "resourceSnapshotName"
	case "schedulingPolicySnapshotName":
		return "schedulingPolicySnapshotName"
	case "targetCluster":
		return "targetCluster"
	case "resourceOverrideSnapshots":
		return "resourceOverrideSnapshots"
	case "clusterResourceOverrideSnapshots":
		return "clusterResourceOverrideSnapshots"
	case "applyStrategy":
		return "applyStrategy"
	case "clusterDecision":
		return "clusterDecision"
	}
	return ""
}
