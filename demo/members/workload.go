package members

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"strconv"
	"time"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
	"github.com/stagewatch/stagewatch/demo/store"
	"github.com/stagewatch/stagewatch/demo/works"
)

// Replicas is how many pods a Deployment of the scenarios asks for.
const Replicas = 3

// workload is a Deployment on a member, with its ReplicaSets and pods, as the
// Deployment controller leaves them when it replaces one pod at a time: new pods
// come first, and old ones go when those are ready.
type workload struct {
	name, namespace, container string
	labels                     map[string]any
	spec, template             any
	// image is that of the Deployment, was that of the pods before it; empty
	// for a new Deployment.
	image, was string
	fault      PodFault
	// starting is set while new pods are not ready that will be.
	starting            bool
	made, changed, seen time.Time
	// member is the Work's namespace on the hub, owner what applied it.
	member string
	owner  map[string]any
}

func newWorkload(w *placement.Work, m works.Manifest, h held, fault PodFault, now time.Time) workload {
	l := workload{
		name: m.Metadata.Name, namespace: m.Metadata.Namespace, container: m.Metadata.Name, image: m.Image(),
		fault: fault, starting: fault.Kind == PodsRun && starting(w, m),
		made: h.made, changed: h.changed, seen: now, member: w.Namespace, owner: appliedBy(w),
	}
	if before, err := works.ParseManifest(h.before); err == nil {
		l.was = before.Image()
	}
	var whole struct {
		Metadata struct {
			Labels map[string]any `json:"labels"`
		} `json:"metadata"`
		Spec map[string]any `json:"spec"`
	}
	if err := json.Unmarshal(h.content.Raw, &whole); err == nil {
		l.labels, l.spec, l.template = whole.Metadata.Labels, whole.Spec, whole.Spec["template"]
	}
	return l
}

// pods are the workload's pods: ready ones of the image before, and new ones.
func (l workload) pods() []pod {
	fresh := func(n, ready int) []pod {
		var all []pod
		for i := range n {
			all = append(all, pod{workload: l, image: l.image, number: i, at: l.changed, ready: i < ready})
		}
		return all
	}
	if l.fault.Kind == PodsRun && !l.starting {
		return fresh(Replicas, Replicas)
	}
	var all []pod
	if l.was == "" {
		switch {
		case l.fault.Kind == PodsDenied:
			return nil
		case l.starting:
			return fresh(Replicas, Replicas-1)
		}
		return fresh(Replicas, 0)
	}
	for i := range Replicas {
		all = append(all, pod{workload: l, image: l.was, number: i, at: l.made, ready: true})
	}
	if l.fault.Kind == PodsDenied {
		return all
	}
	return append(all, fresh(1, 0)...)
}

func (l workload) Objects() []map[string]any {
	pods := l.pods()
	updated, ready := 0, 0
	for _, p := range pods {
		if p.image == l.image {
			updated++
		}
		if p.ready {
			ready++
		}
	}
	all := []map[string]any{l.deployment(len(pods), updated, ready), l.replicaSet(l.image, l.changed, updated, pods)}
	if l.was != "" && len(pods) > updated {
		all = append(all, l.replicaSet(l.was, l.made, len(pods)-updated, pods))
	}
	for _, p := range pods {
		all = append(all, p.object())
	}
	return append(all, l.events(pods)...)
}

func (l workload) deployment(total, updated, ready int) map[string]any {
	missing := max(Replicas, total) - ready
	truth := func(is bool) string { return map[bool]string{true: "True", false: "False"}[is] }
	condition := func(kind, status, reason, message string) map[string]any {
		return map[string]any{
			"type": kind, "status": status, "reason": reason, "message": message,
			"lastTransitionTime": stamp(l.changed), "lastUpdateTime": stamp(l.changed),
		}
	}
	conditions := []any{}
	if ready >= Replicas {
		conditions = append(conditions, condition("Available", truth(true), "MinimumReplicasAvailable", "Deployment has minimum availability."))
	} else {
		conditions = append(conditions, condition("Available", truth(false), "MinimumReplicasUnavailable", "Deployment does not have minimum availability."))
	}
	set := l.setName(l.image)
	// The default of a Deployment's progressDeadlineSeconds.
	const deadline = 10 * time.Minute
	switch {
	case updated == Replicas && ready == Replicas:
		conditions = append(conditions, condition("Progressing", truth(true), "NewReplicaSetAvailable", fmt.Sprintf("ReplicaSet %q has successfully progressed.", set)))
	case l.seen.Sub(l.changed) > deadline:
		c := condition("Progressing", truth(false), "ProgressDeadlineExceeded", fmt.Sprintf("ReplicaSet %q has timed out progressing.", set))
		c["lastTransitionTime"], c["lastUpdateTime"] = stamp(l.changed.Add(deadline)), stamp(l.changed.Add(deadline))
		conditions = append(conditions, c)
	default:
		conditions = append(conditions, condition("Progressing", truth(true), "ReplicaSetUpdated", fmt.Sprintf("ReplicaSet %q is progressing.", set)))
	}
	if l.fault.Kind == PodsDenied {
		conditions = append(conditions, condition("ReplicaFailure", truth(true), "FailedCreate", l.denied()))
	}
	generation := 1
	if l.was != "" {
		generation = 2
	}
	inner := l.meta(l.name, l.labels, l.made)
	inner["generation"], inner["ownerReferences"] = generation, []any{l.owner}
	return map[string]any{
		"apiVersion": "apps/v1", "kind": "Deployment", "metadata": inner, "spec": l.spec,
		"status": map[string]any{
			"observedGeneration": generation, "replicas": total, "updatedReplicas": updated, "readyReplicas": ready,
			"availableReplicas": ready, "unavailableReplicas": missing, "conditions": conditions,
		},
	}
}

// denied is what the member's API server answers when a pod is to be made.
func (l workload) denied() string {
	return fmt.Sprintf("pods %q is forbidden: %s", l.setName(l.image)+"-"+l.tail(l.image, 0), l.fault.Message)
}

func (l workload) replicaSet(image string, at time.Time, count int, pods []pod) map[string]any {
	ready := 0
	for _, p := range pods {
		if p.image == image && p.ready {
			ready++
		}
	}
	wanted := count
	if l.fault.Kind == PodsDenied && image == l.image {
		wanted = max(1, Replicas-len(pods))
	}
	inner := l.meta(l.setName(image), l.labels, at)
	inner["ownerReferences"] = []any{map[string]any{
		"apiVersion": "apps/v1", "kind": "Deployment", "name": l.name, "uid": l.uid(l.name), "controller": true,
	}}
	return map[string]any{
		"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": inner,
		"spec":   map[string]any{"replicas": wanted, "template": l.template},
		"status": map[string]any{"replicas": count, "readyReplicas": ready, "availableReplicas": ready},
	}
}

func (l workload) meta(name string, labels map[string]any, at time.Time) map[string]any {
	return map[string]any{"name": name, "namespace": l.namespace, "labels": labels, "creationTimestamp": stamp(at), "uid": l.uid(name)}
}

func (l workload) uid(name string) string {
	return name + "-" + store.NameSuffix(l.member, l.namespace, name)
}

// setName is the name of the ReplicaSet of an image.
func (l workload) setName(image string) string {
	hash := fnv.New32a()
	hash.Write([]byte(l.namespace + "/" + l.name + "/" + image))
	return l.name + "-" + strconv.FormatUint(uint64(hash.Sum32()), 36)
}

// tail is the end of the name of a pod.
func (l workload) tail(image string, number int) string {
	const letters = "bcdfghjklmnpqrstvwxz2456789"
	hash := fnv.New64a()
	hash.Write([]byte(l.member + "/" + image + "/" + strconv.Itoa(number)))
	sum, name := hash.Sum64(), make([]byte, 5)
	for i := range name {
		name[i], sum = letters[sum%uint64(len(letters))], sum/uint64(len(letters))
	}
	return string(name)
}
