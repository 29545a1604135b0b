package members

import (
	"fmt"
	"time"

	"github.com/stagewatch/stagewatch/demo/store"
)

// events are what the kubelet and the controllers of a member say of pods that
// fail.
func (l workload) events(pods []pod) []map[string]any {
	var all []map[string]any
	if l.fault.Kind == PodsDenied {
		all = append(all, l.event("ReplicaSet", l.setName(l.image), "1", "FailedCreate", "replicaset-controller", "Error creating: "+l.denied(), l.changed))
	}
	for _, p := range pods {
		said := func(id, reason, message string) {
			all = append(all, l.event("Pod", p.podName(), id, reason, "kubelet", message, p.at))
		}
		switch p.trouble() {
		case PodsNamed:
			said("1", "InspectFailed", p.inspectFailed())
			said("2", "Failed", "Error: InvalidImageName")
		case PodsPull:
			said("1", "Failed", fmt.Sprintf("Failed to pull image %q: %s", p.image, p.pullFailed()))
			said("2", "BackOff", fmt.Sprintf("Back-off pulling image %q", p.image))
		case PodsCrash:
			said("1", "BackOff", fmt.Sprintf("Back-off restarting failed container %s in pod %s_%s(%s)", p.container, p.podName(), p.namespace, p.uid(p.podName())))
		}
	}
	return all
}

// event is a warning that has been repeated since the first time.
func (l workload) event(kind, name, id, reason, source, message string, first time.Time) map[string]any {
	// A kubelet repeats what fails about every twelve seconds.
	const each = 12 * time.Second
	times := max(0, int(l.seen.Sub(first)/each))
	inner := l.meta(name+"."+id+store.NameSuffix(l.member, name, reason), nil, first)
	delete(inner, "labels")
	version := map[string]string{"Pod": "v1", "ReplicaSet": "apps/v1"}[kind]
	return map[string]any{
		"apiVersion": "v1", "kind": "Event", "metadata": inner, "type": "Warning", "reason": reason, "message": message, "count": 1 + times,
		"firstTimestamp": stamp(first), "lastTimestamp": stamp(first.Add(time.Duration(times) * each)),
		"involvedObject": map[string]any{"apiVersion": version, "kind": kind, "namespace": l.namespace, "name": name, "uid": l.uid(name)},
		"source":         map[string]any{"component": source},
	}
}
