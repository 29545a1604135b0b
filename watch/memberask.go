package watch

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/rest"

	"github.com/stagewatch/stagewatch/engine"
)

const (
	// memberDeadline bounds all that is asked of one member for one page.
	memberDeadline = 4 * time.Second
	// memberWorkloads is how many workloads of a placement a page shows.
	memberWorkloads = 4
	// memberPods is how many pods of each, memberEvents how many events.
	memberPods, memberEvents = 12, 8
	// logLines is how much of a log is shown.
	logLines = 10
)

// MemberContexts finds the kubeconfig contexts that lead to members. It makes no
// request.
type MemberContexts interface {
	// Find returns the context of a member, chosen when a person chose one, and
	// that is remembered then. The Text says why there is none.
	Find(member string, chosen engine.Text) (context string, config *rest.Config, why engine.Text)
	// Agreed reports whether a person named or chose the context of a member, so
	// that the program may ask it by itself.
	Agreed(member string) bool
	// Names are the contexts that can be chosen.
	Names() []engine.Text
}

// errMemberReadOnly is what anything but a GET gets from a member's client.
var errMemberReadOnly = errors.New("members are only read")

// getsOnly is the transport of members: no other verb leaves the program.
type getsOnly struct{ next http.RoundTripper }

func (g getsOnly) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method != http.MethodGet {
		return nil, errMemberReadOnly
	}
	return g.next.RoundTrip(r)
}

// newMemberClient makes a client of a member, which only reads.
func newMemberClient(config *rest.Config) (*client, error) {
	config = rest.CopyConfig(config)
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return getsOnly{next} })
	return newClient(config)
}

// member reads the workloads of a placement from the member itself.
func (p *pages) member(ctx context.Context, contexts MemberContexts) (engine.Answer, error) {
	f := engine.MemberFacts{Question: p.q, Now: p.now()}
	_, name, _ := p.q.Member.Raw()
	if p.q.Quiet && (contexts == nil || !contexts.Agreed(name)) {
		return engine.Answer{Question: p.q, At: f.Now}, nil
	}
	wanted := p.wantedWorkloads(ctx, name, &f)
	var config *rest.Config
	if contexts == nil {
		f.ContextWhy = engine.Lit("none is known here")
	} else {
		f.Context, config, f.ContextWhy = contexts.Find(name, p.q.Context)
	}
	if config == nil {
		f.Context = ""
		if contexts != nil {
			f.Choices = contexts.Names()
		}
		f.Commands = p.memberCommands(wanted)
		return engine.MemberPage(f), nil
	}
	limited, cancel := context.WithTimeout(ctx, memberDeadline)
	defer cancel()
	c, err := newMemberClient(config)
	if err != nil {
		f.Why = engine.Clean(err.Error())
		return engine.MemberPage(f), nil
	}
	defer c.close()
	for _, w := range wanted {
		if err := c.workload(limited, &w); err != nil {
			// The first failure speaks for the member: it hangs, or forbids.
			f.Why = sortError(err, c.server).err
			f.Choices, f.Commands = contexts.Names(), p.memberCommands(wanted)
			break
		}
		f.Workloads = append(f.Workloads, w)
	}
	return engine.MemberPage(f), nil
}

// memberCommands are for whoever has a context that leads to the member.
func (p *pages) memberCommands(wanted []engine.MemberWorkload) []engine.Text {
	var out []engine.Text
	hub := engine.Hub{Context: engine.Textf("<context of %s>", p.q.Member.Name())}
	for _, w := range wanted {
		out = append(out,
			engine.Kubectl(hub, w.Namespace, "describe", workloadResources[w.Kind]+".apps", w.Name),
			engine.Kubectl(hub, w.Namespace, "get", "pods", "-o", "wide"),
			engine.Kubectl(hub, w.Namespace, "get", "events", "--sort-by=.lastTimestamp"))
	}
	return out
}

// workloadResources are the kinds with pods whose readiness the member's agent
// waits for, all of apps/v1.
var workloadResources = map[string]string{"Deployment": "deployments", "StatefulSet": "statefulsets", "DaemonSet": "daemonsets"}

// wantedWorkloads lists the workloads that the placement brings to the cluster,
// the failing ones first.
func (p *pages) wantedWorkloads(ctx context.Context, member string, f *engine.MemberFacts) []engine.MemberWorkload {
	var out []engine.MemberWorkload
	add := func(kind, namespace, name string) {
		w := engine.MemberWorkload{Kind: kind, Namespace: namespace, Name: name}
		same := func(o engine.MemberWorkload) bool {
			return o.Kind == kind && o.Namespace == namespace && o.Name == name
		}
		if workloadResources[kind] != "" && len(out) < memberWorkloads && !slices.ContainsFunc(out, same) {
			out = append(out, w)
		}
	}
	bindings, _, err := p.bindings(ctx)
	f.BindingWhy = p.why(err)
	for i := range bindings {
		b := &bindings[i]
		if b.Spec.TargetCluster != member || b.DeletionTimestamp != nil {
			continue
		}
		for j := range b.Status.FailedPlacements {
			m := &b.Status.FailedPlacements[j]
			f.Failing = append(f.Failing, engine.ManifestView{
				What: engine.ManifestName(m), Cond: engine.Clean(m.Condition.Type), Reason: engine.Clean(m.Condition.Reason),
			})
			add(m.Kind, m.Namespace, m.Name)
		}
		works, err := p.works(ctx, b, member)
		if err != nil && f.BindingWhy.IsZero() {
			f.BindingWhy = p.why(err)
		}
		for k := range works {
			for _, m := range works[k].Spec.Workload.Manifests {
				var o metav1.PartialObjectMetadata
				if err := json.Unmarshal(m.Raw, &o); err == nil {
					add(o.Kind, o.Namespace, o.Name)
				}
			}
		}
	}
	return out
}

// The parts of a member's objects that are read.
type (
	memberWorkload struct {
		Spec struct {
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
		Reason  string `json:"reason"`
		Message string `json:"message"`
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

// workload reads a workload, its pods, their events, and the log of the pod
// that tells most.
func (h *client) workload(ctx context.Context, w *engine.MemberWorkload) error {
	var d memberWorkload
	err := h.read(ctx, &d, "/apis/apps/v1", w.Namespace, workloadResources[w.Kind], w.Name, nil)
	switch kindOf(err) {
	case failNone:
	case failNotFound:
		w.Missing = true
		return nil
	default:
		return err
	}
	st := &d.Status
	w.Replicas, w.Updated = st.Replicas+st.Scheduled, st.Updated+st.UpdatedScheduled
	w.Ready, w.Available = st.Ready+st.NumberReady, st.Available+st.NumberAvailable
	for _, c := range st.Conditions {
		if c.Type == "ReplicaFailure" && c.Status == metav1.ConditionTrue || c.Type == "Progressing" && c.Status == metav1.ConditionFalse {
			w.Setbacks = append(w.Setbacks, engine.MemberSetback{Type: c.Type, Status: string(c.Status), Reason: c.Reason, Message: c.Message})
		}
	}
	selector, err := metav1.LabelSelectorAsSelector(d.Spec.Selector)
	if err != nil || selector.Empty() {
		selector = labels.Nothing()
	}
	var pods struct{ Items []memberPod }
	if err := h.read(ctx, &pods, "/api/v1", w.Namespace, "pods", "", map[string]string{"labelSelector": selector.String(), "limit": "100"}); err != nil {
		return err
	}
	about := map[string]bool{w.Kind + " " + w.Name: true}
	for i := range pods.Items {
		p := podOf(&pods.Items[i])
		about["Pod "+p.Name] = true
		w.Pods = append(w.Pods, p)
	}
	// What is not ready is what one came for.
	slices.SortStableFunc(w.Pods, func(a, b engine.MemberPod) int {
		if a.Ready != b.Ready {
			if b.Ready {
				return -1
			}
			return 1
		}
		return strings.Compare(a.Name, b.Name)
	})
	w.Pods = w.Pods[:min(len(w.Pods), memberPods)]
	h.events(ctx, w, about)
	h.podLog(ctx, w)
	return nil
}

// podOf folds a pod into a row: the reason is that of the first container which
// waits or has ended badly.
func podOf(o *memberPod) engine.MemberPod {
	p := engine.MemberPod{
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
					p.Reason, p.Message, p.Image = s.Reason, s.Message, c.Image
				}
			}
		}
	}
	return p
}

// events reads the events about the workload and its pods; without the right to
// there are none, and the page goes on without.
func (h *client) events(ctx context.Context, w *engine.MemberWorkload, about map[string]bool) {
	var events struct{ Items []memberEvent }
	if err := h.read(ctx, &events, "/api/v1", w.Namespace, "events", "", map[string]string{"limit": "500"}); err != nil {
		w.Events = append(w.Events, engine.MemberEvent{Reason: "not read", Message: sortError(err, h.server).err.String()})
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
		w.Events = append(w.Events, engine.MemberEvent{
			Object: e.About.Kind + " " + e.About.Name, Type: e.Type, Reason: e.Reason, Message: e.Message, Count: max(1, e.Count), Last: last,
		})
	}
	slices.SortStableFunc(w.Events, func(a, b engine.MemberEvent) int { return b.Last.Compare(a.Last) })
	w.Events = w.Events[:min(len(w.Events), memberEvents)]
}

// podLog reads the end of the log of the first pod, which is the worst one.
func (h *client) podLog(ctx context.Context, w *engine.MemberWorkload) {
	if len(w.Pods) == 0 {
		return
	}
	w.LogOf = w.Pods[0].Name
	body, err := answer(h.api.Get().AbsPath("/api/v1").Namespace(w.Namespace).Resource("pods").Name(w.LogOf).SubResource("log").
		Param("tailLines", strconv.Itoa(logLines)).Param("limitBytes", "16384").Do(ctx))
	if err != nil {
		w.LogWhy = sortError(err, h.server).err
		return
	}
	for line := range bytes.Lines(body) {
		if len(w.Log) < logLines {
			w.Log = append(w.Log, strings.TrimRight(string(line), "\r\n"))
		}
	}
}

// read gets an object, or a list when name is empty.
func (h *client) read(ctx context.Context, into any, root, namespace, resource, name string, params map[string]string) error {
	r := h.api.Get().AbsPath(root).Resource(resource)
	if namespace != "" {
		r = r.Namespace(namespace)
	}
	if name != "" {
		r = r.Name(name)
	}
	for k, v := range params {
		r = r.Param(k, v)
	}
	raw, err := answer(r.Do(ctx))
	if err != nil {
		return err
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return fmt.Errorf("read %s: %w", resource, errors.Join(errNoJSON, err))
	}
	return nil
}
