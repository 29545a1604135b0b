package members

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	// healthEvery is how often a container that runs logs a request.
	healthEvery = 2 * time.Second
	// logKept is how many of those lines its log has at most.
	logKept = 2000
	// logPoll is how often a log that is followed is read again.
	logPoll = 100 * time.Millisecond
)

// logLine is a line that a container has written.
type logLine struct {
	at   time.Time
	text string
}

// log is the log of the pod's container, as of when the pod was seen; waits is why there is none.
func (p pod) log() (lines []logLine, waits string) {
	reason := "ContainerCreating"
	switch p.trouble() {
	case PodsCrash:
		_, last := restarts(p.at, p.seen)
		for _, text := range p.fault.Log {
			lines = append(lines, logLine{last, text})
		}
		return lines, ""
	case PodsNamed:
		reason = "InvalidImageName"
	case PodsPull:
		reason = "trying and failing to pull image"
	}
	if !p.ready {
		return nil, fmt.Sprintf("container %q in pod %q is waiting to start: %s", p.container, p.podName(), reason)
	}
	lines = []logLine{{p.at, `level=info msg="listening" addr=:8080`}, {p.at, `level=info msg="ready"`}}
	n := int(p.seen.Sub(p.at) / healthEvery)
	for i := max(1, n-logKept); i <= n; i++ {
		lines = append(lines, logLine{p.at.Add(time.Duration(i) * healthEvery), fmt.Sprintf(`level=info msg="GET /healthz" status=200 took=1ms request=%d`, i)})
	}
	return lines, ""
}

// runs identifies the container that runs in the pod; empty when it has ended.
func (p pod) runs() string {
	if !p.ready {
		return ""
	}
	return p.uid(p.podName()) + p.at.String()
}

// podNamed is a pod on a member, as it is now.
func (m *API) podNamed(member, namespace, name string) (p pod, ok bool) {
	pods := m.agents.podsOn(member, time.Now())
	i := slices.IndexFunc(pods, func(p pod) bool { return p.podName() == name && p.namespace == namespace })
	if i < 0 {
		return p, false
	}
	return pods[i], true
}

// log serves the log of a pod, which a container that never started does not have.
func (m *API) log(w http.ResponseWriter, r *http.Request, member string, q memberQuery) {
	p, ok := m.podNamed(member, q.namespace, q.name)
	if !ok {
		refuse(w, http.StatusNotFound, metav1.StatusReasonNotFound, fmt.Sprintf("pods %q not found", q.name))
		return
	}
	asked := r.URL.Query()
	lines, waits := p.log()
	_, again := p.state()
	switch container := asked.Get("container"); {
	case container != "" && container != p.container:
		refuse(w, http.StatusBadRequest, metav1.StatusReasonBadRequest, fmt.Sprintf("container %s is not valid for pod %s", container, q.name))
		return
	case waits != "":
		refuse(w, http.StatusBadRequest, metav1.StatusReasonBadRequest, waits)
		return
	case again == 0 && asked.Get("previous") == "true":
		refuse(w, http.StatusBadRequest, metav1.StatusReasonBadRequest, fmt.Sprintf("previous terminated container %q in pod %q not found", p.container, q.name))
		return
	}
	w.Header().Set("Content-Type", "text/plain")
	written := write(w, selected(lines, asked, p.seen))
	if asked.Get("follow") == "true" && asked.Get("previous") != "true" && written {
		m.follow(w, r, member, q, p)
	}
}

// selected are the lines that the parameters of a request select.
func selected(lines []logLine, asked url.Values, now time.Time) []logLine {
	if since, err := strconv.Atoi(asked.Get("sinceSeconds")); err == nil {
		lines = slices.DeleteFunc(lines, func(l logLine) bool { return now.Sub(l.at) > time.Duration(since)*time.Second })
	}
	if tail, err := strconv.Atoi(asked.Get("tailLines")); err == nil && tail >= 0 && tail < len(lines) {
		lines = lines[len(lines)-tail:]
	}
	return lines
}

// follow writes the lines that a container writes from now on, until it ends.
func (m *API) follow(w http.ResponseWriter, r *http.Request, member string, q memberQuery, p pod) {
	poll := time.NewTicker(logPoll)
	defer poll.Stop()
	for written, running := p.seen, p.runs(); running != ""; {
		select {
		case <-r.Context().Done():
			return
		case <-poll.C:
		}
		next, ok := m.podNamed(member, q.namespace, q.name)
		if !ok || next.runs() != running {
			return
		}
		lines, _ := next.log()
		lines = slices.DeleteFunc(lines, func(l logLine) bool { return !l.at.After(written) })
		if len(lines) > 0 && !write(w, lines) {
			return
		}
		written = next.seen
	}
}

// write sends lines at once, and reports whether the client is still there.
func write(w http.ResponseWriter, lines []logLine) bool {
	for _, l := range lines {
		if _, err := fmt.Fprintln(w, l.text); err != nil {
			return false
		}
	}
	return http.NewResponseController(w).Flush() == nil
}
