package members

import (
	"fmt"
	"time"
)

// pod is a pod of a workload.
type pod struct {
	workload
	image  string
	number int
	at     time.Time
	ready  bool
}

func (p pod) podName() string { return p.setName(p.image) + "-" + p.tail(p.image, p.number) }

// trouble is how the pod fails: not at all when it is ready, or only starting.
func (p pod) trouble() PodFaultKind {
	if p.ready || p.starting {
		return PodsRun
	}
	return p.fault.Kind
}

// state is the state of the pod's container, and how often it was started again.
func (p pod) state() (state map[string]any, again int) {
	waiting := func(reason, message string) map[string]any {
		w := map[string]any{"reason": reason}
		if message != "" {
			w["message"] = message
		}
		return map[string]any{"waiting": w}
	}
	switch p.trouble() {
	case PodsNamed:
		return waiting("InvalidImageName", p.inspectFailed()), 0
	case PodsPull:
		return waiting("ImagePullBackOff", fmt.Sprintf("Back-off pulling image %q: ErrImagePull: %s", p.image, p.pullFailed())), 0
	case PodsCrash:
		again, _ = restarts(p.at, p.seen)
		return waiting("CrashLoopBackOff", fmt.Sprintf("back-off restarting failed container=%s pod=%s_%s(%s)", p.container, p.podName(), p.namespace, p.uid(p.podName()))), again
	}
	if !p.ready {
		return waiting("ContainerCreating", ""), 0
	}
	return map[string]any{"running": map[string]any{"startedAt": stamp(p.at)}}, 0
}

func (p pod) inspectFailed() string {
	return fmt.Sprintf("Failed to apply default image tag %q: couldn't parse image name %q: invalid reference format", p.image, p.image)
}

func (p pod) pullFailed() string {
	return fmt.Sprintf("failed to pull and unpack image %q: %s", p.image, p.fault.Message)
}

func (p pod) object() map[string]any {
	state, again := p.state()
	phase, truth := "Running", "False"
	if !p.ready && p.trouble() != PodsCrash {
		phase = "Pending"
	}
	if p.ready {
		truth = "True"
	}
	container := map[string]any{
		"name": p.container, "image": p.image, "imageID": "", "ready": p.ready, "started": p.ready, "restartCount": again, "state": state,
	}
	if p.trouble() == PodsCrash {
		_, last := restarts(p.at, p.seen)
		container["lastState"] = map[string]any{"terminated": map[string]any{
			"exitCode": 1, "reason": "Error", "startedAt": stamp(last), "finishedAt": stamp(last),
		}}
	}
	inner := p.meta(p.podName(), p.podLabels(), p.at)
	inner["ownerReferences"] = []any{map[string]any{
		"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": p.setName(p.image), "uid": p.uid(p.setName(p.image)), "controller": true,
	}}
	return map[string]any{
		"apiVersion": "v1", "kind": "Pod", "metadata": inner,
		"spec": map[string]any{"containers": []any{map[string]any{"name": p.container, "image": p.image}}, "nodeName": fmt.Sprintf("node-%d", p.number+1)},
		"status": map[string]any{
			"phase": phase, "startTime": stamp(p.at),
			"conditions":        []any{map[string]any{"type": "Ready", "status": truth, "lastTransitionTime": stamp(p.at)}},
			"containerStatuses": []any{container},
		},
	}
}

// podLabels are those of the Deployment's template.
func (p pod) podLabels() map[string]any {
	template, ok := p.template.(map[string]any)
	if !ok {
		return p.labels
	}
	inner, ok := template["metadata"].(map[string]any)
	if !ok {
		return p.labels
	}
	labels, ok := inner["labels"].(map[string]any)
	if !ok {
		return p.labels
	}
	return labels
}
