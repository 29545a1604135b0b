package world

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/stagewatch/stagewatch/engine"
)

// PodTrouble is what keeps a workload from becoming ready on a member: the
// reason that most of its unready pods share. Strings are raw.
type PodTrouble struct {
	// Reason is that of the pods, or of the workload when it has too few pods;
	// Message belongs to it.
	Reason, Message string
	// Count of Total pods have the Reason, Other more are not ready. Without a
	// Count the workload itself is in trouble.
	Count, Total, Other int
	// Pod is one of them, with the container that fails, its image, how often it
	// was restarted, why it ended last and the last line of its log.
	Pod, Container, Image, Ended, Log string
	Restarts                          int
	// Tried is when the member last failed to create a pod of the workload, if its events say so.
	Tried time.Time
	// Denied is why the member creates no more pods of the workload besides; empty when it does.
	Denied string
}

// Reasons that have no reason of the API behind them.
const (
	PodsMissing = "Missing"  // the workload does not exist
	PodsNone    = "NoPods"   // it has no pods and does not say why
	PodNotReady = "NotReady" // a pod runs and is not ready
	// PodNotAssigned is a pod without a node that no scheduler has reported on.
	PodNotAssigned = "NotAssigned"
)

// Settled reports whether all pods of the workload are of the present version
// and ready.
func (w *MemberWorkload) Settled() bool {
	return w.Why.IsZero() && !w.Missing && w.Replicas > 0 && w.Replicas >= w.Desired &&
		w.Updated == w.Replicas && w.Ready == w.Replicas && w.Available == w.Replicas
}

// Trouble is what keeps the workload from becoming ready, nil when nothing does
// or it could not be read.
func (w *MemberWorkload) Trouble() *PodTrouble {
	switch {
	case !w.Why.IsZero():
		return nil
	case w.Missing:
		return &PodTrouble{Reason: PodsMissing}
	}
	count, unready := map[string]int{}, 0
	for i := range w.Pods {
		if p := &w.Pods[i]; !p.Ready {
			unready++
			count[p.class()]++
		}
	}
	var worst *MemberPod
	for i := range w.Pods {
		if p := &w.Pods[i]; !p.Ready && (worst == nil || p.worse(worst, count)) {
			worst = p
		}
	}
	denied := w.denied()
	if worst == nil || denied != nil && worst.starts() {
		return w.podless()
	}
	t := &PodTrouble{
		Reason: cmp.Or(worst.Reason, worst.Phase), Message: worst.Message, Count: count[worst.class()], Total: len(w.Pods),
		Pod: worst.Name, Container: worst.Container, Image: worst.Image, Ended: worst.Ended, Restarts: worst.Restarts,
	}
	t.Other = unready - t.Count
	if denied != nil {
		t.Denied = denied.Message
	}
	if w.LogOf == worst.Name {
		t.Log = lastLine(w.Log)
	}
	w.explain(t)
	if t.Reason == "Pending" && worst.Node == "" {
		t.Reason = PodNotAssigned
	}
	return t
}

// starts reports whether the pod gives no reason for which it is not ready: it may be on its way.
func (p *MemberPod) starts() bool {
	return p.Reason == "" || p.Reason == "ContainerCreating" || p.Reason == "PodInitializing"
}

// worse reports whether a pod says more than another about what keeps the workload from becoming
// ready: one with a reason does, then the reason that more of them have.
func (p *MemberPod) worse(than *MemberPod, count map[string]int) bool {
	if p.starts() != than.starts() {
		return than.starts()
	}
	return count[p.class()] > count[than.class()]
}

// denied is why the member does not create more pods of the workload, nil when it does: what the
// last try met. The condition keeps the message of the first one (Kubernetes, replicaset.calculateStatus).
func (w *MemberWorkload) denied() *MemberSetback {
	for _, s := range w.Setbacks {
		if s.Type != "ReplicaFailure" {
			continue
		}
		if e := w.lastTry(); e != nil {
			s.Message = e.Message
		}
		return &s
	}
	return nil
}

// class groups the reasons between which a pod alternates.
func (p *MemberPod) class() string {
	switch p.Reason {
	case "ErrImagePull", "ImagePullBackOff":
		return "pull"
	case "CrashLoopBackOff", "Error", "OOMKilled":
		return "crash"
	}
	return cmp.Or(p.Reason, p.Phase)
}

// podless is the trouble of a workload whose pods are all ready, or that has
// none: fewer of them can be created than it should have.
func (w *MemberWorkload) podless() *PodTrouble {
	t := &PodTrouble{Reason: PodsNone, Total: len(w.Pods)}
	if s := w.denied(); s != nil {
		t.Reason, t.Message, t.Tried = s.Reason, s.Message, w.tried()
		return t
	}
	if len(w.Pods) > 0 && (w.Desired == 0 || len(w.Pods) >= w.Desired) {
		return nil
	}
	// StatefulSets and DaemonSets report it in events only.
	for i := range w.Events {
		if e := &w.Events[i]; e.ofCreation() {
			t.Reason, t.Message, t.Tried = e.Reason, e.Message, w.tried()
			return t
		}
	}
	switch {
	case len(w.Setbacks) > 0:
		t.Reason, t.Message = w.Setbacks[0].Reason, w.Setbacks[0].Message
	case w.Replicas > 0, len(w.Pods) > 0:
		return nil // the pods were created or deleted a moment ago
	}
	return t
}

// lastTry is the event of the last pod of the workload that could not be created; nil when no event
// with a time says so.
func (w *MemberWorkload) lastTry() (last *MemberEvent) {
	for i := range w.Events {
		if e := &w.Events[i]; e.ofCreation() && !e.Last.IsZero() && (last == nil || e.Last.After(last.Last)) {
			last = e
		}
	}
	return last
}

// tried is when that was.
func (w *MemberWorkload) tried() time.Time {
	if e := w.lastTry(); e != nil {
		return e.Last
	}
	return time.Time{}
}

// ofCreation reports whether an event says that a pod of the workload could not be created.
func (e *MemberEvent) ofCreation() bool {
	return e.Reason == "FailedCreate" && !strings.HasPrefix(e.Object, "Pod ")
}

// explain takes from the pod's events what its status leaves out: why a volume is
// not mounted, why an image is not pulled, why a probe fails.
func (w *MemberWorkload) explain(t *PodTrouble) {
	var reasons []string
	switch t.Reason {
	case "ContainerCreating", "PodInitializing", "Pending":
		reasons = []string{"FailedMount", "FailedAttachVolume", "FailedCreatePodSandBox", "FailedScheduling"}
	case "ErrImagePull", "ImagePullBackOff":
		if strings.Contains(t.Message, "rpc error") || strings.Contains(t.Message, "failed to") {
			return
		}
		reasons = []string{"Failed"}
	case "Running":
		t.Reason = PodNotReady
		reasons = []string{"Unhealthy"}
	default:
		return
	}
	for i := range w.Events {
		e := &w.Events[i]
		if e.Object != "Pod "+t.Pod || e.Type != "Warning" || !slices.Contains(reasons, e.Reason) {
			continue
		}
		if e.Reason == "Failed" && !strings.Contains(e.Message, "pull") {
			continue // "Error: ImagePullBackOff"
		}
		t.Message = e.Message
		if t.Reason != PodNotReady && e.Reason != "Failed" {
			t.Reason = e.Reason
		}
		return
	}
}

// lastLine is the last line of a log that is not blank.
func lastLine(log []string) string {
	for _, l := range slices.Backward(log) {
		if strings.TrimSpace(l) != "" {
			return strings.TrimSpace(l)
		}
	}
	return ""
}

// ExitOf writes how a container ended.
func ExitOf(reason string, code int) string {
	if reason == "" || reason == "Error" {
		return fmt.Sprintf("exit code %d", code)
	}
	return reason
}

// Clip is the beginning of a message, n runes at most.
func Clip(s string, n int) engine.Text {
	s = engine.Message(s).String()
	if r := []rune(s); len(r) > n {
		return engine.Clean(strings.TrimSpace(string(r[:n])) + "…")
	}
	return engine.Clean(s)
}
