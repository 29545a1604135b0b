package fleet

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"net/http"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	placement "github.com/stagewatch/stagewatch/api/placement/v1beta1"
)

// podsOf is how many pods a workload of the scenarios has.
const podsOf = 3

// workload is a Deployment on a member, with its pods.
type workload struct {
	name, namespace, container, image string
	labels                            map[string]any
	spec                              any
	// broken is set when the image's name is not valid: its first new pod waits
	// for ever, beside the old ones.
	broken bool
	// settled is set once all pods are ready.
	settled bool
	since   time.Time
	id      string
}

func newWorkload(a *agents, member string, w *placement.Work, m manifest, content placement.ResourceContent, broken bool) workload {
	container := m.Spec.Template.Spec.Containers[0]
	out := workload{
		name: m.Metadata.Name, namespace: m.Metadata.Namespace, container: m.Metadata.Name, image: a.imageOn(member, container.Image),
		labels: map[string]any{"app.kubernetes.io/name": m.Metadata.Name}, broken: broken, settled: settled(w), since: w.CreationTimestamp.Time,
	}
	if c := meta.FindStatusCondition(w.Status.Conditions, placement.BindingApplied); c != nil {
		out.since = c.LastTransitionTime.Time
	}
	if out.namespace == "" {
		out.namespace = "default"
	}
	var whole struct {
		Spec any `json:"spec"`
	}
	if err := json.Unmarshal(content.Raw, &whole); err == nil {
		out.spec = whole.Spec
	}
	hash := fnv.New32a()
	hash.Write([]byte(member + "/" + string(w.UID) + "/" + container.Image))
	out.id = strconv.FormatUint(uint64(hash.Sum32()), 36)
	return out
}

// pod is the name of the i-th pod; the newest of a broken workload is the last.
func (l workload) pod(i int) string {
	set := l.id
	if l.broken && i < podsOf {
		set = "5c9d8f7b6d" // the replica set from before
	}
	return fmt.Sprintf("%s-%s-%s", l.name, set, strings.Repeat(string(rune('b'+i)), 2)+l.id[:min(3, len(l.id))])
}

func (l workload) objects() []map[string]any {
	total, updated := podsOf, podsOf
	if l.broken {
		total, updated = podsOf+1, 1
	}
	ready := podsOf
	if !l.broken && !l.settled {
		ready = podsOf - 1
	}
	at := metav1.NewTime(l.since).UTC().Format(time.RFC3339)
	all := []map[string]any{{
		"apiVersion": "apps/v1", "kind": "Deployment", "metadata": l.meta(l.name, at), "spec": l.spec,
		"status": map[string]any{
			"replicas": total, "updatedReplicas": updated, "readyReplicas": ready, "availableReplicas": ready, "unavailableReplicas": total - ready,
		},
	}}
	for i := range total {
		stuck := l.broken && i == podsOf
		all = append(all, l.podObject(i, stuck, !stuck && i < ready, at))
	}
	if l.broken {
		all = append(all, l.event("1", "Warning", "InspectFailed", l.inspectFailed(), 12), l.event("2", "Warning", "Failed", "Error: InvalidImageName", 12))
	}
	return all
}

func (l workload) inspectFailed() string {
	return fmt.Sprintf("Failed to apply default image tag %q: couldn't parse image name %q: invalid reference format", l.image, l.image)
}

func (l workload) meta(name, at string) map[string]any {
	return map[string]any{"name": name, "namespace": l.namespace, "labels": l.labels, "creationTimestamp": at, "uid": name + "-" + l.id}
}

func (l workload) podObject(i int, stuck, ready bool, at string) map[string]any {
	state, phase := map[string]any{"running": map[string]any{"startedAt": at}}, "Running"
	switch {
	case stuck:
		state, phase = map[string]any{"waiting": map[string]any{"reason": "InvalidImageName", "message": l.inspectFailed()}}, "Pending"
	case !ready:
		state, phase = map[string]any{"waiting": map[string]any{"reason": "ContainerCreating"}}, "Pending"
	}
	truth := "False"
	if ready {
		truth = "True"
	}
	return map[string]any{
		"apiVersion": "v1", "kind": "Pod", "metadata": l.meta(l.pod(i), at),
		"spec": map[string]any{"containers": []any{map[string]any{"name": l.container, "image": l.image}}, "nodeName": fmt.Sprintf("node-%d", i+1)},
		"status": map[string]any{
			"phase": phase, "startTime": at,
			"conditions":        []any{map[string]any{"type": "Ready", "status": truth, "lastTransitionTime": at}},
			"containerStatuses": []any{map[string]any{"name": l.container, "image": l.image, "imageID": "", "ready": ready, "restartCount": 0, "state": state}},
		},
	}
}

func (l workload) event(id, kind, reason, message string, count int) map[string]any {
	at := metav1.NewTime(l.since).UTC().Format(time.RFC3339)
	m := l.meta(l.pod(podsOf)+"."+id+l.id, at)
	delete(m, "labels")
	return map[string]any{
		"apiVersion": "v1", "kind": "Event", "metadata": m, "type": kind, "reason": reason, "message": message, "count": count,
		"firstTimestamp": at, "lastTimestamp": time.Now().UTC().Add(-20 * time.Second).Format(time.RFC3339),
		"involvedObject": map[string]any{"apiVersion": "v1", "kind": "Pod", "namespace": l.namespace, "name": l.pod(podsOf)},
		"source":         map[string]any{"component": "kubelet"},
	}
}

// log serves the log of a pod, which a pod that never started does not have.
func (m *memberAPI) log(w http.ResponseWriter, r *http.Request, member string, q memberQuery) {
	for _, o := range m.objects(member) {
		meta, ok := o["metadata"].(map[string]any)
		if !ok || o["kind"] != "Pod" || meta["name"] != q.name || meta["namespace"] != q.namespace {
			continue
		}
		if status, ok := o["status"].(map[string]any); ok && status["phase"] != "Running" {
			refuse(w, http.StatusBadRequest, metav1.StatusReasonBadRequest,
				fmt.Sprintf("container %q in pod %q is waiting to start: trying and failing to pull image", strings.SplitN(q.name, "-", 2)[0], q.name))
			return
		}
		lines := []string{
			`level=info msg="listening" addr=:8080`,
			`level=info msg="ready"`,
			`level=info msg="GET /healthz" status=200 took=1ms`,
		}
		if tail, err := strconv.Atoi(r.URL.Query().Get("tailLines")); err == nil && tail >= 0 && tail < len(lines) {
			lines = lines[len(lines)-tail:]
		}
		w.Header().Set("Content-Type", "text/plain")
		//nolint:errcheck // a client that has gone away is told nothing
		fmt.Fprintln(w, strings.Join(lines, "\n"))
		return
	}
	refuse(w, http.StatusNotFound, metav1.StatusReasonNotFound, fmt.Sprintf("pods %q not found", q.name))
}
