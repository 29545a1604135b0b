package member

import (
	"bytes"
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/stagewatch/stagewatch/engine"
	"github.com/stagewatch/stagewatch/engine/page/workload"
	"github.com/stagewatch/stagewatch/watch/client"
)

// podLogBytes is how much of a log is read at most.
const podLogBytes = 1 << 20

// Pod reads a pod and its containers, from the first of the namespaces that has it, and returns the
// name of the container that fails, else of the first. What went wrong stands in f.Why.
func (h *Client) Pod(ctx context.Context, namespaces []string, f *workload.PodFacts) (failing string) {
	var pod memberPod
	err := error(nil)
	for _, ns := range namespaces {
		f.Of.Namespace = engine.Clean(ns)
		if err = h.get(ctx, &pod, "/api/v1", ns, "pods", f.Of.Pod.String(), nil); client.KindOf(err) != client.Missing {
			break
		}
	}
	switch {
	case len(namespaces) == 0, client.KindOf(err) == client.Missing:
		f.Why, f.NotMember = engine.Textf("it has no pod %s", f.Of.Pod), true
		return ""
	case err != nil:
		f.Why, f.NotMember = h.Failure(err).Err, len(f.Workloads) > 0
		return ""
	}
	p := podOf(&pod)
	f.Phase, f.Node = p.Phase, p.Node
	if pod.Status.Reason != "" {
		f.Phase = pod.Status.Reason
	}
	f.Containers = nil
	for i := range pod.Status.Init {
		c := containerOf(&pod.Status.Init[i])
		c.Init = true
		f.Containers = append(f.Containers, c)
	}
	for i := range pod.Status.Containers {
		f.Containers = append(f.Containers, containerOf(&pod.Status.Containers[i]))
	}
	return p.Container
}

func containerOf(o *memberContainer) workload.Container {
	c := workload.Container{Name: o.Name, Image: o.Image, Ready: o.Ready, Restarts: o.Restarts, State: "Waiting"}
	for _, state := range []string{"running", "waiting", "terminated"} {
		s, is := o.State[state]
		if !is {
			continue
		}
		c.State, c.Message, c.Since = strings.ToUpper(state[:1])+state[1:], s.Message, stampOf(s.Started)
		if s.Reason != "" {
			c.State = s.Reason
		}
		if state == "terminated" {
			c.State, c.Since = ended(&s), stampOf(s.Finished)
			c.Ready = c.Ready || s.ExitCode == 0 // an init container that has done its work
		}
	}
	if s, is := o.Last["terminated"]; is {
		c.Ended, c.EndedAt = ended(&s), stampOf(s.Finished)
	}
	return c
}

// ended says why a container has ended, with its exit code.
func ended(s *memberSetback) string {
	reason := s.Reason
	if reason == "" {
		reason = "Terminated"
	}
	return reason + ", exit code " + strconv.Itoa(s.ExitCode)
}

// stampOf is the time of a condition of a container; zero without one.
func stampOf(s string) time.Time {
	at, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return time.Time{}
	}
	return at
}

// PodLog reads the end of the log of a container.
func (h *Client) PodLog(ctx context.Context, f *workload.LogFacts) {
	lines, err := h.log(ctx, f.Of.Namespace.String(), f.Of.Pod.String(), f.Container, workload.LogLines, podLogBytes, f.Log.Previous)
	if err != nil {
		f.LogWhy = h.Failure(err).Err
	}
	f.Lines = lines
}

// Lines hands each line of the log of a container to line as it comes: those that there are, and
// with r.Follow those that are written, until the container ends.
func (h *Client) Lines(ctx context.Context, f *workload.LogFacts, r client.LogRange, line func(string)) error {
	params := map[string]string{"container": f.Container}
	if f.Log.Previous {
		params["previous"] = "true"
	}
	return h.Log(ctx, f.Of.Namespace.String(), f.Of.Pod.String(), params, r, line)
}

// log reads the last lines of the log of a container; those of the container that ended before it
// with previous.
func (h *Client) log(ctx context.Context, namespace, pod, container string, most, limit int, previous bool) ([]string, error) {
	r := h.Request(http.MethodGet).AbsPath("/api/v1").Namespace(namespace).Resource("pods").Name(pod).SubResource("log").
		Param("tailLines", strconv.Itoa(most)).Param("limitBytes", strconv.Itoa(limit))
	if container != "" {
		r = r.Param("container", container) // the API requires it when there are several
	}
	if previous {
		r = r.Param("previous", "true")
	}
	body, err := h.Do(ctx, r)
	if err != nil {
		return nil, err
	}
	var out []string
	for line := range bytes.Lines(body) {
		out = append(out, strings.TrimRight(string(line), "\r\n"))
	}
	return out[:min(len(out), most)], nil
}
