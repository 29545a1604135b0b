package member

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sort"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/rest"

	"github.com/stagewatch/stagewatch/engine/page/workload"
	"github.com/stagewatch/stagewatch/engine/world"
	"github.com/stagewatch/stagewatch/watch/client"
	"github.com/stagewatch/stagewatch/watch/internal/task"
)

const (
	// memberPods is how many pods of each, memberEvents how many events.
	memberPods, memberEvents = 12, 8
	// logLines is how much of a log is shown.
	logLines = 10
)

// The parts of a member's objects that are read.
type (
	memberWorkload struct {
		Spec struct {
			Replicas *int                  `json:"replicas"`
			Selector *metav1.LabelSelector `json:"selector"`
		} `json:"spec"`
		Status struct {
			Replicas   int                `json:"replicas"`
			Updated    int                `json:"updatedReplicas"`
			Ready      int                `json:"readyReplicas"`
			Available  int                `json:"availableReplicas"`
			Conditions []metav1.Condition `json:"conditions"`
			// What a DaemonSet has instead.
			Scheduled        int `json:"desiredNumberScheduled"`
			UpdatedScheduled int `json:"updatedNumberScheduled"`
			NumberReady      int `json:"numberReady"`
			NumberAvailable  int `json:"numberAvailable"`
		} `json:"status"`
	}
	memberPod struct {
		Metadata metav1.ObjectMeta `json:"metadata"`
		Spec     struct {
			NodeName string `json:"nodeName"`
		} `json:"spec"`
		Status struct {
			Phase      string             `json:"phase"`
			Reason     string             `json:"reason"`
			Message    string             `json:"message"`
			Conditions []metav1.Condition `json:"conditions"`
			Init       []memberContainer  `json:"initContainerStatuses"`
			Containers []memberContainer  `json:"containerStatuses"`
		} `json:"status"`
	}
	memberContainer struct {
		Name     string                   `json:"name"`
		Image    string                   `json:"image"`
		Restarts int                      `json:"restartCount"`
		Ready    bool                     `json:"ready"`
		State    map[string]memberSetback `json:"state"`
		Last     map[string]memberSetback `json:"lastState"`
	}
	memberSetback struct {
		Reason   string `json:"reason"`
		Message  string `json:"message"`
		ExitCode int    `json:"exitCode"`
		Started  string `json:"startedAt"`
		Finished string `json:"finishedAt"`
	}
	memberEvent struct {
		Type    string `json:"type"`
		Reason  string `json:"reason"`
		Message string `json:"message"`
		Count   int    `json:"count"`
		Last    string `json:"lastTimestamp"`
		Time    string `json:"eventTime"`
		About   struct {
			Kind string `json:"kind"`
			Name string `json:"name"`
		} `json:"involvedObject"`
	}
)

// Workloads reads the workloads from the member, all at once. Each says why it was
// not read; when none was, the first speaks for the member: it hangs, or forbids.
func (h *Client) Workloads(ctx context.Context, wanted []world.MemberWorkload, f *workload.Facts) {
	read := slices.Clone(wanted)
	var reads task.Reads
	for i := range read {
		reads.Go(func() {
			if err := h.workload(ctx, &read[i]); err != nil {
				read[i] = wanted[i]
				read[i].Why = h.Failure(err).Err
			}
		})
	}
	reads.Wait()
	if len(read) > 0 && !slices.ContainsFunc(read, func(w world.MemberWorkload) bool { return w.Why.IsZero() }) {
		f.Why = read[0].Why
		return
	}
	f.Workloads = read
}

// workload reads a workload, its pods, their events, and the log of one pod:
// the one that the trouble is about, or the first.
func (h *Client) workload(ctx context.Context, w *world.MemberWorkload) error {
	var d memberWorkload
	err := h.get(ctx, &d, "/apis/apps/v1", w.Namespace, world.WorkloadResource(w.Kind), w.Name, nil)
	switch client.KindOf(err) {
	case client.NoFailure:
	case client.Missing:
		w.Missing = true
		return nil
	default:
		return err
	}
	st := &d.Status
	w.Replicas, w.Updated = st.Replicas+st.Scheduled, st.Updated+st.UpdatedScheduled
	if d.Spec.Replicas != nil {
		w.Desired = *d.Spec.Replicas
	} else if w.Kind != "DaemonSet" {
		w.Desired = 1 // what the API server fills in
	}
	w.Ready, w.Available = st.Ready+st.NumberReady, st.Available+st.NumberAvailable
	for _, c := range st.Conditions {
		if c.Type == "ReplicaFailure" && c.Status == metav1.ConditionTrue || c.Type == "Progressing" && c.Status == metav1.ConditionFalse {
			w.Setbacks = append(w.Setbacks, world.MemberSetback{Type: c.Type, Status: string(c.Status), Reason: c.Reason, Message: c.Message})
		}
	}
	selector, err := metav1.LabelSelectorAsSelector(d.Spec.Selector)
	if err != nil || selector.Empty() {
		selector = labels.Nothing()
	}
	var pods struct{ Items []memberPod }
	if err := h.get(ctx, &pods, "/api/v1", w.Namespace, "pods", "", map[string]string{"labelSelector": selector.String(), "limit": "100"}); err != nil {
		return err
	}
	about := map[string]bool{w.Kind + " " + w.Name: true}
	for i := range pods.Items {
		p := podOf(&pods.Items[i])
		about["Pod "+p.Name] = true
		w.Pods = append(w.Pods, p)
	}
	// What is not ready is what one came for.
	sort.SliceStable(w.Pods, func(i, j int) bool {
		a, b := &w.Pods[i], &w.Pods[j]
		if a.Ready != b.Ready {
			return b.Ready
		}
		return a.Name < b.Name
	})
	w.Pods = w.Pods[:min(len(w.Pods), memberPods)]
	h.events(ctx, w, about)
	h.podLog(ctx, w)
	return nil
}

// podOf folds a pod into a row: the reason is that of the first container which
// waits or has ended badly.
func podOf(o *memberPod) world.MemberPod {
	p := world.MemberPod{
		Name: o.Metadata.Name, Phase: o.Status.Phase, Node: o.Spec.NodeName, Created: o.Metadata.CreationTimestamp.Time,
		Reason: o.Status.Reason, Message: o.Status.Message,
	}
	for _, c := range o.Status.Conditions {
		if c.Type == "Ready" {
			p.Ready = c.Status == metav1.ConditionTrue
		}
		if c.Type == "PodScheduled" && c.Status == metav1.ConditionFalse && p.Reason == "" {
			p.Reason, p.Message = c.Reason, c.Message
		}
	}
	for _, c := range slices.Concat(o.Status.Init, o.Status.Containers) {
		p.Restarts += c.Restarts
		for _, set := range []map[string]memberSetback{c.State, c.Last} {
			for _, state := range []string{"waiting", "terminated"} {
				s, is := set[state]
				if is && s.Reason != "" && s.Reason != "Completed" && p.Reason == "" && !p.Ready {
					p.Reason, p.Message, p.Image, p.Container = s.Reason, s.Message, c.Image, c.Name
				}
			}
		}
		for _, set := range []map[string]memberSetback{c.Last, c.State} {
			if s, is := set["terminated"]; is && p.Container == c.Name && s.Reason != "Completed" {
				p.Ended = world.ExitOf(s.Reason, s.ExitCode)
			}
		}
	}
	// The log is that of the container that fails, else of one that is not ready.
	for _, c := range o.Status.Containers {
		if p.Container == "" && !c.Ready {
			p.Container, p.Image = c.Name, c.Image
		}
	}
	if p.Container == "" && len(o.Status.Containers) > 0 {
		p.Container = o.Status.Containers[0].Name
	}
	return p
}

// events reads the events about the workload and its pods; without the right to
// there are none, and the page goes on without.
func (h *Client) events(ctx context.Context, w *world.MemberWorkload, about map[string]bool) {
	var events struct{ Items []memberEvent }
	if err := h.get(ctx, &events, "/api/v1", w.Namespace, "events", "", map[string]string{"limit": "500"}); err != nil {
		w.Events = append(w.Events, world.MemberEvent{Reason: "not read", Message: h.Failure(err).Err.String()})
		return
	}
	for i := range events.Items {
		e := &events.Items[i]
		// Who makes a Deployment's pods, and fails to, is its ReplicaSet.
		made := w.Kind == "Deployment" && e.About.Kind == "ReplicaSet" && strings.HasPrefix(e.About.Name, w.Name+"-")
		if !about[e.About.Kind+" "+e.About.Name] && !made {
			continue
		}
		last, err := time.Parse(time.RFC3339, e.Last)
		if err != nil {
			last, err = time.Parse(time.RFC3339Nano, e.Time)
		}
		if err != nil {
			last = time.Time{}
		}
		w.Events = append(w.Events, world.MemberEvent{
			Object: e.About.Kind + " " + e.About.Name, Type: e.Type, Reason: e.Reason, Message: e.Message, Count: max(1, e.Count), Last: last,
		})
	}
	sort.SliceStable(w.Events, func(i, j int) bool { return w.Events[j].Last.Compare(w.Events[i].Last) < 0 })
	w.Events = w.Events[:min(len(w.Events), memberEvents)]
}

// podLog reads the end of the log of the pod that the workload's trouble is
// about, else of the first.
func (h *Client) podLog(ctx context.Context, w *world.MemberWorkload) {
	if len(w.Pods) == 0 {
		return
	}
	pod := &w.Pods[0]
	if t := w.Trouble(); t != nil {
		for i := range w.Pods {
			if w.Pods[i].Name == t.Pod {
				pod = &w.Pods[i]
				break
			}
		}
	}
	w.LogOf = pod.Name
	lines, err := h.log(ctx, w.Namespace, pod.Name, pod.Container, logLines, 16384, false)
	if err != nil {
		w.LogWhy = h.Failure(err).Err
	}
	w.Log = lines
}

// get reads an object, or a list when name is empty.
func (h *Client) get(ctx context.Context, into any, root, namespace, resource, name string, params map[string]string) error {
	r := h.Request(http.MethodGet).AbsPath(root).Resource(resource)
	if namespace != "" {
		r = r.Namespace(namespace)
	}
	if name != "" {
		r = r.Name(name)
	}
	for k, v := range params {
		r = r.Param(k, v)
	}
	return h.fetch(ctx, r, into)
}

// fetch sends a request and decodes the body of the answer.
func (h *Client) fetch(ctx context.Context, r *rest.Request, into any) error {
	raw, err := h.Do(ctx, r)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return fmt.Errorf("decode answer: %w", errors.Join(client.ErrNotJSON, err))
	}
	return nil
}
